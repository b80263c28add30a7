"""Errors that a user of the package can cause."""

from __future__ import annotations

import difflib
import importlib.util
import re
from collections.abc import Iterable

# Terminals obey these characters. Tab and line feed are not among them.
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_REORDERING = re.compile(r"[\u202a-\u202e\u2066-\u2069]")  # the rest of an error would be shown backwards


class UserError(ValueError):
    """An error that a user can cause, such as a wrong file.

    The message is one line: what is wrong, where, and what to do, and at the end the value received.

    The command line prints the line alone, without a traceback, and exits with code 2.
    """


def without_controls(text: str) -> str:
    r"""Returns a text for a terminal, with an escape sequence in place of each control character but tab and line feed.

    Example:

    >>> without_controls("a\x1b[2Jb")
    'a\\x1b[2Jb'
    """
    return _CONTROLS.sub(_escape, text)


def one_line(message: object) -> str:
    """Joins the lines of a message, such as another library's or a server's error, and escapes control characters.

    Characters that change the direction of writing are escaped, too.

    Example:

    >>> one_line(ValueError("no such\\n    node"))
    'no such node'
    """
    return _REORDERING.sub(_escape, without_controls(" ".join(str(message).split())))


def _escape(match: re.Match[str]) -> str:
    return ascii(match[0])[1:-1]


def install_extra(extra: str, of_client: str) -> str:
    """Returns the command that installs an extra of keras_nmt, or of keras-nmt-client where the client is alone.

    The two distributions have the same modules, so that one must not be installed over the other.

    Example:

    >>> install_extra("serving", "grpc")
    "pip install 'keras_nmt[serving]'"
    """
    is_client = importlib.util.find_spec("keras_nmt.cli") is None
    return f"pip install '{f'keras-nmt-client[{of_client}]' if is_client else f'keras_nmt[{extra}]'}'"


def error_and_type(error: Exception) -> str:
    """An error of any library in one line of bounded length, with the error's type unless it is a `UserError`.

    Example:

    >>> error_and_type(KeyError("format"))
    "KeyError('format')"
    """
    return one_line(error if isinstance(error, UserError) else repr(error))[:500]


def exhausted(error: Exception, remedy: str) -> str:
    """The message for TensorFlow's `ResourceExhaustedError`, which stands for a lack of memory or for a full disk.

    Example:

    >>> exhausted(MemoryError("OOM when\\nallocating"), "lower `beam_size`")
    'Memory does not suffice: lower `beam_size`. Received: OOM when allocating'
    """
    message = one_line(error)
    if "No space left" in message:
        return f"The disk is full: make room. Received: {message}"
    return f"Memory does not suffice: {remedy}. Received: {message[:200]}"


def nearest(unknown: Iterable[str], known: Iterable[str]) -> str:
    """Suggests the nearest known name for each unknown name. The suggestion is empty if no name is near.

    Example:

    >>> nearest(["batchsize", "x"], ["batch_size", "clip"])
    'the nearest is `batch_size`'
    """
    names = list(known)
    near = [match for name in unknown for match in difflib.get_close_matches(name, names, n=1)]
    return f"the nearest is {', '.join(f'`{name}`' for name in dict.fromkeys(near))}" if near else ""


def check_positive(**numbers: float | None) -> None:
    """Raises a `UserError` if a number, given by its name, is not above zero; None is left out.

    Example:

    >>> check_positive(patience=3, max_updates=None)
    """
    for name, number in numbers.items():
        if number is not None and not number > 0:
            raise UserError(f"`{name}` must be positive. Received: {name}={number}")


def check_backend(what: str) -> None:
    """Raises a `UserError` if Keras does not compute with TensorFlow.

    Args:
        what: String, the part of the package that needs TensorFlow, such as "Training".
    """
    import keras  # here: `keras_nmt.errors` must work without Keras

    if keras.backend.backend() != "tensorflow":
        raise UserError(
            f"{what} needs TensorFlow: set KERAS_BACKEND=tensorflow; layers, models and searches run without. "
            f"Received: {keras.backend.backend()}"
        )
