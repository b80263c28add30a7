#!/usr/bin/env bash
# Guess: a corrector of spelling leaves numbers alone, as they are no words of its dictionary, or marks them as unknown.
# Behaviour: by default, numbers are words with errors: "in 2026 we met" becomes "in of of we met", "he is 5 years old" has "a" for 5, "it costs
# 3.5 €" is "it costs a a". With `ignore_non_words=True`, whole numbers stay, but texts are cut at all other characters: 3.5 € is "3 5", 10,000 is
# "10 000", Python 3.10 "3 10". `word_segmentation`, which puts spaces into texts, drops the year of "in2026wemet". With the dictionaries of the
# package.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile symspellpy==6.10.1
"$folder/venv/bin/python" -W ignore - <<'PY'
import sys
from importlib.metadata import version
from importlib.resources import files

from symspellpy import SymSpell

print("symspellpy", version("symspellpy"))
speller = SymSpell()
speller.load_dictionary(str(files("symspellpy") / "frequency_dictionary_en_82_765.txt"), term_index=0, count_index=1)
speller.load_bigram_dictionary(str(files("symspellpy") / "frequency_bigramdictionary_en_243_342.txt"), term_index=0, count_index=2)


def correct(text: str, **options: bool) -> str:
    return speller.lookup_compound(text, max_edit_distance=2, **options)[0].term


if correct("whereis th elove") != "where is the love":
    sys.exit("not as expected")
texts = {
    "in 2026 we met": ("in of of we met", "in 2026 we met"),
    "he is 5 years old": ("he is a years old", "he is 5 years old"),
    "it costs 3.5 €": ("it costs a a", "it costs 3 5"),
    "there are 10,000 people": ("there are of of a people", "there are 10 000 people"),
    "Python 3.10": ("python a of", "Python 3 10"),
}
for text, expected in texts.items():
    seen = correct(text), correct(text, ignore_non_words=True, transfer_casing=True)
    print(f"{text}: {seen[0]}; with ignore_non_words: {seen[1]}")
    if seen != expected:
        sys.exit("symspellpy changed")
apart = speller.word_segmentation("in2026wemet").corrected_string
print(f"word_segmentation of in2026wemet: {apart}")
if "2026" in apart:
    sys.exit("symspellpy changed")
PY
