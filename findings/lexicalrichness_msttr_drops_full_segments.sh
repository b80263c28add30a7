#!/usr/bin/env bash
# Guess: the mean segmental type-token ratio of a text of 200 words, by segments of 100, is the mean over both segments; `discard=True`, the default,
# leaves out what is left over, as the five last words of 105 in the documentation.
# Behaviour: the last segment is left out whether or not it is full: of 200 words, the second hundred does not count, of 300 the third. A text whose
# second half repeats one word has the ratio of its first half, 1.0 instead of 0.505. With 201 words, both segments count. `discard=False`, the ratio
# of all words and the moving average are right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile lexicalrichness==0.5.1 numpy==2.4.6 scipy==1.17.1 pandas==3.1.1 matplotlib==3.11.2
"$folder/venv/bin/python" -W ignore - <<'PY'
import sys
from importlib.metadata import version

from lexicalrichness import LexicalRichness

print(*(f"{name} {version(name)}" for name in ("lexicalrichness", "pandas", "scipy")))
SIZE = 100
NEW, SAME = [f"w{i}" for i in range(SIZE)], ["w0"] * SIZE


def compute_ratio(words, discard):
    segments = [words[start : start + SIZE] for start in range(0, len(words), SIZE)]
    ratios = [len(set(segment)) / len(segment) for segment in segments if len(segment) == SIZE or not discard]
    return sum(ratios) / len(ratios)


seen = {}
for name, words in {"200 words": NEW + SAME, "201 words": NEW + SAME + ["w0"], "205 words": NEW + SAME + ["w0"] * 5, "300 words": NEW + NEW + SAME}.items():
    text = LexicalRichness(words, preprocessor=None, tokenizer=None)
    for discard in (True, False):
        seen[name, discard] = text.msttr(segment_window=SIZE, discard=discard), compute_ratio(words, discard)
        print(f"{name}, discard={discard}: {seen[name, discard][0]:.3f}, by the definition {seen[name, discard][1]:.3f}")
    windows = [len(set(words[i : i + SIZE])) / SIZE for i in range(len(words) - SIZE + 1)]
    if abs(text.ttr - len(set(words)) / len(words)) > 1e-9 or abs(text.mattr(window_size=SIZE) - sum(windows) / len(windows)) > 1e-9:
        sys.exit("not as expected")
for (name, discard), (found, right) in seen.items():
    if not discard or name in ("201 words", "205 words"):
        if abs(found - right) > 1e-9:
            sys.exit("not as expected")
    elif found != 1 or right > 0.7:
        sys.exit("lexicalrichness changed")
PY
