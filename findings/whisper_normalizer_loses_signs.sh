#!/usr/bin/env bash
# Guess: the normaliser with which word error rates of speech recognition and speech translation are published writes one number in one way,
# whether it comes in words or in digits.
# Behaviour: a minus before digits is deleted, but made of the word: -5 and 5 are equal, and "minus five" differs from "-5". "<5" is 5.
# What stands in parentheses is no error when it is lost. Numbers beside each other join: "two hundred and three hundred" is 20300, "ten
# twenty" is 1020; "three o'clock" is "30 clock", and one third, "1/3", is "one 3".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile whisper-normalizer==0.1.15 jiwer==4.0.0
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

import jiwer
from whisper_normalizer.english import EnglishTextNormalizer

print(*(f"{name} {version(name)}" for name in ("whisper-normalizer", "jiwer")))
normalize = EnglishTextNormalizer()
texts = {
    "-5 degrees": "5 degrees",
    "5 degrees": "5 degrees",
    "minus five degrees": "-5 degrees",
    "p < 5": "p 5",
    "the shop is (not) open": "the shop is open",
    "two hundred and three hundred": "20300",
    "ten twenty": "1020",
    "three o'clock": "30 clock",
    "1/3": "one 3",
    "twenty twenty six": "2026",
}
for text in texts:
    print(f"{text!r} becomes {normalize(text)!r}")


def error_rate(reference, hypothesis):
    return jiwer.wer(normalize(reference), normalize(hypothesis))


lost, spoken = error_rate("-5 degrees", "5 degrees"), error_rate("-5 degrees", "minus five degrees")
print(f"word error rate against “-5 degrees”: of “5 degrees” {lost}, of “minus five degrees” {spoken}")
if [normalize(text) for text in texts] != list(texts.values()) or (lost, spoken) != (0, 0.5):
    sys.exit("whisper-normalizer changed")
PY
