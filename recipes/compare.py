"""Compares any configurations: trains each configuration with several seeds, and writes one table.

    python recipes/compare.py LIST.json --output runs/comparison

LIST.json lists the configurations:

    {
      "settings": {"train_source": "train.en", "train_target": "train.de", "max_updates": 1000, ...},
      "configurations": {"baseline": {}, "fusion": {"model": {"shortcuts": "fusion"}}, ...},
      "baseline": "baseline",
      "seeds": [1, 2, 3]
    }

`settings` are settings of `keras_nmt.experiments.experiment.Experiment` that all configurations share; each
configuration has its changes. To compare the configurations of a recipe, use the recipe's `compare`.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Annotated, Any

import typer

from keras_nmt.cli.options import Import
from keras_nmt.cli.recipe_app import Seeds, Set, TableOnly, Unequal, parse_overrides, parse_seeds
from keras_nmt.cli.run_app import import_tensorflow, run_app
from keras_nmt.errors import UserError
from keras_nmt.experiments.comparison import Comparison
from keras_nmt.experiments.experiment import Experiment
from keras_nmt.experiments.recipe import merge_settings

KEYS = {"settings": dict, "configurations": dict, "baseline": str, "seeds": list}
FLAGS = {"seed": "--seeds", "directory": "--output"}  # settings that differ between runs


def main(
    list_file: Annotated[Path, typer.Argument(metavar="LIST.json", help="The configurations.")],
    output: Annotated[Path, typer.Option(help="Folder of the runs and of the table.")],
    seeds: Seeds = "",
    set_: Set = None,
    unequal: Unequal = False,
    table_only: TableOnly = False,
    import_: Import = None,
) -> None:
    """Trains configurations with several seeds and writes one table. The same command continues a stopped comparison.

    LIST.json is an object: "settings", the shared settings of all experiments; "configurations", the changes of each
    configuration by name; "baseline", the name of the configuration to compare with; "seeds", a list, which --seeds
    replaces. For example: {"settings": {"train_source": "train.en", ...}, "configurations": {"plain": {}, "fusion":
    {"model": {"shortcuts": "fusion"}}}, "baseline": "plain", "seeds": [1, 2, 3]}.
    """
    import_tensorflow(import_)
    compared = read_list(list_file)
    overrides = parse_overrides(set_, FLAGS)

    def make(name: str, seed: int, directory: Path) -> Experiment:
        settings = merge_settings(compared["settings"], compared["configurations"][name], overrides)
        return Experiment.from_settings({**settings, "seed": seed, "directory": directory})

    comparison = Comparison(
        experiments={name: functools.partial(make, name) for name in compared["configurations"]},
        baseline=compared["baseline"],
        seeds=parse_seeds(seeds) if seeds else compared["seeds"],
        directory=output,
        unequal=unequal,
        imports=import_ or (),
    )
    if not table_only:
        comparison.run()
    comparison.show()


def read_list(path: Path) -> dict[str, Any]:
    """Reads and checks a list of configurations."""
    compared = Experiment.read_settings(path)
    for key, kind in KEYS.items():
        if not isinstance(compared.get(key), kind):
            raise UserError(f"{path} needs `{key}`, a {kind.__name__}. Received: {key}={compared.get(key)!r}")
    if unknown := sorted(set(compared) - set(KEYS)):
        raise UserError(f"{path} has {', '.join(KEYS)} only. Received: {', '.join(unknown)}")
    for name, configuration in compared["configurations"].items():
        if not isinstance(configuration, dict):
            raise UserError(f"A configuration is an object of settings by name. Received: {name}={configuration!r}")
    for name, settings in {"settings": compared["settings"], **compared["configurations"]}.items():
        if its_own := sorted(set(FLAGS) & set(settings)):
            raise UserError(
                "Each run has its own seed and directory: use `seeds` and --output. "
                f"Received: {', '.join(its_own)} in {name}"
            )
    if not all(isinstance(seed, int) for seed in compared["seeds"]):
        raise UserError(f"Seeds are integers. Received: seeds={compared['seeds']!r}")
    return compared


if __name__ == "__main__":
    run_app(main)
