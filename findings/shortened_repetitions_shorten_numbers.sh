#!/usr/bin/env bash
# Guess: functions that shorten drawn-out words, "sooooo" to "sooo" or ㅋㅋㅋㅋ to ㅋㅋ, change words and laughter.
# Behaviour: they count digits, too. NLTK's `reduce_len` makes 1000 of 10000 and of 1000000. soynlp, for Korean, whose README shows laughter
# alone, makes 100 won of 10000 and of 100000000. Numbers with commas stay, and so do 1000 and 2000.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile nltk==3.10.4 soynlp==0.0.493
"$folder/venv/bin/python" -W ignore - <<'PY'
import sys
from importlib.metadata import version

from nltk.tokenize import TweetTokenizer
from soynlp.normalizer import emoticon_normalize, repeat_normalize

print(*(f"{name} {version(name)}" for name in ("nltk", "soynlp")))
english = {"Sooooo good!": "Sooo good !", "1000 people": "1000 people", "10000 people": "1000 people", "1000000 people": "1000 people"}
korean = {"하하하하하": "하하", "1000원": "1000원", "10000원": "100원", "100000000원": "100원", "2000년": "2000년", "1,000,000원": "1,000,000원"}
tokenizer = TweetTokenizer(reduce_len=True)
seen = {text: " ".join(tokenizer.tokenize(text)) for text in english}
print("nltk:", seen)
repeats = {text: repeat_normalize(text, num_repeats=2) for text in korean}
emoticons = {text: emoticon_normalize(text, num_repeats=2) for text in korean}
print("soynlp, repeat_normalize:", repeats)
print("soynlp, emoticon_normalize:", emoticons)
if seen != english or repeats != korean or emoticons != korean:
    sys.exit("nltk or soynlp changed")
PY
