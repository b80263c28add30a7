"""Checkpoints of a training run."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import keras
import tensorflow as tf

from keras_nmt.errors import UserError, check_positive, one_line
from keras_nmt.files.atomic_files import remove_leftovers, write_json
from keras_nmt.files.json_file import read_json
from keras_nmt.files.weights_file import write_weights
from keras_nmt.training.averaged_weights import averaged_weights

INDEX = "index.json"
STATE = re.compile(r"state-(\d+)")
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
    # Whether the optimizer corrects the bias by a variable's own updates. Runs of earlier releases go on without.
    own_updates: bool = False
    task_pending: dict[str, dict[str, float]] = dataclasses.field(default_factory=dict)  # such sums of each task


class _ProgressState(tf.train.experimental.PythonState):
    """Carries a `Progress` in a checkpoint, as JSON."""

    def __init__(self) -> None:
        self.value = Progress()

    def serialize(self) -> str:
        return json.dumps(dataclasses.asdict(self.value))

    def deserialize(self, string_value: bytes) -> None:
        fields = json.loads(string_value)
        # Older runs name the field "settled", or lack the field.
        fields.setdefault("completed", fields.pop("settled", fields["update"]))
        fields["scores"] = {int(update): score for update, score in fields["scores"].items()}
        self.value = Progress(**fields)


class Checkpoints:
    """Saves and restores a run: its state, the weights of its last saves, and the weights with the best scores.

    The folder holds

    - `state-<update>`: everything that is needed to go on (weights, optimizer, progress), the last two;
    - `update-<update>.weights.h5`: the weights of the last `keep_last` saves and of the `keep_best` best, or their
      exponential moving averages, where the optimizer keeps averages;
    - `index.json`: `{"last": [updates], "best": [updates, best first], "scores": {update: score}}`.

    Every file gets its name when it is complete, and nothing is removed before its replacement is complete. An
    evaluated update's state is saved before the evaluation, and again with the scores.

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
        self._find_states()
        self._state = _ProgressState()
        self._checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer, progress=self._state)
        self._manager = tf.train.CheckpointManager(
            self._checkpoint, str(self.folder), max_to_keep=2, checkpoint_name="state"
        )

    def _find_states(self) -> None:
        """Writes the list of states, the file `checkpoint`, again where it is lost or wrong.

        A copy or a power cut may have lost the list; or the clock is behind the first start of the run, and TensorFlow
        would then keep all listed states for ever, and this class remove them as leftovers.
        """
        folder = os.path.abspath(self.folder)  # else a new list would be relative to the working directory
        try:
            listed = tf.train.get_checkpoint_state(folder)
        except ValueError:
            listed = None
        matches = [STATE.fullmatch(path.name.removesuffix(".index")) for path in self.folder.glob("state-*.index")]
        updates = sorted(int(match[1]) for match in matches if match)
        # Restoring reads only the paths of the list, so the clock does not matter.
        if listed is not None and (self.read_only or listed.last_preserved_timestamp <= time.time()):
            names = [os.path.relpath(path, folder) for path in listed.all_model_checkpoint_paths]
            if all(map(STATE.fullmatch, names)):  # the manager removes listed files some day, so all must be states
                return
        if listed is None and not updates:
            return
        if self.read_only:
            raise UserError(
                f"The list of checkpoints is lost; the chief writes it again: start again. Received: {self.folder}"
            )
        if not updates:
            (self.folder / "checkpoint").unlink()
            return
        states = [f"state-{update}" for update in updates]
        times = [(self.folder / f"{state}.index").stat().st_mtime for state in states]
        tf.compat.v1.train.update_checkpoint_state(folder, states[-1], states, all_model_checkpoint_timestamps=times)

    def save(self, progress: Progress, score: float | None = None) -> str:
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
        dropped = [saved for saved in progress.saved if saved not in kept]
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
        for saved in dropped:
            weights_path(self.folder, saved).unlink(missing_ok=True)
        return path

    def save_state(self, progress: Progress) -> str:
        """Saves the state alone, without weights that would count among the last or the best.

        A run that is interrupted therefore ends with the same final weights as one that is not.

        Returns:
            The path of the state.
        """
        self._state.value = progress
        if self.read_only:
            return str(self.folder / f"state-{progress.update}")
        with self._nothing_half_written(progress.update):
            return str(self._manager.save(checkpoint_number=progress.update))

    def restore(self, report: Callable[[str], None] = print) -> Progress | None:
        """Restores the newest state that can be read.

        Weights of later updates, which the run will save again, and incomplete files of a killed run are removed.

        Args:
            report: Function that gets a line for each state that cannot be read. Defaults to `print`.

        Returns:
            The progress, or None if there is no state.

        Raises:
            UserError: The state belongs to another model or optimizer, or no state can be read.
        """
        listed = tf.train.get_checkpoint_state(str(self.folder))
        paths = [] if listed is None else list(reversed(listed.all_model_checkpoint_paths))
        if not self.read_only:
            self._remove_leftovers()
        for path in paths:
            try:
                reader = tf.train.load_checkpoint(path)
                for name in reader.get_variable_to_shape_map():
                    reader.get_tensor(name)  # checks its checksum
            except Exception as error:  # a damaged file makes the reader raise various errors
                report(f"Cannot read checkpoint {path}: {one_line(error)[:200]}")
                continue
            try:
                self._checkpoint.restore(path).assert_consumed()
            except (AssertionError, ValueError) as error:
                raise UserError(
                    "The checkpoint is that of another model or optimizer: give the settings it was made with, or "
                    f"another directory. Received: checkpoint={path} ({one_line(error)[:200]})"
                ) from error
            progress = self._state.value
            if not self.read_only:
                self._forget_missing(progress)
            return progress
        if paths:
            raise UserError(
                f"None of the checkpoints can be read; remove the folder to start afresh. Received: {paths}"
            )
        return None

    @contextlib.contextmanager
    def _nothing_half_written(self, update: int) -> Iterator[None]:
        """A block that saves. Where it fails, incomplete files are removed, which makes room on a full disk."""
        try:
            yield
        except (OSError, tf.errors.OpError) as error:
            self._remove_leftovers()
            raise UserError(
                f"Update {update} could not be saved; earlier checkpoints are unchanged. Make room on the disk, or "
                f"check the permissions, and start again. Received: folder={self.folder} ({one_line(error)[:200]})"
            ) from error

    def _remove_leftovers(self) -> None:
        """Removes the files that a process left when it was killed while it saved; no list has them."""
        remove_leftovers(self.folder)
        whole = {Path(path).name for path in self._manager.checkpoints}
        for path in self.folder.glob("state-*"):
            if path.name.split(".")[0] not in whole:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        for path in self.folder.glob("checkpoint.tmp*"):
            path.unlink()

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

    def _forget_missing(self, progress: Progress) -> None:
        """Makes the weights on disk and the progress agree after an older state is restored."""
        for path in self.folder.glob("update-*.weights.h5"):
            match = re.fullmatch(r"update-(\d+)\.weights\.h5", path.name)
            if match and int(match[1]) not in progress.saved:
                path.unlink()
        progress.saved = [update for update in progress.saved if weights_path(self.folder, update).exists()]
        progress.scores = {update: progress.scores[update] for update in progress.saved if update in progress.scores}
        self._write_index(progress)


def began_with_own_updates(folder: Path) -> bool | None:
    """Whether the run in a folder of checkpoints began with `Progress.own_updates`, or None if there is no run."""
    updates = [int(match[1]) for path in folder.glob("state-*.index") if (match := STATE.fullmatch(path.stem))]
    for update in sorted(updates, reverse=True):
        state = _ProgressState()
        with contextlib.suppress(tf.errors.OpError, ValueError):  # damaged; `Checkpoints.restore` reports it
            tf.train.Checkpoint(progress=state).restore(str(folder / f"state-{update}")).expect_partial()
            return state.value.own_updates
    return None


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
