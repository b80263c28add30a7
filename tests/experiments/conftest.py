"""A task that is learnt in a minute: numbers spelt in three ways; and a folder trained on it."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from comparisons import LINES

WORDS = ["ka", "ke", "la", "le", "ma", "me", "na", "ne", "pa", "pe"]
SPELLINGS = {
    "digits": lambda digits: " ".join(map(str, digits)),
    "words": lambda digits: " ".join(WORDS[digit] for digit in digits),
    "letters": lambda digits: " ".join("abcdefghij"[digit] for digit in digits),
}
# Digits and letters are never translated to each other.
PAIRS = ["digits-words", "words-digits", "words-letters", "letters-words", "digits-digits", "letters-letters"]
MODEL = {
    "encoder": "transformer",
    "transformer": {"num_heads": 4, "intermediate_dim": 96},
    "hidden_dim": 48,
    "num_encoder_layers": 1,
    "num_decoder_layers": 1,
    "dropout": 0.0,
}
BRIDGE = {"bridge_heads": 6, "bridge_hidden_dim": 64, "penalty_weight": 0.1}


@pytest.fixture(scope="session")
def corpus(made_once) -> Path:
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
                (folder / f"{name}.{language}").write_text("".join(spell(line) + "\n" for line in part))

    return made_once("spellings", make)


@pytest.fixture
def files(tmp_path) -> dict[str, Path]:
    """Settings with files of 20 lines for training, development and test."""
    parts = ((part, side) for part in ("train", "dev", "test") for side in ("source", "target"))
    paths = {f"data.{part}.{side}": tmp_path / f"{part}.{side}.txt" for part, side in parts}
    for path in paths.values():
        path.write_text("".join(f"{line}\n" for line in LINES))
    return paths


@pytest.fixture(scope="session")
def several(corpus) -> dict[str, Any]:
    """Settings of an experiment with three languages."""
    return {
        "languages": list(SPELLINGS),
        "pairs": PAIRS,
        **{name: str(corpus / f"{name}.{{language}}") for name in ("train", "dev", "test")},
        "vocabulary_size": 22,
        "model_type": "unigram",
        "model": {**MODEL, **BRIDGE},
        "batch_size": 64,
        "batch_unit": "sentences",
        "length_buckets": [16],
        "normalize_by": "sentences",
        "schedule": "cosine",
        "learning_rate": 0.01,
        "warmup_steps": 50,
        "label_smoothing": 0.0,
        "max_updates": 600,
        "evaluation.every": 600,
        "final_weights": "last",
    }


@pytest.fixture(scope="session")
def one(corpus) -> dict[str, Any]:
    """Settings of an experiment with one direction, for four updates."""
    return {
        "languages": ["source", "target"],
        "pairs": ["source-target"],
        **{
            f"data.{name}.{side}": str(corpus / f"{name}.{language}")
            for name in ("train", "dev", "test")
            for side, language in (("source", "digits"), ("target", "words"))
        },
        "vocabulary_size": 30,
        "preset": "transformer_tiny",
        "model": {"hidden_dim": 16, "num_encoder_layers": 1, "num_decoder_layers": 1, "intermediate_dim": 24},
        "batch_size": 64,
        "batch_unit": "sentences",
        "length_buckets": [16],
        "schedule": "constant",
        "learning_rate": 0.01,
        "max_updates": 4,
        "evaluation.every": 2,
        "logging.every": 1,
        "dev_sentences": 4,
        "beam_size": 1,
    }


@pytest.fixture(scope="session")
def trained(several, made_once) -> Path:
    """The folder of an experiment with three languages that has learnt them."""
    return made_once("trained spellings", lambda folder: _run({"directory": folder, **several}))


@pytest.fixture(scope="session")
def trained_one(one, made_once) -> Path:
    """The folder of an experiment with one direction after four updates."""
    return made_once("trained digits", lambda folder: _run({"directory": folder, **one}))


def _run(settings: dict[str, Any]) -> None:
    from keras_nmt.experiments import ExperimentConfig, run

    run(ExperimentConfig.from_settings(settings), report=lambda line: None)
