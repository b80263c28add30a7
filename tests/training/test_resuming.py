"""Runs that are stopped, killed or limited in time, and started again."""

from __future__ import annotations

import contextlib
import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf
from training_runs import TIMES, Kill, Make, MakeModel, Scores, assert_same, log_of, losses_of, values_of

from keras_nmt.data import SubwordSampling, SubwordTokenizer, TrainingBatches, read_parallel, train_subwords
from keras_nmt.errors import UserError
from keras_nmt.files.weights_file import read_weights
from keras_nmt.training import (
    Checkpoints,
    Trainer,
    make_optimizer,
)

STOPS = [  # with saves every 3 and evaluations every 6 updates
    (None, 5),  # a crash: continues from update 3
    (signal.SIGINT, 7),
    (signal.SIGTERM, 12),  # before the evaluation
    (signal.SIGHUP, 15),  # before the save
    (signal.SIGTERM, 18),  # before the work at the end
]


@pytest.fixture
def heeded_signals() -> Iterator[None]:
    """Handlers of a terminal: a test run in the background, or under `nohup`, ignores these signals."""
    usual = {signal.SIGINT: signal.default_int_handler, signal.SIGHUP: signal.SIG_DFL}
    before = {number: signal.signal(number, handler) for number, handler in usual.items()}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("heeded_signals")
def test_a_stopped_run_equals_an_uninterrupted_run(make_trainer: Make, make_copier: MakeModel) -> None:
    reports: list[str] = []

    def trainer_of(name: str, seed: int = 0, stop: tuple[int, signal.Signals | None] | None = None) -> Trainer:
        reports.clear()
        trainer = make_trainer(
            name,
            model=lambda: make_copier(dropout=0.2, seed=seed),
            accumulation_steps=2,
            max_updates=18,
            log_every=4,  # a line covers updates from before and after a stop
            save_every=3,
            evaluate_every=6,
            evaluate=lambda: {"bleu": float(np.sin(trainer.progress.update))},
            keep_last=4,  # covers saves before the stops: stops must not count as saves
            keep_best=2,
            callbacks=[Kill(*stop)] if stop else [],
            report=reports.append,
        )
        return trainer

    whole = trainer_of("whole")
    expected = whole.train()

    last = None
    for number, update in STOPS:
        trainer = trainer_of("stopped", seed=update if last else 0, stop=(update, number))
        with pytest.raises(SystemExit if number else RuntimeError) as stopped:
            trainer.train()
        assert trainer.progress.update == update
        if last:
            assert f"Going on from update {last} in" in reports[0]
        if number:
            assert stopped.value.code == 128 + number
        last = update if number else 3
        assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    again = trainer_of("stopped", seed=9)
    result = again.train()

    assert_same(values_of(whole), values_of(again))
    assert log_of(whole) == log_of(again)
    assert result.final_updates == expected.final_updates
    assert result.best_update == expected.best_update
    index = [json.loads((t.directory / "checkpoints" / "index.json").read_text()) for t in (whole, again)]
    assert index[0] == index[1]


def test_a_resumed_run_may_have_other_replicas_and_micro_batches(make_trainer: Make) -> None:
    options = {"final_weights": "last", "max_updates": 8}
    whole = make_trainer("whole", **options)
    whole.train()
    make_trainer("moved", **{**options, "max_updates": 4}).train()
    moved = make_trainer("moved", replicas=2, accumulation_steps=2, **options)
    moved.train()
    np.testing.assert_allclose(losses_of(moved), losses_of(whole), rtol=1e-4)


