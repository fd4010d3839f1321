#!/bin/sh
# tutti-environment(7) has a section for each setting that there is, and for no other.
#     settings.sh PAGES TUTTI
set -u
pages=$1 tutti=$2
[ -d "$pages" ] || { echo "skipped: no pages of section 7 were made"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$tutti" settings | sed -n 's/^\(TUTTI_[A-Z_]*\) .*/\1/p' | sort >"$work/table"
[ "$(wc -l <"$work/table")" -ge 20 ] || { echo "tutti settings lists hardly any"; exit 1; }
sed -n 's/^\.SH \(TUTTI_[A-Z_]*\)$/\1/p' "$pages/tutti-environment.7" | sort | diff "$work/table" -
