"""WMT14 English-German, both ways: gated lexical shortcuts (Emelin et al., 2019).

    python recipes/wmt14/shortcuts.py train fusion --data-dir DATA --source en --target de

README.md beside this file has the paper's tables and figures, the files, and the configuration of each row.
"""

from __future__ import annotations

import sys
from pathlib import Path

from keras_nmt.cli.recipe_app import run_recipe
from keras_nmt.experiments.recipe import Recipe, merge_settings

sys.path.append(str(Path(__file__).parents[1]))  # the folder of papers.py

from papers import FUSION, PLAIN, RELEASED, SHORTCUT_KINDS, SHORTCUTS_BIG, SHORTCUTS_WMT14

SMALL = {"preset": "transformer_base_half"}  # section 4.1: embeddings, states and feed-forward networks halved

RECIPE = Recipe(
    name="wmt14-shortcuts",
    corpora={"train": "train.{language}", "dev": "dev.{language}", "test": "newstest2014.{language}"},
    languages=("en", "de"),
    settings=SHORTCUTS_WMT14,
    configurations={
        **SHORTCUT_KINDS,
        # Table 1.
        "big": SHORTCUTS_BIG,
        "big_fusion": merge_settings(FUSION, SHORTCUTS_BIG),
        # Table 3.
        "small": SMALL,
        "small_plain": {**PLAIN, **SMALL},
        "small_fusion": {**FUSION, **SMALL},
        # Table 4.
        "cross": merge_settings(FUSION, {"model": {"shortcuts": {"sites": ["cross"]}}}),
        "self_and_cross": merge_settings(FUSION, {"model": {"shortcuts": {"sites": ["self", "cross"]}}}),
        "non_lexical": merge_settings(FUSION, {"model": {"shortcuts": {"source": "non_lexical"}}}),
        # Footnote 1, by which the model cannot be trained without gates: both variants are this one.
        "ungated": merge_settings(PLAIN, {"model": {"shortcuts": "ungated"}}),
        # Figure 5.
        "encoder_only": merge_settings(FUSION, {"model": {"shortcuts": {"sides": ["encoder"]}}}),
        "decoder_only": merge_settings(FUSION, {"model": {"shortcuts": {"sides": ["decoder"]}}}),
    },
    # The residual connections of the authors' release: `baseline+released`, `fusion+released`.
    modifiers={"released": RELEASED},
    baseline="baseline",
)

if __name__ == "__main__":
    run_recipe(RECIPE)
