"""The client's gRPC transport, which defines the messages of the model server's protocol without TensorFlow."""

from __future__ import annotations

import array
import math
import urllib.parse
from typing import Any

from keras_nmt.errors import UserError, install_extra
from keras_nmt.serving._transport import USUAL_MODEL, Failure, largest_answer, seconds_left

# The messages of `predict.proto` in `tensorflow_serving/apis`: name, number and type of the fields used here;
# * repeated. The official modules of these messages import all of TensorFlow.
MESSAGES = {
    "Version": [("value", 1, "INT64")],
    "ModelSpec": [("name", 1, "STRING"), ("version", 2, "Version"), ("signature_name", 3, "STRING")],
    "Dimension": [("size", 1, "INT64")],
    "Shape": [("dim", 2, "*Dimension")],
    "Tensor": [
        ("dtype", 1, "INT32"),
        ("tensor_shape", 2, "Shape"),
        ("tensor_content", 4, "BYTES"),
        ("float_val", 5, "*FLOAT"),
        ("int_val", 7, "*INT32"),
        ("string_val", 8, "*BYTES"),
        ("bool_val", 11, "*BOOL"),
    ],
    "Entry": [("key", 1, "STRING"), ("value", 2, "Tensor")],  # on the wire, a map is a list of these
    "Request": [("model_spec", 1, "ModelSpec"), ("inputs", 2, "*Entry")],
    "Response": [("outputs", 1, "*Entry")],
}
# Types in `tensorflow/core/framework/types.proto`.
FLOAT, INT32, STRING, BOOL = 1, 3, 7, 10
_CONTENT = {FLOAT: "f", INT32: "i", BOOL: "b"}


class GrpcTransport:
    """One model of a server, by gRPC; `waits` are the least and the most seconds before the channel connects again.

    `most_sentences` is the number of sentences of the largest request.
    """

    def __init__(
        self,
        parts: urllib.parse.SplitResult,
        model: str | None,
        version: int | None,
        waits: tuple[float, float],
        most_sentences: int,
    ) -> None:
        try:
            import google.protobuf  # noqa: F401  part of the same extra
            import grpc
        except ImportError:
            raise UserError(
                f"gRPC is not installed: {install_extra('serving', 'grpc')}. Received: {parts.geturl()}"
            ) from None
        self._grpc = grpc
        options = {
            "grpc.max_receive_message_length": min(largest_answer(most_sentences), 2**31 - 1),
            "grpc.max_send_message_length": -1,
            "grpc.enable_http_proxy": 0,  # as by REST
            # The client's waits decide when to try again, not the longer waits of the channel. The channel's least wait
            # does not change: a server may take as long to accept a connection.
            "grpc.initial_reconnect_backoff_ms": int(1000 * waits[0]),
            "grpc.max_reconnect_backoff_ms": int(1000 * waits[1]),
        }
        host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
        self._channel = self._grpc.insecure_channel(f"{host}:{parts.port or 8500}", list(options.items()))
        self._messages = _message_classes()
        self.model, self._version = model or USUAL_MODEL, version

    def predict(self, signature: str, inputs: dict[str, list[Any]], deadline: float) -> dict[str, list[Any]]:
        from google.protobuf.message import DecodeError

        request = self._messages["Request"]()
        request.model_spec.name = self.model
        request.model_spec.signature_name = signature
        if self._version is not None:
            request.model_spec.version.value = self._version
        for name, column in inputs.items():
            tensor = request.inputs.add(key=name).value
            tensor.tensor_shape.dim.add(size=len(column))
            if isinstance(column[0], str):
                tensor.dtype = STRING
                tensor.string_val.extend(text.encode() for text in column)
            else:
                tensor.dtype = INT32
                tensor.int_val.extend(column)
        call = self._channel.unary_unary("/tensorflow.serving.PredictionService/Predict")
        try:
            content = call(request.SerializeToString(), timeout=seconds_left(deadline))
        except self._grpc.RpcError as error:
            raise Failure(error.code().name, error.details() or "") from None
        try:
            response = self._messages["Response"].FromString(content)
            return {entry.key: _column(entry.value) for entry in response.outputs}
        except (DecodeError, ValueError) as error:
            raise Failure("MALFORMED", str(error)) from None

    def close(self) -> None:
        self._channel.close()


def _column(tensor: Any) -> list[Any]:
    """The rows of a tensor of one or two dimensions; a `ValueError` for other tensors, and for a wrong shape."""
    fields = {FLOAT: tensor.float_val, INT32: tensor.int_val, STRING: tensor.string_val, BOOL: tensor.bool_val}
    values = list(fields.get(tensor.dtype, ()))
    if tensor.tensor_content and tensor.dtype in _CONTENT:
        packed = array.array(_CONTENT[tensor.dtype], tensor.tensor_content)
        values = [bool(x) for x in packed] if tensor.dtype == BOOL else list(packed)
    shape = [dimension.size for dimension in tensor.tensor_shape.dim]
    if tensor.dtype not in fields or len(shape) not in (1, 2) or min(shape) < 1 or math.prod(shape) != len(values):
        raise ValueError(f"{len(values)} values in a tensor of type {tensor.dtype} and shape {shape[:8]}")
    if len(shape) == 1:
        return values
    return [values[start : start + shape[1]] for start in range(0, len(values), shape[1])]


def _message_classes() -> dict[str, Any]:
    """The classes of `MESSAGES`."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    file = descriptor_pb2.FileDescriptorProto(name="keras_nmt/predict.proto", package="keras_nmt", syntax="proto3")
    types = descriptor_pb2.FieldDescriptorProto.Type
    for name, fields in MESSAGES.items():
        message = file.message_type.add(name=name)
        for field_name, number, kind in fields:
            field = message.field.add(name=field_name, number=number, label="LABEL_OPTIONAL")
            if kind.startswith("*"):
                field.label = descriptor_pb2.FieldDescriptorProto.LABEL_REPEATED
            kind = kind.removeprefix("*")
            field.type = types.Value("TYPE_MESSAGE" if kind in MESSAGES else f"TYPE_{kind}")
            if kind in MESSAGES:
                field.type_name = f".keras_nmt.{kind}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    found = {name: pool.FindMessageTypeByName(f"keras_nmt.{name}") for name in MESSAGES}
    return {name: message_factory.GetMessageClass(descriptor) for name, descriptor in found.items()}
