"""WMT17 English-Russian: gated lexical shortcuts (Emelin et al., 2019), table 2. The Russian side in Latin letters.

    python recipes/wmt17/transliterate.py DATA/train.ru DATA/train.ru-Latn
    python recipes/wmt17/shortcuts.py train fusion --data-dir DATA

Files and results: README.md beside this file.
"""

from __future__ import annotations

import sys
from pathlib import Path

from keras_nmt.cli.recipe_app import run_recipe
from keras_nmt.experiments.recipe import Recipe

sys.path.append(str(Path(__file__).parents[1]))  # the folder of papers.py

from papers import SHORTCUT_KINDS, SHORTCUTS

RECIPE = Recipe(
    name="wmt17-shortcuts",
    corpora={"train": "train.{language}", "dev": "newstest2016.{language}", "test": "newstest2017.{language}"},
    languages=("en", "ru-Latn"),
    settings={**SHORTCUTS, "vocabulary_size": 32_000},
    configurations=SHORTCUT_KINDS,
    baseline="baseline",
)

if __name__ == "__main__":
    run_recipe(RECIPE)
