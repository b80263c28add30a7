#!/usr/bin/env bash
# Guess: `WindowShuffleMapDataset` puts the elements of each window into another order, as its documentation says, "a one-to-one mapping".
# Behaviour: the last window is shuffled as if it were full. Where its places lie behind the end, elements of the beginning stand there: of 1,500
# elements and a window of 1,000, 256 of the last 500 are missing in an epoch, and 256 of the first 500 are there twice; of 100 elements, 35 are
# missing. `WindowShuffleIterDataset` and `shuffle` have each element once.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile grain==0.2.18 numpy==2.4.6
"$folder/venv/bin/python" - <<'PY'
import sys
from collections import Counter
from importlib.metadata import version

import grain

print("grain", version("grain"))


def count(dataset, number):
    """The elements that are missing, and those that are there more often than once."""
    seen = Counter(int(element) for element in dataset)
    if set(seen) - set(range(number)) or sum(seen.values()) != number:
        sys.exit("not as expected")
    return sorted(set(range(number)) - set(seen)), sorted(element for element, times in seen.items() if times > 1)


results = {}
for number, window in ((1000, 250), (1500, 1000), (1001, 1000), (600, 1000), (100, 1000)):
    data = grain.MapDataset.range(number)
    by_map = grain.experimental.WindowShuffleMapDataset(data, window_size=window, seed=1)
    by_iter = grain.experimental.WindowShuffleIterDataset(data.to_iter_dataset(), window_size=window, seed=1)
    results[number, window] = missing, repeated = count((by_map[index] for index in range(number)), number)
    others = count(by_iter, number), count(data.shuffle(seed=1), number)
    print(f"{number} elements, window of {window}: {len(missing)} missing, {len(repeated)} more often than once; the others {others}")
    if others != (([], []),) * 2:
        sys.exit("not as expected")
small = grain.experimental.WindowShuffleMapDataset(grain.MapDataset.range(10), window_size=4, seed=1)
small = [int(small[index]) for index in range(10)]
print("10 elements, window of 4:", small)
if results[1000, 250] != ([], []):
    sys.exit("not as expected")
missing, repeated = results[1500, 1000]
print(f"of 1,500, missing from {missing[0]} to {missing[-1]}, more often than once from {repeated[0]} to {repeated[-1]}")
if len(missing) < 200 or missing[0] < 1000 or repeated[-1] > 499:
    sys.exit("grain changed")
if len(results[600, 1000][0]) < 100 or len(results[100, 1000][0]) < 30 or len(set(small)) == 10:
    sys.exit("grain changed")
PY
