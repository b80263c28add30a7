#!/usr/bin/env bash
# Guess: `Llama3Tokenizer` gives text the tokens of Llama 3, whose regular expression is in the source, "2026" as "202" and "6".
# Behaviour: called directly, the expression is taken for a literal text, which no text has, so that nothing is split before the merges: "2026"
# is "20" and "26". In `tf.data`, the expression is that of GPT-2, with the same result for numbers of four digits and more, but not for spaces:
# two spaces in a row are one token in a direct call and two in `tf.data`. So a model that is trained from `tf.data` and asked directly gets
# other tokens for one text, and its numbers are others than those that its makers trained it with. With `tokenizers.Regex` around the
# expression, the tokens are those of Llama 3.
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
from keras_hub.src.tokenizers import byte_pair_tokenizer
from tokenizers import Regex, Tokenizer, models, pre_tokenizers

print(*(f"{name} {version(name)}" for name in ("keras-hub", "tensorflow", "tensorflow-text", "tokenizers")))
letters = byte_pair_tokenizer.bytes_to_unicode()[1]
merges = ["2 0", "2 6", "20 2", "Ġ Ġ", "Ġ b"]  # the first merge of a text is the first of this list
names = "begin_of_text end_of_text start_header_id end_header_id eot_id finetune_right_pad_id"
special = [f"<|{name}|>" for name in names.split()]
tokens = [*special, *letters, *(merge.replace(" ", "") for merge in merges)]
vocabulary = {token: i for i, token in enumerate(tokens)}
tokenizer = keras_hub.tokenizers.Llama3Tokenizer(vocabulary=vocabulary, merges=merges)
oracle = Tokenizer(models.BPE(vocab=vocabulary, merges=[tuple(merge.split(" ")) for merge in merges]))
split = pre_tokenizers.Split(Regex(byte_pair_tokenizer.SPLIT_PATTERN_TOKENIZERS), "isolated")
oracle.pre_tokenizer = pre_tokenizers.Sequence([split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
seen = {}
for text in ("20", "2026", "a  b"):
    direct = [tokens[i] for i in np.array(tokenizer(text))]
    mapped = [tokens[i] for i in next(iter(tf.data.Dataset.from_tensors(text).map(tokenizer)))]
    seen[text] = (direct, mapped, oracle.encode(text).tokens)
    print(repr(text), "direct", direct, "tf.data", mapped, "Llama 3's expression", seen[text][2])
if seen["20"] != (["20"], ["20"], ["20"]) or seen["2026"][2] != ["202", "6"] or seen["a  b"][2] != ["a", "Ġ", "Ġb"]:
    sys.exit("not as expected")
if seen["2026"][:2] != (["20", "26"], ["20", "26"]) or seen["a  b"][:2] != (["a", "ĠĠ", "b"], ["a", "Ġ", "Ġb"]):
    sys.exit("keras-hub changed")
PY
