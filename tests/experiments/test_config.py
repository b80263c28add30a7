"""Settings of an experiment: their checks, their defaults and what they make."""

from __future__ import annotations

import gzip
import json
import os
import re
import sys

import numpy as np
import pytest

from keras_nmt.errors import UserError
from keras_nmt.experiments import ExperimentConfig, run
from keras_nmt.files.settings import setting_names
from keras_nmt.layers import Shortcuts

FILES = {f"data.{part}.{side}": f"{part}.{side}" for part in ("train", "dev") for side in ("source", "target")}
SETTINGS = {"directory": "x", "languages": ["source", "target"], "pairs": ["source-target"], "max_updates": 1, **FILES}
SEVERAL = {"languages": ["de", "en"], "train": "t.{language}", "dev": "d.{language}"}


def config(*changes):
    return ExperimentConfig.from_settings(SETTINGS, *changes)


def test_written_settings_can_be_read_again():
    experiment = config({"model": {"shortcuts": "plain"}})
    assert ExperimentConfig.from_settings(experiment.settings()).settings() == experiment.settings()


def test_dotted_names_change_arguments_of_a_mechanism_in_any_form():
    for shortcuts in ("fusion", {"kind": "fusion"}, Shortcuts("fusion")):
        for change in ({"model.shortcuts.sites": ["self"]}, {"model": {"shortcuts": {"sites": ["self"]}}}):
            made = config({"model.shortcuts": shortcuts}, change)
            assert made.settings()["model"]["shortcuts"] == {"kind": "fusion", "sites": ["self"]}
    whole = config({"model.shortcuts": Shortcuts("fusion")})
    assert whole.settings()["model"]["shortcuts"] == {"kind": "fusion"}


def test_several_corpora_are_settings_like_others(tmp_path):
    train = ({"source": "a.en", "target": "a.de"}, {"source": tmp_path / "b.en", "target": "b.de"})
    corpora = {"train": train, "corpus_weights": (1, 2.5)}
    settings = config(corpora).settings()
    assert [x["source"] for x in settings["data"]["train"]] == [os.path.abspath("a.en"), str(tmp_path / "b.en")]
    assert ExperimentConfig.from_settings(settings).settings() == settings


@pytest.mark.parametrize(
    ("settings", "final"),
    [({}, "average_last"), ({"ema": 0.999}, "ema"), ({"ema": 0.999, "final_weights": "best"}, "best")],
)
def test_with_an_average_of_weights_the_final_weights_are_averages(settings, final):
    assert config(settings).training.saving.final_weights == final


@pytest.mark.parametrize("settings", [{"final_weights": "ema"}, {"ema": 0.9, "final_weights": "last"}, {"ema": 1.0}])
def test_an_average_of_weights_and_the_final_weights_must_agree(settings):
    with pytest.raises(UserError, match="ema"):
        config(settings)


def test_a_setting_newer_than_a_run_counts_as_its_default(tmp_path):
    def experiment(**settings):
        return config({"directory": tmp_path, **settings})

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
        {"dev_metrics": ["bleu", "chrf++"]},
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
        {"optimizer": "adamw"},
        {"weight_decay": 0.1},
        {"optimizer": "sgd", "beta_2": 0.9},
        {"beta_2": 1.0},
        {"epsilon": 0.0},
        {"max_ratio": 0.5},
    ],
)
def test_settings_of_the_wrong_kind_are_named(settings):
    with pytest.raises(UserError, match="Received: |^Missing end of the training"):
        config(settings)


@pytest.mark.parametrize("schedule", ["noam", "inverse_square_root", "cosine", "constant"])
def test_every_schedule_rises_in_a_line_to_its_peak_at_the_last_update_of_warmup(schedule):
    settings = {"schedule": schedule, "learning_rate": 0.01, "warmup_steps": 10, "max_updates": 110}
    e = config(settings)
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
    e = config({"max_updates": 9000}, settings)
    lines = e.training.warnings(128)
    assert len(lines) == (shown is not None)
    assert shown is None or re.search(shown, lines[0])


def test_the_cosine_schedule_rises_and_falls_to_zero_at_the_last_update():
    settings = {"schedule": "cosine", "learning_rate": 0.01, "warmup_steps": 10, "max_updates": 110}
    schedule = config(settings).training.make_learning_rate(256)
    rates = [float(schedule(step)) for step in range(111)]
    assert rates[0] == pytest.approx(0.001)
    assert rates[10] == max(rates) == pytest.approx(0.01)
    assert rates[60] == pytest.approx(0.005)
    assert rates[110] == pytest.approx(0, abs=1e-9)


