"""WMT14 English-German, both ways: the Transformer (Vaswani et al., 2017), base and big.

    python recipes/wmt14/transformer.py train base --data-dir DATA --source en --target de

Training follows the baselines of the paper on shortcuts (`SHORTCUTS_WMT14` in `recipes/papers.py`),
without or with BPE-dropout. Files: README.md beside this file.
"""

from __future__ import annotations

import sys
from pathlib import Path

from keras_nmt.cli.recipe_app import run_recipe
from keras_nmt.experiments.recipe import Recipe, merge_settings

sys.path.append(str(Path(__file__).parents[1]))  # the folder of papers.py

from papers import SHORTCUTS_BIG, SHORTCUTS_WMT14

SAMPLED = {"subwords.sampling": 0.1}  # BPE-dropout: Provilkov et al., 2020, https://arxiv.org/abs/1910.13267, section 4

RECIPE = Recipe(
    name="wmt14-transformer",
    corpora={"train": "train.{language}", "dev": "dev.{language}", "test": "newstest2014.{language}"},
    languages=("en", "de"),
    settings=SHORTCUTS_WMT14,
    configurations={
        "base": {},
        "base_sampled": SAMPLED,
        "big": SHORTCUTS_BIG,
        "big_sampled": merge_settings(SHORTCUTS_BIG, SAMPLED),
    },
    baseline="base",
)

if __name__ == "__main__":
    run_recipe(RECIPE)
