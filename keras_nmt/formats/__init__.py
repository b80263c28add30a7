"""Reads and writes models of other toolkits, each format in a module of its own; see `keras_nmt.formats.registry`.

Each name is imported on first use, so importing this package needs no TensorFlow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import lazy_loader

if TYPE_CHECKING:
    from keras_nmt.formats.argos import export_argos
    from keras_nmt.formats.ctranslate2 import export_ctranslate2
    from keras_nmt.formats.huggingface import export_huggingface
    from keras_nmt.formats.keras_hub import export_keras_hub
    from keras_nmt.formats.marian import export_marian
    from keras_nmt.formats.registry import find_format, import_model

__getattr__, __dir__, _ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "argos": ["export_argos"],
        "ctranslate2": ["export_ctranslate2"],
        "huggingface": ["export_huggingface"],
        "keras_hub": ["export_keras_hub"],
        "marian": ["export_marian"],
        "registry": ["find_format", "import_model"],
    },
)

__all__ = [
    "export_argos",
    "export_ctranslate2",
    "export_huggingface",
    "export_keras_hub",
    "export_marian",
    "find_format",
    "import_model",
]
