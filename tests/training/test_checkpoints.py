"""Checkpoints: saving, restoring, and damaged files."""

import contextlib
import errno
import json
import math
import os
import shutil

import h5py
import keras
import numpy as np
import pytest
import tensorflow as tf
from nasty_names import NAMES
from one_in import these
from training_runs import make_copier

from keras_nmt.errors import UserError
from keras_nmt.files.checkpoint_files import weights_path
from keras_nmt.files.weights_file import arrays, read_weights, write_digest
from keras_nmt.training import Checkpoints, Evaluation, Saving, average_checkpoints, make_strategy
from keras_nmt.training import checkpoints as checkpoints_module
from keras_nmt.training.checkpoints import Progress
from keras_nmt.training.final_weights import choose_updates


def make(folder, seed=0, optimizer=keras.optimizers.Adam, units=8, **options):
    model, optimizer = make_copier(dropout=0.1, seed=seed, units=units), optimizer()
    optimizer.build(model.trainable_variables)
    return Checkpoints(folder, model, optimizer, **options)


def fill(model, number):
    model.set_weights([np.full(weight.shape, number) for weight in model.get_weights()])


def is_filled(model, number):
    return all(np.all(weight == number) for weight in model.get_weights())


def names_in(folder, pattern="*"):
    return {path.name for path in folder.glob(pattern)}


@pytest.mark.parametrize("replicas", [1, 2])
def test_restores_everything(tmp_path, replicas):
    strategy = make_strategy(replicas)
    with strategy.scope():
        checkpoints = make(tmp_path)
    for number, variable in enumerate(checkpoints.model.weights + checkpoints.optimizer.variables):
        variable.assign(tf.cast(tf.fill(variable.shape, number), variable.dtype))
    progress = Progress(update=7, tokens=123, seconds=4.5, best_update=5, best_score=1.5, pending={"loss": 1 / 3})
    checkpoints.save(progress, score=2.5)
    with strategy.scope():
        again = make(tmp_path, seed=1)
    assert again.restore() == progress
    assert (progress.scores, progress.saved) == ({7: 2.5}, [7])
    # Except states of SeedGenerators: checkpoints do not have them, and the trainer sets them before use.
    for number, variable in enumerate(again.model.weights + again.optimizer.variables):
        copies = strategy.experimental_local_results(variable.value)
        assert len(copies) == replicas
        assert all(np.all(copy.numpy() == number) for copy in copies)


def test_keeps_the_last_and_the_best(tmp_path):
    checkpoints, progress = make(tmp_path, keep_last=2, keep_best=2), Progress()
    for update, score in ((1, 5.0), (2, 9.0), (3, 7.0), (4, 7.0), (5, None), (6, 1.0)):
        progress.update = update
        checkpoints.save(progress, score)
    kept = {f"update-{update}.weights.h5" for update in (2, 3, 5, 6)}
    assert names_in(tmp_path) == {*kept, "index.json", "state-5.h5", "state-6.h5"}
    index = json.loads((tmp_path / "index.json").read_text())
    assert index == {"last": [5, 6], "best": [2, 3], "scores": {"2": 9.0, "3": 7.0, "6": 1.0}}
    lower = make(tmp_path / "lower", keep_last=1, keep_best=1, higher_is_better=False)
    progress = Progress()
    for update, score in ((1, 5.0), (2, 2.0), (3, 7.0)):
        progress.update = update
        lower.save(progress, score)
    assert names_in(lower.folder, "update-*") == {"update-2.weights.h5", "update-3.weights.h5"}
    # A best save is no last save where more are kept later.
    more = make(tmp_path, keep_last=5, keep_best=2)
    progress = more.restore()
    assert (progress.saved, progress.last) == ([2, 3, 5, 6], [5, 6])
    evaluation = Evaluation(evaluate=dict, every=1)
    assert choose_updates(Saving(keep_last=5, final_weights="average_best"), progress, evaluation) == [2]
    assert choose_updates(Saving(keep_last=5), progress, None) == [5, 6]


def test_without_last_saves_only_the_best_weights_are_written(tmp_path, monkeypatch):
    written = []
    monkeypatch.setattr(checkpoints_module, "write_weights", lambda path, model: written.append(path.name))
    checkpoints, progress = make(tmp_path, keep_last=0, keep_best=1), Progress()
    for update, score in ((1, 5.0), (2, 4.0), (3, 7.0), (3, 6.0)):  # a new score replaces the old one
        progress.update = update
        checkpoints.save(progress, score)
    assert written == ["update-1.weights.h5", *["update-3.weights.h5"] * 2]
    assert (progress.saved, progress.scores) == ([3], {3: 6.0})
    assert json.loads((tmp_path / "index.json").read_text())["last"] == []


