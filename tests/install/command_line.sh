#!/bin/sh
# The command line works where it was moved to: its library, its completion, and under a launcher the
# program that it becomes.
. "$(dirname "$0")/lib.sh"
tutti=$PREFIX/bin/tutti
export TUTTI_CACHE_DIR="$WORK/cli-store"
"$tutti" --version >"$WORK/log" || fail "tutti --version"
"$tutti" completion bash | cmp - "$PREFIX/share/bash-completion/completions/tutti" ||
    fail "another completion is installed"
"$tutti" ls >"$WORK/log" 2>&1 && fail "there are records"
grep -q "no such record in $TUTTI_CACHE_DIR" "$WORK/log" || fail "tutti ls"
"$MPIEXEC" -n 2 "$tutti" doctor </dev/null >"$WORK/log" 2>&1 || { cat "$WORK/log"; fail "tutti doctor"; }
grep -q '2 ranks, libtutti-mpi works' "$WORK/log" || { cat "$WORK/log"; fail "it did not become a rank"; }

# Without that program it says so.
helper=$PREFIX/libexec/tutti/tutti-doctor-mpi
mv "$helper" "$helper.away"
"$MPIEXEC" -n 2 "$tutti" doctor </dev/null >"$WORK/log" 2>&1 || true
mv "$helper.away" "$helper"
grep -q 'there is no tutti-doctor-mpi here' "$WORK/log" || { cat "$WORK/log"; fail "it does not say so"; }
