"""Recipes: a corpus, the settings that several experiments on it share, and what each of them changes."""

from __future__ import annotations

import dataclasses
import functools
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from keras_nmt.errors import UserError, check_choice, errors_as, require
from keras_nmt.files.settings import merge_arguments, set_value

if TYPE_CHECKING:
    from keras_nmt.experiments.comparison import Comparison
    from keras_nmt.experiments.config import ExperimentConfig

CORPORA = ("train", "dev", "test")
SYSTEMS = ("bilingual", "hub", "many_to_many")
PARTS_OF_TRAINING = ("update", "stop", "saving", "start", "logging")
SECTIONS = (  # of `ExperimentConfig`, which takes long to import
    *("data", "subwords", "model", "training", "evaluation", "search"),
    *(f"training.{name}" for name in PARTS_OF_TRAINING),
)
REFERENCES = ("matched_to", "start_from")  # keys whose values name another configuration
RECIPE_KEYS = (*REFERENCES, "system", "autoencoding", "leave_out")  # keys that are not settings of an experiment

Settings = dict[str, Any]


@dataclasses.dataclass(kw_only=True)
class Recipe:
    """Experiments on one corpus that share their settings; `keras_nmt.cli.recipe_app` makes their command line.

    The settings are those of `ExperimentConfig`, by section or by name. Settings of a configuration take precedence
    over shared settings, and overrides over both. Names of configurations may be joined with "+", such as
    "many_to_many+small": their settings are merged in this order. If a configuration changes `model.architecture`,
    shared arguments of `model` that the new architecture does not have are left out.

    A configuration may have keys that are not settings:

    - `matched_to`: the name of another configuration. The model gets the width whose number of parameters is nearest
      to that configuration's; see `matched_width`. The width and the remaining difference are printed.
    - `start_from`: the name of another configuration. Training starts from the weights of its run with the same seed,
      which must be in the same folder; `allow_missing` lists the weights that it may lack.
    - `system`: the directions: "bilingual" (one), "hub" (each language to and from the first) or "many_to_many" (all).
      Without it, the experiment has one direction, and the names of its runs have its languages.
    - `autoencoding`: whether a system also learns to write the sentences of each language again (A -> A).

    Args:
        name: Str, the name of the recipe, with which the folders of its runs begin.
        corpora: Dict, patterns of the files of "train", "dev" and optionally "test" in the folder of the corpus, such
            as "train.{language}"; see `DataConfig`. Several test sets are a list of patterns.
        languages: Tuple of str, the languages of the corpus. The first two are the default direction.
        settings: Dict, the settings that all configurations share.
        configurations: Dict from the name of each configuration to a dict of its changes.
        modifiers: Dict of the same kind, whose names are to be joined to configurations, such as "fusion+six_layers".
            A comparison without names leaves them out. Defaults to none.
        baseline: Str, the configuration to compare with.
        comparison: Dict, changes of `settings` in comparisons, such as a shorter training.
        per_pair: Dict, settings that are multiplied by the number of trained directions, such as `max_updates`.
        data_dir: Path of the corpus, if it comes with the recipe. Defaults to `None`.

    Raises:
        UserError: A corpus is missing, or a key names a configuration that does not exist.

    Example:

    >>> recipe = Recipe(
    ...     name="mine",
    ...     corpora={"train": "train.{language}", "dev": "dev.{language}"},
    ...     languages=("de", "en"),
    ...     settings={"training.stop.max_updates": 1000, "model": {"dropout": 0.1}},
    ...     configurations={"baseline": {}, "fusion": {"model": {"shortcuts": "fusion"}}},
    ...     baseline="baseline",
    ... )
    >>> recipe.experiment("fusion", data_dir="data", seed=1, directory="run").model.arguments
    {'dropout': 0.1, 'shortcuts': 'fusion'}
    >>> [f"{source}-{target}" for source, target in recipe.pairs("hub", autoencoding=True)]
    ['de-de', 'de-en', 'en-de', 'en-en']
    """

    name: str
    corpora: dict[str, str | list[str]]
    languages: tuple[str, ...]
    settings: Settings
    configurations: dict[str, Settings]
    baseline: str
    modifiers: dict[str, Settings] = dataclasses.field(default_factory=dict)
    comparison: Settings = dataclasses.field(default_factory=dict)
    per_pair: dict[str, int] = dataclasses.field(default_factory=dict)
    data_dir: Path | None = None

    def __post_init__(self) -> None:
        is_right = {"train", "dev"} <= set(self.corpora) <= set(CORPORA)
        require(is_right, "{corpora} must have train and dev, and may have test", corpora=list(self.corpora))
        twice = ", ".join(sorted(set(self.configurations) & set(self.modifiers)))
        require(not twice, f"A configuration and a modifier must have different names. Received: {twice}")
        self.chosen(self.baseline)
        for name in self._all:
            for key in REFERENCES:
                check_reference(key, name, self.chosen)

    def chosen(self, configuration: str) -> Settings:
        """Returns the settings and other keys of a configuration, or of several joined by "+"."""
        names, merged = configuration.split("+"), Settings()
        for i, name in enumerate(names):
            check_choice("configuration", name, self._all)
            require(names.count(name) == 1, f"{{configuration}} must name {name} once", configuration=configuration)
            changes = self._all[name]
            # With "a+b", a reference of "a" to "c" becomes "c+b".
            references = {
                key: "+".join(dict.fromkeys([*names[:i], *changes[key].split("+"), *names[i + 1 :]]))
                for key in REFERENCES
                if key in changes
            }
            merged = merge_settings(merged, changes, references)
        return merged

    @property
    def _all(self) -> dict[str, Settings]:
        return {**self.configurations, **self.modifiers}

    def pairs(
        self,
        system: str | None,
        *,
        source: str | None = None,
        target: str | None = None,
        autoencoding: bool = False,
        leave_out: Sequence[str] = (),
    ) -> list[tuple[str, str]]:
        """Lists the directions that a system is trained on.

        Args:
            system: One of `SYSTEMS`; `None`, like "bilingual", for one direction.
            source: Str, the source of one direction. Defaults to the first language.
            target: Str, the target of one direction. Defaults to the second language.
            autoencoding: Bool, whether to add A -> A for each language of another direction.
            leave_out: List of pairs "A-B" to leave out in both directions.

        Raises:
            UserError: A system or language is unknown, or a pair to leave out is not in the system.
        """
        check_choice("system", system, (None, *SYSTEMS))
        problem = f"A system of several directions takes no source and target. Received: {system}, {source} to {target}"
        require(system not in ("hub", "many_to_many") or (not source and not target), problem)
        problem = f"This configuration has one direction. Received: autoencoding={autoencoding}, leave_out={leave_out}"
        require(system is not None or (not autoencoding and not leave_out), problem)
        one = source or self.languages[0], target or self.languages[1]
        for side, language in zip(("source", "target"), one, strict=True):
            check_choice(side, language, self.languages)
        require(one[0] != one[1], f"Source and target must differ. Received: {one[0]} and {one[1]}")
        everything = [(s, t) for s in self.languages for t in self.languages]
        pairs = {
            "hub": [(s, t) for s, t in everything if s != t and self.languages[0] in (s, t)],
            "many_to_many": [(s, t) for s, t in everything if s != t],
        }.get(system or "", [one])
        known = {f"{s}-{t}": {(s, t), (t, s)} for s, t in pairs}
        for name in leave_out:
            check_choice("leave_out", name, known)
            pairs = [pair for pair in pairs if pair not in known[name]]
        require(pairs, f"`leave_out` must leave a direction to train on. Received: {list(leave_out)}")
        in_use = {language for pair in pairs for language in pair}
        return [(s, t) for s, t in everything if (s, t) in pairs or (autoencoding and s == t and s in in_use)]

    def experiment(
        self,
        configuration: str,
        /,
        *,
        data_dir: str | os.PathLike[str],
        seed: int,
        directory: str | os.PathLike[str],
        source: str | None = None,
        target: str | None = None,
        autoencoding: bool = False,
        leave_out: Sequence[str] = (),
        **overrides: Any,
    ) -> ExperimentConfig:
        """Makes the experiment of a configuration.

        Args:
            configuration: Str, its name, or several joined by "+".
            data_dir: Path of the corpus.
            seed: Int, the seed of everything random.
            directory: Path of the model directory to make. For a configuration with `start_from`, its name must end
                with `CONFIGURATION-SEED`, unless `init_from` is given.
            source, target, autoencoding, leave_out: See `pairs`. A configuration may also have the last two.
            **overrides: Settings of `ExperimentConfig` by name, which take precedence.

        Raises:
            UserError: The configuration, a language or a setting is unknown.
        """
        from keras_nmt.experiments.config import ExperimentConfig

        def made(name: str) -> Settings:
            chosen = {**self.settings, **self.chosen(name)}
            system = chosen.get("system")
            pairs = self.pairs(
                system,
                source=source,
                target=target,
                autoencoding=autoencoding or chosen.get("autoencoding", False),
                leave_out=[*leave_out, *chosen.get("leave_out", ())],
            )
            data = {
                **{f"data.{corpus}": _in_folder(data_dir, patterns) for corpus, patterns in self.corpora.items()},
                "data.languages": [x for x in self.languages if any(x in pair for pair in pairs)],
                "data.pairs": [f"{s}-{t}" for s, t in pairs],
            }
            of_run = {"training.update.seed": seed, "directory": directory}
            return _nested(data, self._settings(name, len(pairs), overrides), of_run)

        settings, chosen = made(configuration), self.chosen(configuration)
        if "matched_to" in chosen:
            other = chosen["matched_to"]
            configs = [ExperimentConfig.from_settings(one) for one in (settings, made(other))]
            width = matched_hidden_dim(configuration, configs[0], other, configs[1])
            settings = _nested(settings, {"model.hidden_dim": width})
        if "start_from" in chosen and not settings.get("training", {}).get("start", {}).get("init_from"):
            start = _run_beside(Path(directory), configuration, chosen["start_from"], seed)
            settings = _nested(settings, {"training.start.init_from": start})
        return ExperimentConfig.from_settings(settings)

    def compare(
        self,
        configurations: Sequence[str],
        *,
        seeds: Sequence[int],
        directory: str | os.PathLike[str],
        unequal: bool = False,
        decoding_speed: bool = False,
        imports: Sequence[str | os.PathLike[str]] = (),
        **options: Any,
    ) -> Comparison:
        """Makes a comparison with the baseline. Its settings are the recipe's, with the changes of `comparison`.

        Args:
            configurations: List of names of configurations; if it is empty, all, without modifiers.
            seeds: List of ints.
            directory: Path of the folder of the runs and of the table.
            unequal, decoding_speed, imports: See `Comparison`.
            **options: Arguments of `experiment` for all configurations.

        Raises:
            UserError: A configuration that another one starts from is missing.
        """
        from keras_nmt.experiments.comparison import Comparison

        changed = [f".{name}" for name, _ in _dotted(self.comparison)]
        per_pair = {
            name: value
            for name, value in self.per_pair.items()
            if not any(f".{name}".endswith(other) or other.endswith(f".{name}") for other in changed)
        }
        settings = merge_settings(self.settings, self.comparison)
        recipe = dataclasses.replace(self, settings=settings, per_pair=per_pair)

        def make(name: str, seed: int, directory: Path) -> ExperimentConfig:
            return recipe.experiment(name, seed=seed, directory=directory, **options)

        names = {self.baseline, *(configurations or self.configurations)}
        starts = {name: self.chosen(name).get("start_from") for name in names}
        if missing := sorted(f"{other} (for {name})" for name, other in starts.items() if other and other not in names):
            raise UserError(f"Missing configurations, from which others start: {', '.join(missing)}")
        order = list(self._all)
        in_order = sorted(names, key=lambda name: (starts[name] is not None, [*map(order.index, name.split("+"))]))
        return Comparison(
            experiments={name: functools.partial(make, name) for name in in_order},
            baseline=self.baseline,
            seeds=seeds,
            directory=directory,
            unequal=unequal,
            decoding_speed=decoding_speed,
            imports=imports,
        )

    def with_updates_per_pair(self, updates: int) -> Recipe:
        """Returns the recipe with so many updates of each trained direction, whatever its configurations say."""

        def without_limit(settings: Settings) -> Settings:
            return {name: value for name, value in _dotted(settings) if name.rpartition(".")[2] != "max_updates"}

        return dataclasses.replace(
            self,
            configurations={name: without_limit(changes) for name, changes in self.configurations.items()},
            modifiers={name: without_limit(changes) for name, changes in self.modifiers.items()},
            comparison=without_limit(self.comparison),
            per_pair={**self.per_pair, "training.stop.max_updates": updates},
        )

    def _settings(self, name: str, num_pairs: int, overrides: Settings) -> Settings:
        chosen, shared = (
            _nested({key: value for key, value in layer.items() if key not in RECIPE_KEYS})
            for layer in (self.chosen(name), self.settings)
        )
        shared_model, default = shared.get("model", {}), "transformer" if num_pairs == 1 else "attention_bridge"
        architecture = _nested(chosen, overrides).get("model", {}).get("architecture")
        if architecture not in (None, shared_model.get("architecture") or default):
            from keras_nmt.experiments.model_config import ARCHITECTURES, ModelConfig

            known = {field.name for field in dataclasses.fields(ModelConfig)}
            known |= ARCHITECTURES[architecture].arguments if str(architecture) in ARCHITECTURES else set()
            shared["model"] = {name: value for name, value in shared_model.items() if name in known}
        scaled = {setting: number * num_pairs for setting, number in self.per_pair.items()}
        return _nested(shared, scaled, chosen, overrides)


