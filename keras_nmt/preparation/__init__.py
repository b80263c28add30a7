"""Preparation of corpora on disk: an Apache Beam pipeline from text to shards.

The stages are functions and classes of NumPy and SentencePiece alone; only `pipeline` needs Apache Beam (extra
`prepare`). A name is imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import lazy_loader

if TYPE_CHECKING:
    from keras_nmt.preparation.options import Preparation
    from keras_nmt.preparation.pipeline import prepare

__getattr__, __dir__, _ = lazy_loader.attach(
    __name__, submod_attrs={"options": ["Preparation"], "pipeline": ["prepare"]}
)

__all__ = ["Preparation", "prepare"]
