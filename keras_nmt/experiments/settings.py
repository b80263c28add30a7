"""What all experiments have: how a model is trained, and how that is written down."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
import os
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, ClassVar, Self

import keras
import tensorflow as tf

from keras_nmt.data import SubwordSampling, TrainingBatches, read_parallel
from keras_nmt.data.parallel_corpus import ParallelCorpus
from keras_nmt.data.training_batches import BATCH_UNITS
from keras_nmt.errors import UserError, check_backend
from keras_nmt.files.atomic_files import write_json
from keras_nmt.files.directory_lock import directory_lock
from keras_nmt.files.json_file import read_json
from keras_nmt.models import ModelDirectory
from keras_nmt.text import SubwordTokenizer
from keras_nmt.training import (
    Budget,
    Computation,
    Evaluation,
    InverseSquareRootSchedule,
    LabelSmoothedCrossEntropy,
    Logging,
    NoamSchedule,
    Saving,
    Start,
    Task,
    Trainer,
    TrainingResult,
    make_optimizer,
    make_strategy,
)
from keras_nmt.training.checkpoints import FINALS
from keras_nmt.training.workers import Workers, is_chief

LIMITS = ("max_updates", "time_limit", "patience")  # what ends a run


@dataclasses.dataclass(kw_only=True)
class TrainingSettings:
    """Settings that all experiments share. `Experiment` and `MultilingualExperiment` add their data and models.

    Attributes:
        directory: The model directory to make.
        vocabulary_size: Number of subwords of a subword model.
        subword_model: "bpe" or "unigram".
        model: Arguments of the model.
        subword_sampling: Subword regularisation: the alpha by which the training text is cut into other subwords each
            epoch; see `SubwordSampling`. None: always into the same. All else is always cut into the same.
        max_length: Longest sentence of the training data in subwords.
        max_ratio: Largest ratio of the lengths of a pair.
        batch_size: Size of an update's batch, over all replicas and accumulation steps.
        length_buckets: Edges of the length buckets in subwords. None: those of `TrainingBatches`.
        batch_unit: "tokens" (positions of a side, padding included) or "sentences".
        accumulation_steps: Micro-batches a replica.
        optimizer: "adam", "adamw" or "sgd".
        beta_2: Of "adam" and "adamw", decay of the second moment. None: 0.98, as Vaswani et al., 2017.
        epsilon: Of "adam" and "adamw", added to the root of the second moment. None: 1e-9, the same.
        schedule: "noam", "inverse_square_root", "constant", or "cosine": down to zero at `max_updates`, which it needs.
        learning_rate: Peak learning rate ("inverse_square_root", "cosine"), scale ("noam") or the rate itself
            ("constant").
        warmup_steps: Updates of warm-up.
        weight_decay: Decoupled weight decay, for "adamw".
        clip: Largest global norm of the gradient. None: not clipped.
        label_smoothing: Probability spread over the vocabulary.
        normalize_by: "tokens" or "sentences": what the summed loss of an update is divided by.
        dtype: "float32", "mixed_bfloat16", or "mixed_float16", whose loss is scaled.
        jit_compile: Whether XLA compiles training, once a batch shape. Made for GPUs; see `Trainer` for CPUs.
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
    vocabulary_size: int = 8000
    subword_model: str = "bpe"
    model: dict[str, Any] = dataclasses.field(default_factory=dict)
    subword_sampling: float | None = None
    max_length: int = 256
    max_ratio: float = 3.0
    batch_size: int = 4096
    batch_unit: str = "tokens"
    length_buckets: Sequence[int] | None = None
    accumulation_steps: int = 1
    optimizer: str = "adam"
    beta_2: float | None = None
    epsilon: float | None = None
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

    # What a setting may be, where it is one of a few.
    CHOICES: ClassVar[dict[str, tuple[Any, ...]]] = {
        "subword_model": ("bpe", "unigram"),
        "batch_unit": BATCH_UNITS,
        "optimizer": ("adam", "adamw", "sgd"),
        "schedule": ("noam", "inverse_square_root", "cosine", "constant"),
        "normalize_by": ("tokens", "sentences"),
        "dtype": ("float32", "mixed_bfloat16", "mixed_float16"),
        "final": FINALS,
    }

    # What has to be above zero, where it is given.
    POSITIVE: ClassVar[tuple[str, ...]] = (
        "max_updates",
        "time_limit",
        "patience",
        "batch_size",
        "vocabulary_size",
        "max_length",
        "max_ratio",
        "accumulation_steps",
        "learning_rate",
        "epsilon",
        "clip",
        "replicas",
        "evaluate_every",
        "save_every",
        "log_every",
        "beam_size",
    )

    # What may change when a run goes on: how long it runs, what it tells, and what is done with its outcome.
    MAY_CHANGE: ClassVar[tuple[str, ...]] = (
        "directory",
        "max_updates",
        "time_limit",
        "patience",
        "log_every",
        "tensorboard",
        "final",
        "keep_last",
        "keep_best",
        "beam_size",
        "length_penalty",
    )

    # Settings of the data's files.
    DATA: ClassVar[tuple[str, ...]] = ()

    # What subwords are made of, beside the text: they are made anew when it changes before there is a checkpoint.
    OF_SUBWORDS: ClassVar[tuple[str, ...]] = ("vocabulary_size", "subword_model", "seed", "init_from")

    def __post_init__(self) -> None:
        self._check_types()
        for name, choices in self.CHOICES.items():
            if getattr(self, name) not in choices:
                raise UserError(
                    f"`{name}` must be one of {', '.join(choices)}. Received: {name}={getattr(self, name)!r}"
                )
        if not isinstance(self.model, dict):
            raise UserError(f"`model` must be arguments of the model by name. Received: model={self.model!r}")
        known = self.model_arguments()
        if unknown := sorted(set(self.model) - known):
            raise UserError(f"`model` may set {', '.join(sorted(known))}. Received: {', '.join(unknown)}")
        for name in self.POSITIVE:
            if (value := getattr(self, name)) is not None and not 0 < value < math.inf:
                raise UserError(f"`{name}` must be positive. Received: {name}={value}")
        for name in ("keep_last", "keep_best", "weight_decay"):
            if (value := getattr(self, name)) is not None and not 0 <= value < math.inf:
                raise UserError(f"`{name}` must not be negative. Received: {name}={value}")
        kept = "keep_last" if self.final.endswith("last") else "keep_best"
        if getattr(self, kept) == 0:
            raise UserError(f"`{kept}` must be positive where final={self.final!r}. Received: {kept}=0")
        if self.schedule != "constant" and self.warmup_steps <= 0:
            raise UserError(
                f"`warmup_steps` must be positive where schedule={self.schedule!r}. "
                f"Received: warmup_steps={self.warmup_steps}"
            )
        if (self.weight_decay is not None) != (self.optimizer == "adamw"):
            raise UserError(
                '`weight_decay` goes with optimizer="adamw", which needs it, and with no other. '
                f"Received: optimizer={self.optimizer!r}, weight_decay={self.weight_decay}"
            )
        if self._moments and self.optimizer == "sgd":
            raise UserError(
                f"`beta_2` and `epsilon` are for adam and adamw. Received: optimizer='sgd', {self._moments}"
            )
        if not 0 <= self._moments.get("beta_2", 0) < 1:
            raise UserError(f"`beta_2` is in [0, 1). Received: beta_2={self.beta_2}")
        if self.max_ratio < 1:
            raise UserError(f"`max_ratio` is at least 1. Received: max_ratio={self.max_ratio}")
        if not 0 <= self.label_smoothing < 1:
            raise UserError(f"`label_smoothing` is in [0, 1). Received: label_smoothing={self.label_smoothing}")
        if not math.isfinite(self.length_penalty):
            raise UserError(f"`length_penalty` must be finite. Received: length_penalty={self.length_penalty}")
        if self.subword_sampling is not None and not 0 < self.subword_sampling <= 1:
            raise UserError(f"`subword_sampling` is in (0, 1]. Received: subword_sampling={self.subword_sampling}")
        if not 0 <= self.seed < 2**32:
            raise UserError(f"`seed` must not be negative, and below 2**32. Received: seed={self.seed}")
        if self.max_updates is None and self.time_limit is None and self.patience is None:
            raise UserError(
                "Nothing would end the training: set `max_updates`, `time_limit` or `patience`. Received: none"
            )
        if self.schedule == "cosine" and not 0 < self.warmup_steps < (self.max_updates or 0):
            raise UserError(
                "The cosine schedule needs `warmup_steps` above zero, and ends at `max_updates`, which is larger. "
                f"Received: max_updates={self.max_updates}, warmup_steps={self.warmup_steps}"
            )

    def run(self, report: Callable[[str], None] = lambda line: print(line, flush=True)) -> dict[str, Any]:
        """Trains, evaluates and leaves a model directory.

        Args:
            report: Gets each line of progress.

        Returns:
            What `results.json` in the directory holds: updates, seconds, parameters, dev and test scores. On workers
            other than the chief, nothing.

        Raises:
            UserError: A file is missing or does not fit, a setting is wrong, or another process uses the directory.
        """
        check_backend("Training")
        self.check_files()
        with as_user_errors():
            self.check_model()
        with directory_lock(self.directory) if is_chief() else contextlib.nullcontext():
            return self._run(report)

    def check_files(self) -> None:
        """Looks whether the files can be used: before the training, and not when hours of it are over.

        Raises:
            OSError: A file is missing, or cannot be read.
            UserError: Both sides of the development or the test data have not the same number of lines.
        """
        raise NotImplementedError

    def check_model(self) -> None:
        """Looks whether `model` describes one: before subwords are trained and the text is read.

        Raises:
            ValueError: An argument of the model is out of its range.
        """
        raise NotImplementedError

    def data_digests(self) -> dict[str, list[str]]:
        """What the data are, wherever their files lie: `text_digest` of each file, by the name of the data."""
        raise NotImplementedError

    def _run(self, report: Callable[[str], None]) -> dict[str, Any]:
        raise NotImplementedError

    def model_arguments(self) -> set[str]:
        """Names of the arguments of the model that `model` may set."""
        raise NotImplementedError

    def _check_types(self) -> None:
        for field in dataclasses.fields(self):
            name, value = str(field.type).removesuffix(" | None"), getattr(self, field.name)
            optional = str(field.type) != name
            if name in TYPES and not (optional and value is None) and not TYPES[name](value):
                kind = str(field.type).replace("Sequence[", "list[")
                raise UserError(f"`{field.name}` must be {kind}. Received: {field.name}={value!r}")

    @staticmethod
    def read_settings(path: str | os.PathLike[str]) -> dict[str, Any]:
        """Reads settings that an experiment wrote, or that were written by hand in the same form.

        Args:
            path: A JSON file whose keys are the experiment's attributes.

        Raises:
            UserError: The file is no JSON object.
        """
        return read_json(path, "the settings of an experiment")

    @classmethod
    def from_settings(cls, settings: dict[str, Any]) -> Self:
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
        settings = dataclasses.asdict(self)
        for field in dataclasses.fields(self):
            if "PathLike" in str(field.type) and (value := settings[field.name]) is not None:
                one = isinstance(value, str | os.PathLike)
                settings[field.name] = os.path.abspath(value) if one else [os.path.abspath(path) for path in value]
        as_read: dict[str, Any] = json.loads(json.dumps(settings))  # tuples become lists
        return as_read

    def changed_settings(self, may_change: Collection[str]) -> list[str]:
        """What differs from the settings that the model directory was made with, as "name=value (was value)".

        Args:
            may_change: Names of settings that are left out.
        """
        # A setting that there was none of yet had the effect that its default has now.
        defaults = {f.name: f.default for f in dataclasses.fields(self) if f.default is not dataclasses.MISSING}
        old = json.loads(json.dumps(defaults)) | self.read_settings(ModelDirectory(self.directory).settings_path)
        return [
            f"{name}={value!r} (was {old[name]!r})"
            for name, value in self.settings().items()
            if name in old and old[name] != value and name not in may_change
        ]

    # What experiments do with them.

    def _begin(self) -> tuple[ModelDirectory, tf.distribute.Strategy, Workers]:
        """Makes the folder and the strategy, and seeds."""
        strategy = make_strategy(self.replicas)  # before anything else of TensorFlow: it may make logical devices
        keras.utils.set_random_seed(self.seed)
        if self.deterministic:
            tf.config.experimental.enable_op_determinism()
        folder = ModelDirectory(self.directory)
        workers = Workers(strategy)
        if workers.is_chief:
            self._note(folder)
        return folder, strategy, workers

    def _note(self, folder: ModelDirectory) -> None:
        """Writes what the data and the settings are, unless the run has begun with other ones: then nothing."""
        digests, before = self.data_digests(), {}

        def without_test(data: dict[str, list[str]]) -> dict[str, list[str]]:
            return {name: data[name] for name in data if not name.startswith("test")}

        if folder.data_path.is_file():
            before = read_json(folder.data_path, "the digests of the data")
        other_text = [name for name in without_test(before) if name in digests and digests[name] != before[name]]
        may_change = set(self.MAY_CHANGE) - ({"max_updates"} if self.schedule == "cosine" else set())
        if without_test(before) == without_test(digests):  # the same lines, wherever they lie
            may_change |= set(self.DATA)
        changed = self.changed_settings(may_change) if folder.settings_path.is_file() else []
        if folder.checkpoints_path.exists():
            if other_text:
                raise UserError(
                    f"{folder.path} holds a run that began with other text: take another folder, or the same data. "
                    f"Received: {', '.join(other_text)}"
                )
            if changed:
                raise UserError(
                    f"{folder.path} holds a run with other settings: take another folder, or the same settings. "
                    f"Received: {', '.join(changed)}"
                )
        elif folder.weights_path.exists():
            raise UserError(
                f"{folder.path} holds a model, and no checkpoints to go on from: take another folder, and give this "
                f"one as `init_from` to start from it. Received: directory={os.fspath(self.directory)}"
            )
        else:
            others = {field.name for field in dataclasses.fields(self)} - {*self.OF_SUBWORDS}
            is_other_text = any(name.startswith("train") for name in other_text)
            if is_other_text or (changed and self.changed_settings(others)):
                for path in folder.path.glob("subwords*.model"):
                    path.unlink()
        folder.path.mkdir(parents=True, exist_ok=True)
        write_json(folder.data_path, digests)
        write_json(folder.settings_path, self.settings())

    def _read(
        self,
        files: Sequence[tuple[str | os.PathLike[str], str | os.PathLike[str]]],
        source_tokenizer: SubwordTokenizer,
        target_tokenizer: SubwordTokenizer,
    ) -> list[ParallelCorpus]:
        """Training data of pairs of files."""
        return [
            read_parallel(
                *sides,
                source_tokenizer,
                target_tokenizer,
                max_length=self.max_length,
                max_ratio=self.max_ratio,
                keep_text=self.subword_sampling is not None,
            )
            for sides in files
        ]

    def _batches(
        self,
        corpora: Sequence[ParallelCorpus],
        source_tokenizer: SubwordTokenizer,
        target_tokenizer: SubwordTokenizer,
        weights: Sequence[float] | None = None,
    ) -> TrainingBatches:
        sampling = None
        if self.subword_sampling is not None:
            sampling = SubwordSampling(
                source_tokenizer, target_tokenizer, alpha=self.subword_sampling, max_length=self.max_length
            )
        with as_user_errors():
            return TrainingBatches(
                corpora,
                batch_size=self.batch_size,
                batch_unit=self.batch_unit,
                length_buckets=self.length_buckets,
                seed=self.seed,
                weights=weights,
                sampling=sampling,
            )

    @property
    def _moments(self) -> dict[str, float]:
        """What is set of Adam's moments."""
        return {name: value for name in ("beta_2", "epsilon") if (value := getattr(self, name)) is not None}

    def _optimizer(self, hidden_dim: int) -> keras.optimizers.Optimizer:
        """To be called in the strategy's scope."""
        optimizer = make_optimizer(
            self.optimizer,
            self._learning_rate(hidden_dim),
            weight_decay=self.weight_decay,
            clip=self.clip,
            **self._moments,
        )
        return keras.optimizers.LossScaleOptimizer(optimizer) if self.dtype == "mixed_float16" else optimizer

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
        return float(self.learning_rate)

    def _trainer(
        self,
        model: keras.Model,
        data: TrainingBatches | Sequence[Task],
        optimizer: keras.optimizers.Optimizer,
        strategy: tf.distribute.Strategy,
        evaluate: Callable[[], dict[str, float]],
        report: Callable[[str], None],
        best_metric: str = "bleu",
        callbacks: Sequence[keras.callbacks.Callback] = (),
    ) -> Trainer:
        return Trainer(
            model,
            data,
            self.directory,
            optimizer=optimizer,
            loss=LabelSmoothedCrossEntropy(self.label_smoothing),
            computation=Computation(
                strategy=strategy,
                accumulation_steps=self.accumulation_steps,
                normalize_by=self.normalize_by,
                jit_compile=self.jit_compile,
                seed=self.seed,
            ),
            budget=Budget(
                max_updates=self.max_updates, time_limit=None if self.time_limit is None else 60 * self.time_limit
            ),
            evaluation=Evaluation(
                evaluate=evaluate, every=self.evaluate_every, best_metric=best_metric, patience=self.patience
            ),
            saving=Saving(every=self.save_every, keep_last=self.keep_last, keep_best=self.keep_best, final=self.final),
            start=Start(init_from=self.init_from, allow_new=self.allow_new, allow_unused=self.allow_unused),
            logging=Logging(every=self.log_every, tensorboard=self.tensorboard, report=report),
            callbacks=callbacks,
        )

    def _outcome(self, folder: ModelDirectory, model: keras.Model, result: TrainingResult) -> dict[str, Any]:
        """What `results.json` tells of any training."""
        return {
            "data": read_json(folder.data_path, "the digests of the data"),
            "limits": {name: getattr(self, name) for name in LIMITS},
            "parameters": model.count_params(),
            "updates": result.update,
            "training_seconds": round(result.seconds, 1),
            "ended_by": result.reason,
            "final_updates": result.final_updates,
        }


@contextlib.contextmanager
def as_user_errors() -> Iterator[None]:
    """What layers and optimizers say of an argument is said of a setting here."""
    try:
        yield
    except UserError:
        raise
    except (ValueError, TypeError) as error:
        raise UserError(str(error)) from error


def _is_a(*types: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, types) and not isinstance(value, bool)


def _is_list_of(*types: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list | tuple) and all(map(_is_a(*types), value))


# Whether a value is of a setting's type, by the annotation.
TYPES: dict[str, Callable[[Any], bool]] = {
    "bool": lambda value: isinstance(value, bool),
    "int": _is_a(int),
    "float": _is_a(int, float),
    "str": _is_a(str),
    "str | os.PathLike[str]": _is_a(str, os.PathLike),
    "Sequence[int]": _is_list_of(int),
    "Sequence[float]": _is_list_of(int, float),
    "Sequence[str]": _is_list_of(str),
    "dict[str, float]": lambda value: isinstance(value, dict) and all(map(_is_a(int, float), value.values())),
}


def _is_required(field: dataclasses.Field[Any]) -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
