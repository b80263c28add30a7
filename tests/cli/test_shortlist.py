"""`keras-nmt shortlist`, and the commands that search with a shortlist, on a trained model."""

from __future__ import annotations

import os
import threading

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_text  # noqa: F401  registers the operators of the export
from digits import WORDS, write_lines
from typer.testing import CliRunner

from keras_nmt.cli.app import app
from keras_nmt.inference import Shortlist, Translator


def run(*arguments):
    done = CliRunner().invoke(app, [str(x) for x in arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


@pytest.fixture(scope="module")
def text(corpus):
    return ["--source", corpus / "test.digits", "--target", corpus / "test.words"]


@pytest.fixture(scope="module")
def table(trained, text, tmp_path_factory):
    path = tmp_path_factory.mktemp("shortlist") / "table"
    assert run("shortlist", trained, *text, "--output", path) == f"{path}\n"
    return path


def test_the_models_own_alignments_find_the_words(trained, table):
    tokenizer = Translator.from_directory(trained).tokenizers["source"]
    shortlist = Shortlist.read(table)
    for digit, word in enumerate(WORDS):
        of_digit, of_word = tokenizer.tokenize([str(digit), word]).to_list()
        assert set(of_word) & set(shortlist.candidates[of_digit[-1]][:8])


def test_aligned_words_make_the_same_table(trained, text, table, tmp_path):
    run("align", trained, *text, "--output", tmp_path / "links")
    texts = [path.read_text(encoding="utf-8").splitlines() for path in (text[1], text[3])]
    expected = Translator.from_directory(trained).align(*texts)
    lines = (tmp_path / "links").read_text().splitlines()
    assert lines == [" ".join(f"{a}-{b}" for a, b in pairs) for pairs in expected]
    run("shortlist", trained, *text, "--output", tmp_path / "table", "--alignments", tmp_path / "links")
    assert (tmp_path / "table").read_bytes() == table.read_bytes()


def test_alignments_from_a_file_replace_the_models(trained, text, corpus, tmp_path):
    lines = (corpus / "test.digits").read_text(encoding="utf-8").splitlines()
    same = write_lines(tmp_path, "same", [" ".join(f"{i}-{i}" for i in range(len(line.split()))) for line in lines])
    run("shortlist", trained, *text, "--output", tmp_path / "table", "--alignments", same, "--candidates", 7)
    shortlist = Shortlist.read(tmp_path / "table")
    assert shortlist.candidates.shape[1] == 7
    tokenizer = Translator.from_directory(trained).tokenizers["source"]
    of_digit, of_word = tokenizer.tokenize(["3", "three"]).to_list()
    row = dict(zip(shortlist.candidates[of_digit[-1]], shortlist.probabilities[of_digit[-1]], strict=True))
    np.testing.assert_allclose([row[x] for x in set(of_word)], max(row.values()), rtol=0.05)


def test_pipes_are_read_once_and_pairs_without_subwords_counted(trained, text, corpus, table, tmp_path, capfd):
    for name, file in (("source", text[1]), ("target", text[3])):
        os.mkfifo(tmp_path / name)
        threading.Thread(target=(tmp_path / name).write_bytes, args=[file.read_bytes()], daemon=True).start()
    pipes = ["--source", tmp_path / "source", "--target", tmp_path / "target"]
    run("shortlist", trained, *pipes, "--output", tmp_path / "table")
    assert (tmp_path / "table").read_bytes() == table.read_bytes()
    source = write_lines(tmp_path, "one", ["3 \ufeff"])
    links = write_lines(tmp_path, "links", ["0-0 1-0"])
    given = ["--source", source, "--target", source, "--alignments", links]
    capfd.readouterr()
    app([str(x) for x in ("shortlist", trained, *given, "--output", tmp_path / "other")], standalone_mode=False)
    assert capfd.readouterr().err.splitlines()[-1] == "1 pair(s) of words without subwords were passed over."


def test_translations_and_exports_with_a_shortlist(trained, table, tmp_path):
    lines = ["3 0 7", "1 2"]
    source, output = write_lines(tmp_path, "source", lines), tmp_path / "output"
    run("translate", trained, "--input", source, "--output", output, "--shortlist", table, "--shortlist-size", 40)
    assert output.read_text() == "three zero seven\none two\n"
    folder = run("export", trained, tmp_path / "served", "--shortlist", table, "--shortlist-size", 40).strip()
    loaded = tf.saved_model.load(folder)
    expected = Translator.from_directory(trained, shortlist=Shortlist.read(table), shortlist_size=40).translate(lines)
    for name in ("serving_default", "serving_default_xla"):
        found = loaded.signatures[name](text=tf.constant(lines))
        assert [x.decode() for x in found["translation"].numpy()] == [x.text for x in expected]
        np.testing.assert_allclose(found["score"], [x.score for x in expected], atol=1e-4)
    held = {x.name for x in loaded.signatures["serving_default"].variables}
    assert any("shortlist" in name for name in held)  # beside the weights, not in the graph


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["translate", "TRAINED", "--shortlist-size", "9"], "--shortlist-size goes with --shortlist FILE. Received: "),
        (["translate", "TRAINED", "--shortlist", __file__], "must be a file of `keras-nmt shortlist`; make it again"),
        (["export", "TRAINED", "out", "--shortlist", "nowhere"], "nowhere"),
        (
            ["export", "TRAINED", "out", "--shortlist", "TABLE", "--format", "ctranslate2"],
            "CTranslate2 has its own search: leave out options of the search. Received: shortlist",
        ),
        (["shortlist", "TRAINED", "--source", "nowhere", "--target", "b", "--output", "c"], "nowhere"),
        (["align", "TRAINED", "--source", __file__, "--target", os.devnull], "The file is empty"),
        (["align", "TRAINED", "--source", __file__, "--target", __file__, "--layer", "9"], "in layers 1 to 1"),
        (
            [
                "shortlist",
                "TRAINED",
                "--source",
                __file__,
                "--target",
                __file__,
                "--output",
                "c",
                "--alignments",
                __file__,
            ],
            f"Line 1 of {__file__} must have pairs",
        ),
    ],
)
def test_errors_are_one_line(trained, table, error_line, arguments, expected):
    names = {"TRAINED": trained, "TABLE": table}
    assert expected in error_line(*(names.get(x, x) for x in arguments))
