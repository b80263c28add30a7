"""One worker of a training on several machines: worker.py DIRECTORY UPDATES OUTPUT, with `TF_CONFIG`."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

os.environ["CUDA_VISIBLE_DEVICES"] = ""

import keras
import numpy as np

from keras_nmt.cli.run_app import run_app
from keras_nmt.data import ParallelCorpus, PreparedCorpus, TrainingBatches, prepared_folder, training_batches
from keras_nmt.data.epoch_order import Corpus
from keras_nmt.training import (
    Evaluation,
    Logging,
    Saving,
    StopCriteria,
    Trainer,
    UpdateConfig,
    make_optimizer,
    make_strategy,
)


class Pace(keras.callbacks.Callback):
    """A callback that slows training down, so that a test can end a worker in the middle of the run."""

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        time.sleep(float(os.environ.get("SECONDS_AN_UPDATE", "0")))


def train(directory: Path, updates: int, output: Path) -> None:
    """Trains a small model with dropout to copy sentences, and writes the results."""
    strategy = make_strategy()
    random = np.random.RandomState(0)
    sentences = [random.randint(4, 20, size).tolist() for size in random.randint(1, 12, 150)]
    corpus: Corpus = ParallelCorpus.from_lists(sentences, sentences)
    if prepared := os.environ.get("PREPARED"):  # the same sentences on disk, which are read portion by portion
        prepared_folder.BLOCK = 8
        training_batches.WHOLE, training_batches.PORTION, training_batches.PORTION_UPDATES = 0, 60, 1
        corpus = PreparedCorpus(*(Path(prepared) / side for side in ("source", "target")))
    keras.utils.set_random_seed(1)
    with strategy.scope():
        ids = [keras.Input((None,), dtype="int32") for _ in range(2)]
        source, target = (keras.layers.Embedding(20, 8, name=f"embedding_{i}")(x) for i, x in enumerate(ids))
        context = keras.layers.GlobalAveragePooling1D(keepdims=True)(source)
        states = keras.layers.Dropout(0.3)(keras.layers.Dense(8, activation="tanh")(target + context))
        model = keras.Model(ids, keras.layers.Dense(20)(states))
        optimizer = make_optimizer("adam", 0.01, clip=0.5)
    evaluated: list[int] = []

    def evaluate() -> dict[str, float]:
        evaluated.append(int(optimizer.iterations.numpy()))
        return {"bleu": float(np.sum(model.get_weights()[0]))}

    trainer = Trainer(
        model,
        TrainingBatches(corpus, batch_size=16, batch_unit="sentences", seed=3),
        directory,
        optimizer=optimizer,
        update_config=UpdateConfig(
            strategy=strategy, accumulation_steps=int(os.environ.get("ACCUMULATION_STEPS", "1")), seed=5
        ),
        stop_criteria=StopCriteria(max_updates=updates),
        evaluation=Evaluation(evaluate=evaluate, every=10),
        saving=Saving(every=5),
        logging=Logging(every=5),
        callbacks=[Pace()],
    )
    result = trainer.train()
    results = {"evaluated": evaluated, "metrics": result.final_metrics, "update": result.update}
    # Too long for one message.
    results["heard"] = trainer.workers.from_chief([*range(9000)] if trainer.workers.is_chief else None)
    weights = [float(np.sum(np.abs(weight))) for weight in model.get_weights()]
    output.write_text(json.dumps({**results, "weights": weights, "traces": trainer.num_traces}))


if __name__ == "__main__":
    run_app(train)
