"""Settings of an experiment: their checks and their files."""

from __future__ import annotations

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
from keras_nmt.experiments.config import ExperimentConfig
from keras_nmt.experiments.run_experiment import record
from keras_nmt.files.json_file import read_json
from keras_nmt.files.settings import setting_names
from keras_nmt.layers import Shortcuts
from keras_nmt.models import ModelDirectory

FILES = {f"data.{part}.{side}": f"{part}.{side}" for part in ("train", "dev") for side in ("source", "target")}
SETTINGS = {"languages": ["source", "target"], "pairs": ["source-target"], "max_updates": 1, **FILES}


def test_written_settings_can_be_read_again():
    experiment = ExperimentConfig.from_settings({"directory": "x", **SETTINGS, "model": {"shortcuts": "plain"}})
    assert ExperimentConfig.from_settings(experiment.settings()).settings() == experiment.settings()


def test_dotted_names_change_arguments_of_a_mechanism_in_any_form():
    for shortcuts in ("fusion", {"kind": "fusion"}, Shortcuts("fusion")):
        for change in ({"model.shortcuts.sites": ["self"]}, {"model": {"shortcuts": {"sites": ["self"]}}}):
            made = ExperimentConfig.from_settings({"directory": "x", **SETTINGS, "model.shortcuts": shortcuts}, change)
            assert made.settings()["model"]["shortcuts"] == {"kind": "fusion", "sites": ["self"]}
    whole = ExperimentConfig.from_settings({"directory": "x", **SETTINGS, "model.shortcuts": Shortcuts("fusion")})
    assert whole.settings()["model"]["shortcuts"] == {"kind": "fusion"}


def test_several_corpora_are_settings_like_others(tmp_path):
    train = ({"source": "a.en", "target": "a.de"}, {"source": tmp_path / "b.en", "target": "b.de"})
    corpora = {"train": train, "corpus_weights": (1, 2.5)}
    settings = ExperimentConfig.from_settings({"directory": "x", **SETTINGS, **corpora}).settings()
    assert [x["source"] for x in settings["data"]["train"]] == [os.path.abspath("a.en"), str(tmp_path / "b.en")]
    assert ExperimentConfig.from_settings(settings).settings() == settings


@pytest.mark.parametrize(
    ("settings", "final"),
    [({}, "average_last"), ({"ema": 0.999}, "ema"), ({"ema": 0.999, "final_weights": "best"}, "best")],
)
def test_with_an_average_of_weights_the_final_weights_are_averages(tmp_path, settings, final):
    assert (
        ExperimentConfig.from_settings({"directory": tmp_path, **SETTINGS, **settings}).training.saving.final_weights
        == final
    )


@pytest.mark.parametrize("settings", [{"final_weights": "ema"}, {"ema": 0.9, "final_weights": "last"}, {"ema": 1.0}])
def test_an_average_of_weights_and_the_final_weights_must_agree(tmp_path, settings):
    with pytest.raises(UserError, match="ema"):
        ExperimentConfig.from_settings({"directory": tmp_path, **SETTINGS, **settings})


