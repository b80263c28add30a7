"""Python files of the user's own, run as modules."""

from __future__ import annotations

import importlib.util
import sys
import traceback
from pathlib import Path
from types import ModuleType

from keras_nmt.errors import UserError, error_and_type


def import_file(path: Path) -> ModuleType:
    """Runs a Python file as a module, once in a process.

    Raises:
        UserError: The path is of no Python file, or the file raised an error. The message names the line.
    """
    if not (path.is_file() and path.suffix == ".py"):
        raise UserError(f"The file to import is a Python file, NAME.py. Received: {path}")
    path = path.resolve()
    name = f"imported:{path}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None  # noqa: PT018
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
        place = f"line {lines[-1]} of {path}" if lines else str(path)
        raise UserError(f"{place} raised an error; correct the file. Received: {error_and_type(error)}") from error
    return module
