# A variable with a value that is not allowed is refused by its name, on every rank alike.
. "$(dirname "$0")/lib.sh"

refused() {
    run 2 env "$1=$2" "$AUTOTUNE" --shape 64,2,64
    expect_status "$3"
    expect_once err "$1=\"$2\" is not allowed"
    [ ! -s out ] || fail "something was run"
}

refused REV_PROFILE_ITERS many 64
refused REV_PROFILE_ITERS 0 64
refused REV_PROFILE_WARMUP -1 64
refused REV_PROFILE_WARMUP 1.5 64
refused TUTTI_MODE sometimes 1

# Only the root's environment counts: the other ranks' can't divide them.
run 2 sh -c '[ "${PMI_RANK:-${OMPI_COMM_WORLD_RANK:-0}}" = 0 ] || REV_PROFILE_ITERS=many
    export REV_PROFILE_ITERS; exec "$0" --shape 64,2,64' "$PLAIN"
expect_status 0
