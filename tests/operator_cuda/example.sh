# The example on GPUs: two shapes are tuned and verified, and found in the cache by a second run.
# Skipped where there is no GPU, which the program says on every rank.
. "$E2E/lib.sh"

run "$RANKS" "$AUTOTUNE" --quiet --shape 64,2,64 --shape 300,3,40 --dtype fp32
if grep -q "no usable GPU" err; then
    expect_status 1
    exit 77
fi
expect_status 0
expect_table 2
expect_csv 2
first=$(column engine)
for engine in $first; do
    case $engine in
    push | pull | packets | dma | staged) ;;
    *) fail "an engine $engine" ;;
    esac
done

run "$RANKS" "$AUTOTUNE" --quiet --shape 64,2,64 --shape 300,3,40 --dtype fp32
expect_status 0
expect out "$CACHED"
[ "$(column engine)" = "$first" ] || fail "the second run has other engines"
expect "$MANIFEST" '"engine"'

run "$RANKS" "$AUTOTUNE" --quiet --no-autotune --shape 64,2,64
expect_status 0
[ "$(column engine)" = push ] || fail "not configuration 0: $(column engine)"
