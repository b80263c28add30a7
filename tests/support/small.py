"""Small models with subwords, their translators and exports: fixtures of all tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_nmt.data import SubwordTokenizer, train_subwords
from keras_nmt.decoding import LogitProcessor
from keras_nmt.ids import UNK
from keras_nmt.inference import AlignedSubwords, Shortlist, Translator
from keras_nmt.models import AttentionBridgeModel, LanguageLabelModel, MultilingualModel, Transformer
from keras_nmt.serving import export

MadeOnce = Callable[[str, Callable[[Path], object]], Path]

# Few shapes, so that little is compiled. The largest length truncates the longest line.
OPTIONS: dict[str, Any] = {"beam_size": 3, "length_buckets": (6, 12), "batch_buckets": (1, 4)}
# One shape, for tests that compile: XLA compiles each shape by itself.
ONE_SHAPE: dict[str, Any] = {"beam_size": 3, "length_buckets": (12,), "batch_buckets": (4,)}
SAMPLING: dict[str, Any] = {"sample": True, "temperature": 1.5, "top_k": 50, "top_p": 0.95}
# For models of several directions.
MANY: dict[str, Any] = {"beam_size": 2, "length_buckets": (8,), "batch_buckets": (4,), "max_length": 8}
LINES = [
    "the small cat sat",
    "",
    "three red dogs and four blue birds ran from the old house to the new garden and never came back again",
    "a mouse",
    "   ",
    "seven cats sleep in the garden",
    "zürich",
]


def make_shortlist(
    tokenizers: Mapping[str, SubwordTokenizer], *sentences: Sequence[Any], num_candidates: int = 50
) -> Shortlist:
    """Makes a shortlist from sources, targets and alignments."""
    counts = AlignedSubwords(tokenizers)
    counts.add(*sentences)
    return counts.shortlist(num_candidates)


class FavourUnknown(LogitProcessor):
    """Makes every second subword an unknown one, which an untrained model does not write."""

    def __call__(self, log_probabilities, step, state):
        likeliest = tf.reduce_max(log_probabilities, -1, keepdims=True)
        return tf.where((step.ids == UNK) & (step.position % 2 == 1), likeliest + 1, log_probabilities), state


def _train_source(folder: Path, **symbols: list[str]) -> SubwordTokenizer:
    """Subwords of generated sentences, including `LINES`."""
    rng = np.random.default_rng(0)
    words = " ".join(LINES).split()
    sentences = [" ".join(rng.choice(words, rng.integers(2, 9))) for _ in range(300)]
    (folder / "text").write_text("\n".join(sentences), encoding="utf-8")
    return SubwordTokenizer(train_subwords(folder / "text", folder / "subwords.model", vocabulary_size=120, **symbols))


@pytest.fixture(scope="session")
def source_tokenizer(tmp_path_factory: pytest.TempPathFactory) -> SubwordTokenizer:
    return _train_source(tmp_path_factory.mktemp("source"))


@pytest.fixture(scope="session")
def label_tokenizer(tmp_path_factory: pytest.TempPathFactory) -> SubwordTokenizer:
    """The same with the labels of `LANGUAGES`."""
    return _train_source(tmp_path_factory.mktemp("label"), control_symbols=LanguageLabelModel.labels(list(LANGUAGES)))


@pytest.fixture(scope="session")
def target_tokenizer(tmp_path_factory: pytest.TempPathFactory) -> SubwordTokenizer:
    folder = tmp_path_factory.mktemp("target")
    rng = np.random.default_rng(1)
    words = ["die", "kleine", "katze", "saß", "drei", "rote", "hunde", "vier", "blaue", "vögel", "sieben", "schlafen"]
    sentences = [" ".join(rng.choice(words, rng.integers(2, 9))) for _ in range(300)]
    (folder / "text").write_text("\n".join(sentences), encoding="utf-8")
    return SubwordTokenizer(train_subwords([folder / "text"], folder / "subwords.model", vocabulary_size=100))


@pytest.fixture(scope="session")
def tokenizers(source_tokenizer: SubwordTokenizer, target_tokenizer: SubwordTokenizer) -> dict[str, SubwordTokenizer]:
    return {"source": source_tokenizer, "target": target_tokenizer}


def _make_model(noise: float = 0.3, **overrides: Any) -> Transformer:
    """A model whose weights are large enough for translations to differ and to end."""
    sizes = {
        "source_vocabulary_size": 120,
        "num_encoder_layers": 1,
        "num_decoder_layers": 1,
        "hidden_dim": 16,
        "num_heads": 2,
        "intermediate_dim": 32,
        "shortcuts": {"kind": "fusion", "sites": ["self", "cross"]},
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
def translator(model: Transformer, tokenizers: dict[str, SubwordTokenizer]) -> Translator:
    return Translator(model, tokenizers, **OPTIONS)


@pytest.fixture(scope="session")
def compiled_translator(model: Transformer, tokenizers: dict[str, SubwordTokenizer]) -> Translator:
    return Translator(model, tokenizers, **ONE_SHAPE, jit_compile=True)


# Three languages: two have the same subwords, one has a name that is not a Python identifier.
LANGUAGES = {"de": 120, "fr": 100, "zh-Hans": 120}
MULTILINGUAL: dict[str, tuple[type[MultilingualModel], dict[str, Any]]] = {
    "recurrent": (AttentionBridgeModel, {"bridge_heads": 3, "bridge_hidden_dim": 6}),
    "without_bridge": (AttentionBridgeModel, {"bridge_heads": None}),
    "transformer": (
        AttentionBridgeModel,
        {
            "encoder": "transformer",
            "decoder": "transformer",
            "transformer": {"num_heads": 2, "intermediate_dim": 8},
            "bridge_heads": 3,
            "bridge_hidden_dim": 6,
        },
    ),
    "label": (
        LanguageLabelModel,
        {"encoder": "transformer", "vocabulary_size": 120, "transformer": {"num_heads": 2, "intermediate_dim": 8}},
    ),
}


@pytest.fixture(scope="session")
def make_multilingual(
    source_tokenizer: SubwordTokenizer, target_tokenizer: SubwordTokenizer, label_tokenizer: SubwordTokenizer
) -> Callable[..., tuple[MultilingualModel, dict[str, SubwordTokenizer]]]:
    """A model of any kind whose weights are large enough for translations to differ, and its tokenizers."""

    def make(
        kind: str, names: Sequence[str] = tuple(LANGUAGES), **overrides: Any
    ) -> tuple[MultilingualModel, dict[str, SubwordTokenizer]]:
        keras.utils.set_random_seed(7)
        model_class, sizes = MULTILINGUAL[kind]
        layers = {"num_encoder_layers": 1, "num_decoder_layers": 1}
        languages = {name: LANGUAGES[name] for name in names} if kind != "label" else list(names)
        model = model_class(languages, hidden_dim=8, **{**layers, **sizes, **overrides})
        rng = np.random.default_rng(7)
        model.set_weights([weight + rng.normal(0, 0.4, weight.shape) for weight in model.get_weights()])
        if kind == "label":
            return model, dict.fromkeys(names, label_tokenizer)
        return model, {**dict.fromkeys(names, source_tokenizer), "fr": target_tokenizer}

    return make


@pytest.fixture(scope="session")
def exported(
    model: Transformer,
    tokenizers: dict[str, SubwordTokenizer],
    made_once: MadeOnce,
) -> Path:
    """A version folder, with warm-up records for both searches."""

    def make(folder: Path) -> None:
        export(folder / "model", model, tokenizers, **OPTIONS, warmup=LINES, warmup_xla=True)

    return made_once("export of one direction", make) / "model" / "1"


@pytest.fixture(scope="session")
def exported_multilingual(make_multilingual: Callable[..., Any], made_once: MadeOnce) -> Path:
    """A version folder of a bridge model that was trained by cuDNN, where there is a GPU, with `MANY` as options."""

    def make(folder: Path) -> None:
        model = make_multilingual("recurrent", use_cudnn="auto", dtype="mixed_bfloat16")
        export(folder / "model", *model, directions=[("de", "fr"), ("zh-Hans", "de")], **MANY)

    return made_once("export of several directions", make) / "model" / "1"


@pytest.fixture(scope="session")
def exported_label(make_multilingual: Callable[..., Any], made_once: MadeOnce) -> Path:
    """A version folder of a label model, with the signatures `search` and `align` and with `MANY` as options."""

    def make(folder: Path) -> None:
        model = make_multilingual("label")
        export(folder / "model", *model, **MANY, directions=[], signatures=["search", "align"])

    return made_once("export of directions with search and align", make) / "model" / "1"


@pytest.fixture(scope="session")
def exported_sampler(
    model: Transformer,
    tokenizers: dict[str, SubwordTokenizer],
    made_once: MadeOnce,
) -> Path:
    """A version folder that samples as `SAMPLING`, with two hypotheses, of one shape."""

    def make(folder: Path) -> None:
        export(folder / "sampler", model, tokenizers, **ONE_SHAPE, **SAMPLING, num_hypotheses=2)

    return made_once("export that samples", make) / "sampler" / "1"
