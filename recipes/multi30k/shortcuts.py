"""Multi30k: lexical shortcuts at the learning rates of their paper, trained until BLEU stops rising.

    python recipes/multi30k/shortcuts.py compare plain fusion --data-dir DATA --seeds 1 --output runs/shortcuts

The learning rate is Noam's, as in the paper (Emelin et al., 2019, https://arxiv.org/abs/1906.12284, appendix A.1), with
the paper's peaks: 7.0e-4 for the baseline, 5.7e-4 for `plain`, 4.9e-4 for `fusion`. The warm-up is an eighth of the
paper's. A run ends when BLEU on the development data has not risen in three evaluations, or after 8,000 updates.

DATA is a folder with `train`, `val` and `test_2016_flickr`, each as `NAME.LANGUAGE` or `NAME.LANGUAGE.gz`.
"""

from __future__ import annotations

import sys
from pathlib import Path

from keras_nmt.cli.recipe_app import run_recipe
from keras_nmt.experiments.recipe import Recipe

sys.path.append(str(Path(__file__).parents[1]))  # the folder of papers.py

from papers import FUSION, PLAIN, SHORTCUTS

SHORTER = 8  # a corpus of 29,000 sentences, not of 4.5 million

# Noam's rate at update t is scale * width^-0.5 * min(t^-0.5, t * warmup^-1.5). With the width 256 and an eighth of the
# warm-up, this scale gives the rates that the paper has at width 512 after eight times as many updates.
SCALE = (256 / 512 / SHORTER) ** 0.5

RECIPE = Recipe(
    name="multi30k-shortcuts",
    corpora={"train": "train.{language}", "dev": "val.{language}", "test": "test_2016_flickr.{language}"},
    languages=("en", "de", "fr", "cs"),
    settings={
        **SHORTCUTS,
        "preset": "transformer_small",
        "model": {**SHORTCUTS["model"], "dropout": 0.2},
        "vocabulary_size": 8000,
        "source_cleaning": False,  # as in the kept runs
        "batch_size": 1536,
        "learning_rate": SCALE,
        "warmup_steps": SHORTCUTS["warmup_steps"] // SHORTER,
        "max_updates": 8000,
        "evaluation.every": 500,
        "patience": 3,
        "saving.every": 250,
        "logging.every": 100,
    },
    configurations={
        "baseline": {},
        "plain": {**PLAIN, "warmup_steps": PLAIN["warmup_steps"] // SHORTER},
        "fusion": {**FUSION, "warmup_steps": FUSION["warmup_steps"] // SHORTER},
    },
    baseline="baseline",
)

if __name__ == "__main__":
    run_recipe(RECIPE)
