"""Recipes and their command line."""

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from keras_nmt.cli.recipe_app import export_run, parse_seeds, recipe_app
from keras_nmt.errors import UserError
from keras_nmt.experiments import comparison
from keras_nmt.experiments.config import ExperimentConfig
from keras_nmt.experiments.recipe import SECTIONS, Recipe, merge_settings
from keras_nmt.files.settings import _section_names, value_at
from keras_nmt.layers import GatedFeedForward, LayerSpec
from keras_nmt.models import ModelDirectory, count_parameters

FUSION = {"model": {"shortcuts": "fusion"}}
CONFIGURATIONS = {
    "started": {**FUSION, "start_from": "baseline", "allow_missing": ["*/key_value/*"]},
    "baseline": {},
    "fusion": {**FUSION, "warmup_steps": 30},
    "matched": {"matched_to": "fusion"},
}


def recipe(**changes):
    given = {
        "name": "mine",
        "corpora": {"train": "train.{language}", "dev": "valid.{language}", "test": "test2014.{language}"},
        "languages": ("de", "en", "fr"),
        "settings": {
            "preset": "transformer_tiny",
            "vocabulary_size": 500,
            "max_updates": 10,
            "warmup_steps": 20,
            "model": {"dropout": 0.2, "attention_dropout": 0.1},
        },
        "configurations": CONFIGURATIONS,
        "baseline": "baseline",
        "comparison": {"model": {"dropout": 0.1}, "max_updates": 5},
    }
    return Recipe(**{**given, **changes})


def experiment(configuration, of=None, **changes):
    given = {"data_dir": "data", "seed": 3, "directory": f"runs/x-{configuration}-3"}
    return (of or recipe()).experiment(configuration, **{**given, **changes})


