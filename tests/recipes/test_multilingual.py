"""The multilingual recipes: their systems, and training on a slice of real text."""

from __future__ import annotations

import json

import pytest
from scripts import load_script

from keras_nmt.cli.recipe_app import recipe_app
from keras_nmt.data import read_lines
from keras_nmt.errors import UserError

SCRIPT = "multi30k/multilingual.py"
TINY = ["vocabulary_size=300", 'model={"hidden_dim": 16, "bridge_heads": 3, "bridge_hidden_dim": 8}', "logging.every=1"]


@pytest.fixture
def recipe(script):
    return script.RECIPE


def test_tasks_of_each_system(recipe):
    one = {"source": "en", "target": "de"}
    assert recipe.pairs("bilingual", **one) == recipe.pairs("bilingual") == [("en", "de")]
    hub = recipe.pairs("hub")
    assert len(hub) == 6
    assert all("en" in pair for pair in hub)
    assert len(recipe.pairs("many_to_many")) == 12
    with_own = recipe.pairs("many_to_many", autoencoding=True, leave_out=["de-fr"])
    assert len(with_own) == 12 + 4 - 2
    assert not {("de", "fr"), ("fr", "de")} & set(with_own)
    assert recipe.pairs("bilingual", autoencoding=True, **one) == [("en", "en"), ("en", "de"), ("de", "de")]


def test_contradicting_choices_are_rejected(recipe):
    for system, arguments, message in (
        ("all", {}, "`system` must be one of bilingual, hub, many_to_many. Received: all"),
        ("hub", {"source": "en", "target": "de"}, "takes no source and target. Received: hub, en to de"),
        ("bilingual", {"source": "en", "target": "xx"}, "The corpus has en, de, cs, fr. Received: xx"),
        ("bilingual", {"source": "en", "target": "en"}, "must differ"),
        ("hub", {"leave_out": ["de-fr"]}, "`leave_out` must be one of .*Received: de-fr"),
        ("bilingual", {"leave_out": ["en-de"]}, "must leave a direction to train on"),
    ):
        with pytest.raises(UserError, match=message):
            recipe.pairs(system, **arguments)
    for setting in ("updates_per_pair=5", "system=hub", "label=true", "model=small"):  # choices of the recipe
        with pytest.raises(UserError, match=r"Received: "):
            recipe_app(recipe)(["train", "hub", "--data-dir", "x", "--set", setting], standalone_mode=False)


def test_the_systems_of_the_paper(recipe, tmp_path):
    def made(name, **options):
        return recipe.experiment(name, data_dir="x", directory=tmp_path, seed=1, **options)

    assert (made("hub+small").training.stop.max_updates, made("hub").evaluation.every) == (6 * 9000, 6 * 450)
    paper = made("hub+no_bridge")
    training, arguments = paper.training, paper.model.arguments
    assert (training.optimizer, training.learning_rate) == ("sgd", 1.0)
    assert (training.batch_size, training.batch_unit) == (64, "sentences")
    assert arguments["bridge_heads"] is None
    assert made("hub+no_penalty").model.arguments["penalty_weight"] == 0
    assert arguments["penalty"] == made("hub+k50").model.arguments["penalty"] == "root"  # Eq. 10
    assert made("hub+squared_penalty").model.arguments == {**made("hub").model.arguments, "penalty": "squared"}
    assert made("hub+k50").model.arguments["bridge_heads"] == 50
    assert made("hub+no_bridge+shared_attention").model.arguments == {**arguments, "shared_attention": True}
    assert made("many_to_many+autoencoding").data.pairs == made("many_to_many", autoencoding=True).data.pairs
    label, left_out = made("label", leave_out=["de-fr"]), made("label+without_de_fr")
    assert label.data.pairs == left_out.data.pairs == made("label+without_de_fr", leave_out=["de-fr"]).data.pairs
    tiny = made("hub+tiny+peak_52+updates_300").training
    assert (tiny.learning_rate, tiny.stop.max_updates) == (0.0052, 300)
    assert made("label+small").model.architecture == "language_label"
    assert (label.model.architecture, label.subwords.vocabulary_size) == ("language_label", 40_000)
    assert len(label.data.pairs) == 10
    assert not [name for name in label.model.arguments if name.startswith(("bridge", "penalty"))]
    for system in ("bilingual", "hub", "many_to_many", "label", "hub+no_bridge"):
        for name in (system, f"{system}+small"):  # SGD's rate of 1 and Adam's of 0.001 fit their optimizers
            one = made(name)
            assert not one.training.warnings(one.model.arguments["hidden_dim"])
            rate = one.training.make_learning_rate(8)
            assert not isinstance(rate, float) or rate == one.training.learning_rate


def test_train_passes_its_choices_to_the_experiment(recipe, monkeypatch):
    made = []
    monkeypatch.setattr("keras_nmt.experiments.run", lambda self: made.append(self) or {})
    flags = "--autoencoding --leave-out en-cs --updates-per-pair 7 --seed 5 --dtype mixed_bfloat16"
    recipe_app(recipe)(["train", "hub+no_penalty", "--data-dir", "x", *flags.split()], standalone_mode=False)
    (one,) = made
    assert set(one.data.pairs) == {"en-en", "en-de", "de-en", "de-de", "en-fr", "fr-en", "fr-fr"}
    assert (one.training.stop.max_updates, one.training.update.seed, one.training.dtype) == (49, 5, "mixed_bfloat16")
    assert (one.model.arguments["bridge_heads"], one.model.arguments["penalty_weight"]) == (10, 0.0)


@pytest.mark.nightly
def test_europarl_on_a_slice(multi30k, tmp_path):
    """Real text in Europarl's file format: one corpus per pair, and A -> A from the sides of the corpora."""
    for language in ("en", "de"):
        for corpus, name, count in (
            ("train", "train.de-en", 200),
            ("val", "dev", 10),
            ("test_2016_flickr", "test", 10),
        ):
            lines = read_lines(multi30k / f"{corpus}.{language}.gz")[:count]
            (tmp_path / f"{name}.{language}").write_text("\n".join([*lines, ""]), encoding="utf-8")
    arguments = ["train", "hub+k10", "--leave-out", "en-es", "--leave-out", "en-fr", "--autoencoding"]
    sizes = ["--updates-per-pair", 1, "--set", "beam_size=1", "--set", "batch_size=16"]
    folders = ["--data-dir", tmp_path, "--output", tmp_path / "run"]
    words = [*map(str, (*arguments, *sizes, *folders)), *(word for text in TINY for word in ("--set", text))]
    recipe_app(load_script("europarl/multilingual.py").RECIPE)(words, standalone_mode=False)
    results = json.loads((tmp_path / "run" / "results.json").read_text())
    assert results["updates"] == 4
    assert all(cell["trained"] for cell in results["test"].values())
