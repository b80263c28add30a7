"""Multi30k: composition of layers and heads, from equal and from random starts, in a tiny Transformer.

    python recipes/multi30k/composition.py compare baseline baseline_continued ni_both ni_both_identity \\
        --data-dir DATA --unequal --output runs/composition

All composed models go on from the same trained `baseline`, and so does `baseline_continued`. `NAME` starts with random
factors, as in the paper (Li et al., 2020, https://arxiv.org/abs/1911.09877); the first outputs of `NAME_identity` are
those of the trained baseline, by a residual path, which all of these have. So arms of two ranks differ in the rank
alone, and arms with and without first order in the first order alone. `matched_continued` is a plain Transformer as
large as `ni_both`, which goes on from its own training, `matched`.

DATA is a folder with `train`, `val`, `test_2016_flickr`, and `test_2017_flickr` and `test_2017_mscoco`, which have no
Czech; each as `NAME.LANGUAGE` or `NAME.LANGUAGE.gz`. The three test sets are scored as one, and apart.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from keras_nmt.cli.recipe_app import run_recipe
from keras_nmt.experiments.recipe import Recipe

sys.path.append(str(Path(__file__).parents[1]))  # the folder of papers.py

from papers import composed, with_identity_start
from train import TESTS

# The Transformer to go on from: the best schedule and rate of those tried for `transformer_tiny`, see lab/multi30k.md.
BASELINE = {
    "schedule": "inverse_square_root",
    "learning_rate": 0.0052,
    "warmup_steps": 300,
    "max_updates": 1200,
    "evaluation.every": 600,
}
# Rank by the end of a name; an eighth of the width is 32 in `transformer_small`, 16 in `transformer_tiny`.
RANKS = {"": None, **{f"_rank_{rank}": rank for rank in (128, 64, 32, 16)}}
SITES = {"layers": ("layer",), "heads": ("head",), "both": ("layer", "head")}
COMPOSED: dict[str, dict[str, Any]] = {
    "linear_layers": {"layer_composition": "linear"},
    **{
        f"hierarchical_{site}": {f"{part}_composition": "hierarchical" for part in parts}
        for site, parts in SITES.items()
    },
    **{
        f"ni_{site}{name}{order}": {
            f"{part}_composition": {"kind": kind, "rank": rank} if rank else kind for part in parts
        }
        for site, parts in SITES.items()
        for name, rank in RANKS.items()
        for order, kind in (("", "extended"), ("_second_order", "low_rank"))
    },
}

RECIPE = Recipe(
    name="multi30k-composition",
    corpora={"train": "train.{language}", "dev": "val.{language}", "test": TESTS},
    languages=("en", "de", "fr", "cs"),
    settings={
        "preset": "transformer_tiny",
        "vocabulary_size": 4000,
        "source_cleaning": False,  # as in the kept runs
        "model": {"dropout": 0.1},
        "batch_size": 1536,
        "schedule": "cosine",
        "learning_rate": 0.0026,  # the best of four for `ni_both_identity`, see lab/multi30k.md
        "warmup_steps": 100,
        "label_smoothing": 0.1,
        "max_updates": 600,
        "evaluation.every": 300,
        "saving.every": 60,
        "keep_last": 5,
        "final_weights": "average_last",
        "logging.every": 50,
    },
    configurations={
        "baseline": BASELINE,
        "baseline_continued": composed({}),
        "matched": {**BASELINE, "matched_to": "ni_both"},
        "matched_continued": {"start_from": "matched", "matched_to": "ni_both"},
        **{name: composed(model) for name, model in with_identity_start(COMPOSED).items()},
    },
    # Each arm at several peak rates, in ten thousandths, as in `peak_13+ni_both`: the first of the two, so that the
    # Transformer that it goes on from keeps its own.
    modifiers={f"peak_{rate}": {"learning_rate": rate / 10_000} for rate in (5, 13, 26, 52)},
    baseline="baseline_continued",
)

if __name__ == "__main__":
    run_recipe(RECIPE)
