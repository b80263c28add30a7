"""A tiny model with its subwords, a translator of it in both forms, and an export."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
from tensorflow.core.protobuf import saved_model_pb2

from keras_nmt.inference import Translator
from keras_nmt.models import AttentionBridgeModel, LanguageLabelModel, MultilingualModel, Transformer
from keras_nmt.serving import export
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
    """A version folder, with warm-up records for both searches."""
    path = tmp_path_factory.mktemp("exports") / "model"
    return export(path, model, source_tokenizer, target_tokenizer, **OPTIONS, warmup=LINES, warmup_xla=True)


# Three languages, two of them with the same subwords, one with a name that is no Python name.
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
    source_tokenizer: SubwordTokenizer, target_tokenizer: SubwordTokenizer
) -> Callable[..., tuple[MultilingualModel, dict[str, SubwordTokenizer]]]:
    """A model of some kind whose weights are large enough for translations to differ, and its tokenizers."""

    def make(kind: str, **overrides: Any) -> tuple[MultilingualModel, dict[str, SubwordTokenizer]]:
        keras.utils.set_random_seed(7)
        model_class, sizes = MULTILINGUAL[kind]
        layers = {"num_encoder_layers": 1, "num_decoder_layers": 1}
        languages = LANGUAGES if kind != "label" else list(LANGUAGES)
        model = model_class(languages, hidden_dim=8, **{**layers, **sizes, **overrides})
        rng = np.random.default_rng(7)
        model.set_weights([weight + rng.normal(0, 0.4, weight.shape) for weight in model.get_weights()])
        tokenizers = dict.fromkeys(LANGUAGES, source_tokenizer)
        return model, tokenizers if kind == "label" else {**tokenizers, "fr": target_tokenizer}

    return make


# What a process that knows nothing of keras_nmt runs: the server's way of loading, by a session.
RUN_BY_SESSION = """
import json, sys
sys.modules["keras_nmt"] = None  # an import would fail
import tensorflow as tf, tensorflow_text
path, requests = sys.argv[1], json.load(sys.stdin)
with tf.compat.v1.Session(graph=tf.Graph()) as session:
    signatures = tf.compat.v1.saved_model.loader.load(session, ["serve"], path).signature_def
    answers = []
    for name, inputs in requests:
        signature = signatures[name]
        outputs = {key: info.name for key, info in signature.outputs.items()}
        feed = {signature.inputs[key].name: texts for key, texts in inputs.items()}
        try:
            answers.append({key: value.tolist() for key, value in session.run(outputs, feed).items()})
        except tf.errors.InvalidArgumentError as error:
            answers.append(str(error))
print(json.dumps(answers, default=bytes.decode))
"""


def _run_apart(program: str, *arguments: str, text: str = "") -> str:
    """Runs a Python program in a process of its own, in a folder from where keras_nmt cannot be imported."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, input=text, capture_output=True, text=True, env=environment, cwd="/", timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="session")
def run_apart() -> Callable[..., str]:
    """Runs a Python program in a process of its own, in a folder from where keras_nmt cannot be imported."""
    return _run_apart


@pytest.fixture(scope="session")
def ask_session(
    run_python: Callable[..., subprocess.CompletedProcess[bytes]],
) -> Callable[[Path, list[tuple[str, dict[str, list[str]]]]], list[Any]]:
    """What signatures of an export answer to inputs, in a session of a process without keras_nmt.

    In place of an answer there is the message, where there was an error.
    """

    def ask(exported: Path, requests: list[tuple[str, dict[str, list[str]]]]) -> list[Any]:
        done = run_python("-c", RUN_BY_SESSION, exported, stdin=json.dumps(requests).encode(), cwd="/")
        assert done.returncode == 0, done.stderr[-3000:]
        return json.loads(done.stdout)

    return ask


@pytest.fixture(scope="session")
def reached() -> Callable[[Path, str], tuple[set[str], bool]]:
    """The operators that a signature of an export can run, and whether any function is marked for XLA."""

    def find(exported: Path, signature: str) -> tuple[set[str], bool]:
        saved_model = saved_model_pb2.SavedModel.FromString((exported / "saved_model.pb").read_bytes())
        meta_graph = saved_model.meta_graphs[0]
        nodes = {node.name: node for node in meta_graph.graph_def.node}
        library = {function.signature.name: function for function in meta_graph.graph_def.library.function}
        waiting = [nodes[info.name.split(":")[0]] for info in meta_graph.signature_def[signature].outputs.values()]
        seen: set[str] = set()
        operators, marked = set(), False
        while waiting:
            node = waiting.pop()
            operators.add(node.op)
            marked |= any("XlaMustCompile" in name and value.b for name, value in node.attr.items())
            for value in node.attr.values():
                for name in {value.func.name, *(function.name for function in value.list.func)} & set(library) - seen:
                    seen.add(name)
                    marked |= any("XlaMustCompile" in key and one.b for key, one in library[name].attr.items())
                    waiting.extend(library[name].node_def)
        return operators, marked

    return find
