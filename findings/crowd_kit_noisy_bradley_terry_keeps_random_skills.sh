#!/usr/bin/env bash
# Guess: `NoisyBradleyTerry` learns for each worker a skill and a bias to the left: workers who always choose the left item get a low skill and a bias of 1,
# and their answers do not count.
# Behaviour: in the gradient, the numbers of biases and skills stand one place too early, and each comparison overwrites that of the one before instead
# of adding to it. So skills and biases stay near the random numbers that they start from (of a fixed seed): they are the same whether the first two
# workers are lazy or the last two, and lazy answers count: with the last two lazy, the worst of five systems comes first. The best values of the
# same likelihood tell the lazy workers from the others and order the systems right. The likelihood is right, and so is the order where nobody is lazy.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile --no-deps crowd-kit==1.4.2 numpy==2.4.6 pandas==3.1.1 scipy==1.17.1 scikit-learn==1.9.1 nltk==3.10.4 \
    regex==2026.11.19 click==8.5.1 defusedxml==0.7.1 attrs==26.1.0 tqdm==4.70.1 joblib==1.6.0 threadpoolctl==3.8.0 cloudpickle==3.1.3 narwhals==2.29.0 python-dateutil==4.0.0 tzdata==2026.6
OPENBLAS_NUM_THREADS=1 "$folder/venv/bin/python" -W ignore - <<'PY'
import sys
from importlib.metadata import version

import numpy as np
import pandas as pd
from crowdkit.aggregation import NoisyBradleyTerry
from scipy.optimize import approx_fprime, minimize
from scipy.special import expit

print(*(f"{name} {version(name)}" for name in ("crowd-kit", "numpy", "scipy")))
ITEMS, WORKERS, SIZE = list("abcde"), ["w0", "w1", "w2", "w3"], 100
STRENGTHS = np.array([2.0, 1.5, 1.0, 0.5, 0.0])  # a is the best


def draw(lazy):
    """Comparisons in which the weaker system of a pair mostly stands on the left, which lazy workers always choose."""
    rng, rows = np.random.default_rng(1), []
    for worker in WORKERS:
        for _ in range(SIZE):
            left, right = sorted(rng.choice(len(ITEMS), 2, replace=False))
            if rng.random() < 0.9:
                left, right = right, left
            first = rng.random() < expit(2 * (STRENGTHS[left] - STRENGTHS[right])) or worker in lazy
            rows.append((worker, ITEMS[left], ITEMS[right], ITEMS[left if first else right]))
    return pd.DataFrame(rows, columns=["worker", "left", "right", "label"])


def make_loss(data):
    """Minus the log-likelihood of strengths, biases and skills: with the skill as its probability, a worker answers by the strengths, else by the bias."""
    left, right, worker = (np.array([names.index(x) for x in data[column]]) for column, names in (("left", ITEMS), ("right", ITEMS), ("worker", WORKERS)))
    sign = np.where(data.label == data.left, 1, -1)

    def compute(x):
        s, bias, skill = np.split(x, [len(ITEMS), len(ITEMS) + len(WORKERS)])
        skill = expit(skill[worker])
        return -np.sum(np.log(skill * expit(sign * (s[left] - s[right])) + (1 - skill) * expit(sign * bias[worker])))

    return compute


seen, size = {}, len(ITEMS) + 2 * len(WORKERS)
for lazy in ((), ("w0", "w1"), ("w2", "w3")):
    data = draw(lazy)
    loss = make_loss(data)
    model = NoisyBradleyTerry(n_iter=200)
    scores = model.fit_predict(data)
    best = minimize(lambda x: loss(x) + 1e-3 * np.sum(x**2), np.random.default_rng(0).random(size), method="L-BFGS-B").x
    order, right = "".join(scores.sort_values(ascending=False).index), "".join(ITEMS[i] for i in np.argsort(-best[: len(ITEMS)]))
    seen[lazy] = order, right, model.skills_.reindex(WORKERS).to_numpy(), expit(best[-len(WORKERS) :])
    print(f"lazy: {' '.join(lazy) or 'nobody'}; order {order}, by the likelihood {right}; skills {seen[lazy][2].round(2)}, by the likelihood {seen[lazy][3].round(2)}")
# the parts of the library's own fit at one point: its items and workers are numbered in the order in which they come
codes, numbers = pd.factorize(data[["left", "right", "label"]].to_numpy().ravel()), pd.factorize(data.worker)[0]
triples = codes[0].reshape(-1, 3) + 1
x = np.random.default_rng(2).random(1 + size)
arguments = triples, numbers, len(ITEMS), len(WORKERS), 0.0
value, gradient = NoisyBradleyTerry._compute_log_likelihood(x, *arguments), NoisyBradleyTerry._compute_gradient(x, *arguments)
numeric = approx_fprime(x, lambda x: NoisyBradleyTerry._compute_log_likelihood(x, *arguments), 1e-6)
place = [list(codes[1]).index(item) for item in ITEMS]
print(f"gradient of biases and skills {gradient[1 + len(ITEMS) :].round(1)}, by differences {numeric[1 + len(ITEMS) :].round(1)}")
if abs(value - loss(np.concatenate([x[1 : 1 + len(ITEMS)][place], x[1 + len(ITEMS) :]]))) > 1e-6 or not np.allclose(gradient[1 : len(ITEMS)], numeric[1 : len(ITEMS)], atol=0.01):
    sys.exit("not as expected")
if seen[()][0] != "abcde" or any(right != "abcde" for _, right, _, _ in seen.values()):
    sys.exit("not as expected")
first, last = seen[WORKERS[0], WORKERS[1]], seen[WORKERS[2], WORKERS[3]]
if max(first[3][:2]) > 0.1 or min(first[3][2:]) < 0.3 or max(last[3][2:]) > 0.1 or min(last[3][:2]) < 0.3:
    sys.exit("not as expected")
if np.abs(first[2] - last[2]).max() > 0.05 or first[0] == "abcde" or last[0][0] != "e" or np.abs(gradient - numeric)[1 + len(ITEMS) :].max() < 5:
    sys.exit("crowd-kit changed")
PY
