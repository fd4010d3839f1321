# A manifest or CSV that can't be written is an error that names the path, before anything is tuned.
. "$(dirname "$0")/lib.sh"

for variable in REVERSE_A2A_MANIFEST REVERSE_A2A_CSV; do
    export "$variable=$FOLDER/absent/file"
    run 2 "$AUTOTUNE" --shape 64,2,64
    unset "$variable"
    expect_status 1
    expect_once err "$FOLDER/absent/file can't be written: No such file or directory"
    expect_not err "[1/"
done
[ -z "$(find . -name '*.tmp')" ] || fail "a temporary file was left"

# Files go where they are told to, over older ones, whole; a device stays a device.
echo old >here.json
export REVERSE_A2A_MANIFEST=here.json REVERSE_A2A_CSV=/dev/null
run 2 "$AUTOTUNE" --shape 64,2,64
expect_status 0
blocks here.json | grep -q "^64,2,64: " || fail "the manifest was not replaced"
[ -c /dev/null ] || fail "/dev/null was replaced"
[ -z "$(find . -name '*.tmp')" ] || fail "a temporary file was left"
