"""A model server for development: what TensorFlow Serving answers, by TensorFlow in Python."""

from __future__ import annotations

import base64
import contextlib
import http.server
import json
import os
import re
import socket
import sys
import threading
import traceback
import urllib.parse
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf
import tensorflow_text  # noqa: F401  registers the subword operators
from google.protobuf import json_format
from tensorflow.core.protobuf import error_codes_pb2, saved_model_pb2

from keras_nmt.errors import UserError, one_line
from keras_nmt.serving._serving_api import serving_api
from keras_nmt.serving.client import XLA_DISABLED

HOST = "127.0.0.1"
_PREDICT = re.compile(r"/v1/models/([^/:]+)(?:/versions/(\d{1,19}))?:predict", re.IGNORECASE)
_STATUS = re.compile(r"/v1/models/([^/:]+)(?:/versions/(\d{1,19}))?(/metadata)?", re.IGNORECASE)
_LARGEST_BODY = 2**30  # bytes
_DEEPEST = 32  # dimensions of an input
_HTTP = {
    "CANCELLED": 499,
    "INVALID_ARGUMENT": 400,
    "DEADLINE_EXCEEDED": 504,
    "NOT_FOUND": 404,
    "ALREADY_EXISTS": 409,
    "PERMISSION_DENIED": 403,
    "RESOURCE_EXHAUSTED": 429,
    "FAILED_PRECONDITION": 400,
    "ABORTED": 409,
    "OUT_OF_RANGE": 400,
    "UNIMPLEMENTED": 501,
    "UNAVAILABLE": 503,
    "UNAUTHENTICATED": 401,
}
# Fields that the model server fills with a tensor's values. Whoever reads them directly should find them here, too.
_FIELDS = {
    tf.float32: "float_val",
    tf.float64: "double_val",
    tf.int32: "int_val",
    tf.int64: "int64_val",
    tf.bool: "bool_val",
    tf.string: "string_val",
}


class DevelopmentServer:
    """A local stand-in for TensorFlow's model server, with its two APIs.

    It is for development; for production there is TensorFlow Serving.

    It loads the highest version of an export and answers on this machine only:

    - gRPC: `PredictionService.Predict` and `.GetModelMetadata`, `ModelService.GetModelStatus`.
    - REST: `GET /v1/models/NAME`, `GET /v1/models/NAME/metadata`, `POST /v1/models/NAME:predict` in row (`instances`)
      and column format (`inputs`), each also with `/versions/VERSION` behind the name.

    Errors have the status codes of the model server. As in a stock one, signatures with `_xla` behind their names are
    refused, unless `xla` allows them. What it does not do: look for new versions, batch requests, run warm-up records,
    encrypt.

    Needs the extra `serving`. It answers as soon as it is made, and ends with `stop` or a `with` block.

    Args:
        path: The folder of versions that `keras-nmt export` wrote.
        name: What requests call the model. `None`: the folder's name.
        rest_port: Port of REST. 0: one that is free.
        port: Port of gRPC. 0: one that is free.
        xla: Whether `_xla` signatures are allowed.

    Attributes:
        version: The version loaded.
        rest_url: Where REST is, as `keras_nmt.serving.Client` takes it.
        grpc_url: Where gRPC is, likewise.

    Raises:
        UserError: There is no version in the folder, a port is in use, or the extra `serving` is not installed.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        name: str | None = None,
        rest_port: int = 8501,
        port: int = 8500,
        xla: bool = False,
    ) -> None:
        grpc, apis = serving_api(f"a development server of {os.fspath(path)}")
        folder = _highest_version(Path(path))
        self.name, self.version = name or Path(path).resolve().name, int(folder.name)
        model = _Model(self.name, folder, xla, apis)
        self._rpc = grpc.server(
            ThreadPoolExecutor(32),
            options=[
                ("grpc.so_reuseport", 0),  # else a port in use would be shared
                ("grpc.max_receive_message_length", -1),
                ("grpc.max_send_message_length", -1),
            ],
        )
        try:
            port = self._rpc.add_insecure_port(f"{HOST}:{port}")
        except (RuntimeError, OverflowError):
            raise UserError(f"The port for gRPC cannot be used: choose another. Received: port={port}") from None
        try:
            self._http = _HttpServer((HOST, rest_port), _Handler)
        except (OSError, OverflowError) as error:
            self._rpc.stop(None)
            raise UserError(
                f"The port for REST cannot be used, {getattr(error, 'strerror', error)}: choose another. "
                f"Received: rest_port={rest_port}"
            ) from None
        self.grpc_url, self.rest_url = f"grpc://{HOST}:{port}", f"http://{HOST}:{self._http.server_port}"
        self._http.model = model
        prediction, status = _services(model, grpc, apis)
        apis.prediction_service_pb2_grpc.add_PredictionServiceServicer_to_server(prediction, self._rpc)
        apis.model_service_pb2_grpc.add_ModelServiceServicer_to_server(status, self._rpc)
        self._rpc.start()
        self._thread = threading.Thread(target=self._http.serve_forever, daemon=True)
        self._thread.start()

    def wait(self) -> None:
        """Waits until the server is stopped, by another thread or by Ctrl-C."""
        self._thread.join()

    def stop(self) -> None:
        """Ends the server. Requests that it is working on are not answered."""
        self._http.shutdown()
        self._http.server_close()
        self._http.close_connections()
        self._rpc.stop(None).wait()
        self._thread.join()

    def __enter__(self) -> DevelopmentServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


class _Refused(Exception):
    """An error, by the names of gRPC's status codes."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message


