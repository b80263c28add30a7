"""The multilingual recipes: their systems, and training on a slice of real text."""

import pytest

from keras_nmt.errors import UserError

SCRIPT = "multi30k/multilingual.py"


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
        ("all", {}, "`system` must be one of bilingual, hub, many_to_many. Received: system='all'"),
        ("hub", {"source": "en", "target": "de"}, "takes no source and target. Received: hub, en to de"),
        ("hub", {"leave_out": ["de-fr"]}, "`leave_out` must be one of .*Received: leave_out='de-fr'"),
        ("bilingual", {"leave_out": ["en-de"]}, "must leave a direction to train on"),
    ):
        with pytest.raises(UserError, match=message):
            recipe.pairs(system, **arguments)


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
