"""An experiment from corpus to scores: what a recipe declares, and how it is run."""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import json
import os
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import keras
import tensorflow as tf

from keras_nmt.atomic_files import write_bytes, write_json
from keras_nmt.data import TrainingBatches, read_line_pairs, read_parallel
from keras_nmt.data.training_batches import BATCH_UNITS
from keras_nmt.errors import UserError
from keras_nmt.evaluation import corpus_scores
from keras_nmt.models import ModelDirectory, Transformer
from keras_nmt.models.presets import TRANSFORMER_PRESETS
from keras_nmt.serving import Translator
from keras_nmt.text import SubwordTokenizer, train_subwords
from keras_nmt.training import (
    InverseSquareRootSchedule,
    NoamSchedule,
    RoleTemperature,
    Trainer,
    TrainingResult,
    make_optimizer,
    make_strategy,
)
from keras_nmt.training.trainer import FINALS

CHOICES = {
    "preset": tuple(TRANSFORMER_PRESETS),
    "subword_model": ("bpe", "unigram"),
    "batch_unit": BATCH_UNITS,
    "optimizer": ("adam", "adamw", "sgd"),
    "schedule": ("noam", "inverse_square_root", "cosine", "constant"),
    "normalize_by": ("tokens", "sentences"),
    "dtype": ("float32", "mixed_bfloat16"),
    "final": FINALS,
}
_OWN_ARGUMENTS = ("source_vocabulary_size", "target_vocabulary_size", "dtype")  # settings of their own say these


