"""WMT17 English-Finnish: role interaction in the base Transformer, table 2.

    python recipes/wmt17/roles.py train softmax_residual --data-dir DATA

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

from papers import ROLES_BASE, ROLES_OF_WMT

RECIPE = Recipe(
    name="wmt17-roles",
    corpora={"train": "train.{language}", "dev": "newstest2016.{language}", "test": "newstest2017.{language}"},
    languages=("en", "fi"),
    settings=ROLES_BASE,
    configurations=ROLES_OF_WMT,
    baseline="baseline",
)

if __name__ == "__main__":
    run_recipe(RECIPE)
