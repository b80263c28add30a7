#!/usr/bin/env bash
# Guess: `keras_hub.metrics.Bleu`, whose tokenizer is said to be that of sacreBLEU, gives the scores of sacreBLEU (times 100).
# Behaviour: with one reference and ASCII spaces it does. Of several references, the length of the shortest counts, not of the one whose length
# is closest (Papineni et al., 2002): one short reference takes the brevity penalty away, and a translation that leaves out the end has 87
# instead of 60. A no-break space in a reference, as French has it before a percent sign, joins two words: a translation that is equal but for
# that space has 66 instead of 100.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile keras-hub==0.32.0 keras==3.15.1 tensorflow==2.21.0 sacrebleu==2.6.0
TF_CPP_MIN_LOG_LEVEL=3 "$folder/venv/bin/python" -W ignore - 2>/dev/null <<'PY'
import sys
from importlib.metadata import version

import keras_hub
import sacrebleu

print(*(f"{name} {version(name)}" for name in ("keras-hub", "tensorflow", "sacrebleu")))
cut = "the cat sat on the mat today ."
price = "Il coûte 10 % de plus que prévu ."
examples = {
    "one reference": (cut, ["the cat sat on the mat today with the dog ."], (60, 60)),
    "and a shorter one": (cut, ["the cat sat on the mat today with the dog .", "the cat ran ."], (87, 60)),
    "the same text": (price, [price], (100, 100)),
    "a no-break space in the reference": (price, [price.replace(" %", "\u00a0%")], (66, 100)),
}
for name, (translation, references, expected) in examples.items():
    metric = keras_hub.metrics.Bleu()
    metric.update_state([references], [translation])
    theirs = sacrebleu.corpus_bleu([translation], [[reference] for reference in references]).score
    scores = (100 * float(metric.result()), theirs)
    print(f"{name}: keras_hub {scores[0]:.2f}, sacreBLEU {scores[1]:.2f}")
    if round(scores[1]) != expected[1]:
        sys.exit("not as expected")
    if round(scores[0]) != expected[0]:
        sys.exit("keras-hub changed")
PY
