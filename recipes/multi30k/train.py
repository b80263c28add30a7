"""Multi30k: trains and compares Transformers with every mechanism, between any two of the four languages.

    python recipes/multi30k/train.py train fusion --data-dir DATA --source en --target de
    python recipes/multi30k/train.py compare plain fusion --data-dir DATA --output runs/multi30k-comparison

DATA is a folder with `train`, `val`, `test_2016_flickr`, and `test_2017_flickr` and `test_2017_mscoco`, which have no
Czech; each as `NAME.LANGUAGE` or `NAME.LANGUAGE.gz`. The three test sets are scored as one, and apart.
"""

from __future__ import annotations

import sys
from pathlib import Path

from keras_nmt.cli.recipe_app import run_recipe
from keras_nmt.experiments.recipe import Recipe

sys.path.append(str(Path(__file__).parents[1]))  # the folder of papers.py

from papers import RELEASED, one_hot_from, softmax_continued

TESTS = [f"{name}.{{language}}" for name in ("test_2016_flickr", "test_2017_flickr", "test_2017_mscoco")]
# Both have full rank and the identity start: with the baseline's weights, they first compute what the baseline does.
LAYERS = {"layer_composition": {"kind": "extended", "start": "identity"}}
HEADS = {"head_composition": {"kind": "extended", "start": "identity"}}
INTERACTION = {**LAYERS, **HEADS}
SOFTMAX = {"model": {"roles": "softmax"}}
MATCHED = ("plain", "fusion", "cross", "self_and_cross", "ni_layers", "ni_heads", "ni_both", "contextualized")
ALL = {"shortcuts": "fusion", **INTERACTION, "roles": "softmax"}

RECIPE = Recipe(
    name="multi30k",
    corpora={
        "train": "train.{language}",
        "dev": "val.{language}",
        "test": TESTS,
    },
    languages=("en", "de", "fr", "cs"),
    # For 40 minutes on two cores: small batches for many updates; little dropout, because the model sees each sentence
    # only about twenty times. With more time, more dropout is better.
    settings={
        "preset": "transformer_small",
        "vocabulary_size": 8000,
        "source_cleaning": False,  # as in the kept runs
        "model": {"dropout": 0.2},
        "batch_size": 1536,
        "schedule": "noam",
        "warmup_steps": 1200,
        "label_smoothing": 0.1,
        "time_limit": 40,
        "evaluation.every": 500,
        "keep_last": 5,
        "final_weights": "average_last",
        "logging.every": 100,
    },
    configurations={
        "baseline": {},
        "plain": {"model": {"shortcuts": "plain"}},
        "fusion": {"model": {"shortcuts": "fusion"}},
        "ungated": {"model": {"shortcuts": "ungated"}},
        "cross": {"model": {"shortcuts": {"kind": "fusion", "sites": ["cross"]}}},
        "self_and_cross": {"model": {"shortcuts": {"kind": "fusion", "sites": ["self", "cross"]}}},
        "non_lexical": {"model": {"shortcuts": {"kind": "fusion", "source": "non_lexical"}}},
        "encoder_only": {"model": {"shortcuts": {"kind": "fusion", "sides": ["encoder"]}}},
        "decoder_only": {"model": {"shortcuts": {"kind": "fusion", "sides": ["decoder"]}}},
        # Cheap decoders: a recurrent layer in place of self-attention; one layer under a deep encoder; both, smaller.
        "ssru": {"model": {"decoder_self_attention": "ssru"}},
        "shallow": {"model": {"num_encoder_layers": 6, "num_decoder_layers": 1}},
        "student": {"preset": "transformer_student"},
        "ni_layers": {"model": LAYERS},
        "ni_heads": {"model": HEADS},
        "ni_both": {"model": INTERACTION},
        "role_dense": {"model": {"roles": {"kind": "dense", "residual": False}}},
        "role_dense_residual": {"model": {"roles": "dense"}},
        "role_softmax": SOFTMAX,  # with the residual path, as by default
        "role_softmax_no_residual": {"model": {"roles": {"kind": "softmax", "residual": False}}},
        "role_softmax_16": {"model": {"roles": {"kind": "softmax", "num_roles": 16}}},
        "role_softmax_cnn": {"model": {"roles": {"kind": "softmax", "context": "cnn"}}},
        "role_low_rank": {"model": {"roles": {"kind": "dense", "low_rank": True}}},
        "contextualized": {"model": {"roles": "contextualized"}},
        # At the paper's constant rate, until the temperature has been at its floor for 395 updates; and the control.
        "role_one_hot": {**one_hot_from("role_softmax", SOFTMAX, 2e-4), "max_updates": 5000},
        "role_softmax_continued": {**softmax_continued("role_softmax", SOFTMAX, 2e-4), "max_updates": 5000},
        "matched": {"matched_to": "role_softmax"},
        **{f"matched_{name}": {"matched_to": name} for name in MATCHED},
        "all": {"model": ALL},
    },
    modifiers={
        # The schedule of the peaks below; first, as in `inverse_300+peak_80+role_one_hot`, so that others count.
        "inverse_300": {"schedule": "inverse_square_root", "learning_rate": 0.0026, "warmup_steps": 300},
        # Each arm at several peak rates, in ten thousandths, as in `fusion+peak_26`.
        **{f"peak_{rate}": {"learning_rate": rate / 10_000} for rate in (7, 13, 26, 37, 52, 80, 113)},
        # The depth of the paper on shortcuts. In 3 + 3 layers, the sources of `non_lexical` are H_0, H_0 and H_1, and
        # two of three layers lexical.
        "six_layers": {"model": {"num_encoder_layers": 6, "num_decoder_layers": 6}},
        "released": RELEASED,  # residual connections, as in `fusion+released`
    },
    baseline="baseline",
    # Equal numbers of updates, and so of tokens: some 18 minutes of the baseline on one core. The peak rate is near the
    # papers' rates, and below the best rate for the baseline in such a short training: at higher rates the mechanisms
    # learn worse, see lab/multi30k.md.
    comparison={
        "model": {"dropout": 0.1},
        "schedule": "cosine",
        "learning_rate": 0.001,
        "warmup_steps": 200,
        "time_limit": None,
        "max_updates": 1200,
        "evaluation.every": 600,
        "saving.every": 60,
        "logging.every": 50,
    },
)

if __name__ == "__main__":
    run_recipe(RECIPE)
