"""Contenders of the benchmark of training, each in a process."""

from __future__ import annotations

import multiprocessing
import warnings
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from contender import Contender, Measured, Work
from jax_contender import OursOnJax
from keras_contenders import KerasHub, KerasHubCompiled, KerasHubWithOurLoss, Ours, OursCompiled
from pytorch_contender import PyTorch, PyTorchCompiled

from keras_nmt.errors import UserError, error_and_type
from keras_nmt.files.peak_memory import peak_memory

CONTENDERS: dict[str, Callable[[Work], Contender]] = {
    "keras_nmt": Ours,
    "keras_nmt with XLA": OursCompiled,
    "keras_nmt on JAX": OursOnJax,
    "keras_hub": KerasHub,
    "keras_hub with XLA": KerasHubCompiled,
    "keras_hub with our loss": KerasHubWithOurLoss,
    "PyTorch": PyTorch,
    "PyTorch compiled": PyTorchCompiled,
}


def _serve(connection: Connection, name: str, work: Work) -> None:
    """The process of a contender: each message is a number of updates to train; None ends the process."""
    warnings.filterwarnings("ignore", message="enable_nested_tensor", module="torch")  # concerns inference
    try:
        contender = CONTENDERS[name](work)
        connection.send(contender.parameters)
        while (updates := connection.recv()) is not None:
            connection.send(contender.train(updates))
        connection.send(peak_memory() / 2**20)
    except Exception as error:
        connection.send(UserError(f"{name} failed. Received: {error_and_type(error)}"))


class ContenderProcess:
    """A contender in a separate process, which waits while the others train."""

    def __init__(self, name: str, work: Work) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, name, work), daemon=True)
        self._process.start()
        theirs.close()  # so that the end of the process is noticed
        self.parameters: int = self._receive()

    def _receive(self) -> Any:
        try:
            answer = self._connection.recv()
        except EOFError:
            self._process.join()
            raise UserError(
                f"A contender ended early; its output above says why. Received: exit code {self._process.exitcode}"
            ) from None
        if isinstance(answer, UserError):
            raise answer
        return answer

    def train(self, updates: int) -> Measured:
        """Trains one round."""
        self._connection.send(updates)
        return self._receive()

    def stop(self) -> float:
        """Ends the process and returns its peak resident memory in MiB."""
        self._connection.send(None)
        memory: float = self._receive()
        self._process.join()
        return memory
