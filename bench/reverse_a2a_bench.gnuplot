# Draws what reverse_a2a_bench --csv wrote: for each way its best multiple of the limit, by shape.
#   gnuplot -e "csv='FILE.csv'; svg='FILE.svg'" reverse_a2a_bench.gnuplot
set terminal svg size 900,520 dynamic font 'sans-serif,13' background '#ffffff'
set output svg
set datafile separator ','
set title sprintf('Reverse all-to-all, %s ranks: time as a multiple of the limit', \
                  system("awk -F, 'NR == 2 {print $1}' ".csv))
set xlabel 'bytes a rank'
set ylabel 'multiple of the limit'
set logscale xy 2
set format x '%.0b %BB'
set grid ytics
set key outside right
# For each number of bytes the least ratio of all lines whose way begins like this.
least(way) = sprintf("< awk -F, -v way='\"%s' 'index($10, way) == 1 && (!($5 in least) || $9 < least[$5]) \
    {least[$5] = $9} END {for (bytes in least) print bytes \",\" least[bytes]}' %s | sort -n", way, csv)
plot least('cat') using 1:2 with linespoints lw 2 title 'as PyTorch does it', \
     least('MPI_Alltoall + unpack') using 1:2 with linespoints lw 2 title 'MPI\_Alltoall + unpack', \
     least('MPI_Alltoallw') using 1:2 with linespoints lw 2 title 'MPI\_Alltoallw', \
     least('Isend') using 1:2 with linespoints lw 2 title 'Isend/Irecv, vector types', \
     least('staged') using 1:2 with linespoints lw 2 title 'staged', \
     least('cma') using 1:2 with linespoints lw 2 title 'cma', \
     least('push') using 1:2 with linespoints lw 2 title 'push', \
     least('pull') using 1:2 with linespoints lw 2 title 'pull', \
     1 with lines lc 'black' dt 2 title 'the limit'
