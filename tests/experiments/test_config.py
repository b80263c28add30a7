"""Settings of an experiment: their checks, their defaults and what they make."""

import gzip
import json
import os
import re
import sys

import numpy as np
import pytest

from keras_nmt.errors import UserError
from keras_nmt.experiments import ExperimentConfig, run
from keras_nmt.layers import Shortcuts

FILES = {f"data.{part}.{side}": f"{part}.{side}" for part in ("train", "dev") for side in ("source", "target")}
SETTINGS = {"directory": "x", "languages": ["source", "target"], "pairs": ["source-target"], "max_updates": 1, **FILES}
SEVERAL = {"languages": ["de", "en"], "train": "t.{language}", "dev": "d.{language}"}


def config(*changes):
    return ExperimentConfig.from_settings(SETTINGS, *changes)


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


def test_a_setting_newer_than_a_run_counts_as_its_default_or_as_what_runs_did_before(tmp_path):
    def experiment(**settings):
        return config({"directory": tmp_path, **settings})

    older = experiment().settings()
    del older["subwords"]["user_symbols"], older["search"], older["model"]
    (tmp_path / "settings.json").write_text(json.dumps(older))
    assert experiment().changed_settings(()) == []
    assert experiment(user_symbols=["<de>"]).changed_settings(()) == ["subwords.user_symbols=['<de>'] (was [])"]
    assert experiment(beam_size=7).changed_settings(()) == ["search.beam_size=7 (was 4)"]
    assert experiment(beam_size=7).changed_settings(("search",)) == []
    del older["subwords"]["source_cleaning"]
    (tmp_path / "settings.json").write_text(json.dumps(older))
    assert experiment(source_cleaning=False).changed_settings(()) == []
    assert experiment().changed_settings(()) == ["subwords.source_cleaning=True (was False)"]


WRONG = {
    **{"batch_size": ["large", 5.0, True, 0, 2**31], "jit_compile": ["yes"]},
    **{"time_limit": [True, -5], "lowercase": [1]},
    **{"train": [3, [], "a.txt", ["a.{language}", 3]], "dev": [{"de": 3}]},
    **{"allow_missing": [["*"]], "ignore_extra": [[3], ["*"]], "task_schedule": ["temperature"]},
    **{"corpus_weights": [["much"], [0.0], [1.0, 2.0]], "schedule": ["linear"], "dtype": ["float8"]},
    **{"model": ["plain", {"layers_of_gold": 3}, {"source_vocabulary_size": 9}], "preset": ["huge"]},
    **{"normalization": ["nfd"], "bleu_tokenizer": ["words"], "dev_metrics": [[], ["bleu", "chrf++"]]},
    **{"pairs": [["de-en"]], "seed": [-1, 2**32, "1"], "max_updates": [0, None], "dev_sentences": [0]},
    **{"character_coverage": [0.5], "label_smoothing": [1.0], "learning_rate": [float("nan")], "sampling": [1.5]},
    **{"length_penalty": [float("inf")], "weight_decay": [-0.1, 0.1], "evaluation.every": [0], "warmup_steps": [0]},
    **{"keep_best": [-1], "beta_2": [1.0], "epsilon": [0.0], "max_ratio": [0.5], "user_symbols": [["<a b>"]]},
    **{"ema": [1.0], "final_weights": ["first", "ema"], "models": [{"source": "one.model"}], "optimizer": ["adamw"]},
    **{"vocabulary_size": [{"source": 9, "target": 9}], "task_weights": [{"source-target": 1.0}]},
    **{"best_metric": ["bleu_source-target", "loss"], "lora": [{"rank": 2, "alpha": 4}], "frozen": ["encoder/*"]},
}
WRONG_TOGETHER = [
    *({"schedule": name, "max_updates": 9000} for name in ("constant", "inverse_square_root", "cosine")),
    {"schedule": "cosine", "learning_rate": 0.001, "max_updates": None, "time_limit": 1.0},
    {"schedule": "cosine", "learning_rate": 0.001, "max_updates": 5, "warmup_steps": 5},
    {"vocabulary_size": {"source": 9}, "joint_vocabulary": False},
    {"models": {"german": "one.model"}, "joint_vocabulary": False},
    {"models": "one.model", "joint_vocabulary": False},
    {"normalization": "identity", "lowercase": True},
    {"byte_fallback": True, "vocabulary_size": 260},
    {"dev_metrics": ["loss"], "best_metric": "loss"},
    {"ema": 0.9, "final_weights": "last"},
    {"keep_best": 0, "final_weights": "best"},
    {"optimizer": "sgd", "beta_2": 0.9},
    {"lora": {"rank": 2, "alpha": 4}, "init_from": "x", "frozen": ["encoder/*"]},
    {"lora": {"rank": -1}, "init_from": "x"},
    {"lora": {"quantize": "int8"}, "init_from": "x", "dtype": "mixed_float16"},
]


