"""A recipe: a corpus, the settings that its experiments share, and the changes of each."""

from __future__ import annotations

import dataclasses
import functools
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from keras_nmt.errors import UserError

if TYPE_CHECKING:
    from keras_nmt.experiments.comparison import Comparison
    from keras_nmt.experiments.experiment import Experiment

CORPORA = ("train", "dev", "test")
SYSTEMS = ("bilingual", "hub", "many_to_many")
REFERENCES = ("matched_to", "start_from")  # keys whose values name another configuration
OF_A_RECIPE = (*REFERENCES, "system", "monolingual")  # keys that are not settings of an experiment

Settings = dict[str, Any]


@dataclasses.dataclass(kw_only=True)
class Recipe:
    """Experiments on one corpus that share their settings; `keras_nmt.cli.recipe_app` makes their command line.

    The settings are arguments of `Experiment`. Settings of a configuration take precedence over shared settings, and
    overrides over both; `model` is merged argument by argument. The name of a configuration may join several names with
    "+", such as "many_to_many+small": their settings are merged in this order. Where a configuration changes the
    `architecture`, shared arguments of `model` that the other architecture does not have are left out.

    A configuration may have keys that are not settings:

    - `matched_to`: the name of another configuration. The model gets the width whose number of parameters is nearest
      to that configuration's; see `matched_width`. The width, and the difference that remains, are printed.
    - `start_from`: the name of another configuration. Training starts from the weights of its run of the same seed,
      which is beside this one's; `allow_new` lists the weights that it may lack.
    - `system`: the pairs of languages, by patterns of files: "bilingual" (one pair, in one direction), "hub" (each
      language to and from the first) or "many_to_many" (all pairs). Without it, the experiment has one direction,
      described by its files.
    - `monolingual`: whether a system is also trained to write each language's own sentences again (A -> A).

    Args:
        name: Str, the name of the recipe, with which the folders of its runs begin.
        corpora: Dict, patterns of the files of "train", "dev" and optionally "test" in the folder of the corpus, such
            as "train.{language}"; see `Experiment`.
        languages: Tuple of str, the languages of the corpus. The first two are the default direction.
        settings: Dict, the settings that all configurations share.
        configurations: Dict of dicts, the changes of each configuration by its name.
        baseline: Str, the configuration to compare with.
        comparison: Dict, changes of `settings` in comparisons, such as a shorter training.
        per_pair: Dict, settings that are multiplied by the number of pairs that are trained, such as `max_updates`.
        data_dir: Path of the corpus, if it comes with the recipe. Defaults to `None`.

    Raises:
        UserError: A corpus is missing, or a configuration that is referred to does not exist.

    Example:

    >>> recipe = Recipe(
    ...     name="mine",
    ...     corpora={"train": "train.{language}", "dev": "dev.{language}"},
    ...     languages=("de", "en"),
    ...     settings={"max_updates": 1000, "model": {"dropout": 0.1}},
    ...     configurations={"baseline": {}, "fusion": {"model": {"shortcuts": "fusion"}}},
    ...     baseline="baseline",
    ... )
    >>> recipe.experiment("fusion", data_dir="data", seed=1, directory="run").model
    {'dropout': 0.1, 'shortcuts': 'fusion'}
    >>> [f"{source}-{target}" for source, target in recipe.pairs("hub", monolingual=True)]
    ['de-de', 'de-en', 'en-de', 'en-en']
    """

    name: str
    corpora: dict[str, str]
    languages: tuple[str, ...]
    settings: Settings
    configurations: dict[str, Settings]
    baseline: str
    comparison: Settings = dataclasses.field(default_factory=dict)
    per_pair: dict[str, int] = dataclasses.field(default_factory=dict)
    data_dir: Path | None = None

    def __post_init__(self) -> None:
        if unknown := sorted({*self.corpora, "train", "dev"} - (set(self.corpora) & set(CORPORA))):
            raise UserError(f"A recipe has corpora named train, dev and perhaps test. Received: {', '.join(unknown)}")
        self.chosen(self.baseline)
        for name in self.configurations:
            for key in REFERENCES:
                other = self.chosen(name).get(key)
                if other is not None and (other == name or key in self.chosen(other)):
                    raise UserError(
                        f"`{key}` refers to a configuration that has none itself. Received: {name}, {key}={other!r}"
                    )

    def chosen(self, configuration: str) -> Settings:
        """Returns the settings and other keys of a configuration, or of several joined by "+".

        Raises:
            UserError: There is no such configuration.
        """
        names, merged = configuration.split("+"), Settings()
        for i, name in enumerate(names):
            if name not in self.configurations:
                raise UserError(
                    f"There are the configurations {', '.join(self.configurations)}. Received: {configuration}"
                )
            own = self.configurations[name]
            # The other configuration of a reference has the other parts, too.
            others = {key: "+".join([*names[:i], own[key], *names[i + 1 :]]) for key in REFERENCES if key in own}
            merged = merge_settings(merged, own, others)
        return merged

    def pairs(
        self,
        system: str | None,
        *,
        source: str | None = None,
        target: str | None = None,
        monolingual: bool = False,
        leave_out: Sequence[str] = (),
    ) -> list[tuple[str, str]]:
        """Lists the pairs of languages that a system is trained on.

        Args:
            system: One of `SYSTEMS`; `None`, like "bilingual", for one direction.
            source: Str, the source of one direction. Defaults to the first language.
            target: Str, the target of one direction. Defaults to the second language.
            monolingual: Bool, whether there are tasks A -> A, for each language of another task.
            leave_out: List of pairs "A-B" to leave out in both directions.

        Raises:
            UserError: A system or language is unknown, or there is nothing to leave out.
        """
        if system not in (None, *SYSTEMS):
            raise UserError(f"There are the systems {', '.join(SYSTEMS)}. Received: {system}")
        if system in ("hub", "many_to_many") and (source or target):
            raise UserError(f"This system has no one source and target. Received: {system}, {source} to {target}")
        if system is None and (monolingual or leave_out):
            raise UserError(
                f"This configuration has one direction. Received: monolingual={monolingual}, leave_out={leave_out}"
            )
        one = source or self.languages[0], target or self.languages[1]
        for language in one:
            if language not in self.languages:
                raise UserError(f"The corpus has {', '.join(self.languages)}. Received: {language}")
        if one[0] == one[1]:
            raise UserError(f"Source and target must differ. Received: {one[0]} and {one[1]}")
        everything = [(s, t) for s in self.languages for t in self.languages]
        pairs = {
            "hub": [(s, t) for s, t in everything if s != t and self.languages[0] in (s, t)],
            "many_to_many": [(s, t) for s, t in everything if s != t],
        }.get(system or "", [one])
        known = {f"{s}-{t}": {(s, t), (t, s)} for s, t in pairs}
        for name in leave_out:
            if name not in known:
                raise UserError(f"Leave out one of {', '.join(known)}. Received: {name}")
            pairs = [pair for pair in pairs if pair not in known[name]]
        if not pairs:
            raise UserError(f"No pair is left to train on. Received: leave_out={list(leave_out)}")
        in_use = {language for pair in pairs for language in pair}
        return [(s, t) for s, t in everything if (s, t) in pairs or (monolingual and s == t and s in in_use)]

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
        monolingual: bool = False,
        leave_out: Sequence[str] = (),
        **overrides: Any,
    ) -> Experiment:
        """Makes the experiment of a configuration.

        Args:
            configuration: Str, its name, or several joined by "+".
            data_dir: Path of the corpus.
            seed: Int, the seed of everything random.
            directory: Path of the model directory to make. For a configuration with `start_from`, its name ends with
                `CONFIGURATION-SEED`, unless `init_from` is given.
            source, target, leave_out: See `pairs`.
            monolingual: See `pairs`; or the configuration says so.
            **overrides: Settings of `Experiment`, which take precedence. `model` is merged.

        Raises:
            UserError: The configuration, a language or a setting is unknown.
        """
        from keras_nmt.experiments.experiment import Experiment

        def made(name: str) -> Settings:
            chosen = merge_settings(self.settings, self.chosen(name))
            pairs = self.pairs(
                chosen.get("system"),
                source=source,
                target=target,
                monolingual=monolingual or chosen.get("monolingual", False),
                leave_out=leave_out,
            )
            settings = self._settings(name, len(pairs), overrides)
            settings |= {"seed": seed, "directory": directory}
            return {**self._data(chosen.get("system"), pairs, data_dir), **settings}

        settings, chosen = made(configuration), self.chosen(configuration)
        if "matched_to" in chosen:
            other = chosen["matched_to"]
            experiments = [Experiment.from_settings(one) for one in (settings, made(other))]
            width = _matched_width(configuration, experiments[0], other, experiments[1])
            settings["model"] = {**settings.get("model", {}), "hidden_dim": width}
        if "start_from" in chosen and settings.get("init_from") is None:
            settings["init_from"] = _run_beside(Path(directory), configuration, chosen["start_from"], seed)
        return Experiment.from_settings(settings)

    def compare(
        self,
        configurations: Sequence[str],
        *,
        seeds: Sequence[int],
        directory: str | os.PathLike[str],
        unequal: bool = False,
        imports: Sequence[str | os.PathLike[str]] = (),
        **options: Any,
    ) -> Comparison:
        """Makes a comparison with the baseline, by the recipe's settings with the changes of `comparison`.

        Args:
            configurations: List of names of configurations. Empty: all.
            seeds: List of ints.
            directory: Path of the folder of the runs and of the table.
            unequal, imports: See `Comparison`.
            **options: Arguments of `experiment` for all configurations.

        Raises:
            UserError: A configuration that another one starts from is missing.
        """
        from keras_nmt.experiments.comparison import Comparison

        recipe = dataclasses.replace(self, settings=merge_settings(self.settings, self.comparison))

        def make(name: str, seed: int, directory: Path) -> Experiment:
            return recipe.experiment(name, seed=seed, directory=directory, **options)

        names = {self.baseline, *(configurations or self.configurations)}
        starts = {name: self.chosen(name).get("start_from") for name in names}
        if missing := sorted(f"{other} (for {name})" for name, other in starts.items() if other and other not in names):
            raise UserError(f"Compare the configurations, too, from which others start: {', '.join(missing)}")
        order = list(self.configurations)
        in_order = sorted(names, key=lambda name: (starts[name] is not None, [*map(order.index, name.split("+"))]))
        return Comparison(
            experiments={name: functools.partial(make, name) for name in in_order},
            baseline=self.baseline,
            seeds=seeds,
            directory=directory,
            unequal=unequal,
            imports=imports,
        )

    def _settings(self, name: str, num_pairs: int, overrides: Settings) -> Settings:
        chosen = {key: value for key, value in self.chosen(name).items() if key not in OF_A_RECIPE}
        shared = {key: value for key, value in self.settings.items() if key not in OF_A_RECIPE}
        architecture = merge_settings(chosen, overrides).get("architecture")
        if architecture is not None and architecture != shared.get("architecture"):
            from keras_nmt.experiments.architectures import ARCHITECTURES, model_arguments

            known = model_arguments(architecture) if architecture in ARCHITECTURES else set()
            shared["model"] = {name: value for name, value in shared.get("model", {}).items() if name in known}
        scaled = {setting: number * num_pairs for setting, number in self.per_pair.items()}
        return merge_settings(shared, scaled, chosen, overrides)

    def _data(self, system: str | None, pairs: list[tuple[str, str]], data_dir: str | os.PathLike[str]) -> Settings:
        if system is None:
            sides = zip(("source", "target"), pairs[0], strict=True)
            return {
                f"{corpus}_{side}": _file(data_dir, pattern.replace("{language}", language))
                for side, language in sides
                for corpus, pattern in self.corpora.items()
            }
        return {
            **{corpus: Path(data_dir) / pattern for corpus, pattern in self.corpora.items()},
            "languages": [language for language in self.languages if any(language in pair for pair in pairs)],
            "pairs": [f"{source}-{target}" for source, target in pairs],
        }


