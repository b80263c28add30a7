#!/usr/bin/env bash
# Guess: a model with TextVectorization or StringLookup that was adapted, saved and loaded gives each word the id that it had.
# Behaviour: the vocabulary is saved as lines, and read by `str.splitlines`, which also splits at U+2028, U+0085 and other separators. Words
# are split at ASCII spaces only, so text from the web has words with such a character inside. One makes two lines: all later words move up
# by one id, and the layers behind them see other words. If one of its halves is a word of the vocabulary too, the model cannot be loaded.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile keras==3.15.1 tensorflow==2.21.0 numpy==2.4.6
cd "$folder"
TF_CPP_MIN_LOG_LEVEL=3 venv/bin/python - <<'PY'
import sys

import keras
import tensorflow as tf

print("keras", keras.__version__, "tensorflow", tf.__version__)
keras.utils.set_random_seed(0)


def saved_and_loaded(lines):
    vectorization = keras.layers.TextVectorization()
    vectorization.adapt(lines)
    model = keras.Sequential([keras.Input((), dtype="string"), vectorization, keras.layers.Embedding(20, 1)])
    model(tf.constant(["x"]))
    model.save("model.keras")
    return model, keras.models.load_model("model.keras")


def ids(model, line):
    return model.layers[0](tf.constant([line])).numpy()[0].tolist()


line = "the dog saw the cat"
for separator in ("\u2028", "\x85", "\x1c"):
    models = saved_and_loaded([*[line] * 2, f"first{separator}second first{separator}second first{separator}second", "the the"])
    seen = [ids(model, line) for model in models]
    outputs = [float(tf.reduce_sum(model(tf.constant([line])))) for model in models]
    print(f"{separator!r}: ids of {line!r} before {seen[0]}, after {seen[1]}; sum of embeddings {outputs[0]:.4f} and {outputs[1]:.4f}")
    if seen[0][1:3] == seen[1][1:3] or outputs[0] == outputs[1] or len(models[1].layers[0].get_vocabulary()) != 8:
        sys.exit("keras changed")
try:
    saved_and_loaded(["the first line", "first\u2028second"])
    sys.exit("a half that is a word of its own is loaded")
except ValueError as error:
    print("'first' is a word, too:", [text for text in str(error).splitlines() if "repeated" in text][0])
PY