def merge_settings(*layers: Settings) -> Settings:
    """Merges settings as recipes write them, by dotted names; later ones take precedence.

    A setting inside its section is the same as one with a dotted name. Arguments of `model` are merged by
    `merge_arguments`.

    Example:

    >>> shared = {"training": {"batch_size": 64}, "model.shortcuts": "fusion"}
    >>> merge_settings(shared, {"training.batch_size": 32, "model": {"shortcuts": {"sites": ["self"]}}})
    {'training.batch_size': 32, 'model.shortcuts': {'kind': 'fusion', 'sites': ['self']}}
    """
    merged: Settings = {}
    for layer in layers:
        for name, value in _dotted(layer):
            before = merged.pop(name, None)  # the last setting counts, also if a name without its section follows
            merged[name] = merge_arguments(before, value) if name.startswith("model.") else value
    return merged


def _dotted(settings: Mapping[str, Any], section: str = "") -> Iterator[tuple[str, Any]]:
    """Yields settings by dotted names; arguments of an argument of `model` stay in a dictionary."""
    for name, value in settings.items():
        name = f"training.{name}" if name.split(".")[0] in PARTS_OF_TRAINING and not section else section + name
        if name in SECTIONS:
            require(isinstance(value, Mapping), f"`{name}` must be settings by name. Received: {name}={value!r}")
            yield from _dotted(value, f"{name}.")
        elif name.startswith("model.") and name.count(".") > 1:
            merged = Settings()
            set_value(merged, name.removeprefix("model."), value)
            ((first, arguments),) = merged.items()
            yield f"model.{first}", arguments
        else:
            yield name, value


