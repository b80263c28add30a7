"""Settings of an experiment: their checks and their files."""

from __future__ import annotations

import dataclasses
import gzip
import json
import os
import re
import shutil
import sys

import numpy as np
import pytest

from keras_nmt.data import text_digest
from keras_nmt.errors import UserError
from keras_nmt.experiments import run
from keras_nmt.experiments.experiment import Experiment
from keras_nmt.experiments.learning_rates import (
    learning_rate,
    make_optimizer_of,
    peak_rate,
    warnings_of_learning_rate,
)
from keras_nmt.experiments.run_experiment import record
from keras_nmt.files.json_file import read_json
from keras_nmt.models import ModelDirectory

FILES = {name: f"{name}.txt" for name in ("train_source", "train_target", "dev_source", "dev_target")}
FILES |= {"max_updates": 1}


def test_written_settings_can_be_read_again():
    experiment = Experiment(directory="x", **FILES, model={"shortcuts": "plain"})
    assert Experiment.from_settings(dataclasses.asdict(experiment)) == experiment


def test_several_corpora_are_settings_like_others(tmp_path):
    corpora = {
        "train_source": ("a.en", tmp_path / "b.en"),
        "train_target": ["a.de", "b.de"],
        "corpus_weights": (1, 2.5),
    }
    settings = Experiment(directory="x", **{**FILES, **corpora}).settings()
    assert settings["train_source"] == [os.path.abspath("a.en"), str(tmp_path / "b.en")]
    assert Experiment.from_settings(settings).settings() == settings


@pytest.mark.parametrize(
    ("settings", "final"),
    [({}, "average_last"), ({"ema": 0.999}, "ema"), ({"ema": 0.999, "final": "best"}, "best")],
)
def test_with_an_average_of_weights_the_final_weights_are_averages(tmp_path, settings, final):
    assert Experiment(directory=tmp_path, **FILES, **settings).final == final


@pytest.mark.parametrize("settings", [{"final": "ema"}, {"ema": 0.9, "final": "last"}, {"ema": 1.0}])
def test_an_average_of_weights_and_the_final_weights_must_agree(tmp_path, settings):
    with pytest.raises(UserError, match="ema"):
        Experiment(directory=tmp_path, **FILES, **settings)


def test_a_setting_newer_than_a_run_counts_as_its_default(tmp_path):
    def experiment(**settings):
        return Experiment(directory=tmp_path, **FILES, **settings)

    older = {k: v for k, v in experiment().settings().items() if k not in ("user_symbols", "beam_size", "model")}
    (tmp_path / "settings.json").write_text(json.dumps(older))
    assert experiment().changed_settings(()) == []
    assert experiment(user_symbols=["<de>"]).changed_settings(()) == ["user_symbols=['<de>'] (was [])"]
    assert experiment(beam_size=7).changed_settings(()) == ["beam_size=7 (was 4)"]
    assert experiment(beam_size=7).changed_settings(("beam_size",)) == []