def test_a_setting_newer_than_a_run_counts_as_its_default(tmp_path):
    def experiment(**settings):
        return ExperimentConfig.from_settings({"directory": tmp_path, **SETTINGS, **settings})

    older = experiment().settings()
    del older["subwords"]["user_symbols"], older["search"], older["model"]
    (tmp_path / "settings.json").write_text(json.dumps(older))
    assert experiment().changed_settings(()) == []
    assert experiment(user_symbols=["<de>"]).changed_settings(()) == ["subwords.user_symbols=['<de>'] (was [])"]
    assert experiment(beam_size=7).changed_settings(()) == ["search.beam_size=7 (was 4)"]
    assert experiment(beam_size=7).changed_settings(("search",)) == []


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
        {"preset": "huge"},
        {"seed": -1},
        {"max_updates": None},
        {"model": "plain"},
        {"model": {"layers_of_gold": 3}},
        {"model": {"source_vocabulary_size": 9}},
        {"train": 3},
        {"train": []},
        {"train": ["a.{language}", 3]},
        {"train": "a.txt"},
        {"dev": {"de": 3}},
        {"corpus_weights": [1.0, 2.0]},
        {"corpus_weights": [0.0]},
        {"corpus_weights": ["much"]},
        {"sampling": 0.0},
        {"sampling": 1.5},
        {"sampling": "much"},
        {"vocabulary_size": {"source": 9, "target": 9}},
        {"vocabulary_size": {"source": 9, "target": 0}, "joint_vocabulary": False},
        {"vocabulary_size": {"source": 9}, "joint_vocabulary": False},
        {"normalization": "nfd"},
        {"normalization": "identity", "lowercase": True},
        {"character_coverage": 0.5},
        {"byte_fallback": True, "vocabulary_size": 260},
        {"user_symbols": ["<a b>"]},
        {"models": "one.model", "joint_vocabulary": False},
        {"models": {"source": "one.model"}},
        {"models": {"german": "one.model"}, "joint_vocabulary": False},
        {"pairs": ["de-en"]},
        {"task_weights": {"source-target": 1.0}},
        {"best_metric": "bleu_source-target"},
        {"best_metric": "loss"},
        {"dev_metrics": ["ter"]},
        {"dev_metrics": []},
        {"dev_metrics": ["loss"], "best_metric": "loss"},
        {"bleu_tokenizer": "words"},
        {"frozen": "encoder/*"},
        {"dev_sentences": 0},
        {"final_weights": "first"},
        {"max_updates": 0},
        {"time_limit": -5},
        {"batch_size": 0},
        {"allow_missing": "*/key_value/*"},
        {"ignore_extra": [3]},
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
        {"evaluation.every": 0},
        {"saving.every": 0},
        {"logging.every": 0},
        {"beam_size": 0},
        {"warmup_steps": 0},
        {"keep_last": 0},
        {"keep_best": -1},
        {"keep_best": 0, "final_weights": "best"},
    ],
)
def test_settings_of_the_wrong_kind_are_named(settings):
    with pytest.raises(UserError, match="Received: |^Missing end of the training"):
        ExperimentConfig.from_settings({"directory": "x", **SETTINGS, **settings})


@pytest.mark.parametrize("schedule", ["noam", "inverse_square_root", "cosine", "constant"])
def test_every_schedule_rises_in_a_line_to_its_peak_at_the_last_update_of_warmup(schedule):
    settings = {"schedule": schedule, "learning_rate": 0.01, "warmup_steps": 10, "max_updates": 110}
    e = ExperimentConfig.from_settings({"directory": "x", **SETTINGS, **settings})
    rates = [float(e.training.make_learning_rate(256)(step)) for step in range(110)]
    peak = 0.01 * (256 * 10) ** -0.5 if schedule == "noam" else 0.01  # equation 3 of the Transformer
    assert e.training.peak_rate(256) == pytest.approx(peak)
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
    e = ExperimentConfig.from_settings({"directory": "x", **SETTINGS, "max_updates": 9000, **settings})
    lines = e.training.warnings(128)
    assert len(lines) == (shown is not None)
    assert shown is None or re.search(shown, lines[0])


def test_the_cosine_schedule_rises_and_falls_to_zero_at_the_last_update():
    settings = {"schedule": "cosine", "learning_rate": 0.01, "warmup_steps": 10, "max_updates": 110}
    schedule = ExperimentConfig.from_settings({"directory": "x", **SETTINGS, **settings}).training.make_learning_rate(
        256
    )
    rates = [float(schedule(step)) for step in range(111)]
    assert rates[0] == pytest.approx(0.001)
    assert rates[10] == max(rates) == pytest.approx(0.01)
    assert rates[60] == pytest.approx(0.005)
    assert rates[110] == pytest.approx(0, abs=1e-9)


def test_a_run_continues_only_with_the_same_text(tmp_path):
    files = {name: tmp_path / name for name in (*FILES, "data.test.source", "data.test.target")}
    for path in files.values():
        path.write_text("eins\nzwei\n")

    def note():
        experiment = ExperimentConfig.from_settings({**SETTINGS, "directory": tmp_path / "run", **files})
        record(experiment, ModelDirectory(experiment.directory))
        return read_json(tmp_path / "run" / "data.json", "digests")

    digests = {name: text_digest(path) for name, path in files.items()}
    parts = {
        part: [digests[f"data.{part}.source"], digests[f"data.{part}.target"]] for part in ("train", "dev", "test")
    }
    assert note() == {f"{part} source-target": both for part, both in parts.items()}
    (tmp_path / "run" / "checkpoints").mkdir()
    files["data.test.source"].write_text("drei\nvier\n")  # test data may change
    assert note()["test source-target"][0] == text_digest(files["data.test.source"])
    files["data.train.target"].write_text("eins\nzwo\n")
    with pytest.raises(UserError, match="began with other text.* Received: train source-target$"):
        note()