@dataclasses.dataclass(kw_only=True)
class Experiment:
    """Trains subwords and a Transformer on parallel files, and scores it.

    A recipe fills in what differs and calls `run`. The settings are written to `settings.json` in the model directory;
    a run that was stopped goes on when it is started again with the same settings. It refuses other ones, but for those
    of how long it runs, what it tells, and what is done with its checkpoints.

    Attributes:
        directory: The model directory to make.
        train_source: Source side of the training data, plain text or gzip, one sentence a line.
        train_target: Target side.
        dev_source: Source side of the development data.
        dev_target: Target side.
        test_source: Source side of the test data. None: no test.
        test_target: Target side.
        vocabulary_size: Number of subwords, of each side where `joint_vocabulary` is False.
        subword_model: "bpe" or "unigram".
        joint_vocabulary: Whether both sides share one vocabulary.
        user_symbols: Subwords that are never split, such as language tags.
        preset: Sizes of the model, see `Transformer.from_preset`.
        model: Further arguments of `Transformer`; they win over the preset's.
        max_length: Longest sentence of the training data in subwords.
        max_ratio: Largest ratio of the lengths of a pair.
        batch_size: Size of an update's batch, over all replicas and accumulation steps.
        length_buckets: Edges of the length buckets in subwords. None: those of `TrainingBatches`.
        batch_unit: "tokens" (positions of a side, padding included) or "sentences".
        accumulation_steps: Micro-batches a replica.
        optimizer: "adam", "adamw" or "sgd".
        schedule: "noam", "inverse_square_root", "constant", or "cosine": down to zero at `max_updates`, which it needs.
        learning_rate: Peak learning rate ("inverse_square_root", "cosine"), scale ("noam") or the rate itself
            ("constant").
        warmup_steps: Updates of warm-up.
        weight_decay: Decoupled weight decay, for "adamw".
        clip: Largest global norm of the gradient. None: not clipped.
        label_smoothing: Probability spread over the vocabulary.
        normalize_by: "tokens" or "sentences": what the summed loss of an update is divided by.
        dtype: "float32" or "mixed_bfloat16".
        jit_compile: Whether XLA compiles training. Made for GPUs.
        replicas: Number of replicas. None: all GPUs. Without GPU, logical CPU devices.
        seed: Determines initial weights, data order and dropout.
        deterministic: Whether to use deterministic operations only.
        max_updates: Updates after which training ends.
        time_limit: Minutes of training after which it ends.
        evaluate_every: Updates between evaluations on the development data, by translating and BLEU.
        save_every: Updates between checkpoints. None: at evaluations.
        log_every: Updates between lines of the log.
        keep_last: Last checkpoints kept.
        keep_best: Best checkpoints kept, by BLEU on the development data.
        patience: Evaluations without a new best after which training ends.
        final: "last", "best", "average_last" or "average_best": the final weights.
        tensorboard: Whether to write for TensorBoard.
        init_from: Model directory whose weights, and subwords, to start from.
        allow_new: Patterns of the weights that `init_from` may lack, such as "*/key_value/*"; see `warm_start`.
        allow_unused: Patterns of the weights of `init_from` that may have no place in the model.
        beam_size: Beam of the test and of the final model's defaults. The evaluations during training are greedy.
        length_penalty: Exponent alpha of the length penalty.
    """

    directory: str | os.PathLike[str]
    train_source: str | os.PathLike[str]
    train_target: str | os.PathLike[str]
    dev_source: str | os.PathLike[str]
    dev_target: str | os.PathLike[str]
    test_source: str | os.PathLike[str] | None = None
    test_target: str | os.PathLike[str] | None = None
    vocabulary_size: int = 8000
    subword_model: str = "bpe"
    joint_vocabulary: bool = True
    user_symbols: Sequence[str] = ()
    preset: str = "transformer_small"
    model: dict[str, Any] = dataclasses.field(default_factory=dict)
    max_length: int = 256
    max_ratio: float = 3.0
    batch_size: int = 4096
    batch_unit: str = "tokens"
    length_buckets: Sequence[int] | None = None
    accumulation_steps: int = 1
    optimizer: str = "adam"
    schedule: str = "noam"
    learning_rate: float = 1.0
    warmup_steps: int = 4000
    weight_decay: float | None = None
    clip: float | None = None
    label_smoothing: float = 0.1
    normalize_by: str = "tokens"
    dtype: str = "float32"
    jit_compile: bool = False
    replicas: int | None = None
    seed: int = 1
    deterministic: bool = False
    max_updates: int | None = None
    time_limit: float | None = None
    evaluate_every: int = 1000
    save_every: int | None = None
    log_every: int = 100
    keep_last: int = 5
    keep_best: int = 1
    patience: int | None = None
    final: str = "average_last"
    tensorboard: bool = False
    init_from: str | os.PathLike[str] | None = None
    allow_new: Sequence[str] = ()
    allow_unused: Sequence[str] = ()
    beam_size: int = 4
    length_penalty: float = 0.6

    # What may change when a run goes on: how long it runs, what it tells, and what is done with its outcome.
    _MAY_CHANGE: ClassVar[tuple[str, ...]] = (
        "directory",
        "max_updates",
        "time_limit",
        "patience",
        "log_every",
        "tensorboard",
        "test_source",
        "test_target",
        "final",
        "keep_last",
        "keep_best",
        "beam_size",
        "length_penalty",
    )

    def __post_init__(self) -> None:
        self._check_types()
        for name, choices in CHOICES.items():
            if getattr(self, name) not in choices:
                raise UserError(
                    f"`{name}` must be one of {', '.join(choices)}. Received: {name}={getattr(self, name)!r}"
                )
        if not isinstance(self.model, dict):
            raise UserError(f"`model` must be arguments of Transformer by name. Received: model={self.model!r}")
        known = set(inspect.signature(Transformer).parameters) - {*_OWN_ARGUMENTS, "kwargs"}
        if unknown := sorted(set(self.model) - known):
            raise UserError(f"`model` may set {', '.join(sorted(known))}. Received: {', '.join(unknown)}")
        for name in ("max_updates", "time_limit", "patience", "batch_size", "vocabulary_size", "max_length"):
            if (value := getattr(self, name)) is not None and value <= 0:
                raise UserError(f"`{name}` must be positive. Received: {name}={value}")
        if self.seed < 0:
            raise UserError(f"`seed` must not be negative. Received: seed={self.seed}")
        if self.max_updates is None and self.time_limit is None and self.patience is None:
            raise UserError(
                "Nothing would end the training: set `max_updates`, `time_limit` or `patience`. Received: none"
            )
        if self.schedule == "cosine" and not 0 < self.warmup_steps < (self.max_updates or 0):
            raise UserError(
                "The cosine schedule needs `warmup_steps` above zero, and ends at `max_updates`, which is larger. "
                f"Received: max_updates={self.max_updates}, warmup_steps={self.warmup_steps}"
            )
        if (self.test_source is None) != (self.test_target is None):
            raise UserError(
                "Test data has two sides: give both or none. "
                f"Received: test_source={self.test_source}, test_target={self.test_target}"
            )

    def _check_types(self) -> None:
        types: dict[str, Any] = {
            "int": int,
            "float": (int, float),
            "bool": bool,
            "str": str,
            "str | os.PathLike[str]": (str, os.PathLike),
        }
        for field in dataclasses.fields(self):
            name, value = str(field.type).removesuffix(" | None"), getattr(self, field.name)
            optional = str(field.type) != name
            if name not in types or (optional and value is None):
                continue
            if not isinstance(value, types[name]) or isinstance(value, bool) != (name == "bool"):
                raise UserError(f"`{field.name}` must be {field.type}. Received: {field.name}={value!r}")

    @staticmethod
    def read_settings(path: str | os.PathLike[str]) -> dict[str, Any]:
        """Reads settings that an experiment wrote, or that were written by hand in the same form.

        Args:
            path: A JSON file whose keys are this class' attributes.

        Raises:
            UserError: The file is no JSON object.
        """
        try:
            settings = json.loads(Path(path).read_text(encoding="utf-8"))
        except ValueError as error:
            raise UserError(f"Settings are a JSON object; {path} is none. Received: {error}") from None
        if not isinstance(settings, dict):
            raise UserError(f"Settings are a JSON object; {path} is none. Received: {type(settings).__name__}")
        return settings

    @classmethod
    def from_settings(cls, settings: dict[str, Any]) -> Experiment:
        """Makes an experiment of settings by name.

        Args:
            settings: Values of this class' attributes, as `read_settings` gives them.

        Raises:
            UserError: A setting is unknown, missing, or of another type.
        """
        fields = {field.name: field for field in dataclasses.fields(cls)}
        if unknown := sorted(set(settings) - set(fields)):
            raise UserError(
                f"There are no such settings; known are {', '.join(fields)}. Received: {', '.join(unknown)}"
            )
        needed = [name for name, field in fields.items() if _is_required(field)]
        if missing := [name for name in needed if name not in settings]:
            raise UserError(f"These settings are needed. Received: no {', '.join(missing)}")
        return cls(**settings)

    def settings(self) -> dict[str, Any]:
        """All settings by name, as `settings.json` in the model directory holds them: paths are absolute."""
        settings = {
            name: os.path.abspath(value) if value is not None and name in _PATHS else value
            for name, value in dataclasses.asdict(self).items()
        }
        as_read: dict[str, Any] = json.loads(json.dumps(settings))  # tuples become lists
        return as_read

    def changed_settings(self, may_change: Collection[str]) -> list[str]:
        """What differs from the settings that the model directory was made with, as "name=value (was value)".

        Args:
            may_change: Names of settings that are left out.
        """
        new, old = self.settings(), self.read_settings(ModelDirectory(self.directory).settings_path)
        return [
            f"{name}={value!r} (was {old[name]!r})"
            for name, value in new.items()
            if name in old and old[name] != value and name not in may_change
        ]

    def run(self, report: Callable[[str], None] = lambda line: print(line, flush=True)) -> dict[str, Any]:
        """Trains, evaluates and leaves a model directory.

        Args:
            report: Gets each line of progress.

        Returns:
            What `results.json` in the directory holds: updates, seconds, parameters, dev and test scores.
        """
        for name in ("train_source", "train_target", "dev_source", "dev_target", "test_source", "test_target"):
            if (path := getattr(self, name)) is not None:
                with open(path, "rb"):  # here, and not when hours of training are over
                    pass
        strategy = make_strategy(self.replicas)  # before anything else of TensorFlow: it may make logical devices
        keras.utils.set_random_seed(self.seed)
        if self.deterministic:
            tf.config.experimental.enable_op_determinism()
        folder = ModelDirectory(self.directory)
        self._write_settings(folder)
        source_tokenizer, target_tokenizer = self._tokenizers(folder, report)

        corpus = read_parallel(
            self.train_source,
            self.train_target,
            source_tokenizer,
            target_tokenizer,
            max_length=self.max_length,
            max_ratio=self.max_ratio,
        )
        report(corpus.summary())
        with _as_user_errors():
            batches = TrainingBatches(
                corpus,
                batch_size=self.batch_size,
                batch_unit=self.batch_unit,
                length_buckets=self.length_buckets,
                seed=self.seed,
            )
        report(batches.summary())
        dev_source, dev_target = read_line_pairs(self.dev_source, self.dev_target)

        with _as_user_errors(), strategy.scope():
            model = Transformer.from_preset(
                self.preset,
                source_vocabulary_size=source_tokenizer.vocabulary_size,
                target_vocabulary_size=None if self.joint_vocabulary else target_tokenizer.vocabulary_size,
                **{**self.model, "dtype": self.dtype},
            )
            optimizer = make_optimizer(
                self.optimizer,
                self._learning_rate(model.get_config()["hidden_dim"]),
                weight_decay=self.weight_decay,
                clip=self.clip,
            )
        report(f"{model.count_params():,} parameters, {strategy.num_replicas_in_sync} replica(s), {self.dtype}")
        folder.save_config(
            model,
            source_subwords=source_tokenizer_name(self.joint_vocabulary),
            target_subwords=target_tokenizer_name(self.joint_vocabulary),
            search={"beam_size": self.beam_size, "length_penalty": self.length_penalty},
        )

        # Greedy and not compiled: fast enough for a score that chooses between checkpoints.
        greedy = Translator(model, source_tokenizer, target_tokenizer, beam_size=1)
        trainer = Trainer(
            model,
            batches,
            folder.path,
            optimizer=optimizer,
            strategy=strategy,
            accumulation_steps=self.accumulation_steps,
            label_smoothing=self.label_smoothing,
            normalize_by=self.normalize_by,
            jit_compile=self.jit_compile,
            seed=self.seed,
            evaluate=lambda: {"bleu": _bleu(greedy, dev_source, dev_target)},
            evaluate_every=self.evaluate_every,
            save_every=self.save_every,
            keep_last=self.keep_last,
            keep_best=self.keep_best,
            patience=self.patience,
            tensorboard=self.tensorboard,
            max_updates=self.max_updates,
            time_limit=None if self.time_limit is None else 60 * self.time_limit,
            init_from=self.init_from,
            allow_new=self.allow_new,
            allow_unused=self.allow_unused,
            final=self.final,
            callbacks=[RoleTemperature()] if model.get_config()["roles"] == "one_hot" else [],
            log_every=self.log_every,
            report=report,
        )
        result = trainer.train()
        results = self._results(folder, model, result, report)
        write_json(folder.path / "results.json", results)
        return results

    def _results(
        self, folder: ModelDirectory, model: Transformer, result: TrainingResult, report: Callable[[str], None]
    ) -> dict[str, Any]:
        results: dict[str, Any] = {
            "parameters": model.count_params(),
            "updates": result.update,
            "training_seconds": round(result.seconds, 1),
            "ended_by": result.reason,
            "final_updates": result.final_updates,
            "dev_bleu_greedy": round(result.final_metrics["bleu"], 2),
        }
        if self.test_source is not None and self.test_target is not None:
            sources, references = read_line_pairs(self.test_source, self.test_target)
            start = time.monotonic()
            translator = Translator.from_directory(folder.path)
            hypotheses = [translation.text for translation in translator.translate(sources)]
            results["test_seconds"] = round(time.monotonic() - start, 1)
            write_bytes(folder.path / "test.hypotheses.txt", "\n".join([*hypotheses, ""]).encode())
            scores = corpus_scores(hypotheses, references)
            results["test"] = {
                name: {"score": round(score.score, 2), "signature": score.signature} for name, score in scores.items()
            }
            for score in scores.values():
                report(f"test {score.name} {score.score:.2f}  {score.signature}")
        return results

    def _write_settings(self, folder: ModelDirectory) -> None:
        if folder.settings_path.is_file():
            may_change = set(self._MAY_CHANGE) - ({"max_updates"} if self.schedule == "cosine" else set())
            changed = self.changed_settings(may_change)
            if changed and not folder.checkpoints_path.exists():
                for path in folder.path.glob("subwords*.model"):  # they may be those of other settings
                    path.unlink()
            elif changed:
                raise UserError(
                    f"{folder.path} holds a run with other settings: take another folder, or the same settings. "
                    f"Received: {', '.join(changed)}"
                )
        folder.path.mkdir(parents=True, exist_ok=True)
        write_json(folder.settings_path, self.settings())

    def _tokenizers(
        self, folder: ModelDirectory, report: Callable[[str], None]
    ) -> tuple[SubwordTokenizer, SubwordTokenizer]:
        """The subword models: those of the folder, or of `init_from`, or freshly trained on the training data."""
        sides = {
            source_tokenizer_name(self.joint_vocabulary): [self.train_source],
            target_tokenizer_name(self.joint_vocabulary): [self.train_target],
        }
        if self.joint_vocabulary:
            sides = {source_tokenizer_name(True): [self.train_source, self.train_target]}
        if self.init_from is not None:
            given = dict.fromkeys(ModelDirectory(self.init_from).subword_paths())
            if len(given) != len(sides):
                raise UserError(
                    f"The vocabulary of {self.init_from} is {'joint' if len(given) == 1 else 'separate'}: set "
                    f"`joint_vocabulary` to match. Received: joint_vocabulary={self.joint_vocabulary}"
                )
            for name, path in zip(sides, given, strict=True):
                if not (folder.path / name).exists():
                    write_bytes(folder.path / name, path.read_bytes())
        for name, files in sides.items():
            if not (folder.path / name).exists():
                report(f"Training {self.vocabulary_size:,} subwords ({self.subword_model}) on {len(files)} file(s)")
                train_subwords(
                    files,
                    folder.path / name,
                    vocabulary_size=self.vocabulary_size,
                    model_type=self.subword_model,
                    user_symbols=self.user_symbols,
                    seed=self.seed,
                )
        tokenizers = [SubwordTokenizer(folder.path / name) for name in sides]
        return tokenizers[0], tokenizers[-1]

    def _learning_rate(self, hidden_dim: int) -> float | keras.optimizers.schedules.LearningRateSchedule:
        if self.schedule == "noam":
            return NoamSchedule(hidden_dim, self.warmup_steps, self.learning_rate)
        if self.schedule == "inverse_square_root":
            return InverseSquareRootSchedule(self.learning_rate, self.warmup_steps)
        if self.schedule == "cosine" and self.max_updates is not None:
            return keras.optimizers.schedules.CosineDecay(
                self.learning_rate / self.warmup_steps,
                self.max_updates - self.warmup_steps,
                warmup_target=self.learning_rate,
                warmup_steps=self.warmup_steps,
            )
        return self.learning_rate


_PATHS = {field.name for field in dataclasses.fields(Experiment) if "PathLike" in str(field.type)}


@contextlib.contextmanager
def _as_user_errors() -> Iterator[None]:
    """What layers and optimizers say of an argument is said of a setting here."""
    try:
        yield
    except UserError:
        raise
    except (ValueError, TypeError) as error:
        raise UserError(str(error)) from error


def _is_required(field: dataclasses.Field[Any]) -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def source_tokenizer_name(joint: bool) -> str:
    """The name of the source's subword model in a model directory."""
    return "subwords.model" if joint else "subwords.source.model"


def target_tokenizer_name(joint: bool) -> str:
    """The name of the target's subword model in a model directory."""
    return "subwords.model" if joint else "subwords.target.model"


def _bleu(translator: Translator, sources: list[str], references: list[str]) -> float:
    hypotheses = [translation.text for translation in translator.translate(sources)]
    return corpus_scores(hypotheses, references, metrics=("bleu",))["bleu"].score
