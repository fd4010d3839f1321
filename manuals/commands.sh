#!/bin/sh
# Manual pages of section 1, from what the programs say to --help: tutti.1, and one for each
# subcommand that it lists.
#     commands.sh TUTTI FOLDER DATE
set -eu
tutti=$1 out=$2 date=$3

# page NAME COMMAND SUMMARY: help2man takes a subcommand for an argument of its program, and writes the
# month for a date.
page() {
    help2man --no-info --section 1 --name "$3" "$2" >"$out/$1.part"
    awk -v name="$1" -v date="$date" -v names="$names" '
        /^\.TH / { $2 = toupper(name); gsub(/-/, "\\-", $2); sub(/"[A-Z][a-z]+ [0-9]+"/, date) }
        /^\.SH NAME/ { print; getline; sub(/^[^ ]+/, name); gsub(/-/, "\\-"); gsub(/\\\\-/, "\\-") }
        held != "" && /^Exit status: / { held = ".SH EXIT STATUS"; sub(/^Exit status: /, "") }
        held != "" { print held; held = "" }
        /^\.PP$/ { held = $0; next }
        /^\.SS / { gsub(/:"/, "\"") }
        !/^\./ {
            while (length($0) > 79 && match(substr($0, 1, 79), /.* /)) {
                print substr($0, 1, RLENGTH - 1)
                $0 = substr($0, RLENGTH + 1)
                sub(/^[.\047]/, "\\\\\\&&")
            }
        }
        { print }
        END {
            print ".SH SEE ALSO"
            n = split(names, other, / /)
            for (i = 1; i <= n; i++)
                if (other[i] != name) {
                    gsub(/-/, "\\-", other[i])
                    print ".BR " other[i] " (1),"
                }
            print ".BR tutti\\-environment (7),\n.BR tutti\\-record (7)"
        }' "$out/$1.part" >"$out/$1.1"
    rm "$out/$1.part"
}

"$tutti" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z-]*\)  */\1 /p' >"$out/list"
[ -s "$out/list" ] || { echo "commands.sh: $tutti --help lists no subcommands" >&2; exit 1; }
names=$(sed 's/^\([^ ]*\).*/tutti-\1/' "$out/list" | tr '\n' ' ')
names=${names% }
page tutti "$tutti" "look at, compare, ship and clean up what was tuned"
names=tutti
while read -r name summary; do
    page "tutti-$name" "$tutti $name" "$summary"
done <"$out/list"
rm "$out/list"
