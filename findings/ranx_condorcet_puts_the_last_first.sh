#!/usr/bin/env bash
# Guess: of documents that one of three systems found, Condorcet fusion keeps the order of this system: nobody ranks them otherwise. And the same runs
# give the same fusion.
# Behaviour: a system that has found neither of two documents votes for the second of the pair, whichever that is. Two such systems outvote the one
# that ranked them, all comparisons end in "not before", and the documents stay as they lie in a set of texts, whose order changes with each run of
# Python (with PYTHONHASHSEED set, it is the same): of three runs, the best document of a system comes first in one, third in another and eighth in
# the last, and the precision at 5 falls from 0.6 to 0.4. Documents that all systems found are right. And rank-biased precision, "0 or 1" for each
# document by its documentation, adds the grades of the judgements: up to 2.9 of at most 1 with grades up to 3.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile ranx==0.3.21 numba==0.68.1 numpy==2.4.6 scipy==1.17.1 pandas==3.1.1
cat > "$folder/check.py" <<'PY'
import sys
from importlib.metadata import version

from ranx import Qrels, Run, evaluate, fuse

FOUND = [f"d{i}" for i in range(10)]  # by the first system, in this order; the two others found other documents
ONE = {"q": {name: 100.0 - i for i, name in enumerate(FOUND)}}
OTHERS = [{"q": {f"{letter}{i}": 100.0 - i for i in range(3)}} for letter in "ef"]
ALL = [{"q": {name: 100.0 - i for i, name in enumerate(order)}} for order in (FOUND, FOUND, FOUND[::-1])]


def run_fusion(runs):
    fused = fuse(runs=[Run(run, name=str(i)) for i, run in enumerate(runs)], norm=None, method="condorcet")
    scores = dict(fused.run["q"])
    return fused, sorted(scores, key=lambda name: -scores[name])


fused, order = run_fusion([ONE, *OTHERS])
kept = [name for name in order if name in FOUND]
everywhere = run_fusion(ALL)[1]
qrels = Qrels({"q": {name: 1 for name in FOUND[:3]}})
grades = Qrels({"q": {name: 3 for name in FOUND}})
precision, alone = (float(evaluate(qrels, run, "precision@5")) for run in (fused, Run(ONE)))
biased, binary = (float(evaluate(judgements, Run(ONE), "rbp.70")) for judgements in (grades, Qrels({"q": {name: 1 for name in FOUND}})))
print("ranx", version("ranx"))
print(f"order of the documents of the first system: {' '.join(kept)}; precision at 5 of the fusion {precision:.1f}, of the first system {alone:.1f}")
print(f"documents that all found: {' '.join(everywhere)}; rank-biased precision of judgements of 3 {biased:.3f}, of 1 {binary:.3f}")
if everywhere != FOUND or abs(binary - (1 - 0.7**10)) > 1e-6:
    sys.exit("not as expected")
if kept == FOUND or abs(biased - 3 * binary) > 1e-6:
    sys.exit("ranx changed")
PY
for seed in 1 2 3; do
    PYTHONHASHSEED=$seed "$folder/venv/bin/python" -W ignore "$folder/check.py" | tee -a "$folder/log"
done
if [ "$(grep '^order' "$folder/log" | sort -u | wc -l)" = 1 ]; then
    echo "ranx changed"
    exit 1
fi
