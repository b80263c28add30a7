"""Analysis of trained models: functions that return numbers with their tables and figures, for any model and text.

A name is imported on first use: importing the package loads no TensorFlow. The page of `keras-nmt demo` is in the
module `keras_nmt.analysis.demo`, which needs the extra `demo`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