class _Model:
    """A loaded version, as both APIs see it."""

    def __init__(self, name: str, folder: Path, xla: bool, apis: Any) -> None:
        self.name, self.version, self._xla, self._apis = name, int(folder.name), xla, apis
        try:
            saved_model = saved_model_pb2.SavedModel.FromString((folder / "saved_model.pb").read_bytes())
            self.definitions = dict(saved_model.meta_graphs[0].signature_def)
            self._loaded = tf.saved_model.load(str(folder))  # its variables live as long as it does
        except (PermissionError, tf.errors.ResourceExhaustedError):
            raise
        except Exception as error:  # whatever damage makes protobuf and TensorFlow raise
            raise UserError(
                f"The version cannot be loaded; if it is damaged, export it again. Received: {folder} "
                f"({one_line(error)[:200]})"
            ) from error

    def check(self, name: str, version: int | None) -> None:
        """Refuses what is asked of another model or version."""
        if name != self.name or version not in (None, self.version):
            asked = f"Latest({name})" if version is None else f"Specific({name}, {version})"
            raise _Refused("NOT_FOUND", f"Servable not found for request: {asked}")

    def run(
        self, signature: str, inputs: Mapping[str, tf.Tensor], outputs: Iterable[str] = ()
    ) -> dict[str, np.ndarray]:
        """What a signature computes."""
        if signature not in self._loaded.signatures:
            raise _Refused("FAILED_PRECONDITION", f'Serving signature key "{signature}" not found.')
        needed, chosen = self.definitions[signature].inputs, list(outputs)
        if set(inputs) != set(needed):
            extra, missing = (
                ",".join(sorted(names)) for names in (set(inputs) - set(needed), set(needed) - set(inputs))
            )
            raise _Refused(
                "INVALID_ARGUMENT",
                f"input size does not match signature: {len(inputs)}!={len(needed)}. Sent extra: {{{extra}}}. "
                f"Missing but required: {{{missing}}}.",
            )
        if unknown := set(chosen) - set(self.definitions[signature].outputs):
            raise _Refused("INVALID_ARGUMENT", f"output tensor alias not found in signature: {','.join(unknown)}")
        if signature.endswith("_xla") and not self._xla:
            raise _Refused("INTERNAL", XLA_DISABLED)
        try:
            found = self._loaded.signatures[signature](**inputs)
        except tf.errors.OpError as error:
            # Behind where in the graph it was.
            message = error.message.rpartition("<stack traces unavailable>\n")[2]
            raise _Refused(error_codes_pb2.Code.Name(error.error_code), message) from None
        return {name: found[name].numpy() for name in chosen or sorted(found)}

    def status(self, name: str, version: int | None) -> Any:
        """`GetModelStatusResponse`."""
        if name != self.name:
            raise _Refused("NOT_FOUND", f"Could not find any versions of model {name}")
        if version not in (None, self.version):
            raise _Refused("NOT_FOUND", f"Could not find version {version} of model {name}")
        proto = self._apis.get_model_status_pb2
        state = proto.ModelVersionStatus(version=self.version, state=proto.ModelVersionStatus.AVAILABLE)
        state.status.SetInParent()  # OK
        return proto.GetModelStatusResponse(model_version_status=[state])

    def signatures(self) -> Any:
        """`SignatureDefMap`."""
        return self._apis.get_model_metadata_pb2.SignatureDefMap(signature_def=self.definitions)


