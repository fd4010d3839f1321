# D1: a candidate that aborts, or segfaults, on rank 1 ends the job; the second start tries it once
# more, last; the third names it, skips it and succeeds with another winner.
. "$(dirname "$0")/lib.sh"
ulimit -c 0

for how in abort segv; do
    rm -rf cache
    start best=6 at=6 rank=1 does=$how
    expect_death
    start best=6 at=6 rank=1 does=$how
    expect_death
    expect_trace $(seq 7 39) 6
    start best=6 at=6 rank=1 does=$how
    expect_success
    expect_trace
    expect out "source=search configuration=0"
    expect out "trial 6: crashed"
done
