"""Preparation of corpora on disk: an Apache Beam pipeline from text to shards.

The stages are functions and classes of NumPy and SentencePiece alone. The function `prepare` is in the module
`keras_nmt.preparation.pipeline`, which needs Apache Beam (extra `prepare`).
"""

from keras_nmt.preparation.options import Preparation

__all__ = ["Preparation"]
