"""Errors that a user of the package can cause."""

from __future__ import annotations

import contextlib
import difflib
import importlib.util
import numbers
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeGuard

# Characters that control a terminal, without tab and line ends.
_CONTROLS = re.compile(r"\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
FEW = 12  # names that an error lists
_REORDERING = re.compile(r"[\u202a-\u202e\u2066-\u2069]")  # these reverse the direction of the text


class UserError(ValueError):
    """An error that a user can cause, such as a wrong file.

    The message is one line: what is wrong, which value was received, and what to do. The command line prints this line
    without a traceback, and exits with code 2.

    Args:
        problem: String, what is wrong and what to do. With `received`, arguments are named in braces.
        received: Mapping from the names of arguments to their values. Defaults to none: the problem is the message.

    Example:

    >>> error = UserError("{beam_size} must be at least 1", {"beam_size": 0})
    >>> str(error)
    '`beam_size` must be at least 1. Received: beam_size=0'
    >>> str(error.with_options({"beam_size": "--beam-size"}))
    '--beam-size must be at least 1. Received: --beam-size 0'
    """

    def __init__(self, problem: str, received: Mapping[str, object] | None = None) -> None:
        self.problem, self.received = problem, received or {}
        super().__init__(self._message({}))

    def with_options(self, options: Mapping[str, str]) -> UserError:
        """Returns the error in the words of a command line, given its options by the names of arguments."""
        return UserError(self._message(options))

    def _message(self, options: Mapping[str, str]) -> str:
        if not self.received:
            return self.problem
        names = {name: options.get(name, f"`{name}`") for name in self.received}
        values = [
            f"{options[name]} {value}" if name in options else f"{name}={_shown(value):.200}"
            for name, value in self.received.items()
        ]
        problem = re.sub(r"\{([^{}]+)\}", lambda match: names.get(match[1], match[0]), self.problem)  # may quote a user
        return f"{problem}. Received: {', '.join(values)}"


def _shown(value: object) -> str:
    """Returns the text of a value in an error. Numbers have no type, which NumPy would show."""
    return str(value) if isinstance(value, numbers.Number) else repr(value)


def require(is_right: object, problem: str, /, **received: object) -> None:
    """Checks a condition on values of a user; raises a `UserError` if it does not hold. See there for the arguments.

    Example:

    >>> require(0 < 5, "{beam_size} must be positive", beam_size=5)
    >>> require(0 < -1, "{beam_size} must be positive", beam_size=-1)
    Traceback (most recent call last):
        ...
    keras_nmt.errors.UserError: `beam_size` must be positive. Received: beam_size=-1
    """
    if not is_right:
        raise UserError(problem, received)


@contextlib.contextmanager
def errors_as(problem: str, *types: type[Exception]) -> Iterator[None]:
    """Turns errors of other libraries in a block, by default of any type, into a `UserError`, which names them.

    A `UserError` in the block keeps its words.

    Example:

    >>> with errors_as("model.yml is damaged", KeyError):
    ...     {}["format"]
    Traceback (most recent call last):
        ...
    keras_nmt.errors.UserError: model.yml is damaged. Received: KeyError('format')
    """
    try:
        yield
    except UserError:
        raise
    except Exception as error:
        if types and not isinstance(error, types):
            raise
        is_sentence = isinstance(error, ValueError | RuntimeError | OSError)
        shown = one_line(error)[:500] if is_sentence else error_and_type(error)
        problem += f" ({shown})" if "Received: " in problem else f". Received: {shown}"
        raise UserError(problem) from None


@contextlib.contextmanager
def needs_extra(what: object, extra: str, of_client: str = "") -> Iterator[None]:
    """Turns an `ImportError` in a block into a `UserError` that says how to install an extra of the package.

    `what` needs it, such as "figures". `of_client` is the extra of keras-nmt-client with the same packages, if any.
    """
    try:
        yield
    except ImportError as error:
        install = install_extra(extra, of_client) if of_client else f"pip install 'keras_nmt[{extra}]'"
        raise UserError(f"Missing package for {what}: {install}. Received: {error}") from None


def check_choice(name: str, value: object, known: Iterable[object]) -> None:
    """Checks that a value is one of those that are known; raises a `UserError` otherwise, with the nearest of many.

    Example:

    >>> check_choice("quantize", "int4", ("int8", "float16"))
    Traceback (most recent call last):
        ...
    keras_nmt.errors.UserError: `quantize` must be one of int8, float16. Received: quantize='int4'
    """
    choices = list(known)
    shown = ", ".join(str(one) for one in choices if one is not None)
    near = len(choices) > FEW and nearest([str(value)], map(str, choices))
    wanted = f"one that is known; {near}" if near else f"one of {shown}"
    require(value in choices, f"{{{name}}} must be {wanted}", **{name: value})


def check_names(what: str, names: Iterable[object], known: Iterable[str]) -> None:
    """Checks that names are known; raises a `UserError` otherwise, with all known names, or the nearest of many.

    Example:

    >>> check_names("metrics", ["bleu", "chrff", ""], ["bleu", "chrf"])
    Traceback (most recent call last):
        ...
    keras_nmt.errors.UserError: There are no such metrics; known are bleu, chrf. Received: chrff, ''
    """
    choices = list(known)
    unknown = list(dict.fromkeys(str(name) or "''" for name in names if name not in choices))
    suggestion = (len(choices) > FEW and nearest(unknown, choices)) or f"known are {', '.join(choices)}"
    require(not unknown, f"There are no such {what}; {suggestion}. Received: {', '.join(unknown)}")


def without_controls(text: str) -> str:
    r"""Returns a text for a terminal: control characters, except tab and line ends, become escape sequences.

    Example:

    >>> without_controls("a\x1b[2Jb")
    'a\\x1b[2Jb'
    """
    return _CONTROLS.sub(_escape, text)


def one_line(message: object) -> str:
    """Joins the lines of a message, such as the error of another library or of a server.

    Colours are removed; other control characters, and those that change the writing direction, become escape sequences.

    Example:

    >>> one_line(ValueError("no such\\n    node"))
    'no such node'
    """
    return _REORDERING.sub(_escape, without_controls(" ".join(_COLOURS.sub("", str(message)).split())))


def _escape(match: re.Match[str]) -> str:
    return ascii(match[0])[1:-1]


def install_extra(extra: str, of_client: str) -> str:
    """Returns the command that installs an extra of keras_nmt, or of keras-nmt-client if only the client is installed.

    The two distributions contain the same modules, so one must not be installed over the other.

    Example:

    >>> install_extra("serving", "grpc")
    "pip install 'keras_nmt[serving]'"
    """
    is_client = importlib.util.find_spec("keras_nmt.cli") is None
    return f"pip install '{f'keras-nmt-client[{of_client}]' if is_client else f'keras_nmt[{extra}]'}'"


def error_and_type(error: Exception) -> str:
    """Returns an error as one line of at most 500 characters, with its type unless it is a `UserError`.

    Example:

    >>> error_and_type(KeyError("format"))
    "KeyError('format')"
    """
    return one_line(error if isinstance(error, UserError) else repr(error))[:500]


def exhausted(error: Exception, remedy: str) -> str:
    """Returns a message for TensorFlow's `ResourceExhaustedError`: there is not enough memory, or the disk is full.

    Example:

    >>> exhausted(MemoryError("OOM when\\nallocating"), "lower `beam_size`")
    'Not enough memory: lower `beam_size`. Received: OOM when allocating'
    """
    message = one_line(error)
    if "No space left" in message:
        return f"The disk is full: free some space. Received: {message}"
    return f"Not enough memory: {remedy}. Received: {message[:200]}"


def user_message(error: Exception) -> str | None:
    """Returns the message of an error that a user can cause; None for any other error."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}. Received: {error.filename or 'a standard stream'}"
    if isinstance(error, UserError | OSError):
        return str(error)
    if isinstance(error, MemoryError):
        return "Memory does not suffice: make batches, beam or model smaller. Received: MemoryError"
    if type(error).__name__ == "ResourceExhaustedError":  # TensorFlow's, which may not be imported
        return exhausted(error, "make batches, beam or model smaller")
    if hasattr(error, "format_message"):  # typer's usage errors, a class that typer does not make public
        return str(error.format_message())
    return None


def nearest(unknown: Iterable[str], known: Iterable[str]) -> str:
    """Suggests the nearest known name for each unknown name; returns "" if no name is near.

    Example:

    >>> nearest(["batchsize", "x"], ["batch_size", "clip"])
    'the nearest is `batch_size`'
    """
    names = list(known)
    near = [match for name in unknown for match in difflib.get_close_matches(name, names, n=1)]
    return f"the nearest is {', '.join(f'`{name}`' for name in dict.fromkeys(near))}" if near else ""


def check_positive(**numbers: float | None) -> None:
    """Checks that numbers, given by name, are above zero or None; raises a `UserError` otherwise."""
    for name, number in numbers.items():
        require(number is None or number > 0, f"{{{name}}} must be positive", **{name: number})


def check_seed(**seeds: object) -> None:
    """Checks that seeds, given by name, are integers of at least 0 and below 2**32; raises a `UserError` otherwise.

    NumPy divides larger integers into words, so that different lists of seeds would be the same.
    """
    for name, seed in seeds.items():
        is_right = is_integer(seed) and 0 <= seed < 2**32
        require(is_right, f"{{{name}}} must be an integer of at least 0 and below 2**32", **{name: seed})


def is_integer(value: object) -> TypeGuard[int]:
    """Tells whether a value is an integer of Python or NumPy, and no boolean.

    Example:

    >>> is_integer(3), is_integer(True), is_integer(3.0)
    (True, False, False)
    """
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def is_number(value: object) -> TypeGuard[float]:
    """Tells whether a value is a real number of Python or NumPy, and no boolean.

    Example:

    >>> is_number(3), is_number(0.5), is_number(True)
    (True, True, False)
    """
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def check_no_string(**texts: object) -> None:
    """Checks that lines of text, given by name, are not one string: its letters would become lines.

    Raises a `UserError` otherwise.
    """
    for name, lines in texts.items():
        if isinstance(lines, str):
            raise UserError(f"`{name}` must be a list of strings, not one string. Received: {name}={lines[:40]!r}")


def check_backend(what: str) -> None:
    """Checks that Keras uses TensorFlow, which `what` needs, such as "Training"; raises a `UserError` otherwise."""
    import keras  # not at the top: `keras_nmt.errors` must work without Keras

    if keras.backend.backend() != "tensorflow":
        raise UserError(
            f"{what} needs TensorFlow: set KERAS_BACKEND=tensorflow; only layers, models and searches run on other "
            f"backends. Received: {keras.backend.backend()}"
        )
