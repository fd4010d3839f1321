# Records of a real job: tuned by one, exported, imported elsewhere, and found there by the next job;
# also from a folder that is shipped.
. "$(dirname "$0")/lib.sh"
[ -n "${MPIEXEC:-}" ] || exit 77
export ASAN_OPTIONS=detect_leaks=0 # Open MPI leaves memory behind
job() { # DIRECTORY SOURCE ARGUMENT...: runs the job and holds it to where its choice came from
    directory=$1
    wanted=$2
    shift 2
    TUTTI_CACHE_DIR=$directory "$MPIEXEC" -n 2 "$SCENARIO" "$@" >out 2>&1 || fail "the job"
    grep -q "source=$wanted" out || fail "the choice does not come from the $wanted"
}
job "$scratch/first" search rows=8 best=17
TUTTI_POLICY=exhaustive job "$scratch/first" search rows=9 best=5
expect 0 verify --store first
says "2 records, 0 findings"
expect 0 ls --store first --ranks 2
says "rows=8"
expect 0 best --store first --key rows=8
says "block=5"
says "depth=2"
expect 0 export --store first --output all.tutti
expect 0 import all.tutti --store second
diff -r first second || fail "the records changed on the way"
job "$scratch/second" record rows=8 best=3
job "$scratch/second" record rows=9 best=3
expect 0 export --store first --output shipped/ --key rows=8
TUTTI_CACHE_PATH=$scratch/shipped job "$scratch/empty" record rows=8 best=3
expect 0 rm --store second --key rows=8 --yes
job "$scratch/second" search rows=8 best=3
expect 1 diff first second
says "winner"
says "1 the same, 1 different"
