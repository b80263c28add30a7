"""The Multi30k recipe on files of the same names and format, taken from the quickstart's corpus."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import sys
from pathlib import Path

import pytest
from scripts import RECIPES, load_script

from keras_nmt.experiments.comparison_table import show_p
from keras_nmt.models import count_parameters
from keras_nmt.quickstart_data import FOLDER

SMALL = ["--set", "preset=transformer_tiny", "--set", "vocabulary_size=400", "--max-updates", 3]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("multi30k")
    sets = [("train", "train", 400), ("val", "dev", 8)]
    sets += [(f"test_{name}", "test", 8) for name in ("2016_flickr", "2017_flickr", "2017_mscoco")]
    for language in ("de", "fr"):
        for name, corpus, lines in sets:
            text = (FOLDER / f"{corpus}.{language}").read_text(encoding="utf-8")
            with gzip.open(folder / f"{name}.{language}.gz", "wt", encoding="utf-8") as file:
                file.write("".join(text.splitlines(keepends=True)[:lines]))
    return folder


@pytest.fixture(scope="module")
def recipe():
    return load_script("multi30k/train.py").RECIPE


@pytest.fixture
def run_recipe(run_python):
    script = RECIPES / "multi30k" / "train.py"
    return lambda *arguments: run_python(script, *arguments, PYTHONPATH=os.pathsep.join(sys.path))


@pytest.mark.nightly
def test_trains_two_replicas_scores_and_exports(data, tmp_path, run_recipe):
    output = tmp_path / "model"
    arguments = ["--data-dir", data, "--source", "de", "--target", "fr", "--replicas", 2, "--output", output]
    arguments += ["--set", 'model={"num_encoder_layers": 1, "num_decoder_layers": 1}']
    run = run_recipe("train", "fusion", *arguments, *SMALL)
    assert run.returncode == 0, run.stderr
    assert b"2 replica(s)" in run.stdout
    results = json.loads((output / "results.json").read_text())
    assert results["updates"] == 3
    assert "tok:13a" in results["test"]["de-fr"]["bleu"]["signature"]
    assert len((output / "test.de-fr.hypotheses.txt").read_text().splitlines()) == 24
    assert (output / "export" / "1" / "saved_model.pb").is_file()
    settings = json.loads((output / "settings.json").read_text())
    assert settings["model"]["shortcuts"] == "fusion"


@pytest.mark.nightly
def test_compares_in_separate_processes_and_makes_a_table(data, tmp_path, run_recipe):
    arguments = ["--data-dir", data, "--source", "de", "--target", "fr", "--seeds", 1, "--output", tmp_path / "runs"]
    arguments += ["--set", "logging.every=1", "--set", 'model={"hidden_dim": 16}', "--set", "warmup_steps=2"]
    run = run_recipe("compare", "baseline", "--decoding-speed", *arguments, *SMALL)
    assert run.returncode == 0, run.stderr
    compared = json.loads((tmp_path / "runs" / "comparison.json").read_text())["configurations"]["baseline"]
    assert compared["runs"] == 1
    assert compared["training_tokens_per_second"]["low"] > 0
    speed = json.loads((tmp_path / "runs" / "baseline-1" / "speed.json").read_text())
    assert compared["decoding_sentences_per_second"]["low"] == min(speed["rates"]) > 0
    assert len(speed["rates"]) == 3
    assert speed["sentences"] == 24  # of three test sets
    assert b"baseline" in run.stdout.split(b"finished before")[-1]


def test_a_folder_without_the_corpus_is_an_error_of_one_line(tmp_path, run_recipe):
    run = run_recipe("train", "baseline", "--data-dir", tmp_path, "--output", tmp_path / "model")
    assert run.returncode == 2
    (line,) = run.stderr.decode().strip().splitlines()
    assert line.startswith("Error: ")
    assert "train.en" in line


def test_every_configuration_makes_a_model(recipe, tmp_path):
    made = {}
    two_layers = {"num_encoder_layers": 2, "num_decoder_layers": 2}
    for name in {**recipe.configurations, **recipe.modifiers}:
        given = {"data_dir": "data", "seed": 1, "directory": tmp_path / f"{name}-1"}
        experiment = recipe.experiment(name, **given, model=two_layers)
        made[name] = count_parameters(
            preset=experiment.model.preset,
            source_vocabulary_size=experiment.subwords.vocabulary_size,
            **experiment.model.arguments,
        )
    for name, configuration in recipe.configurations.items():
        if other := configuration.get("matched_to"):
            assert abs(made[name] - made[other]) < 0.01 * made[other]
            assert made[name] != made[other]
    assert made["ni_layers"] - made["baseline"] == made["ni_both"] - made["ni_heads"] > 0
    assert made["role_one_hot"] == made["role_softmax_continued"] == made["role_softmax"]
    assert made["role_dense"] == made["role_dense_residual"] < made["role_softmax_no_residual"] == made["role_softmax"]
    assert made["role_softmax_16"] < made["role_softmax"]
    assert made["role_low_rank"] < made["role_dense"]
    assert made["released"] == made["six_layers"] == made["baseline"]  # layers are set above
    assert made["non_lexical"] == made["fusion"]
    assert made["encoder_only"] + made["decoder_only"] == made["fusion"] + made["baseline"]
    assert made["encoder_only"] == made["decoder_only"] == made["cross"]
    assert made["self_and_cross"] - made["cross"] == made["fusion"] - made["baseline"]


def test_arms_that_are_compared_differ_in_one_argument(recipe, tmp_path):
    def flat(model):
        """The arguments by name in dots, those of a mechanism too."""
        found = {}
        for name, value in model.items():
            arguments = value if isinstance(value, dict) else {"kind": value}
            found |= {f"{name}.{argument}": one for argument, one in arguments.items()}
        return found

    def model(name):
        directory = tmp_path / f"{name}-1"
        return flat(recipe.experiment(name, data_dir="data", seed=1, directory=directory).model.arguments)

    for one, other, argument in (
        ("role_dense", "role_dense_residual", "roles.residual"),
        ("role_softmax_no_residual", "role_softmax", "roles.residual"),
        ("role_dense_residual", "role_softmax", "roles.kind"),
        ("role_softmax", "role_softmax_16", "roles.num_roles"),
        ("role_softmax", "role_softmax_cnn", "roles.context"),
        ("role_dense_residual", "role_low_rank", "roles.low_rank"),
        ("fusion", "self_and_cross", "shortcuts.sites"),
        ("fusion+six_layers", "non_lexical+six_layers", "shortcuts.source"),
    ):
        both = model(one), model(other)
        assert {name for name in {**both[0], **both[1]} if both[0].get(name) != both[1].get(name)} == {argument}
    composed = load_script("multi30k/composition.py").RECIPE
    for site in ("layers", "heads", "both"):
        for kind in ("hierarchical", "ni"):
            assert f"{kind}_{site}_identity" in composed.configurations
        arms = [
            flat(composed.configurations[f"ni_{site}{end}_identity"]["model"])
            for end in ("", "_rank_16", "_second_order")
        ]
        differing = {name for arm in arms[1:] for name in {**arms[0], **arm} if arms[0].get(name) != arm.get(name)}
        assert all(name.endswith(("_composition.kind", "_composition.rank")) for name in differing)


def test_the_comparison_has_the_readmes_settings(recipe):
    """`compare` recognises finished runs by these settings."""
    assert recipe.comparison | {"model": {**recipe.settings["model"], **recipe.comparison["model"]}} == {
        "model": {"dropout": 0.1},
        "schedule": "cosine",
        "learning_rate": 0.001,
        "warmup_steps": 200,
        "time_limit": None,
        "max_updates": 1200,
        "evaluation.every": 600,
        "saving.every": 60,
        "logging.every": 50,
    }
    for configuration in {**recipe.configurations, **recipe.modifiers}.values():
        assert "start_from" in configuration or not {"max_updates", "time_limit", "batch_size"} & set(configuration)


@pytest.mark.nightly  # runs and table are kept files: only scoring could change them
def test_the_kept_runs_are_those_of_the_recipe(multi30k, tmp_path, run_recipe):
    """The README's command finds them finished, makes the same scores of them, and leaves the kept file as it is."""
    kept = tmp_path / "comparison.jsonl"
    for path in (RECIPES / "multi30k" / "results").glob("comparison.*"):
        shutil.copy(path, tmp_path)
    before = kept.read_bytes()
    names = ["plain", "fusion", "ni_layers", "ni_heads", "ni_both", "role_dense", "role_softmax", "matched", "all"]
    run = run_recipe(
        *("compare", *names, "--data-dir", multi30k, "--set", "min_length=0", "--keep", kept),
        *("--set", f"data.test={multi30k}/test_2016_flickr.{{language}}"),
        *("--output", tmp_path / "runs", "--table-only"),
    )
    assert run.returncode == 0, run.stderr
    assert kept.read_bytes() == before
    made = json.loads((tmp_path / "runs" / "comparison.json").read_text(encoding="utf-8"))["configurations"]
    assert {one["runs"] for one in made.values()} == {3}
    text = (RECIPES / "multi30k" / "README.md").read_text(encoding="utf-8")
    for name, one in made.items():
        start = f"| {name} | {one['parameters']:,} | 3 | "
        row = next(line for line in text.splitlines() if line.startswith(start)).split(" | ")
        assert row[4] == f"{one['test_bleu']['mean']:.2f} ± {one['test_bleu']['deviation']:.2f}"
        if name != "baseline":
            assert row[7:11] == [
                " to ".join(f"{x:+.2f}" for x in one["interval"]),
                *(show_p(one[key]) for key in ("p_value", "p_value_holm", "p_value_of_seeds")),
            ]


