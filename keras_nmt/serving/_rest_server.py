"""The REST API of the development server: a WSGI application and the HTTP server that runs it."""

from __future__ import annotations

import base64
import contextlib
import json
import re
import socket
import threading
import traceback
import urllib.parse
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import tensorflow as tf
from google.protobuf import json_format
from werkzeug.exceptions import ClientDisconnected
from werkzeug.serving import LISTEN_QUEUE, ThreadedWSGIServer, WSGIRequestHandler
from werkzeug.wrappers import Request, Response

from keras_nmt.serving._openapi import MODELS_PATH, OPENAPI_PATH, openapi
from keras_nmt.serving._served_model import LARGEST_REQUEST, MOST_DIMENSIONS, Refused, ServedModel

TCP_ESTABLISHED = 1  # of Linux, in linux/tcp.h
# The model server's own routes.
_PREDICT = re.compile(r"/v1/models/([^/:]+)(?:/versions/(\d{1,18}))?:predict", re.IGNORECASE | re.ASCII)
_STATUS = re.compile(r"/v1/models/([^/:]+)(?:/versions/(\d{1,18}))?(/metadata)?", re.IGNORECASE | re.ASCII)
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


class RestServer(ThreadedWSGIServer):
    """An HTTP server with a thread for each connection. Raises `OSError` or `OverflowError` for an unusable port."""

    def __init__(self, host: str, port: int, model: ServedModel) -> None:
        self._connections: set[Any] = set()
        self._connections_changed = threading.Condition()
        # Werkzeug would end the process where the port cannot be used.
        with socket.create_server((host, port), backlog=LISTEN_QUEUE) as listener:
            super().__init__(host, port, _Application(model), _Handler, fd=listener.fileno())

    def stop(self) -> None:
        """Ends the server, once the requests that it has received are answered."""
        self.shutdown()
        with self._connections_changed:
            for connection in self._connections:
                with contextlib.suppress(OSError):  # the client has just closed the connection
                    connection.shutdown(socket.SHUT_RD)
            self._connections_changed.wait_for(lambda: not self._connections)

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._connections_changed:
            self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        super().shutdown_request(request)
        with self._connections_changed:
            self._connections.discard(request)
            self._connections_changed.notify_all()


class _Handler(WSGIRequestHandler):
    """Werkzeug's handler, but a connection stays open for the next request, as the model server's do."""

    server: RestServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # head and body are two packets: the second would wait

    def run_wsgi(self) -> None:
        try:
            environ = self.make_environ()
        except ValueError:
            self.send_error(400)  # the request names no URL
            return
        response = Response.from_app(self.server.app, environ, buffered=True)
        if self.close_connection:
            response.headers["Connection"] = "close"
        self.send_response(response.status_code)
        for name, value in response.headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(response.get_data())

    def log(self, *_: Any) -> None:
        pass

    def log_request(self, *_: Any) -> None:  # Werkzeug's own function fails for a request that names no URL
        pass


class _Application:
    """The WSGI application."""

    def __init__(self, model: ServedModel) -> None:
        self._model = model

    def __call__(self, environ: Any, start_response: Any) -> Iterable[bytes]:
        request, status = Request(environ), 200
        headers = {"Connection": "close"}  # until the body is read: the next request begins behind it
        try:
            body = _body(request)
            headers = {}
            answer = self._get(request) if request.method == "GET" else self._predict(request, body)
        except Refused as error:
            status, answer = _HTTP.get(error.code, 500), {"error": error.message}
        except RecursionError:
            status, answer = 400, {"error": "JSON Parse error: lists or objects are nested too deeply"}
        except Exception as error:  # a fault of this server: it is shown, and the client does not wait in vain
            traceback.print_exc()
            status, answer = 500, {"error": f"{type(error).__name__}: {error}"}
        content = json.dumps(answer, ensure_ascii=False, indent=4).encode("utf-8", "replace")
        return Response(content, status, headers, content_type="application/json")(environ, start_response)

    def _get(self, request: Request) -> Any:
        if request.path == OPENAPI_PATH:
            version = self._model.version(self._model.name, None)
            return openapi(self._model.name, version.number, version.definitions)
        if request.path == MODELS_PATH:
            return {"models": [self._model.name]}
        name, number, has_metadata = _route(_STATUS, request)
        if not has_metadata:
            return _as_json(self._model.status(name, number))
        version = self._model.version(name, number)
        signatures = {key: _as_json(value) for key, value in version.definitions.items()}
        spec = {"name": name, "signature_name": "", "version": str(version.number)}
        return {"model_spec": spec, "metadata": {"signature_def": {"signature_def": signatures}}}

    def _predict(self, request: Request, body: bytes) -> Any:
        name, number = _route(_PREDICT, request)
        try:
            # Bytes that are not UTF-8 reach the model, as in the model server.
            asked = json.loads(body.decode("utf-8", "surrogateescape"), strict=False)
        except ValueError as error:
            raise Refused(f"JSON Parse error: {error}") from None
        if not isinstance(asked, dict) or not isinstance(asked.get("signature_name", ""), str):
            raise Refused("A request is an object, and 'signature_name' a string in it")
        version = self._model.version(name, number)
        signature = asked.get("signature_name") or "serving_default"
        if signature not in version.definitions:
            raise Refused(f'Serving signature name: "{signature}" not found in signature def')
        dtypes = {name: tf.as_dtype(info.dtype) for name, info in version.definitions[signature].inputs.items()}
        if ("inputs" in asked) == ("instances" in asked):
            raise Refused("There must be one of 'inputs' and 'instances'")

        def run(inputs: Mapping[str, tf.Tensor]) -> dict[str, np.ndarray]:
            return self._model.run(
                version, lambda: _is_connected(request.environ["werkzeug.socket"]), signature, inputs
            )

        if "inputs" in asked:
            return {"outputs": _columns(run(_from_columns(asked["inputs"], dtypes)))}
        rows = asked["instances"]
        return {"predictions": _rows(run(_from_rows(rows, dtypes)), len(rows))}


