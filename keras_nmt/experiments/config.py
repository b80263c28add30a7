"""The configuration of an experiment: its sections, and the checks of settings that depend on each other."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import json
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from pydantic import PositiveInt

from keras_nmt.errors import FEW, UserError, nearest, require
from keras_nmt.evaluation.metrics import METRICS, check_tokenizer, warn_of_script
from keras_nmt.experiments.corpus_files import File
from keras_nmt.experiments.data_config import DataConfig, Direction, Pairs, check_files
from keras_nmt.experiments.model_config import ARCHITECTURES, ModelConfig, SubwordConfig, as_model_arguments
from keras_nmt.experiments.training_config import TrainingConfig
from keras_nmt.files.atomic_files import check_folder
from keras_nmt.files.json_file import named_damage, read_json
from keras_nmt.files.model_config import read_model_files
from keras_nmt.files.paths import check_local
from keras_nmt.files.search_options import SearchOptions
from keras_nmt.files.settings import (
    as_nested,
    change_paths,
    check_rule,
    documented,
    flatten,
    list_settings,
    make_settings,
    merge_settings,
    nested_items,
    sections,
    set_value,
    setting,
    setting_names,
    value_at,
    whole_name,
)
from keras_nmt.layers._keras_private import without_values
from keras_nmt.layers.layer_spec import as_json
from keras_nmt.models import ModelDirectory
from keras_nmt.text.text_files import read_lines
from keras_nmt.training import UpdateConfig

NEEDED = {
    "directory": "--directory DIRECTORY",
    "data.train": "--train SOURCE TARGET",
    "data.dev": "--dev SOURCE TARGET",
    "data.languages": "--set 'languages=[LANGUAGE, ...]'",
}
BEFORE = {"subwords.source_cleaning": False}  # what runs did before there were these settings


def dev_metrics() -> dict[str, str]:
    """Returns the metrics of `keras_nmt.evaluation` by their names in `dev_metrics`."""
    return {**{name: name for name in METRICS if name != "chrf++"}, "chrf": "chrf++"}


_OTHERS = ", ".join(f'"{name}"' for name in (*dev_metrics(), "loss") if name != "bleu")


@documented
@dataclasses.dataclass(frozen=True, kw_only=True)
class EvaluationConfig:
    """The evaluations of an experiment: greedy search on the development data."""

    every: PositiveInt = setting(1000, "Updates between evaluations.")
    dev_metrics: Sequence[str] = setting(
        ("bleu", "chrf"),
        f'Scores of an evaluation: "bleu" and some of {_OTHERS}. "chrf" is chrF++. "loss" is in nats per subword, '
        "without label smoothing, and takes another pass over the development data.",
    )
    best_metric: str = setting(
        "bleu",
        "Score that chooses the best weights: one of `dev_metrics`, as the mean over the development directions, or "
        'that of one direction, such as "bleu_de-en".',
    )
    patience: PositiveInt | None = setting(
        None, "Number of evaluations without a new best after which training ends; see `Evaluation`."
    )
    dev_sentences: PositiveInt | None = setting(
        None, "Number of lines of the development data to translate; by default all."
    )
    bleu_tokenizer: str = setting(
        "13a",
        'SacreBLEU\'s tokenizer for BLEU of development and test data, such as "13a", "intl", "zh" or "ja-mecab".',
    )


@documented
@dataclasses.dataclass(frozen=True, kw_only=True)
class SearchConfig:
    """The search that translates the test data, and the default of the final model."""

    beam_size: int = setting(SearchOptions.beam_size, "Number of hypotheses that the search keeps.")
    length_penalty: float = setting(
        SearchOptions.length_penalty, "Exponent alpha of the length penalty, from -2 to 10."
    )
    min_length: int = setting(
        SearchOptions.min_length, "Least number of subwords of a translation; 0 allows empty translations."
    )

    def __post_init__(self) -> None:
        SearchOptions(**dataclasses.asdict(self))


@documented
@dataclasses.dataclass(frozen=True, kw_only=True)
class ExperimentConfig:
    """The settings of an experiment: it trains subwords and a model on parallel text, and scores the model.

    `keras_nmt.experiments.run` writes a model directory with `settings.json`, `data.json` and `results.json`. A stopped
    run continues when it is started again with the same settings. Settings that do not affect updates may change: the
    length (except `max_updates` with the cosine schedule), the devices, the log, saves and evaluations, the final
    weights and the test. Files may have moved. A finished run reports its scores.

    An experiment has one or several named directions. Its settings are in sections, and have dotted names, such as
    `training.batch_size`. `from_settings` makes an instance from settings by name.

    Raises:
        UserError: A setting contradicts another one.

    Example:

    >>> config = ExperimentConfig.from_settings(
    ...     {
    ...         "directory": "runs/de-en",
    ...         "data": {
    ...             "languages": ["de", "en"],
    ...             "pairs": ["de-en"],
    ...             "train": "train.{language}",
    ...             "dev": {"de": "dev.de", "en": "dev.en"},
    ...         },
    ...         "training.stop.max_updates": 1000,
    ...     }
    ... )
    >>> config.model.architecture, config.model.preset, config.subwords.joint_vocabulary
    ('transformer', 'transformer_small', True)
    """

    directory: File = setting(text="The model directory to make.")
    data: DataConfig
    subwords: SubwordConfig = dataclasses.field(default_factory=SubwordConfig)
    model: ModelConfig = dataclasses.field(default_factory=ModelConfig)
    training: TrainingConfig = dataclasses.field(default_factory=TrainingConfig)
    evaluation: EvaluationConfig = dataclasses.field(default_factory=EvaluationConfig)
    search: SearchConfig = dataclasses.field(default_factory=SearchConfig)

    def __post_init__(self) -> None:
        check_local(self.directory)
        kind, start = self.model.kind, self.training.start
        problem = "A Transformer has one direction: train on one, or choose another {architecture}"
        is_fitting = self.data.num_pairs == 1 or kind.has_languages
        require(is_fitting, problem, architecture=self.model.architecture, directions=self.data.num_pairs)
        self.subwords.check(kind, self.sides, start.init_from is None)
        self._check_evaluation()
        self._check_teaching()
        is_shared = self.data.num_pairs > 1 or self.training.task_schedule == "uniform"
        problem = "{task_schedule} shares the updates between directions, and there is one: leave it out"
        check_rule(self, is_shared, problem, "training.task_schedule")
        names = sorted(f"{s}-{t}" for s, t in self.pair_lists.train)
        weights = self.training.task_weights
        problem = f"{{task_weights}} must have a weight for each of {', '.join(names)}"
        check_rule(self, weights is None or sorted(weights) == names, problem, "training.task_weights")
        others = "model.frozen", "training.start.allow_missing", "training.start.ignore_extra"
        is_alone = start.init_from is not None and not any(value_at(self, name) for name in others)
        problem = "`lora` needs {init_from}, and goes with none of {frozen}, {allow_missing} and {ignore_extra}"
        check_rule(self, self.model.lora is None or is_alone, problem, "training.start.init_from", *others)
        is_int8, dtype = (self.model.lora or {}).get("quantize") is not None, "training.dtype"
        problem = "The int8 matrices of `lora` have no products in float16: choose another {dtype}"
        check_rule(self, not is_int8 or value_at(self, dtype) != "mixed_float16", problem, dtype)
        has_end = any(value is not None for value in self.limits.values())
        require(has_end, f"Missing end of the training: set one of {', '.join(self.limits)}, such as --max-updates N.")

    @classmethod
    def from_settings(cls, *layers: Mapping[str, Any]) -> Self:
        """Makes an instance from settings by name; later layers take precedence.

        Args:
            *layers: Mappings, by section or by dotted names. The beginning of a dotted name may be left out if no other
                setting has the same end: `batch_size`, `saving.every`.

        Raises:
            UserError: A setting is unknown, missing, out of its range, or of another type.
        """
        return cls.from_merged(merge_settings(cls, *layers))

    @classmethod
    def from_merged(cls, settings: dict[str, Any]) -> Self:
        """Makes an instance from settings as `merge_settings` returns them; for errors, see `from_settings`."""
        flat = flatten(cls, settings)
        others = {name: value for name, value in flat.items() if name not in setting_names(cls)}
        foreign = {name: value for name, value in others.items() if not name.startswith("model.")}
        if unknown := sorted(dict(nested_items(foreign))):
            suggestion = _suggestion(unknown, flat)
            more = f" and {len(unknown) - FEW} more" if len(unknown) > FEW else ""
            raise UserError(f"There are no such settings; {suggestion}. Received: {', '.join(unknown[:FEW])}{more}")
        for name in others:
            end = name.removeprefix("model.")
            if (other := whole_name(cls, end)) != end:
                raise UserError(f"`{other}` is a setting, not an argument of the model. Received: {name}")
        if missing := [f"`{name}` ({option})" for name, option in NEEDED.items() if flat.get(name) is None]:
            raise UserError(f"Missing settings: {', '.join(missing)}")
        _add_defaults(settings, flat)
        for name in ("data", "model"):  # first, because a wrong name there may be the reason for what others lack
            settings[name] = make_settings(sections(cls)[name], settings[name], f"{name}.")
        return make_settings(cls, settings)

    @staticmethod
    def read_settings(path: str | os.PathLike[str]) -> dict[str, Any]:
        """Reads settings by name from a JSON file or a pipe. For errors, see `read_json`."""
        return read_json(path, "the settings of a run", may_be_pipe=True)

    @classmethod
    def list_settings(cls, width: int) -> str:
        """Returns all settings as text, by section: each with its default as JSON and its description."""
        return list_settings(cls, width)

    def settings(self) -> dict[str, Any]:
        """Returns all settings by section, as in `settings.json`. Paths are absolute."""
        settings = change_paths(type(self), as_nested(self), os.path.abspath)
        as_read: dict[str, Any] = json.loads(json.dumps(settings, default=as_json))  # tuples become lists
        return as_read

    def changed_settings(self, may_change: Collection[str] = ()) -> list[str]:
        """Returns the differences from the settings in the model directory, as "name=value (was value)".

        Settings and sections whose dotted names are in `may_change` are not compared. A setting that is missing in the
        directory counts as its default, or as `BEFORE` says.
        """
        path = ModelDirectory(self.directory).settings_path
        with named_damage(path):
            written = {**read_json(path, "the settings of a run"), "directory": self.directory}
            old, new = (flatten(type(self), one.settings()) for one in (self.from_settings(BEFORE, written), self))
        return [
            f"{name}={new.get(name)!r} (was {old.get(name)!r})"
            for name in dict.fromkeys([*new, *old])
            if old.get(name) != new.get(name) and not any(f"{name}.".startswith(f"{one}.") for one in may_change)
        ]

    @property
    def limits(self) -> dict[str, float | None]:
        """The limits of the training by name."""
        stop, patience = self.training.stop, self.evaluation.patience
        return {"max_updates": stop.max_updates, "time_limit": stop.time_limit, "patience": patience}

    @property
    def pair_lists(self) -> Pairs:
        """The pairs of languages to train, evaluate and test on."""
        starts = self.training.start.init_from is not None
        return self.data.pair_lists(knows_all=starts and self.model.kind.has_languages)

    @functools.cached_property
    def directions(self) -> list[Direction]:
        """The directions with their files. Files that patterns describe must exist."""
        return self.data.directions(self.pair_lists, self.model.kind.sides)

    @property
    def sides(self) -> tuple[str, ...]:
        """The sides with a vocabulary: the languages, or "source" and "target" of a Transformer."""
        return self.model.kind.sides(self.data.languages)

    @property
    def vocabulary_sizes(self) -> dict[str, int]:
        """The size that the settings give the vocabulary of each of `sides`."""
        return self.subwords.sizes(self.sides)

    def make_model(self, sizes: Mapping[str, int]) -> Any:
        """Makes the model of the architecture's class, with its frozen weights, from the size of each vocabulary.

        Raises:
            ValueError: An argument of the model is out of its range.
            UserError: A pattern of `frozen` matches no weight.
        """
        return self.model.make(
            sizes,
            is_joint=bool(self.subwords.joint_vocabulary),
            dtype=self.training.dtype,
            jit_compile=self.training.update.jit_compile,
        )

    def check(self, to_be_made: Collection[Path] = ()) -> int:
        """Checks files and model, before subwords are trained and text is read. Returns the number of parameters.

        `to_be_made` are the model directories that other runs make before this run starts.

        Raises:
            OSError: A file is missing or cannot be read.
            UserError: Files do not fit each other, an argument is out of its range, the tokenizer of BLEU cannot be
                loaded, or the directory cannot be a folder.
        """
        tokenizer = self.evaluation.bleu_tokenizer
        check_folder(self.directory)
        check_tokenizer(tokenizer, "bleu_tokenizer")
        check_files(self.directions, self.evaluation.dev_sentences)
        start, teacher = self.training.start.init_from, self.training.teacher
        folder = ModelDirectory(self.directory)
        if teacher is not None and not folder.weights_path.exists() and Path(teacher) not in to_be_made:
            read_model_files(teacher)
        begins = not folder.checkpoints_path.exists() and not folder.weights_path.exists()
        if start is not None and begins and Path(start) not in to_be_made:
            weights = ModelDirectory(start).weights_path
            if not weights.is_file():
                raise UserError(f"`init_from` must be a model directory with weights. Received: {weights} is missing")
        for direction in self.directions:
            if direction.dev is not None:
                warn_of_script(tokenizer, read_lines(direction.dev[1]))
        with as_user_errors():
            return without_values(lambda: self.make_model(self.vocabulary_sizes)).count_params()

    def _check_teaching(self) -> None:
        for name in ("data.alignments", "training.teacher"):
            problem = f"{{{name.partition('.')[2]}}} must be used with a Transformer, of one direction"
            check_rule(self, value_at(self, name) is None or not self.model.kind.has_languages, problem, name)
        if self.data.alignments is None:
            is_default = self.training.update.alignment_weight == UpdateConfig.alignment_weight
            check_rule(self, is_default, "{alignment_weight} needs `alignments`", "training.update.alignment_weight")
            return
        problem = "{noise} and {sampling} of the subwords change the subwords, which `alignments` do not allow"
        is_unchanged = self.data.noise is self.subwords.sampling is None
        check_rule(self, is_unchanged, problem, "data.noise", "subwords.sampling")
        has_head = self.model.arguments.get("alignment_head") is not None
        require(has_head, "Missing `model.alignment_head`: `alignments` need a head that learns them.")

    def _check_evaluation(self) -> None:
        evaluation, dev = self.evaluation, self.pair_lists.dev
        known = [*dev_metrics(), "loss"]
        of_pairs = [f"{name}_{s}-{t}" for name in evaluation.dev_metrics for s, t in dev if len(dev) > 1]
        metrics = [*evaluation.dev_metrics, *of_pairs]
        problem = f"{{dev_metrics}} must have bleu, to compare runs, and may have others of {', '.join(known)}"
        check_rule(evaluation, {"bleu"} <= set(evaluation.dev_metrics) <= set(known), problem, "dev_metrics")
        problem = f"{{best_metric}} must be one of {', '.join(metrics)}, the scores of `dev_metrics`"
        check_rule(evaluation, evaluation.best_metric in metrics, problem, "best_metric")
        check_tokenizer(evaluation.bleu_tokenizer, "bleu_tokenizer", load=False)


def _add_defaults(settings: dict[str, Any], flat: Mapping[str, Any]) -> None:
    """Adds the defaults that depend on other settings."""
    pairs = flat.get("data.pairs") or flat["data.languages"]  # several languages have several pairs by default
    is_one = isinstance(pairs, list | tuple) and len(pairs) == 1
    architecture = flat.get("model.architecture") or ("transformer" if is_one else "attention_bridge")
    # The bridge's penalty is a mean over sentences. Added to a mean over tokens, it would weigh too much. Systems to
    # compare with, without a bridge or with a label, have the same unit.
    defaults: dict[str, Any] = {
        "model.architecture": architecture,
        "training.update.normalize_by": "tokens" if architecture == "transformer" else "sentences",
        "training.saving.final_weights": "average_last" if flat.get("training.ema") is None else "ema",
    }
    if kind := ARCHITECTURES.get(str(architecture)):
        defaults |= {"model.preset": kind.preset, "subwords.joint_vocabulary": kind.joint_vocabulary}
    if flat.get("data.alignments") is not None and architecture == "transformer":
        defaults["model.alignment_head"] = 1
    for name, value in defaults.items():
        if flat.get(name) is None:
            set_value(settings, name, value)


def _suggestion(unknown: Sequence[str], flat: Mapping[str, Any]) -> str:
    """Suggests what to write instead of names that are not settings."""
    architecture = str(flat.get("model.architecture"))
    names, known = [name.rpartition(".")[2] for name in unknown], list(setting_names(ExperimentConfig))
    for kind in [ARCHITECTURES[architecture]] if architecture in ARCHITECTURES else ARCHITECTURES.values():
        if shown := as_model_arguments(names, kind):
            return shown
    several = [name for name in known if name.rpartition(".")[2] == unknown[0]]
    if len(several) > 1:
        return f"write the full name, one of {', '.join(several)}"
    ends = [name.split(".", number)[number] for name in known for number in range(name.count(".") + 1)]
    unique = [end for end in ends if ends.count(end) == 1]
    return nearest(unknown, unique) or "`keras-nmt train --list-settings` lists the settings"


@contextlib.contextmanager
def as_user_errors() -> Iterator[None]:
    """Turns an error of a layer or an optimizer about an argument into a `UserError`."""
    try:
        yield
    except UserError:
        raise
    except (ValueError, TypeError) as error:
        raise UserError(str(error)) from error
