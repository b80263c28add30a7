"""From files to scores: experiments, recipes, comparisons, and the settings of the papers.

A name is imported on first use: importing the package loads no TensorFlow.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from keras_nmt.experiments.comparison import Comparison
    from keras_nmt.experiments.experiment import Experiment
    from keras_nmt.experiments.recipe import Recipe

_MODULES = {"Comparison": "comparison", "Experiment": "experiment", "Recipe": "recipe"}

__all__ = ["Comparison", "Experiment", "Recipe"]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
