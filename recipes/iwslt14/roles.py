"""IWSLT'14 German-English: role interaction in a small Transformer, every cell of table 1.

    python recipes/iwslt14/roles.py train softmax_residual_32 --data-dir DATA

Weissenborn et al., "Contextualized Role Interaction for Neural Machine Translation", submitted to ICLR 2019,
https://openreview.net/forum?id=ryx3_iAcY7.

Files and results: README.md beside this file.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from keras_nmt.cli.recipe_app import run_recipe
from keras_nmt.experiments.recipe import Recipe

sys.path.append(str(Path(__file__).parents[1]))  # the folder of papers.py

from papers import ROLES_SMALL, one_hot_from, role_model, softmax_continued


def with_roles(num_roles: int) -> dict[str, dict[str, Any]]:
    """The configurations of the columns "dense", "softmax" and "one-hot" for a number of roles, row by row."""
    configurations: dict[str, dict[str, Any]] = {
        f"contextualized_{num_roles}": {"model": role_model("contextualized", num_roles)},
        f"matched_{num_roles}": {"matched_to": f"dense_{num_roles}"},
        f"low_rank_{num_roles}": {"model": role_model("dense", num_roles, low_rank=True)},
    }
    for row, residual, context in (("", False, "lstm"), ("residual_", True, "lstm"), ("cnn_residual_", True, "cnn")):
        for roles in ("dense", "softmax"):
            model = role_model(roles, num_roles, residual, context)
            configurations[f"{roles}_{row}{num_roles}"] = {"model": model}
        softmax = f"softmax_{row}{num_roles}"
        configurations[f"one_hot_{row}{num_roles}"] = one_hot_from(softmax, configurations[softmax], 2e-4)
        # Not in the paper: without it, a gain of one-hot roles may be that of longer training.
        configurations[f"{softmax}_continued"] = softmax_continued(softmax, configurations[softmax], 2e-4)
    return configurations


RECIPE = Recipe(
    name="iwslt14-roles",
    corpora={"train": "train.{language}", "dev": "dev.{language}", "test": "test.{language}"},
    languages=("de", "en"),
    settings=ROLES_SMALL,
    configurations={"baseline": {}, **with_roles(16), **with_roles(32)},
    baseline="baseline",
)

if __name__ == "__main__":
    run_recipe(RECIPE)
