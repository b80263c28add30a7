"""`keras-nmt train` and `keras-nmt average`."""

from __future__ import annotations

import contextlib
import itertools
import json
import re
from pathlib import Path

import pytest
from digits import UPDATES

from keras_nmt.cli.app import app
from keras_nmt.data import text_digest
from keras_nmt.experiments import ExperimentConfig
from keras_nmt.files.settings import setting_names
from keras_nmt.layers import Composition, Roles, Shortcuts
from keras_nmt.models import ModelDirectory


def test_training_learns_and_reports(trained_run):
    directory, _, output = trained_run
    results = json.loads((directory / "results.json").read_text())
    (test,) = results["test"].values()
    assert test["bleu"]["score"] > 90
    assert results["updates"] == UPDATES
    settings = json.loads((directory / "settings.json").read_text())
    digests = {digest for digests in results["data"].values() for digest in digests}
    files = [path for part in ("train", "dev", "test") for path in settings["data"][part].values()]
    assert digests == set(map(text_digest, files))
    assert list(results["test"]) == ["digits-words"]
    for reported in ("1,500 pairs read", "tokens/s", "left", "parameters", "BLEU"):
        assert reported in output
    names = {path.name for path in directory.iterdir()}
    assert names >= {"config.json", "model.weights.h5", "subwords.model", "settings.json", "training_log.jsonl"}


def test_a_finished_run_is_reported_and_other_settings_are_refused(trained_run, keras_nmt):
    directory, command, _ = trained_run
    log = (directory / "training_log.jsonl").read_bytes()
    again = keras_nmt(*command, "--max-updates", UPDATES)
    assert again.returncode == 0
    assert "BLEU" in again.stdout.decode()
    assert (directory / "training_log.jsonl").read_bytes() == log
    other = keras_nmt(*command, "--max-updates", UPDATES, "--seed", 7)
    assert other.returncode == 2
    assert other.stderr.decode().count("\n") == 1
    assert "training.update.seed=7 (was 1)" in other.stderr.decode()


def test_set_passes_every_other_setting_to_the_run(trained_run, corpus, tmp_path, keras_nmt):
    directory = trained_run[0]
    base, more = tmp_path / "base", tmp_path / "more"
    sizes = {
        "hidden_dim": 32,
        "num_encoder_layers": 1,
        "num_decoder_layers": 1,
        "norm": "post",
        "tie_embeddings": False,
    }
    files = [corpus / f"{name}.{side}" for name in ("train", "dev") for side in ("digits", "words")]
    twice = json.dumps([{"digits": str(files[0]), "words": str(files[1])}] * 2)
    command = ["train", "--set", f"data.train={twice}", "--dev", *files[2:], "--max-updates", 2]
    of_model = ["--preset", "transformer_tiny", "--set", f"model={json.dumps(sizes)}"]
    for setting in (
        "joint_vocabulary=false",
        'vocabulary_size={"source": 24, "target": 27}',
        "sampling=0.2",
        "corpus_weights=[0.5, 2]",
        "model_type=unigram",
        'user_symbols=["<2en>"]',
        "optimizer=adamw",
        "weight_decay=0.01",
        "clip=1.0",
        "accumulation_steps=2",
        "normalize_by=sentences",
        "tensorboard=true",
        "length_buckets=[40]",
    ):
        command += ["--set", setting]
    run = keras_nmt(*command, *of_model, "--directory", base)
    assert run.returncode == 0, run.stderr.decode()
    assert (base / "subwords.source.model").read_bytes() != (base / "subwords.target.model").read_bytes()
    assert any((base / "tensorboard").iterdir())
    settings = json.loads((base / "settings.json").read_text())
    assert settings["subwords"]["model_type"] == "unigram"
    assert run.stdout.decode().count("1,500 pairs read") == 2
    sizes = ModelDirectory(base).load_config()["model"]["config"]
    assert (sizes["source_vocabulary_size"], sizes["target_vocabulary_size"]) == (24, 27)

    # Warm start: the same subwords and sizes, every weight taken.
    warm = keras_nmt(*command, "--directory", more, "--init-from", base)
    assert warm.returncode == 0, warm.stderr.decode()
    assert (more / "subwords.source.model").read_bytes() == (base / "subwords.source.model").read_bytes()
    base.rename(tmp_path / "elsewhere")
    again = keras_nmt(*command, "--directory", more, "--init-from", base)  # the run has its start behind it
    assert again.returncode == 0, again.stderr.decode()
    misfit = keras_nmt(*command, *of_model, "--directory", tmp_path / "misfit", "--init-from", directory)
    assert misfit.returncode == 2
    assert misfit.stderr.decode().startswith("Error: ")


