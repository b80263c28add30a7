"""A development server with the REST API of TensorFlow Serving."""

from __future__ import annotations

import contextlib
import http.server
import json
import logging
import os
import re
import reprlib
import socketserver
import threading
import traceback
import urllib.parse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf
import tensorflow_text  # noqa: F401  registers the subword operators
from google.protobuf import json_format
from tensorflow.core.protobuf import saved_model_pb2

from keras_nmt.errors import UserError, error_and_type, one_line, require
from keras_nmt.files.atomic_files import plain_name
from keras_nmt.files.json_file import unique_entries
from keras_nmt.files.process_resources import without_standard_error
from keras_nmt.serving.client import XLA_DISABLED
from keras_nmt.serving.warmup import warmup_requests

HOST = "127.0.0.1"
LARGEST_REQUEST = 2**24  # bytes
LARGEST_SKIPPED = 2**26  # bytes of a larger request that are read before the answer
REQUESTS_AT_ONCE = 4  # more would share the cores, and be no faster
_ROUTE = re.compile(r"/v1/models/([^/:]+)(?:/versions/([0-9]+))?(:predict|/metadata|)")


class Refused(Exception):
    """An error to answer instead of a result, with its HTTP status."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message, status)
        self.message, self.status = one_line(message)[:500], status


class DevelopmentServer:
    """A local substitute for TensorFlow's model server with its REST API. Use TensorFlow Serving in production.

    The server loads the highest version of an export, and answers on this machine only:

    - `POST /v1/models/NAME:predict`, in row (`instances`) and column format (`inputs`); `GET /v1/models/NAME`, the
      status; `GET /v1/models/NAME/metadata`, the signatures; each also with `/versions/VERSION` after the name.
    - `GET /v1/models`: the name of the model. `GET /healthz`: the version that is served.

    Like TensorFlow Serving, it first runs the version's warm-up requests, and does not load the version if one fails.
    Also like it, the server refuses signatures with `_xla` after their names, unless `xla` allows them. To serve a
    newer version, start the server again. For its limits, see `savedmodels/README.md`.

    The server answers as soon as it is made, until `stop` is called or its `with` block ends.

    Args:
        path: Path of the folder of versions that `keras-nmt export` wrote.
        name: String, the model's name in requests. Defaults to the folder's name.
        port: Integer, the port; 0 for a free one. Defaults to 8501.
        xla: Boolean, whether `_xla` signatures are allowed. Defaults to `False`.

    Attributes:
        rest_url: String, the URL for `keras_nmt.serving.Client`.
        version: Integer, the version that is served.

    Raises:
        UserError: There is no version in the folder, the highest one is damaged, one of its warm-up requests fails, or
            the port is in use.
    """

    def __init__(
        self, path: str | os.PathLike[str], *, name: str | None = None, port: int = 8501, xla: bool = False
    ) -> None:
        folder = _highest_version(Path(path))
        self.name, self.version = name or Path(path).resolve().name, int(folder.name)
        self._http = _HttpServer(self, port)  # before the model is loaded, which may take minutes
        try:
            self.model = ServedVersion(folder, xla)
            self._http.server_activate()
        except BaseException:
            self._http.server_close()
            raise
        self.rest_url = f"http://{HOST}:{self._http.server_address[1]}"
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._http.serve_forever, args=[0.1], daemon=True)
        self._thread.start()

    def wait(self) -> None:
        """Waits until another thread or Ctrl-C stops the server."""
        self._stopped.wait()

    def stop(self) -> None:
        """Ends the server after it has answered the requests that it has received."""
        self._http.shutdown()
        self._http.server_close()  # waits for the threads of the requests
        self._stopped.set()
        self._thread.join()

    def __enter__(self) -> DevelopmentServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def check_model(self, name: str, version: int | None) -> None:
        """Refuses a request for another model or version. None stands for the version that is served."""
        if name != self.name or version not in (None, self.version):
            wanted = name if version is None else f"{name}, version {version}"
            raise Refused(f"There is no {wanted}: the server has {self.name}, version {self.version}", 404)

    def answer(self, method: str, path: str, body: bytes) -> Any:
        """Returns the answer to a request as a JSON value."""
        if (method, path) == ("GET", "/v1/models"):
            return {"models": [self.name]}
        if (method, path) == ("GET", "/healthz"):
            return {"model": self.name, "version": self.version}
        match = _ROUTE.fullmatch(path)  # not yet unquoted: a name may have a slash or a colon
        if match is None or method != ("POST" if match[3] == ":predict" else "GET"):
            raise Refused(f"The development server has no {method} {path}", 404)
        name = urllib.parse.unquote(match[1])
        self.check_model(name, int(match[2][:19]) if match[2] else None)
        if match[3] == ":predict":
            return _predict(self.model, body)
        if match[3]:
            signatures = {key: _as_json(value) for key, value in self.model.definitions.items()}
            spec = {"name": name, "signature_name": "", "version": str(self.version)}
            return {"model_spec": spec, "metadata": {"signature_def": {"signature_def": signatures}}}
        status = {"error_code": "OK", "error_message": ""}
        return {"model_version_status": [{"version": str(self.version), "state": "AVAILABLE", "status": status}]}


class ServedVersion:
    """A loaded version, after its warm-up requests. `xla` tells whether signatures `_xla` are allowed."""

    def __init__(self, folder: Path, xla: bool) -> None:
        self._xla, self._turns = xla, threading.Semaphore(REQUESTS_AT_ONCE)
        try:
            saved_model = saved_model_pb2.SavedModel.FromString((folder / "saved_model.pb").read_bytes())
            self.definitions = dict(saved_model.meta_graphs[0].signature_def)
            with plain_name(folder) as name, contextlib.ExitStack() as stack:
                logger = logging.getLogger("absl")
                logger.addFilter(_is_not_of_gradients)
                stack.callback(logger.removeFilter, _is_not_of_gradients)
                stack.enter_context(without_standard_error())  # for SentencePiece's words, see `SubwordTokenizer`
                self._loaded = tf.saved_model.load(name)  # keeps the variables alive
            requests = warmup_requests(folder)
        except (PermissionError, UserError, tf.errors.ResourceExhaustedError):
            raise
        except Exception as error:  # protobuf and TensorFlow raise many types of errors for damaged files
            raise UserError(
                f"The version cannot be loaded: export it again if it is damaged. Received: {folder} "
                f"({one_line(error)[:200]})"
            ) from error
        for signature, inputs in requests:
            try:
                self.run(signature, inputs)
            except Refused as error:
                allow = "allow XLA by --xla, or " if error.message == XLA_DISABLED else ""
                without = " without --warmup-xla" if signature.endswith("_xla") else ""
                raise UserError(
                    f"A warm-up request of the version fails: {allow}export the model again{without}. "
                    f"Received: {folder}, signature {signature} ({one_line(error.message)[:200]})"
                ) from None

    def inputs(self, signature: str) -> dict[str, tf.TensorSpec]:
        """Returns the types and shapes of a signature's inputs."""
        if signature not in self._loaded.signatures:
            names = ", ".join(sorted(self._loaded.signatures))
            raise Refused(f'Serving signature name: "{signature[:200]}" not found in signature def, which has {names}')
        specs: dict[str, tf.TensorSpec] = self._loaded.signatures[signature].structured_input_signature[1]
        return specs

    def run(self, signature: str, inputs: Mapping[str, tf.Tensor]) -> dict[str, np.ndarray]:
        """Returns an array for each output of a signature."""
        specs = self.inputs(signature)
        if set(inputs) != set(specs):
            raise Refused(f"The inputs must be {', '.join(sorted(specs))}. Received: {', '.join(sorted(inputs))}")
        if signature.endswith("_xla") and not self._xla:
            raise Refused(XLA_DISABLED, 500)
        try:
            with self._turns:
                results = self._loaded.signatures[signature](**inputs)
        except tf.errors.OpError as error:
            # The message stands between two locations in the graph.
            message = error.message.rpartition("<stack traces unavailable>\n")[2].partition("\n\t [[")[0]
            raise Refused(message, 400 if isinstance(error, tf.errors.InvalidArgumentError) else 500) from None
        return {name: results[name].numpy() for name in sorted(results)}