def _highest_version(path: Path) -> Path:
    children = path.iterdir() if path.is_dir() else ()
    versions = [child for child in children if child.name.isdecimal() and (child / "saved_model.pb").is_file()]
    if not versions:
        raise UserError(
            "There is no version of a model in the folder. Give the one that `keras-nmt export` wrote versions to. "
            f"Received: {path}"
        )
    return max(versions, key=lambda version: int(version.name))


# gRPC


def _services(model: _Model, grpc: Any, apis: Any) -> tuple[Any, Any]:
    """What answers calls. Its base classes answer others by UNIMPLEMENTED."""

    def version_of(spec: Any) -> int | None:
        return spec.version.value if spec.HasField("version") else None

    def refuse(context: Any, error: _Refused) -> None:
        context.abort(grpc.StatusCode[error.code], error.message)

    class Prediction(apis.prediction_service_pb2_grpc.PredictionServiceServicer):  # type: ignore[misc]
        def Predict(self, request: Any, context: Any) -> Any:
            spec = request.model_spec
            signature = spec.signature_name or "serving_default"
            response = apis.predict_pb2.PredictResponse()
            response.model_spec.name, response.model_spec.signature_name = spec.name, signature
            response.model_spec.version.value = model.version
            try:
                model.check(spec.name, version_of(spec))
                inputs = {name: _from_proto(name, proto) for name, proto in request.inputs.items()}
                for name, array in model.run(signature, inputs, request.output_filter).items():
                    response.outputs[name].CopyFrom(_to_proto(array))
            except _Refused as error:
                refuse(context, error)
            return response

        def GetModelMetadata(self, request: Any, context: Any) -> Any:
            response = apis.get_model_metadata_pb2.GetModelMetadataResponse()
            try:
                model.check(request.model_spec.name, version_of(request.model_spec))
                if list(request.metadata_field) != ["signature_def"]:
                    asked = ",".join(request.metadata_field)
                    raise _Refused("INVALID_ARGUMENT", f"The metadata field is signature_def. Received: {asked}")
            except _Refused as error:
                refuse(context, error)
            response.model_spec.name = model.name
            response.model_spec.version.value = model.version
            response.metadata["signature_def"].Pack(model.signatures())
            return response

    class Status(apis.model_service_pb2_grpc.ModelServiceServicer):  # type: ignore[misc]
        def GetModelStatus(self, request: Any, context: Any) -> Any:
            try:
                return model.status(request.model_spec.name, version_of(request.model_spec))
            except _Refused as error:
                refuse(context, error)

    return Prediction(), Status()


def _from_proto(name: str, proto: Any) -> tf.Tensor:
    try:
        return tf.constant(tf.make_ndarray(proto))
    except (TypeError, ValueError):
        raise _Refused("INVALID_ARGUMENT", f"tensor parsing error: {name}") from None


def _to_proto(array: np.ndarray) -> Any:
    dtype = tf.as_dtype(array.dtype)
    if dtype not in _FIELDS:
        return tf.make_tensor_proto(array)
    proto = tf.make_tensor_proto([], dtype, [0])
    proto.tensor_shape.CopyFrom(tf.TensorShape(array.shape).as_proto())
    getattr(proto, _FIELDS[dtype]).extend(array.ravel().tolist())
    return proto


# REST


