"""Text to text: translators, and exports that TensorFlow Serving runs."""

from keras_nmt.serving.client import Client
from keras_nmt.serving.development_server import DevelopmentServer
from keras_nmt.serving.export import export
from keras_nmt.serving.export_directory import export_directory
from keras_nmt.serving.export_multilingual import export_multilingual
from keras_nmt.serving.multilingual_translator import MultilingualTranslator
from keras_nmt.serving.translation import Hypothesis, Translation
from keras_nmt.serving.translator import Translator

__all__ = [
    "Client",
    "DevelopmentServer",
    "Hypothesis",
    "MultilingualTranslator",
    "Translation",
    "Translator",
    "export",
    "export_directory",
    "export_multilingual",
]
