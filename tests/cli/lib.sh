# What the command line's tests share. From the environment: TUTTI and MAKE_STORE, the programs.
# Each test works in a fresh folder of its own, with $store, a store of four records.
set -u
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
export HOME="$scratch" LANG=C.UTF-8
unset TUTTI_CACHE_DIR XDG_CACHE_HOME XDG_CONFIG_HOME NO_COLOR SOURCE_DATE_EPOCH
store=$scratch/.cache/tutti

fail() {
    echo "FAILED: $*" >&2
    [ -s out ] && sed 's/^/    /' out >&2
    exit 1
}

fresh_store() {
    rm -rf "$store"
    "$MAKE_STORE" "$store" || fail "no store"
}

# expect STATUS ARGUMENT...: runs tutti, output in "out", and holds it to its exit status. Whatever
# dies by a signal, or that a sanitizer finds, has another one.
expect() {
    wanted=$1
    shift
    "$TUTTI" "$@" >out 2>&1 </dev/null
    got=$?
    [ "$got" -eq "$wanted" ] || fail "tutti $*: exit status $got, not $wanted"
}

says() {
    grep -qF -e "$1" out || fail "it does not say: $1"
}

digest() {
    (cd "$1" 2>/dev/null && find . -type f -print0 | LC_ALL=C sort -z | xargs -0r sha256sum) | sha256sum
}

fresh_store
