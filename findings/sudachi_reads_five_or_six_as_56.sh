#!/usr/bin/env bash
# Guess: two numbers have two normalised forms, because normalising unifies spellings of one word.
# Behaviour: zeros at the end of what looks like a decimal are cut: Python 3.10 and Python 3.1, 2026.10 (October) and 2026.1 have one form. Two
# digits in kanji that follow each other, the usual way to write "five or six times" (五六回), are 56, two or three days (二三日) 23, two or three
# hundred yen (二三百円) 2300; with a comma (二、三日), they stay. In a list without spaces, 10,20 is five words: 1, 0, a comma, 2, 0. All this is by
# default, with the default dictionary, where texts are unified for search or training.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile sudachipy==0.7.0 sudachidict_core==20261015
"$folder/venv/bin/python" -W ignore - <<'PY'
import sys
from importlib.metadata import version

from sudachipy import Dictionary

print(*(f"{name} {version(name)}" for name in ("sudachipy", "sudachidict_core")))
tokenizer = Dictionary().tokenizer()


def normalize(text):
    return [word.normalized_form() for word in tokenizer.tokenize(text)]


seen = {text: normalize(text) for text in "3.10 3.1 2026.10 2026.1 五六回 五十六回 二三日 二十三日 二、三日 二三百円 10,20ページ 10、20ページ 1,000円".split()}
for text, forms in seen.items():
    print(text, "is", " | ".join(forms))
same = seen["3.10"] == seen["3.1"] and seen["2026.10"] == seen["2026.1"]
ranges = seen["五六回"] == seen["五十六回"] == ["56", "回"] and seen["二三日"][0] == "23" and seen["二三百円"][0] == "2300"
if seen["二、三日"][:3] != ["2", "、", "3"] or seen["1,000円"] != ["1000", "円"] or seen["10、20ページ"][0] != "10":
    sys.exit("not as expected")
if not (same and ranges and seen["10,20ページ"][:5] == ["1", "0", ",", "2", "0"]):
    sys.exit("SudachiPy changed")
PY
