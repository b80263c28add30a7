"""Exports that TensorFlow Serving runs, a client, and a server for development.

A name is imported on first use: the client needs no TensorFlow.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from keras_nmt.serving._export import export
    from keras_nmt.serving.client import Client
    from keras_nmt.serving.development_server import DevelopmentServer

# A module's public name must differ from the module's own: the import of a module `export` would set that attribute.
_MODULES = {
    "Client": "client",
    "DevelopmentServer": "development_server",
    "export": "_export",
}

__all__ = ["Client", "DevelopmentServer", "export"]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
