#!/usr/bin/env bash
# Guess: a tokeniser parts words from punctuation, and the detokeniser of the same language puts together what was parted.
# Behaviour: vowel killers, tone marks and joiners that are not in a list of letters are parted from their letters by spaces, and stay so: Burmese
# ကျွန်တော် (I) is four tokens, Khmer ខ្ញុំ (I) three, Thai ที่ (at) two, Yoruba ọ̀rọ̀ (word) four, Igbo ọ́nụ́, Persian می‌روم (I go), Lao and
# Sinhala words likewise, Adlam (Fula) is in single letters. The marks are tokens of their own, which Unicode's rules never part from a letter
# (\X of the package regex). Lines of a corpus, and translations that were put together, have words that no one writes. Languages of India, of which
# the source lists marks, are right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile sacremoses==0.2.0 regex==2026.11.19
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

import regex
from sacremoses import MosesDetokenizer, MosesTokenizer

print(*(f"{name} {version(name)}" for name in ("sacremoses", "regex")))
words = {
    "my": ("ကျွန်တော်", 4), "km": ("ខ្ញុំ", 3), "th": ("ที่", 2), "lo": ("ນ້ຳ", 3), "yo": ("ọ̀rọ̀", 4), "ig": ("ọ́nụ́", 4),
    "fa": ("می‌روم", 3), "si": ("ශ්‍රී", 3), "ff": ("𞤆𞤵𞤤𞤢𞤪", 5),
    "hi": ("क्या", 1), "bn": ("দুঃখ", 1), "ta": ("தமிழ்", 1), "am": ("ሰላም", 1), "vi": ("tiếng", 1),
}
for language, (word, number) in words.items():
    tokens = MosesTokenizer(lang=language).tokenize(word, escape=False)
    again = MosesDetokenizer(lang=language).detokenize(tokens)
    letters = [len(regex.findall(r"\X", part)) for part in (word, *tokens)]
    torn = sum(letters[1:]) > letters[0]  # a letter and its marks are in several tokens
    print(f"{language}: {word} is {len(tokens)} tokens, {' | '.join(tokens)}; put together: {again}", "(torn)" if again != word else "")
    if len(tokens) != number or (again != word) != (number > 1) or (torn and number == 1):
        sys.exit("sacremoses changed")
    if number > 1 and language != "ff" and not torn:
        sys.exit("sacremoses changed")
PY
