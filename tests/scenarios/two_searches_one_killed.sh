# B13: of two jobs that search the same key at once one dies. While it lived the other did not take
# its journal; neither does a third that begins while the survivor lives. Whoever begins after all
# have ended finds the record.
. "$(dirname "$0")/lib.sh"
RANKS=2
TRACE="$FOLDER/trace.a" "$MPIEXEC" -n "$RANKS" "$SCENARIO" at=20 wait="$FOLDER/go.a" \
    >out.a 2>err.a </dev/null &
survivor=$!
wait_for trace.a "begin 20"

# The second begins from the beginning: the first lives. It dies in 10.
start at=10 rank=0 does=kill
expect_death
expect_trace $(seq 0 10)
[ "$(journals)" -eq 2 ] || fail "$(journals) journals, expected one of each"

# The third takes over what the dead one left, and that only: 11 to 39, then the suspect.
start
expect_success
expect_trace $(seq 11 39) 10
[ "$(journals)" -eq 1 ] || fail "$(journals) journals, expected the survivor's"

: >go.a
wait "$survivor" || fail "the survivor failed: $(cat err.a)"
[ "$(sed 's/begin //' trace.a | tr '\n' ' ')" = "$(seq -s ' ' 0 39) " ] ||
    fail "the survivor did not try each once"
expect out.a "source=search configuration=5"
[ "$(records)" -eq 1 ] || fail "$(records) records"
[ "$(journals)" -eq 0 ] || fail "a journal was left"
