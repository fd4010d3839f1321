# The choice of MPI_Allreduce's algorithm: tuned once, then cached, and exported as rules that Open
# MPI follows in programs that know nothing of tutti. Another MPI is refused on every rank.
. "$(dirname "$0")/lib.sh"

if ! "$MPIEXEC" --version 2>/dev/null | grep -qi 'open.*mpi'; then
    run "$RANKS" "$ALLREDUCE" -q
    expect_status 1
    expect_once err "this MPI library is not Open MPI"
    exit 0
fi

run "$RANKS" "$ALLREDUCE" -q --bytes 65536 --bytes 64 --bytes 64 --iterations 3 --rules rules
expect_status 0
[ "$(grep -c 'x  search$' out)" -eq 2 ] || fail "two sizes were to be tuned"
printf '%s\n' "1 # collective" "2 # MPI_Allreduce" "1 # size of communicator" "$RANKS # ranks" \
    "3 # sizes of message" "0 0 0 0 # below the least size that was tuned" >wanted
head -n 6 rules | cmp - wanted || fail "the rules do not begin as Open MPI wants them"
tail -n 2 rules | sed 's/ .*//' | tr '\n' ' ' | grep -qx '64 65536 ' || fail "the rules' sizes"

run "$RANKS" "$ALLREDUCE" -q --bytes 64 --iterations 3
expect_status 0
expect out "x  record"

run "$RANKS" "$ALLREDUCE" -q --bytes 65
expect_status 64
expect_once err "--bytes 65: a multiple of 8"

run "$RANKS" "$ALLREDUCE" -q --bytes 64 --iterations 3 --rules missing/rules
expect_status 1
expect_once err "missing/rules can't be written"

# digest: the bits of a sum, with more of the environment.
digest() {
    env "$@" "$MPIEXEC" -n "$RANKS" "$DIGEST" 2>err || fail "the plain program"
}
allow=OMPI_MCA_coll_tuned_use_dynamic_rules=1
for algorithm in 1 3 4; do
    "$DIGEST" rules "$algorithm" || fail "writing rules"
    by_rules=$(digest $allow OMPI_MCA_coll_tuned_dynamic_rules_filename="$PWD/rules")
    forced=$(digest $allow OMPI_MCA_coll_tuned_allreduce_algorithm="$algorithm")
    [ "$by_rules" = "$forced" ] || fail "the rules do not choose algorithm $algorithm"
    echo "$by_rules" >>digests
done
[ "$(sort -u digests | wc -l)" -gt 1 ] || fail "the sums do not tell algorithms apart"