def test_list_settings_shows_each_setting_once_with_its_default_and_description(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "60")
    app(["train", "--list-settings"], standalone_mode=False)
    text = capsys.readouterr().out
    shown = re.findall(r"^  ([\w.]+) = (.+)\n((?:      .+\n)+)", text, re.MULTILINE)
    assert [name for name, _, _ in shown] == list(setting_names(ExperimentConfig))
    found = {name: (default, " ".join(text.split())) for name, default, text in shown}
    assert found["directory"] == ("needed", "The model directory to make.")
    assert found["data.train"][0] == "needed"
    assert found["training.update.seed"][0] == "1"  # of experiments, whatever the trainer's default
    assert found["data.max_length"][0] == "256"
    assert found["evaluation.dev_metrics"][0] == '["bleu", "chrf"]'
    assert all(description.endswith(".") for _, description in found.values())
    assert all(len(line) <= 60 for line in text.splitlines() if line.startswith("      "))


@pytest.mark.parametrize("width", [60, 80, 100])
def test_help_is_wrapped_at_the_width_of_the_terminal(monkeypatch, capsys, width):
    """No line ends where the next word would fit."""
    monkeypatch.setenv("COLUMNS", str(width))
    for command in ("train", "translate", "evaluate", "info"):
        with contextlib.suppress(SystemExit):
            app([command, "--help"], standalone_mode=False)
        head = capsys.readouterr().out.split("╭")[0].strip("\n")
        for paragraph in re.split(r"\n *\n", head):
            lines = [line.strip() for line in paragraph.strip().splitlines()]
            for line, following in itertools.pairwise(lines):
                assert len(line) + 1 + len(following.split()[0]) > width - 4, (command, line)


@pytest.mark.nightly
def test_a_dry_run_trains_nothing(corpus, tmp_path, monkeypatch, capfd):
    monkeypatch.setattr("keras_nmt.experiments.run", lambda self, **_: pytest.fail("a training"))
    sides = [corpus / f"dev.{side}" for side in ("digits", "words")]
    command = [
        "train",
        "--directory",
        tmp_path / "run",
        "--train",
        *sides,
        "--dev",
        *sides,
        "--preset",
        "transformer_tiny",
    ]
    command += ["--max-updates", 9, "--set", "vocabulary_size=30", "--set", "warmup_steps=2", "--dry-run"]
    app([*map(str, command)], standalone_mode=False)
    assert "Peak memory" in capfd.readouterr().out
    assert not (tmp_path / "run").exists()


def test_options_take_precedence_over_set_and_set_over_a_file(tmp_path, monkeypatch):
    made = []
    monkeypatch.setattr("keras_nmt.experiments.run", lambda self, **_: made.append(self))
    files = {"languages": ["a", "b"], "pairs": ["a-b"], "train": "t.{language}", "dev": "d.{language}"}
    old = {"directory": "old", **files, "max_updates": 1, "batch_size": 7, "seed": 3, "clip": 1.0}
    old["model"] = {"shortcuts": "plain", "dropout": 0.3}
    (tmp_path / "settings.json").write_text(json.dumps(old))
    flags = "--directory new --seed 4 --dtype mixed_bfloat16 --replicas 2 --time-limit 1.5 --batch-size 8"
    flags += " --preset transformer_tiny --shortcuts fusion --set seed=9 --set clip=2.0"
    app(["train", "--settings", str(tmp_path / "settings.json"), *flags.split()], standalone_mode=False)
    (one,) = made
    training = one.training
    assert (Path(one.directory), training.update.seed, training.clip, training.batch_size) == (Path("new"), 4, 2.0, 8)
    assert (training.dtype, training.replicas, training.stop.time_limit) == ("mixed_bfloat16", 2, 1.5)
    assert one.model.preset == "transformer_tiny"
    assert one.model.arguments == {"shortcuts": "fusion", "dropout": 0.3}


def test_files_of_options_are_those_of_the_languages_that_their_names_end_with(tmp_path, monkeypatch):
    made = []
    monkeypatch.setattr("keras_nmt.experiments.run", lambda self, **_: made.append(self.data))
    settings = tmp_path / "settings.json"
    data = {"languages": ["de", "en"], "pairs": ["en-de"], "train": "t.{language}", "dev": "d.{language}"}
    settings.write_text(json.dumps({"directory": "new", "data": data, "max_updates": 1}))
    command = ["train", "--settings", str(settings)]
    for more in (
        ["--train", "a.en", "a.de"],
        ["--train", "a", "b"],
        ["--train", "a.en", "a.de", "--set", "train=other"],
    ):
        app([*command, *more], standalone_mode=False)
    assert [one.pairs for one in made] == [["en-de"]] * 3
    assert made[0].train == made[2].train == {"en": Path("a.en"), "de": Path("a.de")}
    assert made[1].train == {"en": Path("a"), "de": Path("b")}  # source and target of the one pair
    assert made[0].dev == "d.{language}"
    app(
        ["train", "--directory", "x", "--max-updates", "1", "--train", "a.txt", "b.txt", "--dev", "c.txt", "d.txt"],
        standalone_mode=False,
    )
    assert (made[3].languages, made[3].pairs) == (["source", "target"], ["source-target"])
    assert made[3].dev == {"source": Path("c.txt"), "target": Path("d.txt")}


