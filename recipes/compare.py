"""Compares any configurations with each other: trains each with several seeds, and writes one table.

    python recipes/compare.py LIST.json --output runs/comparison

LIST.json says what is compared:

    {
      "settings": {"train_source": "train.en", "train_target": "train.de", "max_updates": 1000, ...},
      "configurations": {"baseline": {}, "fusion": {"model": {"shortcuts": "fusion"}}, ...},
      "baseline": "baseline",
      "seeds": [1, 2, 3]
    }

`settings` are those of `keras_nmt.experiment.Experiment` that all share; each of `configurations` has what it changes.
To compare what a recipe has, run its own `compare`.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Annotated, Any

import typer

from keras_nmt.cli import run_app, setting
from keras_nmt.comparison import Comparison
from keras_nmt.errors import UserError
from keras_nmt.experiment import Experiment
from keras_nmt.recipe import Seeds, Set, TableOnly, Unequal, merge_settings, parse_seeds

KEYS = {"settings": dict, "configurations": dict, "baseline": str, "seeds": list}


def main(
    list_file: Annotated[Path, typer.Argument(metavar="LIST.json", help="What is compared.")],
    output: Annotated[Path, typer.Option(help="Folder of the runs and of the table.")],
    seeds: Seeds = "",
    set_: Set = None,
    unequal: Unequal = False,
    table_only: TableOnly = False,
) -> None:
    """Trains configurations with several seeds and writes one table. Started again, it goes on."""
    compared = read_list(list_file)
    overrides = dict(setting(text) for text in set_ or [])

    def make(name: str, seed: int, directory: Path) -> Experiment:
        settings = merge_settings(compared["settings"], compared["configurations"][name], overrides)
        return Experiment.from_settings({**settings, "seed": seed, "directory": directory})

    comparison = Comparison(
        experiments={name: functools.partial(make, name) for name in compared["configurations"]},
        baseline=compared["baseline"],
        seeds=parse_seeds(seeds) if seeds else compared["seeds"],
        directory=output,
        unequal=unequal,
    )
    if not table_only:
        comparison.run()
    comparison.show()


def read_list(path: Path) -> dict[str, Any]:
    """Reads and checks a list of what is compared."""
    compared = Experiment.read_settings(path)
    for key, kind in KEYS.items():
        if not isinstance(compared.get(key), kind):
            raise UserError(f"{path} needs `{key}`, a {kind.__name__}. Received: {key}={compared.get(key)!r}")
    if unknown := sorted(set(compared) - set(KEYS)):
        raise UserError(f"{path} has {', '.join(KEYS)} only. Received: {', '.join(unknown)}")
    for name, configuration in compared["configurations"].items():
        if not isinstance(configuration, dict):
            raise UserError(f"A configuration is an object of settings by name. Received: {name}={configuration!r}")
    if not all(isinstance(seed, int) for seed in compared["seeds"]):
        raise UserError(f"Seeds are integers. Received: seeds={compared['seeds']!r}")
    return compared


if __name__ == "__main__":
    run_app(main)
