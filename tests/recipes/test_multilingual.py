"""The multilingual recipes: their systems, and training on a slice of real text."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from scripts import load_script

from keras_nmt.cli.recipe_app import recipe_app
from keras_nmt.errors import UserError
from keras_nmt.experiments import run
from keras_nmt.experiments.config import ExperimentConfig
from keras_nmt.models import ModelDirectory
from keras_nmt.quickstart_data import FOLDER

RECIPES = Path(__file__).parents[2] / "recipes"
TINY = ["vocabulary_size=300", 'model={"hidden_dim": 16, "bridge_heads": 3, "bridge_hidden_dim": 8}', "logging.every=1"]


@pytest.fixture
def recipe():
    return load_script("multi30k/multilingual.py").RECIPE


def _run(recipe, *arguments):
    words = [*map(str, arguments), *(word for text in TINY for word in ("--set", text))]
    recipe_app(recipe)(words, standalone_mode=False)


def _slice(multi30k, corpus, language, count):
    with gzip.open(multi30k / f"{corpus}.{language}.gz", "rt", encoding="utf-8") as file:
        return "".join(next(file) for _ in range(count))


def test_tasks_of_each_system(recipe):
    assert recipe.pairs("bilingual", source="en", target="de") == recipe.pairs("bilingual") == [("en", "de")]
    hub = recipe.pairs("hub")
    assert len(hub) == 6
    assert all("en" in pair for pair in hub)
    assert len(recipe.pairs("many_to_many")) == 12
    with_own = recipe.pairs("many_to_many", autoencoding=True, leave_out=["de-fr"])
    assert len(with_own) == 12 + 4 - 2
    assert not {("de", "fr"), ("fr", "de")} & set(with_own)
    assert recipe.pairs("bilingual", source="en", target="de", autoencoding=True) == [
        ("en", "en"),
        ("en", "de"),
        ("de", "de"),
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"system": "all"}, "`system` must be one of bilingual, hub, many_to_many. Received: all"),
        ({"system": "hub", "source": "en", "target": "de"}, "takes no source and target. Received: hub, en to de"),
        ({"system": "bilingual", "source": "en", "target": "xx"}, "The corpus has en, de, cs, fr. Received: xx"),
        ({"system": "bilingual", "source": "en", "target": "en"}, "must differ"),
        ({"system": "hub", "leave_out": ["de-fr"]}, "`leave_out` must be one of .*Received: de-fr"),
        ({"system": "bilingual", "leave_out": ["en-de"]}, "must leave a direction to train on"),
    ],
)
def test_contradicting_choices_are_rejected(recipe, arguments, message):
    system = arguments.pop("system")
    with pytest.raises(UserError, match=message):
        recipe.pairs(system, **arguments)


def test_the_systems_of_the_paper(recipe, tmp_path):
    def made(name, **options):
        return recipe.experiment(name, data_dir="x", directory=tmp_path, seed=1, **options)

    assert (made("hub+small").training.stop.max_updates, made("hub").evaluation.every) == (6 * 9000, 6 * 450)
    paper = made("hub+no_bridge")
    training = paper.training
    assert (training.optimizer, training.learning_rate) == ("sgd", 1.0)
    assert (training.batch_size, training.batch_unit) == (64, "sentences")
    assert paper.model.arguments["bridge_heads"] is None
    assert made("hub+no_penalty").model.arguments["penalty_weight"] == 0
    assert paper.model.arguments["penalty"] == made("hub+k50").model.arguments["penalty"] == "root"  # Eq. 10
    assert made("hub+squared_penalty").model.arguments == {**made("hub").model.arguments, "penalty": "squared"}
    assert made("hub+k50").model.arguments["bridge_heads"] == 50
    assert made("hub+no_bridge+shared_attention").model.arguments == {
        **paper.model.arguments,
        "shared_attention": True,
    }
    assert made("many_to_many+autoencoding").data.pairs == made("many_to_many", autoencoding=True).data.pairs
    label = made("label", leave_out=["de-fr"])
    assert (
        label.data.pairs
        == made("label+without_de_fr").data.pairs
        == made("label+without_de_fr", leave_out=["de-fr"]).data.pairs
    )
    tiny = made("hub+tiny+peak_52+updates_300").training
    assert (tiny.learning_rate, tiny.stop.max_updates) == (0.0052, 300)
    assert made("label+small").model.architecture == "language_label"
    assert (label.model.architecture, label.subwords.vocabulary_size) == ("language_label", 40_000)
    assert len(label.data.pairs) == 10
    assert not [name for name in label.model.arguments if name.startswith(("bridge", "penalty"))]


@pytest.mark.parametrize("system", ["bilingual", "hub", "many_to_many", "label", "hub+no_bridge"])
@pytest.mark.parametrize("change", ["", "+small"])
def test_the_learning_rates_fit_their_optimizers(recipe, tmp_path, system, change):
    """SGD's rate of 1 and Adam's of 0.001."""
    made = recipe.experiment(system + change, data_dir="x", directory=tmp_path, seed=1)
    assert not made.training.warnings(made.model.arguments["hidden_dim"])
    rate = made.training.make_learning_rate(8)
    assert not isinstance(rate, float) or rate == made.training.learning_rate


@pytest.mark.parametrize(
    ("configuration", "message"),
    [
        ("hub+small+shared_attention", "`shared_attention` is for recurrent decoders"),
        ("label+shared_attention", "LanguageLabelModel has no such arguments.*Received: model.shared_attention$"),
        ("label+no_penalty", "LanguageLabelModel has no such arguments.*Received: model.penalty_weight$"),
    ],
)
def test_contradicting_configurations_are_rejected(recipe, tmp_path, configuration, message, monkeypatch):
    monkeypatch.setattr("keras_nmt.experiments.config.check_files", lambda directions: None)
    monkeypatch.setattr("keras_nmt.experiments.config.ExperimentConfig.directions", [])
    with pytest.raises(UserError, match=message):
        recipe.experiment(configuration, data_dir="x", directory=tmp_path, seed=1).check()


@pytest.mark.nightly
def test_multi30k_on_a_slice(recipe, multi30k, tmp_path, capsys):
    for corpus, count in (("train", 200), ("val", 10), ("test_2016_flickr", 10)):
        for language in ("en", "de"):
            (tmp_path / f"{corpus}.{language}").write_text(_slice(multi30k, corpus, language, count))
    arguments = ["train", "bilingual", "--source", "en", "--target", "de", "--data-dir", tmp_path, "--no-export"]
    _run(recipe, *arguments, "--updates-per-pair", 2, "--output", tmp_path / "run", "--set", "beam_size=2")
    results = json.loads((tmp_path / "run" / "results.json").read_text())
    assert results["updates"] == 2
    assert list(results["test"]) == ["en-de"]
    assert "case:lc" in capsys.readouterr().out
    assert ModelDirectory(tmp_path / "run").load_model().languages == ("en", "de")


@pytest.mark.nightly  # differs from Multi30k in file names only
def test_europarl_on_a_slice(multi30k, tmp_path):
    """Real text in Europarl's file format: one corpus per pair, and A -> A from the sides of the corpora."""
    for language in ("en", "de"):
        (tmp_path / f"train.de-en.{language}").write_text(_slice(multi30k, "train", language, 200))
        for corpus, name in (("val", "dev"), ("test_2016_flickr", "test")):
            with gzip.open(tmp_path / f"{name}.{language}.gz", "wt", encoding="utf-8") as file:
                file.write(_slice(multi30k, corpus, language, 10))
    arguments = ["train", "hub+k10", "--leave-out", "en-es", "--leave-out", "en-fr", "--autoencoding"]
    sizes = ["--updates-per-pair", 1, "--set", "beam_size=1", "--set", "batch_size=16"]
    folders = ["--data-dir", tmp_path, "--output", tmp_path / "run"]
    _run(load_script("europarl/multilingual.py").RECIPE, *arguments, *sizes, *folders)
    results = json.loads((tmp_path / "run" / "results.json").read_text())
    assert results["updates"] == 4
    assert all(cell["trained"] for cell in results["test"].values())


