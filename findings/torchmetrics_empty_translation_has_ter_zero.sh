#!/usr/bin/env bash
# Guess: where a system translates nothing, its translation edit rate is 1: all words of the reference are missing.
# Behaviour: the rate of an empty translation is 0, the best there is. Of four lines with three empty ones, TER is 0.07 instead of 0.79. Hypothesis
# and reference are exchanged on their way to the function that counts edits (issue 3478 of TorchMetrics), which changes some other rates, too,
# though the documentation says that sacreBLEU is followed. And chrF of a short line that equals its reference is below 1: 0.25 for
# one letter, since orders of n-grams that are longer than the line count as failed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile torchmetrics==1.9.0 torch==2.13.0 sacrebleu==2.6.0 numpy==2.4.6
"$folder/venv/bin/python" -W ignore - <<'PY'
import sys
from importlib.metadata import version

from sacrebleu.metrics import CHRF, TER
from torchmetrics.functional.text import chrf_score, translation_edit_rate

print(*(f"{name} {version(name)}" for name in ("torchmetrics", "torch", "sacrebleu")))
references = ["the house is little", "hello", "the mouse is big and grey", "yes it is"]
translations = ["the house is small", "", "", ""]
seen = {}
for name, lines in (("all but one empty", translations), ("all empty", [""] * 4), ("none empty", ["the house is small", "hi", "the mouse", "yes"])):
    ours = float(translation_edit_rate(lines, [[x] for x in references]))
    seen[name] = ours, TER().corpus_score(lines, [references]).score / 100
    print(f"{name}: TER of torchmetrics {seen[name][0]:.4f}, of sacreBLEU {seen[name][1]:.4f}")
chrf = {}
for line in ("是", "ok", "good"):
    chrf[line] = float(chrf_score([line], [[line]])), CHRF(word_order=2).sentence_score(line, [line]).score / 100
    print(f"chrF++ of {line!r} with itself: torchmetrics {chrf[line][0]:.4f}, sacreBLEU {chrf[line][1]:.4f}")
if abs(seen["none empty"][0] - seen["none empty"][1]) > 1e-4 or seen["all empty"][1] != 1 or any(x[1] < 0.999 for x in chrf.values()):
    sys.exit("not as expected")
if seen["all empty"][0] != 0 or seen["all but one empty"][0] > 0.08 or chrf["是"][0] > 0.26:
    sys.exit("torchmetrics changed")
PY
