# The first run tunes, shows it, and exports; the second finds everything and says so.
. "$(dirname "$0")/lib.sh"
shapes="--shape 64,2,64 --shape 97,3,100 --shape 128,2,128"

run "$RANKS" "$AUTOTUNE" $shapes
expect_status 0
expect_table 3
expect err "[1/"
expect out "record"
expect out "$MANIFEST"
expect out "$CSV"
expect_not out "$CACHED"
expect_csv 3
first=$(blocks "$MANIFEST")
[ "$(echo "$first" | wc -l)" -eq 3 ] || fail "the manifest does not have three shapes"
echo "$first" | grep -q "^97,3,100: .* on $RANKS ranks, bf16$" || fail "the manifest lacks 97,3,100"
searched=$(column search_s)

run "$RANKS" "$AUTOTUNE" $shapes
expect_status 0
expect_table 3
expect_csv 3
expect out "all 3 shapes were $CACHED"
expect_not err "[1/"
[ "$(blocks "$MANIFEST")" = "$first" ] || fail "the second run has other blocks"
[ "$(column source)" = "record record record" ] || fail "sources: $(column source)"
[ "$(column search_s)" = "$searched" ] || fail "the cost of the search was not kept"

# Another type is another problem.
run "$RANKS" "$AUTOTUNE" --shape 64,2,64 --dtype fp64 --quiet
expect_status 0
expect_not out "$CACHED"
expect_not err "[1/"
