# A search that is killed in candidate 17 of 40 goes on where it was: the 17 that have their answer
# are not repeated, the one in flight comes last; killed in it once more, it is crashed and skipped,
# until asked for.
. "$(dirname "$0")/lib.sh"

start at=17 rank=0 does=kill
expect_death
expect_trace $(seq 0 17)
[ "$(records)" -eq 0 ] || fail "half a search was stored"

start at=17 rank=0 does=kill
expect_death
expect_trace $(seq 18 39) 17

start at=17 rank=0 does=kill
expect_success
expect_trace
expect out "source=search configuration=5"
expect out "trial 17: crashed, rank -1, two searches ended without an answer while it was running"
expect out "trial 16: ok"
[ "$(records)" -eq 1 ] || fail "there is no record"
[ "$(journals)" -eq 0 ] || fail "the journal was not removed"

start
expect_success
expect out "source=record configuration=5"
