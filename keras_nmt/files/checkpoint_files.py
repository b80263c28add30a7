"""The names of the files of checkpoints. Imports no TensorFlow."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

from keras_nmt.files.paths import check_regular

STATE = re.compile(r"state-(0|[1-9][0-9]*)\.h5")
SAVED_WEIGHTS = re.compile(r"update-(0|[1-9][0-9]*)\.weights\.h5")


def state_path(folder: Path, update: int) -> Path:
    """Returns the path of the state of an update."""
    return folder / f"state-{update}.h5"


def weights_path(folder: Path, update: int) -> Path:
    """Returns the path of the weights of a saved update."""
    return folder / f"update-{update}.weights.h5"


def saved_updates(folder: Path, names: re.Pattern[str]) -> list[int]:
    """Returns the updates of the files with such names, in order.

    Raises:
        UserError: One of them is no regular file.
    """
    updates = []
    for path in folder.iterdir() if folder.is_dir() else ():
        if match := names.fullmatch(path.name):
            with contextlib.suppress(FileNotFoundError):  # a training removes it meanwhile
                check_regular(path)
                updates.append(int(match[1]))
    return sorted(updates)
