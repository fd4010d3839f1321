#!/bin/sh
# A manual page of section 7 from a page of docs/, by lowdown.
#     page.sh DOCS NAME PAGE SUMMARY DATE VERSION FOLDER
# The page's title gives way to NAME, its headings move up by one, and links to pages that are manual
# pages, too, become references to these; other links into the project keep their text alone.
set -eu
docs=$1 name=$2 page=$3 summary=$4 date=$5 version=$6 out=$7

awk -v name="$name" -v summary="$summary" '
    BEGIN {
        manual["concepts.md"] = "**tutti**(7)"
        manual["settings.md"] = "**tutti-environment**(7)"
        manual["record-format.md"] = "**tutti-record**(7)"
    }
    # links to their texts
    function plain(s,    text, to, done) {
        while (match(s, /\[[^]]*\]\([^)]*\)/)) {
            text = to = substr(s, RSTART, RLENGTH)
            sub(/^\[/, "", text)
            sub(/\]\(.*/, "", text)
            sub(/.*\]\(/, "", to)
            sub(/\)$/, "", to)
            sub(/#.*/, "", to)
            if (to in manual)
                text = (text == to ? "" : text " (") manual[to] (text == to ? "" : ")")
            else if (to ~ /^https?:/)
                text = text " (" to ")"
            done = done substr(s, 1, RSTART - 1) text
            s = substr(s, RSTART + RLENGTH)
        }
        return done s
    }
    NR == 1 { print "# NAME\n\n" name " - " summary "\n\n# DESCRIPTION"; next }
    /^```/ { inside = !inside }
    !inside && /^##/ { sub(/^#/, "") }
    inside || /^    / { print; next }
    { print plain($0) }
    END {
        n = split("tutti_tuner.h(3) tutti(1) tutti(7) tutti-environment(7) tutti-record(7)", other, / /)
        for (i = 1; i <= n; i++)
            if (other[i] != name "(7)") {
                sub(/\(/, "**(", other[i])
                list = list (list == "" ? "" : ", ") "**" other[i]
            }
        print "\n# SEE ALSO\n\n" list
    }' "$docs/$page" |
    lowdown -s -Tman --parse-no-intraemph --parse-no-super --nroff-nolinks -M title="$(echo "$name" | tr a-z A-Z)" -M section=7 -M date="$date" |
    awk -v version="$version" '
        /^\.TH / { $0 = $0 " \"tutti " version "\"" }
        /^\.LP/ && after_title { after_title = 0; next }
        { after_title = /^\.(SH|SS)$/ }
        after_title { getline title; $0 = $0 " " title }
        /^\.EX/ { shown = 1 }
        /^\.EE/ { shown = 0 }
        { gsub(/\\fC/, "\\fB") }
        # Tables without a grid; the last column takes what is left.
        /^tab\(\|\) expand allbox;$/ { $0 = "tab(|);" }
        /^l( l)+\.$/ { sub(/l\.$/, "lx.") }
        !shown && !/^\./ {
            while (length($0) > 79 && match(substr($0, 1, 79), /.* /)) {
                print substr($0, 1, RLENGTH - 1)
                $0 = substr($0, RLENGTH + 1)
                sub(/^[.\047]/, "\\\\\\&&")
            }
        }
        { print }' >"$out/$name.7"
