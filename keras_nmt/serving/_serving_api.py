from __future__ import annotations

import importlib
from typing import Any

from keras_nmt.errors import UserError


def serving_api(needed_for: str) -> tuple[Any, Any]:
    """gRPC and the protocol of the model server, which few need.

    Args:
        needed_for: What the user asked for, for the error.

    Returns:
        The modules `grpc` and `tensorflow_serving.apis`, with the latter's parts that are used here.

    Raises:
        UserError: They are not installed.
    """
    try:
        for name in (
            "get_model_metadata_pb2",
            "get_model_status_pb2",
            "model_service_pb2_grpc",
            "predict_pb2",
            "prediction_log_pb2",
            "prediction_service_pb2_grpc",
        ):
            importlib.import_module(f"tensorflow_serving.apis.{name}")
        return importlib.import_module("grpc"), importlib.import_module("tensorflow_serving.apis")
    except ImportError:
        raise UserError(
            f"gRPC and its protocol need the extra `serving`: pip install 'keras_nmt[serving]'. Received: {needed_for}"
        ) from None
