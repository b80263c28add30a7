#!/usr/bin/env bash
# Guess: an epoch that is continued from `StatefulDataLoader.state_dict()` has each sample once, also with a sampler of PyTorch, as the loader replaces
# `DataLoader` and keeps its place in the middle of an epoch.
# Behaviour: of a sampler that is not stateful, as all of `torch.utils.data` are, the loader keeps the number of batches alone. The new process
# draws an order, that of the first epoch where the seed is the same, and skips as many: stopped half way through the second epoch, a quarter of
# the samples are seen twice and a quarter never, without a warning. Only the first epoch is right. With `shuffle=True`, the loader has a sampler
# of its own, and each epoch is complete; but with a seeded `generator`, the next epochs are not those of the uninterrupted run.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile torch==2.13.0 torchdata==0.11.0 numpy==2.4.6
cat >"$folder/run.py" <<'PY'
import sys
import warnings

import torch
from torch.utils.data import BatchSampler, RandomSampler, SubsetRandomSampler
from torchdata.stateful_dataloader import StatefulDataLoader

warnings.filterwarnings("error", message="(?!.*set_vital)")
NUMBER, BATCH = 1000, 10


def seeded():
    return torch.Generator().manual_seed(5)


LOADERS = {
    "shuffle": lambda: {"batch_size": BATCH, "shuffle": True},
    "shuffle, generator": lambda: {"batch_size": BATCH, "shuffle": True, "generator": seeded()},
    "RandomSampler": lambda: {"batch_size": BATCH, "sampler": RandomSampler(range(NUMBER))},
    "RandomSampler, generator": lambda: {"batch_size": BATCH, "sampler": RandomSampler(range(NUMBER), generator=seeded())},
    "SubsetRandomSampler, generator": lambda: {"batch_size": BATCH, "sampler": SubsetRandomSampler(range(NUMBER), seeded())},
    "BatchSampler, generator": lambda: {
        "batch_sampler": BatchSampler(RandomSampler(range(NUMBER), generator=seeded()), BATCH, False)
    },
}


def create(name):
    torch.manual_seed(7)
    return StatefulDataLoader(range(NUMBER), **LOADERS[name]())


def epoch(loader):
    return [batch.tolist() for batch in loader]


print("torch", torch.__version__)
seen = {}
for name in LOADERS:
    whole = create(name)
    expected = [epoch(whole) for _ in range(3)]
    for stopped in (0, 1):
        loader = create(name)
        for _ in range(stopped):
            epoch(loader)
        batches = iter(loader)
        begin = [next(batches).tolist() for _ in range(NUMBER // BATCH // 2)]
        state = loader.state_dict()
        loader = create(name)  # as a new process does
        loader.load_state_dict(state)
        continued = [begin + epoch(loader), *(epoch(loader) for _ in range(2 - stopped))]
        missing = NUMBER - len({sample for batch in continued[0] for sample in batch})
        seen[name, stopped] = missing, continued[1:] == expected[stopped + 1 :]
        print(f"{name}: stopped in epoch {stopped + 1}, {missing} of {NUMBER} samples are missing; later epochs are the same: {seen[name, stopped][1]}")
if seen["shuffle", 0] != (0, True) or seen["shuffle", 1] != (0, True):
    sys.exit("not as expected")
if seen["shuffle, generator", 0] != (0, False) or any(
    not 200 < seen[f"{kind}, generator", 1][0] < 300 for kind in ("RandomSampler", "SubsetRandomSampler", "BatchSampler")
):
    sys.exit("torchdata changed")
PY
"$folder/venv/bin/python" "$folder/run.py"
