# Both variables that ask for it make a run tune again and replace the record.
. "$(dirname "$0")/lib.sh"

run "$RANKS" "$AUTOTUNE" --shape 64,2,64
expect_status 0
record=$(find cache -name '*.json')
[ "$(echo "$record" | wc -l)" -eq 1 ] || fail "not one record: $record"

for variable in TUTTI_ALWAYS_TUNE TRITON_DIST_AUTOTUNE_ALWAYS_TUNE; do
    cp "$record" before
    export "$variable=1"
    run "$RANKS" "$AUTOTUNE" --shape 64,2,64
    unset "$variable"
    expect_status 0
    expect err "[1/"
    expect_not out "$CACHED"
    [ "$(column source)" = search ] || fail "$variable: source is $(column source)"
    [ "$(find cache -name '*.json')" = "$record" ] || fail "$variable: there are other records now"
    cmp -s before "$record" && fail "$variable: the record was not replaced"
done

run "$RANKS" "$AUTOTUNE" --shape 64,2,64
expect out "$CACHED"