def _is_connected(connection: socket.socket) -> bool:
    """Whether the client has closed neither the connection nor its side. Data that waits to be read says nothing."""
    return connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0] == TCP_ESTABLISHED


def _body(request: Request) -> bytes:
    length = request.headers.get("Content-Length", "0")
    is_known = "Transfer-Encoding" not in request.headers and re.fullmatch(r"[0-9]{1,18}", length)
    if not is_known or int(length) > LARGEST_REQUEST:
        raise Refused(f"Content-Length must say how long the body is, at most {LARGEST_REQUEST}")
    try:
        return request.get_data(cache=False)
    except ClientDisconnected:
        raise Refused("The client has gone", "CANCELLED") from None


def _route(pattern: re.Pattern[str], request: Request) -> list[Any]:
    """The model's name, the version's number and further groups of the pattern."""
    path = urllib.parse.urlsplit(request.environ["RAW_URI"]).path  # quoted: a name may have a slash or a colon
    match = pattern.fullmatch(path)
    if not path.lower().startswith("/v1/"):
        raise Refused(f"The development server has no {path}", "NOT_FOUND")
    if not match:
        raise Refused(f"Malformed request: {request.method} {path}")
    name, number, *others = match.groups()
    return [urllib.parse.unquote(name), int(number) if number else None, *others]


def _as_json(proto: Any) -> Any:
    return json_format.MessageToDict(proto, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)


def _is_base64(value: Any) -> bool:
    return isinstance(value, dict) and set(value) == {"b64"} and isinstance(value["b64"], str)


def _from_columns(given: Any, dtypes: Mapping[str, tf.DType]) -> dict[str, tf.Tensor]:
    """The inputs of the column format: an object of columns, or the only column."""
    if not isinstance(given, dict) or _is_base64(given):
        if len(dtypes) > 1:
            raise Refused(f"'inputs' must be an object with {','.join(sorted(dtypes))}")
        given = dict.fromkeys(dtypes, given)
    for name in dtypes:
        if name not in given:
            raise Refused(f"Missing named input: {name} in 'inputs' object.")
    # The model server ignores other columns, too.
    return {name: _tensor(given[name], dtype) for name, dtype in dtypes.items()}


def _from_rows(rows: Any, dtypes: Mapping[str, tf.DType]) -> dict[str, tf.Tensor]:
    """The inputs of the row format: a list of objects, or of values of the only input."""
    if not isinstance(rows, list) or not rows:
        raise Refused("'instances' must be a list with at least one value")
    if len(dtypes) == 1 and not (isinstance(rows[0], dict) and not _is_base64(rows[0])):
        (name,) = dtypes
        return {name: _tensor(rows, dtypes[name])}
    for i, row in enumerate(rows):
        if not isinstance(row, dict) or set(row) != set(dtypes):
            raise Refused(
                f"Failed to process element: {i} of 'instances' list. JSON object: {json.dumps(row)} "
                f"keys must be equal to: {','.join(sorted(dtypes))}",
            )
    return {name: _tensor([row[name] for row in rows], dtype) for name, dtype in dtypes.items()}


def _tensor(value: Any, dtype: tf.DType) -> tf.Tensor:
    kinds: Any = str if dtype == tf.string else bool if dtype == tf.bool else int if dtype.is_integer else (int, float)

    def converted(value: Any, depth: int = 0) -> Any:
        if depth > MOST_DIMENSIONS:
            raise ValueError(f"Lists in lists, deeper than {MOST_DIMENSIONS}")
        if isinstance(value, list):
            return [converted(item, depth + 1) for item in value]
        if dtype == tf.string and _is_base64(value):
            return base64.b64decode(value["b64"], validate=True)
        is_kind = isinstance(value, kinds) and (dtype == tf.bool or not isinstance(value, bool))
        if not is_kind or (dtype.is_integer and not dtype.min <= value <= dtype.max):
            raise ValueError(f"JSON Value: {json.dumps(value)} is not of expected type: {dtype.name}")
        return value.encode("utf-8", "surrogateescape") if dtype == tf.string else value

    try:
        return tf.constant(converted(value), dtype)
    except (ValueError, TypeError, OverflowError) as error:  # also: unequal lengths, no base64, half a character
        raise Refused(str(error)) from None


def _plain(name: str, array: np.ndarray) -> Any:
    """An output as JSON has it."""
    if array.dtype == object:

        def text(value: bytes) -> Any:
            is_bytes = name.endswith("_bytes")
            return {"b64": base64.b64encode(value).decode()} if is_bytes else value.decode("utf-8", "replace")

        return np.frompyfunc(text, 1, 1)(array).tolist()
    # The digits of a float32, not the digits of the nearest float64.
    return (array.astype(str).astype(float) if array.dtype == np.float32 else array).tolist()


def _columns(outputs: dict[str, np.ndarray]) -> Any:
    """The outputs as an object; a single output alone."""
    columns = {name: _plain(name, array) for name, array in outputs.items()}
    return columns if len(columns) > 1 else next(iter(columns.values()))


def _rows(outputs: dict[str, np.ndarray], count: int) -> list[Any]:
    """The outputs as a list of objects; a single output as a list of its rows."""
    for name, array in outputs.items():
        if array.ndim == 0 or len(array) != count:
            raise Refused(f"Tensor name: {name} has inconsistent batch size, expecting: {count}")
    columns = {name: _plain(name, array) for name, array in outputs.items()}
    if len(columns) == 1:
        return next(iter(columns.values()))
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
