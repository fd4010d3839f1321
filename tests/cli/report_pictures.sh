# tutti report --svg and --png: one plot without a browser; a clear word where there is no cairo.
. "$(dirname "$0")/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
command -v python3 >/dev/null || exit 77
python3 "$here/report_records.py" . || fail "no records"

# Cairo looks for fonts with fontconfig, which keeps what it found until the program ends.
echo leak:libfontconfig >suppressions
export LSAN_OPTIONS="suppressions=$PWD/suppressions:print_suppressions=0"

if [ "${WITH_CAIRO:-}" != yes ]; then
    expect 3 report ./race.json --svg a.svg
    says 'built without cairo'
    [ ! -e a.svg ] || fail "a picture without cairo"
    exit 0
fi

for kind in exhaustive race long_race mixed one_knob one_configuration thousand sparse serial hostile; do
    for plot in landscape samples race; do
        case $kind-$plot in
        exhaustive-race | one_configuration-race | serial-race)
            expect 1 report "./$kind.json" --plot $plot --svg $kind-$plot.svg
            says 'the record is not of a race'
            continue ;;
        esac
        expect 0 report "./$kind.json" --plot $plot --svg $kind-$plot.svg --png $kind-$plot.png
    done
done

# Readers can read them, and there is something in them.
python3 - *.svg *.png >out 2>&1 <<'END' || fail "pictures"
import struct, sys, xml.etree.ElementTree as tree
assert len(sys.argv) == 1 + 2 * 27, sys.argv
for name in sys.argv[1:]:
    data = open(name, "rb").read()
    if name.endswith(".png"):
        assert data[:8] == b"\x89PNG\r\n\x1a\n" and struct.unpack(">I", data[16:20]) == (1920,), name
        continue
    shapes = [node for node in tree.fromstring(data).iter() if node.tag.endswith(("}path", "}rect"))]
    assert len(shapes) > 20, (name, len(shapes))
END

# Each of twelve configurations has a cell of its own, or a mark.
expect 0 report ./exhaustive.json --x block --y depth --svg a.svg
expect 0 report ./exhaustive.json --x depth --y block --svg b.svg
expect 0 report ./exhaustive.json --x depth --svg c.svg
expect 0 report ./exhaustive.json --x depth --y depth --svg d.svg
cmp -s a.svg b.svg && fail "the axes make no difference"
cmp -s b.svg d.svg && fail "one knob is as good as two"
cmp -s b.svg c.svg || fail "the other axis is not the other knob"
expect 2 report ./exhaustive.json --x nosuch --svg e.svg
says 'the record has the knobs block, depth'
[ ! -e e.svg ] || fail "a picture of nothing"

expect 1 report --svg f.svg
says '4 records are meant'
"$TUTTI" report ./race.json --png - >g.png || fail "no picture on stdout"
expect 0 report ./race.json --png h.png
cmp -s g.png h.png || fail "stdout has another picture"
"$MAKE_STORE" triton triton || fail "no record of Triton-distributed"
expect 0 report triton/ag_gemm/*.json --svg i.svg --png j.png -o k.html
expect 3 report ./race.json --svg missing/a.svg
