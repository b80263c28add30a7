#!/usr/bin/env bash
# Guess: `eigen` scores systems by the eigenvector of their wins, so that a win over a strong system counts more than one over a weak; the best comes first, as
# in the other six methods.
# Behaviour: it takes the transposed matrix, that of defeats: a system gets the scores of those that beat it. The table of results is the other way round: the
# system that wins 70% of its games is the last of four, the one that loses 70% the first, and one more win lowers the score of the winner. The eigenvector of
# the wins themselves has the order of the other methods; `pagerank` transposes twice and is right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile --no-deps evalica==0.4.2 numpy==2.4.6 pandas==3.1.1 scipy==1.17.1 python-dateutil==4.0.0 tzdata==2026.6
OPENBLAS_NUM_THREADS=1 "$folder/venv/bin/python" -W ignore - <<'PY'
import sys
from importlib.metadata import version

import evalica
import numpy as np
from evalica import Winner

print(*(f"{name} {version(name)}" for name in ("evalica", "numpy")))
SYSTEMS = list("abcd")
WINS = np.array([[0, 18, 21, 24], [12, 0, 18, 20], [9, 12, 0, 19], [6, 10, 11, 0]])  # how often the first beat the second, of 30 games


def run(method, wins, **options):
    xs, ys, winners = [], [], []
    for i, j in zip(*np.nonzero(wins)):
        first = (i + j) % 2  # winners stand on either side
        xs += [SYSTEMS[i if first else j]] * wins[i, j]
        ys += [SYSTEMS[j if first else i]] * wins[i, j]
        winners += [Winner.X if first else Winner.Y] * wins[i, j]
    return method(xs, ys, winners, **options).scores


def compute_eigenvector(matrix):
    values, vectors = np.linalg.eig(matrix.astype(float))
    vector = vectors[:, values.real.argmax()].real
    return np.abs(vector) / np.linalg.norm(vector)  # all have the same sign


orders = {}
for name in ("counting", "average_win_rate", "bradley_terry", "newman", "elo", "pagerank", "eigen"):
    scores = run(getattr(evalica, name), WINS)
    orders[name] = "".join(scores.index)
    print(f"{name}: {', '.join(f'{system} {score:.3f}' for system, score in scores.items())}")
found, naive = (run(evalica.eigen, WINS, solver=solver).reindex(SYSTEMS).to_numpy() for solver in ("pyo3", "naive"))
wins, defeats = compute_eigenvector(WINS), compute_eigenvector(WINS.T)
print(f"eigenvector of the wins {wins.round(3)}, of the defeats {defeats.round(3)}; eigen {found.round(3)}")
more = WINS.copy()
more[0, 1] += 10
again = run(evalica.eigen, more).reindex(SYSTEMS).to_numpy()
print(f"with ten more wins of a over b: a {again[0]:.3f}, b {again[1]:.3f}")
if any(order != "abcd" for name, order in orders.items() if name != "eigen") or not np.all(np.diff(wins) < 0) or not np.allclose(found, naive, atol=1e-5):
    sys.exit("not as expected")
if orders["eigen"] != "dcba" or not np.allclose(found, defeats, atol=1e-4) or again[0] >= found[0]:
    sys.exit("evalica changed")
PY
