"""Training in half precision, and loss scaling."""

from __future__ import annotations

import itertools
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf
from training_runs import Recorder, assert_same, batches_of, log_of, with_hidden

from keras_nmt.data import ParallelCorpus
from keras_nmt.errors import UserError
from keras_nmt.training import make_optimizer


def scaled_adam(scale=2.0**10):
    return keras.optimizers.LossScaleOptimizer(make_optimizer("adam", 0.01, clip=0.5), initial_scale=scale)


@pytest.mark.parametrize(
    ("dtype", "tolerance"),
    [pytest.param("bfloat16", 1e-2, marks=pytest.mark.slow), pytest.param("float16", 2e-3, marks=pytest.mark.nightly)],
)
def test_half_precision_learns_as_float32_does(make_trainer, dtype, tolerance):
    trainer = make_trainer("float32")
    trainer.train()
    expected = log_of(trainer)
    keras.config.set_dtype_policy(f"mixed_{dtype}")
    options = {"optimizer": scaled_adam} if dtype == "float16" else {"accumulation_steps": 2}
    trainer = make_trainer(dtype, replicas=2, **options)
    trainer.train()
    log = log_of(trainer)
    assert trainer.num_traces == 1
    assert all(weight.dtype == np.float32 for weight in trainer.model.get_weights())
    if dtype == "float16":
        assert [(line["skipped_updates"], line["loss_scale"]) for line in log] == [(0, 2.0**10)] * 10
    for key, factor in (("loss", 1), ("gradient_norm", 10)):
        found, wanted = ([line[key] for line in lines] for lines in (log, expected))
        np.testing.assert_allclose(found, wanted, rtol=tolerance * factor)


def test_a_too_large_loss_scale_is_halved_until_gradients_are_finite(make_trainer):
    keras.config.set_dtype_policy("mixed_float16")
    trainer = make_trainer(optimizer=lambda: scaled_adam(2.0**24))
    trainer.train()
    log = log_of(trainer)
    skipped = [line["skipped_updates"] for line in log]
    assert 0 < sum(skipped) < 8
    assert skipped[0] == 1
    assert skipped[-1] == 0
    assert log[-1]["loss_scale"] == 2.0 ** (24 - sum(skipped))
    assert np.isfinite([line["gradient_norm"] for line in log]).all()
    assert int(trainer.optimizer.iterations) == 10 - sum(skipped)


class Explosion(keras.layers.Layer):
    """Returns its inputs, with an infinite gradient for batches that contain a token."""

    def __init__(self, token: int) -> None:
        super().__init__()
        self.token = token

    def call(self, states: tf.Tensor, ids: tf.Tensor) -> tf.Tensor:
        is_there = tf.reduce_any(ids == self.token)

        @tf.custom_gradient
        def explode(x: tf.Tensor) -> Any:
            return tf.identity(x), lambda gradient: tf.where(is_there, np.inf, gradient)

        return explode(states)


@pytest.mark.slow
def test_an_infinite_gradient_on_one_replica_is_skipped_by_all(make_trainer):
    sentences = [[4 + i % 10] * 3 for i in range(63)]
    sentences.insert(20, [19] * 3)  # one line of the corpus: one part of one batch
    recorder = Recorder()
    trainer = make_trainer(
        replicas=2,
        accumulation_steps=2,
        model=lambda: with_hidden(Explosion(19), 0),
        data=batches_of(ParallelCorpus.from_lists(sentences, sentences), seed=1),
        optimizer=scaled_adam,
        max_updates=4,  # one epoch
        callbacks=[recorder],
    )
    trainer.train()
    skipped = [line["skipped_updates"] for line in log_of(trainer)]
    assert sorted(skipped) == [0, 0, 0, 1]
    pairs = itertools.pairwise(recorder.weights)
    changes = [any((before[name] != after[name]).any() for name in before) for before, after in pairs]
    assert changes == [number == 0 for number in skipped]
    for variable in [*trainer.model.trainable_variables, *trainer.optimizer.variables]:
        copies = trainer.strategy.experimental_local_results(variable.value)
        assert_same([copies[0].numpy()], [copies[1].numpy()])
        assert np.isfinite(copies[0].numpy()).all()


@pytest.mark.slow
def test_gradients_that_no_scale_makes_finite_end_the_run(make_trainer):
    trainer = make_trainer(model=lambda: with_hidden(Explosion(2)), optimizer=lambda: scaled_adam(8.0))
    # The updates at the scales 8, 4, 2 and 1 are skipped.
    with pytest.raises(UserError, match=r"not finite at update 5\. .*line numbers"):
        trainer.train()
