#!/bin/sh
# What the pages in Markdown call by a name of ours exists: variables of the environment, options of
# the build, macros, functions, types, programs. CHANGELOG.md may name what was.
#     names_in_docs.sh SOURCE
set -u
cd "$1" || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
names='\b(tutti|reverse_a2a|TUTTI|REVERSE_A2A)_[A-Za-z0-9_]+'

{
    grep -rhoE "$names" include operators src tools examples cmake CMakeLists.txt Makefile packaging
    find bench examples operators -type f | grep -oE "$names"
} | sort -u >"$work/known"
grep -oE "$names" README.md docs/*.md | sort -u | while IFS=: read -r page name; do
    case $name in
    *_) grep -q "^$name" "$work/known" ;; # a family, such as TUTTI_KIND_...
    *) grep -qxF "$name" "$work/known" ;;
    esac || echo "$page: there is no $name"
done >"$work/unknown"
cat "$work/unknown"
[ "$(wc -l <"$work/known")" -ge 200 ] || { echo "hardly any names were found"; exit 1; }
[ ! -s "$work/unknown" ]
