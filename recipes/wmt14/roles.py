"""WMT14 English-German: role interaction in the big Transformer, table 2.

    python recipes/wmt14/roles.py train softmax_residual --data-dir DATA

Weissenborn et al., "Contextualized Role Interaction for Neural Machine Translation", submitted to ICLR 2019,
https://openreview.net/forum?id=ryx3_iAcY7.

Files and results: README.md beside this file.
"""

from __future__ import annotations

import sys
from pathlib import Path

from keras_nmt.cli.recipe_app import run_recipe
from keras_nmt.experiments.recipe import Recipe

sys.path.append(str(Path(__file__).parents[1]))  # the folder of papers.py

from papers import ROLES_BIG, ROLES_OF_WMT

RECIPE = Recipe(
    name="wmt14-roles",
    corpora={"train": "train.{language}", "dev": "dev.{language}", "test": "newstest2014.{language}"},
    languages=("en", "de"),
    settings=ROLES_BIG,
    configurations=ROLES_OF_WMT,
    baseline="baseline",
)

if __name__ == "__main__":
    run_recipe(RECIPE)
