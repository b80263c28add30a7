"""Text to text: a translator around a trained model.

A name is imported on first use: a client needs `Translation`, and no TensorFlow.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from keras_nmt.inference.translation import Hypothesis, Translation
    from keras_nmt.inference.translator import Translator

_MODULES = {
    "Hypothesis": "translation",
    "Translation": "translation",
    "Translator": "translator",
}

__all__ = ["Hypothesis", "Translation", "Translator"]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
