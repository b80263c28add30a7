"""The development server with `Predict` by gRPC beside REST, for the tests of the client."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
import tensorflow as tf
from tensorflow_serving.apis import predict_pb2, prediction_service_pb2_grpc

from keras_nmt.serving import DevelopmentServer
from keras_nmt.serving.development_server import HOST, Refused

_CODES = {400: "INVALID_ARGUMENT", 404: "NOT_FOUND", 500: "INTERNAL"}
# The fields of a tensor's values, with which the model server answers.
_FIELDS = {tf.float32: "float_val", tf.int32: "int_val", tf.bool: "bool_val", tf.string: "string_val"}


class ServerOfBothApis(DevelopmentServer):
    """A `DevelopmentServer` that also answers by gRPC, at `grpc_url`."""

    def __init__(self, path: Path, *, port: int = 0, grpc_port: int = 0, **options: Any) -> None:
        super().__init__(path, port=port, **options)
        self._rpc = grpc.server(
            ThreadPoolExecutor(32),
            options=[("grpc.so_reuseport", 0), ("grpc.max_receive_message_length", -1)],
        )
        self.grpc_url = f"grpc://{HOST}:{self._rpc.add_insecure_port(f'{HOST}:{grpc_port}')}"
        service = prediction_service_pb2_grpc.PredictionServiceServicer()
        service.Predict = self._predict
        prediction_service_pb2_grpc.add_PredictionServiceServicer_to_server(service, self._rpc)
        self._rpc.start()

    def stop(self) -> None:
        calls = self._rpc.stop(threading.TIMEOUT_MAX)
        super().stop()
        calls.wait()

    def _predict(self, request: Any, context: Any) -> Any:
        try:
            return self._answer(request)
        except Refused as error:
            context.abort(grpc.StatusCode[_CODES[error.status]], error.message)

    def _answer(self, request: Any) -> Any:
        spec = request.model_spec
        self.check_model(spec.name, spec.version.value if spec.HasField("version") else None)
        inputs = {name: tf.constant(tf.make_ndarray(proto)) for name, proto in request.inputs.items()}
        found = self.model.run(spec.signature_name or "serving_default", inputs)
        response = predict_pb2.PredictResponse()
        for name, array in found.items():
            proto = tf.make_tensor_proto([], tf.as_dtype(array.dtype), [0])
            proto.tensor_shape.CopyFrom(tf.TensorShape(array.shape).as_proto())
            getattr(proto, _FIELDS[tf.as_dtype(array.dtype)]).extend(array.ravel().tolist())
            response.outputs[name].CopyFrom(proto)
        return response
