"""A trainer of a small model on a small task, for the tests of training."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import pytest
from training_runs import Make, batches_of, copies, make_copier, trainer_of

from keras_nmt.data import TrainingBatches
from keras_nmt.training import Trainer, make_optimizer, make_strategy


@pytest.fixture(scope="session")
def batches() -> TrainingBatches:
    """Batches of 16 rows and of several lengths."""
    return batches_of(copies(), length_buckets=[4, 8, 13])


@pytest.fixture
def make_trainer(tmp_path: Path, batches: TrainingBatches) -> Make:
    """Makes a trainer of the small model, or of the model that `model` makes, in the folder `name`."""

    def make(
        name: str = "run",
        *,
        replicas: int = 1,
        model: Callable[[], keras.Model] = make_copier,
        optimizer: Callable[[], keras.optimizers.Optimizer] = lambda: make_optimizer("adam", 0.01, clip=0.5),
        data: Any = batches,
        **options: Any,
    ) -> Trainer:
        strategy = make_strategy(replicas)
        with strategy.scope():
            options = {"max_updates": 10, "strategy": strategy, **options}
            return trainer_of(model(), data, tmp_path / name, optimizer=optimizer(), **options)

    return make
