#!/usr/bin/env bash
# Guess: nDCG, and nDCG with gains of one's own, have the same values whether they are asked for together or one by one.
# Behaviour: together, nDCG joins the first group of measures that is there. If that is the one of nDCG with gains, it is computed with these gains; with
# the same cutoff, it also takes its place, so that the one with gains is 0. Which one is first depends on the hashes of the process: of a script that
# is run again, some runs have 0.66 and 0.55, as they should be, others 0.55 and 0. Nothing warns. One by one, and with a provider that is given nDCG
# before nDCG with gains, both are right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile --no-deps ir-measures==0.4.3 pytrec-eval-terrier==0.5.11 numpy==2.4.6
cat > "$folder/together.py" <<'PY'
import ir_measures
from ir_measures import nDCG

QRELS = {"1": {"a": 1, "b": 2, "c": 0, "d": 1}}
RUN = {"1": {"c": 4.0, "a": 3.0, "b": 2.0, "d": 1.0}}
OWN = nDCG(gains={0: 0, 1: 1, 2: 9})
PAIRS = {"both at 10": (nDCG @ 10, OWN @ 10), "at 20 and at 10": (nDCG @ 20, OWN @ 10)}
if __name__ == "__main__":
    for pair in PAIRS.values():
        values = ir_measures.calc_aggregate(list(pair), QRELS, RUN)
        print(*(values[measure] for measure in pair))
PY
cd "$folder"
venv/bin/python - <<'PY'
import os
import subprocess
import sys
from importlib.metadata import version
from math import log2

import ir_measures
from together import OWN, PAIRS, QRELS, RUN

print(*(f"{name} {version(name)}" for name in ("ir-measures", "pytrec-eval-terrier")))


def ndcg(gains):
    """By the definition: the gains of the documents as they are ranked, by those as they should be."""
    found = [gains[QRELS["1"][document]] for document in sorted(RUN["1"], key=RUN["1"].get, reverse=True)]
    plain, best = (sum(gain / log2(place + 2) for place, gain in enumerate(order)) for order in (found, sorted(found, reverse=True)))
    return plain / best


plain, own = ndcg([0, 1, 2]), ndcg([0, 1, 9])
print(f"by the definition: nDCG {plain:.4f}, with gains of one's own {own:.4f}")
wrong = {"both at 10": (own, 0), "at 20 and at 10": (own, own)}


def is_close(values, others):
    return all(abs(value - other) < 1e-6 for value, other in zip(values, others))


for name, pair in PAIRS.items():
    alone = [measure.calc_aggregate(QRELS, RUN) for measure in pair]
    orders = []
    for order in (pair, pair[::-1]):
        values = ir_measures.pytrec_eval.calc_aggregate(list(order), QRELS, RUN)
        orders.append([values[measure] for measure in pair])
    print(f"{name}: one by one {alone}, nDCG first {orders[0]}, with gains first {orders[1]}")
    if not is_close(alone, (plain, own)) or not is_close(orders[0], (plain, own)):
        sys.exit("not as expected")
    if not is_close(orders[1], wrong[name]):
        sys.exit("ir-measures changed")
kinds = []
for seed in range(12):
    output = subprocess.run([sys.executable, "together.py"], env={**os.environ, "PYTHONHASHSEED": str(seed)}, capture_output=True, text=True, check=True).stdout
    first = [float(value) for value in output.split("\n")[0].split()]
    print(f"process {seed}, both at 10: {first}")
    kinds.append("right" if is_close(first, (plain, own)) else "wrong" if is_close(first, wrong["both at 10"]) else "other")
    if {"right", "wrong"} <= set(kinds):
        break
if "other" in kinds or "right" not in kinds:
    sys.exit("not as expected")
if "wrong" not in kinds:
    sys.exit("ir-measures changed")
PY
