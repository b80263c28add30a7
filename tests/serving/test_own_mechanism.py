"""Mechanisms of the user's own in exports, and the page of the documentation about them, run as it stands."""

from __future__ import annotations

import importlib
import json
import os
import random
import re
import shlex
import sys
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
from own_mechanisms import EVERYWHERE

from keras_nmt.inference import Translator
from keras_nmt.layers._keras_private import all_layers
from keras_nmt.serving import export
from keras_nmt.testing import randomise

PAGE = (Path(__file__).parents[2] / "docs/own_mechanism.md").read_text(encoding="utf-8")
FILE, EXAMPLE, HEADS_FILE, GATED_FILE, CHECKS, LOOK = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
COMMANDS, GATED_COMMANDS = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
MODERN = {"norm": "rms", "feed_forward": "swiglu", "positions": "rotary", "num_key_value_heads": 1}


@pytest.mark.parametrize(
    "options",
    [
        pytest.param(EVERYWHERE, marks=pytest.mark.slow, id="own"),
        pytest.param(MODERN, marks=pytest.mark.nightly, id="modern"),
    ],
)
def test_an_export_translates_as_the_model(options, make_model, tokenizers, lines, tmp_path):
    model = make_model(noise=0.15, target_vocabulary_size=100, num_encoder_layers=2, num_decoder_layers=2, **options)
    search = {"beam_size": 2, "length_buckets": (8,), "batch_buckets": (4,), "max_length": 6}
    expected = Translator(model, tokenizers, **search).translate(lines[:2])
    served = tf.saved_model.load(str(export(tmp_path / "export", model, tokenizers, **search)))
    found = served.signatures["serving_default"](text=tf.constant(lines[:2]))
    assert [text.decode() for text in found["translation"].numpy()] == [translation.text for translation in expected]
    np.testing.assert_allclose(found["score"], [translation.score for translation in expected], rtol=1e-3, atol=1e-4)


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    """The names of the page's files, which are modules, and of its example."""
    folder = tmp_path_factory.mktemp("page")
    names: dict = {"__name__": "page"}
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        for name, code in (("my_mechanism", FILE), ("gated_heads", HEADS_FILE), ("gated_residual", GATED_FILE)):
            (folder / f"{name}.py").write_text(code, encoding="utf-8")
            names |= vars(importlib.import_module(name))
        exec(EXAMPLE, names)
        yield names
    for name in ("my_mechanism", "gated_heads", "gated_residual"):
        sys.modules.pop(name)


@pytest.mark.nightly
def test_the_examples_of_the_page_keep_the_properties_of_a_model(names):
    assert {type(layer).__name__ for layer in all_layers(names["model"])} >= {"Mixing", "Previous"}
    exec(CHECKS, names)
    assert len(FILE.strip().splitlines()) <= 45


def test_the_gated_heads_of_the_page_are_their_equation(names):
    layer, heads = names["GatedHeads"](), np.random.default_rng(0).normal(size=(2, 5, 4, 3)).astype("float32")
    layer.build(heads.shape)
    w, b = (weight.numpy() for weight in randomise(layer).weights)
    gated = [heads[:, :, h] / (1 + np.exp(-heads[:, :, h] @ w[h] - b[h]))[..., None] for h in range(4)]
    np.testing.assert_allclose(layer(heads), np.concatenate(gated, -1), rtol=1e-5, atol=1e-6)


