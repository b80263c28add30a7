"""The commands of `keras-nmt inspect` on several models: tables, files, finished parts and errors."""

from __future__ import annotations

import json

import numpy as np
import pytest

from keras_nmt.analysis import Measurements, similarity


@pytest.fixture(scope="module")
def texts(lines, translated, tmp_path_factory):
    folder = tmp_path_factory.mktemp("texts")
    for name, text in (("source", lines), ("target", translated)):
        (folder / name).write_text("".join(f"{line}\n" for line in text))
    return folder


def test_several_models_stand_in_one_table_and_finished_ones_are_kept(
    run_inspect, directories, texts, mixed, lines, tmp_path
):
    arguments = ["--source", texts / "source", "--output", tmp_path / "out"]
    first, second = directories / "mixed", directories / "plain"
    printed = run_inspect("similarity", first, second, *arguments)
    assert printed.startswith("| encoder | mixed | plain | plain - mixed | p |")
    results = json.loads((tmp_path / "out" / "results.json").read_text())
    values = results["models"]["mixed"]["values"]
    assert [x["value"] for x in values] == pytest.approx([*similarity(mixed, lines).values.values()], abs=1e-4)
    assert (tmp_path / "out" / "similarity.png").stat().st_size > 1000
    # A finished model is not measured again: the kept numbers appear.
    part = tmp_path / "out" / "parts" / "mixed.npz"
    described = json.loads(str(np.load(part)["header"]))["settings"]
    kept = Measurements.load(part, described)
    changed = Measurements(kept.analysis, kept.unit, dict.fromkeys(kept.values, 0.125), kept.samples)
    changed.save(part, described)
    assert "| 1 | 0.125 |" in run_inspect("similarity", first, second, *arguments)
    # Other text, other numbers.
    (tmp_path / "other").write_text("the cat\nthe small cat\n")
    assert "0.125" not in run_inspect("similarity", first, "--source", tmp_path / "other", "--output", tmp_path / "out")


def test_commands_write_their_results(run_inspect, directories, texts, tmp_path):
    source, target = texts / "source", texts / "target"
    (tmp_path / "probing").mkdir()
    rows = [f"{('tr', 'va', 'te')[i % 3]}\t{i % 2}\t{('the cat', 'old houses')[i % 2]}\n" for i in range(60)]
    (tmp_path / "probing" / "word_content.txt").write_text("".join(rows))
    for command, model, arguments in (
        ("gates", "mixed", ["--source", source, "--target", target, "--by", "frequency"]),
        ("contrast", "plain", ["--source", source, "--correct", target, "--incorrect", source]),
        ("roles", "mixed", ["--source", source, "--token", "cat", "--references", target]),
        ("probing", "plain", ["--data", tmp_path, "--tasks", "WC", "--seeds", 2]),
    ):
        output = tmp_path / command
        printed = run_inspect(command, directories / model, *arguments, "--output", output)
        assert (output / "table.md").read_text() == printed
        assert json.loads((output / "results.json").read_text())["analysis"]
        assert list(output.glob("*.png"))


def test_user_errors_are_one_line(error_line, directories, texts, tmp_path):
    source, plain = texts / "source", directories / "plain"
    (tmp_path / "text.conllu").write_text("x\n")
    for arguments, message in (
        (["gates", plain, "--source", source], "no shortcuts with gates"),
        (["roles", plain, "--source", source], "no roles"),
        (["similarity", tmp_path, "--source", source], "model directory"),
        (["similarity", plain, plain, "--source", source], "once"),
        (["similarity", plain, "--source", tmp_path / "none"], "none"),
        (["similarity", directories / "bridged", "--source", source], "languages en, de"),
        (["lexical", plain, "--source", source, "--by", "pos"], "--conllu"),
        (["gates", plain], "--source FILE"),
        (["contrast", plain, "--source", source], "--incorrect"),
        (["contrast", plain, "--data", source], "JSON"),
        (["senteval", plain, "--data", tmp_path, "--tasks", "MR"], "MR needs a file that is missing"),
        (["senteval", plain, "--data", tmp_path, "--tasks", "MX"], "Tasks are"),
        (["probing", plain, "--data", tmp_path / "none"], "no such folder"),
        (["transfer", plain, "--data", tmp_path], "must have dev.LANG.tsv"),
    ):
        assert message in error_line("inspect", *arguments), arguments
