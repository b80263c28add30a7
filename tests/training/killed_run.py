"""Starts a training for each line `UPDATES DIRECTORY` of standard input, in a process that may be killed.

The processes are forked from this process, which has imported TensorFlow but not used it: a start takes a second.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ["CUDA_VISIBLE_DEVICES"] = ""

import keras
import numpy as np
import tensorflow as tf

from keras_nmt.data import ParallelCorpus, TrainingBatches
from keras_nmt.training import Budget, Computation, Evaluation, Logging, Saving, Trainer, make_optimizer


def train(updates: int, directory: Path) -> None:
    """Trains a small model with dropout to copy sentences, with a save every 3 and a log line every 2 updates."""
    random = np.random.RandomState(0)
    sentences = [random.randint(4, 20, size).tolist() for size in random.randint(1, 12, 150)]
    corpus = ParallelCorpus.from_lists(sentences, sentences)
    keras.utils.set_random_seed(1)
    ids = [keras.Input((None,), dtype="int32") for _ in range(2)]
    source, target = (keras.layers.Embedding(20, 8, name=f"embedding_{i}")(x) for i, x in enumerate(ids))
    context = keras.layers.GlobalAveragePooling1D(keepdims=True)(source)
    states = keras.layers.Dropout(0.3)(keras.layers.Dense(8, activation="tanh")(target + context))
    model = keras.Model(ids, keras.layers.Dense(20)(states))
    trainer = Trainer(
        model,
        TrainingBatches(corpus, batch_size=16, batch_unit="sentences", seed=3),
        directory,
        optimizer=make_optimizer("adam", 0.01, clip=0.5),
        computation=Computation(seed=5),
        budget=Budget(max_updates=updates),
        evaluation=Evaluation(evaluate=lambda: {"bleu": float(tf.reduce_sum(model.weights[0]))}, every=6),
        saving=Saving(every=3, keep_last=2),
        logging=Logging(every=2),
    )
    trainer.train()


def main() -> None:
    for line in sys.stdin:
        updates, directory = line.rstrip("\n").split(" ", 1)
        pid = os.fork()
        if pid == 0:
            tf.config.threading.set_intra_op_parallelism_threads(1)
            try:
                train(int(updates), Path(directory))
                os._exit(0)
            except BaseException as error:
                print(repr(error), file=sys.stderr, flush=True)
                os._exit(1)
        print(pid, flush=True)
        _, status = os.waitpid(pid, 0)
        print("exit status", os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
