#!/usr/bin/env bash
# Guess: trainings with the seeds 0 to 4 read their data in independent orders, so that their scores show how much the order matters.
# Behaviour: the seed of an epoch is the seed of the training plus the number of the epoch, in PyTorch's `DistributedSampler`, in accelerate's
# sampler, which Hugging Face's trainer uses by default, and in grain. The second epoch with seed 0 is the first with seed 1: five seeds and five
# epochs have 9 orders, not 25, and two neighbouring seeds have all but one in common. In grain's `IndexSampler`, the random numbers of a
# record are those of the record before it with the next seed. Seeds that are further apart than there are epochs, or records, have none in
# common, nor have those that grain's `seed` derives.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile torch==2.13.0 accelerate==1.15.0 grain==0.2.18 numpy==2.4.6
"$folder/venv/bin/python" -W ignore - <<'PY'
import sys
from importlib.metadata import version

import grain
from accelerate.data_loader import prepare_data_loader
from torch.utils.data import DataLoader, DistributedSampler

print(*(f"{name} {version(name)}" for name in ("torch", "accelerate", "grain")))
RECORDS, EPOCHS = 1000, range(5)


def by_torch(seed):
    sampler = DistributedSampler(range(RECORDS), num_replicas=1, rank=0, seed=seed)
    for epoch in EPOCHS:
        sampler.set_epoch(epoch)
        yield list(sampler)


def by_accelerate(seed):
    loader = DataLoader(range(RECORDS), batch_size=RECORDS, shuffle=True)
    loader = prepare_data_loader(loader, use_seedable_sampler=True, data_seed=seed)
    for epoch in EPOCHS:
        loader.set_epoch(epoch)
        yield [int(x) for batch in loader for x in batch]


def by_shuffle(seed):
    records = grain.MapDataset.range(RECORDS).shuffle(seed=seed).repeat(len(EPOCHS))
    return ([int(records[epoch * RECORDS + i]) for i in range(RECORDS)] for epoch in EPOCHS)


def by_index_sampler(seed):
    sampler = grain.samplers.IndexSampler(RECORDS, shuffle=True, seed=seed, num_epochs=len(EPOCHS))
    return ([int(sampler[epoch * RECORDS + i].record_key) for i in range(RECORDS)] for epoch in EPOCHS)


def by_derived_seeds(seed):
    records = grain.MapDataset.range(RECORDS).seed(seed).shuffle().repeat(len(EPOCHS))
    return ([int(records[epoch * RECORDS + i]) for i in range(RECORDS)] for epoch in EPOCHS)


def number_of_orders(orders, seeds):
    return len({tuple(order) for seed in seeds for order in orders(seed)})


kinds = {
    "torch, DistributedSampler": by_torch,
    "accelerate": by_accelerate,
    "grain, shuffle(seed)": by_shuffle,
    "grain, IndexSampler": by_index_sampler,
    "grain, seed(seed).shuffle()": by_derived_seeds,
}
seen = {}
for name, orders in kinds.items():
    seen[name] = number_of_orders(orders, range(5)), number_of_orders(orders, range(0, 50, 10))
    print(f"{name}: five epochs have {seen[name][0]} orders with the seeds 0 to 4, {seen[name][1]} with 0, 10 to 40")
samplers = [grain.samplers.IndexSampler(RECORDS, seed=seed, num_epochs=1) for seed in (0, 1)]
numbers = [[sampler[i].rng.random() for i in range(10)] for sampler in samplers]
derived = seen.pop("grain, seed(seed).shuffle()")
if derived != (25, 25) or any(apart != 25 for _, apart in seen.values()):
    sys.exit("not as expected")
for name, (near, _) in seen.items():
    if near != 9:
        sys.exit(f"{name} changed")
if numbers[0][1:] != numbers[1][:-1]:
    sys.exit("grain changed")
PY