@pytest.mark.parametrize(
    "settings",
    [
        {"batch_size": "large"},
        {"batch_size": 12.5},
        {"jit_compile": "yes"},
        {"time_limit": True},
        {"schedule": "linear"},
        *({"schedule": name, "max_updates": 9000} for name in ("constant", "inverse_square_root", "cosine")),
        {"schedule": "cosine", "learning_rate": 0.001, "max_updates": None, "time_limit": 1.0},
        {"schedule": "cosine", "learning_rate": 0.001, "max_updates": 5, "warmup_steps": 5},
        {"schedule": "cosine", "learning_rate": 0.001, "max_updates": 5, "warmup_steps": 0},
        {"dtype": "float8"},
        {"test_source": "a.txt"},
        {"preset": "huge"},
        {"seed": -1},
        {"max_updates": None},
        {"model": "plain"},
        {"model": {"layers_of_gold": 3}},
        {"model": {"source_vocabulary_size": 9}},
        {"train_source": 3},
        {"train_source": []},
        {"train_source": ["a.txt", 3]},
        {"train_source": ["a.txt", "b.txt"]},
        {"corpus_weights": [1.0, 2.0]},
        {"corpus_weights": [0.0]},
        {"corpus_weights": ["much"]},
        {"subword_sampling": 0.0},
        {"subword_sampling": 1.5},
        {"subword_sampling": "much"},
        {"vocabulary_size": {"source": 9, "target": 9}},
        {"vocabulary_size": {"source": 9, "target": 0}, "joint_vocabulary": False},
        {"vocabulary_size": {"source": 9}, "joint_vocabulary": False},
        {"normalization": "nfd"},
        {"normalization": "identity", "lowercase": True},
        {"character_coverage": 0.5},
        {"byte_fallback": True, "vocabulary_size": 260},
        {"user_symbols": ["<a b>"]},
        {"subwords": "one.model", "joint_vocabulary": False},
        {"subwords": {"source": "one.model"}},
        {"subwords": {"german": "one.model"}, "joint_vocabulary": False},
        {"train": "train.{language}"},
        {"pairs": ["de-en"]},
        {"architecture": "language_label"},
        {"task_weights": {"source-target": 1.0}},
        {"best_metric": "bleu_source-target"},
        {"best_metric": "loss"},
        {"dev_metrics": ["ter"]},
        {"dev_metrics": []},
        {"dev_metrics": ["loss"], "best_metric": "loss"},
        {"bleu_tokenizer": "words"},
        {"frozen": "encoder/*"},
        {"dev_sentences": 0},
        {"final": "first"},
        {"max_updates": 0},
        {"time_limit": -5},
        {"batch_size": 0},
        {"allow_new": "*/key_value/*"},
        {"allow_unused": [3]},
        {"length_buckets": [8, "long"]},
        {"corpus_weights": 2},
        {"user_symbols": 3},
        {"seed": 2**32},
        {"label_smoothing": 1.0},
        {"label_smoothing": float("nan")},
        {"learning_rate": float("nan")},
        {"length_penalty": float("inf")},
        {"length_penalty": -3.0},
        {"weight_decay": -0.1},
        {"accumulation_steps": 0},
        {"evaluate_every": 0},
        {"save_every": 0},
        {"log_every": 0},
        {"beam_size": 0},
        {"warmup_steps": 0},
        {"keep_last": 0},
        {"keep_best": -1},
        {"keep_best": 0, "final": "best"},
    ],
)
def test_settings_of_the_wrong_kind_are_named(settings):
    with pytest.raises(UserError, match="Received: "):
        Experiment(**{"directory": "x", **FILES, **settings})


@pytest.mark.parametrize("schedule", ["noam", "inverse_square_root", "cosine", "constant"])
def test_every_schedule_rises_in_a_line_to_its_peak_at_the_last_update_of_warmup(schedule):
    settings = {"schedule": schedule, "learning_rate": 0.01, "warmup_steps": 10, "max_updates": 110}
    e = Experiment(**{"directory": "x", **FILES, **settings})
    rates = [float(learning_rate(e, 256)(step)) for step in range(110)]
    peak = 0.01 * (256 * 10) ** -0.5 if schedule == "noam" else 0.01  # equation 3 of the Transformer
    assert peak_rate(e, 256) == pytest.approx(peak)
    assert rates[0] == pytest.approx(peak / 10)
    if schedule == "cosine":  # Keras' rises over one update more
        del rates[0]
    np.testing.assert_allclose(np.diff(rates[:10]), rates[1] - rates[0], rtol=1e-3)
    assert max(rates) == pytest.approx(rates[9]) == pytest.approx(peak)
    assert (rates[-1] == pytest.approx(peak)) == (schedule == "constant")


