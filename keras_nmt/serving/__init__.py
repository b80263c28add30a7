"""Exports that TensorFlow Serving runs, a client, and a server for development."""

from keras_nmt.serving._export import export
from keras_nmt.serving.client import Client
from keras_nmt.serving.development_server import DevelopmentServer

__all__ = ["Client", "DevelopmentServer", "export"]