def test_the_page_reads_the_activations_of_its_own_mechanisms(names, tokenizers, capsys):
    randomise(names["model"])
    found = dict(names, tokenizers=tokenizers["target"])
    exec(LOOK.replace('Translator.from_directory("runs/mixing")', "Translator(model, tokenizers)"), found)
    assert len(capsys.readouterr().out.splitlines()) == 2
    layers, source = found["inner_layers"](found["model"]), found["batch"].source
    np.testing.assert_array_equal(found["weights"], layers["encoder/layer_composition"].w)
    mixed, states = found["mixed"], [x[source.sentences == len(source.texts) - 1] for x in source.states]
    assert mixed.shape == (source.lengths[-1], 128)
    a = np.exp(found["weights"] / 2.0) / np.exp(found["weights"] / 2.0).sum()  # the temperature is 2
    normed = [np.asarray(layers[f"encoder/layer_composition_norm_{i}"](states[i])) for i in (1, 2)]
    np.testing.assert_allclose(mixed, a[0] * normed[0] + a[1] * normed[1], rtol=1e-4, atol=1e-5)
    embedded = np.asarray(layers["embedding"](source.ids[source.sentences == len(source.texts) - 1][None]))[0]
    expected = embedded + layers["source_roles"].s.numpy() * np.pad(embedded, ((1, 0), (0, 0)))[:-1]
    np.testing.assert_allclose(source.layers["source_roles"][-1], expected, rtol=1e-4, atol=1e-5)


def test_the_gated_residual_of_the_page_is_its_equation(names, make_model):
    options = json.loads(re.search(r"'model=(\{.*?\})'", GATED_COMMANDS).group(1))
    model = make_model(noise=0.15, target_vocabulary_size=100, num_encoder_layers=4, shortcuts=None, **options)
    encoder, generator = model.get_layer("encoder"), np.random.default_rng(0)
    inputs = generator.normal(size=(2, 5, encoder.hidden_dim)).astype("float32")
    gate, norms = encoder.composition.gate, encoder.composition_norms
    first = encoder.layers[0](inputs)
    third = encoder.layers[2](encoder.layers[1](first))
    r_1, r_3 = norms[0](first), norms[2](third)
    gated = third + gate(np.concatenate([r_1, r_3], -1)) * r_1
    np.testing.assert_allclose(encoder(inputs), encoder.final_norm(encoder.layers[3](gated)), rtol=1e-5, atol=1e-5)
    assert all("encoder/" in weight.path for weight in model.weights if "gate" in weight.path)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("name", "file", "commands"), [("my_mechanism", FILE, COMMANDS), ("gated_residual", GATED_FILE, GATED_COMMANDS)]
)
def test_the_commands_of_the_page_train_translate_and_export(name, file, commands, run_python, ask_session, tmp_path):
    generator = random.Random(1)
    for part, number in (("train", 200), ("dev", 8)):
        rows = [generator.choices("abcdefgh", k=generator.randint(2, 6)) for _ in range(number)]
        (tmp_path / f"{part}.de").write_text("".join(" ".join(row) + "\n" for row in rows))
        (tmp_path / f"{part}.en").write_text("".join(" ".join(row).upper() + "\n" for row in rows))
    (tmp_path / f"{name}.py").write_text(file)
    small = {"transformer_small": "transformer_tiny", "10000": "10 --vocabulary-size 26 --batch-size 256"}
    small["model={"] = 'model={"num_encoder_layers": 3, '
    commands = commands.replace("\\\n", " ")
    for old, new in small.items():
        assert old in commands
        commands = commands.replace(old, new)

    def run(command: str):
        program_name, *arguments = shlex.split(command)
        assert program_name == "keras-nmt"
        code = "from keras_nmt.cli.app import main; main()"
        return run_python("-c", code, *arguments, cwd=tmp_path, PYTHONPATH=os.pathsep.join(sys.path))

    train, translate, export_ = commands.strip().splitlines()
    for command in (train, translate, export_):
        done = run(command)
        assert done.returncode == 0, done.stderr.decode()

    # The folder alone runs no code.
    refused = run(translate.replace(f"--import {name}.py ", ""))
    assert refused.returncode == 2
    assert re.fullmatch(rf"Error: .*--import FILE.* Received: '{name}>\w+'\n", refused.stderr.decode())

    lines = (tmp_path / "dev.de").read_text().splitlines()
    (answer,) = ask_session(next((tmp_path / "exports").glob("*/1")), [("serving_default", {"text": lines})])
    assert answer["translation"] == (tmp_path / "dev.translated").read_text().splitlines()
