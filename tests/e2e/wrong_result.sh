# A wrong element on one rank: that rank names it, nothing is reported as a result, and every rank
# ends with a failure.
. "$(dirname "$0")/lib.sh"

run 3 "$WRONG" --shape 4,2,5 --shape 8,2,5
expect_status 1
expect_once err "rank 2: S=4 H=2 D=5 bf16: corrupting: wrong result"
expect err "the first wrong element is s=3 head=5 d=4: got 0x"
expect_not err "S=8"
[ ! -s out ] || fail "a table was printed"
