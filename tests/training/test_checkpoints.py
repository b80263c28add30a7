"""Checkpoints: saving, restoring, and damaged files."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_nmt.errors import UserError
from keras_nmt.training import Checkpoints, make_strategy
from keras_nmt.training import checkpoints as checkpoints_module
from keras_nmt.training.checkpoints import Progress


def make(folder: Path, make_model: Callable[..., keras.Model], seed: int = 0, **options) -> tuple:
    model = make_model(dropout=0.1, seed=seed)
    optimizer = keras.optimizers.Adam()
    optimizer.build(model.trainable_variables)
    return model, optimizer, Checkpoints(folder, model, optimizer, **options)


@pytest.fixture(params=["absolute", "relative"])
def folder(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / "run" if request.param == "absolute" else Path("run")


def weight_files(folder: Path) -> set[str]:
    return {file.name.split(".")[0] for file in folder.glob("*.weights.h5")}


@pytest.mark.parametrize("replicas", [1, 2])
def test_restores_everything(tmp_path: Path, make_model: Callable[..., keras.Model], replicas: int) -> None:
    strategy = make_strategy(replicas)
    with strategy.scope():
        model, optimizer, checkpoints = make(tmp_path, make_model)
    for number, variable in enumerate(model.weights + optimizer.variables):
        variable.assign(tf.cast(tf.fill(variable.shape, number), variable.dtype))
    progress = Progress(update=7, tokens=123, seconds=4.5, best_update=5, best_score=1.5, pending={"loss": 1 / 3})
    checkpoints.save(progress, score=2.5)

    with strategy.scope():
        again, again_optimizer, checkpoints = make(tmp_path, make_model, seed=1)
    assert checkpoints.restore() == progress
    assert progress.scores == {7: 2.5}
    assert progress.saved == [7]
    # Except states of SeedGenerators: checkpoints do not have them, and the trainer sets them before use.
    for number, variable in enumerate(again.weights + again_optimizer.variables):
        np.testing.assert_array_equal(variable.numpy(), np.full(variable.shape, number))
        copies = strategy.experimental_local_results(variable.value)
        assert len(copies) == replicas
        assert all(np.all(copy.numpy() == number) for copy in copies)


def test_keeps_the_last_and_the_best(tmp_path: Path, make_model: Callable[..., keras.Model]) -> None:
    _, _, checkpoints = make(tmp_path, make_model, keep_last=2, keep_best=2)
    progress = Progress()
    for update, score in ((1, 5.0), (2, 9.0), (3, 7.0), (4, 7.0), (5, None), (6, 1.0)):
        progress.update = update
        checkpoints.save(progress, score)
    assert weight_files(tmp_path) == {"update-2", "update-3", "update-5", "update-6"}
    index = json.loads((tmp_path / "index.json").read_text())
    assert index == {"last": [5, 6], "best": [2, 3], "scores": {"2": 9.0, "3": 7.0, "6": 1.0}}
    assert {file.stem for file in tmp_path.glob("state-*.index")} == {"state-5", "state-6"}


def test_lower_can_be_better(tmp_path: Path, make_model: Callable[..., keras.Model]) -> None:
    _, _, checkpoints = make(tmp_path, make_model, keep_last=1, keep_best=1, higher_is_better=False)
    progress = Progress()
    for update, score in ((1, 5.0), (2, 2.0), (3, 7.0)):
        progress.update = update
        checkpoints.save(progress, score)
    assert weight_files(tmp_path) == {"update-2", "update-3"}


def test_without_last_saves_only_the_best_weights_are_written(
    tmp_path: Path, make_model: Callable[..., keras.Model], monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[str] = []
    monkeypatch.setattr(checkpoints_module, "write_weights", lambda path, model: written.append(path.name))
    _, _, checkpoints = make(tmp_path, make_model, keep_last=0, keep_best=1)
    progress = Progress()
    for update, score in ((1, 5.0), (2, 4.0), (3, 7.0)):
        progress.update = update
        checkpoints.save(progress, score)
    assert written == ["update-1.weights.h5", "update-3.weights.h5"]
    assert progress.saved == [3]
    assert json.loads((tmp_path / "index.json").read_text())["last"] == []


def test_a_new_score_of_an_update_replaces_its_old_score(
    tmp_path: Path, make_model: Callable[..., keras.Model]
) -> None:
    _, _, checkpoints = make(tmp_path, make_model)
    progress = Progress(update=1)
    for score in (2.0, 1.0):
        checkpoints.save(progress, score)
    assert progress.scores == {1: 1.0}


def test_restoring_removes_what_a_killed_save_left(tmp_path: Path, make_model: Callable[..., keras.Model]) -> None:
    _, _, checkpoints = make(tmp_path, make_model, keep_last=1, keep_best=0)
    progress = Progress(update=2)
    checkpoints.save(progress)
    before = set(tmp_path.iterdir())
    # Weights that were dropped or not saved yet, a state without its index, and the list of states half written.
    for name in ("update-1.weights.h5", "update-3.weights.h5", "state-3.data-00000-of-00001", "checkpoint.tmp12ab"):
        (tmp_path / name).write_bytes(b"what")
    (tmp_path / "state-3_temp").mkdir()
    make(tmp_path, make_model, keep_last=1, keep_best=0)[2].restore()
    assert set(tmp_path.iterdir()) == before


def test_a_truncated_state_falls_back_to_the_previous_state(
    tmp_path: Path, make_model: Callable[..., keras.Model]
) -> None:
    model, _, checkpoints = make(tmp_path, make_model, keep_last=1, keep_best=0)
    progress = Progress()
    for update in (1, 2):
        progress.update = update
        model.set_weights([np.full(w.shape, update) for w in model.get_weights()])
        checkpoints.save(progress)
    data = next(tmp_path.glob("state-2.data*"))
    data.write_bytes(data.read_bytes()[: data.stat().st_size // 2])

    model, _, checkpoints = make(tmp_path, make_model, keep_last=1, keep_best=0)
    reports: list[str] = []
    restored = checkpoints.restore(reports.append)
    assert restored is not None
    assert restored.update == 1
    assert "state-2" in reports[0]
    assert all(np.all(w == 1) for w in model.get_weights())
    assert weight_files(tmp_path) == set()
    assert restored.saved == []
    assert json.loads((tmp_path / "index.json").read_text()) == {"last": [], "best": [], "scores": {}}


@pytest.mark.parametrize("damage", [None, b"", b"model_checkpoint_path: what?"])
def test_states_are_found_without_their_list(
    folder: Path, make_model: Callable[..., keras.Model], damage: bytes | None
) -> None:
    _, _, checkpoints = make(folder, make_model)
    for update in (9, 10):
        checkpoints.save(Progress(update=update))
    (folder / "checkpoint").unlink()
    if damage is not None:
        (folder / "checkpoint").write_bytes(damage)
    with pytest.raises(UserError, match="The list of checkpoints is lost"):
        make(folder, make_model, read_only=True)
    _, _, checkpoints = make(folder, make_model, seed=1)
    restored = checkpoints.restore()
    assert restored is not None
    assert restored.update == 10
    assert len(list(folder.glob("state-*.index"))) == 2


@pytest.mark.parametrize("read_only", [False, True])
def test_a_clock_that_was_set_back_loses_no_state(
    folder: Path, make_model: Callable[..., keras.Model], monkeypatch: pytest.MonkeyPatch, read_only: bool
) -> None:
    _, _, checkpoints = make(folder, make_model)
    for update in (9, 10):
        checkpoints.save(Progress(update=update))
    yesterday = time.time() - 86_400
    monkeypatch.setattr(time, "time", lambda: yesterday)
    model, _, checkpoints = make(folder, make_model, seed=1, read_only=read_only)
    restored = checkpoints.restore()
    assert restored is not None
    assert restored.update == 10
    assert len(list(folder.glob("state-*.index"))) == 2
    if not read_only:
        checkpoints.save(Progress(update=11))
        assert {path.name for path in folder.glob("state-*.index")} == {"state-10.index", "state-11.index"}


def test_states_of_other_runs_are_not_listed(tmp_path: Path, make_model: Callable[..., keras.Model]) -> None:
    """TensorFlow would remove listed states once newer states exist."""
    _, _, checkpoints = make(tmp_path / "other", make_model)
    checkpoints.save(Progress(update=1))
    _, _, checkpoints = make(tmp_path / "run", make_model)
    checkpoints.save(Progress(update=5))
    other, own = str(tmp_path / "other" / "state-1"), str(tmp_path / "run" / "state-5")
    for names in ([other, own], [other]):
        tf.compat.v1.train.update_checkpoint_state(
            str(tmp_path / "run"), names[-1], names, all_model_checkpoint_timestamps=[2.0] * len(names)
        )
        _, _, checkpoints = make(tmp_path / "run", make_model)
        restored = checkpoints.restore()
        if own in names:
            assert restored is not None
            assert restored.update == 5
        else:
            assert restored is None
        for update in (6, 7, 8):
            checkpoints.save(Progress(update=update))
        assert (tmp_path / "other" / "state-1.index").is_file()
        for path in (tmp_path / "run").glob("state-*"):
            path.unlink()


def test_truncated_states_only_are_an_error(tmp_path: Path, make_model: Callable[..., keras.Model]) -> None:
    _, _, checkpoints = make(tmp_path, make_model)
    checkpoints.save(Progress(update=1))
    next(tmp_path.glob("state-1.data*")).write_bytes(b"")
    with pytest.raises(UserError, match="None of the checkpoints"):
        make(tmp_path, make_model)[2].restore(lambda line: None)


def test_another_model_is_an_error(tmp_path: Path, make_model: Callable[..., keras.Model]) -> None:
    _, _, checkpoints = make(tmp_path, make_model)
    checkpoints.save(Progress(update=1))
    model = make_model(units=6)
    optimizer = keras.optimizers.Adam()
    optimizer.build(model.trainable_variables)
    with pytest.raises(UserError, match="another model or optimizer"):
        Checkpoints(tmp_path, model, optimizer).restore()
    model = make_model(dropout=0.1)
    optimizer = keras.optimizers.SGD(momentum=0.9)
    optimizer.build(model.trainable_variables)
    with pytest.raises(UserError, match="another model or optimizer"):
        Checkpoints(tmp_path, model, optimizer).restore()


def test_nothing_to_restore(tmp_path: Path, make_model: Callable[..., keras.Model]) -> None:
    assert make(tmp_path, make_model)[2].restore() is None
