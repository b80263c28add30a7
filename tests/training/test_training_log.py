"""The log of a training run."""

from __future__ import annotations

import math
from pathlib import Path

from keras_nmt.training import TrainingLog


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
