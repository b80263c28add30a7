"""Start-up, errors and exit codes of every command line of the project."""

from __future__ import annotations

import contextlib
import gc
import inspect
import io
import os
import re
import signal
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand

from keras_nmt.errors import UserError, one_line, user_message
from keras_nmt.files.atomic_files import errors_that_name
from keras_nmt.files.paths import check_python_file, import_file
from keras_nmt.files.process_resources import translation_threads, without_standard_error
from keras_nmt.files.search_options import flag_of

# `-h` is short for `--help` everywhere.
CONTEXT = {"help_option_names": ["-h", "--help"]}
# Keras, TensorFlow and HDF5 read these variables when they are imported. A value that the user has set counts.
ENVIRONMENT = {
    # Commands compute with TensorFlow, whatever the backend of the user's other programs is.
    "KERAS_BACKEND": "tensorflow",
    # TensorFlow's own messages hide ours. An operation that fails still raises an error.
    "TF_CPP_MIN_LOG_LEVEL": "3",
    # TensorFlow keeps the memory of large tensors, such as the logits of an update. The system would zero each page.
    "TF_CPU_ALLOCATOR_USE_BFC": "1",
    # By default, the first process takes a GPU's whole memory: runs of a comparison are processes beside their parent.
    "TF_FORCE_GPU_ALLOW_GROWTH": "true",
    # HDF5 opens no file where a file system has no locks. A file of weights is complete when it gets its name.
    "HDF5_USE_FILE_LOCKING": "FALSE",
}

# Python looks for garbage after so many new objects. With its defaults, a sixth of the time of imports goes into that.
GARBAGE_THRESHOLDS = (50_000, 10, 10)

_set_by_user: set[str] = set()
_format_of_python = warnings.formatwarning


def run_app(command: typer.Typer | Callable[..., Any]) -> None:
    """Runs a command line and exits.

    A user error prints one line on standard error and exits with code 2; a `UserWarning` prints one line and no place
    in our source. Ctrl-C exits with 130, SIGTERM with 143 and SIGHUP with 129, after temporary files are removed; a
    second signal ends the process at once. A reader that closes our standard output, as `head` does, ends the command
    with 1. What standard output cannot show is written with escapes.

    Args:
        command: A typer application, or a function with typer's annotations.
    """
    if not isinstance(command, typer.Typer):
        single = make_app("")
        single.command()(command)
        command = single
    _set_by_user.update(set(ENVIRONMENT) & set(os.environ))
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    gc.set_threshold(*GARBAGE_THRESHOLDS)
    warnings.formatwarning = _format_warning
    _open_missing_streams()
    if isinstance(sys.stdout, io.TextIOWrapper):  # as standard error does by default
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        _check_arguments(sys.argv[1:])
        # Not where `nohup` lets SIGHUP be ignored.
        numbers = [x for x in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(x) == signal.SIG_DFL]
        with raised_by_signals({number: SystemExit(128 + number) for number in numbers}):
            # A standalone application prints usage errors in a box of several lines.
            status = command(standalone_mode=False)
        with errors_that_name("standard output"):
            sys.stdout.flush()
        raise SystemExit(status)
    except typer.Abort as error:  # Ctrl-C; typer also turns the end of a file into it
        if isinstance(error.__cause__, EOFError):
            raise error.__cause__ from None
        raise SystemExit(130) from None
    except BrokenPipeError:
        raise SystemExit(1) from None
    except Exception as error:
        message = user_message(error)
        if message is None:
            raise
        print(f"Error: {one_line(message)}", file=sys.stderr)
        raise SystemExit(2) from None
    finally:
        _empty_output()


