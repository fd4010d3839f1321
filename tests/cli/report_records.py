"""Records of each kind that tutti report must cope with, as bytes of files (docs/record-format.md)."""

import itertools
import json

HOSTILE = "</script><img src=x onerror=alert(1)>\"'&amp;\u2028\x01\x1b[31m\u00e9\U0001f3b5"


def configurations(space):
    """The values of each configuration, with those knobs that count."""
    for values in itertools.product(*(knob["values"] for knob in space)):
        config = dict(zip((knob["name"] for knob in space), values))
        counted = {}
        is_first = True
        for knob in space:
            when = knob.get("when")
            if not when or counted.get(when["parameter"]) in when["values"]:
                counted[knob["name"]] = config[knob["name"]]
            elif config[knob["name"]] != knob["values"][0]:
                is_first = False
        if is_first:
            yield counted


def record(space, policy="exhaustive", function="kernel", key=(), ranks=4, failed=(), rounds=20, reason="no",
           hardware=None, step=1):
    """A record over a space: times grow with the index, so configuration 0 wins; failed are indices. Only
    every step-th configuration ran."""
    entries = []
    size = 0
    for index, config in enumerate(configurations(space)):
        size += 1
        if index % step:
            continue
        if index in failed:
            entries.append({"index": index, "status": "failed", "failed_rank": 1 % ranks, "reason": reason,
                            "config": config})
            continue
        entry = {"index": index, "status": "ok", "seconds": 1e-5 * (1 + 0.01 * index),
                 "slowest_rank": index % ranks}
        if policy != "exhaustive":
            stays = max(1, rounds - index // step)
            taken = [[r + 1, entry["seconds"] * (1 + 0.02 * ((7 * r + index) % 5)), (r + index) % ranks]
                     for r in range(min(stays, 32))]
            entry.update(taken=stays, dropped=0 if index < 2 * step else stays, spread=0.02, samples=taken)
        entry["config"] = config
        entries.append(entry)
    winner = next(entry for entry in entries if entry["status"] == "ok")
    search = {"finished": "2026-10-26T07:33:20Z", "seconds": 0.5, "calls": 99, "operations": 9, "pruned": size - len(entries)}
    if policy != "exhaustive":
        search["race"] = {"rounds": rounds, "stopped": False, "equal": False, "runner_up": -1, "distance": 0.01,
                          "confidence": 0.99, "within": 0.005, "noise": 0.02}
    return {
        "tutti_record": 1,
        "identity": {"function": function, "version": "v1", "source_id": "",
                     "key": list(key), "space": space,
                     "group": {"kind": "mpi", "ranks": ranks, "placement": str(ranks)},
                     "timer": "monotonic", "hardware": hardware or {"cpu": "Example 9000"}},
        "environment": {"transport": "Open MPI 4.1.4"},
        "policy": {"name": policy, "warmups": 2, "samples": 1},
        "search": search,
        "winner": {name: winner[name] for name in ("index", "seconds", "config")},
        "configurations": entries}


def knob(name, kind, values, **more):
    return {"name": name, "kind": kind, "values": values, **more}


def kinds():
    """By name: a record of each kind."""
    two = [knob("block", "i32", [32, 64, 128, 256]), knob("depth", "i32", [1, 2, 3])]
    mixed = [knob("engine", "choice", ["push", "pull", "staged"]), knob("tag", "string", ["a b", "", "\u00fc"]),
             knob("share", "f64", [0.1, 0.5]),
             knob("slots", "i32", [2, 4], when={"parameter": "engine", "values": ["staged"]})]
    return {
        "exhaustive": record(two, failed=(3, 9, 10, 11)),
        "race": record(two, policy="race", failed=(4,)),
        "long_race": record(two, policy="race", rounds=90),
        "mixed": record(mixed, policy="race"),
        "one_knob": record([knob("block", "i32", [8, 16, 32])], policy="race"),
        "one_configuration": record([knob("block", "i32", [8])]),
        "thousand": record([knob("a", "i32", list(range(100))), knob("b", "i32", list(range(10)))],
                           policy="race", rounds=40, ranks=100),
        "sparse": record([knob("a", "i32", list(range(300))), knob("b", "i32", list(range(300)))],
                         policy="random", step=1777),
        "serial": record(two, ranks=1),
        "hostile": record([knob(HOSTILE, "string", [HOSTILE, "b"]), knob("n", "i32", [1, 2])], policy="race",
                          function=HOSTILE, failed=(2,), reason=HOSTILE,
                          key=[{"name": HOSTILE, "type": "string", "value": HOSTILE}],
                          hardware={HOSTILE: HOSTILE}),
    }


def write(folder):
    """A file of each; their names by kind."""
    paths = {}
    for name, value in kinds().items():
        paths[name] = f"{folder}/{name}.json"
        with open(paths[name], "w", encoding="utf-8") as file:
            json.dump(value, file)
    return paths


if __name__ == "__main__":
    import sys
    write(sys.argv[1])
