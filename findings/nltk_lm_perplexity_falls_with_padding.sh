#!/usr/bin/env bash
# Guess: of sentences whose words do not depend on each other, a language model of order 5 has no lower perplexity than one of order 2, and the words
# that can follow have a probability of 1 together.
# Behaviour: `pad_both_ends` and `padded_everygram_pipeline`, which the documentation uses, put n - 1 marks on both ends of a sentence. All `</s>` but
# the first are certain, and count as words that were predicted: of sentences of 4 to 10 words drawn by themselves, the perplexity falls from 20.3
# (order 2) to 12.0 (order 5), where that of words and one end rises from 20.3 to 30.3. Each `<s>` counts as a word of the text in training: behind
# unseen words, all words and the end have 0.73 together under order 5, and `<s>`, which cannot follow, the rest.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile nltk==3.10.4
"$folder/venv/bin/python" - <<'PY'
import math
import random
import sys
from importlib.metadata import version

from nltk.lm import AbsoluteDiscountingInterpolated, WittenBellInterpolated
from nltk.lm.preprocessing import pad_both_ends, padded_everygram_pipeline
from nltk.util import ngrams

print("nltk", version("nltk"))
rng = random.Random(1)
WORDS = [f"{start}{end}" for start in ("ba", "de", "fi", "go", "lu") for end in ("", "ma", "no", "ra", "si", "ta")]
WEIGHTS = [1 / (i + 1) for i in range(len(WORDS))]


def sentences(number):
    """Returns sentences of 4 to 10 words, each word drawn by itself."""
    return [rng.choices(WORDS, WEIGHTS, k=rng.randrange(4, 11)) for _ in range(number)]


train, test = sentences(400), sentences(100)
seen = {}
for create in (WittenBellInterpolated, AbsoluteDiscountingInterpolated):
    for order in (1, 2, 3, 5):
        texts, vocabulary = padded_everygram_pipeline(order, train)
        model = create(order)
        model.fit(texts, vocabulary)
        padded = [gram for text in test for gram in ngrams(list(pad_both_ends(text, n=order)), order)]
        once = [gram for gram in padded if order == 1 or (gram[-1] != "<s>" and gram[-2:] != ("</s>", "</s>"))]
        if len(once) != sum(len(text) + (order > 1) for text in test):
            sys.exit("not as expected")
        total = sum(model.score(word, ["unseen"] * (order - 1)) for word in model.vocab if word != "<s>")
        by_hand = 2 ** (-sum(math.log2(model.score(gram[-1], gram[:-1])) for gram in padded) / len(padded))
        if abs(by_hand / model.perplexity(padded) - 1) > 1e-9:
            sys.exit("not as expected")
        seen[create.__name__, order] = model.perplexity(padded), model.perplexity(once), total
        print(
            f"{create.__name__}, order {order}: perplexity {seen[create.__name__, order][0]:.1f}, of words and one end "
            f"{seen[create.__name__, order][1]:.1f}, all words behind unseen ones {total:.3f}"
        )
        if order == 1 and abs(total - 1) > 1e-9:
            sys.exit("not as expected")
for name in ("WittenBellInterpolated", "AbsoluteDiscountingInterpolated"):
    if not seen[name, 5][0] < 0.75 * seen[name, 2][0] < 1.3 * seen[name, 2][1] < seen[name, 5][1] or seen[name, 5][2] > 0.8:
        sys.exit("nltk changed")
PY
