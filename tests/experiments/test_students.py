"""Runs with a teacher, with given alignments, and with noise."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from configs import LORA, NOISE, config, mixed, stored_weights
from training_runs import Kill

from keras_nmt.data import train_subwords
from keras_nmt.errors import UserError
from keras_nmt.experiments import run
from keras_nmt.models import ModelDirectory


@pytest.fixture(scope="module")
def links(corpus, tmp_path_factory):
    """Each digit with its word."""
    path = tmp_path_factory.mktemp("links") / "links"
    lines = (corpus / "train.digits").read_text().splitlines()
    path.write_text("".join(" ".join(f"{i}-{i}" for i in range(len(line.split()))) + "\n" for line in lines))
    return path


@pytest.fixture(scope="module")
def taught(trained, links):
    """Settings with a teacher and with alignments."""
    return {"teacher": trained, "teacher_weight": 0.3, "teacher_temperature": 2.0, "alignments": links}


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["taught", "noisy", "adapted"])
def test_a_killed_run_goes_on_as_if_it_had_not_been_killed(kind, one, taught, trained, tmp_path):
    own, files = {"taught": taught, "noisy": {**NOISE, "sampling": 0.2}}.get(kind), ["model.weights.h5"]
    if own is None:
        own = {**LORA, **mixed(one), "init_from": trained}
        files += ["adapter.weights.h5", "checkpoints/update-4.weights.h5"]
    run(config(tmp_path / "whole", one, own), report=str)
    with pytest.raises(RuntimeError, match="crash"):
        run(config(tmp_path / "killed", one, own), report=str, callbacks=[Kill(3, None)])
    assert not (tmp_path / "killed" / "model.weights.h5").exists()
    run(config(tmp_path / "killed", one, own), report=str)
    for file in files:
        expected, resumed = (stored_weights(tmp_path / name / file) for name in ("whole", "killed"))
        assert set(resumed) == set(expected)
        for name, value in expected.items():
            np.testing.assert_array_equal(resumed[name], value)
        if file == "model.weights.h5":
            assert set(resumed) == set(stored_weights(trained / file))  # nothing of a teacher or of an adapter


@pytest.mark.slow
def test_a_run_with_a_teacher_and_alignments(one, taught, trained, tmp_path):
    folder = tmp_path / "run"
    run(config(folder, one, taught), report=str)
    assert (folder / "subwords.model").read_bytes() == (trained / "subwords.model").read_bytes()
    assert ModelDirectory(folder).load_model().alignment_head == 1
    # The files may move; others are refused.
    moved = [Path(shutil.copy(taught["alignments"], tmp_path / "moved")), tmp_path / "teacher"]
    shutil.copytree(trained, moved[1])
    longer = {"max_updates": 5, "alignments": moved[0], "teacher": moved[1]}
    run(config(folder, one, taught, longer), report=str)
    log = [json.loads(line) for line in (folder / "training_log.jsonl").read_text().splitlines()]
    losses = [row["loss"] for row in log if "loss" in row]
    assert np.isfinite(losses).all()
    assert len(losses) == 5
    moved[0].write_text(moved[0].read_text().replace("1-1", "1-0", 1))
    with pytest.raises(UserError, match="began with other text"):
        run(config(folder, one, taught, longer, {"max_updates": 6}), report=str)
    model = ModelDirectory(moved[1]).load_model()
    model.weights[0].assign(model.weights[0].numpy() + 1)
    ModelDirectory(moved[1]).save_weights(model)
    with pytest.raises(UserError, match="a run with a teacher of other weights"):
        run(config(folder, one, taught, {"max_updates": 6, "teacher": moved[1]}), report=str)


def test_settings_reach_what_they_are_for(one, taught, tmp_path, reach):
    made = reach(config(tmp_path / "taught", one, taught, {"alignment_weight": 0.7}))
    assert (made["word_distillation"].weight, made["word_distillation"].temperature) == (0.3, 2.0)
    assert made["update_config"].alignment_weight == 0.7
    (task,) = made["data"]
    assert "links" in task.data.dataset().element_spec
    made = reach(config(tmp_path / "noisy", one, NOISE))
    (task,) = made["data"]
    sampling = task.data._sampling
    assert (sampling.noise.swap, sampling.noise.uppercase, sampling.alpha) == (0.2, 0.1, None)
    assert made["word_distillation"] is None


def test_wrong_settings_are_one_line(one, several, taught, trained, corpus, links, tmp_path):
    for own, message in (
        ({"teacher_weight": 0.5}, "`teacher_weight` needs `teacher`"),
        ({"alignment_weight": 0.5}, "`alignment_weight` needs `alignments`. Received: alignment_weight=0.5"),
        ({"noise": {"swap": 2}}, "A rate of noise must be a number from 0 to 1. Received: swap=2"),
        ({"alignments": [links, links]}, "`alignments` must have a file for each of 1 corpora"),
        ({"alignments": links, **NOISE}, "`noise` and `sampling` of the subwords change"),
        ({"alignments": links, "model.alignment_head": 9}, "`alignment_head` must be at most `num_heads`"),
    ):
        with pytest.raises(UserError, match=message):
            config(tmp_path / "run", one, own).check()
    for name, value in (("alignments", links), ("teacher", trained)):
        with pytest.raises(UserError, match=f"`{name}` must be used with a Transformer"):
            config(tmp_path / "run", several, {name: value})
    (tmp_path / "short").write_text("0-0\n")
    wrong = links.read_text().splitlines()
    wrong[41] += " 9-1"
    (tmp_path / "wrong").write_text("\n".join(wrong))
    for file, message in (
        ("short", "must have the same number of lines.*short' with 1"),
        ("wrong", "Line 42 of .*/wrong must fit its sentences, of .* words. Received: 9-1"),
        ("missing", "missing"),
    ):
        with pytest.raises((UserError, OSError), match=message):
            run(config(tmp_path / "run", one, {"alignments": tmp_path / file}), report=str)
    with pytest.raises(UserError, match="must contain config.json"):
        run(config(tmp_path / "run", one, {"teacher": tmp_path}), report=str)
    assert not (tmp_path / "run" / "checkpoints").exists()


def test_subwords_of_another_teacher_or_without_user_symbols_are_refused(one, trained, tmp_path):
    """User symbols would be split silently: a tag of back-translations would become several subwords."""
    files = [one["data.train.source"], one["data.train.target"]]
    own = {"teacher": trained, "subwords.models": train_subwords(files, tmp_path / "m", vocabulary_size=28)}
    with pytest.raises(UserError, match="The teacher must have one direction and the subwords of the model"):
        run(config(tmp_path / "run", one, own), report=str)
    for own in ({"teacher": trained}, {"subwords.models": str(trained / "subwords.model")}):
        with pytest.raises(UserError, match=r"`user_symbols` must be in the subwords .* user_symbols=\['<BT>'\]"):
            run(config(tmp_path / "new", one, own, {"user_symbols": ["<BT>"]}), report=str)
    assert not list((tmp_path / "new").glob("*.model"))
