"""Checkpoints of a training run."""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import json
import math
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import h5py
import keras
import numpy as np
import tensorflow as tf

from keras_nmt.errors import UserError, check_positive, one_line
from keras_nmt.files.atomic_files import atomic_path, remove_leftovers, write_json
from keras_nmt.files.check_path import check_regular
from keras_nmt.files.json_file import read_json
from keras_nmt.files.weights_file import arrays, check_digest, write_digest, write_weights
from keras_nmt.training.averaged_weights import averaged_weights

INDEX = "index.json"
STATE = re.compile(r"state-(0|[1-9][0-9]*)\.h5")
WEIGHTS = re.compile(r"update-(0|[1-9][0-9]*)\.weights\.h5")
PROGRESS = "progress"  # the array of a state that holds JSON: the `Progress`, and the class of the optimizer
FINALS = ("last", "best", "average_last", "average_best", "ema")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Saving:
    """The saves of `Trainer`: their frequency, the number of kept checkpoints, and the choice of the final weights.

    Args:
        every: Integer, number of updates between saves. Defaults to `every` of the evaluation, or to 1000 without one.
        keep_last: Integer, number of last saves whose weights are kept. Defaults to 5.
        keep_best: Integer, number of best saves whose weights are kept. Defaults to 1.
        final: String, the final weights: "last", "best", or the mean of the last or best `average` checkpoints,
            "average_last" or "average_best"; or "ema", the exponential moving average at the last save, where the
            optimizer keeps averages (see `Trainer`). With an evaluation, "average_last" averages only checkpoints whose
            score is within 3% of the best, and after both averages, the best checkpoint alone is taken where its score
            is better than the average's. Defaults to "average_last".
        average: Integer, largest number of checkpoints that are averaged. Defaults to all that are kept.

    Raises:
        UserError: `final` is unknown, the checkpoints of `final` are not kept, or a number is out of range.
    """

    every: int | None = None
    keep_last: int = 5
    keep_best: int = 1
    final: str = "average_last"
    average: int | None = None

    def __post_init__(self) -> None:
        check_positive(every=self.every, average=self.average)
        if self.final not in FINALS:
            raise UserError(f"The final weights are one of {', '.join(FINALS)}. Received: final={self.final!r}")
        if min(self.keep_last, self.keep_best) < 0 or self._kept < 1:
            raise UserError(
                "The checkpoints for the final weights must be kept. "
                f"Received: final={self.final!r}, keep_last={self.keep_last}, keep_best={self.keep_best}"
            )

    @property
    def _kept(self) -> int:
        return self.keep_best if self.final.endswith("best") else self.keep_last

    @property
    def final_checkpoints(self) -> tuple[str, int]:
        """The source of the final weights: the "last" or the "best" checkpoints, and their largest number."""
        number = (self.average or self._kept) if self.final.startswith("average") else 1
        return "best" if self.final.endswith("best") else "last", number


@dataclasses.dataclass
class Progress:
    """The state of a run beside the weights and the optimizer."""

    update: int = 0  # the number of updates
    tokens: int = 0  # target tokens, without padding
    seconds: float = 0.0  # training time over all starts of the run
    evaluations_since_best: int = 0
    scores: dict[int, float] = dataclasses.field(default_factory=dict)  # of evaluated updates whose weights are kept
    saved: list[int] = dataclasses.field(default_factory=list)  # the updates whose weights are kept
    # The last update whose evaluation and saving, where due, are done. The number is less than `update` after an
    # interruption or a failed evaluation.
    completed: int = 0
    best_update: int | None = None
    best_score: float | None = None
    scored_by: str = ""  # `Evaluation.scoring` of the scores
    best_metrics: dict[str, float] = dataclasses.field(default_factory=dict)  # the best value of each metric
    pending: dict[str, float] = dataclasses.field(default_factory=dict)  # sums since the last line of the training log
    task_updates: dict[str, int] = dataclasses.field(default_factory=dict)
    task_pending: dict[str, dict[str, float]] = dataclasses.field(default_factory=dict)  # such sums of each task


