# --ranks: a part of the ranks works, the rest waits, all end alike. Its record is its own.
. "$(dirname "$0")/lib.sh"

run 4 "$AUTOTUNE" --shape 64,2,64 --ranks 2
expect_status 0
expect out "2 ranks"
blocks "$MANIFEST" | grep -q "on 2 ranks" || fail "the manifest does not say 2 ranks"

run 4 "$PLAIN" --shape 64,2,64 --ranks 3
expect_status 0
expect out "3 ranks"

run 2 "$AUTOTUNE" --shape 64,2,64
expect_status 0
expect out "the shape was $CACHED"
