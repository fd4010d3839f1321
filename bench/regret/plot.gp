# Regret against calls, as SVG: gnuplot -e "data='regret.dat'; picture='regret.svg'" plot.gp
# data is what `regret --plot` writes: three blocks for each table, calls p50 p90 p99 in percent.
set terminal svg size 1000,650 font "sans,12" background "white"
set output picture
stats data using 1 nooutput
tables = STATS_blocks / 3
columns = tables < 3 ? tables : 3
set multiplot layout ceil(1.0 * tables / columns),columns
set xlabel "launcher calls"
set ylabel "regret, 90th percentile (%)"
set logscale x 2
set yrange [0:*]
set grid
set key top right font ",9" spacing 0.8
do for [t = 0:tables - 1] {
    title_of = system(sprintf("grep '^\"' %s | sed -n '%dp' | sed 's/^\"staged reverse all-to-all, //; s/, 2-byte elements//; s/ ranks.*/ ranks/'", data, 3 * t + 1))
    set title title_of noenhanced font ",9"
    plot data index 3 * t using 1:3 skip 1 with linespoints title "race", \
         data index 3 * t + 1 using 1:3 skip 1 with linespoints title "equal shares", \
         data index 3 * t + 2 using 1:3 skip 1 with points pt 7 title "exhaustive"
}
unset multiplot
