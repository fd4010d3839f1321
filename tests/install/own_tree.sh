#!/bin/sh
# tutti as a folder of somebody else's tree, with add_subdirectory: builds without the needs of
# tutti's tests, and installs nothing of tutti. With TUTTI_MPI=OFF it builds where there is no MPI.
. "$(dirname "$0")/lib.sh"

rm -rf "$WORK/tree"

# build_with OPTION...
build_with() {
    cmake -S "$SOURCE/tests/install/consumer" -B "$WORK/tree" -DTUTTI_TREE="$SOURCE" \
        -DCMAKE_BUILD_TYPE=Debug "$@" >"$WORK/tree.log" 2>&1 ||
        { cat "$WORK/tree.log"; fail "configuring"; }
    cmake --build "$WORK/tree" >"$WORK/tree.log" 2>&1 || { cat "$WORK/tree.log"; fail "building"; }
    check 1 "$WORK/tree/tune_serial"
}

build_with -DTUTTI_MPI=OFF -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON
[ ! -e "$WORK/tree/tune_mpi" ] || fail "there is an MPI program without MPI"
build_with -DTUTTI_MPI=ON -DCMAKE_DISABLE_FIND_PACKAGE_MPI=OFF -DMPI_C_COMPILER="$MPICC"
check 2 "$WORK/tree/tune_mpi"
cmake --install "$WORK/tree" --prefix "$WORK/tree-installed" >"$WORK/tree.log" 2>&1 ||
    { cat "$WORK/tree.log"; fail "installing"; }
[ ! -e "$WORK/tree-installed" ] || fail "somebody else's installation has tutti in it"