def test_wrong_settings_are_named_and_only_an_integer_is_converted_to_a_float():
    made = config({"learning_rate": 2, "corpus_weights": [3]})
    assert (made.training.learning_rate, made.data.corpus_weights) == (2.0, [3.0])
    for settings in [*({name: value} for name, values in WRONG.items() for value in values), *WRONG_TOGETHER]:
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
    if schedule == "cosine":  # half of the peak in the middle, and zero at the last update
        middle, last = (float(e.training.make_learning_rate(256)(step)) for step in (60, 110))
        assert (middle, last) == (pytest.approx(peak / 2), pytest.approx(0, abs=1e-9))


def test_rates_that_train_nothing_are_warned_of():
    constant = {"schedule": "constant"}
    for settings, shown in (
        ({}, None),  # noam: 0.0014
        ({"learning_rate": 3e-4}, "is 4.2e-07; with adam.* with noam, `learning_rate` is a factor, by default 1"),
        ({**constant, "learning_rate": 1.0}, "is 1; with adam, peaks from 1e-05 to 0.01 are usual. Rec"),
        ({**constant, "learning_rate": 1e-6}, "is 1e-06; with adam"),
        ({**constant, "learning_rate": 1.0, "optimizer": "sgd"}, None),
        ({**constant, "learning_rate": 3e-4, "optimizer": "sgd"}, "is 0.0003; with sgd, peaks from 0.001"),
        ({"max_updates": 100}, "before.* peak: set `warmup_steps`.* warmup_steps=4000, max_updates=100"),
        ({"max_updates": 100, **constant, "learning_rate": 1e-3, "warmup_steps": 200}, "before.* peak"),
        ({"max_updates": 100, **constant, "learning_rate": 1e-3}, None),
    ):
        lines = config({"max_updates": 9000}, settings).training.warnings(128)
        assert len(lines) == (shown is not None), settings
        assert shown is None or re.search(shown, lines[0])


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


def test_an_impossible_model_is_refused_before_any_work(tmp_path):
    text = tmp_path / "text"
    text.write_text("one line\n")
    wrong = {"dropout": 2, "shortcuts": "fuison", "roles": {"kind": "dense", "units": 0}, "frozen": ["tower/*"]}
    for name, value in wrong.items():
        files = {"directory": tmp_path / "run", **dict.fromkeys(FILES, text)}
        with pytest.raises(UserError, match=r"Received: .*(2|fuison|0|'tower/\*')"):
            run(config({**files, f"model.{name}": value}), report=str)
    assert not (tmp_path / "run").exists()


def test_other_backends_are_named(monkeypatch):
    monkeypatch.setattr("keras.backend.backend", lambda: "jax")
    with pytest.raises(UserError, match="Training needs TensorFlow: set KERAS_BACKEND=tensorflow.*Received: jax"):
        run(config())