def test_students_differ_from_their_baseline_in_what_their_name_says(tmp_path, monkeypatch):
    recipe = load_script("multi30k/distillation.py").RECIPE

    def made(name):
        return recipe.experiment(name, data_dir="data", seed=1, directory=tmp_path / f"{name}-1")

    references = made("references")
    sizes = {
        name: count_parameters(preset="transformer_small", source_vocabulary_size=8000, **made(name).model.arguments)
        for name in recipe.configurations
    }
    assert sizes["references"] == sizes["distilled"] == sizes["interpolated"] == sizes["word_level"] == sizes["student"]
    assert sizes["references"] < sizes["plain"] == sizes["noisy"] == sizes["half"] == sizes["tagged"] < sizes["teacher"]
    joined = count_parameters(
        preset="transformer_small", source_vocabulary_size=8000, **made("word_level+deep_encoder").model.arguments
    )
    assert joined == sizes["deep_encoder"] > sizes["student"]
    changes = {"distilled": {"data"}, "interpolated": {"data"}, "word_level": {"training"}}
    changes |= {"back_translated": {"data"}, "tagged": {"data"}}
    for name, sections in changes.items():
        baseline = (made("half") if name in ("back_translated", "tagged") else references).settings()
        own = made(name).settings()
        assert {x for x in own if own[x] != baseline[x]} == {"directory", *sections}, name
    noisy, plain = made("noisy").settings(), made("plain").settings()
    assert {x for x in noisy["data"] if noisy["data"][x] != plain["data"][x]} == {"noise"}
    # Where the commands of the README leave the models and texts that the arms need.
    readme = (RECIPES / "multi30k" / "README.md").read_text(encoding="utf-8")
    texts = re.search(r"TEXTS=(\S+)", readme)[1]
    written = {folder.replace("$TEXTS", texts) for folder in re.findall(r"--output (\$TEXTS/\w+)", readme)}
    corpora = [made(name).data.train for name in ("distilled", "interpolated", "back_translated", "tagged")]
    read = [corpus[-1] if isinstance(corpus, list) else corpus for corpus in corpora]
    assert {str(corpus["en"]) for corpus in read} == {f"{folder}/source" for folder in written}
    for name, given, model in (
        ("TEACHER", {}, made("word_level").training.teacher),
        ("REVERSE", {"source": "de", "target": "en"}, Path(made("half").subwords.models).parent),
    ):
        assert re.search(rf"{name}=(\S+)", readme)[1] == str(model)
        pair = recipe.pairs(None, **given)[0]
        assert str(model) == f"runs/{recipe.name}-{'-'.join(pair)}-{name.lower()}-1"
