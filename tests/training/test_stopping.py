"""The end of a run, and the agreement of several workers on a stop."""

from __future__ import annotations

import math
import signal

import keras
import pytest
import tensorflow as tf

from keras_nmt.errors import UserError
from keras_nmt.training import stopping as module
from keras_nmt.training.checkpoints import Progress
from keras_nmt.training.evaluation import Evaluation
from keras_nmt.training.stopping import DELAY, STOP_REQUESTS, Interruption, StopCriteria, Stopping


def stopping(num_workers: int = 1, patience: int | None = None, **limits: float) -> Stopping:
    model = keras.Sequential()
    model.stop_training = False
    return Stopping(StopCriteria(**limits), patience, model, num_workers)


def test_the_reason():
    for progress, requests, reason in (
        (Progress(update=9, evaluations_since_best=2), (), None),
        (Progress(update=10), (), "max_updates"),
        (Progress(update=11), (), "max_updates"),
        (Progress(evaluations_since_best=3), (), "patience"),
        (Progress(evaluations_since_best=4), (), "patience"),
        (Progress(update=10, evaluations_since_best=3), ("time_limit",), "max_updates"),
        (Progress(update=10), ("interruption", "callback"), "interruption"),  # a resumed run trains to its end
        (Progress(evaluations_since_best=3), ("callback",), "patience"),
        (Progress(), ("time_limit", "callback"), "time_limit"),
    ):
        assert stopping(max_updates=10, patience=3).reason(progress, requests) == reason


def counts_of(metric, *evaluations):
    """How many evaluations since the best there are after each of these, which give metrics by name."""
    evaluation, progress, counts = Evaluation(evaluate=dict, every=1, best_metric=metric), Progress(), []
    for metrics in evaluations:
        evaluation.record(metrics, progress)
        counts.append(progress.evaluations_since_best)
    return counts


def test_a_new_best_score_starts_the_count_of_evaluations_again():
    assert counts_of("bleu", *({"bleu": score} for score in (2.0, 1.0, 2.0, 3.0, 0.0))) == [0, 1, 2, 0, 1]
    for metric in ("loss", "nll", "perplexity", "ter", "loss_de-en", "ter_de-en_newstest"):  # lower is better
        assert counts_of(metric, *({metric: score} for score in (2.0, 3.0, 1.0))) == [0, 1, 0]
    for wrong in ({"bleu": math.nan, "chrf": 5.0}, {"chrf": 5.0}):
        shown = ", ".join(f"{name}={score:g}" for name, score in wrong.items())
        with pytest.raises(UserError, match=f"finite number for `best_metric`, here bleu. Received: {shown}$"):
            counts_of("bleu", {"bleu": 1.0}, wrong)


@pytest.mark.parametrize("metric", ["bleu", "bleu_de-en"])
def test_bleu_near_zero_does_not_end_a_run_while_something_else_rises(metric):
    names = (metric, metric.replace("bleu", "chrf"))
    for evaluations, counts in (
        ([(0.2, 5.0), (0.1, 6.0), (0.1, 7.0), (0.0, 8.0)], [0, 0, 0, 0]),  # by chance, and chrF rises
        ([(0.2, 5.0), (0.1, 5.0), (0.1, 4.0), (0.3, 4.0)], [0, 1, 2, 0]),  # nothing rises
        ([(0.2,), (0.1,), (0.0,)], [0, 0, 0]),  # nothing else is known
        ([(1.5, 5.0), (0.1, 6.0), (1.4, 7.0)], [0, 1, 2]),  # it was more than chance
    ):
        assert counts_of(metric, *(dict(zip(names, scores, strict=False)) for scores in evaluations)) == counts
    for other, sign in (("loss", -1), ("loss_de-en", -1)):  # lower is better
        assert counts_of(metric, *({metric: 0.0, other: sign * value} for value in (5.0, 6.0, 7.0))) == [0, 0, 0]


def test_a_worker_requests_a_stop_after_interruption_time_and_callbacks():
    one, interruption = stopping(time_limit=5 / 60), Interruption()
    assert one.own_requests(Progress(seconds=4.9), interruption) == []
    assert one.own_requests(Progress(seconds=5.0)) == ["time_limit"]
    interruption.signal = signal.SIGTERM
    one._model.stop_training = True
    assert one.own_requests(Progress(seconds=6.0), interruption) == list(STOP_REQUESTS)
    assert stopping().own_requests(Progress(seconds=1e9)) == []
    assert one.requests is None
    assert one.agreed_requests(["callback"], None) == ["callback"]  # a single worker stops at once


def test_a_signal_stops_the_program_at_once_where_nothing_would_be_lost(monkeypatch):
    with Interruption(lambda: False) as interruption:
        for _ in range(2):  # the same request, of a parent and of a service
            signal.raise_signal(signal.SIGTERM)
        assert interruption.signal == signal.SIGTERM
        monkeypatch.setattr(module, "ONE_REQUEST", 0.0)
        with pytest.raises(SystemExit):  # the second one
            signal.raise_signal(signal.SIGTERM)
    with Interruption(lambda: True) as interruption, pytest.raises(SystemExit) as ended:
        signal.raise_signal(signal.SIGTERM)
    assert (ended.value.code, interruption.was_at_once) == (143, True)


def test_workers_agree_on_a_request_after_the_same_update():
    workers = [stopping(num_workers=2) for _ in range(2)]
    agreed = []
    for update in range(2 + DELAY + 2):
        # An update sums the workers' earlier stop requests.
        sums = tf.add_n([tf.convert_to_tensor(worker.requests) for worker in workers])
        own = [["time_limit"] if update >= 2 else [], []]
        agreed.append([worker.agreed_requests(x, sums) for worker, x in zip(workers, own, strict=True)])
    first = 2 + DELAY  # requested after update 2, summed by update 3, read DELAY - 1 updates later
    assert [answers[0] == ["time_limit"] for answers in agreed] == [update >= first for update in range(len(agreed))]
    assert all(answers[0] == answers[1] for answers in agreed)


def test_the_remaining_time():
    progress = Progress(update=4, seconds=20.0)
    assert StopCriteria().seconds_left(progress, 2.0) is None
    assert StopCriteria(max_updates=10).seconds_left(progress, 2.0) == 12.0
    assert StopCriteria(max_updates=10, time_limit=25 / 60).seconds_left(progress, 2.0) == 5.0
    assert StopCriteria(time_limit=19 / 60).seconds_left(progress, 2.0) == 0.0
