#!/bin/sh
# A project that uses another MPI than tutti was built with is told so when it is configured.
. "$(dirname "$0")/lib.sh"
case $(PKG_CONFIG_PATH=$PREFIX/lib/pkgconfig pkg-config --variable=mpi tutti-mpi) in
openmpi) other=mpicc.mpich ;;
mpich) other=mpicc.openmpi ;;
*) other=none ;;
esac
command -v $other >/dev/null || {
    echo "skipped: there is no second MPI"
    exit 77
}

rm -rf "$WORK/other"
if cmake -S "$SOURCE/tests/install/consumer" -B "$WORK/other" -DCMAKE_PREFIX_PATH="$PREFIX" \
    -DMPI_C_COMPILER=$other >"$WORK/other.log" 2>&1; then
    fail "a project with $other was accepted"
fi
tr -s ' \n' ' ' <"$WORK/other.log" | grep -q 'this tutti was built with .*, and the project uses' ||
    { cat "$WORK/other.log"; fail "the reason is not said"; }
