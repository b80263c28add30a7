"""WMT14 English-German and English-French: representation composition by neuron interaction (Li et al., 2020).

    python recipes/wmt14/composition.py train ni_both --data-dir DATA --target de

README.md beside this file has the paper's tables and figures, the files, and the configuration of each row.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from keras_nmt.cli.recipe_app import run_recipe
from keras_nmt.experiments.recipe import Recipe, merge_settings

sys.path.append(str(Path(__file__).parents[1]))  # the folder of papers.py

from papers import COMPOSITION, COMPOSITION_BIG, composed, with_identity_start

COMPOSED: dict[str, dict[str, Any]] = {
    # Table 1, rows 2 to 8.
    "linear_layers": {"layer_composition": "linear"},
    "hierarchical_layers": {"layer_composition": "hierarchical"},
    "hierarchical_heads": {"head_composition": "hierarchical"},
    "hierarchical_both": {"layer_composition": "hierarchical", "head_composition": "hierarchical"},
    "ni_layers": {"layer_composition": "extended"},
    "ni_heads": {"head_composition": "extended"},
    "ni_both": {"layer_composition": "extended", "head_composition": "extended"},
    # Row 7 by the paper's text; by the paper's numbers, W_O stays.
    "ni_heads_without_output": {"head_composition": {"kind": "extended", "output_projection": False}},
    # Figure 2: without first order.
    "ni_layers_second_order": {"layer_composition": "low_rank"},
    "ni_heads_second_order": {"head_composition": "low_rank"},
    # Figure 3: ranks of heads; 512 is ni_heads.
    **{f"ni_heads_rank_{r}": {"head_composition": {"kind": "extended", "rank": r}} for r in (32, 64, 128, 256)},
}

BIG_FRENCH = merge_settings(COMPOSITION_BIG, {"model": {"dropout": 0.1}})  # Vaswani et al., 2017, section 6.1
RECIPE = Recipe(
    name="wmt14-composition",
    corpora={"train": "train.{language}", "dev": "dev.{language}", "test": "newstest2014.{language}"},
    languages=("en", "de", "fr"),
    settings=COMPOSITION,
    configurations={
        "baseline": {},
        "baseline_continued": composed({}),  # not in the paper: the gain of longer training alone
        **{name: composed(model) for name, model in with_identity_start(COMPOSED).items()},
        # Table 2.
        "big": COMPOSITION_BIG,
        "big_ni_both": merge_settings(COMPOSITION_BIG, composed(COMPOSED["ni_both"], "big")),
        "big_french": BIG_FRENCH,
        "big_french_ni_both": merge_settings(BIG_FRENCH, composed(COMPOSED["ni_both"], "big_french")),
    },
    baseline="baseline_continued",  # trained twice, as the composed models are
)

if __name__ == "__main__":
    run_recipe(RECIPE)