@pytest.mark.parametrize(
    ("settings", "shown"),
    [
        ({}, None),  # noam: 0.0014
        ({"learning_rate": 3e-4}, "is 4.2e-07; with adam.* with noam, `learning_rate` is a factor, by default 1"),
        ({"learning_rate": 20.0}, "is 0.028; with adam"),
        ({"schedule": "constant", "learning_rate": 1.0}, "is 1; with adam, peaks from 1e-05 to 0.01 are usual. Rec"),
        ({"schedule": "constant", "learning_rate": 1e-6}, "is 1e-06; with adam"),
        ({"schedule": "inverse_square_root", "learning_rate": 0.5}, "is 0.5; with adam"),
        ({"schedule": "cosine", "learning_rate": 0.5, "max_updates": 9000}, "is 0.5; with adam"),
        ({"schedule": "constant", "learning_rate": 1.0, "optimizer": "sgd"}, None),
        ({"schedule": "constant", "learning_rate": 3e-4, "optimizer": "sgd"}, "is 0.0003; with sgd, peaks from 0.001"),
        ({"optimizer": "sgd", "learning_rate": 0.1}, "is 0.00014; with sgd"),
        ({"optimizer": "adamw", "weight_decay": 0.01, "learning_rate": 1e-3}, "is 1.4e-06; with adamw"),
        ({"max_updates": 100}, "before.* peak: set `warmup_steps`.* warmup_steps=4000, max_updates=100"),
        ({"max_updates": 100, "schedule": "inverse_square_root", "learning_rate": 1e-3}, "before.* peak"),
        ({"max_updates": 100, "schedule": "constant", "learning_rate": 1e-3, "warmup_steps": 200}, "before.* peak"),
        ({"max_updates": 100, "schedule": "constant", "learning_rate": 1e-3}, None),
    ],
)
def test_rates_that_train_nothing_are_warned_of(settings, shown):
    e = Experiment(**{"directory": "x", **FILES, "max_updates": 9000, **settings})
    lines = warnings_of_learning_rate(e, 128)
    assert len(lines) == (shown is not None)
    assert shown is None or re.search(shown, lines[0])


def test_the_cosine_schedule_rises_and_falls_to_zero_at_the_last_update():
    settings = {"schedule": "cosine", "learning_rate": 0.01, "warmup_steps": 10, "max_updates": 110}
    schedule = learning_rate(Experiment(**{"directory": "x", **FILES, **settings}), 256)
    rates = [float(schedule(step)) for step in range(111)]
    assert rates[0] == pytest.approx(0.001)
    assert rates[10] == max(rates) == pytest.approx(0.01)
    assert rates[60] == pytest.approx(0.005)
    assert rates[110] == pytest.approx(0, abs=1e-9)


def test_a_run_continues_only_with_the_same_text(tmp_path):
    files = {name: tmp_path / name for name in (*FILES, "test_source", "test_target") if name != "max_updates"}
    for path in files.values():
        path.write_text("eins\nzwei\n")

    def note():
        experiment = Experiment(directory=tmp_path / "run", max_updates=1, **files)
        record(experiment, ModelDirectory(experiment.directory))
        return read_json(tmp_path / "run" / "data.json", "digests")

    digests = {name: text_digest(path) for name, path in files.items()}
    parts = {part: [digests[f"{part}_source"], digests[f"{part}_target"]] for part in ("train", "dev", "test")}
    assert note() == {f"{part} source-target": both for part, both in parts.items()}
    (tmp_path / "run" / "checkpoints").mkdir()
    files["test_source"].write_text("drei\nvier\n")  # test data may change
    assert note()["test source-target"][0] == text_digest(files["test_source"])
    files["train_target"].write_text("eins\nzwo\n")
    with pytest.raises(UserError, match="began with other text.* Received: train source-target$"):
        note()


def test_a_start_killed_between_data_and_settings_begins_again(tmp_path):
    files = {name: tmp_path / name for name in FILES if name != "max_updates"}
    for text in ("eins\n", "zwei\n"):
        for path in files.values():
            path.write_text(text)
        experiment = Experiment(directory=tmp_path / "run", max_updates=1, **files)
        record(experiment, ModelDirectory(experiment.directory))
        (tmp_path / "run" / "settings.json").unlink()


