"""The exponential moving average of weights: against NumPy, on replicas, after a stop, and as final weights."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from training_runs import Recorder, assert_same, log_of, make_copier

from keras_nmt.files.weights_file import read_weights
from keras_nmt.training import make_optimizer
from keras_nmt.training.optimizers import averaged_weights

EMA = 0.7


def averages(weights, momentum=EMA):
    """The oracle: the average after all updates, from the weights after each update."""
    average = list(weights[0].values())
    for later in weights[1:]:
        average = [momentum * a + (1 - momentum) * w for a, w in zip(average, later.values(), strict=True)]
    return average


def adam(ema=EMA):
    return lambda: make_optimizer("adam", 0.01, clip=0.5, ema=ema)


def trained(model):
    return [variable.numpy() for variable in model.trainable_variables]


def assert_close(found, expected):
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize(
    ("name", "split"),
    [
        ("adam", 1),
        pytest.param("adam", 2, marks=pytest.mark.slow),
        pytest.param("adamw", 2, marks=pytest.mark.nightly),
        pytest.param("sgd", 1, marks=pytest.mark.nightly),
    ],
)
def test_evaluated_saved_and_final_weights_are_the_averages(make_trainer, name, split):
    evaluated = []

    def evaluate():
        evaluated.append(trained(trainer.model))
        return {"bleu": 1.0}

    recorder, decay = Recorder(), 0.1 if name == "adamw" else None
    trainer = make_trainer(
        optimizer=lambda: make_optimizer(name, 0.05, weight_decay=decay, ema=EMA),
        replicas=split,
        accumulation_steps=split,
        final_weights="ema",
        evaluate=evaluate,
        evaluate_every=4,
        callbacks=[recorder],
    )
    trainer.train()
    weights = recorder.weights[1:]
    assert len(weights) == 10
    for update, found in zip((4, 8, 10, 10), evaluated, strict=True):  # the last one is that of the final weights
        assert_close(found, averages(weights[:update]))
    assert max(np.abs(a - w).max() for a, w in zip(evaluated[-1], weights[-1].values(), strict=True)) > 1e-4
    model = make_copier()
    for file, expected in (("checkpoints/update-8.weights.h5", 1), ("model.weights.h5", -1)):
        read_weights(trainer.directory / file, model)
        assert_same(trained(model), evaluated[expected])
    for variable in trainer.optimizer.variables:
        first, *others = trainer.strategy.experimental_local_results(variable.value)
        assert_same([copy.numpy() for copy in others], [first.numpy()] * (split - 1))


@pytest.mark.slow
def test_a_skipped_update_does_not_advance_the_average(make_trainer):
    keras.config.set_dtype_policy("mixed_float16")
    recorder = Recorder()
    trainer = make_trainer(
        replicas=2,
        optimizer=lambda: keras.optimizers.LossScaleOptimizer(adam()(), initial_scale=2.0**24),
        final_weights="ema",
        callbacks=[recorder],
    )
    trainer.train()
    skipped = [line["skipped_updates"] for line in log_of(trainer)]
    assert 0 < sum(skipped) < 8
    applied = [weights for weights, skip in zip(recorder.weights[1:], skipped, strict=True) if not skip]
    assert_close(trained(trainer.model), averages(applied))


def test_the_weights_come_back_after_an_error():
    variable, optimizer = keras.Variable(np.zeros(2, "float32")), make_optimizer("sgd", 1.0, ema=EMA)
    optimizer.build([variable])
    for _ in range(2):
        optimizer.apply([tf.ones(2)], [variable])

    def evaluate():
        with averaged_weights(optimizer):
            np.testing.assert_allclose(variable, -1 - (1 - EMA), rtol=1e-6)
            raise RuntimeError("a failed evaluation")

    with pytest.raises(RuntimeError, match="a failed evaluation"):
        evaluate()
    np.testing.assert_array_equal(variable, [-2, -2])
