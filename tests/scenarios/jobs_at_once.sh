# Four jobs tune the same key at once, then four keys: one whole record, four records.
. "$(dirname "$0")/lib.sh"
RANKS=2

# jobs ROWS...: a job for each, all at once.
jobs() {
    number=0
    pids=
    for rows in "$@"; do
        number=$((number + 1))
        TRACE= "$MPIEXEC" -n "$RANKS" "$SCENARIO" rows="$rows" run=100 >out.$number \
            2>err.$number </dev/null &
        pids="$pids $!"
    done
    for pid in $pids; do
        wait "$pid" || fail "a job failed: $(cat err.*)"
    done
    for number in $(seq $#); do
        expect out.$number "configuration=5"
    done
}

jobs 1 1 1 1
[ "$(records)" -eq 1 ] || fail "$(records) records of one key"
[ "$(find cache -type f | wc -l)" -eq 1 ] || fail "there is litter: $(find cache -type f)"
jobs 2 3 4 5
[ "$(records)" -eq 5 ] || fail "$(records) records, expected 5"
for rows in 1 2 3 4 5; do
    start rows=$rows
    expect_success
    expect out "source=record configuration=5"
done
