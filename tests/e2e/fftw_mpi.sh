# The transform of FFTW over MPI: tuned, its spectrum and its round trip verified, cached.
. "$(dirname "$0")/lib.sh"

run "$RANKS" "$FFTW" -q --size 24,15 --iterations 3
expect_status 0
expect out "24,15 on $RANKS ranks"
expect out "(search)"
expect out "speed-up"
run "$RANKS" "$FFTW" -q --size 24,15 --iterations 3
expect_status 0
expect out "(record)"
run "$RANKS" "$FFTW" -q --size 2,2 --iterations 1
expect_status 0
run "$RANKS" "$FFTW" -q --size 0,2
expect_status 64
expect_once err "--size 0,2: two numbers"
