from __future__ import annotations

import dataclasses
import json
import os

import pytest

from keras_nmt.data import text_digest
from keras_nmt.errors import UserError
from keras_nmt.experiments import settings as training_settings
from keras_nmt.experiments.experiment import Experiment
from keras_nmt.models import ModelDirectory
from keras_nmt.text import train_subwords

FILES = {name: f"{name}.txt" for name in ("train_source", "train_target", "dev_source", "dev_target")}
FILES |= {"max_updates": 1}


def test_settings_that_were_written_are_settings_that_can_be_read():
    experiment = Experiment(directory="x", **FILES, model={"shortcuts": "plain"})
    assert Experiment.from_settings(dataclasses.asdict(experiment)) == experiment


def test_several_corpora_are_settings_as_any(tmp_path):
    corpora = {
        "train_source": ("a.en", tmp_path / "b.en"),
        "train_target": ["a.de", "b.de"],
        "corpus_weights": (1, 2.5),
    }
    settings = Experiment(directory="x", **{**FILES, **corpora}).settings()
    assert settings["train_source"] == [os.path.abspath("a.en"), str(tmp_path / "b.en")]
    assert Experiment.from_settings(settings).settings() == settings


def test_a_setting_that_is_newer_than_a_run_had_the_effect_of_its_default(tmp_path):
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
        {"schedule": "cosine", "max_updates": None, "time_limit": 1.0},
        {"schedule": "cosine", "max_updates": 5, "warmup_steps": 5},
        {"schedule": "cosine", "max_updates": 5, "warmup_steps": 0},
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
        {"target_vocabulary_size": 100},
        {"target_vocabulary_size": 0, "joint_vocabulary": False},
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


def test_the_cosine_schedule_rises_and_falls_to_zero_at_the_last_update():
    settings = {"schedule": "cosine", "learning_rate": 0.01, "warmup_steps": 10, "max_updates": 110}
    schedule = Experiment(**{"directory": "x", **FILES, **settings})._learning_rate(256)
    rates = [float(schedule(step)) for step in range(111)]
    assert rates[0] == pytest.approx(0.001)
    assert rates[10] == max(rates) == pytest.approx(0.01)
    assert rates[60] == pytest.approx(0.005)
    assert rates[110] == pytest.approx(0, abs=1e-9)


def test_a_run_goes_on_with_the_text_it_began_with(tmp_path):
    files = {name: tmp_path / name for name in (*FILES, "test_source", "test_target") if name != "max_updates"}
    for path in files.values():
        path.write_text("eins\nzwei\n")

    def note():
        experiment = Experiment(directory=tmp_path / "run", max_updates=1, **files)
        experiment._note(ModelDirectory(experiment.directory))
        return json.loads((tmp_path / "run" / "data.json").read_text())

    assert note() == {name: [text_digest(path)] for name, path in files.items()}
    (tmp_path / "run" / "checkpoints").mkdir()
    files["test_source"].write_text("drei\nvier\n")  # what is tested may change
    assert note()["test_source"] == [text_digest(files["test_source"])]
    files["train_target"].write_text("eins\nzwo\n")
    with pytest.raises(UserError, match="began with other text.* Received: train_target$"):
        note()


def test_a_start_that_was_killed_between_data_and_settings_is_begun_anew(tmp_path):
    files = {name: tmp_path / name for name in FILES if name != "max_updates"}
    for text in ("eins\n", "zwei\n"):
        for path in files.values():
            path.write_text(text)
        experiment = Experiment(directory=tmp_path / "run", max_updates=1, **files)
        experiment._note(ModelDirectory(experiment.directory))
        (tmp_path / "run" / "settings.json").unlink()


def test_a_refused_start_leaves_what_the_run_began_with(tmp_path):
    files = {name: tmp_path / name for name in FILES if name != "max_updates"}
    for path in files.values():
        path.write_text("eins\nzwei\n")

    def note(**changed):
        experiment = Experiment(**{"directory": tmp_path / "run", "max_updates": 1, **files, **changed})
        experiment._note(ModelDirectory(experiment.directory))

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
    note(max_updates=9, **elsewhere, test_source=more, test_target=more)  # and what is tested may change, too


