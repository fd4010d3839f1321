# On a terminal there are colours, unless NO_COLOR says otherwise, and rm asks; elsewhere neither.
. "$(dirname "$0")/lib.sh"
command -v script >/dev/null || exit 77
on_terminal() { TERM=xterm script -qec "$1" /dev/null; }
escape=$(printf '\033')
on_terminal "$TUTTI ls" </dev/null >out
grep -q "$escape\[1m" out || fail "no colours on a terminal"
NO_COLOR=1 on_terminal "$TUTTI ls" </dev/null >out
! grep -q "$escape" out || fail "NO_COLOR is not honoured"
expect 0 ls
! grep -q "$escape" out || fail "colours in a file"

count() { find "$store" -name '*.json' | wc -l; }
(sleep 1; echo n) | on_terminal "$TUTTI rm 5bc1; echo status=\$?" >out
says "Remove it? [y/N]"
says "status=1"
[ "$(count)" -eq 4 ] || fail "it was removed against the answer"
(sleep 1; echo y) | on_terminal "$TUTTI rm 5bc1; echo status=\$?" >out
says "status=0"
[ "$(count)" -eq 3 ] || fail "it was not removed"

# Names that are not UTF-8 neither reach the terminal raw nor break JSON.
odd=$(printf 'odd\377\233name')
cp -r "$store" "$odd"
printf x >"$odd/reverse_a2a/$odd.json"
printf x >"$odd/reverse_a2a/$(printf '\302\23331m').json"
expect 0 ls --store "$odd"
says 'odd\xFF\x9Bname.json: line 1'
says '\xC2\x9B31m.json: line 1' # what some terminals take for an escape sequence, as UTF-8
rm "$odd/reverse_a2a"/*31m.json
"$TUTTI" ls --store "$odd" --json >out 2>err || fail "ls --json"
python3 -c 'import json
listing = json.load(open("out"))
assert listing["unreadable"][0]["path"].endswith("odd\\xFF\\x9Bname.json"), listing["unreadable"]' ||
    fail "no JSON"
expect 1 verify --store "$odd" --json
expect 0 gc --store "$odd" --corrupt --yes --json
[ ! -e "$odd/reverse_a2a/$odd.json" ] || fail "it was not removed"
