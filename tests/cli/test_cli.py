"""The whole way by the command line, from training to export, on a task learnt in a minute."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
import tensorflow as tf
import tensorflow_text  # noqa: F401  registers the operators of the export

from keras_nmt.cli.app import app, run_app
from keras_nmt.data import text_digest
from keras_nmt.experiments.experiment import Experiment
from keras_nmt.inference.load import LoadedModel
from keras_nmt.models import ModelDirectory

WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
UPDATES = 800


@pytest.fixture(scope="session")
def keras_nmt(run_python):
    """Runs `keras-nmt` in a process of its own, as a user does."""

    def run(*arguments, stdin=""):
        code = "from keras_nmt.cli.app import main; main()"
        return run_python("-c", code, *arguments, stdin=stdin.encode(), PYTHONPATH=os.pathsep.join(sys.path))

    return run


def _write(folder: Path, name: str, lines: list[str]) -> Path:
    path = folder / name
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """Digits to words: as in `3 0 7` to `three zero seven`."""
    folder = tmp_path_factory.mktemp("digits")
    generator = random.Random(1)
    seen = set()
    while len(seen) < 1600:
        seen.add(tuple(generator.choices(range(10), k=generator.randint(2, 6))))
    lines = sorted(seen)
    generator.shuffle(lines)
    for name, part in (("train", lines[:1500]), ("dev", lines[1500:1550]), ("test", lines[1550:])):
        _write(folder, f"{name}.digits", [" ".join(map(str, line)) for line in part])
        _write(folder, f"{name}.words", [" ".join(WORDS[digit] for digit in line) for line in part])
    return folder


@pytest.fixture(scope="module")
def trained(corpus, tmp_path_factory, keras_nmt):
    directory = tmp_path_factory.mktemp("runs") / "digits"
    files = [corpus / f"{name}.{side}" for name in ("train", "dev", "test") for side in ("digits", "words")]
    command = ["train", "--directory", directory, "--train", *files[:2], "--dev", *files[2:4], "--test", *files[4:]]
    command += ["--preset", "transformer_tiny", "--shortcuts", "plain", "--vocabulary-size", 52, "--batch-size", 512]
    sizes = {"hidden_dim": 32, "intermediate_dim": 64, "dropout": 0.0, "num_encoder_layers": 1, "num_decoder_layers": 1}
    for setting in (
        f"model={json.dumps(sizes)}",
        "schedule=inverse_square_root",
        "learning_rate=0.01",
        "warmup_steps=50",
        f"evaluate_every={UPDATES // 2}",
        "save_every=50",
    ):
        command += ["--set", setting]
    run = keras_nmt(*command, "--max-updates", UPDATES)
    assert run.returncode == 0, run.stderr.decode()
    return directory, command, run


def test_training_learns_and_tells(trained):
    directory, _, run = trained
    results = json.loads((directory / "results.json").read_text())
    assert results["test"]["bleu"]["score"] > 90
    assert results["updates"] == UPDATES
    settings = json.loads((directory / "settings.json").read_text())
    assert set(results["data"]) == {name for name in settings if name.endswith(("_source", "_target"))}
    assert all(results["data"][name] == [text_digest(settings[name])] for name in results["data"])
    output = run.stdout.decode()
    for told in ("1,500 pairs read", "tokens/s", "left", "parameters", "test BLEU"):
        assert told in output
    names = {path.name for path in directory.iterdir()}
    assert names >= {"config.json", "model.weights.h5", "subwords.model", "settings.json", "training_log.jsonl"}


def test_the_same_command_goes_on_and_another_one_is_refused(trained, keras_nmt):
    directory, command, _ = trained
    again = keras_nmt(*command, "--max-updates", UPDATES)
    assert again.returncode == 0
    assert f"Going on from update {UPDATES}" in again.stdout.decode()
    other = keras_nmt(*command, "--max-updates", UPDATES, "--seed", 7)
    assert other.returncode == 2
    assert other.stderr.decode().count("\n") == 1
    assert "seed=7 (was 1)" in other.stderr.decode()


def test_translate_keeps_lines_in_order_and_empty_ones_empty(trained, keras_nmt):
    directory, *_ = trained
    run = keras_nmt("translate", directory, stdin="3 0 7\n\n1 2\r\n")
    assert run.stdout.decode().split("\n") == ["three zero seven", "", "one two", ""]
    best = keras_nmt("translate", directory, "--n-best", 2, "--scores", "--xla", stdin="3 0 7\n").stdout.decode()
    (score, text), (other_score, _) = (line.split("\t") for line in best.splitlines())
    assert text == "three zero seven"
    assert 0 >= float(score) >= float(other_score)


def test_evaluate_and_score_agree_with_translate(trained, corpus, tmp_path, keras_nmt):
    directory, *_ = trained
    sources, references = corpus / "test.digits", corpus / "test.words"
    run = keras_nmt("evaluate", references, "--directory", directory, "--source", sources)
    reported = json.loads((directory / "results.json").read_text())["test"]["bleu"]
    assert f"BLEU|{reported['signature']} = {reported['score']:.2f}" in run.stdout.decode()

    worse = references.read_text().splitlines()
    worse[::2] = ["zero"] * len(worse[::2])
    baseline = _write(tmp_path, "worse.txt", worse)
    compared = keras_nmt("evaluate", references, "--hypotheses", references, "--baseline", baseline).stdout.decode()
    assert "100.00" in compared
    assert "p = 0.00" in compared

    right = [float(line) for line in keras_nmt("score", directory, sources, references).stdout.split()]
    wrong = [float(line) for line in keras_nmt("score", directory, sources, baseline).stdout.split()]
    assert len(right) == 50
    assert all(one > other for one, other in zip(right[::2], wrong[::2], strict=True))
    assert right[1::2] == wrong[1::2]


def test_export_translates_as_the_directory_does(trained, tmp_path, keras_nmt):
    directory, *_ = trained
    warmup = _write(tmp_path, "warmup", ["3 0 7", "1 2"])
    run = keras_nmt("export", directory, tmp_path / "served", "--beam-size", 2, "--warmup", warmup)
    assert run.stdout.decode().strip() == str(tmp_path / "served" / "1")
    served = tf.saved_model.load(str(tmp_path / "served" / "1")).signatures["serving_default"]
    assert served(text=tf.constant(["3 0 7", ""]))["translation"].numpy().tolist() == [b"three zero seven", b""]
    records = tmp_path / "served" / "1" / "assets.extra" / "tf_serving_warmup_requests"
    assert len(list(tf.data.TFRecordDataset(str(records)))) == 4  # batch buckets


def test_average_and_info(trained, tmp_path, keras_nmt):
    directory, *_ = trained
    output = tmp_path / "mean.weights.h5"
    run = keras_nmt("average", directory, "--last", 2, "--output", output)
    assert run.stdout.decode() == f"Averaged updates {UPDATES - 50}, {UPDATES}\n"
    assert ModelDirectory(directory).load_model(weights=output).count_params() > 0
    shown = keras_nmt("info", directory).stdout.decode()
    assert f"{ModelDirectory(directory).load_model().count_params():,}" in shown
    assert "shortcuts" in shown


def test_every_other_setting_reaches_the_run(trained, corpus, tmp_path, keras_nmt):
    directory, *_ = trained
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
    command += ["--preset", "transformer_tiny", "--vocabulary-size", 24, "--set", f"model={json.dumps(sizes)}"]
    for setting in (
        "joint_vocabulary=false",
        "target_vocabulary_size=27",
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
        "jit_compile=true",
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


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["translate", "nowhere"], "No model directory"),
        (["train"], "no directory"),
        (
            ["train", "--shortcuts", "fuison", "--directory", "x"],
            "--shortcuts is none, plain or fusion. Received: fuison",
        ),
        (["train", "--set", "speed"], "--set takes NAME=VALUE"),
        (["train", "--set", "speed=9", "--directory", "x"], "no such settings"),
        (["train", "--settings", "nowhere.json"], "nowhere.json"),
        (["evaluate", "reference.txt"], "Give --hypotheses, or --directory with --source"),
        (["evaluate", "nowhere.txt", "--hypotheses", "nowhere.txt"], "nowhere.txt"),
        (["average", "nowhere"], "Give --last N or --best N"),
        (["average", "nowhere", "--last", "2"], "nowhere"),
        (["info", "nowhere"], "No model directory"),
        (["export", "nowhere", "out"], "No model directory"),
        (["export", "nowhere", "out", "--warmup", "lines.txt"], "lines.txt"),
        (["export", "nowhere", "out", "--warmup-xla"], "goes with --warmup FILE"),
        (["score", "nowhere", "a", "b"], "a"),
        (["translate"], "DIRECTORY"),
        (["info", "nowhere", "--loud"], "--loud"),
        (["train", "--max-updates", "many"], "--max-updates"),
        (["evaluate", "a", "--hypotheses", "b", "--beam-size", "2"], "go with --directory"),
    ],
)
def test_errors_are_one_line(arguments, told, error_line, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert told in error_line(*arguments)


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("OOM when allocating\n  tensor", "Memory does not suffice: make batches, beam or model smaller. Received: "),
        ("variables/x;\nNo space left on device", "The disk is full: make room. Received: variables/x; No space left"),
    ],
)
def test_too_little_memory_or_disk_is_one_line(monkeypatch, capsys, message, told):
    monkeypatch.setattr(sys, "argv", ["command"])

    def command() -> None:
        raise tf.errors.ResourceExhaustedError(None, None, message)

    with pytest.raises(SystemExit) as left:
        run_app(command)
    assert left.value.code == 2
    line = capsys.readouterr().err
    assert line.startswith(f"Error: {told}")
    assert line.endswith("\n")
    assert line.count("\n") == 1


def test_invalid_input_names_the_line(trained, tmp_path):
    directory, *_ = trained
    run = subprocess.run(
        [sys.executable, "-c", "from keras_nmt.cli.app import main; main()", "translate", str(directory)],
        input=b"1 2\n\xff\xfe\n",
        capture_output=True,
        check=False,
    )
    assert run.returncode == 2
    assert b"Standard input, line 2, is no UTF-8" in run.stderr


def test_every_command_has_help():
    from typer.testing import CliRunner

    for command in ("train", "translate", "score", "evaluate", "export", "serve", "average", "info"):
        result = CliRunner().invoke(app, [command, "--help"])
        assert result.exit_code == 0
        assert "Usage" in result.output


def test_options_win_over_set_and_set_over_a_file(tmp_path, monkeypatch):
    made = []
    monkeypatch.setattr(Experiment, "run", lambda self: made.append(self))
    files = {f"{name}_{side}": "f" for name in ("train", "dev") for side in ("source", "target")}
    old = {"directory": "old", **files, "max_updates": 1, "batch_size": 7, "seed": 3, "clip": 1.0}
    old["model"] = {"shortcuts": "plain", "dropout": 0.3}
    (tmp_path / "settings.json").write_text(json.dumps(old))
    flags = "--directory new --seed 4 --dtype mixed_bfloat16 --replicas 2 --time-limit 1.5 --batch-size 8"
    flags += " --preset transformer_tiny --shortcuts fusion --set seed=9 --set clip=2.0"
    app(["train", "--settings", str(tmp_path / "settings.json"), *flags.split()], standalone_mode=False)
    (one,) = made
    assert (one.directory, one.seed, one.clip, one.batch_size) == (Path("new"), 4, 2.0, 8)
    assert (one.dtype, one.replicas, one.time_limit, one.preset) == ("mixed_bfloat16", 2, 1.5, "transformer_tiny")
    assert one.model == {"shortcuts": "fusion", "dropout": 0.3}


@pytest.mark.parametrize("command", ["translate d", "evaluate TEXT --directory d --source TEXT", "export d out"])
def test_options_of_the_search_reach_it(command, tmp_path, monkeypatch):
    class Reached(Exception):
        pass

    seen = {}

    def reached(*_, **options):
        seen.update(options)
        raise Reached

    def loaded(_, **options):
        seen.update(options)
        return LoadedModel(None, {}, {})

    monkeypatch.setattr("keras_nmt.inference.Translator.from_directory", reached)
    monkeypatch.setattr("keras_nmt.serving.export", reached)
    monkeypatch.setattr("keras_nmt.inference.load.load", loaded)
    (tmp_path / "text").write_text("a\n")
    flags = {"beam_size": 7, "length_penalty": 0.5, "weights": Path("w.weights.h5")}
    if not command.startswith("evaluate"):
        flags |= {"coverage_penalty": 0.1, "n_best": 2}
    if command.startswith("export"):
        flags |= {"quantize": "int8", "max_length": 9, "version": 4}
    given = [str(x) for name, value in flags.items() for x in ("--" + name.replace("_", "-"), value)]
    with pytest.raises(Reached):
        app([*command.replace("TEXT", str(tmp_path / "text")).split(), *given], standalone_mode=False)
    expected = {"num_hypotheses" if name == "n_best" else name: value for name, value in flags.items()}
    assert {name: seen[name] for name in expected} == expected


@pytest.mark.parametrize("which", ["last", "best"])
def test_average_takes_the_ones_asked_for(which, monkeypatch):
    seen = {}
    monkeypatch.setattr("keras_nmt.training.average_checkpoints", lambda *_, **given: seen.update(given) or [1])
    app(["average", "d", f"--{which}", "3"], standalone_mode=False)
    assert (seen["which"], seen["number"]) == (which, 3)


def test_the_end_of_a_file_is_no_interruption(monkeypatch):
    def command() -> None:
        raise EOFError("Compressed file ended")

    monkeypatch.setattr("sys.argv", ["command"])
    with pytest.raises(EOFError, match="Compressed"):
        run_app(command)