def test_a_start_killed_between_data_and_settings_begins_again(tmp_path):
    files = {name: tmp_path / name for name in FILES}
    for text in ("eins\n", "zwei\n"):
        for path in files.values():
            path.write_text(text)
        experiment = ExperimentConfig.from_settings({**SETTINGS, "directory": tmp_path / "run", **files})
        record(experiment, ModelDirectory(experiment.directory))
        (tmp_path / "run" / "settings.json").unlink()


def test_a_refused_start_changes_no_file_of_the_run(tmp_path):
    files = {name: tmp_path / name for name in FILES}
    for path in files.values():
        path.write_text("eins\nzwei\n")

    def note(**changed):
        experiment = ExperimentConfig.from_settings({**SETTINGS, "directory": tmp_path / "run", **files, **changed})
        record(experiment, ModelDirectory(experiment.directory))

    note()
    (tmp_path / "run" / "checkpoints").mkdir()
    before = {path.name: path.read_bytes() for path in (tmp_path / "run").glob("*.json")}
    assert set(before) == {"data.json", "settings.json"}
    more = tmp_path / "more"
    more.write_text("drei\n")
    train = {side: files[f"data.train.{side}"] for side in ("source", "target")}
    with pytest.raises(UserError, match="began with other text"):
        note(**{"data.train": [train, dict.fromkeys(train, more)]})
    with pytest.raises(UserError, match="run with other settings.* Received: training.batch_size=9"):
        note(batch_size=9)
    assert before == {path.name: path.read_bytes() for path in (tmp_path / "run").glob("*.json")}
    note(max_updates=9)  # longer is no other run, and nor is the same text elsewhere
    elsewhere = {name: path.rename(tmp_path / f"moved {name}") for name, path in files.items()}
    note(max_updates=9, **elsewhere, test={"source": more, "target": more})  # and test data may change, too


@pytest.fixture
def note(tmp_path):
    """Notes the start of an experiment with these settings, in the folder of a run that has checkpoints."""
    text = tmp_path / "text"
    text.write_text("eins\n")
    files = dict.fromkeys(FILES, text)

    def start(directory=tmp_path / "run", **settings):
        record(
            ExperimentConfig.from_settings({**SETTINGS, "directory": directory, **files, "max_updates": 1, **settings}),
            ModelDirectory(directory),
        )
        (directory / "checkpoints").mkdir(exist_ok=True)

    return start


