"""What threads and processes that compute with TensorFlow must hold to."""

from __future__ import annotations

import contextlib
import functools
import os
import threading
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import tensorflow as tf

from keras_nmt.errors import UserError

_processes: list[int] = []  # the process that made the first translator
_turn = threading.RLock()
_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


def in_turn(method: Callable[_Arguments, _Result]) -> Callable[_Arguments, _Result]:
    """Lets one thread at a time call a method if there is a GPU, for the reason in `Rows.compute`."""

    @functools.wraps(method)
    def called(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Result:
        with _turn if tf.config.list_logical_devices("GPU") else contextlib.nullcontext():
            return method(*args, **kwargs)

    return called


def check_process() -> None:
    """Checks that this process was not forked from one with a translator.

    A fork does not copy TensorFlow's threads, so that a computation would never end.
    """
    if not _processes:
        _processes.append(os.getpid())
    if os.getpid() not in _processes:
        raise UserError(
            "A model must be loaded after a fork, in the process that translates: TensorFlow does not compute in a "
            f"process that was forked later. Received: a model of process {_processes[0]} in process {os.getpid()}"
        )
