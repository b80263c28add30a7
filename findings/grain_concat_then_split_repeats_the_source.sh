#!/usr/bin/env bash
# Guess: packing that concatenates and splits writes each token of a source and its target once, in order.
# Behaviour: with two features, a pair that fills more than two rows, and whose source ends in an earlier row than its target, is cut at the
# wrong place: where the rest of the source needs no cut, its length is taken for its end in the whole sentence. A row without a source
# follows, and the next one begins again with tokens that were written before: of six source tokens in rows of four, 3 and 4 come in every
# second row for as long as the target goes on, 5 and 6 only beside its end. One feature alone is packed as it should be.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile grain==0.2.18 numpy==2.4.6
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

import grain
import numpy as np

print("grain", version("grain"))


def pack(length, **lengths):
    """Tokens of all rows, by feature, of one sentence with so many tokens in each feature: 1, 2, 3 and so on."""
    sentence = {name: np.arange(1, number + 1) for name, number in lengths.items()}
    parent = grain.MapDataset.source([sentence]).to_iter_dataset()
    rows = list(grain.experimental.ConcatThenSplitIterDataset(parent, length_struct=dict.fromkeys(lengths, length)))
    print(f"rows of {length} for", ", ".join(f"{number} tokens of the {name}" for name, number in lengths.items()))
    for row in rows:
        print("   ", ", ".join(f"{name} {row[name]}" for name in lengths))
    return {name: np.concatenate([row[name][row[f"{name}_segment_ids"] > 0] for row in rows]).tolist() for name in lengths}


right = {number: list(range(1, number + 1)) for number in (6, 8, 12, 20)}
alone, short = pack(4, source=20), pack(4, source=6, target=8)
packed, longer = pack(4, source=6, target=12), pack(4, source=6, target=20)
if alone["source"] != right[20] or (short["source"], short["target"]) != (right[6], right[8]):
    sys.exit("not as expected")
if packed["target"] != right[12] or longer["target"] != right[20]:
    sys.exit("not as expected")
if packed["source"] != [1, 2, 3, 4, 3, 4, 5, 6] or longer["source"] != [1, 2, 3, 4, 3, 4, 3, 4, 5, 6]:
    sys.exit("grain changed")
PY
