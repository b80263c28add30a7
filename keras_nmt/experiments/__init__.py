"""From files to scores: experiments, recipes and comparisons.

A name is imported on first use: importing the package loads no TensorFlow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import lazy_loader

if TYPE_CHECKING:
    from keras_nmt.experiments._dry_run import dry_run
    from keras_nmt.experiments.comparison import Comparison, compare
    from keras_nmt.experiments.config import ExperimentConfig
    from keras_nmt.experiments.distillation import Distillation, PairFilter
    from keras_nmt.experiments.recipe import Recipe
    from keras_nmt.experiments.run_experiment import run

__getattr__, __dir__, _ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "_dry_run": ["dry_run"],
        "comparison": ["Comparison", "compare"],
        "config": ["ExperimentConfig"],
        "distillation": ["Distillation", "PairFilter"],
        "recipe": ["Recipe"],
        "run_experiment": ["run"],
    },
)

__all__ = ["Comparison", "Distillation", "ExperimentConfig", "PairFilter", "Recipe", "compare", "dry_run", "run"]
