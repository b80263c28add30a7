"""A tiny Transformer, a batch for it, and the logits of its steps: those of `keras_nmt.testing`."""

from __future__ import annotations

from keras_nmt.testing import SMALL as TINY
from keras_nmt.testing import make_batch, randomise, stepwise

__all__ = ["TINY", "V", "make_batch", "randomise", "stepwise"]

V = TINY["source_vocabulary_size"]
