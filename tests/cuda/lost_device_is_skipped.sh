# A configuration that costs one rank's device ends the search on all, is named by all, and the next
# start skips it. In the environment: MPIEXEC, RANKS, LOST (the program, see lost.c).
set -u

FOLDER=$(mktemp -d "${TMPDIR:-/tmp}/tutti-lost.XXXXXX") || exit 1
trap 'rm -rf "$FOLDER"' EXIT
trap 'exit 1' HUP INT TERM
for variable in $(env | sed -n 's/^\(TUTTI_[A-Z_]*\)=.*/\1/p'); do
    unset "$variable"
done
export TUTTI_CACHE_DIR="$FOLDER/cache"

fail() {
    echo "FAILED: $*"
    cat "$FOLDER/out"
    exit 1
}

# start POLICY: a job; its output in out, its exit status in `status`.
start() {
    "$MPIEXEC" -n "$RANKS" "$LOST" "$1" >"$FOLDER/out" 2>&1 </dev/null
    status=$?
    if [ $status -eq 77 ] || grep -q '^skipped: ' "$FOLDER/out"; then
        cat "$FOLDER/out"
        exit 77
    fi
}

# expect TIMES TEXT
expect() {
    [ "$(grep -cF -e "$2" "$FOLDER/out")" -eq "$1" ] || fail "'$2' is not $1 times in the output"
}

for policy in exhaustive race; do
    rm -rf "$FOLDER/cache"
    last=$((RANKS - 1))
    start $policy
    [ $status -ne 0 ] || fail "the job did not fail"
    expect "$RANKS" "lost: block=64, depth=1 ends the search: rank $last: the device is lost: "
    expect "$RANKS" "again: lost: rank $last: the device is lost"
    cat "$FOLDER/out"
    start $policy
    [ $status -eq 0 ] || fail "the second start ended with $status"
    expect 1 "configuration=3"
    expect 1 "trial 4: crashed, rank $last: the device is lost: "
    expect 5 ": ok, "
    cat "$FOLDER/out"
done
