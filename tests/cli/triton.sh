# Records of Triton-distributed, as Python writes them: Infinity and NaN where values stand are
# failures, and nothing inside a string is touched.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || exit 77
python3 - <<'PYTHON' || fail "python"
import json, math
def config(block, **more):
    return {"gemm_config": {"__triton_config__": {"kwargs": {"BLOCK": block, **more}, "num_warps": 4}}}
def write(name, **changes):
    record = {
        "config": [[math.inf, config(16)], [0.5, config(32)], [math.nan, config(64)],
                   [0.25, config(128, NOTE="NaN, Infinity] \\\" it's -Infinity")], [0.25, config(256)],
                   [-0.0, config(512)]],
        "deps": {"torch.version": "2.4.0", "Infinity": "NaN", "free": math.inf},
        "key": [[[4096, 8], [8, 1], {"__torch_dtype__": "torch.bfloat16"}], 8, "NaN", None],
        "func": "ag_gemm", "timestamp": "2026-10-26_07_33_20"}
    record.update(changes)
    json.dump(record, open(name, "w"), indent=2)
write("good.json")
write("slower.json", config=[[0.5, config(32)], [0.75, config(128)]], deps={"torch.version": "2.5.0"})
write("no_key.json", key=None, timestamp="yesterday")
write("named.json", key={"M": 1, "dtype": "bf16"})
write("all_failed.json", config=[[math.inf, config(1)], [math.nan, config(2)]])
write("empty.json", config=[])
write("negative.json", config=[[-1.0, config(1)]])
write("word.json", config=[["fast", config(1)]])
write("triple.json", config=[[1.0, config(1), 3]])
write("no_config.json", config=[[1.0, 7]])
write("no_function.json", func=7)
open("cut.json", "w").write(open("good.json").read()[:400])
open("token.json", "w").write(open("good.json").read().replace("Infinity,", "Infinityx,"))
PYTHON

expect 0 ls good.json no_key.json named.json
says "0=[[4096, 8], [8, 1], \"torch.bfloat16\"], 1=8, 2=NaN, 3=null"
says "M=1, dtype=bf16"
says "gemm_config.kwargs.BLOCK=128"
says "250 us"
expect 0 show good.json
says "torch.version = 2.4.0"
says "free = Infinity"
says "Infinity = NaN"
says '*3  250 us'
[ "$(grep -c 'failed  no time was measured' out)" -eq 3 ] || fail "not three failures"
expect 0 show --json good.json
python3 - <<'PYTHON' || fail "show --json"
import json, math
def same(ours, theirs):
    if isinstance(theirs, float) and not math.isfinite(theirs):
        return ours in ("Infinity", "NaN") and (ours == "NaN") == math.isnan(theirs)
    if isinstance(theirs, dict):
        return ours.keys() == theirs.keys() and all(same(ours[k], theirs[k]) for k in ours)
    if isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    return ours == theirs
assert same(json.load(open("out")), json.load(open("good.json")))
PYTHON
expect 0 best good.json --prefix t_
says "t_gemm_config_kwargs_BLOCK=128"
says "t_gemm_config_num_warps=4"
note=$(eval "$(cat out)" && echo "$t_gemm_config_kwargs_NOTE")
[ "$note" = "NaN, Infinity] \\\" it's -Infinity" ] || fail "a value did not survive eval: $note"
expect 0 export --format manifest --output - good.json
python3 -c 'import json
entry, = json.load(open("out"))
assert entry["source"] == "triton_dist" and entry["seconds"] == 0.00025, entry
assert entry["ranks"] is None and entry["function"] == "ag_gemm", entry
assert entry["config"]["gemm_config"]["__triton_config__"]["kwargs"]["BLOCK"] == 128, entry' || fail manifest
expect 0 export --format t4 --output - good.json
python3 -c 'import json
results = json.load(open("out"))["results"]
assert [r["invalidity"] for r in results].count("correct") == 3, results' || fail t4
expect 1 diff good.json slower.json
says "time                250 us -> 500 us  +100.0%"
says "deps.torch.version  2.4.0 -> 2.5.0"
says "winner              gemm_config.kwargs.BLOCK=128"
expect 0 diff good.json good.json

for name in all_failed empty; do
    expect 3 show $name.json
    says "$name.json: config has no configuration with a time"
done
expect 3 show negative.json
says "config[0][0] is no time in milliseconds"
expect 3 show word.json
says "config[0][0] is no time in milliseconds"
expect 3 show triple.json
says "config[0] is not [milliseconds, configuration]"
expect 3 show no_config.json
says "config[0] is not [milliseconds, configuration]"
for name in no_function cut token; do # nothing of Triton-distributed, and no record either
    expect 3 show $name.json
    says "$name.json: "
done
expect 3 import good.json
says "nothing was done: good.json is a record of Triton-distributed"

# In a store of theirs, and beside records of tutti's.
mkdir -p theirs/ag_gemm && cp good.json theirs/ag_gemm/abcdef0123456789.json
expect 0 ls --store theirs abcdef
says "abcdef01"
cp good.json "$store/reverse_a2a/mixed.json"
expect 0 ls
says "ag_gemm"
expect 1 verify
says "mixed.json: corrupt"
