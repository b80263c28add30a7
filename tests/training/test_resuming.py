"""Runs that are stopped, killed or limited in time, and started again."""

import contextlib
import json
import signal

import keras
import numpy as np
import pytest
from training_runs import (
    TIMES,
    Kill,
    assert_equal_runs,
    assert_same,
    evaluated_updates,
    log_of,
    losses_of,
    make_copier,
    scores,
    values_of,
)

from keras_nmt.errors import UserError
from keras_nmt.files.weights_file import read_weights
from keras_nmt.training import Checkpoints, make_optimizer

STOPS = [  # with saves every 3 and evaluations every 6 updates
    (None, 5),  # a crash: continues from update 3
    (signal.SIGINT, 7),
    (signal.SIGTERM, 12),  # before the evaluation
    (signal.SIGHUP, 15),  # before the save
    (signal.SIGTERM, 18),  # before the work at the end
]


@pytest.fixture
def heeded_signals():
    """Handlers of a terminal: a test run in the background, or under `nohup`, ignores these signals."""
    usual = {signal.SIGINT: signal.default_int_handler, signal.SIGHUP: signal.SIG_DFL}
    before = {number: signal.signal(number, handler) for number, handler in usual.items()}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("heeded_signals")
@pytest.mark.parametrize(
    ("stops", "updates", "parts", "ema"),
    [
        (STOPS[:2], 9, 1, None),
        pytest.param(STOPS, 18, 2, None, marks=pytest.mark.slow),
        pytest.param(STOPS[:2], 9, 2, 0.9, marks=pytest.mark.slow),
    ],
)
def test_a_stopped_run_equals_an_uninterrupted_run(make_trainer, stops, updates, parts, ema):
    reports = []

    def make(name, seed=0, stop=None):
        reports.clear()
        trainer = make_trainer(
            name,
            model=lambda: make_copier(dropout=0.2, seed=seed),
            optimizer=lambda: make_optimizer("adam", 0.01, clip=0.5, ema=ema),
            accumulation_steps=parts,
            max_updates=updates,
            log_every=4,  # a line covers updates from before and after a stop
            save_every=3,
            evaluate_every=6,
            evaluate=lambda: {"bleu": float(np.sum(trainer.model.get_weights()[0])) + np.sin(trainer.progress.update)},
            keep_last=4,  # covers saves before the stops: stops must not count as saves
            keep_best=2,
            final_weights="ema" if ema else "average_last",
            callbacks=[Kill(*stop)] if stop else [],
            report=reports.append,
            tensorboard=True,
        )
        return trainer

    whole = make("whole")
    expected = whole.train()
    last = None
    for number, update in stops:
        trainer = make("stopped", seed=update if last else 0, stop=(update, number))
        with pytest.raises(SystemExit if number else RuntimeError) as stopped:
            trainer.train()
        assert trainer.progress.update == update
        if last:
            assert f"Going on from update {last} in" in reports[0]
        if number:
            assert stopped.value.code == 128 + number
        last = update if number else 3
        assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    for seed in (8, 9):  # the second time, the run is already complete
        again = make("stopped", seed=seed)
        result = again.train()
        assert_equal_runs(whole, again)
        assert (result.final_updates, result.best_update) == (expected.final_updates, expected.best_update)


@pytest.mark.slow
def test_a_resumed_run_may_have_other_replicas_and_micro_batches(make_trainer):
    options = {"final_weights": "last", "max_updates": 8}
    whole = make_trainer("whole", **options)
    whole.train()
    make_trainer("moved", **{**options, "max_updates": 4}).train()
    moved = make_trainer("moved", replicas=2, accumulation_steps=2, **options)
    moved.train()
    np.testing.assert_allclose(losses_of(moved), losses_of(whole), rtol=1e-4)


