#!/usr/bin/env bash
# Guess: a converted tokenizer replaces and splits at the strings at which the tokenizer does.
# Behaviour: the strings of `Replace` and `Split` are taken for regular expressions. `Replace(".", "")`, which takes points away, takes every
# character away, and no token of a text is left, as with `Split(".", "removed")`. `Replace("$", "USD ")` leaves the dollar where it is and joins
# USD to the last word; `Split("|", "removed")` does not split. Nothing warns. Strings without a sign of regular expressions are right, and so is
# `Regex(r"\.")`.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile openvino==2026.4.1 openvino-tokenizers==2026.4.1.0 tokenizers==0.23.3 transformers==5.24.0 numpy==2.4.6
"$folder/venv/bin/python" -W ignore - <<'PY'
import sys
from importlib.metadata import version

import openvino
from openvino_tokenizers import convert_tokenizer
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers
from transformers import PreTrainedTokenizerFast

print(*(f"{name} {version(name)}" for name in ("openvino", "openvino-tokenizers", "tokenizers", "transformers")))
TEXT = "It costs $ 3.50 | no more"
WORDS = pre_tokenizers.Split(Regex(" "), "removed")


def compare(normalizer, pre_tokenizer):
    """The tokens of TEXT, by the tokenizer and by the converted one. All tokens are known."""
    text = normalizer.normalize_str(TEXT) if normalizer else TEXT
    words = dict.fromkeys([word for word, _ in pre_tokenizer.pre_tokenize_str(text)] + ["$", "moreUSD", TEXT])
    vocabulary = {word: i for i, word in enumerate(["[UNK]", "[PAD]", *words])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizer
    if normalizer:
        tokenizer.normalizer = normalizer
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="[UNK]", pad_token="[PAD]", model_max_length=64)
    converted = openvino.compile_model(convert_tokenizer(tokenizer), "CPU")
    names = {i: word for word, i in vocabulary.items()}
    return [[names[int(i)] for i in ids] for ids in (tokenizer(TEXT)["input_ids"], converted([TEXT])["input_ids"][0])]


cases = {
    'Replace("no", "not")': (normalizers.Replace("no", "not"), WORDS),
    'Replace(Regex(r"\\."), "")': (normalizers.Replace(Regex(r"\."), ""), WORDS),
    'Replace(".", "")': (normalizers.Replace(".", ""), WORDS),
    'Replace("$", "USD ")': (normalizers.Replace("$", "USD "), WORDS),
    'Split(" ", "removed")': (None, pre_tokenizers.Split(" ", "removed")),
    'Split(".", "removed")': (None, pre_tokenizers.Split(".", "removed")),
    'Split("|", "removed")': (None, pre_tokenizers.Split("|", "removed")),
}
seen = {}
for case, (normalizer, pre_tokenizer) in cases.items():
    seen[case] = compare(normalizer, pre_tokenizer)
    print(f"{case}: {seen[case][0]}, converted: {seen[case][1]}")
if any(before != after for case, (before, after) in seen.items() if "no" in case or "Regex" in case or '" "' in case):
    sys.exit("not as expected")
expected = {'Replace(".", "")': [], 'Split(".", "removed")': [], 'Split("|", "removed")': [TEXT]}
expected['Replace("$", "USD ")'] = ["It", "costs", "$", "3.50", "|", "no", "moreUSD"]
if any(seen[case][1] != tokens for case, tokens in expected.items()):
    sys.exit("OpenVINO Tokenizers changed")
PY
