# A search that may not write still does not run what earlier searches did not survive.
. "$(dirname "$0")/lib.sh"

start at=6 rank=1 does=kill
start at=6 rank=1 does=kill
expect_death
before=$(find cache -printf '%p %T@\n' | sort)
export TUTTI_MODE=read-only
start at=6 rank=1 does=kill
expect_success
expect out "trial 6: crashed"
[ "$(find cache -printf '%p %T@\n' | sort)" = "$before" ] || fail "the store was changed"
