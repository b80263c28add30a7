"""A tiny model of two languages with a bridge, and its subwords."""

from __future__ import annotations

from pathlib import Path

import keras
import numpy as np
import pytest
from small import noisy, save_model

from keras_nmt.analysis import BridgeAttention, bridge_attention
from keras_nmt.data import SubwordTokenizer, train_subwords
from keras_nmt.inference import Translator
from keras_nmt.layers import Roles, Shortcuts
from keras_nmt.models import AttentionBridgeModel, LanguageLabelModel, Transformer

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
    sizes = {"num_encoder_layers": 1, "num_decoder_layers": 1, "hidden_dim": 8}
    return noisy(AttentionBridgeModel({"en": 60, "de": 60}, **sizes, bridge_heads=12, bridge_hidden_dim=8), 3, 0.7)


@pytest.fixture(scope="session")
def sentences() -> list[str]:
    return ["the small cat", "", "$a in $b", "three old houses " * 4, "the small cat", "zürich"]


@pytest.fixture(scope="session")
def attentions(model: AttentionBridgeModel, tokenizer: SubwordTokenizer, sentences: list[str]) -> list[BridgeAttention]:
    return bridge_attention(model, tokenizer, "de", sentences)


@pytest.fixture(scope="session")
def lines() -> list[str]:
    rng = np.random.default_rng(1)
    return ["the cat", "", *(" ".join(rng.choice(WORDS, rng.integers(1, 8))) for _ in range(40))]


@pytest.fixture(scope="session")
def translated(lines: list[str]) -> list[str]:
    return [" ".join(reversed(line.split())) for line in lines]


@pytest.fixture(scope="session")
def mixed(tokenizer: SubwordTokenizer) -> Translator:
    """A Transformer with every mechanism, whose weights are large enough for tokens to differ."""
    keras.utils.set_random_seed(4)
    model = Transformer(
        60,
        num_encoder_layers=2,
        num_decoder_layers=2,
        hidden_dim=8,
        num_heads=2,
        intermediate_dim=16,
        shortcuts=Shortcuts("fusion", sites=("self", "cross")),
        layer_composition="extended",
        head_composition="low_rank",
        roles=Roles("one_hot", num_roles=4, context="cnn", low_rank=True),
    )
    return Translator(noisy(model, 4), tokenizer)


@pytest.fixture(scope="session")
def plain(tokenizer: SubwordTokenizer) -> Translator:
    """A Transformer whose layers add nothing: all states are the embeddings, without positions' norms."""
    keras.utils.set_random_seed(5)
    sizes = {"num_heads": 2, "hidden_dim": 16, "intermediate_dim": 16, "dropout": 0.0}
    model = Transformer(60, num_encoder_layers=1, num_decoder_layers=1, **sizes)
    for weight in model.weights:
        if "/output/" in weight.path or ("feed_forward" in weight.path and "norm" not in weight.path):
            weight.assign(np.zeros(weight.shape))
    return Translator(model, tokenizer)


@pytest.fixture(scope="session")
def bridged(model: AttentionBridgeModel, tokenizer: SubwordTokenizer) -> Translator:
    return Translator(model, tokenizer)


@pytest.fixture(scope="session")
def labelled(subwords: Path) -> Translator:
    """A model of two languages with a label before the source, recurrent, with two layers on each side."""
    keras.utils.set_random_seed(6)
    sizes = {"num_encoder_layers": 2, "num_decoder_layers": 2, "hidden_dim": 8}
    model = LanguageLabelModel(["en", "de"], vocabulary_size=60, **sizes)
    text, labels = subwords.parent / "text", LanguageLabelModel.labels(["en", "de"])
    path = train_subwords(text, subwords.parent / "labels.model", vocabulary_size=60, control_symbols=labels)
    return Translator(model, SubwordTokenizer(path))


@pytest.fixture(scope="session")
def directories(mixed, plain, bridged, tokenizer, tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    for name, translator in (("mixed", mixed), ("plain", plain), ("bridged", bridged)):
        save_model(folder / name, translator.model, tokenizer)
    return folder


@pytest.fixture(scope="session")
def texts(lines, translated, tmp_path_factory):
    """A folder with the files `source` and `target`."""
    folder = tmp_path_factory.mktemp("texts")
    for name, text in (("source", lines), ("target", translated)):
        (folder / name).write_text("".join(f"{line}\n" for line in text))
    return folder


@pytest.fixture
def run_inspect(keras_nmt):
    """Runs `keras-nmt inspect ARGUMENTS` in this process and returns standard output."""
    return lambda *arguments: keras_nmt("inspect", *arguments).output