def test_optimizer_settings_reach_the_optimizer():
    given = {"schedule": "constant", "learning_rate": 1, "beta_2": 0.999, "epsilon": 1e-8}  # an integer, as of --set
    optimizer = config(given).training.make_optimizer(8)
    assert (optimizer.beta_2, optimizer.epsilon, float(optimizer.learning_rate)) == (0.999, 1e-8, 1.0)
    optimizer = config().training.make_optimizer(8)
    assert (optimizer.beta_2, optimizer.epsilon) == (0.98, 1e-9)
    averaged = config({"ema": 0.9, "final_weights": "ema"}).training.make_optimizer(8)
    assert (averaged.use_ema, averaged.ema_momentum) == (True, 0.9)
    # The noam schedule's scale.
    rates = [float(config({"learning_rate": x}).training.make_learning_rate(8)(99)) for x in (1.0, 2.0)]
    assert rates[1] == pytest.approx(2 * rates[0])


def test_unequal_sides_are_refused_before_training(tmp_path):
    (tmp_path / "a").write_text("one\ntwo\n")
    (tmp_path / "b").write_text("one\n")
    files = {**dict.fromkeys((*FILES, "data.test.source"), tmp_path / "a"), "data.test.target": tmp_path / "b"}
    with pytest.raises(UserError, match="same number of lines.*a' with 2 lines, .*b' with 1$"):
        run(config({"directory": tmp_path / "run", **files}), report=str)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("model", [{"dropout": 2}, {"shortcuts": "fuison"}, {"roles": {"kind": "dense", "units": 0}}])
def test_an_impossible_model_is_refused_before_any_work(model, tmp_path):
    text = tmp_path / "text"
    text.write_text("one line\n")
    files = dict.fromkeys(FILES, text)
    with pytest.raises(UserError, match="Received: "):
        run(config({"directory": tmp_path / "run", **files, "model": model}), report=str)
    assert not (tmp_path / "run").exists()


def test_other_backends_are_named(monkeypatch):
    monkeypatch.setattr("keras.backend.backend", lambda: "jax")
    with pytest.raises(UserError, match="Training needs TensorFlow: set KERAS_BACKEND=tensorflow.*Received: jax"):
        run(config())


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
        ({"noise": {"swap": "x"}}, "`data.noise.swap` must be a valid number. Received: data.noise.swap='x'"),
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
        config(settings)
    assert str(raised.value) == line


@pytest.mark.parametrize(
    ("settings", "shown"),
    [
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
        config(wrong)
    assert "model=" not in str(raised.value)


def test_a_setting_among_the_arguments_of_the_model_is_named():
    with pytest.raises(UserError, match="`training.batch_size` is a setting, not an arg"):
        config({"model": {"batch_size": 5}})


def test_the_nearest_argument_of_the_model_is_suggested():
    with pytest.raises(UserError, match=r"no such arguments; the nearest is `dropout`\. Received: model\.drpout$"):
        config({"model": {"drpout": 0.1}})


def test_a_wrong_name_in_the_model_is_said_before_what_other_sections_lack():
    lacking = {"schedule": "constant", "learning_rate": None}
    for name, message in (("dropout.x", "`model.dropout` must be one value"), ("drpout", "no such arguments")):
        with pytest.raises(UserError, match=rf"{message}.*Received: model\.{name}$"):
            config(lacking, {f"model.{name}": 1})
    with pytest.raises(UserError, match="`learning_rate`"):
        config(lacking)


def test_an_integer_is_a_float_and_no_other_type_is_converted():
    made = config({"learning_rate": 2, "corpus_weights": [3]})
    assert (made.training.learning_rate, made.data.corpus_weights) == (2.0, [3.0])
    for wrong in ({"batch_size": 5.0}, {"batch_size": True}, {"lowercase": 1}, {"seed": "1"}, {"learning_rate": True}):
        with pytest.raises(UserError, match="must be"):
            config(wrong)


def test_the_loss_of_a_bridge_and_of_what_it_is_compared_with_is_normalised_by_sentences_like_its_penalty():
    def normalised_by(**settings):
        made = ExperimentConfig.from_settings({"directory": "x", **SEVERAL, "max_updates": 1, **settings})
        return made.training.update.normalize_by

    assert normalised_by() == normalised_by(model={"bridge_heads": 4}) == "sentences"
    assert normalised_by(model={"bridge_heads": None}) == normalised_by(architecture="language_label") == "sentences"
    assert normalised_by(normalize_by="tokens") == "tokens"
    assert config().training.update.normalize_by == "tokens"


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
        run(config({"directory": tmp_path / "run"}, files), report=str)
    assert not (tmp_path / "run").exists()


def test_a_tokenizer_of_bleu_is_loaded_and_compared_with_the_text_before_any_work(tmp_path, monkeypatch):
    text = tmp_path / "text"
    text.write_text("犬が雪の中を走っています。\n")

    def check(**settings):
        config({"preset": "transformer_tiny", **dict.fromkeys(FILES, text)}, settings).check()

    with pytest.warns(UserWarning, match="13a treats text without spaces as single words.*ja-mecab for Japanese"):
        check()
    monkeypatch.setitem(sys.modules, "MeCab", None)  # not installed
    monkeypatch.delitem(sys.modules, "sacrebleu.tokenizers.tokenizer_ja_mecab", raising=False)
    with pytest.raises(UserError, match="install the package that it needs.*Received: bleu_tokenizer='ja-mecab'"):
        check(bleu_tokenizer="ja-mecab")
