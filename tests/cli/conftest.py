"""A trained model directory for the commands: digits to words, learnt in a minute."""

from __future__ import annotations

import json
import os
import random
import sys

import pytest
from digits import UPDATES, WORDS, write_lines


@pytest.fixture(scope="session")
def keras_nmt(run_python):
    """Runs `keras-nmt` in a process of its own, as a user does."""

    def run(*arguments, stdin=""):
        code = "from keras_nmt.cli.app import main; main()"
        return run_python("-c", code, *arguments, stdin=stdin.encode(), PYTHONPATH=os.pathsep.join(sys.path))

    return run


@pytest.fixture(scope="session")
def corpus(made_once):
    """Digits to words: `3 0 7` to `three zero seven`."""

    def make(folder):
        generator = random.Random(1)
        seen = set()
        while len(seen) < 1600:
            seen.add(tuple(generator.choices(range(10), k=generator.randint(2, 6))))
        lines = sorted(seen)
        generator.shuffle(lines)
        for name, part in (("train", lines[:1500]), ("dev", lines[1500:1550]), ("test", lines[1550:])):
            write_lines(folder, f"{name}.digits", [" ".join(map(str, line)) for line in part])
            write_lines(folder, f"{name}.words", [" ".join(WORDS[digit] for digit in line) for line in part])

    return made_once("digits", make)


@pytest.fixture(scope="session")
def trained_run(corpus, made_once, keras_nmt):
    """The model directory, the command that trained it, and the output of the command."""
    files = [corpus / f"{name}.{side}" for name in ("train", "dev", "test") for side in ("digits", "words")]
    command = ["--train", *files[:2], "--dev", *files[2:4], "--test", *files[4:]]
    command += ["--preset", "transformer_tiny", "--shortcuts", "plain", "--vocabulary-size", 52, "--batch-size", 512]
    sizes = {"hidden_dim": 32, "intermediate_dim": 64, "dropout": 0.0, "num_encoder_layers": 1, "num_decoder_layers": 1}
    for setting in (
        f"model={json.dumps(sizes)}",
        "schedule=inverse_square_root",
        "learning_rate=0.01",
        "warmup_steps=50",
        f"evaluation.every={UPDATES // 2}",
        "saving.every=50",
    ):
        command += ["--set", setting]

    def make(folder):
        run = keras_nmt("train", "--directory", folder / "run", *command, "--max-updates", UPDATES)
        assert run.returncode == 0, run.stderr.decode()
        (folder / "output").write_bytes(run.stdout)

    folder = made_once("a model of digits, trained by the command line", make)
    command = ["train", "--directory", folder / "run", *command]
    return folder / "run", command, (folder / "output").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def trained(trained_run):
    return trained_run[0]
