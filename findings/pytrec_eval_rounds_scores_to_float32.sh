#!/usr/bin/env bash
# Guess: documents are ranked by their scores as given, which are Python's numbers of 64 bits.
# Behaviour: scores are rounded to 32 bits, and those that become equal are ranked by the names of the documents, from the last to the first. Documents
# that are ranked by their time in seconds are all equal within about two minutes: where the newest of ten messages is the right one, its mean reciprocal
# rank is 0.28, as of an order at random, instead of 1. An order that was kept by subtracting 1e-9 for each place is turned around where the names
# rise: 0.1 instead of 1. The same orders as numbers of places, or as times since the first message, are right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile --no-deps pytrec-eval-terrier==0.5.11 numpy==2.4.6
"$folder/venv/bin/python" - <<'PY'
import random
import sys
from importlib.metadata import version

import pytrec_eval

print(*(f"{name} {version(name)}" for name in ("pytrec-eval-terrier", "numpy")))
MANY, NAMES = 500, [f"d{i}" for i in range(10)]
START = 1_800_000_000  # seconds, in January 2027
random.seed(1)


def measure(kind, run, relevant):
    """The mean reciprocal rank by pytrec_eval, and by the definition."""
    qrels = {query: {name: 1} for query, name in relevant.items()}
    values = pytrec_eval.RelevanceEvaluator(qrels, {"recip_rank"}).evaluate(run)
    found = sum(value["recip_rank"] for value in values.values()) / len(run)
    right = sum(1 / (1 + sum(score > scores[relevant[query]] for score in scores.values())) for query, scores in run.items()) / len(run)
    print(f"{kind}: {found:.3f}, by the definition {right:.3f}")
    return found, right


times, newest = {}, {}
for query in map(str, range(MANY)):
    seconds = sorted(random.sample(range(60), len(NAMES)))
    times[query] = dict(zip(random.sample(NAMES, len(NAMES)), map(float, seconds)))
    newest[query] = max(times[query], key=times[query].get)
places = {"0": {name: -float(place) for place, name in enumerate(NAMES)}}
epoch = {query: {name: START + s for name, s in scores.items()} for query, scores in times.items()}
small = {"0": {name: 0.8 + 1e-9 * score for name, score in places["0"].items()}}
since_first = measure("seconds since the first message", times, newest)
since_1970 = measure("seconds since 1970", epoch, newest)
by_place = measure("places", places, {"0": "d0"})
by_small = measure("0.8 less 1e-9 for each place", small, {"0": "d0"})
if any(right != 1 for _, right in (since_first, since_1970, by_place, by_small)) or since_first[0] != 1 or by_place[0] != 1:
    sys.exit("not as expected")
if not 0.25 < since_1970[0] < 0.35 or abs(by_small[0] - 0.1) > 1e-6:
    sys.exit("pytrec_eval changed")
PY
