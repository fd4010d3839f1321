# D2: a candidate that does not return on rank 2, while the others do and wait for it, is named by
# that rank, and on_stall ends the job. The next start does not run it.
. "$(dirname "$0")/lib.sh"
export TUTTI_RUN_TIMEOUT=1

start at=9 rank=2 does=hang
expect_death
expect err "on_stall: rank 2: block=3, depth=2 has not returned for 1"
expect err "tutti: rank 2: error: scenario: block=3, depth=2 has not returned for 1"
start at=9 rank=2 does=hang
expect_success
expect_trace $(seq 10 39)
expect out "trial 9: timeout"
expect out "rank 2: block=3, depth=2 has not returned"
expect out "source=search configuration=5"
