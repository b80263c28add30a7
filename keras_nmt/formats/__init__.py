"""Reads and writes models of other toolkits, each format in a module of its own; see `keras_nmt.formats.registry`.

Each name is imported on first use, so importing this package needs no TensorFlow.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
