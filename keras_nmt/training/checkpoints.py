"""Checkpoints of a training run: its state, and the weights of its last and best saves."""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import json
import math
import os
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

import h5py
import keras
import numpy as np
import tensorflow as tf

from keras_nmt.errors import UserError, check_choice, check_positive, one_line, require
from keras_nmt.files.atomic_files import atomic_path, remove_leftovers, write_json
from keras_nmt.files.checkpoint_files import SAVED_WEIGHTS, STATE, saved_updates, state_path, weights_path
from keras_nmt.files.json_file import read_json
from keras_nmt.files.weights_file import arrays, check_digest, write_digest, write_weights
from keras_nmt.models.adapters import stored
from keras_nmt.training.optimizers import averaged_weights, unscaled

INDEX = "index.json"
PROGRESS = "progress"  # the array of a state with JSON: the `Progress` and the class of the optimizer
FINALS = ("last", "best", "average_last", "average_best", "ema")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Saving:
    """When `Trainer` saves, how many checkpoints it keeps, and which weights are the final ones.

    Args:
        every: Integer, number of updates between saves. Defaults to `every` of the evaluation, or to 1000 without one.
        keep_last: Integer, number of last saves whose weights are kept. Defaults to 5.
        keep_best: Integer, number of best saves whose weights are kept. Defaults to 1.
        final_weights: String, the final weights: "last", "best", "average_last" or "average_best" for the mean of the
            last or best `average` checkpoints, or "ema" for the exponential moving average at the last save, if the
            optimizer keeps averages (see `Trainer`). With an evaluation, "average_last" averages only checkpoints whose
            score is within 3% of the best, and if the best checkpoint alone has a better score than the average, it is
            used instead of the average. Defaults to "average_last".
        average: Integer, largest number of checkpoints that are averaged. Defaults to all that are kept.

    Raises:
        UserError: `final_weights` is unknown, its checkpoints are not kept, `average` has no effect, or a number is out
            of range.
    """

    every: int | None = None
    keep_last: int = 5
    keep_best: int = 1
    final_weights: str = "average_last"
    average: int | None = None

    def __post_init__(self) -> None:
        check_positive(every=self.every, average=self.average)
        check_choice("final_weights", self.final_weights, FINALS)
        final = {"final_weights": self.final_weights}
        problem = '{average} must be used together with {final_weights} "average_last" or "average_best"'
        is_used = self.average is None or self.final_weights.startswith("average")
        require(is_used, problem, **final, average=self.average)
        problem = "{keep_last} and {keep_best} must keep the checkpoints of the {final_weights}"
        is_kept = min(self.keep_last, self.keep_best) >= 0 and self.kept >= 1
        require(is_kept, problem, **final, keep_last=self.keep_last, keep_best=self.keep_best)

    @property
    def kept(self) -> int:
        """The number of kept saves, last or best ones, from which the final weights are made."""
        return self.keep_best if self.final_weights.endswith("best") else self.keep_last


@dataclasses.dataclass
class Progress:
    """The state of a run besides the weights and the optimizer."""

    update: int = 0  # number of updates
    tokens: int = 0  # number of target tokens, without padding
    seconds: float = 0.0  # training time over all starts of the run
    evaluations_since_best: int = 0
    scores: dict[int, float] = dataclasses.field(default_factory=dict)  # of evaluated updates whose weights are kept
    saved: list[int] = dataclasses.field(default_factory=list)  # updates whose weights are kept
    last: list[int] = dataclasses.field(default_factory=list)  # those of the last saves among them
    # The last update whose evaluation and save, if they were due, are done. It is less than `update` after an
    # interruption or a failed evaluation.
    completed: int = 0
    ended_by_callback: int | None = None  # the update after which a callback ended the run
    best_update: int | None = None
    best_score: float | None = None
    scored_by: str = ""  # `Evaluation.scoring` of the scores
    best_metrics: dict[str, float] = dataclasses.field(default_factory=dict)  # best value of each metric
    metrics: dict[str, float] = dataclasses.field(default_factory=dict)  # of the last line of the training log
    pending: dict[str, float] = dataclasses.field(default_factory=dict)  # sums since that line
    task_updates: dict[str, int] = dataclasses.field(default_factory=dict)
    task_pending: dict[str, dict[str, float]] = dataclasses.field(default_factory=dict)  # the same sums for each task

    def keep(self, updates: Collection[int]) -> None:
        """Removes the saved updates, and their scores, that are not among `updates`."""
        self.saved = [update for update in self.saved if update in updates]
        self.last = [update for update in self.last if update in updates]
        self.scores = {update: self.scores[update] for update in self.saved if update in self.scores}

    def by_score(self, higher_is_better: bool) -> list[int]:
        """Returns the kept updates with scores, best first; if scores are equal, the earlier update first."""
        sign = -1 if higher_is_better else 1
        return sorted(self.scores, key=lambda update: (sign * self.scores[update], update))