def _nested(*layers: Settings) -> Settings:
    """Merges settings into dictionaries by section; their names may be written in any way."""
    from keras_nmt.experiments.config import ExperimentConfig
    from keras_nmt.files.settings import merge_settings as merge_by_section

    return merge_by_section(ExperimentConfig, *layers)


def _in_folder(folder: str | os.PathLike[str], patterns: str | list[str]) -> Path | list[Path]:
    """Returns the path of a pattern, or of several, in the folder of the corpus."""
    return Path(folder) / patterns if isinstance(patterns, str) else [Path(folder) / pattern for pattern in patterns]


def _run_beside(directory: Path, configuration: str, other: str, seed: int) -> Path:
    """Returns the folder of another configuration's run with the same seed."""
    ending = f"{configuration}-{seed}"
    if not directory.name.endswith(ending):
        raise UserError(
            f"{configuration} starts from the run of {other} beside it: name the folders ...{ending} and "
            f"...{other}-{seed}, or set `init_from`. Received: {directory}"
        )
    return directory.with_name(directory.name.removesuffix(ending) + f"{other}-{seed}")


def check_reference(key: str, name: str, chosen: Callable[[str], Settings]) -> None:
    """Checks that a key of a configuration, if it is there, names another configuration without the key.

    `chosen` returns the settings of a configuration by its name, and raises a `UserError` if there is none.
    """
    other = chosen(name).get(key)
    problem = f"`{key}` must name another configuration, without `{key}`. Received: {key}={other!r} of {name}"
    require(other is None or (other != name and key not in chosen(other)), problem)