class _HttpServer(socketserver.ThreadingTCPServer):
    """An HTTP server with a thread for each request. It has its port at once, and refuses requests until activated."""

    allow_reuse_address = True
    request_queue_size = 128

    def __init__(self, owner: DevelopmentServer, port: int) -> None:
        self.owner = owner
        super().__init__((HOST, port), _Handler, bind_and_activate=False)
        try:
            self.server_bind()
        except (OSError, OverflowError, TypeError) as error:
            self.server_close()
            reason = getattr(error, "strerror", error)
            raise UserError(f"The port cannot be used ({reason}): choose another. Received: port={port!r}") from None


class _Handler(http.server.BaseHTTPRequestHandler):
    """Answers the request of a connection, and closes the connection."""

    server: _HttpServer
    timeout = 5  # seconds for each part of a request, because `stop` waits for connections without a request
    wbufsize = -1  # sends head and body together

    def handle(self) -> None:
        with contextlib.suppress(ConnectionError):  # the client has gone
            super().handle()

    def finish(self) -> None:
        with contextlib.suppress(ConnectionError):  # as before, with an answer that was not sent
            super().finish()

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        status = 200
        try:
            answer = self.server.owner.answer(self.command, self.path.partition("?")[0], self._body())
        except Refused as error:
            status, answer = error.status, {"error": error.message}
        except OSError:
            raise
        except Exception as error:  # an error of this server: show it, and do not let the client wait
            traceback.print_exc()
            status, answer = 500, {"error": error_and_type(error)}
        content = json.dumps(answer, ensure_ascii=False, indent=4).encode("utf-8", "replace")
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_POST = do_GET

    def _body(self) -> bytes:
        length = self.headers.get("Content-Length", "0")
        is_known = "Transfer-Encoding" not in self.headers and re.fullmatch(r"[0-9]{1,18}", length)
        if not is_known:
            raise Refused("Content-Length must be the length of the body")
        if int(length) > LARGEST_REQUEST:
            rest = int(length) if int(length) <= LARGEST_SKIPPED else 0
            while rest and (part := self.rfile.read(min(rest, 2**16))):  # a client that still sends reads no answer
                rest -= len(part)
            raise Refused(
                f"Content-Length must be the length of the body, at most {LARGEST_REQUEST}: send fewer or shorter "
                f"lines at once, by `batch_size` or --batch-size. Received: {length}"
            )
        body = self.rfile.read(int(length))
        if len(body) < int(length):
            raise ConnectionError("the client has gone")
        return body