class Checkpoints:
    """Saves and restores a run: its state, the weights of its last saves, and the weights with the best scores.

    The folder holds

    - `state-<update>.h5`: all that a run needs to continue (weights, optimizer, progress), for the last two saves;
    - `update-<update>.weights.h5`: the weights of the last `keep_last` and the best `keep_best` saves, or their
      exponential moving averages if the optimizer keeps averages;
    - `index.json`: `{"last": [updates], "best": [updates, best first], "scores": {update: score}}`.

    Every state has the digest of its content, and gets its name after it has been read back. Only then are files of
    earlier updates removed: all states but the previous one, and the weights that are no longer kept. Files of
    later updates, such as a state that could not be read, stay until the run has passed them. Files are found by their
    names, not by a list or by their times.

    If an update is evaluated, its state is saved before the evaluation, and again with the scores.

    Args:
        folder: Path of the folder, created when needed.
        model: Model.
        optimizer: Optimizer of the model, built.
        keep_last, keep_best: Integers, see `Saving`. Default to 5 and 1.
        higher_is_better: Boolean, whether the higher of two scores is the better one. Defaults to `True`.
        read_only: Boolean, whether to restore and keep `Progress` without writing files, as all workers except the
            chief do. Defaults to `False`.
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
        self.saved_update = 0  # of the state that a new start of the run would restore; 0 is its beginning
        self._damaged: set[int] = set()  # states that could not be read

    def save(self, progress: Progress, score: float | None = None) -> Path:
        """Saves the weights, the state and the index.

        Args:
            progress: The progress of the run, which records the save.
            score: Float, the score of the weights, or `None` if they were not evaluated.

        Returns:
            The path of the state.

        Raises:
            UserError: The disk is full, or writing is not permitted. Earlier saves are unchanged.
        """
        update = progress.update
        if score is not None:
            progress.scores[update] = score
        progress.saved = sorted({*progress.saved, update})
        progress.last = sorted({*progress.last, update})
        progress.last = self._last(progress)
        progress.keep({*progress.last, *self._best(progress)})
        if self.read_only:
            return self.save_state(progress)
        with self._nothing_half_written(update):
            if update in progress.saved:
                with averaged_weights(self.optimizer):
                    write_weights(weights_path(self.folder, update), stored(self.model))
            path = self.save_state(progress)
            self.write_index(progress)
            self._remove_weights(progress)
        return path

    def save_state(self, progress: Progress) -> Path:
        """Saves the state, and no weights that would count as a last or best save. Returns the path of the state.

        So an interrupted run ends with the same final weights as one that was not interrupted.
        """
        path = state_path(self.folder, progress.update)
        if not self.read_only:
            with self._nothing_half_written(progress.update):
                self._write_state(path, progress)
                self._damaged.discard(progress.update)
                self._remove_states(progress.update)
        self.saved_update = progress.update
        return path

    def restore(self, report: Callable[[str], None] = print) -> Progress | None:
        """Restores the newest state that can be read.

        Args:
            report: Function that gets a line for each state that cannot be read, and for missing weights. Defaults to
                `print`.

        Returns:
            The progress, or None if there is no state.

        Raises:
            UserError: The state belongs to another model or optimizer, no state can be read, or a file of the folder
                is not a regular file.
            OSError: The system refuses to read a state. This is not taken for damage.
        """
        if not self.read_only:
            remove_leftovers(self.folder)
        for update in reversed(saved_updates(self.folder, STATE)):
            path = state_path(self.folder, update)
            try:
                progress = _read_progress(path)
            except Exception as error:  # HDF5 raises various errors for damaged files
                if isinstance(error, OSError) and error.errno:
                    raise
                report(f"Cannot read checkpoint {path}: {one_line(error)[:200]}")
                self._damaged.add(update)
                continue
            self._restore_variables(path)
            if not self.read_only:
                self._remove_states(update)
            self._forget_missing(progress, report)  # the chief is here first
            self.saved_update = update
            return progress
        if self._damaged:
            raise UserError(
                "No checkpoint can be read: remove the folder to start again. "
                f"Received: {[str(state_path(self.folder, update)) for update in sorted(self._damaged)]}"
            )
        return None

    def _variables(self) -> dict[str, Any]:
        """Returns the variables of a state by their names in the file."""
        parts = {"model": self.model.weights, "optimizer": self.optimizer.variables}
        return {f"{part}/{number}": variable for part in parts for number, variable in enumerate(parts[part])}

    def _optimizer_name(self) -> str:
        return type(unscaled(self.optimizer)).__name__

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
            stored_arrays: dict[str, Any] = {name: (array.shape, array.dtype) for name, array in arrays(file).items()}
            stored_arrays[PROGRESS] = json.loads(file[PROGRESS][()].tobytes())["optimizer"]
            needed: dict[str, Any] = {name: (tuple(v.shape), _stored_type(v)) for name, v in variables.items()}
            needed[PROGRESS] = self._optimizer_name()
            if stored_arrays != needed:
                name = next(name for name in (*needed, *stored_arrays) if stored_arrays.get(name) != needed.get(name))
                raise UserError(
                    "The checkpoint belongs to another model or optimizer: use the settings it was made with, or "
                    f"another directory. Received: checkpoint={path}, {name}={stored_arrays.get(name)} instead of "
                    f"{needed.get(name)}"
                )
            for name, variable in variables.items():
                variable.assign(file[name][()].view(tf.as_dtype(variable.dtype).as_numpy_dtype))

    @contextlib.contextmanager
    def _nothing_half_written(self, update: int) -> Iterator[None]:
        """Removes incomplete files if the save in its block fails. This makes room on a full disk."""
        try:
            yield
        except OSError as error:
            with contextlib.suppress(OSError):  # for example, the file system has become read-only
                remove_leftovers(self.folder)
            raise UserError(
                f"Update {update} could not be saved; earlier checkpoints are unchanged. Make room on the disk, or "
                f"check the permissions, and start again. Received: folder={self.folder} ({one_line(error)[:200]})"
            ) from error

    def _remove_states(self, update: int) -> None:
        """Removes all states before that of `update`, which has been read back, except the last of them."""
        earlier = [number for number in saved_updates(self.folder, STATE) if number < update]
        whole = [number for number in earlier if number not in self._damaged]
        for number in set(earlier) - set(whole[-1:]):
            state_path(self.folder, number).unlink()

    def _remove_weights(self, progress: Progress) -> None:
        """Removes the weights up to the update of `progress` that are not kept. Its state must have been read back."""
        for number in saved_updates(self.folder, SAVED_WEIGHTS):
            if number <= progress.update and number not in progress.saved:
                weights_path(self.folder, number).unlink()

    def _last(self, progress: Progress) -> list[int]:
        """Returns the last saved updates."""
        return progress.last[-self.keep_last :] if self.keep_last else []

    def _best(self, progress: Progress) -> list[int]:
        """Returns the updates with the best scores."""
        return progress.by_score(self.higher_is_better)[: self.keep_best]

    def write_index(self, progress: Progress) -> None:
        """Writes the index, after a change of the scores."""
        if self.read_only:
            return
        scores = dict(sorted(progress.scores.items()))
        write_json(self.folder / INDEX, {"last": self._last(progress), "best": self._best(progress), "scores": scores})

    def _forget_missing(self, progress: Progress, report: Callable[[str], None]) -> None:
        """Makes the progress agree with the weights on the disk after a restore."""
        if not self.read_only:
            self._remove_weights(progress)
        whole = saved_updates(self.folder, SAVED_WEIGHTS)
        if missing := [str(update) for update in progress.saved if update not in whole]:
            report(f"The weights of update {', '.join(missing)} are missing; the final weights will be without them")
        progress.keep(whole)
        self.write_index(progress)


def _stored_type(variable: Any) -> np.dtype:
    """Returns the type of a variable in a state. HDF5 has no bfloat16 and float8; they are stored as integers."""
    dtype = np.dtype(tf.as_dtype(variable.dtype).as_numpy_dtype)
    return np.dtype(f"u{dtype.itemsize}") if dtype.kind == "V" else dtype


def _read_progress(path: Path) -> Progress:
    """Reads a whole state, and returns its progress. If it is damaged, the error may be of any type."""
    with h5py.File(path, "r", locking=False) as file:
        if not check_digest(file):
            raise ValueError("it has no digest")
        fields = json.loads(file[PROGRESS][()].tobytes())[PROGRESS]
    scores = {int(update): score for update, score in fields["scores"].items()}
    # States from before `last` was kept apart do not have it.
    return Progress(**{"last": fields["saved"], **fields, "scores": scores})


def read_index(folder: Path) -> dict[str, Any]:
    """Reads the index of a folder of checkpoints. Raises a `UserError` if it is missing or damaged."""
    try:
        index = read_json(folder / INDEX, "the index of checkpoints")
    except FileNotFoundError as error:
        raise UserError(f"There are no checkpoints: train first. Received: folder={folder}") from error
    for name in ("last", "best"):
        updates = index.get(name)
        if not isinstance(updates, list) or not all(type(update) is int for update in updates):
            raise UserError(f"The index must have a list {name!r} of updates. Received: {folder / INDEX}")
    return index