def test_a_resumed_run_scores_its_kept_weights_by_the_present_evaluation(make_trainer: Make) -> None:
    options: dict[str, Any] = {"evaluate_every": 2, "keep_last": 2, "keep_best": 1}
    make_trainer(evaluate=Scores(9.0, 1.0, 2.0), max_updates=6, **options).train()

    def evaluate() -> dict[str, float]:
        seen.append(trainer.model.get_weights())
        return {"bleu": 1.0, "loss": float(len(seen))}

    for best, max_updates, calls in (("loss", 8, 5), ("loss", 8, 1)):  # 3 kept, then 8, then the final weights
        seen: list[list[np.ndarray]] = []
        trainer = make_trainer(evaluate=evaluate, best_metric=best, max_updates=max_updates, **options)
        result = trainer.train()
        assert (result.best_update, result.best_score) == (2, 1.0)
        assert (len(seen), result.final_updates) == (calls, [2])
    kept = make_trainer("other").model
    read_weights(trainer.directory / "checkpoints" / "update-2.weights.h5", kept)
    assert_same(seen[-1], kept.get_weights())


def test_a_resumed_run_may_evaluate_at_other_updates(make_trainer: Make) -> None:
    def run(max_updates: int, every: int) -> Trainer:
        trainer = make_trainer(evaluate=Scores(1.0, 0.0), evaluate_every=every, max_updates=max_updates, log_every=100)
        trainer.train()
        return trainer

    run(6, 3)
    trainer = run(13, 4)
    lines = [line for line in log_of(trainer) if "val_bleu" in line and "final" not in line]
    assert [line["update"] for line in lines] == [3, 6, 8, 12, 13]
    assert trainer.progress.evaluations_since_best == 4  # the best evaluation, 3, was before the stop
    kept = json.loads((trainer.directory / "checkpoints" / "index.json").read_text())
    assert kept["last"] == [3, 6, 8, 12, 13]


def test_a_stopped_run_with_corpus_weights_and_sampling_continues(
    make_trainer: Make, make_copier: MakeModel, tmp_path: Path
) -> None:
    generator = np.random.default_rng(1)
    for name in ("one", "two"):
        lines = [" ".join(generator.choice(["abba", "bab", "ab"], size)) for size in generator.integers(1, 5, 60)]
        (tmp_path / name).write_text("\n".join(lines))
    files = [tmp_path / "one", tmp_path / "two"]
    tokenizer = SubwordTokenizer(train_subwords(files, tmp_path / "subwords", vocabulary_size=10))

    def train(name: str, number: int | None = None, seed: int = 0) -> Trainer:
        trainer = make_trainer(
            name,
            data=TrainingBatches(
                [read_parallel(file, file, tokenizer, tokenizer, keep_text=True) for file in files],
                batch_size=16,
                batch_unit="sentences",
                weights=[0.7, 1],
                sampling=SubwordSampling(tokenizer, tokenizer, alpha=0.3),
            ),
            model=lambda: make_copier(dropout=0.2, seed=seed),
            callbacks=[Kill(11, number)] if number else [],  # 7 updates per epoch
            max_updates=18,
        )
        if number:
            with pytest.raises(SystemExit):
                trainer.train()
        else:
            trainer.train()
        return trainer

    whole = train("whole")
    train("cut", signal.SIGTERM)
    again = train("cut", seed=9)
    assert_same(values_of(whole), values_of(again))
    assert log_of(whole) == log_of(again)


def test_an_interrupted_run_can_be_finished_at_its_update(make_trainer: Make) -> None:
    options: dict[str, Any] = {"evaluate": Scores(1.0), "evaluate_every": 8, "final_weights": "best"}
    with pytest.raises(SystemExit):
        make_trainer(callbacks=[Kill(5, signal.SIGTERM)], **options).train()
    rounds: list[str] = []
    callback = keras.callbacks.LambdaCallback(
        on_epoch_begin=lambda epoch, logs: rounds.append(f"begin {epoch}"),
        on_epoch_end=lambda epoch, logs: rounds.append(f"end {epoch} {logs['val_bleu']}"),
    )
    result = make_trainer(callbacks=[callback], **{**options, "max_updates": 5}).train()
    assert (result.reason, result.final_updates, result.best_score) == ("max_updates", [5], 1.0)
    assert rounds == ["begin 0", "end 0 1.0"]


