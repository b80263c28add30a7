"""The commands of `keras-nmt inspect` on several models: tables, files, finished parts and errors."""

import json
import os
import shutil

import numpy as np
import pytest

from keras_nmt.analysis import Measurements, bridge_entropy, similarity
from keras_nmt.cli.inspect_common import Inspection, file_name

pytestmark = pytest.mark.usefixtures("eager")


@pytest.fixture
def probing(tmp_path):
    """A folder with the file of one probing task."""
    (tmp_path / "probing").mkdir()
    rows = [f"{('tr', 'va', 'te')[i % 3]}\t{i % 2}\t{('the cat', 'old houses')[i % 2]}\n" for i in range(60)]
    (tmp_path / "probing" / "word_content.txt").write_text("".join(rows))
    return tmp_path


def test_several_models_stand_in_one_table_and_finished_ones_are_kept(
    run_inspect, error_line, directories, texts, mixed, lines, tmp_path
):
    first, second, output = directories / "plain", tmp_path / "mixed", tmp_path / "out"
    shutil.copytree(directories / "mixed", second)
    weights = (second / "model.weights.h5").read_bytes()
    (second / "model.weights.h5").write_bytes(weights[:-100])
    arguments = ["similarity", first, second, "--source", texts / "source", "--output", output]
    assert "model.weights.h5" in error_line("inspect", *arguments)
    assert [path.name for path in output.rglob("*") if path.is_file()] == ["plain.npz"]
    # The command goes on. A finished model is not measured again: the kept numbers appear.
    (second / "model.weights.h5").write_bytes(weights)
    part = output / "parts" / "plain.npz"
    described = json.loads(str(np.load(part)["header"]))["settings"]
    kept = Measurements.load(part, described)
    Measurements(kept.analysis, kept.unit, dict.fromkeys(kept.values, 0.125), kept.samples).save(part, described)
    printed = run_inspect(*arguments)
    assert printed.startswith("| encoder | plain | mixed | mixed - plain | p |")
    assert "| 1 | 0.125 |" in printed
    values = json.loads((output / "results.json").read_text())["models"]["mixed"]["values"]
    assert [x["value"] for x in values] == pytest.approx([*similarity(mixed, lines).values.values()], abs=1e-4)
    assert (output / "similarity.png").stat().st_size > 1000
    # Other text, other numbers.
    (tmp_path / "other").write_text("the cat\nthe small cat\n")
    assert "0.125" not in run_inspect("similarity", first, "--source", tmp_path / "other", "--output", output)


def test_a_part_is_measured_again_if_its_model_its_layers_or_its_inputs_change(directories, texts, tmp_path):
    model, layers, data, measured = tmp_path / "model", tmp_path / "layers.py", tmp_path / "data", []
    shutil.copytree(directories / "plain", model)
    layers.write_text("")
    data.mkdir()
    (data / "right").write_text("ab\n")
    (data / "wrong").write_text("cd\n")

    def number_of_measurements(*inputs):
        def measure(directory):
            measured.append(directory)
            return Measurements("test", "score", {("group", "1"): 0.5})

        Inspection([model], tmp_path / "out", import_=[layers]).measure("test", measure, inputs)
        return len(measured)

    assert [number_of_measurements(texts / "source") for _ in range(2)] == [1, 1]
    for number, path in enumerate((model / "subwords.model", model / "model.weights.h5", layers), 2):
        os.utime(path, (number, number))
        assert number_of_measurements(texts / "source") == number
    # A file has another use.
    assert [number_of_measurements(None, texts / "source") for _ in range(2)] == [5, 5]
    # Files change their names.
    assert number_of_measurements(data) == 6
    for old, new in (("right", "x"), ("wrong", "right"), ("x", "wrong")):
        (data / old).rename(data / new)
    assert number_of_measurements(data) == 7


