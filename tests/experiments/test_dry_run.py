"""`dry_run`: checks, shapes and measurements without a trace in the folder."""

from __future__ import annotations

import re

import pytest
from configs import config

from keras_nmt.data import SubwordTokenizer, train_subwords
from keras_nmt.errors import UserError
from keras_nmt.experiments import dry_run
from keras_nmt.experiments.results import record
from keras_nmt.experiments.run_experiment import make_tokenizers
from keras_nmt.models import ModelDirectory


@pytest.mark.slow
def test_a_dry_run_reports_shapes_time_and_memory_and_writes_nothing(one, tmp_path):
    lines: list[str] = []
    experiment = config(tmp_path / "run", {**one, "max_updates": 7200, "time_limit": 2.0})
    dry_run(experiment, report=lines.append)
    text = "\n".join(lines)
    assert not (tmp_path / "run").exists()
    assert "1,740" in text
    model = experiment.make_model(experiment.vocabulary_sizes)
    assert f"{model.count_params():,} parameters" in text
    of_layers = re.findall(r"^  \S+ +([\d,]+) parameters$", text, re.MULTILINE)
    assert sum(int(number.replace(",", "")) for number in of_layers) == model.count_params()
    assert "source [64, 8], target [64, 8], logits [64, 8, 47]" in text
    (seconds,) = re.findall(r", (\S+) s for each further update", text)
    ((hours, minutes),) = re.findall(r"7,200 updates take about (\d+):(\d\d):\d\d,", text)
    assert 60 * int(hours) + int(minutes) == pytest.approx(7200 * float(seconds) / 60, rel=0.02, abs=1)
    (updates,) = re.findall(r"2 minutes are about ([\d,]+) updates", text)
    assert int(updates.replace(",", "")) == pytest.approx(120 / float(seconds), rel=0.02)
    (memory,) = re.findall(r"Peak memory: (\S+) GiB", text)
    assert 0.1 < float(memory) < 50


def test_a_dry_run_finds_what_the_run_would_find(one, tmp_path):
    experiment = config(tmp_path / "run", {**one, "data.dev.target": one["data.train.target"]})
    with pytest.raises(UserError, match="must have the same number of lines"):
        dry_run(experiment, report=str)


def largest(lines):
    """The shape of the largest update: rows, source and target positions, vocabulary."""
    (line,) = (line for line in lines if line.startswith("Largest update"))
    rows, source, _, target, _, _, size = map(int, re.findall(r"\d+", line.split(": ")[1].split(";")[0]))
    return rows, source, target, size


@pytest.mark.nightly
def test_the_largest_update_is_that_of_all_lines_by_the_subwords_of_the_run(one, tmp_path):
    """Long lines after line 1,000, in the second corpus."""
    long = {"source": "0 1 2 3 4 5 " * 8, "target": "ka ke la le ma me " * 8}
    files = {"data.train": [{s: one[f"data.train.{s}"] for s in long}, {s: str(tmp_path / s) for s in long}]}
    subwords = {side: tmp_path / f"{side}.model" for side in long}
    for side, size in (("source", 16), ("target", 22)):
        (tmp_path / side).write_text(f"{long[side]}\n" * 8)
        train_subwords(one[f"data.train.{side}"], subwords[side], vocabulary_size=size)
    settings = {**one, **files, "models": subwords, "joint_vocabulary": False, "length_buckets": None}
    settings |= {"batch_unit": "tokens", "batch_size": 100, "vocabulary_size": 8000}
    lines: list[str] = []
    dry_run(config(tmp_path / "run", settings), report=lines.append)
    edge = 1 + max(len(SubwordTokenizer(subwords[side]).tokenize([long[side]]).to_list()[0]) for side in long)
    assert largest(lines) == (8, edge, edge, 22)
    assert any(line.endswith(f"; longest: [8, {edge}]") for line in lines)
    sampled = {"sampling": 0.1, "max_updates": 1}
    dry_run(config(tmp_path / "run", {**settings, **sampled}), report=lines.append)
    assert largest(lines[-12:])[1] > edge
    # The longest update is measured where short sentences make more logits.
    for side, words in (("source", "0 1 "), ("target", "ka ke ")):
        (tmp_path / side).write_text(f"{words}\n" * 200 + f"{words * 40}\n" * 8)
    files = {f"data.train.{side}": tmp_path / side for side in ("source", "target")}
    short = {"length_buckets": [8, 200], "batch_unit": "tokens", "batch_size": 1600, "vocabulary_size": 17}
    dry_run(config(tmp_path / "run", {**one, **files, **short}), report=lines.append)
    assert largest(lines[-12:])[:2] == (200, 8)
    assert any(line.endswith("; longest: [8, 200]") for line in lines[-12:])


@pytest.mark.slow
def test_a_dry_run_has_the_subwords_that_the_run_would_have(one, trained, tmp_path):
    for size, more, expected in ((40, {}, 40), (8000, {"init_from": trained}, 47)):
        ending = {"max_updates": None, "patience": 2, "final_weights": "best", "length_buckets": [16]}
        made = config(tmp_path / ("start" if more else "run"), {**one, **more, **ending, "vocabulary_size": size})
        lines: list[str] = []
        dry_run(made, report=lines.append)
        assert largest(lines) == (64, 16, 16, expected)
        assert lines[-1].startswith("Peak memory: ")
        if not more:
            record(made)  # and dies before its first checkpoint
            make_tokenizers(made, ModelDirectory(made.directory), str)
