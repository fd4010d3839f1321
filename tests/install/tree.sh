#!/bin/sh
# Installs into a prefix, and through DESTDIR: both trees hold the same files, among them every public
# header, and nothing of the tests, examples and benchmarks. Then the prefix is moved: what follows
# works in a place that it was not configured for.
. "$(dirname "$0")/lib.sh"

rm -rf "$WORK"
mkdir -p "$WORK"
cmake --install "$BUILD" --prefix "$WORK/first" >"$WORK/log" || fail "cmake --install"
DESTDIR=$WORK/stage cmake --install "$BUILD" --prefix /opt/tutti >"$WORK/log" ||
    fail "cmake --install with DESTDIR"

(cd "$WORK/first" && find . ! -type d | sort) >"$WORK/files"
(cd "$WORK/stage/opt/tutti" && find . ! -type d | sort) >"$WORK/staged"
diff "$WORK/files" "$WORK/staged" || fail "DESTDIR gives another set of files"
[ "$(ls "$WORK/stage")" = opt ] || fail "something was installed outside of the prefix"

(cd "$WORK/first/include" && find . -type f | sed 's|^\./||' | sort) >"$WORK/headers"
public_headers | diff - "$WORK/headers" || fail "the installed headers are not the public ones"

for file in lib/libtutti.so lib/libtutti-mpi.so lib/pkgconfig/tutti.pc lib/cmake/tutti/tutti-config.cmake \
    lib/libreverse_a2a.a share/tutti/record.schema.json share/doc/tutti/LICENSE; do
    [ -e "$WORK/first/$file" ] || fail "$file is missing"
done
if grep -v '^./share/doc/' "$WORK/files" | grep -E 'test|example|bench|internal|\.o$'; then
    fail "this is not to be installed"
fi

# No file knows where it was made or put.
mv "$WORK/first" "$PREFIX"
rm -rf "$WORK/stage"
if grep -rlF -e "$WORK/first" -e "$SOURCE/" "$PREFIX"/lib/cmake "$PREFIX"/lib/pkgconfig; then
    fail "these files know the folders of the build"
fi

if readelf -d "$PREFIX/lib/libtutti.so" | grep 'NEEDED.*mpi'; then
    fail "libtutti links MPI"
fi
for library in tutti tutti-mpi; do
    readelf -d "$PREFIX/lib/lib$library.so" | grep -q "SONAME.*\[lib$library.so.0\]" ||
        fail "lib$library has no soname, or another one"
done