def test_a_cosine_schedule_ends_where_it_was_to_end(tmp_path):
    text = tmp_path / "text"
    text.write_text("eins\n")
    files = {name: text for name in FILES if name != "max_updates"}
    short, longer = (
        Experiment(directory=tmp_path / "run", schedule="cosine", warmup_steps=2, max_updates=number, **files)
        for number in (5, 9)
    )
    short._note(ModelDirectory(short.directory))
    (tmp_path / "run" / "checkpoints").mkdir()
    with pytest.raises(UserError, match=r"Received: max_updates=9 \(was 5\)"):  # the rate would jump
        longer._note(ModelDirectory(longer.directory))


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
def test_subwords_stay_where_nothing_of_theirs_changes(tmp_path, changed, are_kept):
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
        experiment._note(ModelDirectory(experiment.directory))
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
def test_settings_that_cannot_be_are_found_before_anything_is_made(settings):
    with pytest.raises(UserError, match="Received: "):
        Experiment(directory="x", **{**FILES, **settings})


def test_settings_of_the_optimizer_reach_it():
    given = {"schedule": "constant", "learning_rate": 1, "beta_2": 0.999, "epsilon": 1e-8}  # an integer, as of --set
    optimizer = Experiment(directory="x", **{**FILES, **given})._optimizer(8)
    assert (optimizer.beta_2, optimizer.epsilon, float(optimizer.learning_rate)) == (0.999, 1e-8, 1.0)
    optimizer = Experiment(directory="x", **FILES)._optimizer(8)
    assert (optimizer.beta_2, optimizer.epsilon) == (0.98, 1e-9)
    # The noam schedule's scale.
    rates = [
        float(Experiment(directory="x", **{**FILES, "learning_rate": rate})._learning_rate(8)(99))
        for rate in (1.0, 2.0)
    ]
    assert rates[1] == pytest.approx(2 * rates[0])


def test_two_sides_that_are_no_pair_are_found_before_the_training(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).write_text("one\ntwo\n" if name == "a" else "one\n")
    files = {f"{data}_{side}": tmp_path / "a" for data in ("train", "dev", "test") for side in ("source", "target")}
    with pytest.raises(UserError, match="Received: "):
        Experiment(directory=tmp_path / "run", max_updates=1, **{**files, "test_target": tmp_path / "b"}).run()
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("model", [{"dropout": 2}, {"shortcuts": "fuison"}, {"roles": "dense", "num_roles": 0}])
def test_a_model_that_cannot_be_made_is_found_before_anything_is(model, tmp_path):
    text = tmp_path / "text"
    text.write_text("one line\n")
    files = dict.fromkeys(("train_source", "train_target", "dev_source", "dev_target"), text)
    with pytest.raises(UserError, match="Received: "):
        Experiment(directory=tmp_path / "run", **files, model=model).run(report=lambda line: None)
    assert not (tmp_path / "run").exists()


def test_other_backends_are_named(monkeypatch, tmp_path):
    monkeypatch.setattr("keras.backend.backend", lambda: "jax")
    with pytest.raises(UserError, match="Training needs TensorFlow: set KERAS_BACKEND=tensorflow.*Received: jax"):
        Experiment(directory=tmp_path, **FILES).run()


def test_missing_and_unknown_settings_are_named():
    with pytest.raises(UserError, match="needed. Received: no directory, train_source"):
        Experiment.from_settings({})
    with pytest.raises(UserError, match="no such settings.*Received: speed"):
        Experiment.from_settings({"directory": "x", **FILES, "speed": 9})


class Reached(Exception):
    """What was to be seen has been."""


