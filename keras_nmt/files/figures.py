"""Figures by matplotlib without its global state: no window opens, and figures need not be closed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from keras_nmt.errors import UserError
from keras_nmt.files.atomic_files import atomic_path

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def new_figure(width: float, height: float) -> Figure:
    """An empty figure of a size in inches.

    Raises:
        UserError: matplotlib is missing.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise UserError(f"Figures need matplotlib: pip install 'keras_nmt[analysis]'. Received: {error}") from None
    return Figure(figsize=(width, height), layout="constrained")


def save_figure(path: str | os.PathLike[str], figure: Figure) -> None:
    """Writes a figure in the format of the path's suffix, complete or not at all."""
    with atomic_path(path) as temporary:
        figure.savefig(temporary)
