"""A model with more subwords: old rows stay, logits of old ids stay, and new rows are means."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
from small import slow

from keras_nmt.data import extend_subwords
from keras_nmt.errors import UserError
from keras_nmt.ids import UNK
from keras_nmt.inference import Translator
from keras_nmt.models import ModelDirectory
from keras_nmt.training import extend_vocabulary

TEXT = ["seven bicycles slept", "a bicycle helmet", "bicycle helmets in zürich"] * 3
OLD = ["the small cat sat", "seven cats sleep in the garden", "three red dogs"]


def save(folder, model, tokenizers) -> ModelDirectory:
    directory, protos = ModelDirectory(folder), {}
    for language, tokenizer in tokenizers.items():
        name = protos.setdefault(tokenizer.digest, f"subwords.{len(protos)}.model")
        tokenizer.save(folder / name)
        tokenizers = {**tokenizers, language: name}
    directory.save_config(model, subwords=tokenizers, search={"beam_size": 2})
    directory.save_weights(model)
    return directory


def check_tables(before, after, origins: list[list[int]]) -> int:
    """Compares all weights but a new bias with the means over `origins`; returns the number of tables."""
    tables, kept = 0, [weight for weight in after.weights if not weight.path.endswith("embedding/bias")]
    for old, new in zip(before.weights, kept, strict=True):
        value, found = old.numpy(), new.numpy()
        if value.shape != found.shape:
            tables += 1
            (axis,) = [i for i in range(value.ndim) if value.shape[i] != found.shape[i]]
            value, found = np.moveaxis(value, axis, 0), np.moveaxis(found, axis, 0)
            for i, ids in enumerate(origins):
                if len(ids) == 1:
                    np.testing.assert_array_equal(found[i], value[ids[0]])
                else:
                    np.testing.assert_allclose(found[i], sum(value[j] for j in ids) / len(ids), atol=1e-6)
        else:
            np.testing.assert_array_equal(found, value)
    return tables


def translators(tmp_path):
    """Of the old and of the new folder."""
    return [Translator.from_directory(tmp_path / name, beam_size=1) for name in ("old", "new")]


@pytest.mark.parametrize(
    "options",
    [{}, pytest.param({"shortcuts": None, "roles": {"kind": "softmax", "num_roles": 2}}, marks=pytest.mark.slow)],
)
def test_a_joint_vocabulary(make_model, source_tokenizer, tmp_path, options):
    save(tmp_path / "old", make_model(**options), dict.fromkeys(("source", "target"), source_tokenizer))
    added = extend_vocabulary(tmp_path / "old", tmp_path / "new", text=TEXT, number=5, words=["mousetrap"])
    before, after = translators(tmp_path)
    assert after.model.target_vocabulary_size == 120 + added
    # tests/data/test_extend_subwords.py checks the origins.
    proto = before.tokenizers["source"].proto
    origins = extend_subwords(proto, text=TEXT, number=5, words=["mousetrap"]).origins
    assert sum(len(ids) > 1 for ids in origins) > 5
    assert check_tables(before.model, after.model, origins) == 1
    source, target = np.array([[9, 20, 70, 3]]), np.array([[2, 30, 50]])
    logits = [np.asarray(translator.model([source, target])) for translator in (before, after)]
    np.testing.assert_allclose(logits[1][..., :120], logits[0], atol=1e-5)
    for i, ids in enumerate(origins):  # new logits are means of old ones, so none is the largest
        if i != UNK and set(ids) == {UNK}:
            continue  # a new character
        np.testing.assert_allclose(logits[1][..., i], logits[0][..., ids].mean(-1), atol=1e-4)
    assert ModelDirectory(tmp_path / "new").read().search == {"beam_size": 2}


@pytest.mark.parametrize("has_bias", [False, slow(True)])
def test_new_characters_share_the_probability_of_the_unknown_subword(has_bias, make_model, tokenizers, tmp_path):
    save(tmp_path / "old", make_model(target_vocabulary_size=100, logits_bias=has_bias), tokenizers)
    text = ["".join(map(chr, range(0x4E00, 0x4E00 + 300)))]
    assert extend_vocabulary(tmp_path / "old", tmp_path / "new", text=text, language="target") == 300
    before, after = translators(tmp_path)
    source, target = np.array([[9, 20, 70, 3]]), np.array([[2, 30, 50]])
    old, new = (tf.nn.log_softmax(x.model([source, target])).numpy() for x in (before, after))
    np.testing.assert_allclose(new[..., :100], old - np.log1p(np.exp(old[..., UNK, None]) / 10), atol=1e-5)
    np.testing.assert_allclose(new[..., 100:], new[..., UNK, None] - np.log(10 * 300) + np.zeros(300), atol=1e-5)


@pytest.mark.parametrize("encoder", ["transformer", "recurrent"])
def test_new_characters_of_a_recurrent_decoder(encoder, make_multilingual, tmp_path, recwarn):
    model, tokenizers = make_multilingual("recurrent", ["fr"], encoder=encoder)
    save(tmp_path / "old", model, tokenizers)
    extend_vocabulary(tmp_path / "old", tmp_path / "new", text=["\u4e00\u4e01"])
    told = [str(x.message) for x in recwarn if "each of 2 new characters is as probable as <unk>" in str(x.message)]
    assert len(told) == (encoder == "recurrent")
    if encoder == "transformer":
        source, target = np.array([[9, 20, 70, 3]]), np.array([[2, 30, 50]])
        larger = ModelDirectory(tmp_path / "new").load_model()
        old, new = (tf.nn.log_softmax(x.pair("fr", "fr")([source, target])).numpy() for x in (model, larger))
        old_size = old.shape[-1]
        np.testing.assert_allclose(new[..., :old_size], old - np.log1p(np.exp(old[..., UNK, None]) / 10), atol=1e-5)


def test_one_of_two_vocabularies(make_model, tokenizers, tmp_path):
    save(tmp_path / "old", make_model(target_vocabulary_size=100), tokenizers)
    for language, problem in ((None, "name one of source, target"), ("it", "must be one of source, target")):
        with pytest.raises(UserError, match=problem):
            extend_vocabulary(tmp_path / "old", tmp_path / "new", words=["mouse-trap"], language=language)
    extend_vocabulary(
        tmp_path / "old", tmp_path / "new", words=["mouse\u2011tr\xadap"], tags=["<2fr>"], language="source"
    )
    before, after = translators(tmp_path)
    assert after.tokenizers["target"].proto == before.tokenizers["target"].proto
    assert after.tokenizers["source"].pieces(0, 999)[-1] == "<2fr>"
    origins = extend_subwords(before.tokenizers["source"].proto, words=["mouse-trap"], user_symbols=["<2fr>"]).origins
    assert check_tables(before.model, after.model, origins) == 1


@pytest.mark.parametrize("searches", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_new_target_language(make_multilingual, tmp_path, searches):
    save(tmp_path / "old", *make_multilingual("label"))
    assert extend_vocabulary(tmp_path / "old", tmp_path / "new", tags=["cs"]) == 1
    before, after = translators(tmp_path)
    assert after.languages == (*before.languages, "cs")
    origins = [[i] for i in range(7)] + [[4, 5, 6]] + [[i] for i in range(7, 120)]
    assert check_tables(before.model, after.model, origins) == 2  # embeddings, and output
    with pytest.raises(UserError, match="must be new languages of the model. Received: fr"):
        extend_vocabulary(tmp_path / "old", tmp_path / "other", tags=["fr"])
    if searches:
        for target in ("fr", "zh-Hans"):
            texts = [[x.text for x in one.translate(OLD, "de", target)] for one in (before, after)]
            assert texts[0] == texts[1]
        assert len(after.translate(OLD, "de", "cs")) == 3


def test_nothing_is_overwritten_and_a_folder_is_whole(make_model, source_tokenizer, tmp_path, monkeypatch):
    save(tmp_path / "old", make_model(), dict.fromkeys(("source", "target"), source_tokenizer))
    with pytest.raises(UserError, match="must be new or empty"):
        extend_vocabulary(tmp_path / "old", tmp_path / "old", words=["mouse-trap"])
    with pytest.raises(UserError, match="nothing to add"):
        extend_vocabulary(tmp_path / "old", tmp_path / "new", words=["the"])

    def fail(*_):
        raise OSError("No space left on device")

    monkeypatch.setattr(ModelDirectory, "save_weights", fail)
    with pytest.raises(OSError, match="No space left"):
        extend_vocabulary(tmp_path / "old", tmp_path / "new", words=["mouse-trap"])
    assert not (tmp_path / "new").exists()


@pytest.mark.slow
def test_an_attention_bridge_has_no_tags_and_other_languages_stay(make_multilingual, tmp_path):
    model, tokenizers = make_multilingual("without_bridge", encoder="transformer", decoder="transformer")
    save(tmp_path / "old", model, tokenizers)
    with pytest.raises(UserError, match="no `tags`"):
        extend_vocabulary(tmp_path / "old", tmp_path / "new", language="fr", tags=["cs"])
    extend_vocabulary(tmp_path / "old", tmp_path / "new", language="fr", words=["mouse-trap", "ő"])
    before, after = (ModelDirectory(tmp_path / name).load_model() for name in ("old", "new"))
    assert after.vocabulary_sizes["de"] == before.vocabulary_sizes["de"]
    biases = {weight.path: weight.numpy() for weight in after.weights if weight.path.endswith("embedding/bias")}
    assert len(biases["fr_embedding/bias"]) == after.vocabulary_sizes["fr"] > before.vocabulary_sizes["fr"]
    assert biases["fr_embedding/bias"].any()  # of a letter that the model never saw
    assert not biases["de_embedding/bias"].any()