@pytest.mark.slow
def test_a_part_is_measured_again_if_the_text_beside_a_key_changes(run_inspect, directories, tmp_path):
    (tmp_path / "x.key.txt").write_text("1\tnews\tcat\tKatze\tKater\n")
    arguments = ["senses", directories / "plain", "--data", tmp_path / "x.key.txt", "--output", tmp_path / "out"]
    times = []
    for text in ("the cat\n", None, "the old cat\n"):
        if text is not None:
            (tmp_path / "x.text.txt").write_text(text)
        printed = run_inspect(*arguments)
        assert printed.startswith("| right sense | plain |")
        times.append((tmp_path / "out" / "parts" / "plain.npz").stat().st_mtime_ns)
    assert times[0] == times[1] < times[2]


@pytest.mark.slow
def test_bins_of_the_probe_are_those_of_the_lines_that_train_or_are_given(run_inspect, directories, tmp_path):
    (tmp_path / "text").write_text("the cat\n" * 9 + "old houses\n")  # the tenth line is held out
    arguments = ["--source", tmp_path / "text", "--epochs", 1, "--by", "frequency"]
    printed = run_inspect("lexical", directories / "plain", *arguments)
    assert "Counts of the subwords of the source by bin: 9 to 9 (1), 9 to 9 (6)." in printed
    printed = run_inspect("lexical", directories / "plain", *arguments, "--test-source", tmp_path / "text")
    assert "by bin: 1 to 1 (1)" in printed
    (tmp_path / "counted").write_text("the cat\n" * 3)
    arguments = [*arguments[:2], "--by", "frequency", "--frequencies", tmp_path / "counted"]
    assert "by bin: 3 to 3 (1)" in run_inspect("gates", directories / "mixed", *arguments)


@pytest.mark.nightly
def test_runs_of_several_seeds_stand_in_one_column(run_inspect, directories, texts, mixed, tmp_path):
    for name in ("mixed-1", "mixed-2", "other"):
        shutil.copytree(directories / "mixed", tmp_path / name)
    another = mixed.model.with_dtype("float32")
    another.set_weights([1.5 * weight for weight in another.get_weights()])
    another.save_weights(tmp_path / "mixed-2" / "model.weights.h5")
    runs, source = f"{tmp_path / 'mixed-1'},{tmp_path / 'mixed-2'}", ["--source", texts / "source"]
    printed = run_inspect("similarity", tmp_path / "other", runs, *source, "--output", tmp_path / "out")
    assert printed.startswith("| encoder | other | mixed | mixed - other | p |")
    mixed = json.loads((tmp_path / "out" / "results.json").read_text())["models"]["mixed"]
    for a, b, c in zip(*(x["values"] for x in mixed["runs"].values()), mixed["values"], strict=True):
        assert c["value"] == pytest.approx((a["value"] + b["value"]) / 2)
    assert max(x["deviation"] for x in mixed["values"]) > 0.001


@pytest.mark.slow
@pytest.mark.parametrize(
    "command", ["gates", "probing", *(pytest.param(x, marks=pytest.mark.nightly) for x in ("contrast", "roles"))]
)
def test_commands_write_their_results(command, run_inspect, directories, texts, probing, tmp_path):
    source, target = texts / "source", texts / "target"
    model, arguments = {
        "gates": ("mixed", ["--source", source, "--target", target, "--by", "frequency"]),
        "contrast": ("plain", ["--source", source, "--correct", target, "--incorrect", source]),
        "roles": ("mixed", ["--source", source, "--token", "cat", "--references", target]),
        "probing": ("plain", ["--data", probing, "--tasks", "WC, WC", "--seeds", 2]),
    }[command]
    output = tmp_path / command
    printed = run_inspect(command, directories / model, *arguments, "--output", output)
    assert (output / "table.md").read_text() == printed
    assert json.loads((output / "results.json").read_text())["analysis"]
    assert list(output.glob("*.png"))


