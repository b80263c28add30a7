"""The log of a training run, and the measurements of its updates."""

from __future__ import annotations

import math
import os
from pathlib import Path

import pytest
import tensorflow as tf
from nasty_names import NAMES
from training_runs import Kill, Make, events_of

from keras_nmt.errors import UserError
from keras_nmt.training import Logging, TrainingLog
from keras_nmt.training.checkpoints import Progress
from keras_nmt.training.training_log import LogWriter, Measurements


def test_truncation_drops_later_incomplete_and_final_lines(tmp_path: Path) -> None:
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


def test_a_repeated_evaluation_is_recorded_once(tmp_path: Path) -> None:
    log = TrainingLog(tmp_path / "log.jsonl")
    for line in ({"update": 10, "loss": 1.0}, {"update": 10, "val_bleu": 3.0}, {"update": 20, "loss": 0.5}):
        log.append(line)
    expected = log.read()
    log.append({"update": 20, "val_bleu": 4.0})
    log.truncate(20, completed=20)
    assert len(log.read()) == 4
    log.truncate(20, completed=19)
    assert log.read() == expected


def test_any_numbers_are_valid_json(tmp_path: Path) -> None:
    log = TrainingLog(tmp_path / "log.jsonl")
    log.append({"update": 1, "loss": math.nan})
    assert log.read() == [{"update": 1, "loss": None}]


def test_a_log_without_a_file_is_empty(tmp_path: Path) -> None:
    log = TrainingLog(tmp_path / "log.jsonl")
    log.truncate(0, completed=0)
    assert log.read() == []
    assert not log.path.exists()


@pytest.mark.parametrize("damage", [b"\xff\n", b"{}\n", b'{"update": "x"}\n', b"[" * 100_000 + b"\n", b'{"upd\n'])
def test_damaged_lines_are_counted(tmp_path: Path, damage: bytes, recwarn: pytest.WarningsRecorder) -> None:
    log = TrainingLog(tmp_path / "log.jsonl")
    whole = b'{"update": 10, "loss": 1.0}\n'
    log.path.write_bytes(damage + whole + damage + whole.replace(b"10", b"20") + b'{"update": 20, "lo')
    log.truncate(20, completed=20)
    assert [str(warning.message) for warning in recwarn] == [f"Removed 2 damaged lines from {log.path}"]
    assert log.path.read_bytes() == whole + whole.replace(b"10", b"20")
    log.truncate(20, completed=20)
    assert len(recwarn) == 1


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_the_log_is_a_regular_file(tmp_path: Path, make_trainer: Make, make) -> None:
    (tmp_path / "run").mkdir()
    make(tmp_path / "run" / "training_log.jsonl")
    with pytest.raises(UserError, match=r"must be a regular file.*training_log.jsonl"):
        make_trainer("run").train()


def test_a_killed_run_has_each_step_once_in_tensorboard(make_trainer: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    def trainer_of(name: str, *callbacks: Kill):
        # A save every 3 and an evaluation every 2 updates. The value tells which weights were evaluated.
        options = {"save_every": 3, "evaluate_every": 2, "max_updates": 10, "callbacks": list(callbacks)}
        trainer = make_trainer(
            name, tensorboard=True, evaluate=lambda: {"bleu": float(trainer.model.weights[0][0, 0])}, **options
        )
        return trainer

    whole = trainer_of("whole")
    whole.train()
    killed = trainer_of("killed")

    def crash(*arguments: object) -> None:
        raise RuntimeError("crash")

    with monkeypatch.context() as patch:
        patch.setattr("keras_nmt.training.Checkpoints.save", crash)  # after the evaluation at update 2
        with pytest.raises(RuntimeError, match="crash"):
            killed.train()
    for update in (3, 5, 8, 8):
        with pytest.raises(RuntimeError, match="crash"):
            trainer_of("killed", Kill(update, None)).train()
    with open(next((killed.directory / "tensorboard").iterdir()), "ab") as file:
        file.write(b"a part of an event")
    trainer_of("killed").train()
    steady = []
    for run in (whole, killed):
        found = events_of(run.directory / "tensorboard")
        steady.append({key: number for key, number in found.items() if "second" not in key[0]})
    assert steady[0] == steady[1]
    assert set(steady[0].values()) == {1}
    assert {("loss", 10), ("val_bleu", 10)} <= {key[:2] for key in steady[0]}


@pytest.mark.parametrize("name", NAMES)
def test_a_log_in_a_folder_of_any_name(tmp_path: Path, name: str) -> None:
    progress = Progress()
    for update in (10, 20, 30):
        progress.update = progress.completed = update
        log = LogWriter(tmp_path / name, Logging(tensorboard=True, report=lambda line: None), is_chief=True)
        with log:
            log.write_evaluation(progress, {"bleu": float(update)})
        progress.update = progress.completed = 20
        log.truncate(progress)
    assert [line["update"] for line in log.file.read()] == [10, 20]
    assert events_of(tmp_path / name / "tensorboard") == {("val_bleu", 10, 10.0): 1, ("val_bleu", 20, 20.0): 1}


def test_sums_cover_all_updates_of_all_fetches() -> None:
    measurements, progress = Measurements({}, 1, "tokens", is_scaled=False), Progress()
    for numbers in ((1, 2), (3,)):
        for number in numbers:
            measurements.add("task", number, tf.fill([8], float(number)))
        measurements.fetch(progress)
    assert progress.pending["updates"] == 3
    assert progress.pending["loss"] == progress.task_pending["task"]["loss"] == progress.tokens == 6
    assert progress.pending["learning_rate"] == 3


def test_the_perplexity_of_a_run_that_diverges_is_a_number() -> None:
    measurements, progress = Measurements({}, 1, "tokens", is_scaled=False), Progress()
    measurements.clock.start(progress, lines=1)
    measurements.add("task", 0, tf.constant([1e5, 1e5, 0.0, 10.0, 1.0, 1.0, 1.0, 1.0]))  # 10,000 nats a token
    measurements.fetch(progress)
    metrics, _ = measurements.metrics(progress)
    assert metrics["perplexity"] == pytest.approx(math.exp(100))
