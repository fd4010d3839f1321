# What the end-to-end scripts share. ctest gives them, in the environment: MPIEXEC, RANKS, PLAIN and
# AUTOTUNE (the two programs), WRONG and MANIFEST_CHECK (see wrong_result.c, manifest_check.c). Each
# script gets a folder of its own, with its own cache; it is removed at the end.
set -u

FOLDER=$(mktemp -d "${TMPDIR:-/tmp}/tutti-e2e.XXXXXX") || exit 1
trap 'rm -rf "$FOLDER"' EXIT
trap 'exit 1' HUP INT TERM
cd "$FOLDER" || exit 1

# Short runs: these tests are about what happens, not about how fast.
for variable in $(env | sed -n 's/^\(TUTTI_[A-Z_]*\)=.*/\1/p'); do
    unset "$variable"
done
export TUTTI_CACHE_DIR="$FOLDER/cache"
export TUTTI_BUDGET_CALLS=80 REV_PROFILE_WARMUP=1 REV_PROFILE_ITERS=3
unset TRITON_DIST_AUTOTUNE_ALWAYS_TUNE
unset TRITON_DIST_AUTOTUNE_VERSION_CHECK REVERSE_A2A_MANIFEST REVERSE_A2A_CSV
MANIFEST=reverse_a2a_udma_autotune_manifest.json
CSV=reverse_a2a_udma_autotune_perf.csv
CACHED="found in the cache; nothing was tuned"

fail() {
    echo "FAILED: $*"
    for file in out err; do
        echo "--- $file"
        tail -n 40 "$file"
    done
    exit 1
}

# run RANKS PROGRAM ARGUMENT...: leaves stdout in out, stderr in err, and in `statuses` the distinct
# exit statuses of the ranks. Each rank runs under a shell that always succeeds, because a launcher
# may kill the other ranks once one has failed.
run() {
    ranks=$1
    shift
    rm -f status.*
    "$MPIEXEC" -n "$ranks" sh -c '"$@"; echo $? > "status.$$"' sh "$@" >out 2>err </dev/null ||
        fail "the launcher itself failed"
    [ "$(cat status.* | wc -l)" -eq "$ranks" ] || fail "not every rank ended"
    statuses=$(echo $(sort -u status.*))
}

# expect_status N: every rank ended with it.
expect_status() {
    [ "$statuses" = "$1" ] || fail "exit statuses $statuses, expected $1 on every rank"
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

expect_once() {
    [ "$(grep -cF -e "$2" "$1")" -eq 1 ] || fail "'$2' is not exactly once in $1"
}

# expect_table N: the table has a row for each of N shapes.
expect_table() {
    rows=$(grep -c ' ms .* ms ' out)
    [ "$rows" -eq "$1" ] || fail "the table has $rows rows, expected $1"
}

# expect_csv N: a header, N rows, the same number of columns in all.
expect_csv() {
    awk -F, -v rows="$1" 'NR == 1 { columns = NF } NF != columns { exit 1 }
        END { if (NR != rows + 1 || columns < 20) exit 1 }' "$CSV" || fail "$CSV is not well formed"
}

# column NAME: the values of the column of that name in the CSV, in one line.
column() {
    awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next }
        { printf "%s%s", separator, $at; separator = " " }' "$CSV"
}

# blocks FILE: the blocks of each shape in a manifest, which is checked on the way.
blocks() {
    "$MANIFEST_CHECK" "$1" || fail "$1 is not a manifest"
}
