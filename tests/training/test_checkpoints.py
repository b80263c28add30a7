"""Checkpoints: saving, restoring, and damaged files."""

from __future__ import annotations

import contextlib
import errno
import json
import math
import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import h5py
import keras
import numpy as np
import pytest
import tensorflow as tf
from nasty_names import NAMES
from training_runs import MakeModel

from keras_nmt.errors import UserError
from keras_nmt.files.weights_file import arrays, read_weights, write_digest
from keras_nmt.training import Checkpoints, average_checkpoints, make_strategy
from keras_nmt.training import checkpoints as checkpoints_module
from keras_nmt.training.checkpoints import Progress, weights_path


def make(folder: Path, make_copier: MakeModel, seed: int = 0, **options) -> tuple:
    model = make_copier(dropout=0.1, seed=seed)
    optimizer = keras.optimizers.Adam()
    optimizer.build(model.trainable_variables)
    return model, optimizer, Checkpoints(folder, model, optimizer, **options)


def arrays_of(path: Path) -> dict[str, bytes]:
    with h5py.File(path) as file:
        return {name: array[()].tobytes() for name, array in arrays(file).items()}


def weight_files(folder: Path) -> set[str]:
    return {file.name.split(".")[0] for file in folder.glob("*.weights.h5")}


@pytest.mark.parametrize("replicas", [1, 2])
def test_restores_everything(tmp_path: Path, make_copier: MakeModel, replicas: int) -> None:
    strategy = make_strategy(replicas)
    with strategy.scope():
        model, optimizer, checkpoints = make(tmp_path, make_copier)
    for number, variable in enumerate(model.weights + optimizer.variables):
        variable.assign(tf.cast(tf.fill(variable.shape, number), variable.dtype))
    progress = Progress(update=7, tokens=123, seconds=4.5, best_update=5, best_score=1.5, pending={"loss": 1 / 3})
    checkpoints.save(progress, score=2.5)

    with strategy.scope():
        again, again_optimizer, checkpoints = make(tmp_path, make_copier, seed=1)
    assert checkpoints.restore() == progress
    assert progress.scores == {7: 2.5}
    assert progress.saved == [7]
    # Except states of SeedGenerators: checkpoints do not have them, and the trainer sets them before use.
    for number, variable in enumerate(again.weights + again_optimizer.variables):
        np.testing.assert_array_equal(variable.numpy(), np.full(variable.shape, number))
        copies = strategy.experimental_local_results(variable.value)
        assert len(copies) == replicas
        assert all(np.all(copy.numpy() == number) for copy in copies)


def test_keeps_the_last_and_the_best(tmp_path: Path, make_copier: MakeModel) -> None:
    _, _, checkpoints = make(tmp_path, make_copier, keep_last=2, keep_best=2)
    progress = Progress()
    for update, score in ((1, 5.0), (2, 9.0), (3, 7.0), (4, 7.0), (5, None), (6, 1.0)):
        progress.update = update
        checkpoints.save(progress, score)
    assert weight_files(tmp_path) == {"update-2", "update-3", "update-5", "update-6"}
    index = json.loads((tmp_path / "index.json").read_text())
    assert index == {"last": [5, 6], "best": [2, 3], "scores": {"2": 9.0, "3": 7.0, "6": 1.0}}
    assert {file.stem for file in tmp_path.glob("state-*.h5")} == {"state-5", "state-6"}


def test_lower_can_be_better(tmp_path: Path, make_copier: MakeModel) -> None:
    _, _, checkpoints = make(tmp_path, make_copier, keep_last=1, keep_best=1, higher_is_better=False)
    progress = Progress()
    for update, score in ((1, 5.0), (2, 2.0), (3, 7.0)):
        progress.update = update
        checkpoints.save(progress, score)
    assert weight_files(tmp_path) == {"update-2", "update-3"}


