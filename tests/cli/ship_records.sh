# Records leave a store and come back, as a bundle and as a folder, with the same bytes; and a set of
# which one can't be read changes nothing.
. "$(dirname "$0")/lib.sh"
expect 0 export --output all.tutti
expect 0 import all.tutti --store new
says "4 records into new: 4 added, 0 replaced, 0 the same already"
diff -r "$store" new || fail "the bundle changed bytes"
expect 0 export --output folder/
diff -r "$store" folder || fail "the folder has other bytes"
expect 0 import all.tutti --store new
says "4 the same already"
"$TUTTI" export --output - | "$TUTTI" import - --store piped >out || fail "no pipe"
diff -r "$store" piped || fail "the pipe changed bytes"
TUTTI_CACHE_DIR=$scratch/new expect 0 verify
says "4 records, 0 findings"

# Two sets with the same identities: the rule decides, and a dry run only says so.
"$MAKE_STORE" later later
before=$(digest new)
expect 0 import later --store new --dry-run
says "would put 4 records into new: 0 added, 4 replaced"
expect 0 import later --store new --on-conflict keep
says "4 gave way"
[ "$before" = "$(digest new)" ] || fail "it was changed"
expect 0 import later --store new
says "4 replaced"
diff -r later new || fail "the newer ones are not there"
expect 0 import all.tutti --store new
says "4 gave way"
expect 0 import all.tutti --store new --on-conflict replace
diff -r "$store" new || fail "they were not replaced"
expect 0 merge --output merged.tutti later "$store" all.tutti
says "12 records into merged.tutti: 4 added"
expect 0 import merged.tutti --store from_merged
diff -r later from_merged || fail "merge did not keep the newer ones"
expect 0 merge --output from_merged --on-conflict replace all.tutti
diff -r "$store" from_merged || fail "merge into a folder"

# One of four is broken: nothing is done, and it says where.
before=$(digest new)
for edit in 's/"index": 19/"index": 5/' 's/"tutti_record": 1/"tutti_record": 7/' 's/"winner"/"loser"/'; do
    sed "$edit" merged.tutti >bad.tutti
    expect 3 import bad.tutti --store new --on-conflict replace
    says "bad.tutti: records["
    says "nothing was done"
    [ "$before" = "$(digest new)" ] || fail "half an import"
done
expect 3 import all.tutti bad.tutti --store nothing
[ ! -e nothing ] || fail "half an import"

# Not a bundle, in many ways, each with its place; cut anywhere.
reject() {
    expect 3 import "$1" --store nothing
    says "$2"
    [ ! -e nothing ] || fail "something came out of $1"
}
garbage() {
    printf "$1" >garbage
    reject garbage "$2"
}
garbage '' 'garbage: '
garbage '{"tutti_bundle": 1' 'garbage: line 1, column '
garbage '{"tutti_bundle": 2, "records": []}' 'garbage: tutti_bundle is not 1'
garbage '{"tutti_bundle": "1", "records": []}' 'garbage: tutti_bundle is not 1'
garbage '{"tutti_bundle": 1}' 'garbage: records is missing, or not an array'
garbage '{"tutti_bundle": 1, "records": {}}' 'garbage: records is missing, or not an array'
garbage '{"tutti_bundle": 1, "records": [1]}' 'garbage: records[0] is not an object'
garbage '{"tutti_bundle": 1, "records": [{}]}' 'garbage: records[0]: tutti_record is missing'
garbage '{"tutti_bundle": 1, "records": [], "records": []}' 'garbage: line 1, column '
garbage '{"tutti_bundle": 1, "rec\\u006frds": []}' 'garbage: the name records is written with escapes'
garbage '{"tutti_bundle": 1, "records": []} x' 'garbage: line 1, column '
awk 'BEGIN { printf "{\"tutti_bundle\": 1, \"records\": "; for (i = 0; i < 99999; i++) printf "[" }' >deep
reject deep 'nested more than 32 deep'
length=$(wc -c <all.tutti)
for cut in 1 10 20 33 34 35 100 1000 $((length / 2)) $((length - 5)) $((length - 3)); do
    head -c "$cut" all.tutti >cut
    reject cut 'cut: '
done
expect 3 import /nonexistent --store nothing
expect 2 import

# Members that a later version adds, and other white space, change no record.
python3 - <<'PYTHON' || fail "python"
text = open("all.tutti").read()
text = text.replace('{"tutti_bundle": 1, ', '{"tutti_bundle":1,"note":"a \\" , [ { \\\\","n":[1,{"records":[2]}],')
text = text.replace("},\n{", "}\n\n ,\t{")
open("odd.tutti", "w").write(text)
PYTHON
expect 0 import odd.tutti --store odd
diff -r "$store" odd || fail "a member or white space changed a record"

# Where nothing can be written, nothing is; also one record's place that is no file.
: >file
expect 3 import all.tutti --store file/store
expect 3 export --output /nonexistent/x
name=$(cd "$store" && ls reverse_a2a/5bc1*.json)
rm -rf new && "$MAKE_STORE" new && rm "new/$name" && mkdir -p "new/$name/full"
before=$(digest new)
expect 3 import later --store new
says "$name"
[ "$before" = "$(digest new)" ] || fail "half an import"
[ -z "$(ls -A new | grep import)" ] || fail "litter"

# A member that is only there where something is unusual is shown.
sed 's/"samples": 10/"samples": 10, "aggregation": "rounds"/' "$store/$name" >unusual.json
expect 0 show unusual.json
says "aggregated over the ranks by rounds"
