"""Europarl in four languages: the size of the attention bridge, Vázquez et al., 2020, section 3.2.

    python recipes/europarl/multilingual.py train many_to_many+k50 --autoencoding --data-dir DATA

DATA is a folder with `train.PAIR.LANGUAGE` (such as `train.de-en.de` and `train.de-en.en`), `dev.LANGUAGE` and
`test.LANGUAGE`, plain or with the suffix `.gz`; see README.md.
"""

from __future__ import annotations

import sys
from pathlib import Path

from keras_nmt.cli.recipe_app import run_recipe
from keras_nmt.experiments.recipe import Recipe

sys.path.append(str(Path(__file__).parents[1]))  # the folder of papers.py

from papers import ATTENTION_BRIDGE, ATTENTION_BRIDGE_CONFIGURATIONS, ATTENTION_BRIDGE_EUROPARL

RECIPE = Recipe(
    name="europarl",
    corpora={
        "train": "train.{pair}.{language}",
        "dev": "dev.{language}",
        "test": "test.{language}",
    },
    languages=("en", "de", "es", "fr"),
    settings={**ATTENTION_BRIDGE, **ATTENTION_BRIDGE_EUROPARL},
    configurations=ATTENTION_BRIDGE_CONFIGURATIONS,
    baseline="many_to_many",
    per_pair={
        "max_updates": 100_000,  # 3.2.1, "at most 100,000 steps per language pair"
        "evaluation.every": 5000,
    },
)

if __name__ == "__main__":
    run_recipe(RECIPE)
