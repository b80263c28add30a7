"""The command `keras-nmt inspect bridge`, end to end."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

from keras_nmt.analysis import bridge_entropy


@pytest.fixture(scope="module")
def directory(directories):
    return directories / "bridged"


@pytest.fixture
def text(tmp_path):
    """Writes a text, and returns the option that names its file."""

    def write(content):
        (tmp_path / "text").write_text(content, encoding="utf-8")
        return ["--source", tmp_path / "text"]

    return write


def test_numbers_and_figures(run_inspect, directory, text, attentions, sentences, tmp_path):
    output = tmp_path / "new" / "folder"
    (output / directory.name).mkdir(parents=True)
    (output / directory.name / "attention-7.png").write_bytes(b"of an earlier text")
    arguments = ["--language", "de", "--output", output, "--heat-maps", 3]
    printed = run_inspect("bridge", directory, *arguments, *text("".join(f"{line}\n" for line in sentences)))
    entropy = bridge_entropy([attentions[row] for row in (0, 2, 3, 4, 5)])  # without the empty line
    for name in ("all heads", "first heads", "other heads"):
        assert f"| {name} | {entropy.values['entropy', name]:.3f} |" in printed
        assert f"| {name} by length |" in printed
    (numbers,) = json.loads((output / "results.json").read_text())["models"].values()
    assert numbers["sentences"] == 5
    assert [x["value"] for x in numbers["values"]] == pytest.approx([*entropy.values.values()], abs=1e-5)

    drawn = output / directory.name
    rows = [json.loads(line) for line in (drawn / "attention.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["line"] for row in rows] == [1, 3, 4]
    for row in rows:
        tokens, attention = attentions[row["line"] - 1]
        assert row["tokens"] == list(tokens)
        np.testing.assert_allclose(row["attention"], attention, atol=1e-6)

    pictures = {"attention-1.png", "attention-3.png", "attention-4.png"}
    assert {path.name for path in drawn.iterdir()} == pictures | {"attention.jsonl"}, "and no older one"
    for path in (output / "bridge.png", *(drawn / name for name in pictures)):
        assert path.read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_first_heads_and_other_weights_are_options(run_inspect, directory, text, model, attentions, tmp_path):
    arguments = ["bridge", directory, "--language", "de", *text("the small cat\n")]
    printed = run_inspect(*arguments, "--first", 1)
    assert f"| first heads | {bridge_entropy(attentions[:1], 1).values['entropy', 'first heads']:.3f} |" in printed
    assert "other heads" not in run_inspect(*arguments, "--first", 12)
    # Other weights are measured again if their file changes.
    weights, printed = tmp_path / "other.weights.h5", []
    shutil.copy(directory / "model.weights.h5", weights)
    changed = type(model).from_config(model.get_config())
    changed.set_weights([weight / 2 for weight in model.get_weights()])
    for changes in (False, True):
        if changes:
            changed.save_weights(weights)
        options = ["--weights", weights, "--output", tmp_path / "out", "--heat-maps", 0]
        printed.append(run_inspect(*arguments, *options))
    assert printed[0] != printed[1]


def test_bad_input_is_one_line(error_line, directory, directories, text):
    language, weights = ("--language", "de"), ["--weights", directory / "model.weights.h5"]
    for arguments, content, message in (
        ((directories / "plain", *language), "the cat\n", "languages source, target. Received: --language de"),
        ((directory, *language), "\n  \n", "--source must have a line with text"),
        ((directory, *language, "--first", "-1"), "the cat\n", "--first"),
        ((directory,), "the cat\n", "--language"),
        ((directory, *language, "--heat-maps", "3"), "the cat\n", "--heat-maps goes with --output"),
        ((directory, directories / "plain", *language, *weights), "the cat\n", "--weights is a file of one"),
        ((directory, *language), None, "--source"),
    ):
        source = [] if content is None else text(content)
        assert message in error_line("inspect", "bridge", *arguments, *source), message
