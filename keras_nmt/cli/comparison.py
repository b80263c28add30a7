"""The command that trains and compares configurations: `compare`."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Annotated, Any

import typer

from keras_nmt.cli.options import Set, with_options
from keras_nmt.cli.recipe_app import OF_COMPARISON, Seeds, carry_out, comparison_arguments, parse_overrides, parse_seeds
from keras_nmt.cli.run_app import import_tensorflow
from keras_nmt.errors import UserError, check_choice, check_names, is_integer, require
from keras_nmt.experiments.recipe import check_reference, matched_hidden_dim, merge_settings
from keras_nmt.files.json_file import JSON_NAMES, read_json

KEYS = {"settings": dict, "configurations": dict, "baseline": str, "seeds": list}
MATCHED = "matched_to"  # the key of a configuration that is no setting
FLAGS = {"seed": "--seeds", "directory": "--output"}  # settings that differ between runs


@with_options(OF_COMPARISON)
def compare(
    list_file: Annotated[Path, typer.Argument(metavar="LIST.json", help="The configurations.")],
    output: Annotated[Path, typer.Option(help="Folder of the runs and of the table.")],
    seeds: Seeds = "",
    set_: Set = None,
    **shared: Any,
) -> None:
    """Trains configurations with several seeds and writes one table. The same command continues a stopped comparison.

    All configurations are checked before the first one is trained.
    LIST.json is an object: "settings", the shared settings of all experiments; "configurations", the changes of each
    configuration by name; "baseline", the name of the configuration to compare with; "seeds", a list, which --seeds
    replaces. For example: {"settings": {"data": {"train": "train.{language}", ...}}, "configurations": {"plain": {},
    "fusion": {"model": {"shortcuts": "fusion"}}, "control": {"matched_to": "fusion"}}, "baseline": "plain", "seeds":
    [1, 2, 3]}. The width of "control" gives it about as many parameters as "fusion" has.
    """
    compared = read_list(list_file)
    overrides = parse_overrides(set_, FLAGS)
    numbers = parse_seeds(seeds) if seeds else compared["seeds"]
    import_tensorflow(shared["import_"])
    from keras_nmt.experiments import Comparison, ExperimentConfig

    def make(name: str, seed: int, directory: Path) -> ExperimentConfig:
        of_run = {"training.update.seed": seed, "directory": directory}

        def made(name: str, **more: Any) -> ExperimentConfig:
            chosen = {key: value for key, value in compared["configurations"][name].items() if key != MATCHED}
            return ExperimentConfig.from_settings(compared["settings"], chosen, overrides, of_run, more)

        if (other := compared["configurations"][name].get(MATCHED)) is None:
            return made(name)
        return made(name, **{"model.hidden_dim": matched_hidden_dim(name, made(name), other, made(other))})

    comparison = Comparison(
        experiments={name: functools.partial(make, name) for name in compared["configurations"]},
        baseline=compared["baseline"],
        seeds=numbers,
        directory=output,
        **comparison_arguments(shared),
    )
    carry_out(comparison, shared)


def read_list(path: Path) -> dict[str, Any]:
    """Reads and checks a list of configurations."""
    compared = read_json(path, "a list of configurations")
    for key, kind in KEYS.items():
        if not isinstance(compared.get(key), kind):
            shown = json.dumps(compared.get(key), ensure_ascii=False)
            raise UserError(f"{path} needs `{key}`, {JSON_NAMES[kind]}. Received: {key}={shown}")
    check_names(f"entries of {path}", compared, KEYS)
    for name, configuration in compared["configurations"].items():
        if not isinstance(configuration, dict):
            raise UserError(f"A configuration is an object of settings by name. Received: {name}={configuration!r}")

    def chosen(name: str) -> dict[str, Any]:
        check_choice("configuration", name, compared["configurations"])
        configuration: dict[str, Any] = compared["configurations"][name]
        return configuration

    for name in compared["configurations"]:
        check_reference(MATCHED, name, chosen)
    for name, settings in {"settings": compared["settings"], **compared["configurations"]}.items():
        its_own = sorted(set(FLAGS) & {end.rpartition(".")[2] for end in merge_settings(settings)})
        problem = "Each run has its own seed and directory: use `seeds` and --output"
        require(not its_own, f"{problem}. Received: {', '.join(its_own)} in {name}")
    require(all(map(is_integer, compared["seeds"])), f"Seeds are integers. Received: seeds={compared['seeds']!r}")
    return compared
