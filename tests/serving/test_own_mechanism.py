"""Mechanisms of the user's own in exports, and the page of the documentation about them, run as it stands."""
# ruff: noqa: F811  arguments that are fixtures

from __future__ import annotations

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
from test_saved_model_run import Runner, program  # noqa: F401  a fixture

from keras_nmt.inference import Translator
from keras_nmt.serving import export

PAGE = (Path(__file__).parents[2] / "docs/own_mechanism.md").read_text(encoding="utf-8")
FILE, EXAMPLE = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
(COMMANDS,) = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
MODERN = {"norm": "rms", "feed_forward": "swiglu", "positions": "rotary", "num_key_value_heads": 1}


@pytest.mark.parametrize(
    "options", [EVERYWHERE, pytest.param(MODERN, marks=pytest.mark.nightly)], ids=["own", "modern"]
)
def test_an_export_translates_as_the_model(options, make_model, tokenizers, lines, tmp_path):
    model = make_model(noise=0.15, target_vocabulary_size=100, num_encoder_layers=2, num_decoder_layers=2, **options)
    search = {"beam_size": 2, "length_buckets": (8,), "batch_buckets": (4,), "max_length": 6}
    expected = Translator(model, tokenizers, **search).translate(lines[:2])
    served = tf.saved_model.load(str(export(tmp_path / "export", model, tokenizers, **search)))
    found = served.signatures["serving_default"](text=tf.constant(lines[:2]))
    assert [text.decode() for text in found["translation"].numpy()] == [translation.text for translation in expected]
    np.testing.assert_allclose(found["score"], [translation.score for translation in expected], rtol=1e-3, atol=1e-4)


def test_the_examples_of_the_page_make_a_model():
    names: dict = {"__name__": "my_mechanism"}
    exec(FILE, names)
    exec(EXAMPLE, names)
    model = names["model"]
    target = np.array([[2, 8, 9, 7]])
    expected = model([np.array([[5, 6, 3]]), target])
    constants, caches = model.prepare(model.encoder(np.array([[5, 6, 3]])), 1, None)
    for position in range(4):
        logits, caches = model.decoder_step(target[:, position, None], tf.constant(position), constants, caches)
        np.testing.assert_allclose(logits[:, 0], expected[:, position], rtol=1e-4, atol=1e-4)
    assert len(FILE.strip().splitlines()) <= 45


@pytest.mark.nightly
def test_the_commands_of_the_page_train_translate_and_export(run_python, program, tmp_path):
    generator = random.Random(1)
    for name, number in (("train", 200), ("dev", 8)):
        rows = [generator.choices("abcdefgh", k=generator.randint(2, 6)) for _ in range(number)]
        (tmp_path / f"{name}.de").write_text("".join(" ".join(row) + "\n" for row in rows))
        (tmp_path / f"{name}.en").write_text("".join(" ".join(row).upper() + "\n" for row in rows))
    (tmp_path / "my_mechanism.py").write_text(FILE)
    small = {"transformer_small": "transformer_tiny", "10000": "10 --vocabulary-size 26 --batch-size 256"}
    commands = COMMANDS.replace("\\\n", " ")
    for old, new in small.items():
        assert old in commands
        commands = commands.replace(old, new)

    def run(command: str):
        name, *arguments = shlex.split(command)
        assert name == "keras-nmt"
        code = "from keras_nmt.cli.app import main; main()"
        return run_python("-c", code, *arguments, cwd=tmp_path, PYTHONPATH=os.pathsep.join(sys.path))

    train, translate, export_ = commands.strip().splitlines()
    for command in (train, translate, export_):
        done = run(command)
        assert done.returncode == 0, done.stderr.decode()

    # The folder alone runs no code.
    refused = run(translate.replace("--import my_mechanism.py ", ""))
    assert refused.returncode == 2
    assert re.fullmatch(r"Error: .*--import FILE.* Received: 'my_mechanism>\w+'\n", refused.stderr.decode())

    run_program = Runner(program, tmp_path / "exports/mixing/1", tmp_path)
    lines = (tmp_path / "dev.de").read_text().splitlines()
    ((answer,), status, error) = run_program([("serving_default", {"text": lines})])
    assert status == 0, error
    assert answer["translation"] == (tmp_path / "dev.translated").read_text().splitlines()
