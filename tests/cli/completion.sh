# The completion knows each subcommand of the help and each option of its help.
. "$(dirname "$0")/lib.sh"
command -v bash >/dev/null || exit 77
expect 0 completion bash
mv out script
complete_words() { # WORD...: what the last one could be
    bash -c 'source ./script; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tutti; printf "%s\n" "${COMPREPLY[@]}"' \
        bash "$@"
}
expect 0 --help
subcommands=$(sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p' out)
[ "$(echo "$subcommands" | wc -l)" -ge 14 ] || fail "the help lists too few subcommands"
for subcommand in $subcommands; do
    [ "$(complete_words tutti "$subcommand")" = "$subcommand" ] || fail "$subcommand is not completed"
    expect 0 "$subcommand" --help
    options=$(grep -oE '^ +(-., )?--[a-z-]+=?' out | grep -oE -e '--[a-z-]+=?' | sort)
    [ "$(complete_words tutti "$subcommand" -- | sort)" = "$options" ] ||
        fail "options of $subcommand: $options, not $(complete_words tutti "$subcommand" --)"
    grep -q '^Usage: tutti '"$subcommand" out || fail "usage of $subcommand"
    grep -q 'Exit status' out || fail "$subcommand --help does not say its exit status"
    [ "$("$TUTTI" "$subcommand" --version)" = "$("$TUTTI" --version)" ] || fail "version of $subcommand"
    expect 2 "$subcommand" --nosuch
    says "tutti $subcommand: "
done
: >records.tutti
[ "$(complete_words tutti import rec)" = records.tutti ] || fail "files are not completed"
[ "$(complete_words tutti s | tr '\n' ' ')" = 'show settings ' ] || fail "beginnings of subcommands"
