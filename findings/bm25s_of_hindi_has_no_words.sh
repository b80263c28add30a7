#!/usr/bin/env bash
# Guess: `bm25s.tokenize` finds the words of any language that puts spaces between them; stop words are a question of the language.
# Behaviour: a word is two or more characters that Python's \w knows, which vowel signs of Hindi, Bengali, Tamil and other scripts are not: a word
# falls into its consonants, and single ones are dropped, "a cow gives milk" has no words. Korean and Chinese words of one character are dropped,
# too, and so are "C", "R" and the numbers 1 to 9. A query without words returns documents with the score 0.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile bm25s==0.3.16
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

import bm25s

print("bm25s", version("bm25s"))
texts = ["गाय दूध देती है", "दिन अच्छा है", "নদী বড়", "பூ சிவப்பு", "물 과 불", "vitamin C 5", "Köln am Rhein"]
expected = [[], ["अच"], ["নদ", "বড"], ["வப"], [], ["vitamin"], ["köln", "am", "rhein"]]
seen = [sorted(bm25s.tokenize([text], stopwords=None, show_progress=False).vocab, key=text.lower().find) for text in texts]
seen = [[word for word in words if word] for words in seen]
for text, words in zip(texts, seen):
    print(f"{text}: {words}")
index = bm25s.BM25()
index.index(bm25s.tokenize(texts, stopwords=None, show_progress=False), show_progress=False)
results, scores = index.retrieve(bm25s.tokenize(["दूध"], stopwords=None, show_progress=False), k=2, show_progress=False)
print("for दूध (milk):", [texts[i] for i in results[0]], "with the scores", scores[0].tolist())
if seen != expected or scores.max() != 0:
    sys.exit("bm25s changed")
PY