def _highest_version(path: Path) -> Path:
    """Returns the highest version in a folder. Other folders, such as an unfinished version, are skipped."""
    numbered = [x for x in path.iterdir() if re.fullmatch(r"[0-9]{1,19}", x.name)] if path.is_dir() else []
    versions = [x for x in numbered if (x / "saved_model.pb").is_file()]
    advice = "name a folder that `keras-nmt export` wrote"
    if (path / "saved_model.pb").is_file():
        advice = f"this is a version itself: name the folder that it is in, {path.parent}"
    require(versions, f"The folder must have a version of a model: {advice}. Received: {path}")
    return max(versions, key=lambda version: int(version.name))


def _is_not_of_gradients(record: logging.LogRecord) -> bool:
    """Removes TensorFlow's warnings about missing gradients, which a server does not need."""
    return "unsaved custom gradients" not in record.getMessage()


def _as_json(proto: Any) -> Any:
    return json_format.MessageToDict(proto, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)


def _predict(model: ServedVersion, body: bytes) -> Any:
    """Returns the answer to a request in row or column format. A single output is given without its name."""
    try:
        asked = json.loads(body, strict=False, object_pairs_hook=unique_entries)
    except (ValueError, RecursionError) as error:
        raise Refused(f"JSON Parse error: {error}") from None
    signature = asked.get("signature_name", "") if isinstance(asked, dict) else None
    if not isinstance(signature, str) or ("inputs" in asked) == ("instances" in asked):
        raise Refused("A request must be an object with one of 'inputs' and 'instances', and a string 'signature_name'")
    signature = signature or "serving_default"
    specs, rows = model.inputs(signature), asked.get("instances")
    values = asked["inputs"] if "inputs" in asked else _columns(rows, list(specs))
    if not isinstance(values, dict) and len(specs) == 1:  # a single input may be given without its name
        values = dict.fromkeys(specs, values)
    if not isinstance(values, dict) or set(specs) - set(values):
        received = reprlib.repr(sorted(values) if isinstance(values, dict) else values)
        raise Refused(f"'inputs' must be an object with {','.join(sorted(specs))}. Received: {received}")
    with tf.device("CPU:0"):  # on a GPU, TensorFlow mixes up the eager tensors of several threads (its issue 123980)
        # As in TensorFlow Serving, other columns are ignored.
        inputs = {name: _tensor(name, values[name], spec) for name, spec in specs.items()}
    outputs = model.run(signature, inputs)
    columns = {name: _plain(array) for name, array in outputs.items()}
    only = next(iter(columns.values())) if len(columns) == 1 else None
    if "inputs" in asked:
        return {"outputs": columns if only is None else only}
    for name, array in outputs.items():
        if array.ndim == 0 or len(array) != len(rows):
            raise Refused(f"{name} has no value for each of the {len(rows)} instances: use 'inputs' instead")
    named = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return {"predictions": named if only is None else only}


