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
from training_runs import Languages, batches_of, copies, make_copier, read_by_portions, trainer_of, write_copies

from keras_nmt.data import PreparedCorpus
from keras_nmt.training import Task, make_optimizer, make_strategy


def train(mode: str, updates: int, directory: Path) -> None:
    """Trains a small model with dropout to copy sentences, with a save every 3 and a log line every 2 updates."""
    strategy = make_strategy(2 if mode == "replicas" else 1)
    keras.config.set_dtype_policy("mixed_float16" if mode == "float16" else "float32")
    data: Any = batches_of(copies())
    if mode == "prepared":
        read_by_portions()
        prepared = directory.with_name("prepared")
        if not prepared.exists():
            write_copies(prepared)
        data = batches_of(PreparedCorpus(prepared / "source", prepared / "target"))
    with strategy.scope():
        model = Languages(0.3) if mode == "tasks" else make_copier(0.3)
        if mode == "tasks":
            pairs = enumerate(("a-b", "b-c"))
            data = [Task(name=pair, model=model.pair(pair), data=batches_of(copies(seed))) for seed, pair in pairs]
        optimizer: Any = make_optimizer("adam", 0.01, clip=0.5, ema=0.8 if mode == "ema" else None)
        if mode == "float16":  # the scale changes every few updates, and some are skipped
            optimizer = keras.optimizers.LossScaleOptimizer(optimizer, initial_scale=2.0**17, dynamic_growth_steps=3)
    trainer_of(
        model,
        data,
        directory,
        optimizer=optimizer,
        strategy=strategy,
        accumulation_steps=2 if mode == "accumulation" else 1,
        seed=5,
        max_updates=updates,
        evaluate=lambda: {"bleu": float(np.sum(model.weights[0].numpy()))},
        evaluate_every=6,
        save_every=3,
        keep_last=2,
        final_weights="ema" if mode == "ema" else "average_last",
        log_every=2,
        tensorboard=True,
        report=lambda line: print(line, flush=True),
    ).train()


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
