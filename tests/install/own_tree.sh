#!/bin/sh
# tutti as a folder of somebody else's tree, with add_subdirectory: builds without the needs of
# tutti's tests, and installs nothing of tutti.
. "$(dirname "$0")/lib.sh"

rm -rf "$WORK/tree"
cmake -S "$SOURCE/tests/install/consumer" -B "$WORK/tree" -DTUTTI_TREE="$SOURCE" \
    -DMPI_C_COMPILER="$MPICC" >"$WORK/tree.log" 2>&1 || { cat "$WORK/tree.log"; fail "configuring"; }
cmake --build "$WORK/tree" --target tune_mpi tune_serial >"$WORK/tree.log" 2>&1 ||
    { cat "$WORK/tree.log"; fail "building"; }
check 2 "$WORK/tree/tune_mpi"
check 1 "$WORK/tree/tune_serial"
cmake --install "$WORK/tree" --prefix "$WORK/tree-installed" >"$WORK/tree.log" 2>&1 ||
    { cat "$WORK/tree.log"; fail "installing"; }
[ ! -e "$WORK/tree-installed" ] || fail "somebody else's installation has tutti in it"
