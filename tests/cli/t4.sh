# export --format t4 is what the T4 schema asks for (t4.schema.json), for plain and racing records.
. "$(dirname "$0")/lib.sh"
python3 -c 'import jsonschema' 2>/dev/null || exit 77
for record in 5bc1 fd82 b556; do
    expect 0 export --format t4 --output "$record.json" "$record"
    python3 - "$(dirname "$0")/t4.schema.json" "$record.json" <<'PYTHON' || fail "$record"
import json, sys
from jsonschema import Draft202012Validator
schema, document = (json.load(open(path)) for path in sys.argv[1:])
Draft202012Validator.check_schema(schema)
errors = [error.message for error in Draft202012Validator(schema).iter_errors(document)]
results = document["results"]
if sys.argv[2] == "5bc1.json":
    validity = [result["invalidity"] for result in results]
    if validity.count("correct") != 18 or validity[5:7] != ["runtime", "correctness"]:
        errors.append(f"validity is {validity}")
    if results[19]["measurements"] != [{"name": "time", "value": 0.536, "unit": "ms"}]:
        errors.append(f"measurements are {results[19]['measurements']}")
    if results[5]["times"]["runtimes"] or results[5]["correctness"] != 0:
        errors.append("a failed configuration has a time")
    if results[19]["configuration"] != {"comm_block_s": 512, "comm_block_d": 128, "buffer_num": 4}:
        errors.append("another configuration")
if sys.argv[2] == "b556.json" and results[2]["times"]["runtimes"] != [0.003, 0.0031]:
    errors.append(f"the samples of a race are {results[2]['times']['runtimes']}")
for name in ("configuration", "times", "invalidity", "correctness"):  # the schema can say no
    broken = json.loads(json.dumps(document))
    del broken["results"][0][name]
    if Draft202012Validator(schema).is_valid(broken):
        errors.append(f"the schema accepts a result without {name}")
print("\n".join(errors))
sys.exit(bool(errors))
PYTHON
done
expect 1 export --format t4 --output all.json
says "4 records are meant by this"
