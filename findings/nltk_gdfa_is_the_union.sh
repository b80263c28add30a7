#!/usr/bin/env bash
# Guess: `grow_diag_final_and` returns the symmetrised alignment of that name (Koehn et al., 2005, cited in its docstring; Moses): from the
# intersection of both directions it grows by neighbours that align a word without a link, then adds links of two words that have none.
# Behaviour: it returns the union of both directions, always. The test whether a word has a link looks the word up among the names of two
# sets, "e" and "f", instead of in the sets, so that no word ever has one. The union has more links: phrase tables and alignment error
# rates of "grow-diag-final-and" are those of the union.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile nltk==3.10.4
"$folder/venv/bin/python" - <<'PY'
import random
import sys
from importlib.metadata import version

from nltk.translate import grow_diag_final_and

print("nltk", version("nltk"))
NEIGHBOURS = [(-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)]


def from_the_paper(lengths, forward, backward):
    links = forward & backward

    def without_link(link):
        return [all(other[side] != link[side] for other in links) for side in (0, 1)]

    grows = True
    while grows:
        grows = False
        for word in range(lengths[0]):
            for other in range(lengths[1]):
                for down, right in NEIGHBOURS if (word, other) in links else ():
                    link = (word + down, other + right)
                    if link in forward | backward and link not in links and any(without_link(link)):
                        links.add(link)
                        grows = True
    for direction in (forward, backward):
        for link in sorted(direction):
            if all(without_link(link)):
                links.add(link)
    return links


def of_nltk(lengths, forward, backward):
    return set(grow_diag_final_and(*lengths, *(" ".join(f"{i}-{j}" for i, j in sorted(d)) for d in (forward, backward))))


draw = random.Random(1)
unions, equal, links = 0, 0, [0, 0]
for _ in range(1000):
    lengths = [draw.randint(3, 9) for _ in "12"]
    forward = {(draw.randrange(lengths[0]), j) for j in range(lengths[1]) if draw.random() < 0.9}
    backward = {(i, draw.randrange(lengths[1])) for i in range(lengths[0]) if draw.random() < 0.9}
    seen, expected = of_nltk(lengths, forward, backward), from_the_paper(lengths, forward, backward)
    unions += seen == forward | backward
    equal += seen == expected
    links = [links[0] + len(seen), links[1] + len(expected)]
print(f"of 1,000 random pairs: {unions} are the union, {equal} equal the algorithm; links: {links[0]} instead of {links[1]}")
forward, backward = {(0, 0), (1, 1), (2, 2), (4, 0)}, {(0, 0), (1, 1), (2, 2), (2, 4)}
example = [sorted(function((5, 5), forward, backward) - (forward & backward)) for function in (of_nltk, from_the_paper)]
print(f"words 0, 1, 2 are aligned in both directions; NLTK adds {example[0]}, the algorithm {example[1]}")
if unions != 1000 or not 0 < equal < 500 or example != [[(2, 4), (4, 0)], []]:
    sys.exit("nltk changed")
PY