@pytest.mark.parametrize(
    "changed",
    [
        {"accumulation_steps": 4},
        {"replicas": 2},
        {"jit_compile": True},
        {"deterministic": True},
        {"saving.every": 7},
        {"evaluation.every": 7},
        {"dev_metrics": ["bleu", "loss"], "best_metric": "loss"},
        {"bleu_tokenizer": "char"},
        {"dev_sentences": 1},
        {"allow_missing": ["*"], "ignore_extra": ["*"]},
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
    with pytest.raises(UserError, match=f"other settings.* Received: [a-z_.]*{next(iter(changed))}="):
        note(**changed)


def test_files_that_a_run_began_with_are_compared_by_content(note, tmp_path):
    start, subwords = tmp_path / "start", tmp_path / "a.model"
    start.mkdir()
    (start / "model.weights.h5").write_bytes(b"weights")
    subwords.write_bytes(b"subwords")
    run = tmp_path / "runs" / "run"
    note(run, init_from=start, models=subwords)
    shutil.copy(subwords, run / "subwords.model")  # as a start does
    note(run, init_from=start, models=subwords)
    moved, elsewhere = shutil.move(start, tmp_path / "moved"), shutil.move(subwords, tmp_path / "b.model")
    run = shutil.move(run, tmp_path / "moved run")
    note(run, init_from=start, models=subwords)  # the same command, though the files are gone
    note(run, init_from=moved, models=elsewhere)
    (moved / "model.weights.h5").write_bytes(b"trained further")
    note(run, init_from=moved, models=elsewhere)  # the run has its start behind it
    shutil.copytree(moved, tmp_path / "other")
    for name, other in {"init_from": tmp_path / "other", "models": tmp_path / "text"}.items():
        with pytest.raises(UserError, match=f"other settings.* Received: [a-z_.]*{name}="):
            note(run, **{"init_from": moved, "models": elsewhere, name: other})
        with pytest.raises(UserError, match=f"other settings.* Received: [a-z_.]*{name}=None"):
            note(run, **{"init_from": moved, "models": elsewhere, name: None})


def test_the_length_of_a_cosine_schedule_cannot_change(tmp_path):
    text = tmp_path / "text"
    text.write_text("eins\n")
    files = dict.fromkeys(FILES, text)
    cosine = {"schedule": "cosine", "learning_rate": 0.001, "warmup_steps": 2}
    short, longer = (
        ExperimentConfig.from_settings(
            {**SETTINGS, "directory": tmp_path / "run", **cosine, "max_updates": number, **files}
        )
        for number in (5, 9)
    )
    record(short, ModelDirectory(short.directory))
    (tmp_path / "run" / "checkpoints").mkdir()
    with pytest.raises(UserError, match=r"Received: training.stop.max_updates=9 \(was 5\)"):  # the rate would jump
        record(longer, ModelDirectory(longer.directory))


@pytest.mark.parametrize(
    ("changed", "are_kept"),
    [
        ({"batch_size": 9, "allow_missing": ["*"]}, True),
        ({"vocabulary_size": 9}, False),
        ({"joint_vocabulary": False}, False),
        ({"data.train.source": "drei"}, False),
        ({"data.dev.source": "drei"}, True),
    ],
)
def test_subwords_are_kept_if_no_setting_of_subwords_changes(tmp_path, changed, are_kept):
    """Before the first checkpoint settings may change, and so may the text."""
    files = {name: tmp_path / name for name in FILES}
    for path in files.values():
        path.write_text("eins\n")
    subwords = tmp_path / "run" / "subwords.model"
    for more in ({}, changed):
        for name in files.keys() & more.keys():
            files[name].write_text(more[name])
        settings = {name: value for name, value in more.items() if name not in files}
        experiment = ExperimentConfig.from_settings({**SETTINGS, "directory": tmp_path / "run", **files, **settings})
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
        ExperimentConfig.from_settings({"directory": "x", **SETTINGS, **settings})


def test_optimizer_settings_reach_the_optimizer():
    given = {"schedule": "constant", "learning_rate": 1, "beta_2": 0.999, "epsilon": 1e-8}  # an integer, as of --set
    optimizer = ExperimentConfig.from_settings({"directory": "x", **SETTINGS, **given}).training.make_optimizer(8)
    assert (optimizer.beta_2, optimizer.epsilon, float(optimizer.learning_rate)) == (0.999, 1e-8, 1.0)
    optimizer = ExperimentConfig.from_settings({"directory": "x", **SETTINGS}).training.make_optimizer(8)
    assert (optimizer.beta_2, optimizer.epsilon) == (0.98, 1e-9)
    averaged = ExperimentConfig.from_settings(
        {"directory": "x", **SETTINGS, "ema": 0.9, "final_weights": "ema"}
    ).training.make_optimizer(8)
    assert (averaged.use_ema, averaged.ema_momentum) == (True, 0.9)
    # The noam schedule's scale.
    rates = [
        float(
            ExperimentConfig.from_settings(
                {"directory": "x", **SETTINGS, "learning_rate": rate}
            ).training.make_learning_rate(8)(99)
        )
        for rate in (1.0, 2.0)
    ]
    assert rates[1] == pytest.approx(2 * rates[0])


def test_unequal_sides_are_refused_before_training(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).write_text("one\ntwo\n" if name == "a" else "one\n")
    files = dict.fromkeys((*FILES, "data.test.source"), tmp_path / "a")
    with pytest.raises(UserError, match="Received: "):
        run(
            ExperimentConfig.from_settings(
                {**SETTINGS, "directory": tmp_path / "run", **files, "data.test.target": tmp_path / "b"}
            )
        )
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("model", [{"dropout": 2}, {"shortcuts": "fuison"}, {"roles": {"kind": "dense", "units": 0}}])
def test_an_impossible_model_is_refused_before_any_work(model, tmp_path):
    text = tmp_path / "text"
    text.write_text("one line\n")
    files = dict.fromkeys(FILES, text)
    with pytest.raises(UserError, match="Received: "):
        run(
            ExperimentConfig.from_settings({**SETTINGS, "directory": tmp_path / "run", **files, "model": model}),
            report=lambda line: None,
        )
    assert not (tmp_path / "run").exists()


def test_other_backends_are_named(monkeypatch, tmp_path):
    monkeypatch.setattr("keras.backend.backend", lambda: "jax")
    with pytest.raises(UserError, match="Training needs TensorFlow: set KERAS_BACKEND=tensorflow.*Received: jax"):
        run(ExperimentConfig.from_settings({"directory": tmp_path, **SETTINGS}))


def test_missing_settings_are_named_with_their_options():
    with pytest.raises(UserError) as raised:
        ExperimentConfig.from_settings({"dev": "a.{language}"})
    assert str(raised.value) == (
        "Missing settings: `directory` (--directory DIRECTORY), `data.train` (--train SOURCE TARGET), "
        "`data.languages` (--set 'languages=[LANGUAGE, ...]')"
    )


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        ({"batchsize": 4}, "There are no such settings; the nearest is `batch_size`. Received: batchsize"),
        (
            {"traning.batch_size": 4},
            "There are no such settings; the nearest is `training.batch_size`. Received: traning.batch_size",
        ),
        (
            {"every": 4},
            "There are no such settings; write the full name, one of training.saving.every, training.logging.every, "
            "evaluation.every. Received: every",
        ),
        ({"qqq": 9}, "There are no such settings; `keras-nmt train --list-settings` lists the settings. Received: qqq"),
        ({"batch_size": "5"}, "`training.batch_size` must be int. Received: training.batch_size='5'"),
        (
            {"time_limit": "5"},
            "`training.stop.time_limit` must be float | None. Received: training.stop.time_limit='5'",
        ),
        (
            {"allow_missing": "*"},
            "`training.start.allow_missing` must be list[str]. Received: training.start.allow_missing='*'",
        ),
        ({"max_updates": 0}, "`max_updates` must be positive. Received: max_updates=0"),
        (
            {"final_weights": "first"},
            "`final_weights` must be one of last, best, average_last, average_best, ema. "
            "Received: final_weights='first'",
        ),
    ],
)
def test_a_wrong_setting_is_one_line(settings, line):
    with pytest.raises(UserError) as raised:
        ExperimentConfig.from_settings({"directory": "x", **SETTINGS, **settings})
    assert str(raised.value) == line


