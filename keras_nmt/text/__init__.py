"""Text in and out of a model: files of lines, sentences, markup, glossaries, and translations as objects.

These modules need neither NumPy nor TensorFlow, because they are also part of the client's distribution.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import lazy_loader

if TYPE_CHECKING:
    from keras_nmt.text.glossary import Glossary
    from keras_nmt.text.source_cleaning import clean_source
    from keras_nmt.text.translation import Hypothesis, Translation

__getattr__, __dir__, _ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "glossary": ["Glossary"],
        "source_cleaning": ["clean_source"],
        "translation": ["Hypothesis", "Translation"],
    },
)

__all__ = ["Glossary", "Hypothesis", "Translation", "clean_source"]
