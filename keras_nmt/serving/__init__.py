"""Exports for TensorFlow Serving, a client, and a development server.

Names are imported on first use, because the client needs no TensorFlow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import lazy_loader

if TYPE_CHECKING:
    from keras_nmt.serving._export import export
    from keras_nmt.serving.client import Client
    from keras_nmt.serving.development_server import DevelopmentServer

# The module of `export` must have another name: importing a module `export` would replace the function.
__getattr__, __dir__, _ = lazy_loader.attach(
    __name__, submod_attrs={"client": ["Client"], "development_server": ["DevelopmentServer"], "_export": ["export"]}
)

__all__ = ["Client", "DevelopmentServer", "export"]
