"""The REST API of the development server: a WSGI application and the HTTP server that runs it."""

from __future__ import annotations

import contextlib
import functools
import json
import re
import reprlib
import socket
import threading
import traceback
import urllib.parse
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import tensorflow as tf
from google.protobuf import json_format
from werkzeug.exceptions import ClientDisconnected
from werkzeug.serving import LISTEN_QUEUE, ThreadedWSGIServer, WSGIRequestHandler
from werkzeug.wrappers import Request, Response

from keras_nmt.serving._served_model import Refused, ServedModel, ServedVersion

LARGEST_REQUEST = 2**24  # bytes
TCP_ESTABLISHED = 1  # of Linux, in linux/tcp.h
_ROUTE = re.compile(  # the model server's own
    r"/v1/models/([^/:]+)(?:/versions/(\d{1,18}))?(:predict|/metadata|)", re.IGNORECASE | re.ASCII
)


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
            answer = self._answer(request, body)
        except Refused as error:
            status, answer = error.status, {"error": error.message}
        except Exception as error:  # a fault of this server: it is shown, and the client does not wait in vain
            traceback.print_exc()
            status, answer = 500, {"error": f"{type(error).__name__}: {error}"}
        content = json.dumps(answer, ensure_ascii=False, indent=4).encode("utf-8", "replace")
        return Response(content, status, headers, content_type="application/json")(environ, start_response)

    def _answer(self, request: Request, body: bytes) -> Any:
        path = urllib.parse.urlsplit(request.environ["RAW_URI"]).path  # quoted: a name may have a slash or a colon
        if request.method == "GET" and path == "/v1/models":
            return {"models": [self._model.name]}
        if request.method == "GET" and path == "/healthz":
            return {"model": self._model.name, "version": self._model.current.number}
        if not path.lower().startswith("/v1/"):
            raise Refused(f"The development server has no {path}", 404)
        match = _ROUTE.fullmatch(path)
        is_predict = match is not None and match[3].lower() == ":predict"
        if match is None or request.method != ("POST" if is_predict else "GET"):
            raise Refused(f"Malformed request: {request.method} {path}")
        name = urllib.parse.unquote(match[1])
        version = self._model.version(name, int(match[2]) if match[2] else None)
        if is_predict:
            is_awaited = functools.partial(_is_connected, request.environ["werkzeug.socket"])
            return _predict(version, body, functools.partial(self._model.run, version, is_awaited))
        if match[3]:
            signatures = {key: _as_json(value) for key, value in version.definitions.items()}
            spec = {"name": name, "signature_name": "", "version": str(version.number)}
            return {"model_spec": spec, "metadata": {"signature_def": {"signature_def": signatures}}}
        status = {"error_code": "OK", "error_message": ""}
        return {"model_version_status": [{"version": str(version.number), "state": "AVAILABLE", "status": status}]}


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
        raise Refused("The client has gone", 499) from None


def _as_json(proto: Any) -> Any:
    return json_format.MessageToDict(proto, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)


def _predict(version: ServedVersion, body: bytes, run: Callable[..., dict[str, np.ndarray]]) -> Any:
    """Returns the answer to a request in row or column format. A single output stands without its name."""
    try:
        # Bytes that are not UTF-8 reach the model, as in the model server.
        asked = json.loads(body.decode("utf-8", "surrogateescape"), strict=False)
    except (ValueError, RecursionError) as error:
        raise Refused(f"JSON Parse error: {error}") from None
    if not isinstance(asked, dict) or not isinstance(asked.get("signature_name", ""), str):
        raise Refused("A request is an object, and 'signature_name' a string in it")
    signature = asked.get("signature_name") or "serving_default"
    if signature not in version.definitions:
        raise Refused(f'Serving signature name: "{signature}" not found in signature def')
    if ("inputs" in asked) == ("instances" in asked):
        raise Refused("There must be one of 'inputs' and 'instances'")
    inputs = version.definitions[signature].inputs
    given = asked["inputs"] if "inputs" in asked else _columns(asked["instances"], list(inputs))
    if not isinstance(given, dict) and len(inputs) == 1:  # the only input, without its name
        given = dict.fromkeys(inputs, given)
    if not isinstance(given, dict):
        raise Refused(f"'inputs' must be an object with {','.join(sorted(inputs))}")
    for name in inputs:
        if name not in given:
            raise Refused(f"Missing named input: {name} in 'inputs' object.")
    # As in the model server, other columns have no effect.
    outputs = run(signature, {name: _tensor(name, given[name], info) for name, info in inputs.items()})
    columns = {name: _plain(array) for name, array in outputs.items()}
    only = next(iter(columns.values())) if len(columns) == 1 else None
    if "inputs" in asked:
        return {"outputs": columns if only is None else only}
    for name, array in outputs.items():
        if array.ndim == 0 or len(array) != len(asked["instances"]):
            raise Refused(f"Tensor name: {name} has inconsistent batch size, expecting: {len(asked['instances'])}")
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return {"predictions": rows if only is None else only}


def _columns(rows: Any, names: list[str]) -> dict[str, list[Any]]:
    """Returns the inputs of the row format: a list of objects, or of values of the only input."""
    if not isinstance(rows, list) or not rows:
        raise Refused("'instances' must be a list with at least one value")
    if len(names) == 1 and not isinstance(rows[0], dict):
        return {names[0]: rows}
    for i, row in enumerate(rows):
        if not isinstance(row, dict) or set(row) != set(names):
            keys = ",".join(sorted(names))
            received = json.dumps(sorted(row)) if isinstance(row, dict) else type(row).__name__
            raise Refused(f"Row {i} of 'instances' must be an object; keys must be equal to: {keys}. Got {received}")
    return {name: [row[name] for row in rows] for name in names}


def _tensor(name: str, value: Any, info: Any) -> tf.Tensor:
    """Returns a value as a tensor of an input's type and rank."""
    dtype, shape = tf.as_dtype(info.dtype), tf.TensorShape(info.tensor_shape)
    kinds: Any = str if dtype == tf.string else bool if dtype == tf.bool else int if dtype.is_integer else (int, float)

    def converted(value: Any, rank: int) -> Any:
        if rank and isinstance(value, list):
            return [converted(item, rank - 1) for item in value]
        is_kind = isinstance(value, kinds) and (dtype == tf.bool or not isinstance(value, bool))
        if rank or not is_kind or (dtype.is_integer and not dtype.min <= value <= dtype.max):
            raise ValueError(
                f"{name} must have type {dtype.name} and shape {shape}. Received: {reprlib.repr(value)} in it"
            )
        return value.encode("utf-8", "surrogateescape") if dtype == tf.string else value

    try:
        return tf.constant(converted(value, shape.rank or 0), dtype)
    except (ValueError, TypeError, OverflowError) as error:  # also: unequal lengths, half a character
        raise Refused(str(error)) from None


def _plain(array: np.ndarray) -> Any:
    """Returns an output as JSON has it."""
    if array.dtype == object:
        return np.frompyfunc(lambda value: value.decode("utf-8", "replace"), 1, 1)(array).tolist()
    # The digits of a float32, not the digits of the nearest float64.
    return (array.astype(str).astype(float) if array.dtype == np.float32 else array).tolist()
