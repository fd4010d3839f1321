# The members that docs/cli.md lists for --json are those that are written.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || exit 77
"$MAKE_STORE" later later
"$MAKE_STORE" theirs triton
cp -r "$store" broken
for file in broken/reverse_a2a/*.json; do echo x >"$file"; done
write() { # NAME ARGUMENT...
    name=$1
    shift
    "$TUTTI" "$@" --json >"$name.json" 2>err </dev/null
    [ $? -le 1 ] || { cat err >out; fail "tutti $*"; }
}
write ls ls --store broken
write best best b556
write best_triton best --store theirs ag_gemm
write diff diff "$store" later
write verify verify --store broken
write export export --output all.tutti
write import import all.tutti --store new
write merge merge all.tutti later --output merged.tutti
write rm rm --all --dry-run
write gc gc --store broken --corrupt --dry-run
write settings settings
write doctor doctor
cat >check.py <<'PYTHON'
import json, re, sys
page = open(sys.argv[1]).read()
table = {}
for names, text in re.findall(r"^\| (`.*?`) \| (.*) \|$", page.split("## JSON")[1], re.M):
    for name in re.findall(r"`(.*?)`", names):
        table[name] = set(re.findall(r"`(.*?)`", text))
summary = page.split("A summary has")[1].split("\n\n")[0]
own = set(re.findall(r"`(.*?)`", summary.split("of tutti's own")[1]))
both = set(re.findall(r"`(.*?)`", summary.split("of tutti's own")[0]))
problems = []

def compare(name, wanted, found):
    if wanted != found:
        problems.append(f"{name}: the page alone has {wanted - found}, the output alone {found - wanted}")

def members(value):
    """All names in a value, but those inside a key or a config, and of a summary."""
    if isinstance(value, list):
        return set().union(*map(members, value)) if value else set()
    if not isinstance(value, dict) or "record" in value:
        return set()
    return set(value).union(*(members(v) for v in value.values()))

for name in table:
    if name in ("show", "--json"):
        continue
    value = json.load(open(f"{name}.json"))
    compare(name, table[name], members(value))
for name, wanted in (("best", both | own), ("best_triton", both)):
    value = json.load(open(f"{name}.json"))
    compare(name, wanted, set(value) | set(value["winner"]))
print("\n".join(problems))
sys.exit(bool(problems) or len(table) < 10)
PYTHON
python3 check.py "$DOCS/cli.md" >out 2>&1 || fail "the page and the output differ"
