"""The common parts of the client's two transports, REST and gRPC."""

from __future__ import annotations

import time
from typing import Any, Protocol


class Failure(Exception):
    """A request without an answer. `code` is the name of a gRPC status code, or "HTTP 418" for a status without name.

    The code "MALFORMED" stands for an answer that is no answer to the request.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message


class Transport(Protocol):
    """A connection to one model of a server, which several threads may use at once."""

    def predict(self, signature: str, inputs: dict[str, list[Any]], deadline: float) -> dict[str, list[Any]]:
        """Sends columns of strings or integers to a signature, and returns the columns of the outputs, unchecked.

        Without the whole answer at `deadline`, a value of `time.monotonic()`, or with an error, there is a `Failure`.
        """

    def close(self) -> None:
        """Closes all connections."""


def seconds_left(deadline: float) -> float:
    """Seconds until a deadline; above 0, since sockets take 0 for "do not block"."""
    return max(deadline - time.monotonic(), 0.001)