def test_a_failed_evaluation_loses_no_updates(make_trainer: Make) -> None:
    class Counter(keras.callbacks.Callback):
        updates = 0

        def on_train_batch_end(self, batch: int, logs: dict | None = None) -> None:
            self.updates += 1

    def fail() -> dict[str, float]:
        raise MemoryError("the dev set is too long")

    options = {"evaluate_every": 5, "max_updates": 10}
    with pytest.raises(MemoryError):
        make_trainer(evaluate=fail, **options).train()
    counter = Counter()
    trainer = make_trainer(evaluate=Scores(1.0, 2.0, 2.0), callbacks=[counter], **options)
    result = trainer.train()
    assert counter.updates == 5
    assert [line["update"] for line in log_of(trainer) if "val_bleu" in line][:2] == [5, 10]
    whole = make_trainer("whole", evaluate=Scores(1.0, 2.0, 2.0), **options)
    assert whole.train().final_updates == result.final_updates
    assert_same(values_of(trainer), values_of(whole))


def test_a_resumed_run_keeps_its_loss_scale(make_trainer: Make) -> None:
    def scales(name: str, *ends: int) -> list[float]:
        for max_updates in ends:
            trainer = make_trainer(
                name,
                optimizer=lambda: keras.optimizers.LossScaleOptimizer(
                    make_optimizer("adam", 0.01), initial_scale=8.0, dynamic_growth_steps=2
                ),
                max_updates=max_updates,
            )
            trainer.train()
        return [line["loss_scale"] for line in log_of(trainer)]

    assert scales("stopped", 5, 8) == scales("whole", 8)
    assert len(set(scales("whole", 8))) > 3


def test_a_time_limit_between_evaluations_ends_with_an_evaluation(make_trainer: Make) -> None:
    class Slow(keras.callbacks.Callback):
        def on_train_batch_end(self, batch: int, logs: dict | None = None) -> None:
            if batch == 2:
                time.sleep(1.0)

    scores = Scores(1.0)
    options = {
        "evaluate": scores,
        "evaluate_every": 100,
        "final_weights": "best",
        "max_updates": None,
        "time_limit": 1 / 60,
    }
    result = make_trainer(callbacks=[Slow()], **options).train()
    assert result.reason == "time_limit"
    assert result.final_updates == [result.update] == [result.best_update]


def test_a_time_limit_during_a_save_ends_with_an_evaluation(
    make_trainer: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    save = Checkpoints.save

    def slow_save(*arguments: Any) -> str:
        trainer._clock._began -= 100  # simulates a slow save
        return save(*arguments)

    monkeypatch.setattr(Checkpoints, "save", slow_save)
    trainer = make_trainer(
        evaluate=Scores(1.0), evaluate_every=4, save_every=2, final_weights="best", max_updates=None, time_limit=50 / 60
    )
    result = trainer.train()
    assert (result.reason, result.update, result.best_update) == ("time_limit", 3, 3)


def test_callbacks_get_the_same_logs_after_a_stop(make_trainer: Make) -> None:
    """`CSVLogger` takes its columns from the first logs of a process."""

    def run(name: str, *evaluations: BaseException | None) -> list[dict[str, float]]:
        logs: list[dict[str, float]] = []
        record = keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, found: logs.append(dict(found)))
        for error in evaluations:

            def evaluate(error: BaseException | None = error) -> dict[str, float]:
                if error is not None:
                    raise error
                return {"bleu": 1.0}

            options = {"evaluate_every": 5, "log_every": 5, "max_updates": 10, "callbacks": [record]}
            trainer = make_trainer(name, evaluate=evaluate, **options)
            with contextlib.suppress(MemoryError):
                trainer.train()
        return [{key: value for key, value in of.items() if key not in TIMES} for of in logs]

    whole, stopped = run("whole", None), run("stopped", MemoryError("killed"), None)
    assert len(whole) == 2
    assert "loss" in whole[0]
    assert stopped == whole