SEVERAL = {"languages": ["de", "en"], "train": "t.{language}", "dev": "d.{language}"}


@pytest.mark.parametrize(
    ("settings", "shown"),
    [
        ({**SETTINGS, "dropout": 0.3}, ["model.dropout"]),
        ({**SETTINGS, "num_heads": 2, "dropout": 0.3}, ["model.dropout", "model.num_heads"]),
        ({**SEVERAL, "max_updates": 1, "bridge_heads": 4}, ["model.bridge_heads"]),
        ({**SEVERAL, "max_updates": 1, "model.num_heads": 4}, ["model.transformer.num_heads"]),
    ],
)
def test_arguments_of_the_model_are_shown_where_they_belong(settings, shown):
    with pytest.raises(UserError, match="no such") as raised:
        ExperimentConfig.from_settings({"directory": "x", **settings})
    assert re.findall(r"--set ([\w.]+)=VALUE", str(raised.value)) == shown


@pytest.mark.parametrize("wrong", [{"gold": 1}, {"dropout": 0.3, "gold": 1}])
def test_what_is_no_argument_of_the_model_is_not_shown_as_one(wrong):
    with pytest.raises(UserError, match="no such settings") as raised:
        ExperimentConfig.from_settings({"directory": "x", **SETTINGS, **wrong})
    assert "model=" not in str(raised.value)


def test_a_setting_among_the_arguments_of_the_model_is_named():
    with pytest.raises(UserError, match="`training.batch_size` is a setting, not an arg"):
        ExperimentConfig.from_settings({"directory": "x", **SETTINGS, "model": {"batch_size": 5}})


def test_the_nearest_argument_of_the_model_is_suggested():
    with pytest.raises(UserError, match=r"no such arguments; the nearest is `dropout`\. Received: model\.drpout$"):
        ExperimentConfig.from_settings({"directory": "x", **SETTINGS, "model": {"drpout": 0.1}})


def test_a_wrong_name_in_the_model_is_said_before_what_other_sections_lack():
    lacking = {"directory": "x", **SETTINGS, "schedule": "constant", "learning_rate": None}
    for name, message in (("dropout.x", "`model.dropout` must be one value"), ("drpout", "no such arguments")):
        with pytest.raises(UserError, match=rf"{message}.*Received: model\.{name}$"):
            ExperimentConfig.from_settings(lacking, {f"model.{name}": 1})
    with pytest.raises(UserError, match="`learning_rate`"):
        ExperimentConfig.from_settings(lacking)