def test_a_refused_start_changes_no_file_of_the_run(tmp_path):
    files = {name: tmp_path / name for name in FILES if name != "max_updates"}
    for path in files.values():
        path.write_text("eins\nzwei\n")

    def note(**changed):
        experiment = Experiment(**{"directory": tmp_path / "run", "max_updates": 1, **files, **changed})
        record(experiment, ModelDirectory(experiment.directory))

    note()
    (tmp_path / "run" / "checkpoints").mkdir()
    before = {path.name: path.read_bytes() for path in (tmp_path / "run").glob("*.json")}
    assert set(before) == {"data.json", "settings.json"}
    more = tmp_path / "more"
    more.write_text("drei\n")
    with pytest.raises(UserError, match="began with other text"):
        note(train_source=[files["train_source"], more], train_target=[files["train_target"], more])
    with pytest.raises(UserError, match="run with other settings.* Received: batch_size=9"):
        note(batch_size=9)
    assert before == {path.name: path.read_bytes() for path in (tmp_path / "run").glob("*.json")}
    note(max_updates=9)  # longer is no other run, and nor is the same text elsewhere
    elsewhere = {name: path.rename(tmp_path / f"moved {name}") for name, path in files.items()}
    note(max_updates=9, **elsewhere, test_source=more, test_target=more)  # and test data may change, too


@pytest.fixture
def note(tmp_path):
    """Notes the start of an experiment with these settings, in the folder of a run that has checkpoints."""
    text = tmp_path / "text"
    text.write_text("eins\n")
    files = {name: text for name in FILES if name != "max_updates"}

    def start(directory=tmp_path / "run", **settings):
        record(Experiment(directory=directory, **{**files, "max_updates": 1, **settings}), ModelDirectory(directory))
        (directory / "checkpoints").mkdir(exist_ok=True)

    return start


@pytest.mark.parametrize(
    "changed",
    [
        {"accumulation_steps": 4},
        {"replicas": 2},
        {"jit_compile": True},
        {"deterministic": True},
        {"save_every": 7},
        {"evaluate_every": 7},
        {"dev_metrics": ["bleu", "loss"], "best_metric": "loss"},
        {"bleu_tokenizer": "char"},
        {"dev_sentences": 1},
        {"allow_new": ["*"], "allow_unused": ["*"]},
    ],
)
def test_what_changes_no_update_may_change_on_continuing(note, changed):
    note()
    note(**changed)


@pytest.mark.parametrize(
    "changed", [{"batch_size": 9}, {"learning_rate": 2.0}, {"dtype": "mixed_bfloat16"}, {"clip": 1.0}, {"seed": 2}]
)
def test_what_changes_updates_may_not_change_on_continuing(note, changed):
    note()
    with pytest.raises(UserError, match=f"other settings.* Received: {next(iter(changed))}="):
        note(**changed)


def test_files_that_a_run_began_with_are_compared_by_content(note, tmp_path):
    start, subwords = tmp_path / "start", tmp_path / "a.model"
    start.mkdir()
    (start / "model.weights.h5").write_bytes(b"weights")
    subwords.write_bytes(b"subwords")
    run = tmp_path / "runs" / "run"
    note(run, init_from=start, subwords=subwords)
    shutil.copy(subwords, run / "subwords.model")  # as a start does
    note(run, init_from=start, subwords=subwords)
    moved, elsewhere = shutil.move(start, tmp_path / "moved"), shutil.move(subwords, tmp_path / "b.model")
    run = shutil.move(run, tmp_path / "moved run")
    note(run, init_from=start, subwords=subwords)  # the same command, though the files are gone
    note(run, init_from=moved, subwords=elsewhere)
    (moved / "model.weights.h5").write_bytes(b"trained further")
    note(run, init_from=moved, subwords=elsewhere)  # the run has its start behind it
    shutil.copytree(moved, tmp_path / "other")
    for name, other in {"init_from": tmp_path / "other", "subwords": tmp_path / "text"}.items():
        with pytest.raises(UserError, match=f"other settings.* Received: {name}="):
            note(run, **{"init_from": moved, "subwords": elsewhere, name: other})
        with pytest.raises(UserError, match=f"other settings.* Received: {name}=None"):
            note(run, **{"init_from": moved, "subwords": elsewhere, name: None})


def test_the_length_of_a_cosine_schedule_cannot_change(tmp_path):
    text = tmp_path / "text"
    text.write_text("eins\n")
    files = {name: text for name in FILES if name != "max_updates"}
    cosine = {"schedule": "cosine", "learning_rate": 0.001, "warmup_steps": 2}
    short, longer = (Experiment(directory=tmp_path / "run", **cosine, max_updates=number, **files) for number in (5, 9))
    record(short, ModelDirectory(short.directory))
    (tmp_path / "run" / "checkpoints").mkdir()
    with pytest.raises(UserError, match=r"Received: max_updates=9 \(was 5\)"):  # the rate would jump
        record(longer, ModelDirectory(longer.directory))


