#!/usr/bin/env bash
# Guess: b-bit MinHash estimates the Jaccard similarity of two texts with the error that 128 permutations allow, 0.09 for b = 1.
# Behaviour: so it did, and does with the scheme of datasketch 1, `scheme="legacy"`. In datasketch 2, of two titles of three words, each one
# trigram, without a common word, the estimate is 1.0 in half of the cases and -1.0 in the others; of four words, each two trigrams, it is 1.0 in
# a tenth. Permutations are a * hash + b modulo 2^32 with odd a: they leave the lowest bit of a hash as it is, or turn it around for all hashes
# alike. Full MinHash finds nothing in common in any of these pairs; texts of 34 words have the error that was guessed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile datasketch==2.0.0 numpy==2.4.6 scipy==1.17.1
"$folder/venv/bin/python" - <<'PY'
import random
import statistics
import sys

import datasketch
from datasketch import MinHash, bBitMinHash

print("datasketch", datasketch.__version__)
draw = random.Random(1)
WORDS = [consonant + vowel + end for consonant in "bdfgklmnprst" for vowel in "aeiou" for end in ("l", "n", "r", "ck")]


def sketch(words, scheme):
    minhash = MinHash(num_perm=128, scheme=scheme)
    minhash.update_batch([" ".join(words[i : i + 3]).encode() for i in range(len(words) - 2)])
    return minhash


def compare(length, scheme):
    """Estimates the similarity of 200 pairs of titles without a common word: the deviation, and how many are above 0.99."""
    estimates = []
    for _ in range(200):
        words = draw.sample(WORDS, 2 * length)
        one, other = sketch(words[:length], scheme), sketch(words[length:], scheme)
        if one.jaccard(other):
            sys.exit("not as expected: full MinHash finds nothing in common")
        estimates.append(bBitMinHash(one).jaccard(bBitMinHash(other)))
    equal = sum(estimate > 0.99 for estimate in estimates) / len(estimates)
    print(f"{scheme}, {length} words: deviation {statistics.pstdev(estimates):.2f}, {equal:.0%} of the pairs are equal")
    return statistics.pstdev(estimates), equal


seen = {(length, scheme): compare(length, scheme) for scheme in ("legacy", "affine32") for length in (3, 4, 34)}
default = MinHash().scheme
print("default:", default)
if any(seen[length, "legacy"][0] > 0.12 for length in (3, 4, 34)) or seen[34, "affine32"][0] > 0.15:
    sys.exit("not as expected: the old scheme, and the new one of long texts, have the error of 128 permutations")
if default != "affine32" or seen[3, "affine32"][0] < 0.95 or seen[3, "affine32"][1] < 0.4 or seen[4, "affine32"][1] < 0.1:
    sys.exit("datasketch changed")
PY
