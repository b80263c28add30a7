"""Rules for threads and processes that compute with TensorFlow."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import threading
import warnings
from collections.abc import Callable, Hashable, Iterator
from typing import ParamSpec, TypeVar

import tensorflow as tf

from keras_nmt.errors import UserError
from keras_nmt.files.process_resources import num_processors, translation_threads

_processes: list[int] = []  # the process that made the first translator
_turn = threading.RLock()
_known: set[Hashable] = set()  # kinds of computations that this process has made
_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


def in_turn(method: Callable[_Arguments, _Result]) -> Callable[_Arguments, _Result]:
    """Lets one thread at a time call a method if there is a GPU, for the reason in `Rows.compute`."""

    @functools.wraps(method)
    def called(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Result:
        with _turn if tf.config.list_logical_devices("GPU") else contextlib.nullcontext():
            return method(*args, **kwargs)

    return called


@contextlib.contextmanager
def alone_if_new(kind: Hashable) -> Iterator[bool]:
    """Tells whether a kind of computation is new in this process, and lets one thread at a time make a new one.

    TensorFlow chooses the implementation of an operator by the types of its arguments. When a type is new to it, it
    lets other threads run amid the choice, although they share its state: seldom, the process then crashes (2.21).
    """
    if kind in _known:
        yield False
        return
    with _turn:
        yield kind not in _known
        _known.add(kind)


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


@functools.cache
def set_up_tensorflow() -> None:
    """Sets TensorFlow up as `keras-nmt translate` does, unless the program has set it up, or trains.

    It keeps the memory of large tensors, and gives operations few threads: a translator computes several parts of a
    text at once, and each would wait for the threads of the others. TensorFlow keeps what was set when it first
    computed: where that is too late for threads, there is a warning.
    """
    os.environ.setdefault("TF_CPU_ALLOCATOR_USE_BFC", "1")  # read when TensorFlow first computes
    threads = translation_threads()
    is_set = "TF_NUM_INTRAOP_THREADS" in os.environ or tf.config.threading.get_intra_op_parallelism_threads()
    may_train = "keras_nmt.training" in sys.modules  # an update needs all threads
    if is_set or may_train or threads == num_processors() or tf.config.list_physical_devices("GPU"):
        return
    try:
        tf.config.threading.set_intra_op_parallelism_threads(threads)
    except RuntimeError:
        warnings.warn(
            "Translation is slower than by `keras-nmt translate`, because TensorFlow has computed before: load the "
            f"translator first, or set TF_NUM_INTRAOP_THREADS={threads} in the environment.",
            stacklevel=3,
        )
