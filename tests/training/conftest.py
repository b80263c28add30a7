"""A small translation task and model, and a trainer with options by name, for the tests of training."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
from training_runs import MakeModel

from keras_nmt.data import ParallelCorpus, TrainingBatches
from keras_nmt.training import (
    Evaluation,
    Logging,
    Saving,
    StopCriteria,
    Trainer,
    UpdateConfig,
    WarmStart,
    make_optimizer,
    make_strategy,
)

VOCABULARY_SIZE = 20
# The names of options in tests, each with the trainer's part and the option's name in the part.
OPTIONS = {
    **{name: ("update_config", name) for name in ("strategy", "accumulation_steps", "normalize_by", "jit_compile")},
    **{name: ("update_config", name) for name in ("seed", "alignment_weight")},
    **{name: ("stop_criteria", name) for name in ("max_updates", "time_limit")},
    **{name: ("evaluation", name) for name in ("evaluate", "best_metric", "patience")},
    "evaluate_every": ("evaluation", "every"),
    **{name: ("saving", name) for name in ("keep_last", "keep_best", "final_weights", "average")},
    "save_every": ("saving", "every"),
    **{name: ("warm_start", name) for name in ("init_from", "allow_missing", "ignore_extra")},
    **{name: ("logging", name) for name in ("tensorboard", "report")},
    "log_every": ("logging", "every"),
}
PARTS = {
    "update_config": UpdateConfig,
    "stop_criteria": StopCriteria,
    "evaluation": Evaluation,
    "saving": Saving,
    "warm_start": WarmStart,
    "logging": Logging,
}


def trainer_of(model: keras.Model, data: Any, directory: Path, **options: Any) -> Trainer:
    """A trainer with options of its parts by name; by default the trainer prints nothing and logs each update."""
    parts: dict[str, dict[str, Any]] = {}
    for name, value in {"log_every": 1, "report": lambda line: None, **options}.items():
        if name in OPTIONS:
            part, own_name = OPTIONS[name]
            parts.setdefault(part, {})[own_name] = value
    rest = {name: value for name, value in options.items() if name not in OPTIONS}
    return Trainer(model, data, directory, **{part: PARTS[part](**given) for part, given in parts.items()}, **rest)


@pytest.fixture(scope="session")
def batches() -> TrainingBatches:
    """Batches of 16 rows and of several lengths, for the task of copying random sentences."""
    random = np.random.RandomState(0)
    sentences = [random.randint(4, VOCABULARY_SIZE, size).tolist() for size in random.randint(1, 12, 150)]
    corpus = ParallelCorpus.from_lists(sentences, sentences)
    return TrainingBatches(corpus, batch_size=16, batch_unit="sentences", length_buckets=[4, 8, 13], seed=3)


@pytest.fixture(scope="session")
def make_copier() -> MakeModel:
    """Makes a small model `[source, target_input] -> logits`, equal for equal arguments."""

    def make(dropout: float = 0.0, seed: int = 0, units: int = 8) -> keras.Model:
        keras.utils.set_random_seed(seed)
        source, target_input = keras.Input((None,), dtype="int32"), keras.Input((None,), dtype="int32")
        embedding = keras.layers.Embedding(VOCABULARY_SIZE, units, name="embedding")
        context = keras.layers.GlobalAveragePooling1D(keepdims=True, name="mean")(embedding(source))
        states = keras.layers.Dense(units, activation="tanh", name="hidden")(embedding(target_input) + context)
        states = keras.layers.Dropout(dropout, seed=1, name="first_dropout")(states)
        states = keras.layers.Dropout(dropout, seed=1, name="second_dropout")(states)
        logits = keras.layers.Dense(VOCABULARY_SIZE, dtype="float32", name="output")(states)
        return keras.Model([source, target_input], logits)

    return make


@pytest.fixture(scope="session")
def make_any_trainer() -> Callable[..., Trainer]:
    """The function `trainer_of`."""
    return trainer_of


@pytest.fixture
def make_trainer(
    tmp_path: Path,
    batches: TrainingBatches,
    make_copier: MakeModel,
    make_any_trainer: Callable[..., Trainer],
) -> Callable[..., Trainer]:
    """Makes a trainer of the small model, or of the model that `model` makes, in the folder `name`."""

    def make(
        name: str = "run",
        *,
        replicas: int = 1,
        model: Callable[[], keras.Model] | None = None,
        optimizer: Callable[[], keras.optimizers.Optimizer] = lambda: make_optimizer("adam", 0.01, clip=0.5),
        data: Any = batches,
        **options: Any,
    ) -> Trainer:
        strategy = make_strategy(replicas)
        with strategy.scope():
            options = {"max_updates": 10, "strategy": strategy, **options}
            return make_any_trainer((model or make_copier)(), data, tmp_path / name, optimizer=optimizer(), **options)

    return make
