"""The benchmark of constraints: what it draws, and its table."""

from __future__ import annotations

import random

import pytest
from scripts import load_script, run_main

from keras_nmt.errors import UserError
from keras_nmt.models import ModelDirectory


@pytest.fixture(scope="module")
def script():
    return load_script("benchmarks/constraints.py")


def test_phrases_are_of_the_reference_and_do_not_overlap(script):
    reference = 'Ein Mann, der „Hallo" sagt - und geht.'
    words = ["Ein", "Mann", "der", "Hallo", "sagt", "und", "geht"]
    for seed in range(50):
        phrases = script.draw_phrases(reference, 3, 2, random.Random(seed))
        assert 1 <= len(phrases) <= 3
        found = [word for phrase in phrases for word in phrase.split()]
        assert [word for word in words if word in found] == found
    assert script.draw_phrases(reference, 20, 1, random.Random(0)) == words
    assert (
        script.draw_phrases(reference, 0, 1, random.Random(0))
        == script.draw_phrases("- .", 2, 1, random.Random(0))
        == []
    )


def test_the_table_has_a_row_for_each_number(script, make_model, source_tokenizer, tmp_path, monkeypatch):
    monkeypatch.setattr(script.tf.config.threading, "set_intra_op_parallelism_threads", lambda number: None)
    directory, model = ModelDirectory(tmp_path / "model"), make_model()
    source_tokenizer.save(tmp_path / "model/subwords.model")
    directory.save_config(model, subwords=dict.fromkeys(("source", "target"), "subwords.model"), search={})
    directory.save_weights(model)
    (tmp_path / "lines").write_text("the small cat sat\nthree dogs\n", encoding="utf-8")
    files = ["--model", tmp_path / "model", "--lines", tmp_path / "lines", "--references", tmp_path / "lines"]
    run_main(script, *files, "--rounds", 1, "--numbers", "0,2,9", "--output", tmp_path / "table.md")
    _, _, *rows = [line.strip("|\n").split("|") for line in (tmp_path / "table.md").read_text().splitlines()]
    assert [[cell.strip() for cell in row[:3]] for row in rows] == [
        ["none", "", "2"],
        ["0", "", "2"],
        ["2", "100.0%", "2"],
        ["9, mean 3.0", "100.0%", "2"],
    ]
    bleu = [float(row[-1]) for row in rows]
    assert bleu[0] == bleu[1] < bleu[3]
    with pytest.raises(UserError, match="Received: numbers='0,x'"):
        run_main(script, *files, "--numbers", "0,x")
