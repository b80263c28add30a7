#!/usr/bin/env bash
# Guess: where a model gives no probability to the right class, as online models do when a class comes for the first time, the cross-entropy
# is very large: that of the smallest probability, 1e-15, to which the library clips.
# Behaviour: a class that is not among the predicted ones costs nothing. A model that learns the frequencies of words as it goes has a
# cross-entropy of 0, the best there is, on a text of 50 different words; one that gives 0.9 to each right word has 0.105, so it is worse.
# The class with a probability of 0 costs 34.5, and so does an answer without True in `LogLoss`.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile river==0.26.1 narwhals==2.29.0 numpy==2.4.6 scipy==1.17.1
"$folder/venv/bin/python" - <<'PY'
import math
import sys
from importlib.metadata import version

from river import dummy, metrics

print({name: version(name) for name in ("river", "numpy", "scipy")})
words = [f"word{i}" for i in range(50)]
model, learned = dummy.PriorClassifier(), metrics.CrossEntropy()
for word in words:
    learned.update(word, model.predict_proba_one({}))
    model.learn_one({}, word)
good = metrics.CrossEntropy()
for word in words:
    good.update(word, {word: 0.9, "other": 0.1})
zero, missing = metrics.CrossEntropy(), metrics.CrossEntropy()
zero.update("cat", {"dog": 1.0, "cat": 0.0})
missing.update("cat", {"dog": 1.0})
binary = metrics.LogLoss()
binary.update(True, {False: 1.0})
print("frequencies of the words before, 50 different words:", learned.get(), "better than 0.9 for each right word:", learned > good, good.get())
print(f"'cat' with probability 0: {zero.get():.1f}, without one: {missing.get():.1f}; LogLoss without True: {binary.get():.1f}")
floor = -math.log(1e-15)
if abs(good.get() + math.log(0.9)) > 1e-9 or abs(zero.get() - floor) > 0.1 or abs(binary.get() - floor) > 0.1:
    sys.exit("not as expected")
if learned.get() != 0 or missing.get() != 0 or not learned > good:
    sys.exit("river changed")
PY
