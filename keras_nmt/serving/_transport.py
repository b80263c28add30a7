"""The common parts of the client's two transports, REST and gRPC."""

from __future__ import annotations

import time
from typing import Any, Protocol


class Failure(Exception):
    """A request without an answer.

    Args:
        code: String, the name of a gRPC status code, "HTTP " and a status without such a name, or "MALFORMED": the
            server's answer is no answer to the request.
        message: String, the reason.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message


class Transport(Protocol):
    """A connection to one model of a server, which several threads may use at once."""

    def predict(self, signature: str, inputs: dict[str, list[Any]], deadline: float) -> dict[str, list[Any]]:
        """Runs a signature.

        Args:
            signature: String, the signature's name.
            inputs: Dictionary of columns of strings or integers, all of the same length.
            deadline: Float, the value of `time.monotonic()` at which the whole answer must have arrived.

        Returns:
            Dictionary of the outputs' columns, as the server names them. Their lengths and types are not checked.

        Raises:
            Failure: There is no answer.
        """

    def close(self) -> None:
        """Closes all connections."""


def seconds_left(deadline: float) -> float:
    """Seconds until a deadline; above 0, since sockets take 0 for "do not block"."""
    return max(deadline - time.monotonic(), 0.001)
