"""The papers' recipes: experiments, numbers of parameters and initial models of all configurations; each script trains
on a slice of real text in files with the names of its README."""

import functools
import json
from pathlib import Path

import pytest
from scripts import load_script

from keras_nmt.data import read_lines
from keras_nmt.errors import UserError
from keras_nmt.experiments import run
from keras_nmt.files.settings import merge_arguments, value_at
from keras_nmt.models import Transformer, count_parameters
from keras_nmt.models.transformer import TRANSFORMER_PRESETS
from keras_nmt.training import warm_start

EN_DE = {"en": "en", "de": "de"}
# The arguments of each script: configurations (the last may start from the first), and languages of Multi30k in place
# of the script's languages.
RUNS = {
    "iwslt14/roles": (["softmax_residual_16", "one_hot_residual_16"], EN_DE),
    "multi30k/composition": (["baseline", "ni_both_rank_32_identity"], EN_DE),
    "multi30k/shortcuts": (["fusion"], EN_DE),
    "wmt14/composition": (["baseline", "ni_both"], EN_DE),
    "wmt14/roles": (["softmax"], EN_DE),
    "wmt14/shortcuts": (["self_and_cross"], EN_DE),
    "wmt14/transformer": (["big_sampled"], EN_DE),
    "wmt17/roles": (["dense"], {"en": "en", "fi": "cs"}),
    "wmt17/shortcuts": (["plain"], {"en": "en", "ru-Latn": "fr"}),
    "wmt18/shortcuts": (["fusion"], {"en": "en", "cs": "cs"}),
}
TINY = {"num_encoder_layers": 2, "num_decoder_layers": 2, "hidden_dim": 16, "num_heads": 2, "intermediate_dim": 24}


def recipe_of(script):
    return load_script(f"{script}.py").RECIPE


def experiment(script, configuration, data_dir="data", folder="runs", **overrides):
    recipe = recipe_of(script)
    directory = Path(folder) / f"{recipe.name}-{configuration}-1"
    return recipe.experiment(configuration, data_dir=data_dir, seed=1, directory=directory, **overrides)


@functools.cache
def parameters(script, configuration):
    made = experiment(script, configuration)
    arguments = {"source_vocabulary_size": made.subwords.vocabulary_size, **made.model.arguments, "dropout": 0.1}
    return _count(json.dumps({"preset": made.model.preset, **arguments}, sort_keys=True))


@functools.cache
def _count(given):
    return count_parameters(**json.loads(given))


def tiny_model(made, layers=2):
    """A small model of the experiment's kind."""
    sizes = TINY | {
        name: {**value, **{size: 4 for size in ("rank", "num_roles") if size in value}}
        for name, value in made.model.arguments.items()
        if isinstance(value, dict)
    }
    sizes |= {"num_encoder_layers": layers, "num_decoder_layers": layers}
    return _tiny_model(json.dumps({**made.model.arguments, **sizes, "dropout": 0.1}, sort_keys=True))


@functools.cache
def _tiny_model(model):
    return Transformer(20, **json.loads(model))


def test_mechanisms_have_the_papers_numbers_of_parameters():
    shortcuts = {"baseline": 65_166_336, "plain": 71_470_080, "cross": 65_166_336 + 9_443_328}
    composition = {
        "hierarchical_layers": 23_090_176,
        "ni_both": 2 * (2 * (6 * 512 + 1) * 512 + 512 * 512) + 14_174_208,
        "ni_heads_rank_32": 884_736 + 18 * 2 * 32,
    }
    d, hr = 256, 32
    context = 12 * hr * (d + hr + 1) + hr * (2 * hr + 1) + hr * (hr + 1)  # both sides
    roles = {
        f"dense_{hr}": 2 * hr * d**2 + context,
        f"softmax_residual_{hr}": 2 * hr * d**2 + context + 2 * hr**2,
        f"low_rank_{hr}": 2 * (2 * d**2 + hr * d) + context,
        f"contextualized_{hr}": 2 * hr * d + context,
    }
    assert {name: parameters("wmt14/shortcuts", name) for name in shortcuts} == shortcuts
    for script, added in (("wmt14/composition", composition), ("iwslt14/roles", roles)):
        assert {name: parameters(script, name) - parameters(script, "baseline") for name in added} == added


