"""The client's REST transport."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
import urllib.parse
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import urllib3
from urllib3.exceptions import HTTPError

from keras_nmt.serving._transport import USUAL_MODEL, Failure, largest_answer, seconds_left

# Connections that are kept for the next requests. More threads at once open connections that are not kept.
KEPT_CONNECTIONS = 128
LARGEST_ERROR = 2**16  # bytes; of a longer error message, the rest is not read
_CODES = {
    200: "MALFORMED",
    400: "INVALID_ARGUMENT",
    404: "NOT_FOUND",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}


class RestTransport:
    """One model of a server, by REST; `model` is None until a first request has asked for the server's only model."""

    def __init__(self, parts: urllib.parse.SplitResult, model: str | None, version: int | None) -> None:
        self.model = model
        self._parts = parts
        self._version = "" if version is None else f"/versions/{version}"
        self._process, self._pool = os.getpid(), self._make_pool()

    def _make_pool(self) -> urllib3.HTTPConnectionPool:
        pool = urllib3.HTTPSConnectionPool if self._parts.scheme == "https" else urllib3.HTTPConnectionPool
        made = pool(self._parts.hostname or "", self._parts.port, maxsize=KEPT_CONNECTIONS)
        kind: Any = pool.ConnectionCls
        made.ConnectionCls = type(kind.__name__, (_Interruptible, kind), {})
        return made

    def predict(self, signature: str, inputs: dict[str, list[Any]], deadline: float) -> dict[str, list[Any]]:
        if self.model is None:
            self.model = self._only_model(deadline)
        # By rows: by columns, a server ignores inputs that the model does not have, such as languages.
        rows = [dict(zip(inputs, row, strict=True)) for row in zip(*inputs.values(), strict=True)]
        body = json.dumps({"signature_name": signature, "instances": rows}, ensure_ascii=False).encode()
        path = f"/v1/models/{urllib.parse.quote(self.model, safe='')}{self._version}:predict"
        status, content = self._ask("POST", path, body, largest_answer(len(rows)), deadline)
        try:
            # Control characters may stand in strings as they are. An integer may have more digits than Python takes.
            answer = json.loads(content, strict=False, parse_int=float)
            if status == 200:
                rows = answer["predictions"]
                return {name: [row[name] for row in rows] for name in dict(rows[0])}
            message = str(answer["error"])
        except (ValueError, LookupError, TypeError, RecursionError):  # a proxy's answer, or another server's
            message = content[:200] or "nothing"
        raise Failure(_CODES.get(status, f"HTTP {status}"), message)

    def _only_model(self, deadline: float) -> str:
        status, content = self._ask("GET", "/v1/models", None, LARGEST_ERROR, deadline)
        if status in (503, 504):  # says nothing about the request
            raise Failure(_CODES[status], content[:200])
        try:
            (name,) = json.loads(content)["models"]
        except (ValueError, LookupError, TypeError, RecursionError):  # TensorFlow Serving does not list its models
            name = None
        return name if isinstance(name, str) else USUAL_MODEL

    def _ask(self, method: str, path: str, body: bytes | None, limit: int, deadline: float) -> tuple[int, str]:
        """The status and the text of an answer, of at most `limit` bytes."""
        if self._process != os.getpid():  # else a forked process would read answers to the other's requests
            self._process, self._pool = os.getpid(), self._make_pool()

        def send() -> tuple[int, bytearray]:
            # A socket's timeout only ends operations that nobody waits for any more. Without `retries`, the client
            # decides when to send again, and no redirect is followed. A body that is compressed although nobody asked
            # for it is not decompressed: it could be of any size.
            response = self._pool.urlopen(
                method,
                urllib.parse.quote(self._parts.path.rstrip("/"), safe="/%") + path,
                body=body,
                headers={} if body is None else {"Content-Type": "application/json"},
                timeout=urllib3.Timeout(total=seconds_left(deadline) + 1),
                retries=False,
                preload_content=False,
                decode_content=False,
            )
            content, most = bytearray(), limit if response.status == 200 else LARGEST_ERROR
            while len(content) <= most and (part := response.read(2**16)):
                content += part
            if len(content) > most:
                response.close()  # with the rest of the answer unread
                if response.status == 200:
                    raise Failure("MALFORMED", f"the answer has more than {limit:,} bytes")
            return response.status, content

        try:
            status, content = _in_time(send, deadline)
        except TimeoutError:
            raise Failure("DEADLINE_EXCEEDED", "the answer has not arrived in full") from None
        except HTTPError as error:
            raise Failure("UNAVAILABLE", str(error.args[-1])) from None
        return status, content.decode("utf-8", "replace")

    def close(self) -> None:
        self._pool.close()


class _Interruptible:
    """A connection that the thread of its request knows, and whose socket stays known when a response takes it over."""

    socket: socket.socket | None = None

    def connect(self) -> None:
        super().connect()  # type: ignore[misc]
        self.socket = self.sock  # type: ignore[attr-defined]

    def request(self, *args: Any, **kwargs: Any) -> None:
        threading.current_thread().connection = self  # type: ignore[attr-defined]
        super().request(*args, **kwargs)  # type: ignore[misc]


class _Request(threading.Thread):
    """Sends a request and receives the answer."""

    def __init__(self, send: Callable[[], tuple[int, bytearray]]) -> None:
        super().__init__(daemon=True)
        self.answer: Future[tuple[int, bytearray]] = Future()
        self.connection: _Interruptible | None = None
        self._send = send

    def run(self) -> None:
        try:
            self.answer.set_result(self._send())
        except BaseException as error:
            self.answer.set_exception(error)

    def interrupt(self) -> None:
        """Ends the thread if it still sends or receives."""
        if not self.answer.done() and self.connection is not None and self.connection.socket is not None:
            with contextlib.suppress(OSError):  # the request has just ended
                self.connection.socket.shutdown(socket.SHUT_RDWR)


def _in_time(send: Callable[[], tuple[int, bytearray]], deadline: float) -> tuple[int, bytearray]:
    """The status and the body, or a `TimeoutError` at the deadline.

    A socket's timeout limits each of its operations, and neither the number of operations nor the resolution of the
    host's name. Hence the request has a thread of its own.
    """
    request = _Request(send)
    request.start()
    try:
        return request.answer.result(seconds_left(deadline))
    finally:
        request.interrupt()
