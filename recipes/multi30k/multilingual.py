"""Multi30k in four languages: the attention bridge and its baselines, Vázquez et al., 2020, section 3.1.

    python recipes/multi30k/multilingual.py train many_to_many --autoencoding --data-dir DATA
    python recipes/multi30k/multilingual.py train bilingual+no_bridge --source en --target de --data-dir DATA

DATA is a folder with `train`, `val` and `test_2016_flickr`, each as `NAME.LANGUAGE` or `NAME.LANGUAGE.gz`.
"""

from __future__ import annotations

import sys
from pathlib import Path

from keras_nmt.cli.recipe_app import run_recipe
from keras_nmt.experiments.recipe import Recipe

sys.path.append(str(Path(__file__).parents[1]))  # the folder of papers.py

from papers import (
    ATTENTION_BRIDGE,
    ATTENTION_BRIDGE_CONFIGURATIONS,
    ATTENTION_BRIDGE_SMALL,
    ATTENTION_BRIDGE_TINY,
    LANGUAGE_LABEL_TINY,
)

RECIPE = Recipe(
    name="multi30k-multilingual",
    corpora={
        "train": "train.{language}",
        "dev": "val.{language}",
        "test": "test_2016_flickr.{language}",
    },
    languages=("en", "de", "cs", "fr"),
    settings={**ATTENTION_BRIDGE, "source_cleaning": False},  # as in the kept runs
    configurations={
        **ATTENTION_BRIDGE_CONFIGURATIONS,
        "label_tiny": LANGUAGE_LABEL_TINY,
    },
    modifiers={
        # Sizes, as in `bilingual+tiny`; `narrow` has the paper's recurrent models at half the width, for two cores.
        "small": ATTENTION_BRIDGE_SMALL,
        "tiny": ATTENTION_BRIDGE_TINY,
        "narrow": {"vocabulary_size": 4000, "model": {"hidden_dim": 256, "bridge_hidden_dim": 512}},
        # A pair that is never trained; the peak rate in ten thousandths; the updates of all tasks together, as in
        # `bilingual+tiny+peak_26+updates_1200`.
        "without_de_fr": {"leave_out": ["de-fr"]},
        **{f"peak_{rate}": {"learning_rate": rate / 10_000} for rate in (13, 26, 52)},
        **{f"updates_{number}": {"max_updates": number} for number in (300, 1200, 4800)},
    },
    baseline="many_to_many",
    per_pair={
        "max_updates": 9000,  # twenty epochs; the paper gives no number
        "evaluation.every": 450,
    },
)

if __name__ == "__main__":
    run_recipe(RECIPE)
