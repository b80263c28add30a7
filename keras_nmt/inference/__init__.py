"""Text to text: a translator around a trained model."""

from keras_nmt.inference.translation import Hypothesis, Translation
from keras_nmt.inference.translator import Translator

__all__ = ["Hypothesis", "Translation", "Translator"]
