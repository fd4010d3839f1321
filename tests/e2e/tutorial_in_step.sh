# The tutorial and the other pages that are named below show the code as it is: every block of C or C++
# names its file in a comment on the line before, as <!-- examples/file.c -->, and occurs in that file
# word for word. Every numbered step of the program is in the tutorial.
#
#     sh tutorial_in_step.sh SOURCE_FOLDER
set -u
cd "$1" || exit 1
tutorial=docs/tutorial.md

# in_step PAGE BLOCKS: the page has so many blocks at least.
in_step() {
    awk -v least="$2" '
function whole(file,    text, line) {
    text = "\n"
    while ((getline line < file) > 0)
        text = text line "\n"
    close(file)
    return text
}
function finish() {
    inside = 0
    blocks++
    if (file == "")
        problem("a C block without the name of its file")
    else if (index(whole(file), "\n" block) == 0)
        problem("a block is not in " file " word for word")
}
function problem(what) {
    print FILENAME ":" start ": " what
    failed = 1
}
inside && /^```$/ { finish(); file = ""; next }
inside { block = block $0 "\n"; next }
/^<!-- .* -->$/ { file = $2; next }
/^```(c|cpp)$/ { inside = 1; block = ""; start = NR; next }
!/^$/ { file = "" }
END {
    if (inside)
        problem("a block without an end")
    if (blocks < least)
        problem("only " blocks " blocks: is the page whole?")
    exit failed
}' "$1"
}
in_step "$tutorial" 8 || exit 1
in_step docs/calls.md 4 || exit 1
in_step docs/spaces.md 6 || exit 1
in_step docs/groups.md 4 || exit 1
in_step docs/first-steps.md 1 || exit 1
in_step docs/porting.md 4 || exit 1

grep -o '\[[0-9]\]' examples/reverse_a2a_autotune.c | sort -u | while read -r step; do
    grep -qF "$step" "$tutorial" || { echo "step $step is not in $tutorial"; exit 1; }
done
