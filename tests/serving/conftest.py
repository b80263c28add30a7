"""A tiny model with its subwords, a translator of it in both forms, and an export."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest

from keras_nmt.models import Transformer
from keras_nmt.serving import Translator, export
from keras_nmt.text import SubwordTokenizer, train_subwords

# Few shapes, so that little is compiled. The largest length cuts the longest line.
OPTIONS: dict[str, Any] = {"beam_size": 3, "length_buckets": (6, 12), "batch_buckets": (1, 4)}
LINES = [
    "the small cat sat",
    "",
    "three red dogs and four blue birds ran from the old house to the new garden and never came back again",
    "a mouse",
    "   ",
    "seven cats sleep in the garden",
    "zürich",
]


@pytest.fixture(scope="session")
def source_tokenizer(tmp_path_factory: pytest.TempPathFactory) -> SubwordTokenizer:
    """Subwords of generated sentences, those of `LINES` among them."""
    folder = tmp_path_factory.mktemp("source")
    rng = np.random.default_rng(0)
    words = " ".join(LINES).split()
    sentences = [" ".join(rng.choice(words, rng.integers(2, 9))) for _ in range(300)]
    (folder / "text").write_text("\n".join(sentences), encoding="utf-8")
    return SubwordTokenizer(train_subwords([folder / "text"], folder / "subwords.model", vocabulary_size=120))


@pytest.fixture(scope="session")
def target_tokenizer(tmp_path_factory: pytest.TempPathFactory) -> SubwordTokenizer:
    folder = tmp_path_factory.mktemp("target")
    rng = np.random.default_rng(1)
    words = ["die", "kleine", "katze", "saß", "drei", "rote", "hunde", "vier", "blaue", "vögel", "sieben", "schlafen"]
    sentences = [" ".join(rng.choice(words, rng.integers(2, 9))) for _ in range(300)]
    (folder / "text").write_text("\n".join(sentences), encoding="utf-8")
    return SubwordTokenizer(train_subwords([folder / "text"], folder / "subwords.model", vocabulary_size=100))


def _make_model(noise: float = 0.3, **overrides: Any) -> Transformer:
    """A model whose weights are large enough for translations to differ, and to end."""
    sizes = {
        "source_vocabulary_size": 120,
        "num_encoder_layers": 1,
        "num_decoder_layers": 1,
        "hidden_dim": 16,
        "num_heads": 2,
        "intermediate_dim": 32,
        "shortcuts": "fusion",
        "shortcut_sites": ("self", "cross"),
    }
    keras.utils.set_random_seed(7)
    model = Transformer(**{**sizes, **overrides})
    rng = np.random.default_rng(7)
    model.set_weights([weight + rng.normal(0, noise, weight.shape) for weight in model.get_weights()])
    return model


@pytest.fixture(scope="session")
def make_model() -> Callable[..., Transformer]:
    return _make_model


@pytest.fixture(scope="session")
def lines() -> list[str]:
    return list(LINES)


@pytest.fixture(scope="session")
def options() -> dict[str, Any]:
    return dict(OPTIONS)


@pytest.fixture(scope="session")
def model() -> Transformer:
    return _make_model(target_vocabulary_size=100)


@pytest.fixture(scope="session")
def translator(
    model: Transformer, source_tokenizer: SubwordTokenizer, target_tokenizer: SubwordTokenizer
) -> Translator:
    return Translator(model, source_tokenizer, target_tokenizer, **OPTIONS)


@pytest.fixture(scope="session")
def compiled_translator(
    model: Transformer, source_tokenizer: SubwordTokenizer, target_tokenizer: SubwordTokenizer
) -> Translator:
    return Translator(model, source_tokenizer, target_tokenizer, **OPTIONS, jit_compile=True)


@pytest.fixture(scope="session")
def exported(
    model: Transformer,
    source_tokenizer: SubwordTokenizer,
    target_tokenizer: SubwordTokenizer,
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """A version folder."""
    return export(tmp_path_factory.mktemp("exports") / "model", model, source_tokenizer, target_tokenizer, **OPTIONS)
