"""A small translation task and model for the tests of training."""

from __future__ import annotations

from collections.abc import Callable

import keras
import numpy as np
import pytest

from keras_nmt.data import ParallelCorpus, TrainingBatches

VOCABULARY_SIZE = 20


@pytest.fixture(scope="session")
def batches() -> TrainingBatches:
    """Copying of random sentences, in batches of 16 rows and of several lengths."""
    random = np.random.RandomState(0)
    sentences = [random.randint(4, VOCABULARY_SIZE, size).tolist() for size in random.randint(1, 12, 150)]
    corpus = ParallelCorpus.from_lists(sentences, sentences)
    return TrainingBatches(corpus, batch_size=16, batch_unit="sentences", length_buckets=[4, 8, 13], seed=3)


@pytest.fixture(scope="session")
def make_model() -> Callable[..., keras.Model]:
    """Makes a small model `[source, target_input] -> logits`, the same for the same arguments."""

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