def test_a_score_that_is_no_number_ends_the_run_before_it_is_kept(make_trainer: Make) -> None:
    options = {"evaluate_every": 1, "max_updates": 4, "final_weights": "best"}
    with pytest.raises(UserError, match="must return a finite number.*Received: bleu=nan$"):
        make_trainer(evaluate=Scores(3.0, float("nan")), **options).train()
    result = make_trainer(evaluate=Scores(2.0), **options).train()
    assert (result.best_update, result.best_score, result.final_updates) == (1, 3.0, [1])


def test_a_callback_ends_the_run_with_its_epoch(make_trainer: Make) -> None:
    def stop(epoch: int, logs: dict[str, float]) -> None:
        trainer.model.stop_training = True

    trainer = make_trainer(save_every=3, callbacks=[keras.callbacks.LambdaCallback(on_epoch_end=stop)])
    result = trainer.train()
    assert (result.reason, result.update) == ("callback", 3)


class StopAfter(keras.callbacks.Callback):
    def __init__(self, update: int) -> None:
        super().__init__()
        self.update = update

    def on_train_batch_end(self, batch: int, logs: dict[str, float] | None = None) -> None:
        self.model.stop_training = batch + 1 == self.update


def test_a_run_that_a_callback_ended_stays_ended(make_trainer: Make) -> None:
    def trainer(**options: Any) -> Trainer:
        return make_trainer(max_updates=9, evaluate_every=2, **options)

    def evaluate_then_fail() -> Iterator[float]:
        yield from (1.0, 2.0, 3.0)  # of updates 2 and 4, and none of the final weights
        raise MemoryError("killed")

    scores = evaluate_then_fail()
    with contextlib.suppress(MemoryError):
        trainer(callbacks=[StopAfter(4)], evaluate=lambda: {"bleu": next(scores)}).train()
    for _ in range(2):  # killed at its end; ended
        result = trainer(callbacks=[StopAfter(4)], evaluate=Scores(4.0)).train()
        assert (result.reason, result.update) == ("callback", 4)
    result = trainer(evaluate=Scores(*[4.0] * 9)).train()  # without callbacks
    assert (result.reason, result.update) == ("max_updates", 9)


def test_too_little_memory_is_the_users_error(make_trainer: Make) -> None:
    class Full(keras.callbacks.Callback):
        def on_train_batch_end(self, batch: int, logs: dict | None = None) -> None:
            raise tf.errors.ResourceExhaustedError(None, None, "OOM when allocating tensor\nwith shape [9]")

    with pytest.raises(UserError, match="lower `batch_size`.* Received: OOM when allocating tensor with shape"):
        make_trainer(callbacks=[Full()]).train()


def test_starting_a_finished_run_again_changes_nothing(make_trainer: Make) -> None:
    first = make_trainer(max_updates=5)
    result = first.train()
    again = make_trainer(max_updates=5)
    assert again.train().final_updates == result.final_updates == [5]
    assert_same(values_of(first), values_of(again))
    assert log_of(first) == log_of(again)


def test_the_time_of_a_resumed_run_continues(make_trainer: Make) -> None:
    class Long(keras.callbacks.Callback):
        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            first._clock._began -= 100  # simulates a slow update

    first = make_trainer(max_updates=3, callbacks=[Long()])
    first.train()
    assert make_trainer(max_updates=4).train().seconds > 200


def test_scoring_kept_weights_again_changes_nothing_in_the_training(make_trainer: Make) -> None:
    """The kept weights are those of updates before the one at which the run was stopped."""
    runs = []
    for metric in ("bleu", "loss"):
        options: dict[str, Any] = {
            "evaluate": lambda: {"bleu": 1.0, "loss": 1.0},
            "evaluate_every": 2,
            "final_weights": "last",
            "max_updates": 8,
        }
        with pytest.raises(SystemExit):
            make_trainer(metric, callbacks=[Kill(5, signal.SIGTERM)], **options).train()
        trainer = make_trainer(metric, best_metric=metric, **options)
        trainer.train()
        runs.append(values_of(trainer))
    assert_same(*runs)
