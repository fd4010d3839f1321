# Fortran: tuned, verified, the same choice from the cache.
. "$(dirname "$0")/lib.sh"

run "$RANKS" "$HEAT"
expect_status 0
expect_once out "exchange="
first=$(cat out)
[ "$(find cache -name '*.json' | wc -l)" -eq 1 ] || fail "there is to be one record"
run "$RANKS" "$HEAT"
expect_status 0
[ "$(cat out)" = "$first" ] || fail "another choice from the cache"

TUTTI_MODE=nonsense
export TUTTI_MODE
"$MPIEXEC" -n "$RANKS" "$HEAT" >out 2>err </dev/null && fail "a mistake in the settings was ignored"
expect err 'TUTTI_MODE="nonsense" is not allowed'
exit 0
