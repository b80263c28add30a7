"""Translators, which translate, score and align text with a trained model.

Names that need TensorFlow or NumPy are imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import lazy_loader

from keras_nmt.text import Glossary, Hypothesis, Translation

if TYPE_CHECKING:
    from keras_nmt.inference.aligned_subwords import AlignedSubwords
    from keras_nmt.inference.shortlist import Shortlist
    from keras_nmt.inference.translator import Translator

__getattr__, _, _ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "aligned_subwords": ["AlignedSubwords"],
        "shortlist": ["Shortlist"],
        "translator": ["Translator"],
    },
)

__all__ = ["AlignedSubwords", "Glossary", "Hypothesis", "Shortlist", "Translation", "Translator"]


def __dir__() -> list[str]:
    return sorted(__all__)
