"""The exponential moving average of weights: against NumPy, on replicas, after a stop, and as final weights."""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf
from training_runs import Kill, Make, MakeModel, Scores, assert_same, log_of, values_of

from keras_nmt.errors import UserError
from keras_nmt.files.weights_file import read_weights
from keras_nmt.training import Trainer, make_optimizer
from keras_nmt.training.optimizers import averaged_weights

EMA = 0.7


def averages(weights: list[list[np.ndarray]], momentum: float = EMA) -> list[np.ndarray]:
    """The oracle: the average after all updates, from the weights after each update."""
    average = weights[0]
    for later in weights[1:]:
        average = [momentum * a + (1 - momentum) * w for a, w in zip(average, later, strict=True)]
    return average


def adam(ema: float | None = EMA) -> Callable[[], keras.optimizers.Optimizer]:
    return lambda: make_optimizer("adam", 0.01, clip=0.5, ema=ema)


class Recorder(keras.callbacks.Callback):
    """Keeps the trained weights after each update."""

    def __init__(self) -> None:
        super().__init__()
        self.weights: list[list[np.ndarray]] = []

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self.weights.append([variable.numpy() for variable in self.model.trainable_variables])


@pytest.mark.parametrize(
    ("name", "split"),
    [
        ("adam", 2),
        ("adamw", 1),
        *(
            pytest.param(*pair, marks=pytest.mark.nightly)
            for pair in (("adam", 1), ("adamw", 2), ("sgd", 1), ("sgd", 2))
        ),
    ],
)
def test_evaluated_saved_and_final_weights_are_the_averages(make_trainer: Make, name: str, split: int) -> None:
    evaluated: list[list[np.ndarray]] = []

    def evaluate() -> dict[str, float]:
        evaluated.append([variable.numpy() for variable in trainer.model.trainable_variables])
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
    assert len(recorder.weights) == 10
    for update, found in zip((4, 8, 10, 10), evaluated, strict=True):  # the last one is that of the final weights
        for ours, expected in zip(found, averages(recorder.weights[:update]), strict=True):
            np.testing.assert_allclose(ours, expected, rtol=1e-5, atol=1e-7)
    assert max(np.abs(a - w).max() for a, w in zip(evaluated[-1], recorder.weights[-1], strict=True)) > 1e-4
    model = make_trainer("other").model
    read_weights(trainer.directory / "checkpoints" / "update-8.weights.h5", model)
    assert_same([variable.numpy() for variable in model.trainable_variables], evaluated[1])
    read_weights(trainer.directory / "model.weights.h5", model)
    assert_same([variable.numpy() for variable in model.trainable_variables], evaluated[-1])


def test_an_average_changes_nothing_in_the_training(make_trainer: Make) -> None:
    """Neither by itself nor by evaluations and saves on the averages between two updates."""
    runs = []
    for ema, every in ((None, 100), (EMA, 3)):
        recorder = Recorder()
        trainer = make_trainer(
            f"{ema}",
            optimizer=adam(ema),
            final_weights="ema" if ema else "last",
            evaluate=Scores(1.0),
            evaluate_every=every,
            callbacks=[recorder],
        )
        trainer.train()
        runs.append(recorder.weights)
    for plain, averaged in zip(*runs, strict=True):
        assert_same(plain, averaged)


def test_two_replicas_have_the_average_of_one(make_trainer: Make) -> None:
    results = []
    for replicas in (1, 2):
        trainer = make_trainer(str(replicas), replicas=replicas, optimizer=adam(), final_weights="ema")
        trainer.train()
        results.append(trainer.model.get_weights())
        if replicas == 2:
            for variable in trainer.optimizer.variables:
                copies = trainer.strategy.experimental_local_results(variable.value)
                assert_same([copies[0].numpy()], [copies[1].numpy()])
    for one, two in zip(*results, strict=True):
        np.testing.assert_allclose(one, two, atol=1e-5)