def test_user_errors_are_one_line(error_line, directories, texts, probing, tmp_path):
    """One of each kind: the model, the files, and options that contradict each other, of every command."""
    source, plain = texts / "source", directories / "plain"
    bridge = ["bridge", directories / "bridged", "--source", source]
    (tmp_path / "short").write_text("the cat\n")
    (tmp_path / "spaces").write_text("\n  \n")
    counted = ["--by", "frequency", "--frequencies"]
    for arguments, message in (
        (["gates", plain, "--source", source], "no shortcuts with gates"),
        (["similarity", tmp_path, "--source", source], "model directory"),
        (["similarity", f"{plain},{plain}", "--source", source], "once"),
        (["similarity", directories / "bridged", "--source", source], "languages en, de"),
        (["lexical", plain, "--source", source, "--by", "pos"], "--conllu"),
        (["gates", plain, "--by", "pos", "--conllu", source, "--target", source], "leave --target out"),
        (["gates", plain, "--source", source, "--frequencies", source], "--frequencies goes with --by frequency"),
        (["gates", plain, "--source", source, *counted, source, "--frequencies", source], "one --frequencies FILE"),
        (["lengths", plain, "--source", source, "--references", source, "--bins", 5, "--quantiles", 3], "--bins goes"),
        (["contrast", plain, "--source", source], "--incorrect"),
        (["alignments", plain, "--source", source, "--target", source, "--gold", tmp_path / "short"], "short"),
        (["senteval", plain, "--data", tmp_path, "--tasks", "MX"], "`task` must be one of"),
        (["probing", plain, "--data", probing, "--tasks", "WC", "--vectors", "layer:9"], "layers 1 to 1"),
        (bridge, "--language"),
        ([*bridge[:3], tmp_path / "spaces", "--language", "de"], "--source must have a line with text"),
        ([*bridge, "--language", "de", "--heat-maps", 3], "--heat-maps goes with --output"),
    ):
        assert message in error_line("inspect", *arguments), arguments


def test_a_bridge_has_numbers_and_figures(run_inspect, directories, attentions, sentences, tmp_path):
    output, directory = tmp_path / "new" / "folder", directories / "bridged"
    drawn = output / directory.name
    drawn.mkdir(parents=True)
    (drawn / "attention-7.png").write_bytes(b"of an earlier text")
    (tmp_path / "text").write_text("".join(f"{line}\n" for line in sentences), encoding="utf-8")
    arguments = ["--language", "de", "--output", output, "--heat-maps", 3]
    printed = run_inspect("bridge", directory, *arguments, "--source", tmp_path / "text")
    entropy = bridge_entropy([attentions[row] for row in (0, 2, 3, 4, 5)])  # without the empty line
    for name in ("all heads", "first heads", "other heads"):
        assert f"| {name} | {entropy.values['entropy', name]:.3f} |" in printed
        assert f"| {name} by length |" in printed
    (numbers,) = json.loads((output / "results.json").read_text())["models"].values()
    assert numbers["sentences"] == 5
    assert [x["value"] for x in numbers["values"]] == pytest.approx([*entropy.values.values()], abs=1e-5)
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


def test_models_with_names_alike_have_files_of_their_own():
    files = [*map(file_name, ("a/b", "a_b", "a%b", "a%2Fb", "a%252Fb", "/a/b"))]
    assert len({*files}) == len(files)
    assert not any("/" in name for name in files)


@pytest.mark.slow
def test_first_heads_and_other_weights_of_a_bridge_are_options(run_inspect, directories, model, attentions, tmp_path):
    (tmp_path / "text").write_text("the small cat\n")
    arguments = ["bridge", directories / "bridged", "--language", "de", "--source", tmp_path / "text"]
    printed = run_inspect(*arguments, "--first", 1)
    assert f"| first heads | {bridge_entropy(attentions[:1], 1).values['entropy', 'first heads']:.3f} |" in printed
    assert "other heads" not in run_inspect(*arguments, "--first", 12)
    # Other weights are measured again if their file changes.
    weights = tmp_path / "other.weights.h5"
    shutil.copy(directories / "bridged" / "model.weights.h5", weights)
    arguments += ["--weights", weights, "--output", tmp_path / "out", "--heat-maps", 0]
    printed = run_inspect(*arguments)
    changed = type(model).from_config(model.get_config())
    changed.set_weights([weight / 2 for weight in model.get_weights()])
    changed.save_weights(weights)
    assert run_inspect(*arguments) != printed