def test_restoring_removes_what_a_killed_save_left(tmp_path):
    make(tmp_path, keep_last=1, keep_best=0).save(Progress(update=2))
    before = names_in(tmp_path)
    # Weights that were dropped, and a state half written; then a file of another program.
    for name in ("update-1.weights.h5", ".writing-12ab.h5", "state-1 (copy).h5"):
        (tmp_path / name).write_bytes(b"what")
    make(tmp_path, keep_last=1, keep_best=0).restore()
    assert names_in(tmp_path) == before | {"state-1 (copy).h5"}


def flip_a_bit(content):
    at = content.index(np.full(8, 2, "float32").tobytes())
    return content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]


@pytest.mark.parametrize("damage", [lambda content: content[: len(content) // 2], flip_a_bit, lambda content: b"what"])
def test_a_damaged_state_falls_back_to_the_previous_state(tmp_path, damage):
    checkpoints, progress = make(tmp_path, keep_last=1, keep_best=0), Progress()
    for update in (1, 2):
        progress.update = update
        fill(checkpoints.model, update)
        checkpoints.save(progress)
    damaged = [tmp_path / "state-2.h5", tmp_path / "update-2.weights.h5"]
    damaged[0].write_bytes(damage(damaged[0].read_bytes()))

    checkpoints, reports = make(tmp_path, keep_last=1, keep_best=0), []
    restored = checkpoints.restore(reports.append)
    assert restored.update == 1
    assert "state-2" in reports[0]
    assert "weights of update 1 are missing" in reports[1]
    assert is_filled(checkpoints.model, 1)
    assert restored.saved == []
    assert json.loads((tmp_path / "index.json").read_text()) == {"last": [], "best": [], "scores": {}}
    # What was written after this state stays until the run has passed it.
    for update in (1, 2, 3):
        restored.update = update
        checkpoints.save(restored)
        assert update > 1 or all(path.exists() for path in damaged)
    assert names_in(tmp_path) == {"index.json", "state-2.h5", "state-3.h5", "update-3.weights.h5"}


def test_a_damaged_state_does_not_count_as_the_state_before(tmp_path):
    checkpoints = make(tmp_path)
    for update in (1, 2):
        checkpoints.save_state(Progress(update=update))
    (tmp_path / "state-2.h5").write_bytes(b"what")
    checkpoints = make(tmp_path)
    checkpoints.restore(lambda line: None)
    checkpoints.save_state(Progress(update=3))
    assert names_in(tmp_path, "state-*") == {"state-1.h5", "state-3.h5"}
    for path in tmp_path.glob("state-*"):
        path.write_bytes(b"")
    with pytest.raises(UserError, match="No checkpoint can be read"):
        make(tmp_path).restore(lambda line: None)


def test_nothing_is_removed_before_the_new_state_is_read_back(tmp_path, monkeypatch):
    checkpoints = make(tmp_path, keep_last=1, keep_best=0)
    for update in (1, 2):
        checkpoints.save(Progress(update=update))

    def write_digest_and_lose_a_number(file):
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
def killed_at(number):
    """A process that is killed before a change of its files: that change and all later ones do not take place."""
    changes = []

    def patched(name, change):
        def perform(*arguments, **options):
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


@pytest.mark.slow
def test_a_kill_at_any_change_of_a_file_loses_nothing(tmp_path):
    checkpoints = make(tmp_path / "begun", keep_last=2, keep_best=1)
    model = checkpoints.model

    def go_on(folder, last):
        """Goes on, with a state before and after each evaluation, to update `last`. Returns where it began."""
        checkpoints.folder = folder
        progress = checkpoints.restore() or Progress()
        begin = progress.update
        assert not begin or is_filled(model, begin)
        for update in range(progress.completed + 1, last + 1):
            progress.update = update
            fill(model, update)
            checkpoints.save_state(progress)
            progress.completed = update
            checkpoints.save(progress, score=-float(update))
        return begin

    def content(path):
        if path.suffix == ".json":
            return path.read_bytes()
        with h5py.File(path) as file:
            return {name: array[()].tobytes() for name, array in arrays(file).items()}

    go_on(tmp_path / "begun", 3)
    with killed_at(math.inf) as changes:
        go_on(shutil.copytree(tmp_path / "begun", tmp_path / "whole"), 4)
    expected = {path.name: content(path) for path in (tmp_path / "whole").iterdir()}
    assert {"replace", "unlink", "fsync"} <= set(changes)
    for number in range(len(changes)):
        folder = shutil.copytree(tmp_path / "begun", tmp_path / "killed")
        with killed_at(number):
            go_on(folder, 4)
        assert len(names_in(folder, "state-*.h5")) >= 2
        index = checkpoints_module.read_index(folder)
        for update in {*index["last"], *index["best"]}:
            read_weights(weights_path(folder, update), model)
            assert is_filled(model, update)
        assert go_on(folder, 4) >= 3
        found = {path.name: content(path) for path in folder.iterdir()}
        assert found == expected, f"killed before change {number}, {changes[number]}"
        shutil.rmtree(folder)


@pytest.mark.parametrize("name", these([1], NAMES, ascii))
def test_a_folder_may_have_any_name(tmp_path, monkeypatch, name):
    others = [tmp_path / other / "checkpoints" / f"state-{update}.h5" for other in "abd" for update in (1, 2)]
    for path in others:  # of runs whose names a pattern would match
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"another run's")
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)  # takes long
    checkpoints = make(tmp_path / name / "checkpoints")
    for update in (1, 2, 3):
        fill(checkpoints.model, update)
        checkpoints.save(Progress(update=update, saved=[1], last=[1]))
    assert all(path.read_bytes() == b"another run's" for path in others)
    assert names_in(checkpoints.folder, "state-*") == {"state-2.h5", "state-3.h5"}
    fill(checkpoints.model, 0)
    assert checkpoints.restore().update == 3
    assert is_filled(checkpoints.model, 3)
    assert average_checkpoints(tmp_path / name) == [1, 3]
    assert names_in(tmp_path / name) == {"checkpoints", "model.weights.h5"}
    read_weights(tmp_path / name / "model.weights.h5", checkpoints.model)


@pytest.mark.parametrize(
    ("name", "make_other"),
    [
        ("state-1.h5", os.mkfifo),
        ("state-2.h5", os.mkdir),
        ("update-1.weights.h5", lambda path: path.symlink_to("/dev/zero")),
        ("../model.weights.h5", os.mkfifo),
    ],
)
def test_only_regular_files_are_read(tmp_path, name, make_other):
    folder = tmp_path / "checkpoints"
    checkpoints = make(folder)
    checkpoints.save(Progress(update=1))
    (folder / name).unlink(missing_ok=True)
    make_other(folder / name)
    readers = [lambda: read_weights(folder / name, checkpoints.model)]
    if "update" in name:
        readers.append(lambda: average_checkpoints(tmp_path))
    if "model" not in name:
        readers.append(checkpoints.restore)
    for read in readers:
        with pytest.raises(UserError, match=f"must be a regular file.*{name}"):
            read()


def test_a_state_that_the_system_refuses_is_no_damaged_state(tmp_path, monkeypatch):
    checkpoints = make(tmp_path)
    for update in (1, 2):
        checkpoints.save(Progress(update=update))

    def refuse(path, mode, **options):
        raise OSError(errno.EIO, os.strerror(errno.EIO), str(path))

    monkeypatch.setattr(h5py, "File", refuse)
    with pytest.raises(OSError, match="state-2.h5"):
        checkpoints.restore()


def test_states_of_half_precision(tmp_path):
    for dtype in ("bfloat16", "float16"):
        keras.config.set_dtype_policy(dtype)
        checkpoints = make(tmp_path / dtype)
        fill(checkpoints.model, 1.5)
        checkpoints.save_state(Progress(update=1))
        fill(checkpoints.model, 0)
        checkpoints.restore()
        assert is_filled(checkpoints.model, 1.5)
        assert dtype in {weight.dtype for weight in checkpoints.model.weights}


def test_another_model_or_optimizer_is_an_error(tmp_path):
    def with_ema():
        return keras.optimizers.Adam(use_ema=True)

    assert make(tmp_path).restore() is None
    make(tmp_path).save(Progress(update=1))
    make(tmp_path / "ema", optimizer=with_ema).save(Progress(update=1))
    others = [make(tmp_path, units=6), make(tmp_path, optimizer=lambda: keras.optimizers.SGD(momentum=0.9))]
    # An average neither begins nor ends in the middle of a run.
    for other in (*others, make(tmp_path, optimizer=with_ema), make(tmp_path / "ema")):
        with pytest.raises(UserError, match="another model or optimizer"):
            other.restore()
