#!/usr/bin/env bash
# Guess: the byte-pair tokenizers of keras_hub lose nothing: every byte has a token, and detokenisation gives the text back.
# Behaviour: so it is in direct calls. In `tf.data`, the Hindi digit six, ६, marks places while a text is split, and is removed at the end: where
# it is a word by itself or ends the text, it is lost, and pages 6 and 16 (पृष्ठ ६, पृष्ठ १६) become "page" and "page 1". Special tokens are
# replaced by the letter Ĵ and A, B, ... meanwhile, and back: Esperanto's ĴAŬDO, Thursday in capitals, becomes <|endoftext|>ŬDO.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile keras-hub==0.32.0 keras==3.15.1 tensorflow==2.21.0 tensorflow-text==2.21.1 tokenizers==0.23.3
TF_CPP_MIN_LOG_LEVEL=3 "$folder/venv/bin/python" -W ignore - 2>/dev/null <<'PY'
import sys
from importlib.metadata import version

import keras_hub
import numpy as np
import tensorflow as tf
from keras_hub.src.tokenizers.byte_pair_tokenizer import bytes_to_unicode

print(*(f"{name} {version(name)}" for name in ("keras-hub", "tensorflow", "tensorflow-text")))
tokens = ["<|endoftext|>", *bytes_to_unicode()[1], "in"]
tokenizer = keras_hub.tokenizers.GPT2Tokenizer(vocabulary={token: i for i, token in enumerate(tokens)}, merges=["i n"])
seen = {}
for text in ("पृष्ठ ५", "पृष्ठ ६", "पृष्ठ १६", "१६ पृष्ठ", "५ ६ ७", "Ĵaŭdo", "ĴAŬDO"):
    direct = np.array(tokenizer(text))
    mapped = next(iter(tf.data.Dataset.from_tensors(text).map(tokenizer))).numpy()
    seen[text] = [str(tokenizer.detokenize(ids.tolist())) for ids in (direct, mapped)]
    print(repr(text), "direct", repr(seen[text][0]), "tf.data", repr(seen[text][1]))
same = ("पृष्ठ ५", "१६ पृष्ठ", "Ĵaŭdo")
if any(direct != text for text, (direct, _) in seen.items()) or any(seen[text][1] != text for text in same):
    sys.exit("not as expected")
if [seen[text][1] for text in seen if text not in same] != ["पृष्ठ ", "पृष्ठ १", "५  ७", "<|endoftext|>ŬDO"]:
    sys.exit("keras-hub changed")
PY
