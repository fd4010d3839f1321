#!/bin/sh
# The commands of docs/first-steps.md with the installed tree in the place of packages, which
# scripts/check-packages installs, and with this build's MPI.
. "$(dirname "$0")/lib.sh"

[ -x "$PREFIX/bin/tutti" ] || { echo "skipped: the command line is not installed"; exit 77; }
[ -d "$PREFIX/share/man/man7" ] && [ -d "$PREFIX/share/man/man1" ] && command -v man >/dev/null ||
    { echo "skipped: the manual pages are not installed, or there is no man"; exit 77; }
rm -rf "$WORK/bin"
mkdir "$WORK/bin"
ln -s "$MPICC" "$WORK/bin/mpicc"
printf '#!/bin/sh\nexec "%s" "$@"\n' "$MPIEXEC" >"$WORK/bin/mpirun"
chmod +x "$WORK/bin/mpirun"
export PATH="$WORK/bin:$PREFIX/bin:$PATH" PKG_CONFIG_PATH="$PREFIX/lib/pkgconfig"
export LD_LIBRARY_PATH="$PREFIX/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" MANPATH="$PREFIX/share/man"
sh "$(dirname "$0")/first_steps.sh" "$SOURCE/docs/first-steps.md"
