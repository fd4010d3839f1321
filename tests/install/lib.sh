# What the install tests share. ctest gives, in the environment: SOURCE and BUILD (of tutti), WORK (a
# folder for these tests alone), CUDA (TUTTI_CUDA), MPICC, MPIFORT (empty if there is none), MPIEXEC.
set -eu

PREFIX=${PREFIX:-$WORK/moved} # where the fixture leaves the installed tree

fail() {
    echo "FAILED: $*"
    exit 1
}

# The public headers as a program includes them, one a line.
public_headers() {
    (
        cd "$SOURCE/include" && find tutti -name '*.h' -o -name '*.hpp'
        cd "$SOURCE/operators/reverse_a2a/include" && find reverse_a2a -name '*.h'
        if [ "$CUDA" = ON ]; then
            cd "$SOURCE/operators/reverse_a2a_cuda/include" && find reverse_a2a -name '*.h'
        fi
        echo tutti/version.h
    ) | sort
}

# check RANKS PROGRAM: runs it, with a store of its own; it checks its result itself.
check() {
    rm -rf "$WORK/cache"
    if [ "$1" -eq 1 ]; then
        TUTTI_CACHE_DIR="$WORK/cache" "$2" || fail "$2"
    else
        TUTTI_CACHE_DIR="$WORK/cache" "$MPIEXEC" -n "$1" "$2" </dev/null || fail "$2"
    fi
}

for variable in $(env | sed -n 's/^\(TUTTI_[A-Z_]*\)=.*/\1/p'); do
    unset "$variable"
done
