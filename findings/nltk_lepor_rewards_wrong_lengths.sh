#!/usr/bin/env bash
# Guess: LEPOR is 1 for a translation that equals its reference, and less for one that is too long or too short, as its length penalty is at most 1.
# Behaviour: the length penalty has the lengths the wrong way round, e^(1 - r/c) for e^(1 - c/r), and is a bonus of up to e: 20 words followed by
# 20 that are wrong have 0.96 instead of 0.21, half of the sentence has 0.84 instead of 0.19, and 1 right word followed by 5 wrong ones has 0.57
# instead of 0.002. Of a word that occurs again, the match that is farthest away counts instead of the nearest: a translation that equals its
# reference and repeats a phrase has 0.69. The formula is that of the paper (Han, Wong and Chao 2012), which the docstring cites.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile nltk==3.10.4
"$folder/venv/bin/python" - <<'PY'
import math
import sys
from importlib.metadata import version

from nltk.translate.lepor import sentence_lepor

print("nltk", version("nltk"))


def defined(reference, translation):
    """Returns the product of length penalty, position penalty and harmonic mean, with the nearest match of each word."""
    reference, translation = reference.split(), translation.split()
    r, c = len(reference), len(translation)
    places = []
    for i, word in enumerate(translation):
        matches = [j for j, other in enumerate(reference) if other == word]
        if matches:
            places.append((i, min(matches, key=lambda j: abs(j - i))))
    if not places:
        return 0.0
    differences = sum(abs((i + 1) / c - (j + 1) / r) for i, j in places)
    precision, recall = len(places) / c, len(places) / r
    return math.exp(1 - max(r, c) / min(r, c)) * math.exp(-differences / c) * 2 / (1 / precision + 1 / recall)


words = [f"word{i}" for i in range(20)]
wrong = [f"other{i}" for i in range(20)]
phrase = "the shop is open and the shop is closed"
CASES = {
    "equal": (words, words),
    "one word wrong": (words, [*words[:-1], "other"]),
    "all words wrong": (words, wrong),
    "20 wrong words follow": (words, words + wrong),
    "the second half is missing": (words, words[:10]),
    "of one word, 5 wrong ones follow": (words[:1], words[:1] + wrong[:5]),
    "equal, with a phrase twice": (phrase.split(), phrase.split()),
}
seen = {}
for name, (reference, translation) in CASES.items():
    reference, translation = " ".join(reference), " ".join(translation)
    seen[name] = sentence_lepor([reference], translation, tokenizer=str.split)[0], defined(reference, translation)
    print(f"{name}: LEPOR {seen[name][0]:.3f}, by the formula {seen[name][1]:.3f}")
for name in ("equal", "one word wrong", "all words wrong"):
    if abs(seen[name][0] - seen[name][1]) > 1e-9:
        sys.exit("not as expected")
if seen["equal"][0] < 0.999 or seen["equal, with a phrase twice"][1] < 0.999:
    sys.exit("not as expected")
if (
    seen["20 wrong words follow"][0] < 0.9
    or seen["the second half is missing"][0] < 0.8
    or seen["of one word, 5 wrong ones follow"][0] < 0.5
    or seen["equal, with a phrase twice"][0] > 0.7
):
    sys.exit("nltk changed")
PY
