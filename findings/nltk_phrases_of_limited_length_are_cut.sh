#!/usr/bin/env bash
# Guess: with `max_phrase_length=3`, `phrase_extraction` returns the phrase pairs of Och and Ney that it returns without a limit, but for those where
# a side has more than three words.
# Behaviour: the end of a target phrase is cut at the limit before pairs are made. What is left lacks words to which the source is aligned, so that it
# is no phrase pair: "does not work" gets "geht leider heute", without the "nicht" behind it. Other target phrases are longer than the limit, as
# words without a link before them are added unlimited. Of the pairs from random alignments, 11% are no phrase pairs and 20% too long. Without a
# limit, all are right. A table of phrases with the usual limit gives probability to cut translations.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile nltk==3.10.4
"$folder/venv/bin/python" - <<'PY'
import random
import sys
from importlib.metadata import version
from itertools import combinations

from nltk.translate.phrase_based import phrase_extraction

print("nltk", version("nltk"))


def by_definition(source, target, links, limit):
    """All pairs of spans with a link inside, no link from inside to outside, and at most LIMIT words a side."""
    pairs = set()
    for first, last in combinations(range(len(source) + 1), 2):
        for left, right in combinations(range(len(target) + 1), 2):
            sides = [(first <= i < last, left <= j < right) for i, j in links]
            if any(a and b for a, b in sides) and all(a == b for a, b in sides) and max(last - first, right - left) <= limit:
                pairs.add(((first, last), (left, right)))
    return pairs


def by_nltk(source, target, links, limit):
    return {pair[:2] for pair in phrase_extraction(" ".join(source), " ".join(target), links, limit)}


draw = random.Random(1)
counts = {0: [0, 0, 0, 0], 3: [0, 0, 0, 0]}
for _ in range(300):
    source, target = ([f"{side}{i}" for i in range(draw.randint(2, 7))] for side in "st")
    links = {(draw.randrange(len(source)), draw.randrange(len(target))) for _ in range(draw.randint(2, 7))}
    consistent = by_definition(source, target, links, 99)
    for limit, numbers in counts.items():
        seen, expected = by_nltk(source, target, links, limit), by_definition(source, target, links, limit or 99)
        parts = seen, seen - consistent, (seen & consistent) - expected, expected - seen
        counts[limit] = [number + len(part) for number, part in zip(numbers, parts)]
for limit, (pairs, inconsistent, long, missing) in counts.items():
    print(f"limit {limit or 'none'}: {pairs} pairs, of which {inconsistent} are none and {long} too long; {missing} are missing")
source, target = "it does not work".split(), "es geht leider heute nicht".split()
links = {(0, 0), (1, 1), (2, 4), (3, 1)}
example = sorted(phrase_extraction(" ".join(source), " ".join(target), links, 3))
for (first, last), (left, right), words, others in example:
    right_one = ((first, last), (left, right)) in by_definition(source, target, links, 3)
    print(f"{words!r} and {others!r}:", "right" if right_one else "wrong")
if counts[0][1:] != [0, 0, 0] or not (counts[3][1] > 0 and counts[3][2] > 0):
    sys.exit("nltk changed")
PY
