"""The log of a training run, and the measurements of its updates."""

import math
import os
import warnings

import pytest
import tensorflow as tf
from nasty_names import NAMES
from one_in import these
from training_runs import events_of

from keras_nmt.errors import UserError
from keras_nmt.training import Logging, TrainingLog
from keras_nmt.training.checkpoints import Progress
from keras_nmt.training.training_log import LogWriter, Measurements


def test_truncation_drops_later_incomplete_and_final_lines(tmp_path):
    log = TrainingLog(tmp_path / "log.jsonl")
    for update in (10, 20, 30):
        log.append({"update": update, "loss": update / 10})
    log.append({"update": 20, "final": [10, 20]})
    with open(log.path, "a") as file:
        file.write('{"update": 20, "lo')  # the process was killed here
    log.truncate(20, completed=20)
    assert log.path.read_text() == '{"update": 10, "loss": 1.0}\n{"update": 20, "loss": 2.0}\n'
    log.append({"update": 30})
    assert [line["update"] for line in log.read()] == [10, 20, 30]


def test_any_numbers_are_valid_json(tmp_path):
    log = TrainingLog(tmp_path / "log.jsonl")
    log.truncate(0, completed=0)
    assert log.read() == []
    assert not log.path.exists()
    log.append({"update": 1, "loss": math.nan})
    assert log.read() == [{"update": 1, "loss": None}]


def test_damaged_lines_are_named_and_removed(tmp_path):
    log, whole = TrainingLog(tmp_path / "log.jsonl"), b'{"update": 10, "loss": 1.0}\n'
    nan, huge = b'{"update": 1, "loss": NaN}\n', b'{"update": 1, "task_loss": {"a": 1e999}}\n'
    for damage in (b"\xff\n", b"{}\n", b'{"update": "x"}\n', b"[" * 100_000 + b"\n", b'{"upd\n', nan, huge):
        log.path.write_bytes(b"\n" + whole + damage + whole)
        with pytest.raises(UserError, match=rf"must be a JSON object .* Received: {log.path}, line 3$"):
            log.read()
        log.path.write_bytes(damage + whole + damage + whole.replace(b"10", b"20") + b'{"update": 20, "lo')
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            for _ in range(2):
                log.truncate(20, completed=20)
        told = f"Removed 2 damaged line(s) from {log.path}, line 1 first"
        assert [str(warning.message) for warning in found] == [told]
        assert log.path.read_bytes() == whole + whole.replace(b"10", b"20")
    log.path.write_bytes(whole.replace(b"10", b"20") + whole)
    with pytest.raises(UserError, match=r"in the order of updates: .*, line 2$"):
        log.read()


def test_the_log_is_a_regular_file(tmp_path, make_trainer):
    (tmp_path / "run").mkdir()
    os.mkfifo(tmp_path / "run" / "training_log.jsonl")
    with pytest.raises(UserError, match=r"must be a regular file.*training_log.jsonl"):
        make_trainer("run").train()


@pytest.mark.parametrize("name", these([1], NAMES, ascii))
def test_a_log_in_a_folder_of_any_name_is_cut_where_a_run_goes_on(tmp_path, name):
    progress = Progress()
    for update in (10, 20, 30):
        progress.update = progress.completed = update
        log = LogWriter(tmp_path / name, Logging(tensorboard=True, report=lambda line: None), is_chief=True)
        with log:
            log.file.append({"update": update, "loss": 0.5})
            log._write_summary(update, {"loss": 0.5})
            log.write_evaluation(progress, {"bleu": float(update)})
        with open(max((tmp_path / name / "tensorboard").iterdir()), "ab") as file:
            file.write(b"a part of an event")
        # Killed during the save after the evaluation of update 20.
        progress.update, progress.completed = 20, 10
        log.truncate(progress)
    assert [(line["update"], "loss" in line) for line in log.file.read()] == [(10, True), (10, False), (20, True)]
    found = events_of(tmp_path / name / "tensorboard")
    assert found == {("loss", 10, 0.5): 1, ("val_bleu", 10, 10.0): 1, ("loss", 20, 0.5): 1}


def test_sums_cover_all_updates_of_all_fetches():
    measurements, progress = Measurements({}, 1, "tokens", is_scaled=False), Progress()
    for numbers in ((1, 2), (3,)):
        for number in numbers:
            measurements.add("task", number, tf.fill([8], float(number)))
        measurements.fetch(progress)
    assert progress.pending["updates"] == 3
    assert progress.pending["loss"] == progress.task_pending["task"]["loss"] == progress.tokens == 6
    assert progress.pending["learning_rate"] == 3


def test_the_perplexity_of_a_run_that_diverges_is_a_number():
    measurements, progress = Measurements({}, 1, "tokens", is_scaled=False), Progress()
    measurements.clock.start(progress, lines=1)
    measurements.add("task", 0, tf.constant([1e5, 1e5, 0.0, 10.0, 1.0, 1.0, 1.0, 1.0]))  # 10,000 nats a token
    measurements.fetch(progress)
    metrics, _ = measurements.metrics(progress)
    assert metrics["perplexity"] == pytest.approx(math.exp(100))