def test_a_stopped_run_ends_with_the_averages_of_an_uninterrupted_run(
    make_trainer: Make, make_copier: MakeModel
) -> None:
    def trainer_of(name: str, seed: int = 0, stop: tuple[int, signal.Signals | None] | None = None) -> Trainer:
        trainer = make_trainer(
            name,
            model=lambda: make_copier(dropout=0.2, seed=seed),
            optimizer=adam(0.9),
            accumulation_steps=2,
            max_updates=12,
            save_every=3,
            evaluate_every=6,
            evaluate=lambda: {"bleu": float(np.sum(trainer.model.get_weights()[0]))},
            final_weights="ema",
            callbacks=[Kill(*stop)] if stop else [],
        )
        return trainer

    whole = trainer_of("whole")
    whole.train()
    for seed, number, update in ((0, None, 5), (5, signal.SIGTERM, 8)):
        with pytest.raises(SystemExit if number else RuntimeError):
            trainer_of("stopped", seed, (update, number)).train()
    again = trainer_of("stopped", seed=9)
    again.train()
    assert_same(values_of(whole), values_of(again))
    assert log_of(whole) == log_of(again)


def test_a_skipped_update_does_not_advance_the_average(make_trainer: Make) -> None:
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
    applied = [weights for weights, skip in zip(recorder.weights, skipped, strict=True) if not skip]
    found = [variable.numpy() for variable in trainer.model.trainable_variables]
    for ours, expected in zip(found, averages(applied), strict=True):
        np.testing.assert_allclose(ours, expected, rtol=1e-5, atol=1e-7)


def test_best_and_averaged_checkpoints_are_those_of_averages(make_trainer: Make) -> None:
    for final, expected in (("ema", [10]), ("best", [4]), ("average_last", [8, 10])):
        trainer = make_trainer(
            optimizer=adam(),
            evaluate=Scores(1, 30.0, 2, 29.8, 29.9) if final == "ema" else Scores(31.0),  # trained once
            evaluate_every=2,
            keep_last=2,
            final_weights=final,
        )
        assert trainer.train().final_updates == expected
        means = []
        model = make_trainer("other").model
        for update in expected:
            read_weights(trainer.directory / "checkpoints" / f"update-{update}.weights.h5", model)
            means.append(model.get_weights())
        for found, *saved in zip(trainer.model.get_weights(), *means, strict=True):
            np.testing.assert_allclose(found, np.mean(saved, 0), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("began_with", [None, EMA])
def test_an_average_neither_begins_nor_ends_in_the_middle_of_a_run(
    make_trainer: Make, began_with: float | None
) -> None:
    make_trainer(optimizer=adam(began_with), max_updates=3).train()
    other = None if began_with else EMA
    with pytest.raises(UserError, match="another model or optimizer"):
        make_trainer(optimizer=adam(other), max_updates=6).train()


@pytest.mark.parametrize(("ema", "final"), [(None, "ema"), (EMA, "last")])
def test_the_name_of_the_last_weights_says_whether_they_are_averages(
    make_trainer: Make, ema: float | None, final: str
) -> None:
    with pytest.raises(UserError, match=f"Received: final_weights='{final}'"):
        make_trainer(optimizer=adam(ema), final_weights=final)


def test_a_momentum_out_of_range_is_refused() -> None:
    with pytest.raises(UserError, match="Received: ema=1.0"):
        make_optimizer(ema=1.0)


@pytest.mark.parametrize("name", ["_trainable_variables", "_model_variables_moving_average"])
def test_keras_has_the_private_names_of_averages(name: str) -> None:
    optimizer = keras.optimizers.Adam(use_ema=True)
    optimizer.build([keras.Variable(np.zeros(2, "float32"))])
    assert hasattr(optimizer, name), f"Keras has no Optimizer.{name}: change keras_nmt/training/optimizers.py"


def test_the_weights_come_back_after_an_error() -> None:
    variable, optimizer = keras.Variable(np.zeros(2, "float32")), make_optimizer("sgd", 1.0, ema=EMA)
    optimizer.build([variable])
    for _ in range(2):
        optimizer.apply([tf.ones(2)], [variable])

    def evaluate() -> None:
        with averaged_weights(optimizer):
            np.testing.assert_allclose(variable, -1 - (1 - EMA), rtol=1e-6)
            raise RuntimeError("a failed evaluation")

    with pytest.raises(RuntimeError, match="a failed evaluation"):
        evaluate()
    np.testing.assert_array_equal(variable, [-2, -2])
