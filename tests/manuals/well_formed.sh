#!/bin/sh
# Every manual page is clean under mandoc's lint and groff's warnings, and man finds its name and
# summary.
#     well_formed.sh PAGES
set -u
cd "$1" || exit 1
for tool in mandoc man lexgrog; do
    command -v $tool >/dev/null || { echo "skipped: there is no $tool"; exit 77; }
done
find man? -type f -name '*.[137]' | sort >"${TMPDIR:-/tmp}/manuals.$$"
trap 'rm -f "${TMPDIR:-/tmp}/manuals.$$"' EXIT
failed=0 pages=0
while read -r page; do
    pages=$((pages + 1))
    mandoc -T lint "$page" || failed=1
    said=$(man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null)
    [ -z "$said" ] || { echo "$page: $said"; failed=1; }
    name=$(basename "${page%.?}")
    lexgrog "$page" | grep -q ": \"$name - ." || { echo "$page: no summary of $name"; failed=1; }
done <"${TMPDIR:-/tmp}/manuals.$$"
find man? -type l ! -exec test -e {} \; -print | sed 's/$/: leads nowhere/' | grep . && failed=1
[ $pages -gt 0 ] || { echo "skipped: no manual pages were made"; exit 77; }
echo "$pages pages"
exit $failed