class _HttpServer(http.server.ThreadingHTTPServer):
    request_queue_size = 128  # connections that come at once
    model: _Model

    def __init__(self, *arguments: Any) -> None:
        self._connections: set[Any] = set()  # they stay open from one request to the next
        super().__init__(*arguments)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._connections.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], ConnectionError):  # that is a client that has gone
            super().handle_error(request, client_address)

    def close_connections(self) -> None:
        for connection in list(self._connections):
            with contextlib.suppress(OSError):  # it has just been closed
                connection.shutdown(socket.SHUT_RDWR)


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # head and body are two packets: the second would wait
    server: _HttpServer

    def do_GET(self) -> None:
        self._answer(self._get)

    def do_POST(self) -> None:
        self._answer(self._post)

    def log_message(self, *_: Any) -> None:
        pass

    def _get(self) -> Any:
        model, match = self.server.model, _STATUS.fullmatch(self._path())
        self._body()  # else the next request would begin with it
        if not match:
            raise _Refused("INVALID_ARGUMENT", f"Malformed request: GET {self.path}")
        name, version = urllib.parse.unquote(match[1]), int(match[2]) if match[2] else None
        if not match[3]:
            return _as_json(model.status(name, version))
        model.check(name, version)
        spec = {"name": name, "signature_name": "", "version": str(model.version)}
        return {"model_spec": spec, "metadata": {"signature_def": _as_json(model.signatures())}}

    def _post(self) -> Any:
        model, match = self.server.model, _PREDICT.fullmatch(self._path())
        body = self._body()
        if not match:
            raise _Refused("INVALID_ARGUMENT", f"Malformed request: POST {self.path}")
        try:
            # Bytes that are no UTF-8 reach the model, as they do in the model server.
            request = json.loads(body.decode("utf-8", "surrogateescape"), strict=False)
        except (ValueError, RecursionError) as error:
            raise _Refused("INVALID_ARGUMENT", f"JSON Parse error: {error}") from None
        if not isinstance(request, dict) or not isinstance(request.get("signature_name", ""), str):
            raise _Refused("INVALID_ARGUMENT", "A request is an object, and 'signature_name' a string in it")
        model.check(urllib.parse.unquote(match[1]), int(match[2]) if match[2] else None)
        signature = request.get("signature_name") or "serving_default"
        if signature not in model.definitions:
            raise _Refused("INVALID_ARGUMENT", f'Serving signature name: "{signature}" not found in signature def')
        dtypes = {name: tf.as_dtype(info.dtype) for name, info in model.definitions[signature].inputs.items()}
        if ("inputs" in request) == ("instances" in request):
            raise _Refused("INVALID_ARGUMENT", "There must be one of 'inputs' and 'instances'")
        if "inputs" in request:
            return {"outputs": _columns(model.run(signature, _from_columns(request["inputs"], dtypes)))}
        rows = request["instances"]
        return {"predictions": _rows(model.run(signature, _from_rows(rows, dtypes)), len(rows))}

    def _body(self) -> bytes:
        length = self.headers.get("Content-Length") or "0"
        is_known = "Transfer-Encoding" not in self.headers and re.fullmatch(r"\d{1,18}", length)
        if not is_known or int(length) > _LARGEST_BODY:
            self.close_connection = True  # where the next request begins is not known
            raise _Refused("INVALID_ARGUMENT", f"Content-Length must say how long the body is, at most {_LARGEST_BODY}")
        return self.rfile.read(int(length))

    def _path(self) -> str:
        return self.path.partition("?")[0]

    def _answer(self, make: Any) -> None:
        status = 200
        try:
            answer = make()
        except _Refused as error:
            status, answer = _HTTP.get(error.code, 500), {"error": error.message}
        except ConnectionError:
            raise  # nobody is there to be answered
        except Exception as error:  # a fault of this server: to be seen, and no reason to leave a client waiting
            traceback.print_exc()
            status, answer = 500, {"error": f"{type(error).__name__}: {error}"}
        content = json.dumps(answer, ensure_ascii=False, indent=4).encode("utf-8", "replace")
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def _as_json(proto: Any) -> Any:
    return json_format.MessageToDict(proto, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)


def _is_base64(value: Any) -> bool:
    return isinstance(value, dict) and set(value) == {"b64"} and isinstance(value["b64"], str)


