#!/bin/sh
# Every relative link in a page of Markdown leads to a file that there is, and its anchor to a heading;
# every page of docs/ is linked from docs/README.md.
#     links.sh SOURCE
set -u
cd "$1" || exit 1
find . \( -name build -o -name out -o -name .git -o -name node_modules \) -prune -o -name '*.md' -print |
    sed 's|^\./||' | sort >"${TMPDIR:-/tmp}/links.$$"
trap 'rm -f "${TMPDIR:-/tmp}/links.$$"' EXIT
failed=0

# Prints PAGE LINE TARGET for each link outside of code.
links() {
    awk '
    /^ *```/ { inside = !inside; next }
    inside || /^    / { next }
    {
        gsub(/`[^`]*`/, "`")
        line = $0
        while (match(line, /\]\([^)]*\)/)) {
            print FILENAME, FNR, substr(line, RSTART + 2, RLENGTH - 3)
            line = substr(line, RSTART + RLENGTH)
        }
    }' "$1"
}

# The anchors of a page, as they are made from its headings on the usual sites.
anchors() {
    awk '
    /^ *```/ { inside = !inside; next }
    !inside && /^#+ / {
        sub(/^#+ /, "")
        line = tolower($0)
        gsub(/[^a-z0-9 _-]/, "", line)
        gsub(/ /, "-", line)
        print line
    }' "$1"
}

count=0
while read -r page; do
    while read -r where line target; do
        case $target in "" | http://* | https://* | mailto:*) continue ;; esac
        count=$((count + 1))
        file=${target%%#*}
        if [ -n "$file" ]; then
            path=$(dirname "$where")/$file
        else
            path=$where
        fi
        if [ ! -e "$path" ]; then
            echo "$where:$line: $target leads nowhere"
            failed=1
        elif [ "$target" != "$file" ] && ! anchors "$path" | grep -qxF -e "${target#*#}"; then
            echo "$where:$line: $target: there is no such heading"
            failed=1
        fi
    done <<EOF
$(links "$page")
EOF
done <"${TMPDIR:-/tmp}/links.$$"

for page in docs/*.md; do
    [ "$page" = docs/README.md ] && continue
    grep -qF "($(basename "$page"))" docs/README.md || { echo "docs/README.md does not have $page"; failed=1; }
done
echo "$count relative links"
[ $count -gt 50 ] || failed=1
exit $failed