def test_a_wrong_setting_is_one_line_that_says_what_to_write():
    for settings, line in (
        ({"batchsize": 4}, "There are no such settings; the nearest is `batch_size`. Received: batchsize"),
        (
            {"golden": 1, "model.architecture": ["x"]},
            "There are no such settings; `keras-nmt train --list-settings` lists the settings. Received: golden",
        ),
        ({"save_every": 4}, "There are no such settings; the nearest is `saving.every`. Received: save_every"),
        (
            {"every": 4},
            "There are no such settings; write the full name, one of training.saving.every, training.logging.every, "
            "evaluation.every. Received: every",
        ),
        ({"batch_size": "5"}, "`training.batch_size` must be int. Received: training.batch_size='5'"),
        (
            {"accumulation_steps": 5, "batch_size": 4},
            "`accumulation_steps` must be at most `batch_size`: each of them is a part of the batch. Received: "
            "accumulation_steps=5, batch_size=4",
        ),
        ({"teacher": ""}, "`training.teacher` must be a path, not empty. Received: training.teacher=''"),
        ({"alignments": ["a", ""]}, "`data.alignments` must be a path, not empty. Received: data.alignments=['a', '']"),
        (
            {"dev_metrics": "bleu,ter"},
            '`evaluation.dev_metrics` must be list[str], such as ["bleu", "ter"]. '
            "Received: evaluation.dev_metrics='bleu,ter'",
        ),
        (
            {f"unknown_{number}{name}": number for number in range(10) for name in "abc"},
            "There are no such settings; `keras-nmt train --list-settings` lists the settings. Received: "
            + "".join(f"unknown_{number}{name}, " for number in range(4) for name in "abc").removesuffix(", ")
            + " and 18 more",
        ),
        ({"noise": {"swap": "x"}}, "A rate of noise must be a number from 0 to 1. Received: swap='x'"),
        (
            {"model": {"drpout": 1}},
            "Transformer has no such arguments; the nearest is `dropout`. Received: model.drpout",
        ),
    ):
        with pytest.raises(UserError) as raised:
            config(settings)
        assert str(raised.value) == line


def test_arguments_of_the_model_are_shown_where_they_belong():
    several = {"directory": "x", **SEVERAL, "max_updates": 1}
    for settings, shown in (
        ({**SETTINGS, "num_heads": 2, "dropout": 0.3}, ["model.dropout", "model.num_heads"]),
        ({**several, "bridge_heads": 4}, ["model.bridge_heads"]),
        ({**several, "model.num_heads": 4}, ["model.transformer.num_heads"]),
        ({**SETTINGS, "dropout": 0.3, "gold": 1}, []),
    ):
        with pytest.raises(UserError, match="no such") as raised:
            ExperimentConfig.from_settings(settings)
        assert re.findall(r"--set (model[\w.]+)=VALUE", str(raised.value)) == shown
    with pytest.raises(UserError, match="`training.batch_size` is a setting, not an arg"):
        config({"model": {"batch_size": 5}})


def test_the_loss_of_a_bridge_and_of_what_it_is_compared_with_is_normalised_by_sentences_like_its_penalty():
    def normalised_by(**settings):
        made = ExperimentConfig.from_settings({"directory": "x", **SEVERAL, "max_updates": 1, **settings})
        return made.training.update.normalize_by

    assert normalised_by() == normalised_by(model={"bridge_heads": 4}) == "sentences"
    assert normalised_by(model={"bridge_heads": None}) == normalised_by(architecture="language_label") == "sentences"
    assert normalised_by(normalize_by="tokens") == "tokens"
    assert config().training.update.normalize_by == "tokens"


def test_unequal_training_files_are_refused_before_any_file_is_written(tmp_path):
    (tmp_path / "long").write_text("one\n" * 70_000)
    (tmp_path / "short").write_bytes(gzip.compress(b"one\n" * 69_999))
    (tmp_path / "dev").write_text("one\n")
    dev = {"source": tmp_path / "dev", "target": tmp_path / "dev"}
    files = {"train": [dev, {"source": tmp_path / "long", "target": tmp_path / "short"}], "dev": dev}
    with pytest.raises(UserError, match=r"same number of lines.*long' with 70000 line\(s\), .*short' with 69999$"):
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
