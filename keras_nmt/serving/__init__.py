"""Text to text: the translator, and exports that TensorFlow Serving runs."""

from keras_nmt.serving.export import export
from keras_nmt.serving.export_directory import export_directory
from keras_nmt.serving.translator import Hypothesis, Translation, Translator

__all__ = ["Hypothesis", "Translation", "Translator", "export", "export_directory"]
