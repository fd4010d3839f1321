# B7: cache-only and read-only make no system call that writes to the store, on no rank.
. "$(dirname "$0")/lib.sh"
command -v strace >/dev/null || exit 77
strace -o probe -f true || exit 77

# traced MODE ARGUMENT...: a job with each process's system calls on files in calls.*
traced() {
    mode=$1
    shift
    rm -f calls.*
    TUTTI_MODE=$mode "$MPIEXEC" -n "$RANKS" strace -ff -o "$FOLDER/calls" -e trace=%file,ftruncate \
        "$SCENARIO" "$@" >out 2>err </dev/null || fail "the job failed"
    ls calls.* >/dev/null || fail "nothing was traced"
    cat calls.* | grep -F "$FOLDER/cache" >store_calls || fail "the store was not even looked at"
    if grep -E 'O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|mkdir|rename|unlink|link|utime|chmod|chown|trunc' \
        store_calls; then
        fail "$mode wrote to the store"
    fi
}

unset TRACE
traced cache-only
expect out "source=default"
[ ! -e cache ] || fail "the directory was made"
traced read-only
expect out "source=search"
[ ! -e cache ] || fail "the directory was made"

TRACE=trace start
expect_success
before=$(find cache -printf '%p %T@ %C@\n' | sort)
traced cache-only
expect out "source=record configuration=5"
traced read-only
expect out "source=record configuration=5"
traced read-only rows=2
expect out "source=search configuration=5"
[ "$(find cache -printf '%p %T@ %C@\n' | sort)" = "$before" ] || fail "the store was changed"
