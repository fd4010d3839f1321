# settings shows what holds and why; run starts a command with settings, and refuses what they can't
# be.
. "$(dirname "$0")/lib.sh"
expect 0 settings
says "TUTTI_MODE"
TUTTI_MODE=read-only expect 0 settings mode
grep -qE '^TUTTI_MODE +read-only +environment$' out || fail "the environment does not hold"
[ "$(wc -l <out)" -eq 2 ] || fail "more than one setting"
mkdir -p .config/tutti
echo 'TUTTI_SEED = 7' >.config/tutti/settings
expect 0 settings TUTTI_SEED
says "user's file $scratch/.config/tutti/settings:1"
TUTTI_MODE=never expect 1 settings mode
says 'tutti settings: TUTTI_MODE="never" is not allowed'
expect 1 settings nosuch
TUTTI_MODE=off expect 0 settings --json mode
python3 -c 'import json
setting, = json.load(open("out"))
assert setting["value"] == "off" and setting["origin"] == "environment", setting' || fail "--json"
expect 0 settings --long mode
says 'allowed: tune, read-only, cache-only or off'

expect 0 run --mode off --set policy=race --set TUTTI_SEED=3 -- sh -c 'echo $TUTTI_MODE,$TUTTI_POLICY,$TUTTI_SEED "$@"' x --mode
[ "$(cat out)" = 'off,race,3 --mode' ] || fail "run"
expect 7 run sh -c 'exit 7'
expect 3 run /nonexistent/program
says "can't run /nonexistent/program: No such file"
expect 2 run
expect 2 run --policy fast true
says 'TUTTI_POLICY="fast" is not allowed'
expect 2 run --set nosuch=1 true
says 'there is no setting TUTTI_NOSUCH'
expect 2 run --set mode true

# Open MPI's launcher gets -x for each; whatever else is a launcher by name does not.
unset TUTTI_SITE_FILE
mkdir bin
printf '#!/bin/sh\necho "mpirun (Open MPI) 4.1.4"\n' >bin/mpirun.openmpi
printf '#!/bin/sh\necho "HYDRA build details:"\n' >bin/mpirun.mpich
printf '#!/bin/sh\necho "Open MPI"\n' >bin/program
chmod +x bin/*
expect 0 run -n --log debug --mode off bin/mpirun.openmpi -n 4 './a b'
[ "$(cat out)" = "TUTTI_LOG=debug TUTTI_MODE=off bin/mpirun.openmpi -x TUTTI_LOG -x TUTTI_MODE -n 4 './a b'" ] ||
    fail "no -x"
expect 0 run -n --log debug bin/mpirun.mpich -n 4 ./a
[ "$(cat out)" = "TUTTI_LOG=debug bin/mpirun.mpich -n 4 ./a" ] || fail "-x for MPICH"
expect 0 run -n --log debug bin/program
[ "$(cat out)" = "TUTTI_LOG=debug bin/program" ] || fail "-x for a program"

# What is printed can be given to a shell: a name that no shell can set is left out.
expect 0 run --mode off --dry-run -- echo 'a b'
says "TUTTI_MODE=off echo 'a b'"
env 'TUTTI_A;echo pwned;B=1' "$TUTTI" run --mode off --dry-run -- true >out 2>&1
[ "$(cat out)" = "TUTTI_MODE=off true" ] || fail "a name is not for a shell"

# And the ranks do get it.
[ -n "${MPIEXEC:-}" ] || exit 0
expect 0 run --mode off "$MPIEXEC" -n 2 sh -c 'echo mode=$TUTTI_MODE'
[ "$(grep -c '^mode=off' out)" -eq 2 ] || fail "the ranks do not have it"
