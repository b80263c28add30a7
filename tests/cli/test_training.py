"""`keras-nmt train` and `keras-nmt average`."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import json
import re
from pathlib import Path

import pytest
from digits import UPDATES

from keras_nmt.cli.app import app
from keras_nmt.data import text_digest
from keras_nmt.experiments import Experiment
from keras_nmt.models import ModelDirectory


def test_training_learns_and_reports(trained_run):
    directory, _, output = trained_run
    results = json.loads((directory / "results.json").read_text())
    (test,) = results["test"].values()
    assert test["bleu"]["score"] > 90
    assert results["updates"] == UPDATES
    settings = json.loads((directory / "settings.json").read_text())
    digests = {digest for digests in results["data"].values() for digest in digests}
    assert digests == {text_digest(path) for name, path in settings.items() if name.endswith(("_source", "_target"))}
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
    assert "seed=7 (was 1)" in other.stderr.decode()


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
    twice = [json.dumps([str(file)] * 2) for file in files[:2]]
    command = ["train", "--set", f"train_source={twice[0]}", "--set", f"train_target={twice[1]}"]
    command += ["--dev", *files[2:], "--max-updates", 2]
    command += ["--preset", "transformer_tiny", "--set", f"model={json.dumps(sizes)}"]
    for setting in (
        "joint_vocabulary=false",
        'vocabulary_size={"source": 24, "target": 27}',
        "subword_sampling=0.2",
        "corpus_weights=[0.5, 2]",
        "subword_model=unigram",
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
    run = keras_nmt(*command, "--directory", base)
    assert run.returncode == 0, run.stderr.decode()
    assert (base / "subwords.source.model").read_bytes() != (base / "subwords.target.model").read_bytes()
    assert any((base / "tensorboard").iterdir())
    settings = json.loads((base / "settings.json").read_text())
    assert settings["subword_model"] == "unigram"
    assert run.stdout.decode().count("1,500 pairs read") == 2
    sizes = ModelDirectory(base).load_config()["model"]["config"]
    assert (sizes["source_vocabulary_size"], sizes["target_vocabulary_size"]) == (24, 27)

    # Warm start: the same subwords, every weight taken.
    warm = keras_nmt(*command, "--directory", more, "--init-from", base)
    assert warm.returncode == 0, warm.stderr.decode()
    assert (more / "subwords.source.model").read_bytes() == (base / "subwords.source.model").read_bytes()
    misfit = keras_nmt(*command, "--directory", tmp_path / "misfit", "--init-from", directory)
    assert misfit.returncode == 2
    assert misfit.stderr.decode().startswith("Error: ")


def test_list_settings_shows_each_setting_once_with_its_default_and_description(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "60")
    app(["train", "--list-settings"], standalone_mode=False)
    text = capsys.readouterr().out
    settings = {field.name: field for field in dataclasses.fields(Experiment)}
    shown = re.findall(r"^  (\w+) = (.+)\n((?:      .+\n)+)", text, re.MULTILINE)
    assert [name for name, _, _ in shown] == list(settings)
    found = {name: (default, " ".join(text.split())) for name, default, text in shown}
    assert found["directory"] == ("needed", "Path, the model directory to make.")
    assert found["seed"] == ("1", "Int, determines initial weights, data order and dropout. Defaults to 1.")
    assert found["dev_metrics"][0] == '["bleu", "chrf"]'
    assert found["model"][0] == "{}"
    for name, (default, description) in found.items():
        value = settings[name].default
        if default != "needed" and value is not dataclasses.MISSING:
            assert tuple(json.loads(default)) == value if isinstance(value, tuple) else json.loads(default) == value
        assert description in " ".join(Experiment.__doc__.split())
        assert description.endswith(".")
    groups = re.findall(r"^\w.*$", text, re.MULTILINE)[:-1]
    assert groups == list(Experiment.GROUPS.values())
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
    files = {f"{name}_{side}": "f" for name in ("train", "dev") for side in ("source", "target")}
    old = {"directory": "old", **files, "max_updates": 1, "batch_size": 7, "seed": 3, "clip": 1.0}
    old["model"] = {"shortcuts": "plain", "dropout": 0.3}
    (tmp_path / "settings.json").write_text(json.dumps(old))
    flags = "--directory new --seed 4 --dtype mixed_bfloat16 --replicas 2 --time-limit 1.5 --batch-size 8"
    flags += " --preset transformer_tiny --shortcuts fusion --set seed=9 --set clip=2.0"
    app(["train", "--settings", str(tmp_path / "settings.json"), *flags.split()], standalone_mode=False)
    (one,) = made
    assert (Path(one.directory), one.seed, one.clip, one.batch_size) == (Path("new"), 4, 2.0, 8)
    assert (one.dtype, one.replicas, one.time_limit, one.preset) == ("mixed_bfloat16", 2, 1.5, "transformer_tiny")
    assert one.model == {"shortcuts": "fusion", "dropout": 0.3}


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


@pytest.mark.parametrize("which", ["last", "best"])
def test_average_takes_the_named_checkpoints(which, monkeypatch):
    seen = {}
    monkeypatch.setattr("keras_nmt.training.average_checkpoints", lambda *_, **given: seen.update(given) or [1])
    app(["average", "d", f"--{which}", "3"], standalone_mode=False)
    assert (seen["which"], seen["number"]) == (which, 3)
