"""Imports gRPC and the model server's protocol, which only the extra `serving` installs."""

from __future__ import annotations

import importlib
from typing import Any

from keras_nmt.errors import UserError, install_extra

_PROTOCOL = (
    "get_model_metadata_pb2",
    "get_model_status_pb2",
    "model_service_pb2_grpc",
    "predict_pb2",
    "prediction_log_pb2",
    "prediction_service_pb2_grpc",
)


def import_grpc(needed_for: str, *modules: str) -> Any:
    """Imports modules and gRPC, and returns `grpc`. A `UserError` names the user's request if a module is missing."""
    try:
        for name in modules:
            importlib.import_module(name)
        return importlib.import_module("grpc")
    except ImportError:
        raise UserError(
            f"gRPC and its protocol are not installed: {install_extra('serving', 'grpc')}. Received: {needed_for}"
        ) from None


def serving_api(needed_for: str) -> tuple[Any, Any]:
    """Returns `grpc` and `tensorflow_serving.apis` with the modules of the messages, which import TensorFlow."""
    package = "tensorflow_serving.apis"
    grpc = import_grpc(needed_for, package, *(f"{package}.{name}" for name in _PROTOCOL))
    return grpc, importlib.import_module(package)
