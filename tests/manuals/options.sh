#!/bin/sh
# Each subcommand has a page with each of its options and no other; the page of the command line in
# docs/ names every subcommand, and no option that no subcommand takes. What there is, the script for
# completion says, which is made from the tables that the program parses by.
#     options.sh PAGES TUTTI CLI.md
set -u
pages=$1 tutti=$2 docs=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

"$tutti" completion bash | sed -n 's/^ *\([a-z-]*\)) options="\(.*\)" ;;$/\1 \2/p' >"$work/commands"
[ "$(wc -l <"$work/commands")" -ge 10 ] || { echo "completion lists hardly any subcommands"; exit 1; }

while read -r name options; do
    echo "$options" | tr -d '=' | tr ' ' '\n' | sort >"$work/taken"
    cat "$work/taken" >>"$work/all"
    grep -q "tutti $name\b" "$docs" || { echo "$docs does not mention tutti $name"; failed=1; }
    [ -d "$pages" ] || continue
    if [ ! -e "$pages/tutti-$name.1" ]; then
        echo "there is no page tutti-$name(1)"
        failed=1
        continue
    fi
    sed -n '/^\.TP/{n;s/\\fB\|\\fR\|\\//g;s/.*\(--[a-z-]*\).*/\1/p;}' "$pages/tutti-$name.1" | sort >"$work/documented"
    diff "$work/taken" "$work/documented" >"$work/difference" && continue
    echo "tutti $name, taken (<) and in its page (>):"
    cat "$work/difference"
    failed=1
done <"$work/commands"

for page in "$pages"/tutti-*.1; do
    [ -e "$page" ] || continue
    name=$(basename "$page" .1)
    grep -q "^${name#tutti-} " "$work/commands" || { echo "$page: there is no such subcommand"; failed=1; }
done

# Of other programs, named on that page.
printf '%s\n' --bind-to --version >>"$work/all"
grep -o -e '--[a-z][a-z-]*' "$docs" | sort -u | while read -r option; do
    grep -qxF -e "$option" "$work/all" || echo "$docs: no subcommand takes $option"
done | grep . && failed=1
exit $failed
