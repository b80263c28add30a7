"""Settings of experiments: of files that are not read by a model, and with three languages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from comparisons import LINES
from small import SPELLINGS

from keras_nmt.experiments import run_experiment

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
        "model": {**MODEL, "bridge_heads": 6, "bridge_hidden_dim": 64, "penalty_weight": 0.1},
        "batch_size": 64,
        "batch_unit": "sentences",
        "length_buckets": [12],
        "normalize_by": "sentences",
        "schedule": "cosine",
        "learning_rate": 0.01,
        "warmup_steps": 50,
        "label_smoothing": 0.0,
        "max_updates": 500,
        "evaluation.every": 500,
        "final_weights": "last",
    }


@pytest.fixture
def reach(monkeypatch):
    """Runs an experiment up to the trainer, and returns the trainer's arguments."""

    class Reached(Exception):
        pass

    made: dict[str, Any] = {}

    def trainer(model, data, directory, **options):
        made.update(options, model=model, data=data)
        raise Reached

    def run(experiment):
        with pytest.raises(Reached):
            run_experiment.run(experiment, report=str)
        return made

    monkeypatch.setattr(run_experiment, "Trainer", trainer)
    return run
