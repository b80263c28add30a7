"""The client's two transports, and the check of the answers.

REST uses urllib3. gRPC does without TensorFlow's modules of the protocol.
"""

from __future__ import annotations

import array
import itertools
import json
import math
import os
import reprlib
import ssl
import threading
import time
import urllib.parse
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any, TypeVar

import urllib3

from keras_nmt.errors import UserError, needs_extra

DEFAULT_MODEL = "model"  # the name in TensorFlow Serving's image, which does not list its models
FIRST_WAIT, LONGEST_WAIT = 0.1, 5.0  # seconds between attempts
# Limits the bytes of an answer, so that a server cannot fill the memory: a number, and one for each sentence of the
# request, which is enough for fifty hypotheses of 256 subwords with their scores, some 64 bytes each in JSON.
SMALLEST_LIMIT, BYTES_PER_SENTENCE = 2**24, 2**20
LARGEST_ERROR = 2**16  # bytes that are read of an error message
_CODES = {
    **{200: "MALFORMED", 400: "INVALID_ARGUMENT", 404: "NOT_FOUND", 500: "INTERNAL"},
    **{503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED"},
}
# Messages of `predict.proto` in `tensorflow_serving/apis`: name, number and type of the used fields; * is repeated.
_MESSAGES = {
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
INT32, STRING = 3, 7
# Types in `tensorflow/core/framework/types.proto`: the field of the values, their type here, and in `tensor_content`.
_VALUES: dict[int, tuple[str, Callable[[Any], Any], str | None]] = {
    1: ("float_val", float, "f"),
    INT32: ("int_val", float, "i"),  # JSON has one type of number, too
    STRING: ("string_val", lambda text: text.decode("utf-8", "replace"), None),
    10: ("bool_val", bool, "b"),
}
# The type of each output, and the depth of the lists with its values in a row.
_OUTPUTS: dict[str, tuple[type, int]] = {
    **{"translation": (str, 1), "score": (float, 1), "cut_off": (bool, 1), "met": (str, 1)},
    **{"token": (str, 2), "token_log_probability": (float, 2)},
    **{"alignment": (float, 1), "source_word": (float, 1), "target_word": (float, 1)},
    **{"log_probability": (float, 0), "truncated": (bool, 0), "has_unknown": (bool, 0)},
}
HYPOTHESES = ("translation", "score", "cut_off")
PIECES = ("token", "token_log_probability")
_OF_HYPOTHESES = {*HYPOTHESES, "met", *PIECES}  # outputs with a value for each hypothesis
POSITIONS = ("alignment", "source_word", "target_word")
_NEWER = {"has_unknown"}  # outputs that older exports do not have


_connected = threading.local()
_Found = TypeVar("_Found")


class Failure(Exception):
    """The failure of a request.

    `code` is the name of a gRPC status code, "HTTP 418" for a status without a name, "MALFORMED" for an answer that no
    export gives, "OUTDATED" for one of an older export, or "BROKEN": the connection failed by TLS, or when the server
    may have begun the request.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message


class _Transport:
    """One model of a server. Threads share its connections; a forked process opens its own.

    Subclasses have `predict`, which returns the columns of a signature's outputs. It raises a `Failure` for any error,
    after the deadline, and for an answer of more than `_largest_answer` bytes.
    """

    def __init__(self, model: str | None, connect: Callable[[], Any]) -> None:
        self.model = model
        self._connect = connect
        self._connections = {os.getpid(): connect()}
        self._is_closed = False

    def connections(self) -> Any:
        """Returns the connections of this process. Two processes with one would read each other's answers."""
        if self._is_closed:
            raise UserError(f"The client is closed: make a new one. Received: a request to model={self.model!r}")
        if os.getpid() not in self._connections:
            self._connections[os.getpid()] = self._connect()
        return self._connections[os.getpid()]

    def close(self) -> None:
        """Closes the connections of this process, which makes no others."""
        self._is_closed = True
        if os.getpid() in self._connections:
            self._connections[os.getpid()].close()


class RestTransport(_Transport):
    """A model by REST. `model` is None until the first request has asked for the server's only model."""

    def __init__(self, parts: urllib.parse.SplitResult, model: str | None, version: int | None) -> None:
        options: dict[str, Any] = {"maxsize": 128, "retries": False}  # connections that are kept, for as many threads
        if parts.scheme == "https":
            options["ssl_context"] = ssl.create_default_context()
        url = urllib.parse.urlunsplit((parts.scheme, parts.netloc, "", "", ""))
        super().__init__(model, lambda: _connections_to(url, **options))
        self._models = urllib.parse.quote(parts.path.rstrip("/"), safe="/%") + "/v1/models"
        self._version = "" if version is None else f"/versions/{version}"

    def predict(self, signature: str, inputs: dict[str, list[Any]], deadline: float) -> dict[str, list[Any]]:
        if self.model is None:
            self.model = self._only_model(deadline)
        # In column format, a server would ignore inputs that the model does not have, such as languages.
        rows = [dict(zip(inputs, row, strict=True)) for row in zip(*inputs.values(), strict=True)]
        body = json.dumps({"signature_name": signature, "instances": rows}, ensure_ascii=False).encode()
        path = f"/{urllib.parse.quote(self.model, safe='')}{self._version}:predict"
        status, content = self._ask("POST", path, body, _largest_answer(len(rows)), deadline)

        def columns(answer: Any) -> dict[str, list[Any]]:
            rows = answer["predictions"]
            return {name: [row[name] for row in rows] for name in dict(rows[0])}

        return _read(status, content, columns)

    def _only_model(self, deadline: float) -> str:
        """Returns the name of the only model of a development server, or else the default."""
        status, content = self._ask("GET", "", None, LARGEST_ERROR, deadline)
        # TensorFlow Serving answers 400, because it does not list its models, and proxies may refuse other requests.
        if 400 <= status < 500 and status not in (408, 429):
            return DEFAULT_MODEL
        names = _read(status, content, _names_of_models)
        return names[0] if len(names) == 1 else DEFAULT_MODEL

    def _ask(self, method: str, path: str, body: bytes | None, limit: int, deadline: float) -> tuple[int, str]:
        """Returns the status and the text of an answer of at most `limit` bytes.

        The request has its own thread, because a socket's timeout limits only single operations, and not the look-up of
        the host's name. Redirects are not followed. Bodies are not decompressed: the request does not allow
        compression, and the result could have any size.
        """
        answer: Future[tuple[int, bytes]] = Future()
        options = {"redirect": False, "preload_content": False, "decode_content": False}
        headers = {"Content-Type": "application/json"}

        def run() -> None:
            has_begun = False
            try:
                timeout = _seconds_left(deadline) + 1  # ends operations for which nobody waits any more
                pool, content = self.connections(), bytearray()
                # The connection is kept if the answer was read to its end, and closed after a too long answer.
                with pool.urlopen(method, self._models + path, body, headers, timeout=timeout, **options) as response:
                    has_begun = True
                    most = limit if response.status == 200 else LARGEST_ERROR
                    while len(content) <= most and (part := response.read1(2**16)):
                        content += part
                        if time.monotonic() > deadline:
                            raise TimeoutError
                if len(content) > most and response.status == 200:
                    raise Failure("MALFORMED", f"the answer has more than {limit:,} bytes: send fewer lines")
                answer.set_result((response.status, bytes(content)))
            except urllib3.exceptions.HTTPError as error:
                code = "UNAVAILABLE" if not has_begun and _is_unheard(error) else "BROKEN"
                answer.set_exception(Failure(code, str(error.args[0])))
            except BaseException as error:
                answer.set_exception(error)

        threading.Thread(target=run, daemon=True).start()
        try:
            status, content = answer.result(_seconds_left(deadline))
        except TimeoutError:
            raise Failure("DEADLINE_EXCEEDED", "the answer has not arrived in full") from None
        return status, content.decode("utf-8", "replace")


def _read(status: int, content: str, of_answer: Callable[[Any], _Found]) -> _Found:
    """Returns what a function finds in the answer, or raises the `Failure` that the answer is."""
    try:
        # Strings may have control characters, and integers more digits than Python allows.
        answer = json.loads(content, strict=False, parse_int=float)
        if status == 200:
            return of_answer(answer)
        message = str(answer["error"])
    except (ValueError, LookupError, TypeError, RecursionError):  # a proxy's answer, or another server's
        message = content[:200] or "nothing"
    raise Failure(_CODES.get(status, f"HTTP {status}"), message)


def _names_of_models(answer: Any) -> list[str]:
    """Returns the names that a development server lists. Raises a `ValueError` or `TypeError` for other answers."""
    names = answer["models"]
    if not isinstance(names, list) or not all(isinstance(name, str) and name.encode() for name in names):
        raise ValueError
    return names


def _connections_to(url: str, **options: Any) -> Any:
    """Returns a pool of connections. A new one notes by `_connected` that the thread of a request made it."""
    pool = urllib3.connection_from_url(url, **options)

    class Connection(pool.ConnectionCls):  # type: ignore[name-defined, misc]
        def connect(self) -> None:
            super().connect()
            _connected.by_thread = True

    pool.ConnectionCls = Connection
    return pool


def _is_unheard(error: urllib3.exceptions.HTTPError) -> bool:
    """Tells whether a request that has no answer has probably not been read by the server.

    There was no connection; or it was a kept one, which the server may have closed in the same moment. A server that
    ends a new connection may have read the request, and died of it.
    """
    if isinstance(error, urllib3.exceptions.ConnectTimeoutError):  # also a refused connection, or an unknown host
        return True
    return isinstance(error.args[-1], ConnectionError) and not hasattr(_connected, "by_thread")


class GrpcTransport(_Transport):
    """A model by gRPC. `most_sentences` is the number of sentences of the largest request."""

    def __init__(
        self, parts: urllib.parse.SplitResult, model: str | None, version: int | None, most_sentences: int
    ) -> None:
        with needs_extra(parts.geturl(), "serving", "grpc"):
            import google.protobuf  # noqa: F401  part of the same extra
            import grpc
        options = {
            "grpc.max_receive_message_length": min(_largest_answer(most_sentences), 2**31 - 1),
            "grpc.max_send_message_length": -1,
            "grpc.enable_http_proxy": 0,  # as with REST
            # The client decides when to try again, not the channel, whose waits are longer. The channel's minimum
            # stays: a server may take as long to accept a connection.
            "grpc.initial_reconnect_backoff_ms": int(1000 * FIRST_WAIT),
            "grpc.max_reconnect_backoff_ms": int(1000 * LONGEST_WAIT),
        }
        host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
        target = f"{host}:{parts.port or 8500}"
        super().__init__(model or DEFAULT_MODEL, lambda: grpc.insecure_channel(target, list(options.items())))
        self._rpc_error, self._version, self._messages = grpc.RpcError, version, message_classes()
        self._is_kept = False  # whether the connection has had an answer

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
            if isinstance(column[0], list):  # rows of the same length
                tensor.tensor_shape.dim.add(size=len(column[0]))
                column = [value for row in column for value in row]
            if isinstance(column[0], str):
                tensor.dtype = STRING
                tensor.string_val.extend(text.encode() for text in column)
            else:
                tensor.dtype = INT32
                tensor.int_val.extend(column)
        call = self.connections().unary_unary("/tensorflow.serving.PredictionService/Predict")
        try:
            content = call(request.SerializeToString(), timeout=_seconds_left(deadline))
        except self._rpc_error as error:
            code, message = error.code().name, error.details() or ""
            # The words of gRPC, which has one code for no connection and for one that ended before the answer. A kept
            # connection may have ended before the request, on the server's side or by a fork.
            is_broken = code == "UNAVAILABLE" and message.startswith(("Stream removed", "Socket closed"))
            is_kept, self._is_kept = self._is_kept, False
            raise Failure("BROKEN" if is_broken and not is_kept else code, message) from None
        self._is_kept = True
        try:
            response = self._messages["Response"].FromString(content)
            return {entry.key: _column(entry.value) for entry in response.outputs}
        except (DecodeError, ValueError) as error:
            raise Failure("MALFORMED", str(error)) from None


def _largest_answer(sentences: int) -> int:
    """Returns the largest size in bytes of the answer to a request."""
    return SMALLEST_LIMIT + BYTES_PER_SENTENCE * sentences


def _seconds_left(deadline: float) -> float:
    """Returns the seconds until a deadline, at least 0.001, because 0 would make a socket non-blocking."""
    return max(deadline - time.monotonic(), 0.001)


def _column(tensor: Any) -> list[Any]:
    """Returns the rows of a tensor of one to three dimensions. Raises a `ValueError` for others."""
    field, kind, packed = _VALUES.get(tensor.dtype, ("string_val", str, None))
    values = getattr(tensor, field)
    if tensor.tensor_content and packed:
        values = array.array(packed, tensor.tensor_content)
    shape = [dimension.size for dimension in tensor.tensor_shape.dim]
    if tensor.dtype not in _VALUES or len(shape) not in (1, 2, 3) or min(shape) < 1 or math.prod(shape) != len(values):
        raise ValueError(f"{len(values)} values in a tensor of type {tensor.dtype} and shape {shape[:8]}")
    column = list(map(kind, values))
    for size in reversed(shape[1:]):
        column = [column[start : start + size] for start in range(0, len(column), size)]
    return column


def message_classes() -> dict[str, Any]:
    """Makes a class for each message of the protocol. The official modules would import TensorFlow."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    file = descriptor_pb2.FileDescriptorProto(name="keras_nmt/predict.proto", package="keras_nmt", syntax="proto3")
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for field, number, kind in fields:
            label = "LABEL_REPEATED" if kind.startswith("*") else "LABEL_OPTIONAL"
            kind = kind.removeprefix("*")
            is_message = kind in _MESSAGES
            type_name = f".keras_nmt.{kind}" if is_message else None
            type_ = "TYPE_MESSAGE" if is_message else f"TYPE_{kind}"
            message.field.add(name=field, number=number, label=label, type=type_, type_name=type_name)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"keras_nmt.{name}")) for name in _MESSAGES
    }


def checked_rows(columns: dict[str, list[Any]], outputs: Sequence[str], count: int) -> list[dict[str, Any]]:
    """Returns the outputs of each of `count` sentences. Raises a `Failure` if no export gives such an answer."""
    if [name for name in outputs if name not in columns] == list(PIECES):
        raise Failure("OUTDATED", "no scores of subwords")
    rows: list[dict[str, Any]] = [{} for _ in range(count)]
    for name in outputs:
        if name in _NEWER - columns.keys():
            continue
        kind, depth = _OUTPUTS[name]
        column = columns.get(name, ())
        if len(column) != count:
            raise Failure("MALFORMED", f"{name} is missing, or not of {count} sentence(s)")
        for row, value in zip(rows, column, strict=True):
            # A single hypothesis is not in a list; nor are the subwords of a given translation.
            of_one = value if depth == 1 else value[0] if isinstance(value, list) and value else value
            row[name] = [value] if name in _OF_HYPOTHESES and not isinstance(of_one, list) else value
            if not _is_of(row[name], kind, depth):
                raise Failure("MALFORMED", f"{name} must be of type {kind.__name__}, and is {reprlib.repr(value)}")
    counts = {len(row[name]) for row in rows for name in _OF_HYPOTHESES & row.keys()}
    counts |= {1} if "log_probability" in outputs else set()
    if len(counts) > 1 or 0 in counts:
        raise Failure("MALFORMED", "sentences differ in their number of hypotheses, or have none")
    for row in rows:
        if PIECES[0] in row and len({tuple(map(len, row[name])) for name in PIECES}) > 1:
            raise Failure("MALFORMED", "subwords and their log-probabilities differ in number")
        if POSITIONS[0] in row:
            row |= _checked_positions(*(row[name] for name in POSITIONS))
    return rows


def _is_of(value: Any, kind: type, depth: int) -> bool:
    """Tells whether a value has a type, inside lists of a depth."""
    if depth:
        return isinstance(value, list) and all(_is_of(item, kind, depth - 1) for item in value)
    return type(value) is kind


def _checked_positions(alignment: list[float], source: list[float], target: list[float]) -> dict[str, list[int]]:
    """Returns the positions of an alignment as integers. Raises a `Failure` if one has no subword or word."""
    if len(alignment) == len(target) and all(x == x // 1 >= -1 for x in itertools.chain(alignment, source, target)):
        aligned = [(int(i), word) for i, word in zip(alignment, target, strict=True) if i >= 0]
        if all(i < len(source) and source[i] >= 0 and word >= 0 for i, word in aligned):
            columns = zip(POSITIONS, (alignment, source, target), strict=True)
            return {name: list(map(int, column)) for name, column in columns}
    raise Failure("MALFORMED", "alignment has positions without a subword")
