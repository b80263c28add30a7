#!/usr/bin/env bash
# Guess: a converted tokenizer finds the words that the tokenizer finds.
# Behaviour: `WhitespaceSplit`, which splits at spaces alone, becomes the rule of `Whitespace`, which splits at punctuation as well: "don't" is three
# words, "3.5" and "e-mail" are three. The rule of both takes spacing signs of vowels (Unicode's Mc) for punctuation: Hindi, Tamil and Bengali words
# with one, as किताब, are cut there, so that a word of the vocabulary is read as several that are unknown. Nothing warns. Signs above and below a
# letter do not cut; `BertPreTokenizer` and `ByteLevel` cut as the tokenizer does.
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
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

print(*(f"{name} {version(name)}" for name in ("openvino", "openvino-tokenizers", "tokenizers", "transformers")))
PLAIN = "The café in Zürich opens at nine"
ENGLISH = "I don't pay 3.5 by e-mail"
OTHERS = {"Hindi": "यह किताब हिन्दी में है", "Thai": "ที่ บ้าน", "Tamil": "தமிழ் மொழி", "Bengali": "বাংলা ভাষা", "Russian": "это книга"}


def compare(pre_tokenizer, text):
    """The words of TEXT, by the tokenizer and by the converted one. All of the former are known."""
    words = dict.fromkeys(word for word, _ in pre_tokenizer.pre_tokenize_str(text))
    vocabulary = {word: i for i, word in enumerate(["[UNK]", "[PAD]", *words])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="[UNK]", pad_token="[PAD]", model_max_length=64)
    converted = openvino.compile_model(convert_tokenizer(tokenizer), "CPU")
    names = {i: word for word, i in vocabulary.items()}
    return [[names[int(i)] for i in ids] for ids in (tokenizer(text)["input_ids"], converted([text])["input_ids"][0])]


seen = {}
for name in ("Whitespace", "WhitespaceSplit", "BertPreTokenizer", "ByteLevel"):
    for language, text in {"plain": PLAIN, "English": ENGLISH, **OTHERS}.items():
        before, after = seen[name, language] = compare(getattr(pre_tokenizers, name)(), text)
        if name.startswith("White"):
            print(f"{name}, {language}: {before}, converted: {after}")
if any(before != after or "[UNK]" in before for (name, language), (before, after) in seen.items() if language in ("plain", "Russian", "Thai") or not name.startswith("White")):
    sys.exit("not as expected")
if seen["Whitespace", "English"][0] != seen["Whitespace", "English"][1]:
    sys.exit("not as expected")
if [len(words) for words in seen["WhitespaceSplit", "English"]] != [6, 12] or len(seen["Whitespace", "English"][1]) != 12:
    sys.exit("OpenVINO Tokenizers changed")
for name in ("Whitespace", "WhitespaceSplit"):
    for language in ("Hindi", "Tamil", "Bengali"):
        before, after = seen[name, language]
        if len(after) <= len(before) or "[UNK]" not in after:
            sys.exit("OpenVINO Tokenizers changed")
PY
