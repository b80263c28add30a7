#!/usr/bin/env bash
# Guess: words are what stands between white space, so that the word error rate of the same words is 0, with a line break or a tab between them as
# well; what the transformations of the library make of a text leaves its numbers and names.
# Behaviour: words end at spaces alone, though two characters of white space side by side become one space first. So one line break, tab, no-break
# or ideographic space joins two words: "one, two, three" between tabs has a word error rate of 3 against itself between spaces; \r\n and empty
# lines have 0. Behind RemovePunctuation, 3.5 is 35, -5 is 5 and 50% is 50, at a rate of 0. ExpandCommonEnglishContractions writes "Let is go" and
# "John is book".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile jiwer==4.0.0 rapidfuzz==3.14.6
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

import jiwer
from rapidfuzz.distance import Levenshtein

print(*(f"{name} {version(name)}" for name in ("jiwer", "rapidfuzz")))
texts = {
    "the shop\nopens at ten": 0.5,
    "one\ttwo\tthree": 3.0,
    "Herr\N{NO-BREAK SPACE}Müller kommt": 1.0,
    "東京\N{IDEOGRAPHIC SPACE}大阪": 2.0,
    "one\r\ntwo": 0.0,
    "one\n\ntwo": 0.0,
}
for text, expected in texts.items():
    words = text.split()
    seen, right = jiwer.wer(text, " ".join(words)), Levenshtein.distance(text.split(), words) / len(words)
    print(f"{text!r} and {' '.join(words)!r}: {seen} (right: {right})")
    if right != 0:
        sys.exit("not as expected")
    if seen != expected:
        sys.exit("jiwer changed")
words = jiwer.Compose([jiwer.RemovePunctuation(), jiwer.RemoveMultipleSpaces(), jiwer.Strip(), jiwer.ReduceToListOfListOfWords()])
for reference, other in (("it grew by 3.5", "it grew by 35"), ("it was -5 degrees", "it was 5 degrees"), ("by 50% more", "by 50 more")):
    rates = [jiwer.wer(reference, other), jiwer.wer(reference, other, reference_transform=words, hypothesis_transform=words)]
    print(f"{reference} and {other}: {rates[0]:.2f}, without punctuation {rates[1]:.2f}")
    if rates[0] == 0:
        sys.exit("not as expected")
    if rates[1] != 0:
        sys.exit("jiwer changed")
expand = jiwer.ExpandCommonEnglishContractions()
if expand("I can't go") != "I can not go":
    sys.exit("not as expected")
for text, expected in (("Let's go", "Let is go"), ("John's book", "John is book"), ("he'd gone", "he would gone")):
    print(f"{text}: {expand(text)}")
    if expand(text) != expected:
        sys.exit("jiwer changed")
PY
