# D2: a candidate that does not return is found by the limit, named with its rank, and on_stall ends
# the job; the next start does not run it.
. "$(dirname "$0")/lib.sh"
export TUTTI_RUN_TIMEOUT=1

start at=9 does=hang-all
expect_death
expect err "on_stall: rank 0: block=3, depth=2 has not returned for 1"
expect_trace $(seq 0 9)

start at=9 does=hang-all
expect_success
expect_trace $(seq 10 39)
expect out "source=search configuration=5"
expect out "trial 9: timeout"
expect out "block=3, depth=2 has not returned"
