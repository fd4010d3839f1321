# With tuning off configuration 0 runs, is verified and reported as what it is; nothing is stored.
. "$(dirname "$0")/lib.sh"

check() {
    expect_status 0
    expect_not err "[1/"
    expect out "default (tuning is off)"
    expect_csv 1
    [ "$(blocks "$MANIFEST")" = "64,2,64: 32,64,2 on $RANKS ranks, bf16" ] ||
        fail "not configuration 0: $(blocks "$MANIFEST")"
    [ "$(column gain_over_configuration_0)" = 1.0000 ] || fail "a gain over itself"
    [ -z "$(find cache -name '*.json' 2>/dev/null)" ] || fail "a record was stored"
}

run "$RANKS" "$AUTOTUNE" --shape 64,2,64 --no-autotune
check
export TUTTI_MODE=off
run "$RANKS" "$AUTOTUNE" --shape 64,2,64
check
