"""Multi30k in four languages: the attention bridge and what it is compared with, Vázquez et al., 2020, section 3.1.

    python recipes/multi30k/multilingual.py train many_to_many --monolingual --data-dir DATA
    python recipes/multi30k/multilingual.py train bilingual --source en --target de --no-bridge --data-dir DATA

DATA is a folder with `train`, `val` and `test_2016_flickr`, each as `NAME.LANGUAGE` or `NAME.LANGUAGE.gz`.
"""

from __future__ import annotations

from keras_nmt.experiments.multilingual_recipe import MultilingualRecipe
from keras_nmt.experiments.papers import ATTENTION_BRIDGE, ATTENTION_BRIDGE_SMALL

RECIPE = MultilingualRecipe(
    name="multi30k",
    languages=("en", "de", "cs", "fr"),
    hub="en",
    files={
        "train": "train.{language}",
        "dev": "val.{language}",
        "test": "test_2016_flickr.{language}",
    },
    settings=ATTENTION_BRIDGE,
    sizes={"paper": {}, "small": ATTENTION_BRIDGE_SMALL},
    updates_per_pair=9000,  # twenty times through the corpus; the paper does not say
    evaluate_every=450,
)

if __name__ == "__main__":
    RECIPE.run()