def test_files_in_the_other_order_are_refused(tmp_path, error_line):
    command = ["train", "--directory", tmp_path / "new", "--max-updates", 1, "--train", "a.en", "a.de"]
    message = error_line(*command, "--dev", "b.de", "b.en")
    assert "--dev must name the files of en and de in this order" in message
    assert message.endswith("Received: --dev b.de b.en\n")
    compressed = [*command[:-2], "a.en.zst", "a.de.gz"]
    assert "--dev must name the files of en and de" in error_line(*compressed, "--dev", "b.de.zst", "b.en.zst")
    settings = tmp_path / "settings.json"
    settings.write_text(json.dumps({"data": {"languages": ["de", "en"]}}))
    assert "--test must name" in error_line(
        *command, "--settings", settings, "--dev", "c", "d", "--test", "b.de", "b.en"
    )
    settings.write_text(json.dumps({"data": {"languages": ["de", "en"], "pairs": ["de-en"]}}))
    assert "--train must name the files of de and en" in error_line(*command, "--settings", settings)


def test_set_reaches_the_arguments_of_an_argument_in_a_file_and_below_a_name(tmp_path, monkeypatch, error_line):
    made = []
    monkeypatch.setattr("keras_nmt.experiments.run", lambda self, **_: made.append(self))
    data = {"languages": ["de", "en"], "pairs": ["de-en"], "train": "f.{language}", "dev": "f.{language}"}
    model = {"shortcuts": "plain", "roles": {"kind": "dense", "num_roles": 8}, "dropout": 0.3}
    settings = tmp_path / "settings.json"
    settings.write_text(json.dumps({"directory": "new", "data": data, "max_updates": 1, "model": model}))
    command = ["train", "--settings", str(settings), "--preset", "transformer_tiny"]
    changes = [
        'model.shortcuts.sites=["self", "cross"]',
        "model.layer_composition=extended",
        "model.layer_composition.rank=64",
        "model.roles.kind=softmax",
    ]
    app([*command, *(part for change in changes for part in ("--set", change))], standalone_mode=False)
    assert made[0].model.arguments == {
        "dropout": 0.3,
        "shortcuts": {"kind": "plain", "sites": ["self", "cross"]},
        "layer_composition": {"kind": "extended", "rank": 64},
        "roles": {"kind": "softmax", "num_roles": 8},
    }
    assert "must have arguments to change. Received: 0.3" in error_line(*command, "--set", "model.dropout.x=1")


def test_the_list_of_settings_has_the_arguments_of_each_mechanism(capsys):
    app(["train", "--list-settings"], standalone_mode=False)
    shown = capsys.readouterr().out
    for mechanism in (Shortcuts, Composition, Roles):
        for argument in mechanism.arguments():
            assert f"\n    {argument.name} = " in shown
    assert "  Arguments of `model.head_composition`\n    kind = needed" in shown


def test_unequal_training_files_are_refused_before_any_work(corpus, tmp_path, error_line):
    short = tmp_path / "short.words"
    short.write_text("zero\n")
    files = ["--train", corpus / "train.digits", short, "--dev", corpus / "dev.digits", corpus / "dev.words"]
    error = error_line("train", "--directory", tmp_path / "run", *files, "--max-updates", 2)
    assert "1,500" in error or "1500" in error
    assert not list((tmp_path / "run").glob("subwords*"))


def test_average_writes_the_mean_and_refuses_more_checkpoints_than_exist(trained, tmp_path, keras_nmt, error_line):
    output = tmp_path / "mean.weights.h5"
    run = keras_nmt("average", trained, "--last", 2, "--output", output)
    assert run.stdout.decode() == f"Averaged updates {UPDATES - 50}, {UPDATES}\n"
    assert ModelDirectory(trained).load_model(weights=output).count_params() > 0
    assert "50" in error_line("average", trained, "--last", 50, "--output", output)


def test_average_says_that_the_scores_are_of_the_old_weights(tmp_path, monkeypatch):
    monkeypatch.setattr("keras_nmt.training.average_checkpoints", lambda directory, **_: [1, 2])
    command = ["average", str(tmp_path), "--last", "2"]
    app(command, standalone_mode=False)
    (tmp_path / "results.json").write_text("{}")
    with pytest.warns(UserWarning, match="results.json has the scores of the old weights"):
        app(command, standalone_mode=False)


@pytest.mark.parametrize("which", ["last", "best"])
def test_average_takes_the_named_checkpoints(which, monkeypatch):
    seen = {}
    monkeypatch.setattr("keras_nmt.training.average_checkpoints", lambda *_, **given: seen.update(given) or [1])
    app(["average", "d", f"--{which}", "3"], standalone_mode=False)
    assert (seen["which"], seen["number"]) == (which, 3)
