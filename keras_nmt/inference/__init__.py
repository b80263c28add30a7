"""Text to text: translators around a trained model."""

from keras_nmt.inference.multilingual_translator import MultilingualTranslator
from keras_nmt.inference.translation import Hypothesis, Translation
from keras_nmt.inference.translator import Translator

__all__ = ["Hypothesis", "MultilingualTranslator", "Translation", "Translator"]
