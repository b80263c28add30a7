"""`keras-nmt shortlist`, and the commands that search with a shortlist."""

import os
import threading

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_text  # noqa: F401  registers the operators of the export
from small import WORDS, write_lines

from keras_nmt.inference import Shortlist, Translator


@pytest.fixture(scope="module")
def text(corpus):
    return ["--source", corpus / "test.digits", "--target", corpus / "test.words"]


@pytest.fixture
def table(trained, text, tmp_path, keras_nmt):
    path = tmp_path / "of model"
    assert keras_nmt("shortlist", trained, *text, "--output", path).output == f"{path}\n"
    return path


@pytest.mark.slow
def test_the_models_own_alignments_and_aligned_words_make_the_same_table(trained, text, table, tmp_path, keras_nmt):
    translator, shortlist = Translator.from_directory(trained), Shortlist.read(table)
    for digit, word in enumerate(WORDS):
        of_digit, of_word = translator.tokenizers["source"].tokenize([str(digit), word]).to_list()
        assert set(of_word) & set(shortlist.candidates[of_digit[-1]][:8])
    keras_nmt("align", trained, *text, "--output", tmp_path / "links")
    expected = translator.align(*(path.read_text(encoding="utf-8").splitlines() for path in (text[1], text[3])))
    lines = (tmp_path / "links").read_text().splitlines()
    assert lines == [" ".join(f"{a}-{b}" for a, b in pairs) for pairs in expected]
    links = ["--alignments", tmp_path / "links"]
    # Pipes are read once.
    for name, file in (("source", text[1]), ("target", text[3])):
        os.mkfifo(tmp_path / name)
        threading.Thread(target=(tmp_path / name).write_bytes, args=[file.read_bytes()], daemon=True).start()
    pipes = ["--source", tmp_path / "source", "--target", tmp_path / "target"]
    keras_nmt("shortlist", trained, *pipes, "--output", tmp_path / "table", *links)
    assert (tmp_path / "table").read_bytes() == table.read_bytes()


def test_alignments_from_a_file_replace_the_models(trained, text, tmp_path, keras_nmt):
    lines = text[1].read_text(encoding="utf-8").splitlines()
    same = write_lines(tmp_path / "same", [" ".join(f"{i}-{i}" for i in range(len(line.split()))) for line in lines])
    options = ["--alignments", same, "--candidates", 7]
    keras_nmt("shortlist", trained, *text, "--output", tmp_path / "table", *options)
    shortlist = Shortlist.read(tmp_path / "table")
    assert shortlist.candidates.shape[1] == 7
    tokenizer = Translator.from_directory(trained).tokenizers["source"]
    of_digit, of_word = tokenizer.tokenize(["3", "le"]).to_list()
    row = dict(zip(shortlist.candidates[of_digit[-1]], shortlist.probabilities[of_digit[-1]], strict=True))
    np.testing.assert_allclose([row[x] for x in set(of_word)], max(row.values()), rtol=0.05)

    source, links = write_lines(tmp_path / "one", ["3 \ufeff"]), write_lines(tmp_path / "links", ["0-0 1-0"])
    given = ["--source", source, "--target", source, "--alignments", links, "--output", tmp_path / "other"]
    error = keras_nmt("shortlist", trained, *given).error
    assert error.splitlines()[-1] == "1 pair(s) of words without subwords were passed over."


@pytest.mark.slow
def test_translations_and_exports_with_a_shortlist(trained, table, corpus, tmp_path, keras_nmt, error_line):
    lines, size = (corpus / "test.digits").read_text().splitlines(), ["--shortlist", table, "--shortlist-size", 24]
    output = keras_nmt("translate", trained, "--input", corpus / "test.digits", *size).output
    expected = Translator.from_directory(trained, shortlist=Shortlist.read(table), shortlist_size=24).translate(lines)
    assert output.splitlines() == [x.text for x in expected]
    loaded = tf.saved_model.load(keras_nmt("export", trained, tmp_path / "served", *size).output.strip())
    found = loaded.signatures["serving_default"](text=tf.constant(lines))
    assert [x.decode() for x in found["translation"].numpy()] == [x.text for x in expected]
    np.testing.assert_allclose(found["score"], [x.score for x in expected], atol=1e-4)
    held = {x.name for x in loaded.signatures["serving_default"].variables}
    assert any("shortlist" in name for name in held)  # beside the weights, not in the graph
    this = [trained, "--source", __file__, "--target", __file__]
    assert "in layers 1 to 1" in error_line("align", *this, "--layer", 9)
    error = error_line("shortlist", *this, "--output", tmp_path / "c", "--alignments", __file__)
    assert f"Line 1 of {__file__} must have pairs" in error
    error = error_line("export", trained, "out", "--shortlist", table, "--format", "ctranslate2")
    assert "CTranslate2 has its own search: leave out options of the search. Received: --shortlist" in error


def test_errors_are_one_line(untrained, error_line):
    for arguments, expected in (
        (["translate", untrained, "--shortlist-size", "9"], "--shortlist-size goes with --shortlist FILE. Received: "),
        (["translate", untrained, "--shortlist", __file__], "must be a file of `keras-nmt shortlist`; make it again"),
        (["shortlist", untrained, "--source", "nowhere", "--target", "b", "--output", "c"], "nowhere"),
        (["align", untrained, "--source", __file__, "--target", os.devnull], "The file is empty"),
    ):
        assert expected in error_line(*arguments)