def test_an_integer_is_a_float_and_no_other_type_is_converted():
    made = ExperimentConfig.from_settings({"directory": "x", **SETTINGS, "learning_rate": 2, "corpus_weights": [3]})
    assert (made.training.learning_rate, made.data.corpus_weights) == (2.0, [3.0])
    for wrong in ({"batch_size": 5.0}, {"batch_size": True}, {"lowercase": 1}, {"seed": "1"}, {"learning_rate": True}):
        with pytest.raises(UserError, match="must be"):
            ExperimentConfig.from_settings({"directory": "x", **SETTINGS, **wrong})


def test_the_loss_of_a_bridge_is_normalised_by_sentences_like_its_penalty(tmp_path):
    several = {"languages": ["de", "en"], "train": "t.{language}", "dev": "d.{language}", "max_updates": 1}

    def normalised_by(**settings):
        return ExperimentConfig.from_settings(
            {"directory": tmp_path, **several, **settings}
        ).training.update.normalize_by

    assert normalised_by() == normalised_by(model={"bridge_heads": 4}) == "sentences"
    assert normalised_by(model={"bridge_heads": None}) == normalised_by(architecture="language_label") == "tokens"
    assert normalised_by(normalize_by="tokens") == "tokens"
    assert ExperimentConfig.from_settings({"directory": tmp_path, **SETTINGS}).training.update.normalize_by == "tokens"


def test_every_setting_has_a_text_that_help_shows():
    for name, (section, field) in setting_names(ExperimentConfig).items():
        assert f"{field.name}: " in (section.__doc__ or ""), name


def test_unequal_training_files_are_refused_before_any_file_is_written(tmp_path):
    (tmp_path / "long").write_text("one\n" * 70_000)
    (tmp_path / "short").write_bytes(gzip.compress(b"one\n" * 69_999))
    (tmp_path / "dev").write_text("one\n")
    dev = {"source": tmp_path / "dev", "target": tmp_path / "dev"}
    files = {"train": [dev, {"source": tmp_path / "long", "target": tmp_path / "short"}], "dev": dev}
    with pytest.raises(UserError, match="same number of lines.*long' with 70000 lines, .*short' with 69999$"):
        run(
            ExperimentConfig.from_settings({**SETTINGS, "directory": tmp_path / "run"}, files),
            report=str,
        )
    assert not (tmp_path / "run").exists()


def test_a_model_without_checkpoints_is_not_overwritten_by_training(tmp_path):
    (tmp_path / "text").write_text("eins\n")
    files = dict.fromkeys(FILES, tmp_path / "text")
    experiment = ExperimentConfig.from_settings({**SETTINGS, "directory": tmp_path / "run", **files})
    record(experiment, ModelDirectory(experiment.directory))
    before = {}
    for name in ("model.weights.h5", "subwords.model"):
        (tmp_path / "run" / name).write_bytes(b"not to be lost")
    for path in (tmp_path / "run").iterdir():
        before[path] = path.read_bytes()
    for seed in (1, 2):
        with pytest.raises(UserError, match="without checkpoints.* set `init_from` to start.* Received: directory="):
            record(
                ExperimentConfig.from_settings(experiment.settings(), {"seed": seed}),
                ModelDirectory(experiment.directory),
            )
    assert {path: path.read_bytes() for path in before} == before


def test_a_tokenizer_of_bleu_is_loaded_and_compared_with_the_text_before_any_work(tmp_path, monkeypatch):
    text = tmp_path / "text"
    text.write_text("犬が雪の中を走っています。\n")
    files = dict.fromkeys(FILES, text)

    def check(**settings):
        ExperimentConfig.from_settings(
            {**SETTINGS, "directory": tmp_path / "run", "preset": "transformer_tiny", **files, **settings}
        ).check()

    with pytest.warns(
        UserWarning, match="tokenizer 13a treats text without spaces as single words.*ja-mecab for Japanese"
    ):
        check()
    monkeypatch.setitem(sys.modules, "MeCab", None)  # not installed
    monkeypatch.delitem(sys.modules, "sacrebleu.tokenizers.tokenizer_ja_mecab", raising=False)
    with pytest.raises(UserError, match="install the package that it needs.*Received: bleu_tokenizer='ja-mecab'"):
        check(bleu_tokenizer="ja-mecab")
