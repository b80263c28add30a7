#!/usr/bin/env bash
# Guess: the sentencizer ends sentences at the marks that its documentation lists, 128 of many scripts.
# Behaviour: a mark counts where it is a token of its own, and the tokeniser parts only nine of them from the word before: ! . ? ؟ ۔ । ！ ？ 。
# So two sentences in Burmese, Khmer, Tibetan or Ethiopic letters are one, with the neutral language "xx" as with English; and two in Armenian
# are one with the rules of Armenian, for which there is no other full stop. With a space before the mark, they are two.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile spacy==3.8.18
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

import spacy
from spacy.pipeline import Sentencizer

print("spacy", version("spacy"))


def count(language, text):
    pipeline = spacy.blank(language)
    pipeline.add_pipe("sentencizer")
    return len(list(pipeline(text).sents))


marks = Sentencizer.default_punct_chars
working = [mark for mark in marks if count("xx", f"one two{mark} three four{mark}") == 2]
apart = [mark for mark in marks if count("xx", f"one two {mark} three four {mark}") == 2]
print(f"of {len(marks)} marks, {len(working)} end a sentence behind a word: {' '.join(working)}; {len(apart)} do so behind a space")
texts = {
    ("hi", "Hindi"): "मैं छात्र हूँ। वह शिक्षक है।",
    ("hy", "Armenian"): "Ես ուսանող եմ։ Նա ուսուցիչ է։",
    ("xx", "Burmese"): "ကျွန်တော် ကျောင်းသား ဖြစ်သည်။ သူ ဆရာမ ဖြစ်သည်။",
    ("xx", "Amharic"): "እኔ ተማሪ ነኝ። እሷ መምህር ናት።",
    ("am", "Amharic"): "እኔ ተማሪ ነኝ። እሷ መምህር ናት።",
}
counts = [count(language, text) for (language, _), text in texts.items()]
for (language, name), number in zip(texts, counts, strict=True):
    print(f'two sentences in {name}, blank("{language}"): {number}')
if "".join(working) != "!.?؟۔।！？。" or len(marks) != 128 or len(apart) != 128 or counts != [2, 1, 1, 1, 2]:
    sys.exit("spacy changed")
PY
