"""The mean of several checkpoints' weights."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import h5py
import numpy as np

from keras_nmt.errors import UserError, check_positive
from keras_nmt.files.atomic_files import atomic_path
from keras_nmt.files.check_path import check_local
from keras_nmt.files.weights_file import arrays, open_weights, write_digest
from keras_nmt.training.checkpoints import read_index, weights_path


def average_checkpoints(
    directory: str | os.PathLike[str],
    *,
    which: str = "last",
    number: int | None = None,
    output: str | os.PathLike[str] | None = None,
) -> list[int]:
    """Writes the mean of the weights of a model directory's checkpoints.

    Args:
        directory: Path of a model directory with `checkpoints/`.
        which: String, "last" for the last saved checkpoints, "best" for those with the best scores. Defaults to "last".
        number: Integer, how many, at most as many as are kept. Defaults to all that are kept.
        output: Path of the file to write, ending with `.weights.h5`. Defaults to `directory/model.weights.h5`.

    Returns:
        The updates whose weights were averaged.

    Raises:
        UserError: There are fewer checkpoints than `number`, or none; their weights are damaged, or belong to different
            models.
    """
    check_local(directory)
    directory = Path(directory)
    if which not in ("last", "best"):
        raise UserError(f'Checkpoints are averaged by "last" or "best". Received: which={which!r}')
    check_positive(number=number)
    output = Path(output) if output is not None else directory / "model.weights.h5"
    if not output.name.endswith(".weights.h5"):
        raise UserError(f"The name of a file of weights ends with .weights.h5. Received: output={output}")
    folder = directory / "checkpoints"
    index = read_index(folder)
    kept = index[which]
    if not kept:
        raise UserError(f'There are no "{which}" checkpoints to average. Received: folder={folder}')
    number = number or len(kept)
    if number > len(kept):
        raise UserError(
            f'Only {len(kept)} "{which}" checkpoints are kept: average at most {len(kept)}, or train with a larger '
            f"`keep_{which}`. Received: {number}"
        )
    updates = kept[-number:] if which == "last" else kept[:number]
    average_weights([weights_path(folder, update) for update in updates], output)
    return list(updates)


def average_weights(files: Sequence[Path], output: Path) -> None:
    """Writes the mean of files of weights of one model: floats are averaged, anything else is taken from the last."""
    with contextlib.ExitStack() as stack:
        sources = [stack.enter_context(open_weights(file)) for file in files]
        room = os.path.getsize(files[-1]) + 8192  # HDF5 crashes, and Python with it, on a full disk
        temporary = stack.enter_context(atomic_path(output, suffix=".weights.h5", room=room))
        shutil.copyfile(files[-1], temporary)
        with h5py.File(temporary, "r+") as target:
            try:
                for name in arrays(sources[-1]):
                    _average(name, sources, target)
            except KeyError as error:
                raise UserError(
                    f"The checkpoints are not of one model. Received: {[str(file) for file in files]} ({error})"
                ) from error
            write_digest(target)


def _average(name: str, sources: Sequence[h5py.File], target: h5py.File) -> None:
    dataset = target[name]
    if not np.issubdtype(dataset.dtype, np.floating):
        return
    total = np.zeros(dataset.shape, "float64")
    for source in sources:
        if source[name].shape != dataset.shape:
            raise UserError(f"The checkpoints' weights differ in shape. Received: {source.filename}, {name}")
        total += source[name][()]
    dataset[...] = (total / len(sources)).astype(dataset.dtype)
