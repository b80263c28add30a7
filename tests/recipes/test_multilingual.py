from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from scripts import load_script

from keras_nmt.errors import UserError
from keras_nmt.experiments.multilingual_experiment import MultilingualExperiment
from keras_nmt.models import ModelDirectory

RECIPES = Path(__file__).parents[2] / "recipes"
TINY = ["vocabulary_size=300", 'model={"hidden_dim": 16, "bridge_heads": 3, "bridge_hidden_dim": 8}', "log_every=1"]


@pytest.fixture
def recipe():
    return load_script("multi30k/multilingual.py").RECIPE


def _run(recipe, *arguments):
    recipe.app()([*map(str, arguments), *(word for text in TINY for word in ("--set", text))], standalone_mode=False)


def _slice(multi30k, corpus, language, count):
    with gzip.open(multi30k / f"{corpus}.{language}.gz", "rt", encoding="utf-8") as file:
        return "".join(next(file) for _ in range(count))


def test_tasks_of_each_system(recipe):
    assert recipe.pairs("bilingual", source="en", target="de") == [("en", "de")]
    hub = recipe.pairs("hub")
    assert len(hub) == 6
    assert all("en" in pair for pair in hub)
    assert len(recipe.pairs("many_to_many")) == 12
    with_own = recipe.pairs("many_to_many", monolingual=True, leave_out=["de-fr"])
    assert len(with_own) == 12 + 4 - 2
    assert not {("de", "fr"), ("fr", "de")} & set(with_own)
    assert recipe.pairs("bilingual", source="en", target="de", monolingual=True) == [
        ("en", "en"),
        ("en", "de"),
        ("de", "de"),
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"system": "all"}, "There are the systems bilingual, hub, many_to_many. Received: all"),
        ({"system": "bilingual"}, "needs a source and a target"),
        ({"system": "hub", "source": "en", "target": "de"}, "the others take none"),
        ({"system": "bilingual", "source": "en", "target": "xx"}, "The corpus has en, de, cs, fr. Received: xx"),
        ({"system": "bilingual", "source": "en", "target": "en"}, "must differ"),
        ({"system": "hub", "leave_out": ["de-fr"]}, "Leave out one of .*Received: de-fr"),
    ],
)
def test_choices_that_do_not_go_together(recipe, arguments, message):
    system = arguments.pop("system")
    with pytest.raises(UserError, match=message):
        recipe.pairs(system, **arguments)


def test_budgets_are_those_of_a_pair(recipe, tmp_path):
    experiment = recipe.experiment("hub", data_dir="x", directory=tmp_path, updates_per_pair=70, size="small")
    assert experiment.max_updates == 6 * 70
    assert experiment.evaluate_every == 6 * recipe.evaluate_every
    paper = recipe.experiment("hub", data_dir="x", directory=tmp_path, bridge=False)
    assert (paper.optimizer, paper.learning_rate, paper.batch_size, paper.batch_unit) == ("sgd", 1.0, 64, "sentences")
    assert paper.model["bridge_heads"] is None
    assert recipe.experiment("hub", data_dir="x", directory=tmp_path, penalty=False).model["penalty_weight"] == 0
    assert "shared_attention" not in paper.model
    shared = recipe.experiment("hub", data_dir="x", directory=tmp_path, bridge=False, shared_attention=True)
    assert shared.model == {**paper.model, "shared_attention": True}
    label = recipe.experiment("hub", data_dir="x", directory=tmp_path, label=True)
    assert label.architecture == "language_label"
    assert not [name for name in label.model if name.startswith(("bridge", "penalty"))]


@pytest.mark.parametrize(
    "arguments",
    [{"label": True, "penalty": False}, {"bridge": False, "penalty": False}, {"label": True, "bridge": False}],
)
def test_what_there_is_no_bridge_for_is_said(recipe, tmp_path, arguments):
    with pytest.raises(UserError, match="no bridge to .* Received: --"):
        recipe.experiment("hub", data_dir="x", directory=tmp_path, **arguments)


