"""The final weights of a run: chooses among the kept checkpoints, and averages them."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import h5py
import numpy as np

from keras_nmt.errors import UserError, check_choice, check_positive, errors_as, require
from keras_nmt.files.atomic_files import atomic_path
from keras_nmt.files.checkpoint_files import weights_path
from keras_nmt.files.paths import check_local
from keras_nmt.files.weights_file import DIGEST, arrays, float_type, open_weights, write_digest
from keras_nmt.models.adapters import DESCRIPTION
from keras_nmt.training.checkpoints import Progress, Saving, read_index
from keras_nmt.training.evaluation import Evaluation

PLATEAU = 0.03  # scores on the plateau differ from the best score by at most this fraction of it


def choose_updates(saving: Saving, progress: Progress, evaluation: Evaluation | None) -> list[int]:
    """Returns the kept updates whose mean is the final weights, unless the best update alone is better.

    An average with updates far below the best would be worse than the best. So "average_last" uses only updates on the
    plateau, or the best update if none of the last ones is on it. `evaluation` tells which scores are better.
    """
    number = min(saving.average or saving.kept, saving.kept) if saving.final_weights.startswith("average") else 1
    if saving.final_weights.endswith("best") and evaluation is not None:
        return progress.by_score(evaluation.higher_is_better)[:number]
    kept = progress.last[-number:]
    if saving.final_weights != "average_last" or evaluation is None or not progress.scores:
        return kept
    best = progress.by_score(evaluation.higher_is_better)[0]
    return find_plateau(kept, progress.scores, progress.scores[best]) or [best]


def find_plateau(updates: Sequence[int], scores: Mapping[int, float], best: float) -> list[int]:
    """Finds the updates on the plateau of the best score. A save without a score is treated as the next one.

    Example:

    >>> find_plateau([100, 200, 250, 300], {100: 18.0, 200: 29.6, 300: 30.1}, 30.4)
    [200, 250, 300]
    """
    chosen, is_within = [], True
    for update in reversed(updates):
        if update in scores:
            is_within = abs(scores[update] - best) <= PLATEAU * abs(best)
        if is_within:
            chosen.append(update)
    return chosen[::-1]


def describe_choice(
    saving: Saving, updates: Sequence[int], scores: tuple[float, float], best: int, is_better: bool
) -> str:
    """Returns a line with the scores of the mean of `updates` and of the update `best`, and which of them is used.

    `is_better` tells whether the best update is better than the mean.
    """
    mean = "the mean of updates " + ", ".join(map(str, updates)) if len(updates) > 1 else f"update {updates[0]}"
    taken = f"update {best}" if is_better and saving.final_weights.startswith("average") else mean
    hint = ' (final_weights="best" takes the better)' if is_better and taken == mean else ""
    difference = abs(scores[0] - scores[1])
    both = f"{scores[0]:.4g} for {mean}, {scores[1]:.4g} for update {best}, {difference:.2g} apart"
    return f"{both}: {taken} is taken{hint}"


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
        number: Integer, the number of checkpoints. Defaults to all that are kept.
        output: Path of the file to write, ending with `.weights.h5`. Defaults to `directory/model.weights.h5`.

    Returns:
        The updates whose weights were averaged.

    Raises:
        UserError: There are fewer checkpoints than `number`, or none; or their weights are damaged, or belong to
            different models.
    """
    check_local(directory)
    directory = Path(directory)
    check_choice("which", which, ("last", "best"))
    check_positive(number=number)
    output = Path(output) if output is not None else directory / "model.weights.h5"
    is_right = output.name.endswith(".weights.h5")
    require(is_right, f"The name of a file of weights must end with .weights.h5. Received: output={output}")
    folder = directory / "checkpoints"
    index = read_index(folder)
    kept = index[which]
    require(kept, f'There are no "{which}" checkpoints to average. Received: folder={folder}')
    number = number or len(kept)
    problem = f'Only {len(kept)} "{which}" checkpoints are kept: average these, or train with a larger `keep_{which}`'
    require(number <= len(kept), f"{problem}. Received: {number}")
    updates = kept[-number:] if which == "last" else kept[:number]
    with open_weights(weights_path(folder, updates[0])) as file:
        problem = f"The checkpoints hold an adapter: name another file, such as adapter.weights.h5. Received: {output}"
        require(DESCRIPTION not in file.attrs or output.name != "model.weights.h5", problem)
    average_weights([weights_path(folder, update) for update in updates], output)
    return list(updates)


def average_weights(files: Sequence[Path], output: Path) -> None:
    """Writes the mean of weights files of one model. Floats are averaged, other types are those of the last file.

    The mean of one file is its copy, with its digest.
    """
    with contextlib.ExitStack() as stack:
        sources = [stack.enter_context(open_weights(file)) for file in files]
        room = os.path.getsize(files[-1]) + 8192  # HDF5 crashes, and Python with it, on a full disk
        temporary = stack.enter_context(atomic_path(output, suffix=".weights.h5", room=room))
        shutil.copyfile(files[-1], temporary)
        if len(files) == 1 and DIGEST in sources[0].attrs:
            return
        with h5py.File(temporary, "r+") as target:
            with errors_as(
                f"The checkpoints must be of one model. Received: {[str(file) for file in files]}", KeyError
            ):
                for name in arrays(sources[-1]):
                    _average(name, sources, target)
            write_digest(target)


def _average(name: str, sources: Sequence[h5py.File], target: h5py.File) -> None:
    dataset = target[name]
    if (dtype := float_type(dataset)) is None:
        return
    total = np.zeros(dataset.shape, "float64")
    for source in sources:
        if source[name].shape != dataset.shape:
            raise UserError(f"Checkpoints must have weights of equal shape. Received: {source.filename}, {name}")
        total += source[name][()].view(dtype).astype("float64")
    dataset[...] = (total / len(sources)).astype(dtype).view(dataset.dtype)
