"""The SentencePiece tokenizer in the graph."""

from __future__ import annotations

import copy
import gc
import io
import pickle
from pathlib import Path

import keras
import numpy as np
import pytest
import sentencepiece
import tensorflow as tf
from small import subwords_of

from keras_nmt.data import SubwordTokenizer, subword_sampler
from keras_nmt.errors import UserError

TEXTS = ["the cat sat on the mat", "a mat", "", "   ", "the  cat ", "<2de> the mat", "a\0b"]


def test_agrees_with_the_sentencepiece_library(tokenizer: SubwordTokenizer) -> None:
    library = sentencepiece.SentencePieceProcessor(model_proto=tokenizer.proto)
    ids = tokenizer.tokenize(TEXTS)
    assert ids.dtype == tf.int32
    assert ids.to_list() == library.encode(TEXTS)
    assert tokenizer.vocabulary_size == library.get_piece_size() == 40
    assert tokenizer.detokenize(ids).numpy().tolist() == [text.encode() for text in library.decode(ids.to_list())]


def test_it_knows_whether_it_lower_cases(tmp_path: Path) -> None:
    text = "ΟΔΟΣ Εθνικής\nΕΛΛΑΔΑΣ Οδός\n" * 20  # no Latin letter
    for lowercase in (False, True):
        assert subwords_of(tmp_path, text, vocabulary_size=30, lowercase=lowercase).lowercases is lowercase


def test_empty_text_stays_empty(tokenizer: SubwordTokenizer) -> None:
    assert tokenizer.tokenize(["", "  "]).to_list() == [[], []]
    assert tokenizer.detokenize(tokenizer.tokenize(["", " "])).numpy().tolist() == [b"", b""]
    assert tokenizer.tokenize([]).to_list() == []
    assert tokenizer.detokenize(tf.zeros((0, 4), tf.int32)).numpy().tolist() == []
    assert tokenizer.detokenize(tf.zeros((2, 0), tf.int32)).numpy().tolist() == [b"", b""]


def test_the_sampling_digest_covers_model_alpha_and_draws(tokenizer, tmp_path, monkeypatch):
    digest = tokenizer.sampling_digest(0.1)
    assert len(bytes.fromhex(digest)) == 32
    assert digest == SubwordTokenizer(tokenizer.proto).sampling_digest(0.1)
    other = subwords_of(tmp_path, "the cat sat on the mat\na mat is on the cat\n" * 3, vocabulary_size=30)
    assert len({digest, tokenizer.sampling_digest(0.2), other.sampling_digest(0.1)}) == 3
    uniform = subword_sampler._uniform
    monkeypatch.setattr(subword_sampler, "_uniform", lambda seed: uniform(seed + 1))
    assert tokenizer.sampling_digest(0.1) != digest


def test_detokenize_stops_at_the_end_and_skips_pad_and_begin(tokenizer: SubwordTokenizer) -> None:
    cat, mat = tokenizer.tokenize(["cat", "mat"]).to_list()
    rows = [[2, *cat, 0, *mat, 3, *cat], [*mat, 3, 3, 0, 0], [3, *cat], [0, 0], [2]]
    ragged = tf.ragged.constant(rows, dtype=tf.int32)
    expected = [b"cat mat", b"mat", b"", b"", b""]
    assert tokenizer.detokenize(ragged).numpy().tolist() == expected
    assert tokenizer.detokenize(ragged.to_tensor()).numpy().tolist() == expected
    assert tokenizer.detokenize(tf.cast(ragged, tf.int64).to_tensor()).numpy().tolist() == expected
    texts = tokenizer.detokenize([[*cat, 1], [*cat, 40], [*cat, -1]]).numpy()  # ids outside the vocabulary
    assert texts[0] == texts[1] == texts[2] == "cat ⁇ ".encode()