@pytest.mark.parametrize(("options", "told"), [({"label": True}, "--label"), ({"size": "small"}, "decoder=transf")])
def test_what_has_no_attention_to_share_is_said(recipe, tmp_path, options, told):
    with pytest.raises(UserError, match=f"share their attention. Received: --shared-attention, {told}"):
        recipe.experiment("hub", data_dir="x", directory=tmp_path, shared_attention=True, **options)


def test_multi30k_on_a_slice(recipe, multi30k, tmp_path, capsys):
    for corpus, count in (("train", 200), ("val", 10), ("test_2016_flickr", 10)):
        for language in ("en", "de"):
            (tmp_path / f"{corpus}.{language}").write_text(_slice(multi30k, corpus, language, count))
    arguments = ["train", "bilingual", "--source", "en", "--target", "de", "--data-dir", tmp_path]
    _run(recipe, *arguments, "--updates-per-pair", 2, "--output", tmp_path / "run", "--set", "beam_size=2")
    results = json.loads((tmp_path / "run" / "results.json").read_text())
    assert results["updates"] == 2
    assert list(results["test"]) == ["en-de"]
    assert "case:lc" in capsys.readouterr().out
    assert ModelDirectory(tmp_path / "run").load_model().languages == ("en", "de")


@pytest.mark.exhaustive  # the same as on Multi30k, but for the names of files
def test_europarl_on_a_slice(multi30k, tmp_path):
    """Real text in Europarl's files: a corpus a pair, and A -> A from its sides."""
    for language in ("en", "de"):
        (tmp_path / f"train.de-en.{language}").write_text(_slice(multi30k, "train", language, 200))
        for corpus, name in (("val", "dev"), ("test_2016_flickr", "test")):
            with gzip.open(tmp_path / f"{name}.{language}.gz", "wt", encoding="utf-8") as file:
                file.write(_slice(multi30k, corpus, language, 10))
    arguments = ["train", "hub", "--leave-out", "en-es", "--leave-out", "en-fr", "--monolingual"]
    sizes = ["--updates-per-pair", 1, "--bridge-heads", 2, "--set", "beam_size=1", "--set", "batch_size=16"]
    folders = ["--data-dir", tmp_path, "--output", tmp_path / "run"]
    _run(load_script("europarl/multilingual.py").RECIPE, *arguments, *sizes, *folders)
    results = json.loads((tmp_path / "run" / "results.json").read_text())
    assert results["updates"] == 4
    assert all(cell["trained"] for cell in results["test"].values())


def test_train_gives_its_choices_to_the_experiment(recipe, monkeypatch):
    made = []
    monkeypatch.setattr(MultilingualExperiment, "run", lambda self: made.append(self) or {})
    flags = "--monolingual --leave-out en-cs --no-penalty --bridge-heads 3 --updates-per-pair 7 --seed 5"
    for given in (f"{flags} --dtype mixed_bfloat16", "--label"):
        recipe.app()(["train", "hub", "--data-dir", "x", *given.split()], standalone_mode=False)
    one, label = made
    assert set(one.pairs) == {"en-en", "en-de", "de-en", "de-de", "en-fr", "fr-en", "fr-fr"}
    assert (one.max_updates, one.seed, one.dtype) == (49, 5, "mixed_bfloat16")
    assert (one.model["bridge_heads"], one.model["penalty_weight"]) == (3, 0.0)
    assert label.architecture == "language_label"


@pytest.mark.parametrize("setting", ["updates_per_pair=5", "system=hub", "label=true", "model=small"])
def test_choices_of_the_recipe_are_flags(recipe, setting):
    with pytest.raises(UserError, match=r"Received: "):
        recipe.app()(
            ["train", "hub", "--data-dir", "x", "--bridge-heads", "3", "--set", setting], standalone_mode=False
        )