def run(*arguments, of=None):
    result = CliRunner().invoke(recipe_app(of or recipe()), [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_the_last_source_of_a_setting_takes_precedence():
    made = experiment("fusion", max_updates=7, model={"dropout": 0.3})
    assert experiment("fusion", warmup_steps=40, model={"shortcuts": "plain"}).training.warmup_steps == 40
    assert made.model.arguments == {"dropout": 0.3, "attention_dropout": 0.1, "shortcuts": "fusion"}
    assert (made.training.stop.max_updates, made.training.warmup_steps, made.training.update.seed) == (7, 30, 3)
    assert experiment("baseline").training.warmup_steps == 20
    # Neither changes what the recipe declares.
    assert recipe().settings["model"] == {"dropout": 0.2, "attention_dropout": 0.1}
    assert CONFIGURATIONS["fusion"]["model"] == {"shortcuts": "fusion"}


def test_files_are_named_by_corpus_and_language():
    made = experiment("baseline", source="fr", target="de")
    assert made.data.train == Path("data/train.{language}")
    assert (made.data.languages, made.data.pairs) == (["de", "fr"], ["fr-de"])
    assert experiment("baseline", recipe(corpora={"train": "a{language}", "dev": "b{language}"})).data.test is None


def test_the_matched_configuration_has_nearly_as_many_parameters(capsys):
    one_layer = {"num_encoder_layers": 1, "num_decoder_layers": 1}
    made = experiment("matched", model=one_layer)
    said = capsys.readouterr().out
    shared = {"preset": "transformer_tiny", "source_vocabulary_size": 500, **one_layer}
    wanted = count_parameters(**shared, shortcuts="fusion")
    width = made.model.arguments["hidden_dim"]
    below, residual, above = (count_parameters(**shared, hidden_dim=width + more) - wanted for more in (-4, 0, 4))
    assert below < 0 < above
    assert abs(residual) <= min(-below, above)
    assert f"{abs(residual):,} {'more' if residual > 0 else 'fewer'} than fusion has" in said
    assert made.model.arguments["dropout"] == 0.2
    experiment("matched", model=one_layer, seed=4)
    assert capsys.readouterr().out == ""  # solved and said once, whatever the seed


def test_a_warm_start_takes_the_run_with_the_same_seed():
    made = experiment("started", directory="runs/x-started-3")
    assert Path(made.training.start.init_from) == Path("runs/x-baseline-3")
    assert made.training.start.allow_missing == ["*/key_value/*"]
    assert experiment("started", init_from="elsewhere", directory="anywhere").training.start.init_from == "elsewhere"
    with pytest.raises(UserError, match=r"name the folders \.\.\.started-3.*Received: anywhere"):
        experiment("started", directory="anywhere")


def test_wrong_arguments_of_a_recipe_are_named():
    for arguments, message in (
        (
            {"configuration": "gold"},
            "must be one of started, baseline, fusion, matched. Received: configuration='gold'",
        ),
        ({"configuration": "+"}, "must be one of started, baseline, fusion, matched. Received: configuration=''"),
        ({"configuration": "fusion+baseline+fusion"}, "must name fusion once. Received: configuration='fusion"),
        ({"source": "xx"}, "one of de, en, fr. Received: source='xx'"),
        ({"source": "en"}, "Source and target must differ. Received: en and en"),
        ({"speed": 9}, "no such settings.*Received: speed"),
        ({"autoencoding": True}, "This configuration has one direction. Received: autoencoding=True"),
        ({"model": "fusion"}, "`model` must be settings by name.*Received: model='fusion'"),
        ({"configuration": "matched", "model": {"gold": 1}}, "gold"),
        ({"model": {"architecture": ["x"]}}, r"Received: model.architecture=\['x'\]"),
    ):
        with pytest.raises(UserError, match=message):
            experiment(**{"configuration": "baseline", **arguments})
    many = recipe(configurations={**CONFIGURATIONS, **{f"arm_{number}": {} for number in range(9)}})
    with pytest.raises(UserError, match="one that is known; the nearest is `fusion`. Received: configuration='fusoin'"):
        experiment("fusoin", of=many)


def test_a_recipe_that_cannot_work_is_an_error():
    for changes, message in (
        ({"baseline": "baseline+gold"}, "Received: configuration='gold'"),
        ({"corpora": {"train": "train"}}, r"Received: corpora=\['train'\]"),
        ({"corpora": {"train": "a", "dev": "b", "valid": "c"}}, "Received: corpora=.*valid"),
        ({"configurations": {"baseline": {}, "a": {"matched_to": "gold"}}}, "Received: configuration='gold'"),
        ({"configurations": {"baseline": {"start_from": "baseline"}}}, "Received: start_from='baseline' of baseline"),
        ({"modifiers": {"fast": {}, "fusion": {}}}, "must have different names. Received: fusion"),
        (
            {"configurations": {"baseline": {}, "a": {"matched_to": "b"}, "b": {"matched_to": "baseline"}}},
            "must name another configuration.*Received: matched_to='b' of a",
        ),
    ):
        with pytest.raises(UserError, match=message):
            recipe(**changes)


def test_list_shows_the_settings_that_each_configuration_changes():
    gated = LayerSpec(GatedFeedForward, activation="gelu")  # a mechanism as an object
    own = {**CONFIGURATIONS, "gated": {"model": {"feed_forward": gated}}}
    lines = run("list", of=recipe(configurations=own, modifiers={"fast": {"warmup_steps": 1}})).output.splitlines()
    assert lines[0] == 'started   shortcuts="fusion", start_from="baseline", allow_missing=["*/key_value/*"]'
    assert lines[1] == "baseline  the shared settings"
    assert 'feed_forward={"class_name": "keras_nmt>GatedFeedForward"' in lines[4]
    assert lines[5:8] == ["", "To be joined to configurations by +:", "fast      warmup_steps=1"]
    assert "vocabulary_size=500" in lines[9]
    assert lines[10] == "Where they are compared: dropout=0.1, max_updates=5"


def test_train_gives_its_options_to_the_experiment(monkeypatch):
    made = []
    monkeypatch.setattr("keras_nmt.experiments.run", lambda self: made.append(self) or {})
    flags = (
        "--data-dir data --source fr --target de --seed 4 --dtype mixed_bfloat16 --replicas 2 --accumulation-steps 3"
    )
    flags += " --jit-compile --max-updates 9 --time-limit 1.5 --init-from other --allow-missing a/* --allow-missing b/*"
    flags += " --batch-size 64 --no-export --set beam_size=6"
    run("train", "fusion", *flags.split(), "--set", 'model={"dropout": 0.5}')
    (one,) = made
    assert one.directory == Path("runs/mine-fr-de-fusion-4")
    expected = {
        **{"data.pairs": ["fr-de"], "training.update.seed": 4, "training.dtype": "mixed_bfloat16"},
        **{"training.replicas": 2, "training.update.accumulation_steps": 3, "training.update.jit_compile": True},
        **{"training.stop.max_updates": 9, "training.stop.time_limit": 1.5, "training.batch_size": 64},
        **{"training.start.init_from": Path("other"), "training.start.allow_missing": ["a/*", "b/*"]},
        "search.beam_size": 6,
    }
    assert {name: value_at(one, name) for name in expected} == expected
    assert one.model.arguments == {"dropout": 0.5, "attention_dropout": 0.1, "shortcuts": "fusion"}


def test_only_the_chief_exports(monkeypatch):
    monkeypatch.setattr("keras_nmt.experiments.run", lambda self: {})
    command, cluster = ["train", "fusion", "--data-dir", "data", "--output", "no such folder"], ["one:1", "two:1"]
    for index in (1, 0):
        task = {"cluster": {"worker": cluster}, "task": {"type": "worker", "index": index}}
        monkeypatch.setenv("TF_CONFIG", json.dumps(task))
        if index == 1:
            run(*command)
    with pytest.raises((UserError, OSError), match="no such folder"):
        run(*command)


@pytest.fixture
def comparisons(monkeypatch):
    """The comparisons that would have been run or shown."""
    made = {"compare": [], "write_table": []}
    for name, seen in made.items():
        monkeypatch.setattr(comparison, name, seen.append)
    monkeypatch.setattr("keras_nmt.experiments.comparison_table.show_tables", lambda summary: None)
    return made


def test_compare_trains_the_starts_of_warm_starts_first(comparisons):
    configurations = {name: CONFIGURATIONS[name] for name in ("started", "baseline", "fusion")}
    run("compare", "--data-dir", "data", "--seeds", "4,2", of=recipe(configurations=configurations))
    (made,) = comparisons["compare"]
    assert list(made.experiments) == ["baseline", "fusion", "started"]
    assert made.seeds == [4, 2]
    assert made.directory == Path("runs/mine-de-en-comparison")
    one = made.runs["started"][2]
    assert one.directory == Path("runs/mine-de-en-comparison/started-2")
    assert one.training.start.init_from == Path("runs/mine-de-en-comparison/baseline-2")
    assert one.model.arguments == {"dropout": 0.1, "attention_dropout": 0.1, "shortcuts": "fusion"}
    assert (one.training.stop.max_updates, one.training.update.seed) == (5, 2)


def test_compare_adds_a_baseline_to_the_named_configurations_and_passes_flags_on(comparisons):
    flags = "--seeds 1 --output here --max-updates 8 --dtype mixed_bfloat16 --replicas 2 --time-limit 1.5 --unequal"
    run("compare", "fusion", "--data-dir", "data", *flags.split(), "--table-only")
    assert comparisons["compare"] == []
    (one,) = comparisons["write_table"]
    assert list(one.experiments) == ["baseline", "fusion"]
    assert one.directory == Path("here")
    expected = {"dtype": "mixed_bfloat16", "replicas": 2, "stop.time_limit": 1.5, "stop.max_updates": 8}
    assert {name: value_at(one.runs["fusion"][1].training, name) for name in expected} == expected
    run("compare", "matched", "--baseline", "fusion", "--data-dir", "data", "--batch-size", 9)
    (other,) = comparisons["compare"]
    assert (list(other.experiments), other.baseline) == (["fusion", "matched"], "fusion")
    assert other.runs["fusion"][1].training.batch_size == 9
    assert (one.unequal, other.unequal) == (True, False)


def test_errors_of_compare_are_one_line(comparisons):
    configurations = {"baseline": {}, "big": {}, "warm": {"start_from": "big"}}
    with pytest.raises(UserError, match=r"from which others start: big \(for warm\)"):
        run("compare", "warm", "--data-dir", "data", of=recipe(configurations=configurations))
    with pytest.raises(UserError, match="Missing option --data-dir"):
        run("compare")
    for arguments, message in (
        (["--baseline", "gold"], "Received: configuration='gold'"),
        (["--seeds", "1,x"], "Received: 1,x"),
        (["--seeds", "1,1"], "no seed twice"),
        (["--set", "clip"], "--set must be NAME=VALUE"),
    ):
        with pytest.raises(UserError, match=message):
            run("compare", "--data-dir", "data", *arguments)
    assert parse_seeds("1,2, 30") == [1, 2, 30]


def test_settings_with_an_option_of_their_own_are_refused_by_set(comparisons, monkeypatch):
    monkeypatch.setattr("keras_nmt.experiments.run", lambda self: pytest.fail("It runs."))
    for name, train, compare in (
        ("seed", "--seed", "--seeds"),
        ("directory", "--output", "--output"),
        ("source", "--source", "--source"),
        ("data_dir", "--data-dir", "--data-dir"),
        ("leave_out", "--leave-out", "--leave-out"),
    ):
        for command, flag in ((["train", "fusion"], train), (["compare"], compare)):
            with pytest.raises(UserError, match=f"^Give `{name}` by {flag}, not by --set. Received: --set {name}=7$"):
                run(*command, "--data-dir", "data", "--set", f"{name}=7")
    assert comparisons["compare"] == []
    with pytest.raises(UserError, match="no such settings.*Received: configuration"):
        run("train", "fusion", "--data-dir", "data", "--set", "configuration=baseline")


def test_configurations_are_joined(comparisons):
    faster = recipe(modifiers={"fast": {"warmup_steps": 1}})
    made = experiment("fusion+started", of=faster)
    assert (made.model.arguments["shortcuts"], made.training.warmup_steps) == ("fusion", 30)
    assert experiment("fusion+fast", of=faster).training.warmup_steps == 1
    # The configuration that it starts from has the other parts, too.
    started = experiment("started+fast", of=faster, directory="runs/x-started+fast-3")
    assert Path(started.training.start.init_from) == Path("runs/x-baseline+fast-3")
    assert experiment("fast+fusion", of=faster).training.warmup_steps == 30
    # A comparison without names leaves modifiers out.
    run("compare", "--data-dir", "data", of=faster)
    run("compare", "fast", "fusion+fast", "--data-dir", "data", of=faster)
    assert [list(made.experiments) for made in comparisons["compare"]] == [
        ["baseline", "fusion", "matched", "started"],
        ["baseline", "fusion+fast", "fast"],
    ]


SEVERAL = {
    "settings": {
        **{"system": "many_to_many", "vocabulary_size": 300},
        "model": {"architecture": "attention_bridge", "hidden_dim": 16, "bridge_heads": 3, "bridge_hidden_dim": 8},
    },
    "configurations": {
        **{"many_to_many": {}, "hub": {"system": "hub"}, "bilingual": {"system": "bilingual"}},
        **{"autoencoding": {"autoencoding": True}, "no_bridge": {"model": {"bridge_heads": None}}},
        "label": {"model": {"architecture": "language_label"}},
        "transformer": {"model": {"architecture": "transformer", "shortcuts": "plain"}},
    },
    "baseline": "many_to_many",
    "comparison": {},
    "per_pair": {"max_updates": 100, "evaluation.every": 50},
}


def test_the_flag_counts_more_than_configurations_and_comparisons_more_than_the_recipe(comparisons):
    own = {**SEVERAL["configurations"], "hub": {"system": "hub", "training": {"stop": {"max_updates": 3}}}}
    given = recipe(**{**SEVERAL, "configurations": own, "comparison": {"max_updates": 7}})
    assert experiment("hub", of=given).training.stop.max_updates == 3
    assert experiment("hub", of=given.with_updates_per_pair(5)).training.stop.max_updates == 20  # of four directions
    run("compare", "many_to_many", "--data-dir", "data", "--seeds", "1", "--updates-per-pair", "2", of=given)
    run("compare", "many_to_many", "--data-dir", "data", "--seeds", "1", of=given)
    with pytest.raises(UserError, match="Give --max-updates or --updates-per-pair. Received: --max-updates 9"):
        run("compare", "--data-dir", "data", "--updates-per-pair", "2", "--max-updates", "9", of=given)
    with pytest.raises(UserError, match="Give `unequal` by --unequal, not by --set"):
        run("compare", "--data-dir", "data", "--set", "unequal=true", of=given)
    found = [made.runs["many_to_many"][1] for made in comparisons["compare"]]
    assert [config.training.stop.max_updates for config in found] == [12, 7]
    assert [config.evaluation.every for config in found] == [300, 300]


def test_arguments_of_one_architecture_are_not_passed_to_another():
    label = experiment("label", of=recipe(**SEVERAL))
    assert (label.model.architecture, label.model.arguments) == ("language_label", {"hidden_dim": 16})
    frozen = {**SEVERAL, "settings": {"model": {"preset": "transformer_tiny", "frozen": ["a/*"]}}}
    other = experiment("label", of=recipe(**frozen))
    assert (other.model.preset, other.model.frozen) == ("transformer_tiny", ["a/*"])  # not arguments of a class
    plain = experiment("bilingual+transformer", of=recipe(**SEVERAL))
    assert plain.model.architecture == "transformer"
    assert plain.model.arguments == {"hidden_dim": 16, "shortcuts": "plain"}
    assert plain.data.pairs == ["de-en"]
    with pytest.raises(UserError, match="LanguageLabelModel has no such arguments.*Received: model.bridge_heads$"):
        experiment("label+no_bridge", of=recipe(**SEVERAL))


def test_configurations_of_several_languages_are_compared(comparisons):
    arguments = "compare hub hub+label --autoencoding --leave-out de-fr --data-dir data --seeds 1 --updates-per-pair 9"
    run(*arguments.split(), of=recipe(**SEVERAL))
    (made,) = comparisons["compare"]
    assert list(made.experiments) == ["many_to_many", "hub", "hub+label"]
    assert made.directory == Path("runs/mine-comparison")
    hub = made.runs["hub+label"][1]
    assert hub.data.pairs == ["de-de", "de-en", "en-de", "en-en"]
    assert (hub.training.stop.max_updates, hub.directory) == (36, Path("runs/mine-comparison/hub+label-1"))


def test_train_names_the_folder_by_its_choices(monkeypatch):
    made = []
    monkeypatch.setattr("keras_nmt.experiments.run", lambda self: made.append(Path(self.directory).name) or {})
    monkeypatch.setattr("keras_nmt.cli.recipe_app.export_run", lambda *_: made.append("exported"))
    several = "train hub+label --autoencoding --leave-out de-fr --seed 4 --data-dir data"
    for command in (several, "train bilingual --source en --target fr --data-dir data"):
        run(*command.split(), of=recipe(**SEVERAL))
    assert made == ["mine-hub+label-autoencoding-without-de-fr-4", "mine-en-fr-bilingual-1", "exported"]


@pytest.mark.slow
def test_a_run_is_exported_again_only_if_its_model_has_changed(trained, tmp_path):
    folder = shutil.copytree(trained, tmp_path / "run")
    assert [export_run(folder, folder / "export").name for _ in range(2)] == ["1", "1"]
    model = ModelDirectory(folder).load_model()
    model.trainable_weights[0].assign_add(model.trainable_weights[0])
    ModelDirectory(folder).save_weights(model)
    assert export_run(folder, folder / "export").name == "2"


def test_later_settings_take_precedence_however_they_are_written_and_inputs_stay():
    layers = [{"model": {"a": 1}, "x": 1}, {"x": 2}, {"model": {"b": 2}}, {"model": {"a": 3}}]
    assert merge_settings(*layers) == {"model.a": 3, "model.b": 2, "x": 2}
    assert layers[0] == {"model": {"a": 1}, "x": 1}
    by_name, changed = {"model": {"shortcuts": "plain"}}, {"model": {"shortcuts": {"sites": ["cross"]}}}
    assert merge_settings(by_name, changed) == {"model.shortcuts": {"kind": "plain", "sites": ["cross"]}}
    assert merge_settings(by_name, changed, {"model": {"shortcuts": None}}) == {"model.shortcuts": None}
    for one, other in (
        ({"training": {"stop": {"max_updates": 5}}}, {"training.stop.max_updates": 7}),
        ({"training": {"stop": {"max_updates": 5}}}, {"stop.max_updates": 7}),
        ({"stop": {"max_updates": 5}}, {"training.stop": {"max_updates": 7}}),
    ):
        assert merge_settings(one, other) == {"training.stop.max_updates": 7}
    for name, value in (("model.shortcuts.sites", ["self"]), ("model.shortcuts", {"sites": ["self"]})):
        assert merge_settings(by_name, {name: value}) == {"model.shortcuts": {"kind": "plain", "sites": ["self"]}}
    # A name without its section is told from others by its place, which must be that of the last mention.
    merged = merge_settings({"training": {"stop": {"max_updates": 5}}}, {"max_updates": 7}, {"training": {"clip": 1.0}})
    assert experiment("baseline", **merged).training.stop.max_updates == 7
    assert set(SECTIONS) == set(_section_names(ExperimentConfig))