def test_without_last_saves_only_the_best_weights_are_written(
    tmp_path: Path, make_copier: MakeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[str] = []
    monkeypatch.setattr(checkpoints_module, "write_weights", lambda path, model: written.append(path.name))
    _, _, checkpoints = make(tmp_path, make_copier, keep_last=0, keep_best=1)
    progress = Progress()
    for update, score in ((1, 5.0), (2, 4.0), (3, 7.0)):
        progress.update = update
        checkpoints.save(progress, score)
    assert written == ["update-1.weights.h5", "update-3.weights.h5"]
    assert progress.saved == [3]
    assert json.loads((tmp_path / "index.json").read_text())["last"] == []


def test_a_new_score_of_an_update_replaces_its_old_score(tmp_path: Path, make_copier: MakeModel) -> None:
    _, _, checkpoints = make(tmp_path, make_copier)
    progress = Progress(update=1)
    for score in (2.0, 1.0):
        checkpoints.save(progress, score)
    assert progress.scores == {1: 1.0}


def test_restoring_removes_what_a_killed_save_left(tmp_path: Path, make_copier: MakeModel) -> None:
    _, _, checkpoints = make(tmp_path, make_copier, keep_last=1, keep_best=0)
    progress = Progress(update=2)
    checkpoints.save(progress)
    before = set(tmp_path.iterdir())
    # Weights that were dropped, and a state half written; then a file of another program.
    for name in ("update-1.weights.h5", ".writing-12ab.h5", "state-1 (copy).h5"):
        (tmp_path / name).write_bytes(b"what")
    make(tmp_path, make_copier, keep_last=1, keep_best=0)[2].restore()
    assert set(tmp_path.iterdir()) == before | {tmp_path / "state-1 (copy).h5"}


def test_a_truncated_state_falls_back_to_the_previous_state(tmp_path: Path, make_copier: MakeModel) -> None:
    model, _, checkpoints = make(tmp_path, make_copier, keep_last=1, keep_best=0)
    progress = Progress()
    for update in (1, 2):
        progress.update = update
        model.set_weights([np.full(w.shape, update) for w in model.get_weights()])
        checkpoints.save(progress)
    damaged = [tmp_path / "state-2.h5", tmp_path / "update-2.weights.h5"]
    damaged[0].write_bytes(damaged[0].read_bytes()[: damaged[0].stat().st_size // 2])

    model, _, checkpoints = make(tmp_path, make_copier, keep_last=1, keep_best=0)
    reports: list[str] = []
    restored = checkpoints.restore(reports.append)
    assert restored is not None
    assert restored.update == 1
    assert "state-2" in reports[0]
    assert "weights of update 1 are missing" in reports[1]
    assert all(np.all(w == 1) for w in model.get_weights())
    assert restored.saved == []
    assert json.loads((tmp_path / "index.json").read_text()) == {"last": [], "best": [], "scores": {}}
    # What was written after this state stays until the run has passed it.
    for update in (1, 2, 3):
        restored.update = update
        checkpoints.save(restored)
        assert update > 1 or all(path.exists() for path in damaged)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "index.json", "state-2.h5", "state-3.h5", "update-3.weights.h5",
    ]  # fmt: skip


def test_a_damaged_bit_is_noticed_or_changes_nothing(tmp_path: Path, make_copier: MakeModel) -> None:
    model, _, checkpoints = make(tmp_path, make_copier)
    for update in (1, 2):
        model.set_weights([np.full(weight.shape, update) for weight in model.get_weights()])
        checkpoints.save_state(Progress(update=update))
    whole = (tmp_path / "state-2.h5").read_bytes()
    random, restored_from = np.random.default_rng(1), []
    for _ in range(150):
        damaged = bytearray(whole)
        damaged[random.integers(len(whole))] ^= 1 << random.integers(8)
        (tmp_path / "state-2.h5").write_bytes(damaged)
        restored = Checkpoints(tmp_path, model, checkpoints.optimizer, read_only=True).restore(lambda line: None)
        assert restored == Progress(update=restored.update)
        assert all(np.all(weight == restored.update) for weight in model.get_weights())
        restored_from.append(restored.update)
    assert set(restored_from) == {1, 2}


def test_a_damaged_state_does_not_count_as_the_state_before(tmp_path: Path, make_copier: MakeModel) -> None:
    _, _, checkpoints = make(tmp_path, make_copier)
    for update in (1, 2):
        checkpoints.save_state(Progress(update=update))
    (tmp_path / "state-2.h5").write_bytes(b"what")
    _, _, checkpoints = make(tmp_path, make_copier)
    checkpoints.restore(lambda line: None)
    checkpoints.save_state(Progress(update=3))
    assert {path.name for path in tmp_path.glob("state-*")} == {"state-1.h5", "state-3.h5"}


@pytest.mark.parametrize("order", [1, -1])
def test_no_time_counts(tmp_path: Path, make_copier: MakeModel, monkeypatch: pytest.MonkeyPatch, order: int) -> None:
    _, _, checkpoints = make(tmp_path, make_copier, keep_last=1, keep_best=0)
    for update in range(1, 6):
        monkeypatch.setattr(time, "time", lambda update=update: 1e9 + order * 1e5 * update)
        checkpoints.save(Progress(update=update))
        for path in tmp_path.iterdir():
            os.utime(path, (1e9 - order * 1e5 * update,) * 2)
        _, _, checkpoints = make(tmp_path, make_copier, keep_last=1, keep_best=0, seed=1)
        restored = checkpoints.restore()
        assert restored is not None
        assert restored.update == update
    assert {path.name for path in tmp_path.glob("state-*")} == {"state-4.h5", "state-5.h5"}


def test_nothing_is_removed_before_the_new_state_is_read_back(
    tmp_path: Path, make_copier: MakeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, _, checkpoints = make(tmp_path, make_copier, keep_last=1, keep_best=0)
    for update in (1, 2):
        checkpoints.save(Progress(update=update))

    def write_digest_and_lose_a_number(file: h5py.File) -> None:
        write_digest(file)
        file["model/0"][0, 0] += 1

    monkeypatch.setattr(checkpoints_module, "write_digest", write_digest_and_lose_a_number)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(UserError, match="Update 3 could not be saved.*cannot be read back"):
        checkpoints.save_state(Progress(update=3))
    with pytest.raises(UserError, match="Update 2 could not be saved"):
        checkpoints.save_state(Progress(update=2))
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


class Killed(BaseException):
    """The process ends here."""


@contextlib.contextmanager
def killed_at(number: float) -> Iterator[list[str]]:
    """A process that is killed before a change of its files: that change and all later ones do not take place."""
    changes: list[str] = []

    def patched(name: str, change: Callable[..., Any]) -> Callable[..., Any]:
        def perform(*arguments: Any, **options: Any) -> Any:
            if len(changes) >= number:
                raise Killed
            changes.append(name)
            return change(*arguments, **options)

        return perform

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda descriptor: None)  # takes long, and kills need none
        for name in ("open", "replace", "unlink", "fsync", "chmod", "truncate", "posix_fallocate", "mkdir"):
            patch.setattr(os, name, patched(name, getattr(os, name)))
        with contextlib.suppress(Killed):
            yield changes


def test_a_kill_at_any_change_of_a_file_loses_nothing(tmp_path: Path, make_copier: MakeModel) -> None:
    model, _, checkpoints = make(tmp_path / "begun", make_copier, keep_last=2, keep_best=1)

    def go_on(folder: Path, last: int) -> int:
        """Goes on, with a state before and after each evaluation, to update `last`. Returns where it began."""
        checkpoints.folder = folder
        progress = checkpoints.restore() or Progress()
        begin = progress.update
        if begin:
            assert all(np.all(weight == begin) for weight in model.get_weights())
        for update in range(progress.completed + 1, last + 1):
            progress.update = update
            model.set_weights([np.full(weight.shape, update) for weight in model.get_weights()])
            checkpoints.save_state(progress)
            progress.completed = update
            checkpoints.save(progress, score=-float(update))
        return begin

    def content(folder: Path) -> dict[str, Any]:
        return {
            path.name: path.read_bytes() if path.suffix == ".json" else arrays_of(path) for path in folder.iterdir()
        }

    go_on(tmp_path / "begun", 3)
    with killed_at(math.inf) as changes:
        go_on(shutil.copytree(tmp_path / "begun", tmp_path / "whole"), 4)
    expected = content(tmp_path / "whole")
    assert {"replace", "unlink", "fsync"} <= set(changes)
    for number in range(len(changes)):
        folder = shutil.copytree(tmp_path / "begun", tmp_path / "killed")
        with killed_at(number):
            go_on(folder, 4)
        assert len(list(folder.glob("state-*.h5"))) >= 2
        index = checkpoints_module.read_index(folder)
        for update in {*index["last"], *index["best"]}:
            read_weights(weights_path(folder, update), model)
            assert all(np.all(weight == update) for weight in model.get_weights())
        assert go_on(folder, 4) >= 3
        assert content(folder) == expected, f"killed before change {number}, {changes[number]}"
        shutil.rmtree(folder)


@pytest.mark.parametrize("name", NAMES)
def test_a_folder_may_have_any_name(
    tmp_path: Path, make_copier: MakeModel, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    others = [tmp_path / other / "checkpoints" / f"state-{update}.h5" for other in "abd" for update in (1, 2)]
    for path in others:  # of runs whose names a pattern would match
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"another run's")
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)  # takes long
    model, _, checkpoints = make(tmp_path / name / "checkpoints", make_copier)
    for update in (1, 2, 3):
        model.set_weights([np.full(weight.shape, update) for weight in model.get_weights()])
        checkpoints.save(Progress(update=update, saved=[1], last=[1]))
    assert all(path.read_bytes() == b"another run's" for path in others)
    assert {path.name for path in checkpoints.folder.glob("state-*")} == {"state-2.h5", "state-3.h5"}
    model.set_weights([np.zeros(weight.shape) for weight in model.get_weights()])
    restored = checkpoints.restore()
    assert restored is not None
    assert restored.update == 3
    assert all(np.all(weight == 3) for weight in model.get_weights())
    assert average_checkpoints(tmp_path / name) == [1, 3]
    assert sorted(path.name for path in (tmp_path / name).iterdir()) == ["checkpoints", "model.weights.h5"]
    read_weights(tmp_path / name / "model.weights.h5", model)


@pytest.mark.parametrize("name", ["state-1.h5", "state-2.h5", "update-1.weights.h5", "../model.weights.h5"])
@pytest.mark.parametrize("make_other", [os.mkfifo, os.mkdir, lambda path: path.symlink_to("/dev/zero")])
def test_only_regular_files_are_read(
    tmp_path: Path, make_copier: MakeModel, name: str, make_other: Callable[[Path], None]
) -> None:
    folder = tmp_path / "checkpoints"
    model, _, checkpoints = make(folder, make_copier)
    checkpoints.save(Progress(update=1))
    (folder / name).unlink(missing_ok=True)
    make_other(folder / name)
    readers: list[Callable[[], Any]] = [lambda: read_weights(folder / name, model)]
    if "update" in name:
        readers.append(lambda: average_checkpoints(tmp_path))
    if "model" not in name:
        readers.append(make(folder, make_copier)[2].restore)
    for read in readers:
        with pytest.raises(UserError, match=f"must be a regular file.*{name}"):
            read()


def test_a_state_that_the_system_refuses_is_no_damaged_state(
    tmp_path: Path, make_copier: MakeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, _, checkpoints = make(tmp_path, make_copier)
    for update in (1, 2):
        checkpoints.save(Progress(update=update))

    def refuse(path: Path, mode: str, **options: Any) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO), str(path))

    monkeypatch.setattr(h5py, "File", refuse)
    with pytest.raises(OSError, match="state-2.h5"):
        make(tmp_path, make_copier)[2].restore()


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_states_of_half_precision(tmp_path: Path, make_copier: MakeModel, dtype: str) -> None:
    keras.config.set_dtype_policy(dtype)
    model, _, checkpoints = make(tmp_path, make_copier)
    model.set_weights([np.full(weight.shape, 1.5) for weight in model.get_weights()])
    checkpoints.save_state(Progress(update=1))
    model.set_weights([np.zeros(weight.shape) for weight in model.get_weights()])
    checkpoints.restore()
    assert all(np.all(weight == 1.5) for weight in model.get_weights())
    assert dtype in {weight.dtype for weight in model.weights}


