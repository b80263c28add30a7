"""Exports that TensorFlow Serving runs, a client, and a server for development."""

from keras_nmt.serving.client import Client
from keras_nmt.serving.development_server import DevelopmentServer
from keras_nmt.serving.export import export
from keras_nmt.serving.export_directory import export_directory
from keras_nmt.serving.export_multilingual import export_multilingual

__all__ = ["Client", "DevelopmentServer", "export", "export_directory", "export_multilingual"]
