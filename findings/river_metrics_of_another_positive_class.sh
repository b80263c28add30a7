#!/usr/bin/env bash
# Guess: `F1(pos_val="spam")` is the F1 of the class "spam", as with `pos_label` of scikit-learn; `F1(pos_val=0)` is that of the class 0.
# Behaviour: the labels are counted as True and False, but looked up by the value: with a text, precision, recall and F1 are 0, also for a
# perfect classifier. With 0, which equals False, they are those of the *other* class. With 1, which equals the default True, they are right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile river==0.26.1 narwhals==2.29.0 numpy==2.4.6 scipy==1.17.1
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

from river import metrics

print({name: version(name) for name in ("river", "numpy", "scipy")})
TRUE = ["spam", "ham", "ham", "spam", "ham", "ham"]
PREDICTED = ["spam", "ham", "spam", "spam", "ham", "ham"]


def count(positive):
    """Precision, recall and F1 of a class."""
    hits = sum(t == p == positive for t, p in zip(TRUE, PREDICTED))
    precision, recall = hits / PREDICTED.count(positive), hits / TRUE.count(positive)
    return precision, recall, 2 * precision * recall / (precision + recall)


def measure(positive, label, predicted=PREDICTED):
    found = []
    for kind in (metrics.Precision, metrics.Recall, metrics.F1):
        metric = kind(pos_val=positive)
        for t, p in zip(TRUE, predicted):
            metric.update(label(t), label(p))
        found.append(metric.get())
    return tuple(found)


spam, ham = count("spam"), count("ham")
print("precision, recall and F1 of spam, counted:", *(f"{value:.3f}" for value in spam), "of ham:", *(f"{value:.3f}" for value in ham))
by_text = measure("spam", str)
perfect = measure("spam", str, TRUE)
zero = measure(0, lambda text: int(text != "spam"))
one = measure(1, lambda text: int(text == "spam"))
print("pos_val='spam':", by_text, "for a perfect classifier:", perfect)
print("pos_val=0 where spam is 0:", *(f"{value:.3f}" for value in zero))
print("pos_val=1 where spam is 1:", *(f"{value:.3f}" for value in one))
if max(abs(a - b) for a, b in zip(one, spam)) > 1e-9:
    sys.exit("not as expected")
if perfect != (0, 0, 0) or by_text != (0, 0, 0) or max(abs(a - b) for a, b in zip(zero, ham)) > 1e-9:
    sys.exit("river changed")
PY