@pytest.mark.parametrize(
    ("changed", "are_kept"),
    [
        ({"batch_size": 9, "allow_new": ["*"]}, True),
        ({"vocabulary_size": 9}, False),
        ({"joint_vocabulary": False}, False),
        ({"train_source": "drei"}, False),
        ({"dev_source": "drei"}, True),
    ],
)
def test_subwords_are_kept_if_no_setting_of_subwords_changes(tmp_path, changed, are_kept):
    """Before the first checkpoint settings may change, and so may the text."""
    files = {name: tmp_path / name for name in FILES if name != "max_updates"}
    for path in files.values():
        path.write_text("eins\n")
    subwords = tmp_path / "run" / "subwords.model"
    for more in ({}, changed):
        for name in files.keys() & more.keys():
            files[name].write_text(more[name])
        settings = {name: value for name, value in more.items() if name not in files}
        experiment = Experiment(directory=tmp_path / "run", max_updates=1, **files, **settings)
        record(experiment, ModelDirectory(experiment.directory))
        if not more:
            subwords.write_bytes(b"")
    assert subwords.exists() == are_kept


@pytest.mark.parametrize(
    "settings",
    [
        {"optimizer": "adamw"},
        {"weight_decay": 0.1},
        {"optimizer": "sgd", "beta_2": 0.9},
        {"beta_2": 1.0},
        {"epsilon": 0.0},
        {"max_ratio": 0.5},
    ],
)
def test_impossible_settings_are_refused_before_any_file_is_written(settings):
    with pytest.raises(UserError, match="Received: "):
        Experiment(directory="x", **{**FILES, **settings})


def test_optimizer_settings_reach_the_optimizer():
    given = {"schedule": "constant", "learning_rate": 1, "beta_2": 0.999, "epsilon": 1e-8}  # an integer, as of --set
    optimizer = make_optimizer_of(Experiment(directory="x", **{**FILES, **given}), 8)
    assert (optimizer.beta_2, optimizer.epsilon, float(optimizer.learning_rate)) == (0.999, 1e-8, 1.0)
    optimizer = make_optimizer_of(Experiment(directory="x", **FILES), 8)
    assert (optimizer.beta_2, optimizer.epsilon) == (0.98, 1e-9)
    averaged = make_optimizer_of(Experiment(directory="x", **FILES, ema=0.9, final="ema"), 8)
    assert (averaged.use_ema, averaged.ema_momentum) == (True, 0.9)
    # The noam schedule's scale.
    rates = [
        float(learning_rate(Experiment(directory="x", **{**FILES, "learning_rate": rate}), 8)(99))
        for rate in (1.0, 2.0)
    ]
    assert rates[1] == pytest.approx(2 * rates[0])


def test_unequal_sides_are_refused_before_training(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).write_text("one\ntwo\n" if name == "a" else "one\n")
    files = {f"{data}_{side}": tmp_path / "a" for data in ("train", "dev", "test") for side in ("source", "target")}
    with pytest.raises(UserError, match="Received: "):
        run(Experiment(directory=tmp_path / "run", max_updates=1, **{**files, "test_target": tmp_path / "b"}))
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("model", [{"dropout": 2}, {"shortcuts": "fuison"}, {"roles": "dense", "num_roles": 0}])
def test_an_impossible_model_is_refused_before_any_work(model, tmp_path):
    text = tmp_path / "text"
    text.write_text("one line\n")
    files = dict.fromkeys(("train_source", "train_target", "dev_source", "dev_target"), text)
    with pytest.raises(UserError, match="Received: "):
        run(Experiment(directory=tmp_path / "run", **files, model=model), report=lambda line: None)
    assert not (tmp_path / "run").exists()