@pytest.mark.slow
def test_a_resumed_run_scores_its_kept_weights_by_the_present_evaluation(make_trainer):
    options = {"evaluate_every": 2, "keep_last": 2, "keep_best": 1}
    make_trainer(evaluate=scores(9.0, 1.0, 2.0), max_updates=6, **options).train()

    def evaluate():
        seen.append(trainer.model.get_weights())
        return {"bleu": 1.0, "loss": float(len(seen))}

    for calls in (5, 1):  # 3 kept, then 8, then the final weights
        seen = []
        trainer = make_trainer(evaluate=evaluate, best_metric="loss", max_updates=8, **options)
        result = trainer.train()
        assert (result.best_update, result.best_score) == (2, 1.0)
        assert (len(seen), result.final_updates) == (calls, [2])
    kept = make_copier()
    read_weights(trainer.directory / "checkpoints" / "update-2.weights.h5", kept)
    assert_same(seen[-1], kept.get_weights())


@pytest.mark.slow
def test_scoring_kept_weights_again_changes_nothing_in_the_training(make_trainer):
    """The kept weights are those of updates before the one at which the run was stopped."""
    runs = []
    for metric in ("bleu", "loss"):
        options = {"evaluate": lambda: {"bleu": 1.0, "loss": 1.0}, "evaluate_every": 2, "final_weights": "last"}
        with pytest.raises(SystemExit):
            make_trainer(metric, callbacks=[Kill(5, signal.SIGTERM)], **options).train()
        trainer = make_trainer(metric, best_metric=metric, max_updates=8, **options)
        trainer.train()
        runs.append(values_of(trainer))
    assert_same(*runs)


@pytest.mark.slow
def test_a_resumed_run_may_evaluate_at_other_updates(make_trainer):
    for max_updates, every in ((6, 3), (13, 4)):
        options = {"evaluate_every": every, "max_updates": max_updates, "log_every": 100}
        trainer = make_trainer(evaluate=scores(1.0, 0.0), **options)
        trainer.train()
    assert evaluated_updates(trainer) == [3, 6, 8, 12, 13]
    assert trainer.progress.evaluations_since_best == 4  # the best evaluation, 3, was before the stop
    kept = json.loads((trainer.directory / "checkpoints" / "index.json").read_text())
    assert kept["last"] == [3, 6, 8, 12, 13]


@pytest.mark.slow
def test_an_interrupted_run_can_be_finished_at_its_update(make_trainer):
    options = {"evaluate": scores(1.0), "evaluate_every": 8, "final_weights": "best"}
    with pytest.raises(SystemExit):
        make_trainer(callbacks=[Kill(5, signal.SIGTERM)], **options).train()
    rounds = []
    callback = keras.callbacks.LambdaCallback(
        on_epoch_begin=lambda epoch, logs: rounds.append(f"begin {epoch}"),
        on_epoch_end=lambda epoch, logs: rounds.append(f"end {epoch} {logs['val_bleu']}"),
    )
    result = make_trainer(callbacks=[callback], **options, max_updates=5).train()
    assert (result.reason, result.final_updates, result.best_score) == ("max_updates", [5], 1.0)
    assert rounds == ["begin 0", "end 0 1.0"]


@pytest.mark.slow
def test_a_failed_evaluation_loses_no_updates_and_callbacks_get_the_same_logs(make_trainer):
    """`CSVLogger` takes its columns from the first logs of a process."""

    def fail():
        raise MemoryError("the dev set is too long")

    runs = []
    for name, evaluations in {"whole": [scores(1.0)], "stopped": [fail, scores(1.0)]}.items():
        rounds, updates = [], []
        record = keras.callbacks.LambdaCallback(
            on_epoch_end=lambda epoch, logs, rounds=rounds: rounds.append(dict(logs)),
            on_train_batch_end=lambda batch, logs, updates=updates: updates.append(batch),
        )
        for evaluate in evaluations:
            options = {"evaluate_every": 5, "log_every": 5, "callbacks": [record]}
            trainer = make_trainer(name, evaluate=evaluate, **options)
            with contextlib.suppress(MemoryError):
                trainer.train()
        assert updates == [*range(10)]
        assert evaluated_updates(trainer) == [5, 10]
        rounds = [{key: value for key, value in logs.items() if key not in TIMES} for logs in rounds]
        runs.append((rounds, log_of(trainer), values_of(trainer)))
    assert "loss" in runs[0][0][0]
    assert runs[0][:2] == runs[1][:2]
    assert_same(runs[0][2], runs[1][2])


