"""Runs Python programs in separate processes that start with TensorFlow already imported.

Started by `tests/conftest.py`. The server imports the packages that take seconds to import, calls none of their
functions, and forks for each line of standard input: JSON with the arguments after `python`, folder, environment, and
files for standard input, output and error. The answer is the exit status. keras_nmt is not imported, because some
programs must run without keras_nmt.
"""

from __future__ import annotations

import faulthandler
import json
import os
import runpy
import sys
import traceback
from typing import Any

import h5py  # noqa: F401
import sacrebleu  # noqa: F401
import tensorflow as tf
import tensorflow_text  # noqa: F401  imports Keras
import typer  # noqa: F401


def run(arguments: list[str]) -> int:
    """Runs the program as `python ARGUMENTS` does, and returns the exit status."""
    try:
        if arguments[0] == "-c":
            sys.argv = ["-c", *arguments[2:]]
            exec(compile(arguments[1], "<string>", "exec"), {"__name__": "__main__"})
        else:
            sys.argv = arguments
            sys.path.insert(0, os.path.dirname(os.path.abspath(arguments[0])))
            runpy.run_path(arguments[0], run_name="__main__")
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def child(request: dict[str, Any]) -> int:
    for descriptor, key, flags in ((0, "stdin", os.O_RDONLY), (1, "stdout", os.O_WRONLY), (2, "stderr", os.O_WRONLY)):
        os.dup2(os.open(request[key], flags), descriptor)
    # A program that never ends must fail, not stop all tests: its standard error then says where it stands.
    faulthandler.dump_traceback_later(600, exit=True)
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.path[:0] = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    os.chdir(request["folder"])
    if "optimization_level=0" in os.environ.get("XLA_FLAGS", ""):  # as in tests/conftest.py
        tf.config.optimizer.set_experimental_options({"disable_meta_optimizer": True})
    status = run(request["arguments"])
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    return status


def main() -> None:
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                status = child(json.loads(line))
            finally:
                os._exit(status)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)


if __name__ == "__main__":
    sys.path.pop(0)  # removes this folder, which programs should not see
    main()