def _from_columns(given: Any, dtypes: Mapping[str, tf.DType]) -> dict[str, tf.Tensor]:
    """Inputs of the column format: an object of them, or the only one."""
    if not isinstance(given, dict) or _is_base64(given):
        if len(dtypes) > 1:
            raise _Refused("INVALID_ARGUMENT", f"'inputs' must be an object with {','.join(sorted(dtypes))}")
        given = dict.fromkeys(dtypes, given)
    for name in dtypes:
        if name not in given:
            raise _Refused("INVALID_ARGUMENT", f"Missing named input: {name} in 'inputs' object.")
    return {name: _tensor(given[name], dtype) for name, dtype in dtypes.items()}  # what is more is left, as there


def _from_rows(rows: Any, dtypes: Mapping[str, tf.DType]) -> dict[str, tf.Tensor]:
    """Inputs of the row format: a list of objects, or of values of the only one."""
    if not isinstance(rows, list) or not rows:
        raise _Refused("INVALID_ARGUMENT", "'instances' must be a list with at least one value")
    if len(dtypes) == 1 and not (isinstance(rows[0], dict) and not _is_base64(rows[0])):
        (name,) = dtypes
        return {name: _tensor(rows, dtypes[name])}
    for i, row in enumerate(rows):
        if not isinstance(row, dict) or set(row) != set(dtypes):
            raise _Refused(
                "INVALID_ARGUMENT",
                f"Failed to process element: {i} of 'instances' list. JSON object: {json.dumps(row)} "
                f"keys must be equal to: {','.join(sorted(dtypes))}",
            )
    return {name: _tensor([row[name] for row in rows], dtype) for name, dtype in dtypes.items()}


def _tensor(value: Any, dtype: tf.DType) -> tf.Tensor:
    kinds: Any = str if dtype == tf.string else bool if dtype == tf.bool else int if dtype.is_integer else (int, float)

    def converted(value: Any, depth: int = 0) -> Any:
        if depth > _DEEPEST:  # TensorFlow ends the process where there are more than 254 dimensions
            raise ValueError(f"Lists in lists, deeper than {_DEEPEST}")
        if isinstance(value, list):
            return [converted(item, depth + 1) for item in value]
        if dtype == tf.string and _is_base64(value):
            return base64.b64decode(value["b64"], validate=True)
        if not isinstance(value, kinds) or (isinstance(value, bool) and dtype != tf.bool):
            raise ValueError(f"JSON Value: {json.dumps(value)} is not of expected type: {dtype.name}")
        return value.encode("utf-8", "surrogateescape") if dtype == tf.string else value

    try:
        return tf.constant(converted(value), dtype)
    except (ValueError, TypeError) as error:  # also: lists of unequal length, no base64, half of a character
        raise _Refused("INVALID_ARGUMENT", str(error)) from None


def _plain(name: str, array: np.ndarray) -> Any:
    """An output as JSON has it."""
    if array.dtype == object:
        if name.endswith("_bytes"):
            texts = [{"b64": base64.b64encode(text).decode()} for text in array.flat]
        else:
            texts = [text.decode("utf-8", "replace") for text in array.flat]
        shaped = np.empty(array.size, object)
        shaped[:] = texts
        return shaped.reshape(array.shape).tolist()
    # Digits enough for float32, not those of the float64 nearest to it.
    return (array.astype(str).astype(float) if array.dtype == np.float32 else array).tolist()


def _columns(outputs: dict[str, np.ndarray]) -> Any:
    """Outputs as an object; a single one alone."""
    columns = {name: _plain(name, array) for name, array in outputs.items()}
    return columns if len(columns) > 1 else next(iter(columns.values()))


def _rows(outputs: dict[str, np.ndarray], count: int) -> list[Any]:
    """Outputs as a list of objects; a single one as a list of its rows."""
    for name, array in outputs.items():
        if array.ndim == 0 or len(array) != count:
            raise _Refused("INVALID_ARGUMENT", f"Tensor name: {name} has inconsistent batch size, expecting: {count}")
    columns = {name: _plain(name, array) for name, array in outputs.items()}
    if len(columns) == 1:
        return next(iter(columns.values()))
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
