# What can't be meant is refused: one message, the same exit status on every rank.
. "$(dirname "$0")/lib.sh"

refused() {
    text=$1
    shift
    run 2 "$@"
    expect_status 64
    expect_once err "$text"
    expect_once err "--help"
    [ ! -s out ] || fail "something was run"
}

refused "--shape 1,2:" "$AUTOTUNE" --shape 1,2
refused "--shape 1,2,3,4:" "$AUTOTUNE" --shape 1,2,3,4
refused "--shape -1,2,3:" "$PLAIN" --shape -1,2,3
refused "--shape 99999999999999999999,1,1:" "$PLAIN" --shape 99999999999999999999,1,1
refused "--dtype fp8:" "$AUTOTUNE" --dtype fp8
refused "--ranks 3: a number from 1 to 2" "$AUTOTUNE" --ranks 3
refused "--ranks 0:" "$PLAIN" --ranks 0
refused "unrecognized option '--shapes'" "$AUTOTUNE" --shapes 1,2,3
refused "extra: only options" "$PLAIN" extra

run 2 "$AUTOTUNE" --help
expect_status 0
expect_once out "--no-autotune"
expect_once out "--sweep"

# A size that no address space holds is an error of the problem, and ends all ranks as well.
run 2 "$PLAIN" --shape 4000000000,4000000000,4
expect_status 1
expect err "no memory"
