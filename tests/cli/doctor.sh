# doctor says what would hurt: each check, well and ill, on a /proc and /sys that are made up; under
# the MPI launcher it sees the ranks, and says everything once.
. "$(dirname "$0")/lib.sh"
fake=$scratch/fake
cpu=$fake/sys/devices/system/cpu
mkdir -p "$cpu/cpu0/cpufreq" "$cpu/cpu0/topology" "$cpu/smt" "$fake/sys/fs/cgroup" "$fake/proc" \
    "$fake/sys/devices/system/clocksource/clocksource0" "$fake/sys/kernel/mm/transparent_hugepage"
set_all() {
    echo "$1" >"$cpu/cpu0/cpufreq/scaling_governor"
    echo "$2" >"$fake/sys/fs/cgroup/cpu.max"
    echo "$3 0.1 0.1 1/1 1" >"$fake/proc/loadavg"
    echo "$4" >"$fake/sys/kernel/mm/transparent_hugepage/enabled"
    echo "$5" >"$fake/sys/devices/system/clocksource/clocksource0/current_clocksource"
}
line() { grep -E "^$1 +$2  " out | head -1 | grep -qF -e "$3" || fail "no \"$1 $2 $3\""; }

export TUTTI_CACHE_DIR="$scratch/new/store"
set_all performance 'max 100000' 0.00 'always [madvise] never' tsc
"$TUTTI" doctor --root "$fake" >out 2>&1
line ok clock 'source tsc'
line ok frequency 'governor performance'
line ok quota 'no limit'
line ok load '0.00 over the last minute'
line ok 'huge pages' '[madvise]'
line ok settings 'all are allowed'
line ok store "$scratch/new/store (is made when it is needed), a save takes"
line note mpi 'not started by an MPI launcher'
[ ! -e new ] && [ -z "$(find . -name '.doctor*')" ] || fail "it left something"

set_all powersave '150000 100000' 999.00 'always madvise [never]' hpet
TUTTI_POLICY=fast TUTTI_POLCY=race expect 1 doctor --root "$fake"
line warn clock 'source hpet'
line warn frequency 'governor powersave'
line warn quota "1.5 processors' time"
line warn load '999.00'
line warn 'huge pages' '[never]'
line fail settings 'TUTTI_POLICY="fast" is not allowed'
line warn settings 'TUTTI_POLCY'
says 'cpupower frequency-set -g performance'
echo 400000 >"$fake/sys/fs/cgroup/cpu.max" # not as it should be: nothing is known
expect 1 doctor --root "$fake"
line ok quota 'no limit'
rm -r "$fake"/*
expect 1 doctor --root "$fake" --store /proc/nothing
line note frequency 'not visible here'
line note load 'not visible here'
line fail store "/proc/nothing can't be written"
expect 1 doctor --root "$fake" --store /proc/nothing --json
python3 -c 'import json
levels = {f["what"]: f["level"] for f in json.load(open("out"))["findings"]}
assert levels["store"] == "fail" and levels["load"] == "note", levels' || fail "doctor --json"
expect 2 doctor surplus

# The docs show the same checks.
sample=$(sed -n '/^looks like/,/^```$/s/^\(ok\|note\|warn\|fail\)  *\([a-z]*\( [a-z]*\)\{0,1\}\)  .*/\2/p' "$DOCS/cli.md" | sort -u)

[ -n "${MPIEXEC:-}" ] || exit 0
export ASAN_OPTIONS=detect_leaks=0 # Open MPI leaves memory behind
"$MPIEXEC" -n 4 "$TUTTI" doctor >out 2>&1 || fail "under the launcher"
line ok mpi '4 ranks, libtutti-mpi works'
grep -qE '^(ok|warn) +barrier  +ranks of a host leave it within' out || fail "no barrier"
grep -qE '^(ok|warn) +binding  ' out || fail "no binding"
[ "$(grep -c '^ok *tutti ' out)" -eq 1 ] || fail "it is said by more than one rank"
real=$(sed -n 's/^\(ok\|note\|warn\|fail\)  *\([a-z]*\( [a-z]*\)\{0,1\}\)  .*/\2/p' out | sort -u)
[ "$sample" = "$real" ] || fail "the docs show other checks: $sample"
# Colours that a launcher's terminal would bring are none.
! grep -q "$(printf '\033')" out || fail "colours under a launcher"
ls "$TUTTI_CACHE_DIR" 2>/dev/null && fail "it tuned into the store"
TUTTI_POLICY=fast "$MPIEXEC" -n 2 "$TUTTI" doctor >out 2>&1
line fail mpi 'invalid value of a setting'
exit 0
