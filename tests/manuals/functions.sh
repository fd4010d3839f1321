#!/bin/sh
# Every function that a public header declares, as the compiler sees it, has a page of section 3 whose
# SYNOPSIS declares it; every page is of such a function, of a header, or leads to one from a type.
#     functions.sh PAGES COMPILER_FLAG... -- HEADER...
set -u
pages=$1
shift
[ -d "$pages" ] || { echo "skipped: no pages of section 3 were made"; exit 77; }
command -v gcc >/dev/null || { echo "skipped: it takes gcc to list functions"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

flags=
while [ "$1" != -- ]; do
    flags="$flags $1"
    shift
done
shift

for header; do
    # shellcheck disable=SC2086 # words are meant to split
    gcc -std=c11 $flags -aux-info "$work/functions" -fsyntax-only -x c "$header" || exit 1
    sed -n "s|^/\* $header:[^/]*\*/ \([^(]*\) (.*|\1|p" "$work/functions" | sed 's/.*[ *]//' >>"$work/declared"
    echo "$header" | sed 's|.*/include/||; s|/|_|g' >>"$work/headers"
done
sort -u "$work/declared" -o "$work/declared"
count=$(wc -l <"$work/declared")
[ "$count" -ge 80 ] || { echo "only $count functions were found in the headers"; exit 1; }

failed=0
while read -r name; do
    page=$pages/$name.3
    if [ ! -e "$page" ]; then
        echo "$name has no page"
        failed=1
    elif ! sed -n '/^.SH SYNOPSIS/,/^.SH DESC/p' "$page" | grep -q "[ *]$name("; then
        echo "$page does not declare $name"
        failed=1
    fi
done <"$work/declared"

for page in "$pages"/*.3; do
    name=$(basename "$page" .3)
    to=$(basename "$(readlink -f "$page")" .3)
    grep -qxF "$name" "$work/declared" && continue
    grep -qxF "$to" "$work/headers" && { [ "$name" = "$to" ] || grep -q "[ *(]$name\b" "$page"; } && continue
    echo "$page: there is no such function, type or header"
    failed=1
done
echo "$count functions"
exit $failed
