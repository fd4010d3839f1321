# What these scripts share. ctest gives them, in the environment: MPIEXEC, RANKS, SCENARIO (the
# program, see scenario.c). Each script gets a folder of its own; it is removed at the end.
set -u

FOLDER=$(mktemp -d "${TMPDIR:-/tmp}/tutti-scenario.XXXXXX") || exit 1
trap 'rm -rf "$FOLDER"' EXIT
trap 'exit 1' HUP INT TERM
cd "$FOLDER" || exit 1

unset TUTTI_MODE TUTTI_ALWAYS_TUNE TUTTI_STRICT TUTTI_LOG TUTTI_ON_MISS TUTTI_CACHE_PATH
unset TUTTI_RUN_TIMEOUT TUTTI_STALL_TIMEOUT TUTTI_RETRY_CRASHED TUTTI_CHECK TUTTI_WARMUPS
unset TUTTI_SAMPLES TUTTI_BUDGET_CALLS TUTTI_BUDGET_SECONDS TRITON_DIST_AUTOTUNE_ALWAYS_TUNE
unset TRITON_DIST_AUTOTUNE_VERSION_CHECK
export TUTTI_CACHE_DIR="$FOLDER/cache" TUTTI_POLICY=exhaustive TRACE="$FOLDER/trace"

fail() {
    echo "FAILED: $*"
    for file in out err trace; do
        echo "--- $file"
        tail -n 60 "$file"
    done
    exit 1
}

# start ARGUMENT...: a job; leaves stdout in out, stderr in err, the order of candidates in trace,
# and its exit status in `status`.
start() {
    rm -f trace
    : >trace
    "$MPIEXEC" -n "$RANKS" "$SCENARIO" "$@" >out 2>err </dev/null
    status=$?
}

expect_success() {
    [ "$status" -eq 0 ] || fail "the job ended with $status"
}

expect_death() {
    [ "$status" -ne 0 ] || fail "the job did not die"
}

# expect FILE TEXT: the file holds the text, which is no pattern.
expect() {
    grep -qF -e "$2" "$1" || fail "'$2' is not in $1"
}

expect_not() {
    if grep -qF -e "$2" "$1"; then
        fail "'$2' is in $1"
    fi
}

# expect_trace NUMBER...: the candidates in the order in which they began.
expect_trace() {
    began=$(sed 's/begin //' trace | tr '\n' ' ')
    [ "$began" = "$*${1:+ }" ] || fail "candidates began in the order $began, expected $*"
}

records() {
    find "$FOLDER/cache" -name '*.json' | wc -l
}

journals() {
    find "$FOLDER/cache" -name '*.journal' | wc -l
}

# wait_for FILE TEXT: until another job has written it.
wait_for() {
    for try in $(seq 500); do
        if grep -qsF -e "$2" "$1"; then
            return
        fi
        sleep 0.02
    done
    fail "'$2' did not come to $1"
}
