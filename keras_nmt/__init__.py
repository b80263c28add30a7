"""keras_nmt: neural machine translation in Keras 3 with exchangeable mechanisms, from training to serving.

Sub-packages are imported on first use, so `import keras_nmt` takes no time and `keras_nmt.layers` needs no TensorFlow.
"""

from __future__ import annotations

import importlib
from types import ModuleType

__version__ = "0.1.0"

_PACKAGES = (
    "analysis",
    "data",
    "decoding",
    "evaluation",
    "experiments",
    "inference",
    "layers",
    "models",
    "serving",
    "training",
)

__all__ = ["__version__", *_PACKAGES]


def __getattr__(name: str) -> ModuleType:
    if name in _PACKAGES:
        return importlib.import_module(f"keras_nmt.{name}")
    raise AttributeError(f"module 'keras_nmt' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
