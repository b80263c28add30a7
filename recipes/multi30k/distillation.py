"""Multi30k: what a small student learns from a teacher, and a model from noise, monolingual text and aligned words.

    python recipes/multi30k/distillation.py train teacher --data-dir DATA
    python recipes/multi30k/distillation.py compare distilled interpolated word_level --data-dir DATA

From English to German. lab/students.md has the commands between these two, which make the text of the arms.
All commands run in the same folder, and make `runs` in it. DATA is as in train.py.
"""

from __future__ import annotations

from typing import Any

from train import ALL, TESTS

from keras_nmt.cli.recipe_app import run_recipe
from keras_nmt.experiments.recipe import Recipe

NAME = "multi30k-distillation"
TEACHER = f"runs/{NAME}-en-de-teacher-1"  # where `train teacher` leaves it
REVERSE = f"runs/{NAME}-de-en-reverse-1"  # where `train reverse --source de --target en` leaves it
TEXTS = f"runs/{NAME}-texts"  # of the commands in lab/students.md

# The student's model; another kind of cheap decoder is one more entry, joined to the arms as `distilled+ssru`.
STUDENTS: dict[str, dict[str, Any]] = {
    "student": {"num_encoder_layers": 3, "num_decoder_layers": 1},
    "deep_encoder": {"num_encoder_layers": 6, "num_decoder_layers": 1},
    "ssru": {"decoder_self_attention": "ssru"},
}
STUDENT: dict[str, Any] = {"model": STUDENTS["student"], "subwords.models": f"{TEACHER}/subwords.model"}
HALF = f"{TEXTS}/half.{{language}}"
OF_HALF: dict[str, Any] = {"subwords.models": f"{REVERSE}/subwords.model"}


def _translated(name: str) -> dict[str, str]:
    """The corpus that `keras-nmt distill` leaves in a folder."""
    return {"en": f"{TEXTS}/{name}/source", "de": f"{TEXTS}/{name}/target"}


RECIPE = Recipe(
    name=NAME,
    corpora={"train": "train.{language}", "dev": "val.{language}", "test": TESTS},
    languages=("en", "de"),
    # As in train.py, with the best peak rate of lab/multi30k.md.
    settings={
        "preset": "transformer_small",
        "vocabulary_size": 8000,
        "source_cleaning": False,  # as in the kept runs
        "model": {"dropout": 0.2},
        "batch_size": 1536,
        "schedule": "noam",
        "warmup_steps": 578,
        "label_smoothing": 0.1,
        "max_updates": 2400,
        "evaluation.every": 600,
        "logging.every": 100,
    },
    configurations={
        "plain": {},
        # At half of the rate: with all mechanisms, a model does not learn at the best rate of a plain one.
        "teacher": {"model": ALL, "learning_rate": 0.5},
        # A small decoder, on the references and on three forms of the teacher's knowledge.
        "references": STUDENT,
        "distilled": {**STUDENT, "data.train": _translated("best")},
        "interpolated": {**STUDENT, "data.train": _translated("reference")},
        "word_level": {**STUDENT, "training.teacher": TEACHER},
        **{name: {"model": model} for name, model in STUDENTS.items()},
        # The plain model, with noise on its sources.
        "noisy": {
            "data.noise": {"swap": 0.01, "drop": 0.01, "insert": 0.01, "neighbour": 0.01, "uppercase": 0.02}
            | {"lowercase": 0.05, "final_stop": 0.1},
        },
        # The plain model, with a head of attention that learns the links of another program.
        "aligned": {"data.alignments": f"{TEXTS}/links"},
        # Half of the corpus, and the German side of the other half, by the reverse model of the first half.
        "reverse": {"data.train": HALF, "subwords.user_symbols": ["<BT>"]},
        "half": {**OF_HALF, "data.train": HALF},
        "back_translated": {**OF_HALF, "data.train": [HALF, _translated("back")]},
        "tagged": {**OF_HALF, "data.train": [HALF, _translated("tagged")]},
    },
    baseline="references",
)

if __name__ == "__main__":
    run_recipe(RECIPE)
