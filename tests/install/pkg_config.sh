#!/bin/sh
# pkg_config.sh FOLDER PROGRAM:RANKS...: builds a consumer with pkg-config and make, and runs it.
. "$(dirname "$0")/lib.sh"
folder=$1
shift
[ "$folder" = consumer ] || [ -n "$MPIFORT" ] || {
    echo "skipped: there is no Fortran compiler for this MPI"
    exit 77
}

build=$WORK/make-$folder
rm -rf "$build"
cp -r "$SOURCE/tests/install/$folder" "$build"
[ "$folder" = consumer ] || cp "$SOURCE"/examples/fortran/tutti.f90 "$SOURCE"/examples/fortran/glue.c "$build"
PKG_CONFIG_PATH=$PREFIX/lib/pkgconfig make -C "$build" MPIFORT="$MPIFORT" >"$WORK/log" 2>&1 ||
    { cat "$WORK/log"; fail "building $folder"; }
for program in "$@"; do
    check "${program#*:}" "$build/${program%:*}"
done