@pytest.mark.nightly
def test_the_example_settings_can_be_trained(tmp_path):
    """`recipes/multi30k/many.json`, on the quickstart's corpus in files of the same names, for a few updates."""
    for name, corpus, count in (("train", "train", 100), ("val", "dev", 4), ("test_2016_flickr", "test", 2)):
        for language in ("en", "de", "fr"):
            lines = (FOLDER / f"{corpus}.{language}").read_text(encoding="utf-8").splitlines()
            (tmp_path / f"{name}.{language}").write_text("\n".join([*lines[:count], ""]), encoding="utf-8")
    settings = ExperimentConfig.read_settings(RECIPES / "multi30k" / "many.json")
    data = {name: str(tmp_path / Path(settings["data"][name]).name) for name in ("train", "dev", "test")}
    data |= {"pairs": ["de-en", "en-fr"], "test_pairs": ["de-fr"]}
    tiny = {"vocabulary_size": 200, "max_updates": 2, "evaluation.every": 2, "warmup_steps": 1, "batch_size": 256}
    model = {"hidden_dim": 16, "num_encoder_layers": 1, "num_decoder_layers": 1}
    changes = {"data": data, "model": model, "directory": tmp_path / "run", **tiny}
    results = run(ExperimentConfig.from_settings(settings, changes), report=str)
    assert not results["test"]["de-fr"]["trained"]


def test_train_passes_its_choices_to_the_experiment(recipe, monkeypatch):
    made = []
    monkeypatch.setattr("keras_nmt.experiments.run", lambda self: made.append(self) or {})
    flags = "--autoencoding --leave-out en-cs --updates-per-pair 7 --seed 5 --dtype mixed_bfloat16"
    recipe_app(recipe)(["train", "hub+no_penalty", "--data-dir", "x", *flags.split()], standalone_mode=False)
    (one,) = made
    assert set(one.data.pairs) == {"en-en", "en-de", "de-en", "de-de", "en-fr", "fr-en", "fr-fr"}
    assert (one.training.stop.max_updates, one.training.update.seed, one.training.dtype) == (49, 5, "mixed_bfloat16")
    assert (one.model.arguments["bridge_heads"], one.model.arguments["penalty_weight"]) == (10, 0.0)


@pytest.mark.parametrize("setting", ["updates_per_pair=5", "system=hub", "label=true", "model=small"])
def test_choices_of_the_recipe_are_not_settings(recipe, setting):
    with pytest.raises(UserError, match=r"Received: "):
        recipe_app(recipe)(["train", "hub", "--data-dir", "x", "--set", setting], standalone_mode=False)
