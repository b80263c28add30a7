"""Descriptions of Debian's packages, English-Italian: every mechanism beside a plain model as large.

    python recipes/debian/train.py train roles --data-dir DATA
    python recipes/debian/train.py compare roles matched_roles --data-dir DATA --output runs/debian-comparison

DATA is a folder that `build.py` made. The three test sets, by length, are scored as one, and apart.
"""

from __future__ import annotations

from keras_nmt.cli.recipe_app import run_recipe
from keras_nmt.experiments.recipe import Recipe

IDENTITY = {"kind": "extended", "start": "identity"}
MODELS = {
    "roles": {"roles": "softmax"},
    "contextualized": {"roles": "contextualized"},
    "cross": {"shortcuts": {"kind": "fusion", "sites": ["cross"]}},
    "fusion": {"shortcuts": "fusion"},
    "ni_both": {"layer_composition": IDENTITY, "head_composition": IDENTITY},
}

RECIPE = Recipe(
    name="debian",
    corpora={
        "train": "train.{language}",
        "dev": "dev.{language}",
        "test": [f"test_{length}.{{language}}" for length in ("short", "medium", "long")],
    },
    languages=("en", "it"),
    settings={
        "preset": "transformer_small",
        "vocabulary_size": 8000,
        "model": {"dropout": 0.1},
        "batch_size": 2048,
        "max_length": 200,  # subwords: 1% of the paragraphs are longer
        "schedule": "cosine",
        "learning_rate": 0.001,
        "warmup_steps": 400,
        "label_smoothing": 0.1,
        "max_updates": 9000,  # some six epochs
        "evaluation.every": 1500,
        "keep_last": 5,
        "final_weights": "average_last",
        "logging.every": 100,
    },
    configurations={
        "baseline": {},
        **{name: {"model": model} for name, model in MODELS.items()},
        **{f"matched_{name}": {"matched_to": name} for name in MODELS},
    },
    modifiers={
        # The peak rate in ten thousandths, and fewer epochs, to choose the rates by.
        **{f"peak_{rate}": {"learning_rate": rate / 10_000} for rate in (5, 10, 14, 20, 40)},
        "one_epoch": {"max_updates": 1500},
        "two_epochs": {"max_updates": 3000},
        # A model that a core trains for longer: 2 + 2 layers of width 128.
        "tiny": {"preset": "transformer_tiny"},
        "four_epochs": {"max_updates": 6000},
    },
    baseline="baseline",
)

if __name__ == "__main__":
    run_recipe(RECIPE)