def test_other_backends_are_named(monkeypatch, tmp_path):
    monkeypatch.setattr("keras.backend.backend", lambda: "jax")
    with pytest.raises(UserError, match="Training needs TensorFlow: set KERAS_BACKEND=tensorflow.*Received: jax"):
        run(Experiment(directory=tmp_path, **FILES))


def test_missing_settings_are_named_with_their_options():
    with pytest.raises(UserError) as raised:
        Experiment.from_settings({"dev_source": "a"})
    assert str(raised.value) == (
        "Missing settings: `directory` (--directory DIRECTORY), `train_source` and `train_target` "
        "(--train SOURCE TARGET), `dev_target` (--dev SOURCE TARGET)"
    )
    with pytest.raises(UserError, match=r"`train` \(--set train=PATTERN\), `dev` \(--set dev=PATTERN\)$"):
        Experiment.from_settings({"directory": "x", "languages": ["de", "en"]})


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        ({"batchsize": 4}, "There are no such settings; the nearest is `batch_size`. Received: batchsize"),
        ({"qqq": 9}, "There are no such settings; `keras-nmt train --list-settings` lists the settings. Received: qqq"),
        ({"batch_size": "5"}, "`batch_size` must be int. Received: batch_size='5'"),
        ({"time_limit": "5"}, "`time_limit` must be float | None. Received: time_limit='5'"),
        ({"allow_new": "*"}, "`allow_new` must be list[str]. Received: allow_new='*'"),
        ({"max_updates": 0}, "`max_updates` must be greater than 0. Received: max_updates=0"),
        (
            {"final": "first"},
            "`final` must be 'last', 'best', 'average_last', 'average_best' or 'ema'. Received: final='first'",
        ),
    ],
)
def test_a_wrong_setting_is_one_line(settings, line):
    with pytest.raises(UserError) as raised:
        Experiment.from_settings({"directory": "x", **FILES, **settings})
    assert str(raised.value) == line


SEVERAL = {"languages": ["de", "en"], "train": "t.{language}", "dev": "d.{language}"}


@pytest.mark.parametrize(
    ("settings", "model"),
    [
        ({**FILES, "dropout": 0.3}, {"dropout": 0.3}),
        ({**FILES, "num_heads": 2, "dropout": 0.3, "model": {"shortcuts": "plain"}}, None),
        ({**SEVERAL, "max_updates": 1, "bridge_heads": 4}, {"bridge_heads": 4}),
        ({**SEVERAL, "max_updates": 1, "num_heads": 4, "dropout": 0}, {"dropout": 0, "transformer": {"num_heads": 4}}),
        ({**SEVERAL, "max_updates": 1, "model": {"num_heads": 4}}, {"transformer": {"num_heads": 4}}),
    ],
)
def test_arguments_of_the_model_are_shown_where_they_belong(settings, model):
    with pytest.raises(UserError, match="no such") as raised:
        Experiment.from_settings({"directory": "x", **settings})
    (shown,) = re.findall(r"set by --set 'model=(\{.*\})'", str(raised.value))
    expected = model or {"shortcuts": "plain", "num_heads": 2, "dropout": 0.3}
    assert json.loads(shown) == expected
    rest = {name: value for name, value in settings.items() if name not in ("dropout", "num_heads", "bridge_heads")}
    Experiment.from_settings({"directory": "x", **rest, "model": expected})


@pytest.mark.parametrize("wrong", [{"gold": 1}, {"dropout": 0.3, "gold": 1}])
def test_what_is_no_argument_of_the_model_is_not_shown_as_one(wrong):
    with pytest.raises(UserError, match="no such settings") as raised:
        Experiment.from_settings({"directory": "x", **FILES, **wrong})
    assert "model=" not in str(raised.value)


def test_a_setting_among_the_arguments_of_the_model_is_named():
    with pytest.raises(UserError, match="`batch_size` is a setting beside `model`. Received: batch_size"):
        Experiment(directory="x", **FILES, model={"batch_size": 5})


def test_the_nearest_argument_of_the_model_is_suggested():
    with pytest.raises(
        UserError, match="Transformer, which has no such ones; the nearest is `dropout`.*Received: drpout$"
    ):
        Experiment(directory="x", **FILES, model={"drpout": 0.1})


