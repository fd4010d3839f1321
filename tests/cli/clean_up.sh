# rm and gc take what they say and nothing else, and ask first.
. "$(dirname "$0")/lib.sh"
count() { find "$store" -name '*.json' | wc -l; }

expect 2 rm
expect 2 rm --all
says "there is no terminal to ask on: say --yes, or --dry-run"
expect 2 rm --all reverse_a2a --yes
expect 2 rm "$store/reverse_a2a/" --yes
expect 1 rm nosuch --yes
expect 0 rm reverse_a2a --dry-run
says "3 files would be removed"
[ "$(count)" -eq 4 ] || fail "a dry run removed something"
expect 0 rm reverse_a2a --key dtype=bfloat16 --match 4096 --yes
[ "$(count)" -eq 3 ] || fail "not one was removed"
expect 0 rm '*halo*' --yes
[ "$(count)" -eq 2 ] || fail "the odd name was not removed"
expect 0 rm --all --yes --json
[ "$(count)" -eq 0 ] || fail "not all were removed"

# Files of processes: of a host elsewhere, of this one that ended, and of one that lives.
fresh_store
folder=$store/reverse_a2a
stem=0123456789abcdef0123456789abcdef
elsewhere=00000000deadbeef
here=$("$MAKE_STORE" --host)
sleep 60 & alive=$!
sh -c 'echo $$' >dead_pid
dead=$(cat dead_pid)
start=$(sed 's/.*) //' "/proc/$alive/stat" | cut -d' ' -f20)
new_files() {
    for file in ".tutti.$elsewhere.1.0.tmp" ".tutti.$here.$dead.0.tmp" ".tutti.$here.$alive.0.tmp" \
        "$stem.$elsewhere.1.5.0.0.journal" "$stem.$here.$dead.5.0.0.journal" \
        "$stem.$here.$dead.5.0.1.left.journal" "$stem.$here.$alive.$start.0.0.journal" notes.txt; do
        echo x >"$folder/$file"
        touch -d "$1" "$folder/$file"
    done
}
left() { ls -A "$folder" | grep -v '\.json$' | tr '\n' ' '; }

new_files now
expect 0 gc --yes
says "1 file removed"
[ ! -e "$folder/.tutti.$here.$dead.0.tmp" ] || fail "a dead writer's file stays"
new_files '3 days ago' # too long for any write, whoever has the process id now
expect 0 gc --yes
says "3 files removed"
new_files '3 days ago'
expect 0 gc --older-than 2d nosuch --yes
says "6 files removed"
[ "$(count)" -eq 4 ] || fail "records went that were not meant"
new_files '40 days ago'
expect 0 gc --yes
says "6 files removed"
[ "$(left)" = "$stem.$here.$alive.$start.0.0.journal notes.txt " ] || fail "left: $(left)"
kill "$alive"
rm "$folder/$stem.$here.$alive.$start.0.0.journal"

# Records only if asked, by age, machine and software.
expect 0 gc --older-than 1000w --dry-run
says "0 files would be removed"
sed -i 's/"compiler": ".*"/"compiler": "gcc 1.27"/' "$store"/*halo*/*.json
expect 0 gc --other-software halo --dry-run
says "0 files would be removed"
expect 0 gc --other-software '*halo*' --dry-run
says "1 file would be removed"
expect 0 gc --other-hardware --yes
says "4 files removed"
[ "$(count)" -eq 0 ] || fail "records of another machine stay"
expect 2 gc --older-than 1 --yes
expect 2 gc --older-than d --yes
expect 2 gc --older-than -1d --yes

# An interrupted import is undone by what comes next, and verify says that there is one.
fresh_store
before=$(digest "$store")
import=$store/.import.$here.$dead.5
mkdir "$import"
echo new >"$import/0.new"
expect 1 verify
says "interrupted: an import that did not end"
expect 0 ls
says "1 interrupted import was undone"
[ "$before" = "$(digest "$store")" ] || fail "it was not undone"

# What only has the name of an import, or is another user's, removes nothing.
mkdir elsewhere
echo precious >elsewhere/file
ln -s "$scratch/elsewhere" "$import"
expect 0 ls
[ -s elsewhere/file ] || fail "a link was followed, and what it leads to removed"
rm "$import"
echo x >"$import"
expect 0 import "$store/reverse_a2a/" # is in nobody's way
rm "$import"
if [ "$(id -u)" -eq 0 ]; then
    ln -s "$scratch/elsewhere" "$store/linked"
    mkdir "$import"
    echo "add linked/file" >"$import/list"
    chown 65534 "$import"
    expect 0 ls
    says "is another user's"
    [ -s elsewhere/file ] || fail "another user's list was carried out"
fi
