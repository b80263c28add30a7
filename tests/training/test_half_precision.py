"""Training in half precision, and loss scaling."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf
from training_runs import Make, MakeModel, assert_same, log_of, losses_of

from keras_nmt.data import ParallelCorpus, TrainingBatches
from keras_nmt.errors import UserError
from keras_nmt.training import (
    make_optimizer,
)


def test_a_loss_scale_is_undone_on_replicas(make_trainer: Make) -> None:
    """Updates by SGD, because a factor does not change Adam's updates."""

    def weights(name: str, wrap: Callable[[Any], Any]) -> list[np.ndarray]:
        def optimizer() -> Any:
            return wrap(make_optimizer("sgd", 0.5, clip=0.05))

        trainer = make_trainer(name, replicas=2, max_updates=3, optimizer=optimizer)
        trainer.train()
        return trainer.model.get_weights()

    scaled = weights("scaled", lambda inner: keras.optimizers.LossScaleOptimizer(inner, initial_scale=2.0**10))
    for one, other in zip(scaled, weights("plain", lambda inner: inner), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)


def test_mixed_bfloat16_learns(make_trainer: Make, make_copier: MakeModel) -> None:
    keras.config.set_dtype_policy("mixed_bfloat16")
    trainer = make_trainer(accumulation_steps=2, max_updates=40)
    trainer.train()
    losses = losses_of(trainer)
    assert losses[-1] < losses[0] - 0.1
    assert all(weight.dtype == np.float32 for weight in trainer.model.get_weights())


def scaled_adam(scale: float = 2.0**10) -> keras.optimizers.Optimizer:
    return keras.optimizers.LossScaleOptimizer(make_optimizer("adam", 0.01, clip=0.5), initial_scale=scale)


@pytest.mark.nightly
def test_mixed_float16_learns_as_float32_does(make_trainer: Make) -> None:
    trainer = make_trainer("float32")
    trainer.train()
    expected = log_of(trainer)
    keras.config.set_dtype_policy("mixed_float16")
    trainer = make_trainer("float16", replicas=2, optimizer=scaled_adam)
    trainer.train()
    log = log_of(trainer)
    assert trainer.num_traces == 1
    assert [(line["skipped_updates"], line["loss_scale"]) for line in log] == [(0, 2.0**10)] * 10
    for key, tolerance in (("loss", 2e-3), ("gradient_norm", 2e-2)):
        np.testing.assert_allclose([x[key] for x in log], [x[key] for x in expected], rtol=tolerance)


def test_a_too_large_loss_scale_is_halved_until_gradients_are_finite(make_trainer: Make) -> None:
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


@pytest.mark.parametrize("accumulation_steps", [1, 2])
def test_an_infinite_gradient_on_one_replica_is_skipped_by_all(
    make_trainer: Make, make_copier: MakeModel, accumulation_steps: int
) -> None:
    sentences = [[4 + i % 10] * 3 for i in range(63)]
    sentences.insert(20, [19] * 3)  # one line of the corpus: one part of one batch
    corpus = ParallelCorpus.from_lists(sentences, sentences)

    def model() -> keras.Model:
        model = make_copier()
        hidden = Explosion(19)(model.get_layer("hidden").output, model.inputs[0])
        return keras.Model(model.inputs, model.get_layer("output")(hidden))

    changes: list[bool] = []

    class Watch(keras.callbacks.Callback):
        def on_train_begin(self, logs: Any = None) -> None:
            self.before = self.model.get_weights()

        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            after = self.model.get_weights()
            changes.append(any((a != b).any() for a, b in zip(self.before, after, strict=True)))
            self.before = after

    trainer = make_trainer(
        replicas=2,
        accumulation_steps=accumulation_steps,
        model=model,
        data=TrainingBatches(corpus, batch_size=16, batch_unit="sentences", seed=1),
        optimizer=scaled_adam,
        max_updates=4,  # one epoch
        callbacks=[Watch()],
    )
    trainer.train()
    skipped = [line["skipped_updates"] for line in log_of(trainer)]
    assert sorted(skipped) == [0, 0, 0, 1]
    assert changes == [number == 0 for number in skipped]
    for variable in [*trainer.model.trainable_variables, *trainer.optimizer.variables]:
        copies = trainer.strategy.experimental_local_results(variable.value)
        assert_same([copies[0].numpy()], [copies[1].numpy()])
        assert np.isfinite(copies[0].numpy()).all()


def test_gradients_that_no_scale_makes_finite_end_the_run(make_trainer: Make, make_copier: MakeModel) -> None:
    def model() -> keras.Model:
        model = make_copier()
        hidden = Explosion(3)(model.get_layer("hidden").output, keras.ops.full_like(model.inputs[0], 3))
        return keras.Model(model.inputs, model.get_layer("output")(hidden))

    trainer = make_trainer(model=model, optimizer=lambda: scaled_adam(8.0))
    # The updates at the scales 8, 4, 2 and 1 are skipped.
    with pytest.raises(UserError, match=r"not finite at update 5\. .*line numbers"):
        trainer.train()