def test_a_time_limit_covers_all_starts_and_ends_with_an_evaluation(make_trainer):
    def wait(batch, logs):
        if batch in (1, 3):
            trainer._clock._began -= 40  # simulates a slow update

    slow = keras.callbacks.LambdaCallback(on_train_batch_end=wait)
    options = {"evaluate": scores(1.0), "evaluate_every": 100, "final_weights": "best", "callbacks": [slow]}
    trainer = make_trainer(max_updates=3, **options)
    assert trainer.train().reason == "max_updates"
    for _ in range(2):  # the second time, the run has ended
        trainer = make_trainer(max_updates=None, time_limit=1.0, **options)
        result = trainer.train()
        assert (result.reason, result.update, result.final_updates) == ("time_limit", 5, [3])
        assert result.seconds > 80
    assert evaluated_updates(trainer) == [3, 5]


@pytest.mark.slow
def test_a_time_limit_during_a_save_ends_with_an_evaluation(make_trainer, monkeypatch):
    save = Checkpoints.save

    def slow_save(*arguments):
        trainer._clock._began -= 100  # simulates a slow save
        return save(*arguments)

    monkeypatch.setattr(Checkpoints, "save", slow_save)
    trainer = make_trainer(
        evaluate=scores(1.0), evaluate_every=4, save_every=2, final_weights="best", max_updates=None, time_limit=50 / 60
    )
    result = trainer.train()
    assert (result.reason, result.update, result.best_update) == ("time_limit", 3, 3)


@pytest.mark.slow
def test_a_signal_in_an_evaluation_ends_it_and_the_run_goes_on_from_there(make_trainer):
    def interrupted():
        signal.raise_signal(signal.SIGTERM)
        pytest.fail("the evaluation went on")

    options = {"evaluate_every": 3, "max_updates": 6, "final_weights": "best"}
    reports = []
    with pytest.raises(SystemExit) as ended:
        make_trainer(evaluate=interrupted, report=reports.append, **options).train()
    assert (ended.value.code, reports[-1]) == (143, "Stopped by SIGTERM at update 3")
    trainer = make_trainer(evaluate=scores(1.0), **options)
    trainer.train()
    assert evaluated_updates(trainer) == [3, 6]


@pytest.mark.slow
def test_a_score_that_is_no_number_ends_the_run_before_it_is_kept(make_trainer):
    options = {"evaluate_every": 1, "max_updates": 2, "final_weights": "best"}
    with pytest.raises(UserError, match="must return a finite number.*Received: bleu=nan, chrf=1$"):
        make_trainer(evaluate=scores(3.0, float("nan")), **options).train()
    result = make_trainer(evaluate=scores(2.0), **options).train()
    assert (result.best_update, result.best_score, result.final_updates) == (1, 3.0, [1])


@pytest.mark.slow
def test_a_run_that_a_callback_ended_stays_ended(make_trainer):
    def train(evaluate, stops=True):
        def stop(batch, logs):
            trainer.model.stop_training = batch + 1 == 4

        callbacks = [keras.callbacks.LambdaCallback(on_train_batch_end=stop)] * stops
        trainer = make_trainer(max_updates=9, evaluate_every=2, evaluate=evaluate, callbacks=callbacks)
        return trainer.train()

    left = [1.0, 2.0]  # of updates 2 and 4, and none of the final weights
    with pytest.raises(IndexError):
        train(lambda: {"bleu": left.pop(0)})
    for _ in range(2):  # killed at its end; ended
        result = train(scores(4.0))
        assert (result.reason, result.update) == ("callback", 4)
    result = train(scores(4.0), stops=False)
    assert (result.reason, result.update) == ("max_updates", 9)
