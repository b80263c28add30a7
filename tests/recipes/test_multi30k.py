"""The Multi30k recipe on files of the same names and format, taken from the quickstart's corpus."""

import json
import os
import shutil
import sys

import pytest
from scripts import RECIPES, ROOT, load_script

from keras_nmt.evaluation.bootstrap import show_p
from keras_nmt.models import count_parameters

pytestmark = pytest.mark.nightly
SCRIPT = "multi30k/train.py"


@pytest.fixture
def run_recipe(run_python):
    return lambda *arguments: run_python(RECIPES / SCRIPT, *arguments, PYTHONPATH=os.pathsep.join(sys.path))


def made(recipe, name, **options):
    return recipe.experiment(name, data_dir="data", seed=1, directory=f"runs/{name}-1", **options)


def test_every_configuration_makes_a_model(script):
    recipe, sizes = script.RECIPE, {}
    for name in {**recipe.configurations, **recipe.modifiers}:
        one = made(recipe, name, model={"num_encoder_layers": 2, "num_decoder_layers": 2})
        vocabulary = {"source_vocabulary_size": one.subwords.vocabulary_size}
        sizes[name] = count_parameters(preset=one.model.preset, **vocabulary, **one.model.arguments)
    for name, configuration in recipe.configurations.items():
        if other := configuration.get("matched_to"):
            assert 0 < abs(sizes[name] - sizes[other]) < 0.01 * sizes[other]
    assert sizes["ni_layers"] - sizes["baseline"] == sizes["ni_both"] - sizes["ni_heads"] > 0
    assert sizes["role_one_hot"] == sizes["role_softmax_continued"] == sizes["role_softmax"]
    assert sizes["role_softmax_no_residual"] == sizes["role_softmax"] > sizes["role_softmax_16"]
    assert sizes["role_low_rank"] < sizes["role_dense"] == sizes["role_dense_residual"] < sizes["role_softmax"]
    assert sizes["encoder_only"] + sizes["decoder_only"] == sizes["fusion"] + sizes["baseline"]
    assert sizes["self_and_cross"] - sizes["cross"] == sizes["fusion"] - sizes["baseline"]


def test_arms_that_are_compared_differ_in_one_argument(script):
    def flat(model):
        """The arguments by name in dots, those of a mechanism too."""
        found = {}
        for name, value in model.items():
            arguments = value if isinstance(value, dict) else {"kind": value}
            found |= {f"{name}.{argument}": one for argument, one in arguments.items()}
        return found

    def differing(one, other):
        return {name for name in {**one, **other} if one.get(name) != other.get(name)}

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
        assert differing(*(flat(made(script.RECIPE, x).model.arguments) for x in (one, other))) == {argument}
    composed = load_script("multi30k/composition.py").RECIPE.configurations
    for site in ("layers", "heads", "both"):
        assert f"hierarchical_{site}_identity" in composed
        ends = ("", "_rank_16", "_second_order")
        first, *others = (flat(composed[f"ni_{site}{end}_identity"]["model"]) for end in ends)
        names = set().union(*(differing(first, other) for other in others))
        assert all(name.endswith(("_composition.kind", "_composition.rank")) for name in names)


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
    found = json.loads((tmp_path / "runs" / "comparison.json").read_text(encoding="utf-8"))["configurations"]
    assert {one["runs"] for one in found.values()} == {3}
    text = (ROOT / "lab" / "multi30k.md").read_text(encoding="utf-8")
    for name, one in found.items():
        start = f"| {name} | {one['parameters']:,} | 3 | "
        row = next(line for line in text.splitlines() if line.startswith(start)).split(" | ")
        assert row[4] == f"{one['test_bleu']['mean']:.2f} ± {one['test_bleu']['deviation']:.2f}"
        if name != "baseline":
            assert row[7:11] == [
                " to ".join(f"{x:+.2f}" for x in one["interval"]),
                *(show_p(one[key]) for key in ("p_value", "p_value_holm", "p_value_of_seeds")),
            ]


def test_students_differ_from_their_baseline_in_what_their_name_says():
    recipe = load_script("multi30k/distillation.py").RECIPE

    def size(name):
        arguments = made(recipe, name).model.arguments
        return count_parameters(preset="transformer_small", source_vocabulary_size=8000, **arguments)

    sizes = {name: size(name) for name in recipe.configurations}
    assert sizes["references"] == sizes["distilled"] == sizes["interpolated"] == sizes["word_level"] == sizes["student"]
    assert sizes["references"] < sizes["plain"] == sizes["noisy"] == sizes["half"] == sizes["tagged"] < sizes["teacher"]
    assert size("word_level+deep_encoder") == sizes["deep_encoder"] > sizes["student"]
    for name, baseline, section in (
        ("distilled", "references", "data"),
        ("interpolated", "references", "data"),
        ("word_level", "references", "training"),
        ("back_translated", "half", "data"),
        ("tagged", "half", "data"),
        ("noisy", "plain", "data"),
    ):
        own, other = (made(recipe, x).settings() for x in (name, baseline))
        assert {x for x in own if own[x] != other[x]} == {"directory", section}, name
    assert {x for x in own["data"] if own["data"][x] != other["data"][x]} == {"noise"}
