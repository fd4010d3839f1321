# The transcripts of a page are what the commands say: every ```console block is replayed, line by
# line where it begins with "$ ", and the page with the new output must be the page as it is.
#
#     sh transcripts.sh PAGE            compares
#     sh transcripts.sh --write PAGE    writes the new output into the page
#
# From the environment: TUTTI and MAKE_STORE, the programs. All blocks work in one folder, which the
# page calls /home/ada. Its store is /home/ada/.cache/tutti, of always the same records, and
# /home/ada/later is one of the same tunings a day later; .triton_dist holds a record of
# Triton-distributed. The present is fixed (SOURCE_DATE_EPOCH).
set -u
write=
[ "$1" = --write ] && write=yes && shift
page=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
home=$scratch/home
mkdir -p "$home/bin" "$scratch/blocks"
ln -s "$TUTTI" "$home/bin/tutti"
"$MAKE_STORE" "$home/.cache/tutti" && "$MAKE_STORE" "$home/later" later &&
    "$MAKE_STORE" "$home/.triton_dist/autotune" triton || exit 1

# Each block becomes a script that says its commands and runs them.
awk -v folder="$scratch/blocks" '
inside && /^```$/ { inside = 0; close(script) }
inside && /^\$ / {
    command = substr($0, 3)
    said = command
    gsub(/\047/, "\047\\\047\047", said)
    print "printf \"%s\\n\" \047$ " said "\047" > script
    print "(exit $last); " command "; last=$?" > script
}
/^```console$/ { inside = 1; script = folder "/" ++count; print "last=0" > script }
END { print count + 0 > (folder "/count") }' "$page"

clean="env -i PATH=$home/bin:/usr/bin:/bin HOME=$home LANG=C.UTF-8 TZ=UTC SOURCE_DATE_EPOCH=1793200000"
for number in $(seq "$(cat "$scratch/blocks/count")"); do
    (cd "$home" && $clean ${MPI_ENVIRONMENT:-} sh "$scratch/blocks/$number" 2>&1) |
        sed "s|$home|/home/ada|g" >"$scratch/blocks/$number.out"
done

awk -v folder="$scratch/blocks" '
/^```console$/ {
    print
    file = folder "/" ++count ".out"
    while ((getline line < file) > 0)
        print line
    inside = 1
    next
}
inside && !/^```$/ { next }
{ inside = 0; print }' "$page" >"$scratch/page"

if [ -n "$write" ]; then
    cat "$scratch/page" >"$page"
    exit 0
fi
[ "$(cat "$scratch/blocks/count")" -ge 10 ] || { echo "$page has hardly any transcripts"; exit 1; }
diff -u "$page" "$scratch/page"