def test_arms_are_compared_with_a_model_trained_equally_long():
    recipe = recipe_of("wmt14/composition")
    baseline = experiment("wmt14/composition", recipe.baseline)
    assert baseline.model == experiment("wmt14/composition", "baseline").model
    for name in ("linear_layers", "ni_both", "ni_heads_without_output"):
        composed = experiment("wmt14/composition", name)
        assert composed.training.start.init_from == baseline.training.start.init_from is not None
        assert composed.training.stop == baseline.training.stop
    for script, one_hot, softmax in (
        ("iwslt14/roles", "one_hot_cnn_residual_32", "softmax_cnn_residual_32"),
        ("wmt17/roles", "one_hot_residual", "softmax_residual"),
    ):
        made, control = experiment(script, one_hot), experiment(script, f"{softmax}_continued")
        arguments = control.model.arguments
        roles = {**arguments["roles"], "kind": "one_hot", "dropout_on": "vector"}
        assert made.model.arguments == {**arguments, "roles": roles}
        assert control.model == experiment(script, softmax).model
        # From the first update: the paper has no warm-up here.
        assert made.training.make_learning_rate(512) == made.training.learning_rate
        for name in ("start.init_from", "schedule", "learning_rate", "warmup_steps", "stop.max_updates", "batch_size"):
            assert value_at(made.training, name) == value_at(control.training, name)


@pytest.mark.parametrize("script", ["wmt14/composition", "multi30k/composition"])
def test_composed_models_have_an_arm_with_the_identity_start(script):
    arms = [name for name in recipe_of(script).configurations if name.endswith("_identity")]
    assert len(arms) > 4
    for name in arms:
        made, other = experiment(script, name), experiment(script, name.removesuffix("_identity"))
        parts = [part for part in ("layer_composition", "head_composition") if part in other.model.arguments]
        identity = {part: {"start": "identity", "residual": True} for part in parts}
        assert parts
        assert made.model.arguments == merge_arguments(other.model.arguments, identity) != other.model.arguments


def _lengths(config):
    """Updates of warm-up and in all, and the number of averaged checkpoints."""
    return config.training.warmup_steps, config.training.stop.max_updates, config.training.saving.keep_last


def test_the_papers_hyper_parameters_reach_the_experiments():
    fusion, big = experiment("wmt18/shortcuts", "fusion"), experiment("wmt14/shortcuts", "big_fusion")
    assert _lengths(fusion) == (8000, 150_000, 5)
    assert (big.model.preset, *_lengths(big)) == ("transformer_big", 16_000, 300_000, 16)
    sampled = experiment("wmt14/transformer", "big_sampled")
    assert (sampled.model.preset, sampled.subwords.sampling) == ("transformer_big", 0.1)
    assert sampled.training.saving.keep_last == 16
    composed = experiment("wmt14/composition", "big_french_ni_both")
    assert (composed.training.batch_size, composed.model.preset) == (32_768, "transformer_big")
    assert composed.model.arguments["dropout"] == 0.1
    tuned = experiment("iwslt14/roles", "one_hot_residual_32")
    assert (tuned.training.schedule, tuned.training.learning_rate) == ("constant", 2e-4)
    assert tuned.model.arguments["dropout"] == 0.3
    assert experiment("wmt17/roles", "one_hot_residual").training.learning_rate == 1e-4
    assert experiment("wmt14/roles", "softmax").training.batch_size == 400_000


