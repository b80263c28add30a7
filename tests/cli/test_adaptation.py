"""`extend-vocabulary`, and adapters with `train`, `translate`, `score` and `export`."""

from __future__ import annotations

import shutil

import pytest
import tensorflow as tf
import tensorflow_text  # noqa: F401  registers the operators of the export
from digits import write_lines

from keras_nmt.models import ModelDirectory

LINES = ["3 0 7", "1 2", "9 9 4"]


@pytest.fixture(scope="module")
def adapted(trained, tmp_path_factory, keras_nmt):
    """An adapter of the trained model that has learnt something else: to write digits as they are."""
    folder = tmp_path_factory.mktemp("adapted")
    same = write_lines(folder, "same", [" ".join(f"{i:03}") for i in range(200)])
    files = ["--train", same, same, "--dev", same, same]
    limits = [
        "--max-updates",
        60,
        "--set",
        "evaluation.every=60",
        "--set",
        "dev_sentences=4",
        "--set",
        "schedule=constant",
    ]
    options = ["--settings", trained / "settings.json", "--directory", folder / "run", "--init-from", trained]
    options += ["--set", 'lora={"rank": 8, "patterns": ["*"]}', "--set", "learning_rate=0.01", *limits, *files]
    options += ["--set", "test=null"]
    run = keras_nmt("train", *options)
    assert run.returncode == 0, run.stderr.decode()
    return folder / "run"


def test_an_adapter_is_chosen_when_translating_and_merged_at_export(trained, adapted, tmp_path, keras_nmt):
    stdin = "\n".join([*LINES, ""])
    base, own, merged = (
        keras_nmt("translate", *arguments, stdin=stdin).stdout.decode().splitlines()
        for arguments in ([trained], [trained, "--adapter", adapted / "adapter.weights.h5"], [adapted])
    )
    assert own == merged != base
    keras_nmt("export", trained, tmp_path / "e", "--adapter", adapted / "adapter.weights.h5")
    exported = tf.saved_model.load(tmp_path / "e" / "1").signatures["serving_default"]
    answers = exported(text=tf.constant(LINES))["translation"].numpy()
    assert [answer.decode() for answer in answers.tolist()] == own
    files = [write_lines(tmp_path, "source", LINES), write_lines(tmp_path, "target", base)]
    scores = [
        keras_nmt("score", trained, "--source", files[0], "--target", files[1], *adapter).stdout
        for adapter in ([], ["--adapter", adapted / "adapter.weights.h5"])
    ]
    assert scores[0] != scores[1]


def test_an_adapter_of_another_model_is_one_line(trained, adapted, tmp_path, error_line):
    adapter, lines = adapted / "adapter.weights.h5", write_lines(tmp_path, "lines", LINES)
    assert "belongs to other weights" in error_line("translate", adapted, "--adapter", adapter, "--input", lines)
    weights = trained / "model.weights.h5"
    assert "must hold an adapter" in error_line("translate", trained, "--adapter", weights, "--input", lines)
    nowhere = tmp_path / "nowhere.weights.h5"
    assert "no such adapter" in error_line("translate", trained, "--adapter", nowhere, "--input", lines)
    damaged = shutil.copy(adapter, tmp_path / "damaged.weights.h5")
    with open(damaged, "r+b") as file:
        file.truncate(1000)
    assert "damaged.weights.h5" in error_line("translate", trained, "--adapter", damaged, "--input", lines)


def test_extend_vocabulary_writes_a_model_that_translates_and_trains(trained, tmp_path, keras_nmt, error_line):
    words = write_lines(tmp_path, "words", ["bicycle", "Fahrrad"])
    run = keras_nmt("extend-vocabulary", trained, tmp_path / "larger", "--pieces", words, "--tag", "<2fr>")
    assert run.returncode == 0, run.stderr.decode()
    sizes = [ModelDirectory(path).load_model().source_vocabulary_size for path in (trained, tmp_path / "larger")]
    assert run.stdout.decode() == f"{tmp_path / 'larger'}: {sizes[1] - sizes[0]} new subwords\n"
    stdin = "\n".join([*LINES, ""])
    outputs = [
        keras_nmt("translate", path, "--beam-size", 1, stdin=stdin).stdout for path in (trained, tmp_path / "larger")
    ]
    assert outputs[0] == outputs[1] != b""
    error = error_line("extend-vocabulary", trained, tmp_path / "larger", "--pieces", words)
    assert "must be new or empty" in error
    assert "Missing option: --text" in error_line("extend-vocabulary", trained, tmp_path / "other")
    assert "--number goes with --text" in error_line(
        "extend-vocabulary", trained, tmp_path / "other", "--number", 3, "--pieces", words
    )
