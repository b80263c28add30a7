"""A tiny model of two languages with a bridge, and its subwords."""

from __future__ import annotations

from pathlib import Path

import keras
import numpy as np
import pytest

from keras_nmt.analysis import BridgeAttention, bridge_attention
from keras_nmt.models import AttentionBridgeModel
from keras_nmt.text import SubwordTokenizer, train_subwords

K = 12
WORDS = ["the", "small", "cat", "sat", "$a", "$b", "in", "three", "old", "houses"]


@pytest.fixture(scope="session")
def subwords(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("subwords")
    rng = np.random.default_rng(0)
    sentences = [" ".join(rng.choice(WORDS, rng.integers(2, 9))) for _ in range(200)]
    (folder / "text").write_text("\n".join(sentences), encoding="utf-8")
    return train_subwords([folder / "text"], folder / "subwords.model", vocabulary_size=60)


@pytest.fixture(scope="session")
def tokenizer(subwords: Path) -> SubwordTokenizer:
    return SubwordTokenizer(subwords)


@pytest.fixture(scope="session")
def model() -> AttentionBridgeModel:
    """A model whose weights are large enough for heads to attend to different tokens."""
    keras.utils.set_random_seed(3)
    model = AttentionBridgeModel(
        {"en": 60, "de": 60},
        num_encoder_layers=1,
        num_decoder_layers=1,
        hidden_dim=8,
        bridge_heads=K,
        bridge_hidden_dim=8,
    )
    rng = np.random.default_rng(3)
    model.set_weights([weight + rng.normal(0, 0.7, weight.shape) for weight in model.get_weights()])
    return model


@pytest.fixture(scope="session")
def sentences() -> list[str]:
    return ["the small cat", "", "$a in $b", "three old houses " * 4, "the small cat", "zürich"]


@pytest.fixture(scope="session")
def attentions(model: AttentionBridgeModel, tokenizer: SubwordTokenizer, sentences: list[str]) -> list[BridgeAttention]:
    return bridge_attention(model, tokenizer, "de", sentences)
