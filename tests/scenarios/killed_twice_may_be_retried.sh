# TUTTI_RETRY_CRASHED=1 tries what two searches did not survive, last; an end from outside while
# another candidate is in flight condemns nobody.
. "$(dirname "$0")/lib.sh"

start best=39 at=39 rank=0 does=kill
start best=39 at=39 rank=0 does=kill
expect_trace 39
expect_death

TUTTI_RETRY_CRASHED=1
export TUTTI_RETRY_CRASHED
start best=39
expect_success
expect_trace 39
expect out "source=search configuration=39"
expect out "trial 39: ok"

# Ended from outside in 3, then in 30: both are tried once more and are good.
unset TUTTI_RETRY_CRASHED
start rows=2 best=3 at=3 rank=0 does=kill
start rows=2 best=3 at=30 rank=0 does=kill
expect_trace $(seq 4 30)
start rows=2 best=3
expect_success
expect_trace $(seq 31 39) 3 30
expect out "source=search configuration=3"
expect_not out "crashed"
