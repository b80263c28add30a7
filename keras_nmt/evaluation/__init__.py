"""Evaluation: scores by sacreBLEU and COMET, and significance tests.

To add a metric, add an entry to `METRICS` in `keras_nmt/evaluation/metrics.py`. A name is imported on
first use, because the command line reads the names of the metrics without sacreBLEU and Keras.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
