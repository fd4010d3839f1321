# The chain of docs/first-steps.md and docs/porting.md, swept by hand and tuned: the tuned one searches
# once, and then reads its record.
. "$(dirname "$0")/lib.sh"

for source in search record; do
    run "$RANKS" "$CHAIN_TUNED"
    expect_status 0
    grep -qE "^segments of [0-9]+ bytes; source: $source\$" out || fail "not from the $source"
done
run "$RANKS" "$CHAIN_SWEPT"
expect_status 0
grep -qE '^segments of [0-9]+ bytes, from the sweep$' out || fail "there was no sweep"
