"""The SentencePiece tokenizer in the graph."""

from __future__ import annotations

import gc
import io
from collections.abc import Callable
from pathlib import Path

import keras
import numpy as np
import pytest
import sentencepiece
import tensorflow as tf

from keras_nmt.data import SubwordTokenizer, subword_sampler, train_subwords
from keras_nmt.errors import UserError

TEXTS = ["the cat sat on the mat", "a mat", "", "   ", "the  cat ", "<2de> the mat", "a\0b"]


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> SubwordTokenizer:
    folder = tmp_path_factory.mktemp("subwords")
    (folder / "text").write_text("the cat sat on the mat\na mat is on the cat\nthat is that: a bat\n" * 3)
    return SubwordTokenizer(
        train_subwords(folder / "text", folder / "m.model", vocabulary_size=40, user_symbols=["<2de>"])
    )


def test_agrees_with_the_sentencepiece_library(tokenizer: SubwordTokenizer) -> None:
    library = sentencepiece.SentencePieceProcessor(model_proto=tokenizer.proto)
    ids = tokenizer.tokenize(TEXTS)
    assert ids.dtype == tf.int32
    assert ids.to_list() == library.encode(TEXTS)
    assert tokenizer.vocabulary_size == library.get_piece_size() == 40
    assert tokenizer.detokenize(ids).numpy().tolist() == [text.encode() for text in library.decode(ids.to_list())]


def test_it_knows_whether_it_lower_cases(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("ΟΔΟΣ Εθνικής\nΕΛΛΑΔΑΣ Οδός\n" * 20, encoding="utf-8")  # no Latin letter
    for lowercase in (False, True):
        train_subwords([tmp_path / "text"], tmp_path / "m", vocabulary_size=30, lowercase=lowercase)
        assert SubwordTokenizer(tmp_path / "m").lowercases is lowercase


def test_empty_text_stays_empty(tokenizer: SubwordTokenizer) -> None:
    assert tokenizer.tokenize(["", "  "]).to_list() == [[], []]
    assert tokenizer.detokenize(tokenizer.tokenize(["", " "])).numpy().tolist() == [b"", b""]
    assert tokenizer.tokenize([]).to_list() == []
    assert tokenizer.detokenize(tf.zeros((0, 4), tf.int32)).numpy().tolist() == []
    assert tokenizer.detokenize(tf.zeros((2, 0), tf.int32)).numpy().tolist() == [b"", b""]


def test_samples_are_the_same_text(tokenizer: SubwordTokenizer) -> None:
    ids, lengths = tokenizer.sample([text.encode() for text in TEXTS], alpha=0.5, seed=1)
    usual = tokenizer.tokenize(TEXTS)
    assert not np.array_equal(ids, usual.values)
    assert len(lengths) == len(TEXTS)
    sampled = tokenizer.detokenize(tf.RaggedTensor.from_row_lengths(ids, lengths))
    assert sampled.numpy().tolist() == tokenizer.detokenize(usual).numpy().tolist()


@pytest.mark.slow
def test_samples_are_equal_in_another_process(run_python: Callable, tmp_path: Path) -> None:
    """Some versions of the SentencePiece library draw other samples in each process, for any seed."""
    (tmp_path / "text").write_text("the cat sat on the mat\na mat is on the cat\nthat is that: a bat\n" * 3)
    code = """
import sys
from keras_nmt.data import SubwordTokenizer
tokenizer = SubwordTokenizer(sys.argv[1])
print([array.tolist() for array in tokenizer.sample([b"the cat sat on that mat"] * 99, alpha=0.3, seed=7)])
print(tokenizer.sampling_digest(0.3))
"""
    for model_type in ("bpe", "unigram"):
        model = train_subwords(tmp_path / "text", tmp_path / "model", vocabulary_size=22, model_type=model_type)
        tokenizer = SubwordTokenizer(model)
        ids, lengths = tokenizer.sample([b"the cat sat on that mat"] * 99, alpha=0.3, seed=7)
        result = run_python("-c", code, model, cwd=tmp_path)
        assert result.stdout.decode() == f"{[ids.tolist(), lengths.tolist()]}\n{tokenizer.sampling_digest(0.3)}\n"


def test_the_sampling_digest_covers_model_alpha_and_draws(tokenizer, tmp_path, monkeypatch):
    digest = tokenizer.sampling_digest(0.1)
    assert len(bytes.fromhex(digest)) == 32
    assert digest == SubwordTokenizer(tokenizer.proto).sampling_digest(0.1)
    (tmp_path / "text").write_text("the cat sat on the mat\na mat is on the cat\n" * 3)
    other = SubwordTokenizer(train_subwords(tmp_path / "text", tmp_path / "model", vocabulary_size=30))
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


def test_runs_in_a_graph(tokenizer: SubwordTokenizer) -> None:
    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def there_and_back(texts: tf.Tensor) -> tf.Tensor:
        return tokenizer.detokenize(tokenizer.tokenize(texts).to_tensor())

    assert there_and_back(tf.constant(["the cat", "", "a  mat"])).numpy().tolist() == [b"the cat", b"", b"a mat"]
    mapped = tf.data.Dataset.from_tensors(["a cat"]).map(tokenizer.tokenize)
    assert next(iter(mapped)).to_list() == tokenizer.tokenize(["a cat"]).to_list()


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


@pytest.mark.slow
def test_survives_export_without_this_package(tokenizer, tmp_path, run_python) -> None:
    archive = keras.export.ExportArchive()
    archive.track(tokenizer)
    signature = [tf.TensorSpec([None], tf.string, name="text")]

    def there_and_back(text: tf.Tensor) -> dict[str, tf.Tensor]:
        return {"text": tokenizer.detokenize(tokenizer.tokenize(text).to_tensor())}

    archive.add_endpoint("serving_default", there_and_back, input_signature=signature)
    archive.write_out(str(tmp_path / "keras"), verbose=False)

    module = tf.Module()
    module.tokenizer = tokenizer
    module.call = tf.function(there_and_back, input_signature=signature)
    tf.saved_model.save(module, str(tmp_path / "tf"), signatures={"serving_default": module.call})

    code = """
import sys, tensorflow as tf, tensorflow_text
for folder in sys.argv[1:]:
    with tf.compat.v1.Session(graph=tf.Graph()) as session:
        signature = tf.compat.v1.saved_model.loader.load(session, ["serve"], folder).signature_def["serving_default"]
        feed = {signature.inputs["text"].name: ["the cat", ""]}
        assert session.run(signature.outputs["text"].name, feed).tolist() == [b"the cat", b""]
    endpoint = tf.saved_model.load(folder).signatures["serving_default"]
    assert endpoint(text=tf.constant(["the cat", ""]))["text"].numpy().tolist() == [b"the cat", b""]
    assert "keras_nmt" not in sys.modules
"""
    folders = [str(tmp_path / "keras"), str(tmp_path / "tf")]
    result = run_python("-c", code, *folders, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    for folder in folders:
        assert (Path(folder) / "saved_model.pb").read_bytes().count(tokenizer.proto) == 1


def test_save_and_load(tokenizer: SubwordTokenizer, tmp_path: Path) -> None:
    path = tokenizer.save(tmp_path / "model" / "subwords.model")
    assert path.read_bytes() == tokenizer.proto
    assert [entry.name for entry in path.parent.iterdir()] == ["subwords.model"]
    for again in (SubwordTokenizer(path), SubwordTokenizer(str(path)), SubwordTokenizer(tokenizer.proto)):
        assert again.tokenize(TEXTS).to_list() == tokenizer.tokenize(TEXTS).to_list()


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