@pytest.mark.nightly
@pytest.mark.parametrize("script", RUNS)
def test_every_configuration_makes_an_experiment_with_a_valid_model(script, monkeypatch):
    monkeypatch.setattr("keras_nmt.experiments.recipe.matched_hidden_dim", lambda *_: 48)  # slow
    recipe = recipe_of(script)
    for configuration in {**recipe.configurations, **recipe.modifiers}:
        made = experiment(script, configuration)
        assert made.model.preset in TRANSFORMER_PRESETS
        assert made.data.pairs == ["-".join(recipe.languages[:2])]
        assert Path(made.data.train).suffix == ".{language}"
        width = made.model.arguments.get("hidden_dim", TRANSFORMER_PRESETS[made.model.preset]["hidden_dim"])
        assert not made.training.warnings(width)
        tiny_model(made, 2 if "layer_composition" in made.model.arguments else 1)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("script", "configuration"),
    [
        ("wmt14/composition", "baseline_continued"),
        ("wmt14/composition", "linear_layers"),
        ("wmt14/composition", "hierarchical_both"),
        ("multi30k/composition", "hierarchical_layers"),
        ("multi30k/composition", "ni_both_rank_32_second_order_identity"),
        ("wmt14/composition", "ni_both"),
        ("wmt14/composition", "ni_heads_without_output"),
        ("iwslt14/roles", "softmax_16_continued"),
        ("iwslt14/roles", "one_hot_cnn_residual_32"),
        ("wmt17/roles", "one_hot_residual"),
    ],
)
def test_runs_that_start_from_another_run_load_its_weights(script, configuration):
    recipe, made = recipe_of(script), experiment(script, configuration)
    other = recipe.configurations[configuration]["start_from"]
    start = made.training.start
    assert Path(start.init_from) == Path("runs") / f"{recipe.name}-{other}-1"
    ours, theirs = tiny_model(made), tiny_model(experiment(script, other))
    result = warm_start(ours, theirs, allow_missing=start.allow_missing, ignore_extra=start.ignore_extra)
    left_out = []
    if configuration == "ni_heads_without_output":
        left_out = [weight.path for weight in theirs.weights if weight.path.endswith("_attention/output/kernel")]
    elif configuration == "hierarchical_layers" and made.model.arguments.get("norm") != "post":
        left_out = [weight.path for weight in theirs.weights if "/final_norm/" in weight.path]  # an aggregate has one
    assert result.unused == left_out
    assert bool(left_out) == (configuration in ("ni_heads_without_output", "hierarchical_layers"))
    assert bool(result.new) == (not configuration.endswith("_continued"))  # the composition, or the temperature
    assert bool(result.misfit) == (configuration == "hierarchical_both")  # the projection of its heads
    if result.new:
        with pytest.raises(UserError, match="missing"):
            warm_start(ours, theirs)


@pytest.mark.nightly
@pytest.mark.parametrize("script", RUNS)
def test_each_script_trains_on_a_slice_of_real_text(script, multi30k, tmp_path):
    (configurations, languages), recipe = RUNS[script], recipe_of(script)
    for language, stand_in in languages.items():
        for corpus, lines in (("train", 300), ("dev", 4), ("test", 4)):
            text = read_lines(multi30k / f"{'train' if corpus == 'train' else 'val'}.{stand_in}.gz")[:lines]
            if language == "ru-Latn":
                text = [load_script("wmt17/transliterate.py").romanize(line) for line in text]
            files = recipe.corpora[corpus]
            for file in [files] if isinstance(files, str) else files:
                (tmp_path / file.format(language=language)).write_text("\n".join([*text, ""]), encoding="utf-8")
    tiny = {"preset": "transformer_tiny", "vocabulary_size": 300, "batch_size": 512, "accumulation_steps": 1}
    # One layer where possible: tracing graphs takes the time.
    layers = {} if script.endswith("/composition") else {"num_encoder_layers": 1, "num_decoder_layers": 1}
    tiny |= {"model": {**TINY, **layers}, "max_updates": 2, "beam_size": 2}
    tiny |= {"warmup_steps": 1} if script == "multi30k/composition" else {}  # a cosine, which ends
    progress = []
    for configuration in configurations:
        made = experiment(script, configuration, tmp_path, tmp_path, **tiny)
        results = run(made, report=progress.append)
    assert results["updates"] == 2
    assert 0 <= results["test"]["-".join(recipe.languages[:2])]["bleu"]["score"] <= 100
    if configurations[-1] == "ni_both":  # starts from the plain model: new weights are reported
        summary = next(line for line in progress if line.startswith("Warm start: "))
        new = [line for line in summary.splitlines() if line.startswith("  new: ")]
        assert new
        assert all("composition" in line for line in new)
