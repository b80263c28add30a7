"""Exports that TensorFlow Serving runs, a client, and a server for development.

A name is imported on first use: the client needs no TensorFlow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import lazy_loader

if TYPE_CHECKING:
    from keras_nmt.serving._export import export
    from keras_nmt.serving._export_ctranslate2 import export_ctranslate2
    from keras_nmt.serving.client import Client
    from keras_nmt.serving.development_server import DevelopmentServer

# A module's public name must differ from the module's own: the import of a module `export` would set that attribute.
__getattr__, __dir__, _ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "client": ["Client"],
        "development_server": ["DevelopmentServer"],
        "_export": ["export"],
        "_export_ctranslate2": ["export_ctranslate2"],
    },
)

__all__ = ["Client", "DevelopmentServer", "export", "export_ctranslate2"]