def matched_hidden_dim(name: str, config: ExperimentConfig, other_name: str, other: ExperimentConfig) -> int:
    """Returns the width with which the number of parameters is nearest to the other configuration's, and prints it."""
    from keras_nmt.layers.layer_spec import as_json

    if config.model.kind.has_languages or other.model.kind.has_languages:
        raise UserError(f"`matched_to` is only for Transformers. Received: matched_to={other_name!r} of {name}")
    arguments = [
        json.dumps(
            x.model.transformer_arguments(x.vocabulary_sizes, bool(x.subwords.joint_vocabulary)),
            sort_keys=True,
            default=as_json,
        )
        for x in (config, other)
    ]
    return _solve(name, arguments[0], other_name, arguments[1])


@functools.cache  # all seeds share the search, which makes several models
def _solve(name: str, arguments: str, other_name: str, other: str) -> int:
    from keras_nmt.models import count_parameters, matched_width

    with errors_as(f"The width of {name} cannot be matched to {other_name}", TypeError, ValueError):
        matched = matched_width(count_parameters(**json.loads(other)), **json.loads(arguments))
    print(
        f"{name}: width {matched.hidden_dim}, {matched.parameters:,} parameters, {abs(matched.residual):,} "
        f"{'fewer' if matched.residual < 0 else 'more'} than {other_name} has",
        flush=True,
    )
    return matched.hidden_dim
