# Shapes for which no configuration survives pruning, and empty ones: configuration 0 runs.
. "$(dirname "$0")/lib.sh"

run "$RANKS" "$AUTOTUNE" --shape 1,1,1 --shape 0,2,3 --shape 33,2,5
expect_status 0
expect_table 3
expect_csv 3
expect out "default (all pruned)"
blocks "$MANIFEST" | grep -q "^1,1,1: 32,64,2 " || fail "1,1,1 did not run configuration 0"