def _empty_output() -> None:
    """Writes what standard output still holds, or drops it: Python would try again, and end with a traceback."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _check_arguments(arguments: Sequence[str]) -> None:
    """Raises a `UserError` if an argument is empty: as a path, it would be the present folder."""
    for number, argument in enumerate(arguments):
        if not argument or re.fullmatch(r"--[a-z-]+=", argument):
            received = " ".join([*arguments[max(0, number - 1) : number], argument or "''"])
            raise UserError(f"An argument must not be empty: is a variable of the shell not set? Received: {received}")


@contextlib.contextmanager
def raised_by_signals(errors: Mapping[int, BaseException]) -> Iterator[None]:
    """Lets signals raise errors in the block, so that it cleans up; a second signal ends the process at once.

    Args:
        errors: Mapping from signals to what they raise: `SystemExit` with the exit code, or `KeyboardInterrupt`.
    """

    def end(received: int, _: object) -> None:
        for number in errors:
            signal.signal(number, signal.SIG_DFL)
        raise errors[received]

    before = {number: signal.signal(number, end) for number in errors}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _format_warning(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, line: str | None = None
) -> str:
    if category is UserWarning:
        return f"Warning: {one_line(message)}\n"
    return _format_of_python(message, category, filename, lineno, line)


def make_app(help_text: str) -> typer.Typer:
    """Makes a typer application with the conventions of the project: `-h`, errors for `run_app`, no completion."""
    return _App(add_completion=False, pretty_exceptions_enable=False, help=help_text or None, context_settings=CONTEXT)


def given_options(context: typer.Context) -> dict[str, str]:
    """Returns the parameters that the user gave: a dictionary from names to the flags on the command line."""
    return {
        parameter.name: parameter.opts[0] if parameter.opts[0].startswith("-") else parameter.name.upper()
        for parameter in context.command.params
        if parameter.name is not None
        and getattr(context.get_parameter_source(parameter.name), "name", "") == "COMMANDLINE"
    }


class _Command(TyperCommand):
    """A command that takes each option once, and whose errors name the options that the user gave."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        values, further, given = self.make_parser(ctx).parse_args(args=list(args))
        flags = {flag for option in self.get_params(ctx) for flag in option.opts if flag.startswith("--")}
        for option, number in Counter(given).items():
            if number > 1 and not option.multiple:  # by itself, the last one would count, without a word
                raise UserError(f"Give {option.opts[0]} once. Received: {option.opts[0]} {number} times")
            # A parser takes whatever follows an option: the next option would be a file's name, without a word.
            taken = values.get(option.name)
            taken = taken if isinstance(taken, list | tuple) else [taken]
            if any(isinstance(value, str) and value in flags for value in taken):
                needed = f"{option.opts[0]} {option.metavar or 'VALUE'}"
                raise UserError(f"Missing value: write {needed}. Received: {' '.join([option.opts[0], *taken])}")
        if further:
            advice = f"files and further values are given by options, which `{ctx.command_path} --help` lists"
            raise UserError(f"There is no place for a further argument: {advice}. Received: {' '.join(further)}")
        try:
            return super().parse_args(ctx, args)
        except typer.BadParameter as error:  # names the option alone
            if error.param is None or (value := values.get(error.param.name)) is None:
                raise
            raise UserError(f"{error.format_message()}. Received: {error.param.opts[0]} {value}") from None

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except UserError as error:
            values = {flag: str(ctx.params[name]) for name, flag in given_options(ctx).items()}
            flags = {name: flag_of(name.rpartition(".")[2]) for name in error.received}
            given = {name: flag for name, flag in flags.items() if values.get(flag) == str(error.received[name])}
            raise error.with_options(given) from None


class _App(typer.Typer):
    """An application whose commands have their docstrings as help, wrapped by the terminal alone.

    Typer keeps the line ends of a docstring, and the terminal breaks the lines once more.
    """

    def command(  # type: ignore[override]
        self, *args: Any, **options: Any
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        def register(function: Callable[..., Any]) -> Callable[..., Any]:
            paragraphs = (inspect.getdoc(function) or "").split("\n\n")
            text = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
            return super(_App, self).command(*args, **{"help": text or None, "cls": _Command, **options})(function)

        return register


def _open_missing_streams() -> None:
    """Opens closed standard streams on the null device; else the next open file would get the stream's number."""
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, os.O_RDWR)
            if descriptor != number:
                os.dup2(descriptor, number)
                os.close(descriptor)
            stream = open(number, mode)  # noqa: SIM115  for the rest of the process
            stream.was_closed = True  # type: ignore[attr-defined]
            setattr(sys, name, stream)


def check_open(stream: Any, name: str) -> None:
    """Raises a `UserError` if the standard stream of this name was closed when the program began."""
    if getattr(stream, "was_closed", False):
        raise UserError(f"{name} is closed: redirect it to a file or a pipe. Received: no open stream")


def import_tensorflow(files: Sequence[Path] | None = None, *, to_translate: bool = False) -> None:
    """Imports TensorFlow and Keras without start-up lines, then the user's files of layers, which `--import` names.

    With `to_translate`, for programs that only translate and score, an operation has few threads, because several parts
    of the text are computed at the same time. The variable `TF_NUM_INTRAOP_THREADS` has precedence.

    Packages that TensorFlow and Keras import if they are there are left out: a converter of JAX functions, wrappers for
    scikit-learn and figures of Matplotlib, which the package does not use.

    TensorFlow writes lines about CUDA before it reads its log level. A user who has set `TF_CPP_MIN_LOG_LEVEL` sees the
    lines.
    """
    for file in files or ():
        check_python_file(file)  # before TensorFlow's start, which takes seconds
    if to_translate:
        os.environ.setdefault("TF_NUM_INTRAOP_THREADS", str(translation_threads()))
    is_quiet = "TF_CPP_MIN_LOG_LEVEL" not in _set_by_user
    unused = {"jax", "matplotlib", "sklearn"} - {os.environ.get("KERAS_BACKEND")}
    with without_standard_error() if is_quiet else contextlib.nullcontext(), _without(*unused):
        import tensorflow_text  # noqa: F401  imports TensorFlow and Keras
    for file in files or ():
        import_file(file)


@contextlib.contextmanager
def _without(*packages: str) -> Iterator[None]:
    """Lets imports of packages fail inside the block, unless they are imported already."""
    hidden = [package for package in packages if package not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]  # None: not to be imported
    try:
        yield
    finally:
        for package in hidden:
            del sys.modules[package]
