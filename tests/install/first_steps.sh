#!/bin/sh
# first_steps.sh PAGE: types the commands of docs/first-steps.md, in order, with the program as the page
# has it, and looks at what the program says. In the environment: APT=yes where packages are to be
# installed, from the present folder; without it those commands are left out. PATH leads to mpicc,
# mpirun and tutti, PKG_CONFIG_PATH to tutti's.
set -eu
page=$1

fail() {
    echo "FAILED: first steps: $*"
    exit 1
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/home"

# The commands become one script; the program is saved where the page says so.
awk -v work="$work" -v apt="${APT:-}" '
/^```$/ { inside = "" }
inside == "sh" && /^sudo apt/ { if (apt == "") next; sub(/^sudo apt/, "apt-get -y -qq") }
inside == "sh" { print > (work "/commands"); count++ }
inside == "c" { print > (work "/chain.c") }
/^```sh$/ { inside = "sh" }
/^```c$/ { inside = "c" }
/^cd ~\/chain$/ { print "cp \"$PROGRAM\" ~/chain/chain.c" > (work "/commands") }
END { exit count < 15 }' "$page" || fail "$page has hardly any commands"

HOME=$work/home PROGRAM=$work/chain.c MANPAGER=cat DEBIAN_FRONTEND=noninteractive \
    sh -eux "$work/commands" >"$work/out" 2>"$work/err" </dev/null ||
    { tail -n 30 "$work/out" "$work/err"; fail "a command fails"; }

# What each run of the program said, in order.
sed -n 's/^segments of [0-9]* bytes; source: //p' "$work/out" | tr '\n' ' ' >"$work/sources"
expected="search record search default (tuning is off) forced (by TUTTI_FORCE) record "
[ "$(cat "$work/sources")" = "$expected" ] ||
    { tail -n 40 "$work/out" "$work/err"; fail "the program's choices came from: $(cat "$work/sources")"; }
grep -q '^segment=[0-9]*$' "$work/out" || fail "tutti best does not name the segment"
echo "first steps: as the page says"
