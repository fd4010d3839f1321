# D1: a candidate that aborts, or segfaults, on rank 1 ends the job; the second start tries it once
# more, last; the third names it, skips it and succeeds with another winner. With TUTTI_LOG=debug the
# job's last line names it already as it dies.
. "$(dirname "$0")/lib.sh"
ulimit -c 0

for how in abort segv; do
    rm -rf cache
    TUTTI_LOG=debug start best=6 at=6 rank=1 does=$how
    expect_death
    grep "tutti: debug" err | tail -n 1 >last
    expect last "running block=2, depth=3"
    start best=6 at=6 rank=1 does=$how
    expect_death
    expect_trace $(seq 7 39) 6
    start best=6 at=6 rank=1 does=$how
    expect_success
    expect_trace
    expect err "block=2, depth=3 is not run again: two searches ended"
    expect out "source=search configuration=0"
    expect out "trial 6: crashed"
done
