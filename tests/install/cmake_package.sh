#!/bin/sh
# cmake_package.sh FOLDER PROGRAM:RANKS...: builds a consumer with find_package(tutti), and runs it.
. "$(dirname "$0")/lib.sh"
folder=$1
shift
[ "$folder" = consumer ] || [ -n "$MPIFORT" ] || {
    echo "skipped: there is no Fortran compiler for this MPI"
    exit 77
}

build=$WORK/cmake-$folder
rm -rf "$build"
cmake -S "$SOURCE/tests/install/$folder" -B "$build" -DCMAKE_PREFIX_PATH="$PREFIX" \
    -DCUDA="$CUDA" -DMPI_C_COMPILER="$MPICC" -DMPI_Fortran_COMPILER="$MPIFORT" \
    "-DHEADERS=$(public_headers | paste -sd';')" >"$WORK/log" 2>&1 ||
    { cat "$WORK/log"; fail "configuring $folder"; }
cmake --build "$build" >"$WORK/log" 2>&1 || { cat "$WORK/log"; fail "building $folder"; }
for program in "$@"; do
    check "${program#*:}" "$build/${program%:*}"
done
