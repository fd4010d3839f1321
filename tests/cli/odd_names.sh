# Functions and keys with any name and any text: stored, listed, shown, compared, shipped and removed.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || exit 77
python3 - "$store"/reverse_a2a/fd82*.json <<'PYTHON' || fail "python"
import json, sys
record = json.load(open(sys.argv[1]))
names = ["", ".", "..", "../../../etc/passwd", "a/b", "-rf", "--all", "$(touch pwned)", "`touch pwned`",
         "'; touch pwned; '", 'quote"d', "new\nline", "tab\tescape\x1b[31m", "\u00fc" * 150, "x" * 300,
         "\U0001f600", "*", "[a-z]", "CON", " ", "a b", "%s%n", "\\", "ab" * 32, "\u009b31m"]
for i, name in enumerate(names):
    record["identity"]["function"] = name
    record["identity"]["key"] = [{"name": name or "empty", "type": "string", "value": name}]
    print(json.dumps(record), file=open(f"odd{i}.json", "w"))
print(len(names))
PYTHON
expect 0 import odd*.json --store odd
says "25 records into odd: 25 added"
[ "$(find odd -name '*.json' | wc -l)" -eq 25 ] || fail "two names share a place"
[ -z "$(find odd -mindepth 1 -maxdepth 1 | grep -v '^odd/[A-Za-z0-9_][A-Za-z0-9_.-]\{0,80\}$')" ] ||
    fail "a folder has another name: $(ls odd)"
expect 0 verify --store odd
says "25 records, 0 findings"
expect 0 ls --store odd
[ "$(wc -l <out)" -eq 26 ] || fail "a name broke the table"
! grep -q "$(printf '[\033\302\233]31m')" out || fail "an escape sequence reached the terminal"
expect 0 show --store odd '*'
expect 0 export --store odd --output all.tutti
expect 0 import all.tutti --store again
diff -rq odd again || fail "a name did not survive"
expect 0 diff odd again
expect 0 export --store odd --format manifest --output manifest.json
python3 -c 'import json
names = [entry["function"] for entry in json.load(open("manifest.json"))]
assert len(set(names)) == 25 and "../../../etc/passwd" in names and "new\nline" in names, names' ||
    fail "the manifest has other names"
for name in '$(touch pwned)' 'quote"d' '%s%n' 'a b'; do
    expect 0 show --store odd "$name"
    expect 0 best --store odd --key "$name=$name"
done
expect 0 rm --store odd --yes -- '--all' '-rf'
says "2 files removed"
expect 0 rm --store odd --all --yes
says "23 files removed"
[ ! -e pwned ] || fail "a name was run"
