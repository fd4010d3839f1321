# Output that can't be written is an error of every subcommand.
. "$(dirname "$0")/lib.sh"
for arguments in ls "show 5bc1" "best 5bc1" "best 5bc1 --json" verify "diff $store $store" settings \
    "export reverse_a2a --output -" "export 5bc1 --format t4 --output -" "gc --dry-run" \
    "rm --all --dry-run" "completion bash" "run --dry-run true"; do
    "$TUTTI" $arguments </dev/null >/dev/full 2>out
    got=$?
    [ "$got" -eq 3 ] || fail "$arguments: exit status $got, not 3"
    says "tutti ${arguments%% *}: can't write the output"
done

# A file beyond the user's limit is an error, too, and leaves nothing.
(
    ulimit -f 1
    "$TUTTI" export reverse_a2a --output large.tutti >out 2>&1
    echo "exit status $?" >>out
)
says "exit status 3"
says "can't write large.tutti: File too large"
[ -z "$(ls | grep large)" ] || fail "it left a file"
