"""The benchmarks of real text, of whole commands and of constraints: the same lines for all, and a row for each."""

import random

import pytest
import tensorflow as tf
from scripts import load_script, rows_of, run_main
from small import save_model

from keras_nmt.errors import UserError

pytestmark = pytest.mark.nightly
SCRIPT = "benchmarks/translate.py"


@pytest.fixture(scope="module")
def commands():
    return load_script("benchmarks/command_line.py")


@pytest.fixture(scope="module")
def constraints():
    return load_script("benchmarks/constraints.py")


@pytest.fixture
def one_setting(monkeypatch):
    """TensorFlow sets its threads only once in a process."""
    monkeypatch.setattr(tf.config.threading, "set_intra_op_parallelism_threads", lambda number: None)


@pytest.fixture(scope="module")
def folder(make_model, source_tokenizer, lines, tmp_path_factory):
    """A model directory that CTranslate2 can run, with lines and references."""
    folder = tmp_path_factory.mktemp("benchmark")
    save_model(folder / "model", make_model(shortcuts=None), source_tokenizer)
    for name in ("lines", "references"):
        (folder / name).write_text("\n".join(line for line in lines if line.strip()) + "\n", encoding="utf-8")
    return folder


def test_every_program_gives_the_same_translations(script, folder, one_setting):
    files = ["--model", folder / "model", "--lines", folder / "lines", "--references", folder / "references"]
    sizes = ["--batches", "4,1", "--rounds", 1, "--limit", 2, "--dtypes", "", "--student", folder / "model"]
    run_main(script, *files, *sizes, "--output", folder / "table.md")
    header, *rows = rows_of(folder / "table.md")
    names = [*script.PROGRAMS, *(f"{name}, model" for name in script.PROGRAMS)]
    assert [(row[0], row[1]) for row in rows] == [(name, batch) for batch in "41" for name in names]
    assert {row[header.index("equal")] for row in rows} == {"100.0%"}
    assert all(float(row[header.index("seconds")]) > 0 for row in rows)


def test_programs_take_turns_after_a_round_that_does_not_count_and_are_timed_over_all_calls(script):
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
    now = iter([3.0, 5.0])
    run = script.timed(lambda call: [text.upper() for text in call], lambda: next(now))
    assert run([["a"], ["b", "c"]]) == (2.0, ["A", "B", "C"])


def test_every_command_has_a_row_and_both_translate_all_lines(commands, folder):
    pytest.importorskip("ctranslate2")
    files = ("--model", folder / "model", "--lines", folder / "lines", "--output", folder / "t.md")
    run_main(commands, *files, "--rounds", 1)
    rows = rows_of(folder / "t.md")[1:]
    names = ["CTranslate2 float32", "keras-nmt translate", "keras-nmt info", "keras-nmt --help"]
    assert [row[0] for row in rows] == names
    # Random weights give no end, and the limits differ; tests/formats/test_ctranslate2.py compares translations.
    assert [row[-1].endswith("%") for row in rows[:2]] == [True, True]


def test_phrases_are_of_the_reference_and_do_not_overlap(constraints):
    reference = 'Ein Mann, der „Hallo" sagt - und geht.'
    words = ["Ein", "Mann", "der", "Hallo", "sagt", "und", "geht"]
    for seed in range(50):
        phrases = constraints.draw_phrases(reference, 3, 2, random.Random(seed))
        assert 1 <= len(phrases) <= 3
        found = [word for phrase in phrases for word in phrase.split()]
        assert [word for word in words if word in found] == found
    assert constraints.draw_phrases(reference, 20, 1, random.Random(0)) == words
    assert constraints.draw_phrases(reference, 0, 1, random.Random(0)) == []
    assert constraints.draw_phrases("- .", 2, 1, random.Random(0)) == []


def test_the_table_has_a_row_for_each_number_of_constraints(constraints, folder, one_setting, tmp_path):
    (tmp_path / "lines").write_text("the small cat sat\nthree dogs\n", encoding="utf-8")
    files = ["--model", folder / "model", "--lines", tmp_path / "lines", "--references", tmp_path / "lines"]
    run_main(constraints, *files, "--rounds", 1, "--numbers", "0,2,9", "--output", tmp_path / "table.md")
    rows = rows_of(tmp_path / "table.md")[1:]
    expected = [("none", ""), ("0", ""), ("2", "100.0%"), ("9, mean 3.0", "100.0%")]
    assert [row[:3] for row in rows] == [[*row, "2"] for row in expected]
    bleu = [float(row[-1]) for row in rows]
    assert bleu[0] == bleu[1] < bleu[3]
    with pytest.raises(UserError, match="Received: numbers='0,x'"):
        run_main(constraints, *files, "--numbers", "0,x")
