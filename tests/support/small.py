"""Small models with subwords, their translators and exports: fixtures of all tests."""

from __future__ import annotations

import contextlib
import io
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_nmt.data import SubwordTokenizer, train_subwords
from keras_nmt.decoding import LogitProcessor
from keras_nmt.files.search_options import TABLE
from keras_nmt.ids import EOS, PAD, UNK
from keras_nmt.inference import AlignedSubwords, Shortlist, Translation, Translator
from keras_nmt.models import AttentionBridgeModel, LanguageLabelModel, ModelDirectory, MultilingualModel, Transformer
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


def seed(number: int) -> None:
    """Seeds Python, NumPy and Keras, from which all random numbers of models come.

    Keras would also seed TensorFlow, which then removes its kernels and the graphs that it has prepared: every test
    would prepare them again.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tf.random, "set_seed", lambda _: None)
        keras.utils.set_random_seed(number)


def make_shortlist(
    tokenizers: Mapping[str, SubwordTokenizer], *sentences: Sequence[Any], num_candidates: int = 50
) -> Shortlist:
    """Makes a shortlist from sources, targets and alignments."""
    counts = AlignedSubwords(tokenizers)
    counts.add(*sentences)
    return counts.shortlist(num_candidates)


def texts_of(translations: Sequence[Translation]) -> list[list[str]]:
    return [[hypothesis.text for hypothesis in translation.hypotheses] for translation in translations]


def searched(translator: Translator, texts: Sequence[str]) -> list[np.ndarray]:
    """Tokens [B, n, T], scores [B, n] and cut-off hypotheses [B, n] of source texts, all that the search returns."""
    source = translator.tokenizers["source"].tokenize(texts)
    source = tf.concat([source, tf.fill([len(texts), 1], EOS)], 1).to_tensor(PAD)
    memory = translator.graph._encoders[0](source, False)
    return [x.numpy() for x in translator.graph._searches[0](memory, source, compiled=False)]


def write_lines(path: Path, lines: Sequence[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def subwords_of(folder: Path, text: str, **options: Any) -> SubwordTokenizer:
    """Trains subwords of a text; their model is the file `m` of the folder."""
    (folder / "text").write_text(text, encoding="utf-8")
    return SubwordTokenizer(train_subwords(folder / "text", folder / "m", **options))


def slow(*values: Any) -> Any:
    """Makes a parameter of a test whose case is marked `slow`."""
    return pytest.param(*values, marks=pytest.mark.slow)


def nightly(*values: Any) -> Any:
    """Makes a parameter of a test whose case is marked `nightly`."""
    return pytest.param(*values, marks=pytest.mark.nightly)


OTHER_BACKENDS = [slow("jax"), nightly("torch")]


def run_on_backend(backend: str, *arguments: Any, cwd: Path | None = None, **variables: str) -> str:
    """Runs `python ARGUMENTS` on a backend of Keras, which must be installed. Returns standard output."""
    pytest.importorskip(backend)
    environment = {**os.environ, "KERAS_BACKEND": backend, "PYTHONPATH": os.pathsep.join(sys.path), **variables}
    command = [sys.executable, *arguments]
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def noisy(model: Any, seed: int, noise: float = 0.3) -> Any:
    """Adds noise to all weights of a model, so that tokens differ and translations end. Returns the model."""
    rng = np.random.default_rng(seed)
    model.set_weights([weight + rng.normal(0, noise, weight.shape) for weight in model.get_weights()])
    return model


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


@contextlib.contextmanager
def running_eagerly(is_eager: bool = True) -> Iterator[None]:
    """Runs searches without tracing them, which takes longer."""
    tf.config.run_functions_eagerly(is_eager)
    try:
        yield
    finally:
        tf.config.run_functions_eagerly(False)


def opening(translator: Translator) -> Callable[..., Translator]:
    """Returns a `Translator.from_directory` that gives this traced translator, with search options."""

    def from_directory(_: object, **options: Any) -> Translator:
        changed = {x: y for x, y in options.items() if x in TABLE and y != getattr(translator.options, x)}
        return translator.with_options(**changed) if changed else translator

    return from_directory


@pytest.fixture
def eager(request: pytest.FixtureRequest) -> Iterator[None]:
    """Runs searches eagerly, unless the test is marked `nightly`: at night they are traced, as for users."""
    with running_eagerly("nightly" not in request.keywords):
        yield


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
    seed(7)
    return noisy(Transformer(**{**sizes, **overrides}), 7, noise)


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
        seed(7)
        model_class, sizes = MULTILINGUAL[kind]
        layers = {"num_encoder_layers": 1, "num_decoder_layers": 1}
        languages = {name: LANGUAGES[name] for name in names} if kind != "label" else list(names)
        model = noisy(model_class(languages, hidden_dim=8, **{**layers, **sizes, **overrides}), 7, 0.4)
        if kind == "label":
            return model, dict.fromkeys(names, label_tokenizer)
        return model, {name: target_tokenizer if name == "fr" else source_tokenizer for name in names}

    return make


def save_model(
    folder: Path, model: Any, tokenizers: SubwordTokenizer | Mapping[str, SubwordTokenizer], **search: Any
) -> Path:
    """Writes a model directory. One tokenizer is of all sides, and one file."""
    directory, is_joint = ModelDirectory(folder), isinstance(tokenizers, SubwordTokenizer)
    names = {key: "subwords.model" if is_joint else f"{key}.model" for key in model.vocabulary_sizes}
    for key, name in names.items():
        (tokenizers if is_joint else tokenizers[key]).save(folder / name)
    directory.save_config(model, subwords=names, search=search)
    directory.save_weights(model)
    return folder


@pytest.fixture(scope="session")
def untrained(model: Transformer, tokenizers: dict[str, SubwordTokenizer], made_once: MadeOnce) -> Path:
    """A model directory of `model`, for what does not depend on what a model has learnt."""
    search = {"beam_size": 2, "max_length": 8, "length_buckets": [12]}
    return made_once("untrained model directory", lambda folder: save_model(folder, model, tokenizers, **search))


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


# A task that is learnt in seconds: numbers spelt in three ways.
WORDS = ["ka", "ke", "la", "le", "ma", "me", "na", "ne", "pa", "pe"]
SPELLINGS: dict[str, Callable[[Sequence[int]], str]] = {
    "digits": lambda digits: " ".join(map(str, digits)),
    "words": lambda digits: " ".join(WORDS[digit] for digit in digits),
    "letters": lambda digits: " ".join("abcdefghij"[digit] for digit in digits),
}
LEARNT = {"max_updates": 120, "evaluation.every": 60, "warmup_steps": 20, "saving.every": 20}


@pytest.fixture(scope="session")
def corpus(made_once: MadeOnce) -> Path:
    """`NAME.SPELLING` of train, dev and test: the same numbers, line by line."""

    def make(folder: Path) -> None:
        generator = random.Random(1)
        seen: set[tuple[int, ...]] = set()
        while len(seen) < 1800:
            seen.add(tuple(generator.choices(range(10), k=generator.randint(2, 4))))
        lines = sorted(seen)
        generator.shuffle(lines)
        for name, part in (("train", lines[:1740]), ("dev", lines[1740:1770]), ("test", lines[1770:])):
            for language, spell in SPELLINGS.items():
                write_lines(folder / f"{name}.{language}", list(map(spell, part)))

    return made_once("spellings", make)


@pytest.fixture(scope="session")
def one(corpus: Path) -> dict[str, Any]:
    """Settings of an experiment from digits to words, for four updates; with `LEARNT`, for as many as it needs."""
    return {
        "languages": ["source", "target"],
        "pairs": ["source-target"],
        **{
            f"data.{name}.{side}": str(corpus / f"{name}.{language}")
            for name in ("train", "dev", "test")
            for side, language in (("source", "digits"), ("target", "words"))
        },
        "vocabulary_size": 47,  # each word is one subword
        "preset": "transformer_tiny",
        "model": {
            **{"hidden_dim": 16, "num_encoder_layers": 1, "num_decoder_layers": 1, "intermediate_dim": 32},
            "dropout": 0.0,
        },
        "batch_size": 64,
        "batch_unit": "sentences",
        "length_buckets": [8],
        "schedule": "constant",
        "learning_rate": 0.02,
        "max_updates": 4,
        "evaluation.every": 2,
        "logging.every": 1,
        "dev_sentences": 4,
        "beam_size": 1,
        "final_weights": "last",
    }


@pytest.fixture(scope="session")
def trained(one: dict[str, Any], made_once: MadeOnce) -> Path:
    """The folder of a run that has learnt to write digits in words."""
    from keras_nmt.experiments import ExperimentConfig, run

    def make(folder: Path) -> None:
        run(ExperimentConfig.from_settings({"directory": folder, **one}, LEARNT), report=str)

    return made_once("trained on spellings", make)


class Ended(NamedTuple):
    """What a command has written."""

    output: str
    error: str


@pytest.fixture
def keras_nmt(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ended]:
    """Runs `keras-nmt ARGUMENTS` in this process, which must end with `code`, or with 0 or 2 if it is None."""
    from keras_nmt.cli import app as cli

    def run(*arguments: object, stdin: str = "", code: int | None = 0) -> Ended:
        capsys.readouterr()
        sys.stderr.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # as that of a process
        with monkeypatch.context() as patch:
            patch.setattr(sys, "argv", ["keras-nmt", *map(str, arguments)])
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
            with pytest.raises(SystemExit) as ended:
                cli.main()
        written = Ended(*capsys.readouterr())
        assert (ended.value.code or 0) in ((0, 2) if code is None else (code,)), written.error
        return written

    return run


@pytest.fixture
def error_line(keras_nmt: Callable[..., Ended]) -> Callable[..., str]:
    """Runs `keras-nmt ARGUMENTS`, which must fail with exit code 2, in this process; returns the line of the error."""

    def run(*arguments: object, stdin: str = "") -> str:
        error: str = keras_nmt(*arguments, stdin=stdin, code=2).error
        assert error.startswith("Error: ")
        assert error.count("\n") == 1
        return error

    return run
