"""The gRPC services of the development server."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from keras_nmt.serving._served_model import LARGEST_REQUEST, MOST_DIMENSIONS, Refused, ServedModel

# The fields of a tensor's values. The model server answers with them, and some clients read them directly.
_FIELDS = {
    tf.float32: "float_val",
    tf.float64: "double_val",
    tf.int32: "int_val",
    tf.int64: "int64_val",
    tf.bool: "bool_val",
    tf.string: "string_val",
}


def add_services(server: Any, model: ServedModel, grpc: Any, apis: Any) -> None:
    """Adds `PredictionService` and `ModelService` to a gRPC server. Other calls are UNIMPLEMENTED."""

    def handler(answer: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        def handle(request: Any, context: Any) -> Any:
            try:
                return answer(request, context)
            except Refused as error:
                context.abort(grpc.StatusCode[error.code], error.message)

        return handle

    def number(spec: Any) -> int | None:
        return spec.version.value if spec.HasField("version") else None

    def predict(request: Any, context: Any) -> Any:
        spec = request.model_spec
        signature = spec.signature_name or "serving_default"
        version = model.version(spec.name, number(spec))
        response = apis.predict_pb2.PredictResponse()
        response.model_spec.name, response.model_spec.signature_name = spec.name, signature
        response.model_spec.version.value = version.number
        inputs = {name: _from_proto(name, proto) for name, proto in request.inputs.items()}
        found = model.run(version, context.is_active, signature, inputs, request.output_filter)
        for name, array in found.items():
            response.outputs[name].CopyFrom(_to_proto(array))
        return response

    def metadata(request: Any, _: Any) -> Any:
        name = request.model_spec.name or model.name  # our client asks for the name
        version = model.version(name, number(request.model_spec))
        if list(request.metadata_field) != ["signature_def"]:
            fields = ",".join(request.metadata_field)
            raise Refused(f"The metadata field is signature_def. Received: {fields}")
        proto = apis.get_model_metadata_pb2
        response = proto.GetModelMetadataResponse()
        response.model_spec.name = model.name
        response.model_spec.version.value = version.number
        response.metadata["signature_def"].Pack(proto.SignatureDefMap(signature_def=version.definitions))
        return response

    def status(request: Any, _: Any) -> Any:
        return model.status(request.model_spec.name, number(request.model_spec))

    prediction = apis.prediction_service_pb2_grpc.PredictionServiceServicer()
    prediction.Predict, prediction.GetModelMetadata = handler(predict), handler(metadata)
    apis.prediction_service_pb2_grpc.add_PredictionServiceServicer_to_server(prediction, server)
    models = apis.model_service_pb2_grpc.ModelServiceServicer()
    models.GetModelStatus = handler(status)
    apis.model_service_pb2_grpc.add_ModelServiceServicer_to_server(models, server)


def _from_proto(name: str, proto: Any) -> tf.Tensor:
    # The model server also repeats a last value up to the number of elements: 40 bytes could ask for gigabytes.
    shape = [dim.size for dim in proto.tensor_shape.dim]
    dtype = next((dtype for dtype in _FIELDS if dtype.as_datatype_enum == proto.dtype), None)
    if dtype is None:
        raise Refused(f"tensor parsing error: {name} has type {proto.dtype}, which is not served")
    elements = math.prod(size or 1 for size in shape)  # TensorFlow multiplies the other sizes where one is 0, too
    is_shape = not proto.tensor_shape.unknown_rank and len(shape) <= MOST_DIMENSIONS and min(shape, default=0) >= 0
    if not is_shape or elements > LARGEST_REQUEST:
        raise Refused(
            f"tensor parsing error: {name} has at most {MOST_DIMENSIONS} dimensions, none below 0, and at most "
            f"{LARGEST_REQUEST} elements. Received: {shape}",
        )
    try:
        if proto.tensor_content:
            array = np.frombuffer(proto.tensor_content, dtype.as_numpy_dtype)
        else:
            array = np.array(getattr(proto, _FIELDS[dtype]), dtype.as_numpy_dtype)
        return tf.constant(array.reshape(shape), dtype)
    except ValueError as error:
        raise Refused(f"tensor parsing error: {name}: {error}") from None


def _to_proto(array: np.ndarray) -> Any:
    dtype = tf.as_dtype(array.dtype)
    if dtype not in _FIELDS:
        return tf.make_tensor_proto(array)
    proto = tf.make_tensor_proto([], dtype, [0])
    proto.tensor_shape.CopyFrom(tf.TensorShape(array.shape).as_proto())
    getattr(proto, _FIELDS[dtype]).extend(array.ravel().tolist())
    return proto
