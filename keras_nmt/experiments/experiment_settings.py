"""The settings of an experiment, without their checks: what the parts of an experiment read."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from keras_nmt.experiments.settings import Settings
from keras_nmt.experiments.sides_of_pattern import File
from keras_nmt.files.limits import LENGTH_PENALTIES

LIMITS = ("max_updates", "time_limit", "patience")  # of a run


@dataclasses.dataclass(kw_only=True)
class ExperimentSettings(Settings):
    """The settings of an `Experiment`, whose docstring describes them."""

    GROUPS: ClassVar[dict[str, str]] = {
        "directory": "Data",
        "lowercase": "Subwords and lengths",
        "architecture": "Model",
        "init_from": "Start from another model",
        "task_schedule": "Several directions",
        "batch_size": "Batches",
        "optimizer": "Optimizer and loss",
        "dtype": "Computation",
        "max_updates": "Length, evaluations and saves",
        "tensorboard": "Reports",
        "beam_size": "Search of the test and of the final model",
    }

    train_source: File | Sequence[File] | None = None
    train_target: File | Sequence[File] | None = None
    dev_source: File | None = None
    dev_target: File | None = None
    test_source: File | None = None
    test_target: File | None = None
    languages: Sequence[str] | None = None
    pairs: Sequence[str] | None = None
    dev_pairs: Sequence[str] | None = None
    test_pairs: Sequence[str] | None = None
    train: File | Sequence[File] | None = None
    dev: File | None = None
    test: File | None = None
    corpus_weights: Sequence[PositiveFloat] | None = None
    dev_sentences: PositiveInt | None = None
    lowercase: bool = False
    vocabulary_size: PositiveInt | dict[str, PositiveInt] = 8000
    subword_model: Literal["bpe", "unigram"] = "bpe"
    joint_vocabulary: bool | None = None
    user_symbols: Sequence[str] = ()
    normalization: Literal["nfc", "nfkc", "identity"] = "nfc"
    character_coverage: float = 1.0
    byte_fallback: bool = False
    subwords: File | dict[str, File] | None = None
    subword_sampling: Annotated[float, Field(gt=0, le=1)] | None = None
    max_length: PositiveInt = 256
    max_ratio: Annotated[float, Field(ge=1)] = 3.0
    architecture: Literal["transformer", "attention_bridge", "language_label"] | None = None
    preset: str | None = None
    model: dict[str, Any] = dataclasses.field(default_factory=dict)
    frozen: Sequence[str] = ()
    init_from: File | None = None
    allow_new: Sequence[str] = ()
    allow_unused: Sequence[str] = ()
    task_schedule: Literal["uniform", "weighted", "temperature"] = "uniform"
    task_weights: dict[str, PositiveFloat] | None = None
    temperature: PositiveFloat = 5.0
    batch_size: PositiveInt = 4096
    batch_unit: Literal["tokens", "sentences"] = "tokens"
    length_buckets: Sequence[int] | None = None
    accumulation_steps: PositiveInt = 1
    optimizer: Literal["adam", "adamw", "sgd"] = "adam"
    beta_2: Annotated[float, Field(ge=0, lt=1)] | None = None
    epsilon: PositiveFloat | None = None
    schedule: Literal["noam", "inverse_square_root", "cosine", "constant"] = "noam"
    learning_rate: PositiveFloat | None = None
    warmup_steps: NonNegativeInt | None = None
    weight_decay: NonNegativeFloat | None = None
    clip: PositiveFloat | None = None
    ema: Annotated[float, Field(ge=0, lt=1)] | None = None
    label_smoothing: Annotated[float, Field(ge=0, lt=1)] = 0.1
    normalize_by: Literal["tokens", "sentences"] | None = None
    dtype: Literal["float32", "mixed_bfloat16", "mixed_float16"] = "float32"
    jit_compile: bool = False
    replicas: PositiveInt | None = None
    seed: Annotated[int, Field(ge=0, lt=2**32)] = 1
    deterministic: bool = False
    max_updates: PositiveInt | None = None
    time_limit: PositiveFloat | None = None
    patience: PositiveInt | None = None
    evaluate_every: PositiveInt = 1000
    save_every: PositiveInt | None = None
    log_every: PositiveInt = 100
    keep_last: NonNegativeInt = 5
    keep_best: NonNegativeInt = 1
    dev_metrics: Sequence[Literal["bleu", "chrf", "loss"]] = ("bleu", "chrf")
    best_metric: str = "bleu"
    bleu_tokenizer: str = "13a"
    final: Literal["last", "best", "average_last", "average_best", "ema"] | None = None
    tensorboard: bool = False
    beam_size: PositiveInt = 4
    length_penalty: Annotated[float, Field(ge=LENGTH_PENALTIES[0], le=LENGTH_PENALTIES[1])] = 0.6
    min_length: NonNegativeInt = 1
