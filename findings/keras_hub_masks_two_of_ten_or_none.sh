#!/usr/bin/env bash
# Guess: `MaskedLMMaskGenerator(mask_selection_rate=0.15)` masks 15% of the tokens, however it is called.
# Behaviour: in `tf.data`, the number is that rate of a sentence rounded up: of 4 tokens always 1,
# of 10 always 2, so 25 and 20% (of 100, 16, because the rate in 32 bits is a little above 0.15). Called directly, each token is drawn
# by itself: 15% on average, and half of the sentences of 4 tokens, a fifth of those of 10, have no masked token at all. So one setting is two
# tasks, by the way in which data is loaded.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile keras-hub==0.32.0 keras==3.15.1 tensorflow==2.21.0 tensorflow-text==2.21.1 tokenizers==0.23.3
TF_CPP_MIN_LOG_LEVEL=3 "$folder/venv/bin/python" -W ignore - 2>/dev/null <<'PY'
import sys
from importlib.metadata import version

import keras
import keras_hub
import numpy as np
import tensorflow as tf

print(*(f"{name} {version(name)}" for name in ("keras-hub", "tensorflow", "tensorflow-text")))
keras.utils.set_random_seed(1)
generator = keras_hub.layers.MaskedLMMaskGenerator(vocabulary_size=1000, mask_selection_rate=0.15, mask_token_id=1)
for length, number in ((100, 16), (10, 2), (4, 1)):
    rows = [list(range(10, 10 + length))] * 2000
    direct = np.array([len(ids) for ids in generator(rows)["mask_ids"]])
    mapped = next(iter(tf.data.Dataset.from_tensors(rows).map(generator)))["mask_ids"].row_lengths().numpy()
    shares = [counts.mean() / length for counts in (direct, mapped)]
    print(f"{length} tokens, masked: direct {shares[0]:.1%}, without any {np.mean(direct == 0):.1%} of the sentences;", end=" ")
    print(f"tf.data {shares[1]:.1%}, from {mapped.min()} to {mapped.max()} a sentence")
    if abs(shares[0] - 0.15) > 0.01:
        sys.exit("not as expected")
    if {*mapped.tolist()} != {number} or abs(np.mean(direct == 0) - 0.85**length) > 0.04:
        sys.exit("keras-hub changed")
PY
