"""From files to scores: experiments, recipes and comparisons.

A name is imported on first use: importing the package loads no TensorFlow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import lazy_loader

if TYPE_CHECKING:
    from keras_nmt.experiments.comparison import Comparison
    from keras_nmt.experiments.experiment import Experiment
    from keras_nmt.experiments.recipe import Recipe

__getattr__, __dir__, _ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "comparison": ["Comparison"],
        "experiment": ["Experiment"],
        "recipe": ["Recipe"],
    },
)

__all__ = ["Comparison", "Experiment", "Recipe"]