def test_outlives_the_kernel_cache(tokenizer: SubwordTokenizer) -> None:
    """Setting a seed clears the cache, and deletes every SentencePiece model without a name."""
    traced = tf.function(tokenizer.tokenize)
    expected = tokenizer.tokenize(TEXTS).to_list()
    assert traced(tf.constant(TEXTS)).to_list() == expected
    twin = SubwordTokenizer(tokenizer.proto)
    for clear in (lambda: tf.random.set_seed(1), lambda: keras.utils.set_random_seed(2), keras.utils.clear_session):
        clear()
        assert tokenizer.tokenize(TEXTS).to_list() == expected
        assert traced(tf.constant(TEXTS)).to_list() == expected
    del twin
    gc.collect()
    assert tokenizer.tokenize(TEXTS).to_list() == expected


def test_save_and_load(tokenizer: SubwordTokenizer, tmp_path: Path) -> None:
    path = tokenizer.save(tmp_path / "model" / "subwords.model")
    assert path.read_bytes() == tokenizer.proto
    assert [entry.name for entry in path.parent.iterdir()] == ["subwords.model"]
    for again in (SubwordTokenizer(path), SubwordTokenizer(str(path)), SubwordTokenizer(tokenizer.proto)):
        assert again.tokenize(TEXTS).to_list() == tokenizer.tokenize(TEXTS).to_list()


def test_a_tokenizer_is_pickled_and_copied_for_other_processes(tokenizer: SubwordTokenizer) -> None:
    for one in (tokenizer, tokenizer.source):
        for other in (pickle.loads(pickle.dumps(one)), copy.deepcopy(one)):
            texts = [*TEXTS, "the\u00a0c\u00adat"]
            assert other.tokenize(texts).to_list() == one.tokenize(texts).to_list()
            assert (other.cleans, other.source.cleans) == (one.cleans, True)


@pytest.mark.parametrize("source_cleaning", [True, False])
def test_a_source_has_a_space_behind_its_tag(tmp_path: Path, source_cleaning: bool) -> None:
    text = "the cat sat on the mat\n" * 3
    symbols = ["<2de>", ">>fra<<"]
    tokenizer = subwords_of(tmp_path, text, vocabulary_size=25, user_symbols=symbols, source_cleaning=source_cleaning)
    joined, apart = ["<2de>the cat", " >>fra<<a mat"], ["<2de> the cat", " >>fra<< a mat"]
    assert tokenizer.tokenize(joined).to_list() != tokenizer.tokenize(apart).to_list()
    for source in (tokenizer.source, pickle.loads(pickle.dumps(tokenizer.source)), tokenizer.source.source):
        assert source.cleans == source_cleaning
        assert source.tokenize(joined).to_list() == tokenizer.tokenize(apart).to_list()
        samples = [source.sample([x.encode() for x in texts], 0.5, 1) for texts in (joined, apart)]
        np.testing.assert_equal(*samples)
        others = ["the <2de>cat", "<2fr>cat", "the cat", ""]
        assert source.tokenize(others).to_list() == tokenizer.tokenize(others).to_list()


def test_a_model_that_leaves_text_as_it_is_loads_in_silence(capfd: pytest.CaptureFixture[str]) -> None:
    model = io.BytesIO()
    ids = {"pad_id": 0, "unk_id": 1, "bos_id": 2, "eos_id": 3}
    lines, options = iter(["the cat sat"] * 5), {"model_type": "char", "normalization_rule_name": "identity"}
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=lines, model_writer=model, vocab_size=11, minloglevel=2, **ids, **options
    )
    capfd.readouterr()
    SubwordTokenizer(model.getvalue())
    assert capfd.readouterr().err == ""


def test_other_files_are_rejected(tmp_path: Path) -> None:
    for content in (b"", b"not a model\n", bytes(100)):
        (tmp_path / "notes.txt").write_bytes(content)
        with pytest.raises(UserError, match=r"Not a SentencePiece model.*notes\.txt"):
            SubwordTokenizer(tmp_path / "notes.txt")
        with pytest.raises(UserError, match=r"Not a SentencePiece model.*bytes"):
            SubwordTokenizer(content)
    with pytest.raises(FileNotFoundError, match=r"nowhere\.model"):
        SubwordTokenizer(tmp_path / "nowhere.model")
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["the cat sat"] * 5), model_writer=model, vocab_size=20, model_type="bpe", minloglevel=2
    )
    with pytest.raises(UserError, match="must have the special ids"):
        SubwordTokenizer(model.getvalue())
