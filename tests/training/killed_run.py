"""Starts a training for each line `MODE CHANGE CLOCK UPDATES DIRECTORY` of standard input, in a process of its own.

The processes are forked from this process, which has imported TensorFlow but not used it: a start takes a second. A
process kills itself before the change CHANGE of its files, counted from 1; 0 stands for no kill. Its clock differs from
the system's by CLOCK seconds.
"""

from __future__ import annotations

import itertools
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ["CUDA_VISIBLE_DEVICES"] = ""

import keras
import numpy as np
import tensorflow as tf

from keras_nmt.data import (
    ParallelCorpus,
    PreparedCorpus,
    TrainingBatches,
    prepared_folder,
    training_batches,
    write_prepared,
)
from keras_nmt.data.epoch_order import Corpus
from keras_nmt.training import (
    Evaluation,
    Logging,
    Saving,
    StopCriteria,
    Task,
    Trainer,
    UpdateConfig,
    make_optimizer,
    make_strategy,
)


class Subwords:
    vocabulary_size, proto = 20, b""


def corpus_of(mode: str, seed: int, directory: Path) -> Corpus:
    """Sentences to copy; prepared, they are on disk and read portion by portion."""
    random = np.random.RandomState(seed)
    sentences = [random.randint(4, 20, size).tolist() for size in random.randint(1, 12, 150)]
    corpus = ParallelCorpus.from_lists(sentences, sentences)
    if mode != "prepared":
        return corpus
    prepared_folder.BLOCK = 8
    training_batches.WHOLE, training_batches.PORTION, training_batches.PORTION_UPDATES = 0, 60, 1
    prepared = directory.with_name("prepared")
    if not prepared.exists():
        subwords: Any = Subwords()
        write_prepared(corpus, prepared, subwords, subwords, shard_pairs=70)
    return PreparedCorpus(prepared / "source", prepared / "target")


def train(mode: str, updates: int, directory: Path) -> None:
    """Trains a small model with dropout to copy sentences, with a save every 3 and a log line every 2 updates."""
    strategy = make_strategy(2 if mode == "replicas" else 1)
    keras.utils.set_random_seed(1)
    keras.config.set_dtype_policy("mixed_float16" if mode == "float16" else "float32")
    names = ["a", "b"] if mode == "tasks" else ["a"]
    with strategy.scope():
        target_table, output = keras.layers.Embedding(20, 8), keras.layers.Dense(20, dtype="float32")
        models = []
        for name in names:
            ids = [keras.Input((None,), dtype="int32") for _ in range(2)]
            source, target = keras.layers.Embedding(20, 8, name=f"embedding_{name}")(ids[0]), target_table(ids[1])
            context = keras.layers.GlobalAveragePooling1D(keepdims=True)(source)
            states = keras.layers.Dropout(0.3)(keras.layers.Dense(8, activation="tanh")(target + context))
            models.append(keras.Model(ids, output(states)))
        optimizer: Any = make_optimizer("adam", 0.01, clip=0.5, ema=0.8 if mode == "ema" else None)
        if mode == "float16":  # the scale changes every few updates, and some are skipped
            optimizer = keras.optimizers.LossScaleOptimizer(optimizer, initial_scale=2.0**17, dynamic_growth_steps=3)
        model = models[0]
        if mode == "tasks":
            model = keras.Model([x for one in models for x in one.inputs], [one.output for one in models])
    data = [
        TrainingBatches(corpus_of(mode, seed, directory), batch_size=16, batch_unit="sentences", seed=3)
        for seed, _ in enumerate(names)
    ]
    tasks = [Task(name=name, model=one, data=part) for name, one, part in zip(names, models, data, strict=True)]
    trainer = Trainer(
        model,
        tasks if mode == "tasks" else data[0],
        directory,
        optimizer=optimizer,
        update_config=UpdateConfig(strategy=strategy, accumulation_steps=2 if mode == "accumulation" else 1, seed=5),
        stop_criteria=StopCriteria(max_updates=updates),
        evaluation=Evaluation(evaluate=lambda: {"bleu": float(np.sum(model.weights[0].numpy()))}, every=6),
        saving=Saving(every=3, keep_last=2, final_weights="ema" if mode == "ema" else "average_last"),
        logging=Logging(every=2, tensorboard=True),
    )
    trainer.train()


def kill_before(change: int) -> None:
    """Lets this process end before a change of its files."""
    numbers = itertools.count(1)

    def patched(perform: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any, **options: Any) -> Any:
            if next(numbers) == change:
                os.kill(os.getpid(), signal.SIGKILL)
            return perform(*arguments, **options)

        return counted

    for name in ("replace", "unlink", "fsync", "chmod", "truncate", "posix_fallocate"):
        setattr(os, name, patched(getattr(os, name)))


def main() -> None:
    for line in sys.stdin:
        mode, change, clock, updates, directory = line.rstrip("\n").split(" ", 4)
        pid = os.fork()
        if pid == 0:
            tf.config.threading.set_intra_op_parallelism_threads(1)
            cpu = tf.config.list_physical_devices("CPU")[0]
            tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
            time.time = lambda offset=float(clock), now=time.time: now() + offset
            kill_before(int(change))
            try:
                train(mode, int(updates), Path(directory))
                os._exit(0)
            except BaseException as error:
                print(repr(error), file=sys.stderr, flush=True)
                os._exit(1)
        print(pid, flush=True)
        _, status = os.waitpid(pid, 0)
        print("exit status", os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
