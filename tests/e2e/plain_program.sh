# The program without a tuner verifies and times every shape, divisible or not, and empty ones.
. "$(dirname "$0")/lib.sh"

run "$RANKS" "$PLAIN" --shape 64,2,64 --shape 65,3,80 --shape 1,1,1 --shape 0,2,3
expect_status 0
expect_table 4
expect out "128,128,2"

run "$RANKS" "$PLAIN" --shape 33,1,7 --dtype int8
expect_status 0
expect out "int8"

run "$RANKS" "$PLAIN" --no-autotune
expect_status 64
