"""Descriptions of Debian's packages in four languages: the size of the attention bridge, beside a language tag.

    python recipes/debian/multilingual.py train many_to_many+k50 --data-dir DATA
    python recipes/debian/multilingual.py train tag --data-dir DATA

DATA is a folder that `build.py` made with `--languages en,it,da,fr`. The three test sets, by length, are scored as one,
and apart: does a longer bridge gain more on long paragraphs?
"""

from __future__ import annotations

import sys
from pathlib import Path

from keras_nmt.cli.recipe_app import run_recipe
from keras_nmt.experiments.recipe import Recipe, merge_settings

sys.path.append(str(Path(__file__).parents[1]))  # the folder of papers.py

from papers import ATTENTION_BRIDGE, ATTENTION_BRIDGE_CONFIGURATIONS, ATTENTION_BRIDGE_TINY, LANGUAGE_LABEL_TINY

RECIPE = Recipe(
    name="debian-multilingual",
    corpora={
        "train": "train.{language}",
        "dev": "dev.{language}",
        "test": [f"test_{length}.{{language}}" for length in ("short", "medium", "long")],
    },
    languages=("en", "it", "da", "fr"),
    settings=merge_settings(ATTENTION_BRIDGE, ATTENTION_BRIDGE_TINY, {"lowercase": False, "max_length": 200}),
    configurations={**ATTENTION_BRIDGE_CONFIGURATIONS, "tag": LANGUAGE_LABEL_TINY},
    modifiers={f"peak_{rate}": {"learning_rate": rate / 10_000} for rate in (13, 26, 52)},
    baseline="many_to_many",
    per_pair={"max_updates": 3000, "evaluation.every": 500},
)

if __name__ == "__main__":
    run_recipe(RECIPE)
