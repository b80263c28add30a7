"""The multilingual quickstart: four languages with an attention bridge, and pairs that were never trained.

    python recipes/quickstart_multilingual.py train many_to_many --autoencoding --leave-out fr-cs

Needs two cores, no GPU, no download and less than ten minutes. The corpus is `keras_nmt.quickstart_data`.
"""

from __future__ import annotations

from keras_nmt.cli.recipe_app import run_recipe
from keras_nmt.experiments.recipe import Recipe
from keras_nmt.quickstart_data import FOLDER, LANGUAGES

RECIPE = Recipe(
    name="quickstart",
    languages=LANGUAGES,
    corpora={"train": "train.{language}", "dev": "dev.{language}", "test": "test.{language}"},
    data_dir=FOLDER,
    settings={
        "system": "many_to_many",
        "vocabulary_size": 1000,
        "model": {
            "architecture": "attention_bridge",
            "encoder": "transformer",
            "decoder": "transformer",
            "hidden_dim": 128,
            "dropout": 0.0,
            "bridge_heads": 16,
            "bridge_hidden_dim": 256,
            "penalty": "root",
            "tie_output": True,
            "transformer": {"num_heads": 4, "intermediate_dim": 512},
        },
        "batch_size": 1024,
        "normalize_by": "sentences",
        "schedule": "cosine",
        "learning_rate": 0.003,
        "warmup_steps": 400,
        "dev_sentences": 40,
        "saving.every": 200,
        "keep_last": 1,
        "final_weights": "last",
    },
    configurations={
        "many_to_many": {},
        "hub": {"system": "hub"},
        "label": {"model": {"architecture": "language_label"}, "vocabulary_size": 4000},
    },
    baseline="many_to_many",
    per_pair={"max_updates": 330, "evaluation.every": 165},
)

if __name__ == "__main__":
    run_recipe(RECIPE)
