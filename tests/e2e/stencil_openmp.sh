# A serial program with OpenMP: tuned, cached, verified, and without MPI.
. "$(dirname "$0")/lib.sh"

one() {
    env OMP_NUM_THREADS=1 "$STENCIL" "$@" >out 2>err
}
one -q --grid 20,33,17 --sweeps 3 || fail "the first run"
expect out "(search)"
expect out "speed-up"
one -q --grid 20,33,17 --sweeps 3 || fail "the second run"
expect out "(record)"
one -q --grid 3,3,3 --sweeps 1 || fail "the smallest grid"
! one -q --grid 2,9,9 || fail "a grid without inner points was accepted"
expect err "--grid 2,9,9: three numbers"
! one -q --sweeps 0 || fail "no sweeps were accepted"
ldd "$STENCIL" | grep -qi 'libmpi\|libmpich' && fail "an MPI is linked"
exit 0
