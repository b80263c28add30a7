#!/usr/bin/env bash
# Guess: a tokenizer that `export_to_transformers` writes gives the tokens that it gave in keras-hub.
# Behaviour: of Qwen's, the special tokens are in the vocabulary alone: in transformers, "<|im_start|>" is twelve tokens instead of one, and so is each
# mark of a chat. Of Llama 3's, they are kept, but the file has no rule that puts "<|begin_of_text|>" first, although `add_bos_token` beside it says so:
# no text begins with it, as each does with the tokenizer of the original model. Nothing warns.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile keras-hub==0.32.0 keras==3.15.1 jax==0.10.2 transformers==5.24.0
KERAS_BACKEND=jax "$folder/venv/bin/python" -W ignore - "$folder" <<'PY'
import json
import sys
from importlib.metadata import version

from keras_hub.models import Llama3Tokenizer, QwenTokenizer
from tokenizers.pre_tokenizers import ByteLevel
from transformers import AutoTokenizer

print(*(f"{name} {version(name)}" for name in ("keras-hub", "keras", "transformers")))
vocabulary = {token: i for i, token in enumerate(sorted(ByteLevel.alphabet()))}
merges = []
for word in ("user", "house", "small"):
    for end in range(1, len(word)):
        merges.append(f"{word[:end]} {word[end]}")
        vocabulary[word[: end + 1]] = len(vocabulary)
MARKS = {
    "Qwen": ["<|endoftext|>", "<|im_start|>", "<|im_end|>"],
    "Llama 3": ["<|begin_of_text|>", "<|end_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"],
}
TEXTS = {"Qwen": "<|im_start|>user a small house<|im_end|>", "Llama 3": "<|start_header_id|>user<|end_header_id|>a small house<|eot_id|>"}
tokenizers = {}
for name, marks in MARKS.items():
    known = vocabulary | {mark: len(vocabulary) + i for i, mark in enumerate(marks)}
    options = {"unsplittable_tokens": marks} if name == "Qwen" else {"bos_token": marks[0], "eos_token": marks[1], "misc_special_tokens": set(marks)}
    kind = QwenTokenizer if name == "Qwen" else Llama3Tokenizer
    tokenizers[name] = kind(vocabulary=known, merges=merges, **options)
seen = {}
for name, tokenizer in tokenizers.items():
    tokenizer.export_to_transformers(f"{sys.argv[1]}/{name}")
    read = AutoTokenizer.from_pretrained(f"{sys.argv[1]}/{name}")
    for text in ("a small house", TEXTS[name]):
        before, after = list(map(int, tokenizer(text))), read(text)["input_ids"]
        seen[name, text] = before, after
        print(f"{name}: {text!r}: {len(before)} tokens, after the export {len(after)}: {' '.join(read.convert_ids_to_tokens(after))}")
with open(f"{sys.argv[1]}/Llama 3/tokenizer_config.json") as file:
    adds = json.load(file)["add_bos_token"]
print("Llama 3, add_bos_token:", adds)
if seen["Qwen", "a small house"][0] != seen["Qwen", "a small house"][1] or not adds:
    sys.exit("not as expected")
if len(seen["Qwen", TEXTS["Qwen"]][1]) - len(seen["Qwen", TEXTS["Qwen"]][0]) != len("<|im_start|>") + len("<|im_end|>") - 2:
    sys.exit("keras-hub changed")
if any(seen["Llama 3", text][0] != seen["Llama 3", text][1] for text in ("a small house", TEXTS["Llama 3"])):
    sys.exit("keras-hub changed")
PY