def test_every_setting_reaches_what_it_is_for(tmp_path, monkeypatch):
    """None has its default, so what is lost on the way shows."""
    made, read, subwords, read_parallel = {}, [], {}, training_settings.read_parallel

    def trainer(model, data, directory, **options):
        made.update(options, model=model, data=data)
        raise Reached

    def read_and_note(*sides, **options):
        read.append(options)
        return read_parallel(*sides, **options)

    def train(files, path, **options):
        subwords.update(options)
        return train_subwords(files, path, vocabulary_size=15)

    monkeypatch.setattr(training_settings, "Trainer", trainer)
    monkeypatch.setattr(training_settings, "read_parallel", read_and_note)
    monkeypatch.setattr("keras_nmt.experiments.experiment.train_subwords", train)
    text = tmp_path / "text"
    text.write_text("a b c d e\n" * 10)
    to_trainer = {
        "computation": {"accumulation_steps": 3, "normalize_by": "sentences", "jit_compile": True, "seed": 7},
        "loss": {"label_smoothing": 0.3},
        "evaluation": {"evaluate_every": 11, "patience": 23},
        "saving": {"save_every": 13, "keep_last": 17, "keep_best": 19, "final": "best"},
        "logging": {"log_every": 31, "tensorboard": True},
        "budget": {"max_updates": 29},
        "start": {"allow_new": ["x"], "allow_unused": ["y"]},
    }
    experiment = Experiment(
        directory=tmp_path / "run",
        train_source=[text] * 2,
        train_target=[text] * 2,
        dev_source=text,
        dev_target=text,
        corpus_weights=[0.5, 2],
        preset="transformer_tiny",
        model={"num_encoder_layers": 1, "num_decoder_layers": 1},
        batch_size=5,
        batch_unit="sentences",
        length_buckets=[9, 40],
        subword_sampling=0.3,
        subword_model="unigram",
        user_symbols=["<x>"],
        max_length=30,
        max_ratio=2.5,
        clip=0.25,
        dtype="mixed_float16",
        time_limit=2,
        beam_size=6,
        length_penalty=0.9,
        **{name: value for part in to_trainer.values() for name, value in part.items()},
    )
    with pytest.raises(Reached):
        experiment.run(report=str)
    for part, settings in to_trainer.items():
        for name, value in settings.items():
            own_name = "every" if name.endswith("_every") else name.removeprefix("label_")
            assert getattr(made[part], own_name) == value, name
    assert made["budget"].time_limit == 120
    data = made["data"]
    assert (data.updates_per_epoch, data.seed, data._sampling.alpha) == (5, 7, 0.3)  # 5 + 20 lines; 4 without weights
    assert {edge for _, edge, _ in data.shapes} <= {9, 40}
    assert read == [{"max_length": 30, "max_ratio": 2.5, "keep_text": True}] * 2
    assert [subwords[name] for name in ("model_type", "user_symbols", "seed")] == ["unigram", ["<x>"], 7]
    assert made["optimizer"].inner_optimizer.global_clipnorm == 0.25
    assert made["model"].get_config()["dtype"] == "mixed_float16"
    search = ModelDirectory(tmp_path / "run").load_config()["search"]
    assert search == {"beam_size": 6, "length_penalty": 0.9}


def test_a_model_without_checkpoints_is_not_trained_over(tmp_path):
    (tmp_path / "text").write_text("eins\n")
    files = {name: tmp_path / "text" for name in FILES if name != "max_updates"}
    experiment = Experiment(directory=tmp_path / "run", max_updates=1, **files)
    experiment._note(ModelDirectory(experiment.directory))
    before = {}
    for name in ("model.weights.h5", "subwords.model"):
        (tmp_path / "run" / name).write_bytes(b"not to be lost")
    for path in (tmp_path / "run").iterdir():
        before[path] = path.read_bytes()
    for seed in (1, 2):
        with pytest.raises(UserError, match="no checkpoints .* give this one as `init_from`.* Received: directory="):
            dataclasses.replace(experiment, seed=seed)._note(ModelDirectory(experiment.directory))
    assert {path: path.read_bytes() for path in before} == before
