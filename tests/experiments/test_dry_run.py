"""`Experiment.dry_run`: checks, shapes and measurements without a trace in the folder."""

from __future__ import annotations

import re

import pytest

from keras_nmt.errors import UserError
from keras_nmt.experiments import Experiment


def test_a_dry_run_reports_shapes_time_and_memory_and_writes_nothing(one, tmp_path):
    lines: list[str] = []
    experiment = Experiment(directory=tmp_path / "run", **{**one, "max_updates": 7200, "time_limit": 2.0})
    experiment.dry_run(report=lines.append)
    text = "\n".join(lines)
    assert not (tmp_path / "run").exists()
    assert "source-target: 1,740 pairs" in text
    model = experiment.make_model(experiment.vocabulary_sizes)
    assert f"{model.count_params():,} parameters" in text
    of_layers = re.findall(r"^  \S+ +([\d,]+) parameters$", text, re.MULTILINE)
    assert sum(int(number.replace(",", "")) for number in of_layers) == model.count_params()
    assert re.search(r"source \[64, \d+\], target \[64, \d+\], logits \[64, \d+, 30\]", text)
    (seconds,) = re.findall(r", (\S+) s for each further update", text)
    ((hours, minutes),) = re.findall(r"7,200 updates take about (\d+):(\d\d):\d\d,", text)
    assert 60 * int(hours) + int(minutes) == pytest.approx(7200 * float(seconds) / 60, rel=0.02, abs=1)
    (updates,) = re.findall(r"2 minutes are about ([\d,]+) updates", text)
    assert int(updates.replace(",", "")) == pytest.approx(120 / float(seconds), rel=0.02)
    (memory,) = re.findall(r"Peak memory: (\S+) GiB", text)
    assert 0.1 < float(memory) < 50


def test_a_dry_run_takes_every_way_of_ending(one, tmp_path):
    ending = {"max_updates": None, "patience": 2, "final": "best"}
    lines: list[str] = []
    Experiment(directory=tmp_path / "run", **{**one, **ending}).dry_run(report=lines.append)
    assert lines[-1].startswith("Peak memory: ")


def test_a_dry_run_finds_what_the_run_would_find(one, tmp_path):
    experiment = Experiment(directory=tmp_path / "run", **{**one, "dev_target": one["train_target"]})
    with pytest.raises(UserError, match="Both sides need the same number of lines"):
        experiment.dry_run(report=lambda line: None)
