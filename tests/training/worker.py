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
from training_runs import batches_of, copies, make_copier, read_by_portions, trainer_of

from keras_nmt.cli.run_app import run_app
from keras_nmt.data import PreparedCorpus
from keras_nmt.training import make_optimizer, make_strategy


class Pace(keras.callbacks.Callback):
    """A callback that slows training down, so that a test can end a worker in the middle of the run."""

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        time.sleep(float(os.environ.get("SECONDS_AN_UPDATE", "0")))


def train(directory: Path, updates: int, output: Path) -> None:
    """Trains a small model with dropout to copy sentences, and writes the results."""
    strategy = make_strategy()
    corpus: Any = copies()
    if prepared := os.environ.get("PREPARED"):  # the same sentences on disk
        read_by_portions()
        corpus = PreparedCorpus(*(Path(prepared) / side for side in ("source", "target")))
    with strategy.scope():
        model, optimizer = make_copier(0.3), make_optimizer("adam", 0.01, clip=0.5)
    evaluated: list[int] = []

    def evaluate() -> dict[str, float]:
        evaluated.append(int(optimizer.iterations.numpy()))
        return {"bleu": float(np.sum(model.get_weights()[0]))}

    trainer = trainer_of(
        model,
        batches_of(corpus),
        directory,
        optimizer=optimizer,
        strategy=strategy,
        accumulation_steps=int(os.environ.get("ACCUMULATION_STEPS", "1")),
        seed=5,
        max_updates=updates,
        evaluate=evaluate,
        evaluate_every=10,
        save_every=5,
        log_every=5,
        callbacks=[Pace()],
        report=lambda line: print(line, flush=True),
    )
    result = trainer.train()
    results = {"evaluated": evaluated, "metrics": result.final_metrics, "update": result.update}
    # Too long for one message.
    results["heard"] = trainer.workers.from_chief([*range(9000)] if trainer.workers.is_chief else None)
    weights = [float(np.sum(np.abs(weight))) for weight in model.get_weights()]
    output.write_text(json.dumps({**results, "weights": weights, "traces": trainer.num_traces}))


if __name__ == "__main__":
    run_app(train)
