"""Europarl in four languages: the size of the attention bridge, Vázquez et al., 2020, section 3.2.

    python recipes/europarl/multilingual.py train many_to_many --monolingual --bridge-heads 50 --data-dir DATA

DATA is a folder with `train.PAIR.LANGUAGE` (such as `train.de-en.de` and `train.de-en.en`), `dev.LANGUAGE` and
`test.LANGUAGE`, plain or with `.gz` after the name; see README.md.
"""

from __future__ import annotations

from keras_nmt.experiments.multilingual_recipe import MultilingualRecipe
from keras_nmt.experiments.papers import ATTENTION_BRIDGE, ATTENTION_BRIDGE_EUROPARL

RECIPE = MultilingualRecipe(
    name="europarl",
    languages=("en", "de", "es", "fr"),
    hub="en",
    files={
        "train": "train.{pair}.{language}",
        "dev": "dev.{language}",
        "test": "test.{language}",
    },
    settings={**ATTENTION_BRIDGE, **ATTENTION_BRIDGE_EUROPARL},
    updates_per_pair=100_000,  # 3.2.1, "at most 100,000 steps per language pair"
    evaluate_every=5000,
)

if __name__ == "__main__":
    RECIPE.run()
