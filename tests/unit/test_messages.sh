#!/bin/sh
# docs/messages.md: what is quoted in the first column of its tables is said by the sources.
set -eu
root=$1
list=$(mktemp)
trap 'rm -f "$list"' EXIT
checked=0 missing=0
# Rows begin with "| `text`"; text with "N" or " / " stands for several and is cut there.
sed -n 's/^| `\([^`]*\)`.*/\1/p' "$root/docs/messages.md" | sed 's/ N$//' >"$list"
while IFS= read -r text; do
    checked=$((checked + 1))
    part=$(printf '%s' "$text" | sed 's/ returned $/ returned/')
    if ! cat "$root"/src/*.c "$root"/src/mpi/*.c | tr -d '\n' | sed 's/" *"//g' | grep -qF -e "$part"; then
        case $part in
        *" returned") # made of the callback's name and a common ending
            name=${part% returned}
            grep -qF -e "\"$name\"" "$root"/src/run.c && continue
            ;;
        esac
        echo "nobody says: $text"
        missing=$((missing + 1))
    fi
done <"$list"
echo "$checked messages checked, $missing missing"
[ "$checked" -gt 20 ] && [ "$missing" -eq 0 ]