def merge_settings(*layers: Settings) -> Settings:
    """Merges settings; later ones take precedence, and `model` is merged argument by argument."""
    merged: Settings = {}
    for layer in layers:
        if not isinstance(layer.get("model", {}), dict):
            raise UserError(f"`model` must be arguments of the model by name. Received: model={layer['model']!r}")
        merged = {**merged, **layer}
    if model := {key: value for layer in layers for key, value in layer.get("model", {}).items()}:
        merged["model"] = model
    return merged


def _file(folder: str | os.PathLike[str], name: str) -> Path:
    """The file of this name, or the file with ".gz" behind the name where there is one."""
    zipped = Path(folder) / f"{name}.gz"
    return zipped if zipped.is_file() else Path(folder) / name


def _run_beside(directory: Path, configuration: str, other: str, seed: int) -> Path:
    """The other configuration's run of the same seed."""
    ending = f"{configuration}-{seed}"
    if not directory.name.endswith(ending):
        raise UserError(
            f"{configuration} starts from the run of {other}: name the folder ...{ending}, so that it is the one "
            f"beside it named ...{other}-{seed}, or give its folder as `init_from`. Received: {directory}"
        )
    return directory.with_name(directory.name.removesuffix(ending) + f"{other}-{seed}")


def _matched_width(name: str, own: Experiment, other_name: str, other: Experiment) -> int:
    """The width at which the number of parameters is nearest to the other's."""
    from keras_nmt.experiments.architectures import transformer_arguments
    from keras_nmt.layers.mechanism import as_json

    if {own.architecture, other.architecture} != {"transformer"}:
        raise UserError(f"Only Transformers are matched. Received: {name}, matched_to={other_name!r}")
    arguments = [
        json.dumps(transformer_arguments(e, e.vocabulary_sizes), sort_keys=True, default=as_json) for e in (own, other)
    ]
    return _solve(name, arguments[0], other_name, arguments[1])


@functools.cache  # once for all seeds: the search makes several models
def _solve(name: str, arguments: str, other_name: str, other: str) -> int:
    from keras_nmt.models import count_parameters, matched_width

    try:
        matched = matched_width(count_parameters(**json.loads(other)), **json.loads(arguments))
    except (TypeError, ValueError) as error:
        raise UserError(f"The width of {name} cannot be matched to {other_name}. {error}") from None
    print(
        f"{name}: width {matched.hidden_dim}, {matched.parameters:,} parameters, {abs(matched.residual):,} "
        f"{'fewer' if matched.residual < 0 else 'more'} than {other_name} has",
        flush=True,
    )
    return matched.hidden_dim
