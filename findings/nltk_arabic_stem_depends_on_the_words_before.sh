#!/usr/bin/env bash
# Guess: a stemmer is a function of the word: the same Arabic word has the same stem in a document, in a query and in another order.
# Behaviour: of the notes that the stemmer takes of a word, one is not cleared: that a first verbal suffix was found. After the first word with one,
# as بيتنا (our house), all later words skip a step: درستم (you studied) is درس in a new stemmer, as in Snowball, and درستم after that word, for good.
# So are the other verbs with the endings of "you" (plural) and "they". An index of a text and a query of one word do not meet. The stemmers of other
# languages and the one of Snowball itself do not depend on what came before.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile nltk==3.10.4 PyStemmer==3.1.0
"$folder/venv/bin/python" -W ignore - <<'PY'
import sys
from importlib.metadata import version

import Stemmer
from nltk.stem.snowball import SnowballStemmer

print(*(f"{name} {version(name)}" for name in ("nltk", "PyStemmer")))
FIRST = "بيتنا"
VERBS = "درستم سمعتم عبدتم حولتم استطعتم تبلغتم كتموا حولوا مننوا يهجوا".split()
NOUNS = "كتاب المدرسة الطلاب مدينة".split()
snowball = Stemmer.Stemmer("arabic")


def stem(words, *before):
    stemmer = SnowballStemmer("arabic")
    for word in before:
        stemmer.stem(word)
    return [stemmer.stem(word) for word in words]


new, later, alone = stem(VERBS), stem(VERBS, FIRST), [stem([word])[0] for word in VERBS]
for word, before, after in zip(VERBS, new, later):
    print(f"{word}: {before} in a new stemmer, {after} after {FIRST}, {snowball.stemWord(word)} in Snowball")
stemmer = SnowballStemmer("arabic")
twice = [stemmer.stem(word) for word in (VERBS[0], FIRST, VERBS[0])]
print("one stemmer, the same word before and after another:", twice)
if stem(NOUNS) != stem(NOUNS, FIRST) or stem(NOUNS) != snowball.stemWords(NOUNS) or alone != snowball.stemWords(VERBS) or new != alone:
    sys.exit("not as expected")
for language, words in {"german": "Häuser Haus gegangen", "russian": "книги книга читали", "english": "houses house running"}.items():
    one = SnowballStemmer(language)
    words = words.split()
    if [one.stem(word) for word in words] + [one.stem(word) for word in words] != 2 * [SnowballStemmer(language).stem(word) for word in words]:
        sys.exit("not as expected")
snowball.stemWord(FIRST)
if snowball.stemWords(VERBS) != alone:
    sys.exit("not as expected")
if twice[0] == twice[2] or sum(a != b for a, b in zip(new, later)) < len(VERBS) - 1:
    sys.exit("NLTK changed")
PY
