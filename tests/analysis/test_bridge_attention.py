"""The attention of a bridge over sentences."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from keras_nmt.analysis import bridge_attention
from keras_nmt.errors import UserError
from keras_nmt.ids import END
from keras_nmt.models import AttentionBridgeModel, LanguageLabelModel


def test_equals_the_attention_of_each_sentence_alone(attentions, model, tokenizer, sentences):
    """Padding, order and batches make no difference to the layers' outputs for one sentence at a time."""
    assert len(attentions) == len(sentences)
    for (tokens, attention), sentence in zip(attentions, sentences, strict=True):
        ids = np.array([[*tokenizer.tokenize([sentence])[0].numpy(), END]], "int32")
        memory = model._sides.sources["de"](ids)
        alone = model.bridge(memory["states"], return_attention=True)[1][0]
        assert attention.shape == (12, len(tokens)) == (12, ids.shape[1])
        assert attention.dtype == np.float32
        np.testing.assert_allclose(attention, alone, atol=1e-6)
        np.testing.assert_allclose(attention.sum(axis=1), 1, atol=1e-5)


def test_the_language_selects_the_encoder(attentions, model, tokenizer, sentences):
    other = bridge_attention(model, tokenizer, "en", sentences[:1])[0].attention
    assert np.abs(other - attentions[0].attention).max() > 1e-3


def test_tokens_are_the_sentence_and_its_end(attentions, sentences):
    for (tokens, _), sentence in zip(attentions, sentences, strict=True):
        assert tokens[-1] == "</s>"
        if "ü" not in sentence:
            assert "".join(tokens[:-1]).replace("▁", " ").split() == sentence.split()
    assert "<unk>" in attentions[-1].tokens
    assert attentions[1].tokens == ("</s>",)


def test_many_batches_equal_one_batch(attentions, model, tokenizer, sentences, monkeypatch):
    monkeypatch.setattr(sys.modules[bridge_attention.__module__], "TOKENS_AT_ONCE", 10)
    for one, other in zip(attentions, bridge_attention(model, tokenizer, "de", sentences), strict=True):
        assert one.tokens == other.tokens
        np.testing.assert_allclose(one.attention, other.attention, atol=1e-6)


def test_no_sentences_give_an_empty_list(model, tokenizer):
    assert bridge_attention(model, tokenizer, "de", []) == []


def test_bad_input(model, tokenizer):
    sizes = {"num_encoder_layers": 1, "num_decoder_layers": 1, "hidden_dim": 8}
    for without in (
        AttentionBridgeModel({"de": 60}, bridge_heads=None, **sizes),
        LanguageLabelModel({"de": 60, "en": 60}, **sizes),
    ):
        with pytest.raises(UserError, match=f"no attention bridge.*Received: {type(without).__name__}"):
            bridge_attention(without, tokenizer, "de", ["the cat"])
    with pytest.raises(UserError, match="languages en, de. Received: fr"):
        bridge_attention(model, tokenizer, "fr", ["the cat"])
