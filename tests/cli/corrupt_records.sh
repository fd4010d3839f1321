# A store in which every record is broken in another way: each subcommand names them and goes on.
. "$(dirname "$0")/lib.sh"
f=$(ls "$store"/reverse_a2a/f184*.json)
good=$(ls "$store"/reverse_a2a/5bc1*.json)
broken=$store/broken
mkdir "$broken"
: >"$broken/empty.json"
head -c 700 "$f" >"$broken/cut.json"
cat "$f" "$f" >"$broken/twice.json"
sed 's/bfloat16/bf\xff16/' "$f" >"$broken/utf8.json"
sed 's/"seconds": 0.0625/"seconds": 1e400/' "$f" >"$broken/number.json"
sed 's/"ranks": 2/"ranks": "two"/' "$f" >"$broken/type.json"
sed '/"winner": {/,/^  },/d' "$f" >"$broken/member.json"
awk 'BEGIN { for (i = 0; i < 100000; i++) printf "[" }' >"$broken/deep.json"
printf '{"tutti_record": 1}\0{}' >"$broken/nul.json"
mkfifo "$broken/pipe.json"
ln -s /nonexistent "$broken/dangling.json"
mkdir "$broken/folder.json"
cp "$f" "$broken/0123456789abcdef0123456789abcdef.json"

expect 1 verify
for name in empty cut twice utf8 number type member deep nul pipe dangling; do
    says "$broken/$name.json: "
done
says "broken/0123456789abcdef0123456789abcdef.json: misplaced: its identity belongs at $f"
says "nested more than 16 deep"
says "winner is missing"
says "identity.group.ranks is not an integer"
says "16 records, 12 findings"
expect 1 verify --json
python3 -c 'import json, sys
report = json.load(open("out"))
sys.exit(len(report["findings"]) != 12 or report["records"] != 16)' || fail "verify --json"

expect 1 rm nosuch --dry-run
before=$(digest "$store")
expect 0 ls
says "5bc1bfcf"
says "empty.json"
expect 0 ls --json
expect 0 show 5bc1
expect 0 best 5bc1
expect 1 show nosuch
expect 3 diff "$store" "$store"
expect 3 export -o all.tutti
says "nothing was done: 11 of the records can't be read"
[ ! -e all.tutti ] || fail "a bundle was written"
expect 0 export -o all.tutti --skip-corrupt
expect 3 import "$store" --store other
[ ! -e other ] || fail "something was imported"
expect 0 import "$store" --store other --skip-corrupt
says "5 records into other: 4 added"
says "11 corrupt left out"
expect 0 gc --dry-run
[ "$before" = "$(digest "$store")" ] || fail "the store was changed"
expect 3 show "$broken/cut.json"
says "$broken/cut.json: line"
expect 0 gc --corrupt --yes
expect 1 verify
says "5 records, 1 finding"
expect 0 show "$good"
