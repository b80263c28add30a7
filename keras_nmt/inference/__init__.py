"""Translators, which translate, score and align text with a trained model.

Names are imported on first use, because a client needs `Translation` and no TensorFlow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import lazy_loader

if TYPE_CHECKING:
    from keras_nmt.inference.glossary import Glossary
    from keras_nmt.inference.shortlist import AlignedSubwords, Shortlist
    from keras_nmt.inference.translation import Hypothesis, Translation
    from keras_nmt.inference.translator import Translator

__getattr__, __dir__, _ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "glossary": ["Glossary"],
        "shortlist": ["AlignedSubwords", "Shortlist"],
        "translation": ["Hypothesis", "Translation"],
        "translator": ["Translator"],
    },
)

__all__ = ["AlignedSubwords", "Glossary", "Hypothesis", "Shortlist", "Translation", "Translator"]
