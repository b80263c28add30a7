#!/usr/bin/env bash
# Guess: `osman` is the OSMAN index for Arabic, which counts the syllables of a text by its vowel signs: one for a short vowel, two for a long one, a doubled
# consonant and a tanween, and calls a word complex if it has more than five such signs.
# Behaviour: no vowel sign is ever counted: they are compared with texts of six characters, "\u064E", and the words lose them before, as if they were
# punctuation. A text with its vowels gets the number of its letters and signs, less 2, plus twice its doubled consonants and tanween: 75 syllables
# for 34 in the text below; no word is complex, not even one with nine signs; and the index is -11 instead of 97, that of a text that nobody
# can read instead of an easy one. Letters of long words are counted right, and so are words and sentences.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile textstat==0.7.13 pyphen==0.18.1 nltk==3.10.4 setuptools==84.2.1
"$folder/venv/bin/python" -W ignore - <<'PY'
import re
import sys
from importlib.metadata import version

import textstat

print("textstat", version("textstat"))
FATHA, DAMMA, KASRA, SHADDA = "\u064e", "\u064f", "\u0650", "\u0651"
TANWEEN = "\u064b\u064c\u064d"
SHORT, SIGNS = FATHA + DAMMA + KASRA, FATHA + DAMMA + KASRA + SHADDA + TANWEEN
WORDS = {"كَتَبَ": 3, "كِتَابٌ": 5, "مُدَرِّسٌ": 7}  # he wrote, a book, a teacher; the syllables of the index, counted by hand
TEXT = "ذَهَبَ الْوَلَدُ إِلَى الْمَدْرَسَةِ. كَتَبَتِ الْمُعَلِّمَةُ كَلِمَةً عَلَى اللَّوْحِ."  # The boy went to school. The teacher wrote a word on the board.
COMPLEX = "وَسَيُعَلِّمُونَهُمْ"  # and they will teach them


def count_syllables(text):
    """The syllables as the index counts them: short vowels, and twice long ones, doubled consonants and tanween."""
    long_vowels = len(re.findall(f"[{SHORT}][اوي]", text))
    return len(re.findall(f"[{SHORT}]", text)) - long_vowels + 2 * (long_vowels + len(re.findall(f"[{SHADDA}{TANWEEN}]", text)))


def compute_index(text):
    words = re.sub(r"[.]", "", text).split()
    plain = [re.sub(f"[{SIGNS}\u0652]", "", word) for word in words]
    hard = sum(bool(re.search("[ئءؤذظ]|وا|ون", word)) and count_syllables(full) > 5 for word, full in zip(plain, words))
    complex_words = sum(len(re.findall(f"[{SIGNS}]", word)) > 5 for word in words)
    long_words = sum(len(word) > 5 for word in plain)
    return 200.791 - 1.015 * len(words) / text.count(".") - 24.181 * (complex_words + count_syllables(text) + hard + long_words) / len(words), long_words


print("syllables:", {word: (textstat.count_arabic_syllables(word), count_syllables(word)) for word in WORDS}, "found and by the definition")
found, right = textstat.count_arabic_syllables(TEXT), count_syllables(TEXT)
index, long_words = compute_index(TEXT)
print(f"of the text: {found}, by the definition {right}; index {textstat.osman(TEXT):.1f}, by the definition {index:.1f}")
signs = len(re.findall(f"[{SIGNS}]", COMPLEX))
print(f"complex words in {COMPLEX}, which has {signs} signs: {textstat.count_complex_arabic_words(COMPLEX)}")
if any(count_syllables(word) != number for word, number in WORDS.items()) or signs < 6:
    sys.exit("not as expected")
if textstat.lexicon_count(TEXT) != 9 or textstat.sentence_count(TEXT) != 2 or textstat.count_arabic_long_words(TEXT) != long_words:
    sys.exit("not as expected")
if found < 2 * right or textstat.osman(TEXT) > index - 30 or textstat.count_complex_arabic_words(COMPLEX) != 0:
    sys.exit("textstat changed")
PY
