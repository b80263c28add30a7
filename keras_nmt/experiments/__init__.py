"""From files to scores: experiments, recipes and comparisons.

A name is imported on first use: importing the package loads no TensorFlow.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
