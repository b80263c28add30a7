#!/usr/bin/env bash
# Guess: with `normalized` and `asian_support`, TER compares Japanese by single kanji and by runs of hiragana and katakana, as the comments of the
# tokenizer say ("only when adjacent to something else"): カメラのレンズです has four parts, and one wrong part of four is a TER of 25.
# Behaviour: kana are never split: カメラのレンズです is one word, also beside Latin letters (Wi-Fiはあります), so that one wrong part of such
# a phrase is a TER of 100. Beside kanji, which are split, it is as guessed: 猫は机の上です has six parts.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile sacrebleu==2.6.0 numpy==2.4.6 regex==2026.11.19
"$folder/venv/bin/python" - <<'PY'
import sys

import regex
import sacrebleu
from sacrebleu.metrics import TER

print("sacrebleu", sacrebleu.__version__)
metric = TER(normalized=True, asian_support=True)
PART = regex.compile(r"\p{Han}|\p{Hiragana}+|[\p{Katakana}ー]+|[\p{Latin}-]+")


def compare(system, reference):
    """Returns the TER, and that of the parts, of which one or none differs: no shift is of use."""
    ours, right = PART.findall(system), PART.findall(reference)
    edits = sum(a != b for a, b in zip(ours, right, strict=True))
    score = round(metric.sentence_score(system, [reference]).score, 1)
    expected = round(100 * edits / len(right), 1)
    print(f"{system} for {reference}: TER {score}; {edits} of {len(right)} parts ({' '.join(right)}): {expected}")
    return score, expected


seen = [
    compare(system, reference)
    for system, reference in (
        ("猫は机の上です", "犬は机の上です"),
        ("カメラのレンズです", "テレビのレンズです"),
        ("これはペンです", "それはペンです"),
        ("ホテルにはテレビがあります", "ホテルにはカメラがあります"),
        ("Wi-Fiはあります", "Wi-Fiはありません"),
    )
]
if seen[0] != (16.7, 16.7):
    sys.exit("not as expected: kanji are split")
if any(score != 100 or expected > 50 for score, expected in seen[1:]):
    sys.exit("sacrebleu changed")
PY
