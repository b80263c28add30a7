"""WMT18 English-Czech and English-Finnish: gated lexical shortcuts (Emelin et al., 2019), table 2.

    python recipes/wmt18/shortcuts.py train fusion --data-dir DATA --target fi

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
    name="wmt18-shortcuts",
    corpora={"train": "train.{language}", "dev": "newstest2017.{language}", "test": "newstest2018.{language}"},
    languages=("en", "cs", "fi"),
    settings={**SHORTCUTS, "vocabulary_size": 89_500},
    configurations=SHORTCUT_KINDS,
    baseline="baseline",
)

if __name__ == "__main__":
    run_recipe(RECIPE)