def test_an_integer_is_a_float_and_no_other_type_is_converted():
    made = Experiment(directory="x", **FILES, learning_rate=2, corpus_weights=[3])
    assert (made.learning_rate, made.corpus_weights) == (2.0, [3.0])
    for wrong in ({"batch_size": 5.0}, {"batch_size": True}, {"lowercase": 1}, {"seed": "1"}, {"learning_rate": True}):
        with pytest.raises(UserError, match="must be"):
            Experiment(directory="x", **{**FILES, **wrong})


def test_the_loss_of_a_bridge_is_normalised_by_sentences_like_its_penalty(tmp_path):
    several = {"languages": ["de", "en"], "train": "t.{language}", "dev": "d.{language}", "max_updates": 1}

    def normalised_by(**settings):
        return Experiment(directory=tmp_path, **several, **settings).normalize_by

    assert normalised_by() == normalised_by(model={"bridge_heads": 4}) == "sentences"
    assert normalised_by(model={"bridge_heads": None}) == normalised_by(architecture="language_label") == "tokens"
    assert normalised_by(normalize_by="tokens") == "tokens"
    assert Experiment(directory=tmp_path, **FILES).normalize_by == "tokens"


def test_every_setting_is_documented():
    arguments = (Experiment.__doc__ or "").split("Args:")[1].split("Raises:")[0]
    documented = re.findall(r"^        (\w+): ", arguments, flags=re.MULTILINE)
    assert sorted(documented) == sorted(field.name for field in dataclasses.fields(Experiment))


def test_unequal_training_files_are_refused_before_any_file_is_written(tmp_path):
    (tmp_path / "long").write_text("one\n" * 70_000)
    (tmp_path / "short").write_bytes(gzip.compress(b"one\n" * 69_999))
    (tmp_path / "dev").write_text("one\n")
    dev = {"dev_source": tmp_path / "dev", "dev_target": tmp_path / "dev"}
    sides = {
        "train_source": [tmp_path / "dev", tmp_path / "long"],
        "train_target": [tmp_path / "dev", tmp_path / "short"],
    }
    with pytest.raises(UserError, match="same number of lines.*long' with 70000 lines, .*short' with 69999$"):
        run(Experiment(directory=tmp_path / "run", max_updates=1, **sides, **dev), report=str)
    assert not (tmp_path / "run").exists()


def test_a_model_without_checkpoints_is_not_overwritten_by_training(tmp_path):
    (tmp_path / "text").write_text("eins\n")
    files = {name: tmp_path / "text" for name in FILES if name != "max_updates"}
    experiment = Experiment(directory=tmp_path / "run", max_updates=1, **files)
    record(experiment, ModelDirectory(experiment.directory))
    before = {}
    for name in ("model.weights.h5", "subwords.model"):
        (tmp_path / "run" / name).write_bytes(b"not to be lost")
    for path in (tmp_path / "run").iterdir():
        before[path] = path.read_bytes()
    for seed in (1, 2):
        with pytest.raises(UserError, match="no checkpoints .* give this one as `init_from`.* Received: directory="):
            record(dataclasses.replace(experiment, seed=seed), ModelDirectory(experiment.directory))
    assert {path: path.read_bytes() for path in before} == before


def test_a_tokenizer_of_bleu_is_loaded_and_compared_with_the_text_before_any_work(tmp_path, monkeypatch):
    text = tmp_path / "text"
    text.write_text("犬が雪の中を走っています。\n")
    files = {name: text for name in FILES if name != "max_updates"}

    def check(**settings):
        Experiment(directory=tmp_path / "run", max_updates=1, preset="transformer_tiny", **files, **settings).check()

    with pytest.warns(UserWarning, match="BLEU by 13a takes text without spaces for single words.*ja-mecab Japanese"):
        check()
    monkeypatch.setitem(sys.modules, "MeCab", None)  # not installed
    monkeypatch.delitem(sys.modules, "sacrebleu.tokenizers.tokenizer_ja_mecab", raising=False)
    with pytest.raises(UserError, match="install what it needs.*Received: bleu_tokenizer='ja-mecab'"):
        check(bleu_tokenizer="ja-mecab")