def test_truncated_states_only_are_an_error(tmp_path: Path, make_copier: MakeModel) -> None:
    _, _, checkpoints = make(tmp_path, make_copier)
    checkpoints.save(Progress(update=1))
    (tmp_path / "state-1.h5").write_bytes(b"")
    with pytest.raises(UserError, match="No checkpoint can be read"):
        make(tmp_path, make_copier)[2].restore(lambda line: None)


def test_another_model_is_an_error(tmp_path: Path, make_copier: MakeModel) -> None:
    _, _, checkpoints = make(tmp_path, make_copier)
    checkpoints.save(Progress(update=1))
    model = make_copier(units=6)
    optimizer = keras.optimizers.Adam()
    optimizer.build(model.trainable_variables)
    with pytest.raises(UserError, match="another model or optimizer"):
        Checkpoints(tmp_path, model, optimizer).restore()
    model = make_copier(dropout=0.1)
    optimizer = keras.optimizers.SGD(momentum=0.9)
    optimizer.build(model.trainable_variables)
    with pytest.raises(UserError, match="another model or optimizer"):
        Checkpoints(tmp_path, model, optimizer).restore()


def test_nothing_to_restore(tmp_path: Path, make_copier: MakeModel) -> None:
    assert make(tmp_path, make_copier)[2].restore() is None