def _columns(rows: Any, names: list[str]) -> dict[str, list[Any]]:
    """Returns the inputs of the row format: a list of objects, or of values of the only input."""
    if not isinstance(rows, list) or not rows:
        raise Refused("'instances' must be a list with at least one value")
    if len(names) == 1 and not isinstance(rows[0], dict):
        return {names[0]: rows}
    for i, row in enumerate(rows):
        if not isinstance(row, dict) or set(row) != set(names):
            raise Refused(
                f"Row {i} of 'instances' must be an object with the keys {','.join(sorted(names))}. "
                f"Received: {reprlib.repr(row)}"
            )
    return {name: [row[name] for row in rows] for name in names}


def _tensor(name: str, value: Any, spec: tf.TensorSpec) -> tf.Tensor:
    """Returns a value of JSON as a tensor of an input's type and shape."""
    try:
        # The shape is checked first: too deep lists make TensorFlow end the process. Integers would also overflow.
        if spec.shape.is_compatible_with(np.array(value, dtype=object).shape):
            tensor = tf.constant(value, spec.dtype)
            items = np.ravel(np.array(value, dtype=object))
            is_exact = all(type(item) is int for item in items) and np.array_equal(tensor.numpy(), value)
            # TensorFlow makes an empty tensor of lists whose first one is empty.
            if (is_exact or not spec.dtype.is_integer) and spec.shape.is_compatible_with(tensor.shape):
                return tensor
    except (ValueError, TypeError, OverflowError):  # such as of a lone surrogate
        pass
    advice = "" if isinstance(value, list | dict) or not spec.shape.rank else ": send a list"
    problem = f"{name} must have type {spec.dtype.name} and shape {spec.shape}{advice}"
    raise Refused(f"{problem}. Received: {reprlib.repr(value)}")


def _plain(array: np.ndarray) -> Any:
    """Returns an output as a JSON value."""
    if array.dtype == object:
        return np.frompyfunc(lambda value: value.decode("utf-8", "replace"), 1, 1)(array).tolist()
    # Writes the digits of a float32, not those of the nearest float64.
    return (array.astype(str).astype(float) if array.dtype == np.float32 else array).tolist()
