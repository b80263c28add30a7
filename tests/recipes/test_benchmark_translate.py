"""The benchmark of real text: every program translates the same lines alike, and the table has a row for each."""

from __future__ import annotations

import pytest
from scripts import load_script, run_main

from keras_nmt.models import ModelDirectory


@pytest.fixture(scope="module")
def script():
    return load_script("benchmarks/translate.py")


@pytest.fixture(scope="module")
def folder(make_model, source_tokenizer, lines, tmp_path_factory):
    """A model directory that CTranslate2 can run, with lines and references."""
    model = make_model(shortcuts=None)
    folder = tmp_path_factory.mktemp("benchmark")
    directory = ModelDirectory(folder / "model")
    source_tokenizer.save(folder / "model/subwords.model")
    directory.save_config(model, subwords=dict.fromkeys(("source", "target"), "subwords.model"), search={})
    directory.save_weights(model)
    for name in ("lines", "references"):
        (folder / name).write_text("\n".join(line for line in lines if line.strip()) + "\n", encoding="utf-8")
    return folder


@pytest.mark.nightly
def test_every_program_gives_the_same_translations(script, folder, monkeypatch):
    # TensorFlow sets its threads only once in a process.
    monkeypatch.setattr(script.tf.config.threading, "set_intra_op_parallelism_threads", lambda number: None)
    files = ["--model", folder / "model", "--lines", folder / "lines", "--references", folder / "references"]
    sizes = ["--batches", "4,1", "--rounds", 1, "--limit", 2, "--dtypes", "", "--student", folder / "model"]
    run_main(script, *files, *sizes, "--output", folder / "table.md")
    header, _, *rows = [line.strip("| \n").split(" | ") for line in (folder / "table.md").read_text().splitlines()]
    names = [*script.PROGRAMS, *(f"{name}, model" for name in script.PROGRAMS)]
    assert [(row[0], row[1]) for row in rows] == [(name, batch) for batch in "41" for name in names]
    assert {row[header.index("equal")] for row in rows} == {"100.0%"}
    assert all(float(row[header.index("seconds")]) > 0 for row in rows)


def test_programs_take_turns_after_a_round_that_does_not_count(script):
    calls = []

    def program(name):
        def run(given):
            calls.append(name)
            return float(len(calls)), [f"{name} {text}" for texts in given for text in texts]

        return run

    seconds, texts = script.in_turn({"a": program("a"), "b": program("b")}, [["x"], ["y"]], rounds=2)
    assert calls == ["a", "b", "b", "a", "a", "b"]
    assert seconds == {"a": [4.0, 5.0], "b": [3.0, 6.0]}
    assert texts == {"a": ["a x", "a y"], "b": ["b x", "b y"]}


def test_a_program_is_timed_over_all_its_calls(script):
    now = iter([3.0, 5.0])
    run = script.timed(lambda call: [text.upper() for text in call], lambda: next(now))
    assert run([["a"], ["b", "c"]]) == (2.0, ["A", "B", "C"])