class Checkpoints:
    """Saves and restores a run: its state, the weights of its last saves, and the weights with the best scores.

    The folder holds

    - `state-<update>.h5`: everything that is needed to go on (weights, optimizer, progress), the last two;
    - `update-<update>.weights.h5`: the weights of the last `keep_last` saves and of the `keep_best` best, or their
      exponential moving averages, where the optimizer keeps averages;
    - `index.json`: `{"last": [updates], "best": [updates, best first], "scores": {update: score}}`.

    Every state has the digest of its content, and gets its name when it is complete and has been read back. Only then
    are files of earlier updates removed: all states but the one before, and the weights that are no longer kept. Files
    of later updates stay, such as a state that could not be read, until the run has passed them. The names of the
    files say what they are; there is no list that could be lost, and no time counts.

    An evaluated update's state is saved before the evaluation, and again with the scores.

    Args:
        folder: Path of the folder, created when needed.
        model: Model.
        optimizer: Optimizer of the model, built.
        keep_last, keep_best: Integers, see `Saving`. Default to 5 and 1.
        higher_is_better: Boolean, whether the better of two scores is the higher. Defaults to `True`.
        read_only: Boolean, whether to write nothing and only restore and keep `Progress`, as all workers but the chief
            do. Defaults to `False`.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        model: keras.Model,
        optimizer: keras.optimizers.Optimizer,
        *,
        keep_last: int = 5,
        keep_best: int = 1,
        higher_is_better: bool = True,
        read_only: bool = False,
    ) -> None:
        self.folder = Path(folder)
        self.model = model
        self.optimizer = optimizer
        self.keep_last = keep_last
        self.keep_best = keep_best
        self.higher_is_better = higher_is_better
        self.read_only = read_only
        self._damaged: set[int] = set()  # states that could not be read

    def save(self, progress: Progress, score: float | None = None) -> Path:
        """Saves the weights, the state and the index.

        Args:
            progress: The progress of the run, which records the save.
            score: Float, the score of the weights, or `None` where they were not evaluated.

        Returns:
            The path of the state.

        Raises:
            UserError: The disk is full, or writing is not permitted. Earlier saves are unchanged.
        """
        update = progress.update
        if score is not None:
            progress.scores[update] = score
        progress.saved = sorted({*progress.saved, update})
        kept = {*self._last(progress), *self._best(progress)}
        progress.saved = [saved for saved in progress.saved if saved in kept]
        progress.scores = {saved: progress.scores[saved] for saved in progress.saved if saved in progress.scores}
        if self.read_only:
            return self.save_state(progress)
        with self._nothing_half_written(update):
            if update in progress.saved:
                with averaged_weights(self.optimizer):
                    write_weights(weights_path(self.folder, update), self.model)
            path = self.save_state(progress)
            self._write_index(progress)
            self._remove_weights(progress)
        return path

    def save_state(self, progress: Progress) -> Path:
        """Saves the state alone, without weights that would count among the last or the best.

        A run that is interrupted therefore ends with the same final weights as one that is not.

        Returns:
            The path of the state.
        """
        path = state_path(self.folder, progress.update)
        if not self.read_only:
            with self._nothing_half_written(progress.update):
                self._write_state(path, progress)
                self._damaged.discard(progress.update)
                self._remove_states(progress.update)
        return path

    def restore(self, report: Callable[[str], None] = print) -> Progress | None:
        """Restores the newest state that can be read.

        Args:
            report: Function that gets a line for each state that cannot be read, and for missing weights. Defaults to
                `print`.

        Returns:
            The progress, or None if there is no state.

        Raises:
            UserError: The state belongs to another model or optimizer, no state can be read, or something that is no
                regular file has the name of a file of this folder.
            OSError: The system refuses to read a state, which is no sign of damage.
        """
        if not self.read_only:
            remove_leftovers(self.folder)
        for update in reversed(self._updates(STATE)):
            path = state_path(self.folder, update)
            try:
                progress = _read_progress(path)
            except Exception as error:  # damage makes HDF5 raise various errors
                if isinstance(error, OSError) and error.errno:
                    raise
                report(f"Cannot read checkpoint {path}: {one_line(error)[:200]}")
                self._damaged.add(update)
                continue
            self._restore_variables(path)
            if not self.read_only:
                self._remove_states(update)
                self._forget_missing(progress, report)
            return progress
        if self._damaged:
            raise UserError(
                "None of the checkpoints can be read; remove the folder to start afresh. "
                f"Received: {[str(state_path(self.folder, update)) for update in sorted(self._damaged)]}"
            )
        return None

    def _variables(self) -> dict[str, Any]:
        """The variables of a state by their names in the file."""
        parts = {"model": self.model.weights, "optimizer": self.optimizer.variables}
        return {f"{part}/{number}": variable for part in parts for number, variable in enumerate(parts[part])}

    def _optimizer_name(self) -> str:
        return type(getattr(self.optimizer, "inner_optimizer", self.optimizer)).__name__

    def _write_state(self, path: Path, progress: Progress) -> None:
        variables = self._variables()
        text = json.dumps({"optimizer": self._optimizer_name(), PROGRESS: dataclasses.asdict(progress)}).encode()
        # HDF5 crashes, and Python with it, on a full disk. Groups and names take a few kB for each variable.
        room = sum(math.prod(v.shape) * tf.as_dtype(v.dtype).size + 8192 for v in variables.values()) + len(text)
        with atomic_path(path, room=room) as temporary:
            with h5py.File(temporary, "w", locking=False) as file:
                file[PROGRESS] = np.frombuffer(text, "uint8")
                for name, variable in variables.items():
                    file[name] = variable.numpy().view(_stored_type(variable))
                write_digest(file)
            try:
                _read_progress(temporary)
            except Exception as error:  # as in `restore`
                raise OSError(errno.EIO, f"The state cannot be read back: {one_line(error)}", str(path)) from error

    def _restore_variables(self, path: Path) -> None:
        variables = self._variables()
        with h5py.File(path, "r", locking=False) as file:
            found: dict[str, Any] = {name: (array.shape, array.dtype) for name, array in arrays(file).items()}
            found[PROGRESS] = json.loads(file[PROGRESS][()].tobytes())["optimizer"]
            needed: dict[str, Any] = {name: (tuple(v.shape), _stored_type(v)) for name, v in variables.items()}
            needed[PROGRESS] = self._optimizer_name()
            if found != needed:
                name = next(name for name in (*needed, *found) if found.get(name) != needed.get(name))
                raise UserError(
                    "The checkpoint is that of another model or optimizer: give the settings it was made with, or "
                    f"another directory. Received: checkpoint={path}, {name}={found.get(name)} in place of "
                    f"{needed.get(name)}"
                )
            for name, variable in variables.items():
                variable.assign(file[name][()].view(tf.as_dtype(variable.dtype).as_numpy_dtype))

    @contextlib.contextmanager
    def _nothing_half_written(self, update: int) -> Iterator[None]:
        """A block that saves. Where it fails, incomplete files are removed, which makes room on a full disk."""
        try:
            yield
        except OSError as error:
            with contextlib.suppress(OSError):  # such as of a file system that has become read-only
                remove_leftovers(self.folder)
            raise UserError(
                f"Update {update} could not be saved; earlier checkpoints are unchanged. Make room on the disk, or "
                f"check the permissions, and start again. Received: folder={self.folder} ({one_line(error)[:200]})"
            ) from error

    def _updates(self, names: re.Pattern[str]) -> list[int]:
        """The updates of the files with such names."""
        updates = []
        for path in self.folder.iterdir() if self.folder.is_dir() else ():
            if match := names.fullmatch(path.name):
                check_regular(path)
                updates.append(int(match[1]))
        return sorted(updates)

    def _remove_states(self, update: int) -> None:
        """Removes the states before `update`, whose state has been read, except the last one."""
        earlier = [number for number in self._updates(STATE) if number < update]
        whole = [number for number in earlier if number not in self._damaged]
        for number in set(earlier) - set(whole[-1:]):
            state_path(self.folder, number).unlink()

    def _remove_weights(self, progress: Progress) -> None:
        """Removes the weights before the update of `progress`, whose state has been read, that are no longer kept."""
        for number in self._updates(WEIGHTS):
            if number <= progress.update and number not in progress.saved:
                weights_path(self.folder, number).unlink()

    def _last(self, progress: Progress) -> list[int]:
        """The last saved updates."""
        return progress.saved[-self.keep_last :] if self.keep_last else []

    def _best(self, progress: Progress) -> list[int]:
        """The updates with the best scores, best first; of equal scores, the earlier update first."""
        sign = -1 if self.higher_is_better else 1
        return sorted(progress.scores, key=lambda update: (sign * progress.scores[update], update))[: self.keep_best]

    def _write_index(self, progress: Progress) -> None:
        scores = dict(sorted(progress.scores.items()))
        write_json(self.folder / INDEX, {"last": self._last(progress), "best": self._best(progress), "scores": scores})

    def _forget_missing(self, progress: Progress, report: Callable[[str], None]) -> None:
        """Makes the weights on disk and the progress agree after an older state is restored."""
        self._remove_weights(progress)
        whole = self._updates(WEIGHTS)
        if missing := [str(update) for update in progress.saved if update not in whole]:
            report(f"The final weights will be without those of update {', '.join(missing)}, which are gone")
        progress.saved = [update for update in progress.saved if update in whole]
        progress.scores = {update: progress.scores[update] for update in progress.saved if update in progress.scores}
        self._write_index(progress)


def _stored_type(variable: Any) -> np.dtype:
    """The type of a variable in a state: HDF5 has neither bfloat16 nor float8, which are stored as integers."""
    dtype = np.dtype(tf.as_dtype(variable.dtype).as_numpy_dtype)
    return np.dtype(f"u{dtype.itemsize}") if dtype.kind == "V" else dtype


def _read_progress(path: Path) -> Progress:
    """Reads a state, all of it, and returns its progress. Damage is an error of various types."""
    with h5py.File(path, "r", locking=False) as file:
        if not check_digest(file):
            raise ValueError("it has no digest")
        fields = json.loads(file[PROGRESS][()].tobytes())[PROGRESS]
    return Progress(**{**fields, "scores": {int(update): score for update, score in fields["scores"].items()}})


def state_path(folder: Path, update: int) -> Path:
    """The path of the state of an update."""
    return folder / f"state-{update}.h5"


def weights_path(folder: Path, update: int) -> Path:
    """The path of the weights of a saved update."""
    return folder / f"update-{update}.weights.h5"


def read_index(folder: Path) -> dict[str, Any]:
    """Reads the index of a folder of checkpoints. A missing or damaged index is a `UserError`."""
    try:
        index = read_json(folder / INDEX, "the index of checkpoints")
    except FileNotFoundError as error:
        raise UserError(f"There are no checkpoints; train first. Received: folder={folder}") from error
    for name in ("last", "best"):
        updates = index.get(name)
        if not isinstance(updates, list) or not all(type(update) is int for update in updates):
            raise UserError(f"The index of the checkpoints has no list of updates {name!r}. Received: {folder / INDEX}")
    return index
