"""Averages of checkpoints."""

from __future__ import annotations

from pathlib import Path

import h5py
import keras
import numpy as np
import pytest
from training_runs import MakeModel

from keras_nmt.errors import UserError
from keras_nmt.training import Checkpoints, average_checkpoints
from keras_nmt.training.checkpoints import Progress
from keras_nmt.training.final_weights import average_weights


@pytest.fixture
def run(tmp_path: Path, make_copier: MakeModel) -> tuple[Path, keras.Model, dict[int, list[np.ndarray]]]:
    """A model directory with four saves, the model, and its weights at each save."""
    model = make_copier()
    optimizer = keras.optimizers.SGD()
    optimizer.build(model.trainable_variables)
    checkpoints = Checkpoints(tmp_path / "checkpoints", model, optimizer, keep_last=3, keep_best=2)
    progress, weights = Progress(), {}
    for update, score in ((10, 3.0), (20, 1.0), (30, 4.0), (40, 2.0)):
        progress.update = update
        model.set_weights([np.random.RandomState(update).randn(*w.shape) for w in model.get_weights()])
        weights[update] = model.get_weights()
        checkpoints.save(progress, score)
    return tmp_path, model, weights


@pytest.mark.parametrize(
    ("which", "number", "expected"),
    [("last", 1, [40]), ("last", 2, [30, 40]), ("last", None, [20, 30, 40]), ("best", 2, [30, 10]), ("best", 1, [30])],
)
def test_the_average_is_the_mean(run, which: str, number: int | None, expected: list[int]) -> None:
    directory, model, weights = run
    assert average_checkpoints(directory, which=which, number=number) == expected
    model.load_weights(directory / "model.weights.h5")
    for found, *values in zip(model.get_weights(), *(weights[update] for update in expected), strict=True):
        np.testing.assert_allclose(found, np.mean(values, 0), rtol=1e-6, atol=1e-7)
    assert not list(directory.glob(".writing*"))


def test_the_output_file_is_an_option(run) -> None:
    directory = run[0]
    average_checkpoints(directory, output=directory / "mean.weights.h5")
    assert (directory / "mean.weights.h5").exists()
    assert not (directory / "model.weights.h5").exists()
    with pytest.raises(UserError, match=r"mean\.h5"):
        average_checkpoints(directory, output=directory / "mean.h5")


def test_missing_checkpoints_are_an_error(tmp_path: Path, run) -> None:
    with pytest.raises(UserError, match="no checkpoints"):
        average_checkpoints(tmp_path / "elsewhere")
    with pytest.raises(UserError, match="which='worst'"):
        average_checkpoints(run[0], which="worst")
    with pytest.raises(UserError, match="number=0"):
        average_checkpoints(run[0], number=0)
    for which, kept in {"last": 3, "best": 2}.items():
        with pytest.raises(
            UserError, match=f'Only {kept} "{which}" .* average at most {kept}.*keep_{which}.*Received: 50$'
        ):
            average_checkpoints(run[0], which=which, number=50)
    assert not (run[0] / "model.weights.h5").exists()


def test_weights_of_different_models_are_rejected(tmp_path: Path, make_copier: MakeModel) -> None:
    files = []
    for units in (8, 6):
        files.append(tmp_path / f"{units}.weights.h5")
        make_copier(units=units).save_weights(files[-1])
    with pytest.raises(UserError, match="weights of equal shape"):
        average_weights(files, tmp_path / "mean.weights.h5")
    assert not (tmp_path / "mean.weights.h5").exists()


def test_integers_are_taken_from_the_last_checkpoint(tmp_path: Path) -> None:
    files = [tmp_path / f"{i}.weights.h5" for i in (0, 1)]
    for i, path in enumerate(files):
        with h5py.File(path, "w") as file:
            file["w"], file["seed"] = np.array([float(i)]), np.array([4 + 3 * i], "uint32")
    average_weights(files, tmp_path / "mean.weights.h5")
    with h5py.File(tmp_path / "mean.weights.h5") as file:
        assert (file["w"][()].tolist(), file["seed"][()].tolist()) == ([0.5], [7])


def test_missing_weights_are_rejected(tmp_path: Path) -> None:
    files = [tmp_path / f"{name}.weights.h5" for name in "ab"]
    for path in files:
        with h5py.File(path, "w") as file:
            file[path.name] = np.zeros(1)
    with pytest.raises(UserError, match=r"must be of one model. Received: .*a\.weights\.h5"):
        average_weights(files, tmp_path / "mean.weights.h5")


def test_a_sum_beyond_the_dtype_has_a_mean(tmp_path: Path) -> None:
    file = tmp_path / "half.weights.h5"
    with h5py.File(file, "w") as target:
        target["w"] = np.array([60000.0], "float16")
    average_weights([file, file], tmp_path / "mean.weights.h5")
    with h5py.File(tmp_path / "mean.weights.h5") as mean:
        assert mean["w"][()].tolist() == [60000.0]


@pytest.mark.parametrize("number", [1, 2])
def test_weights_in_another_file_are_rejected(tmp_path: Path, number: int) -> None:
    other = tmp_path / "other"
    other.write_bytes(b"12345678")
    files = [tmp_path / f"{i}.weights.h5" for i in (0, 1)]
    for path, external in zip(files, (None, [(str(other), 0, 8)]), strict=True):
        with h5py.File(path, "w") as file:
            dataset = file.create_dataset("w", (2,), "float32", external=external)
            if external is None:
                dataset[...] = 1
    with pytest.raises(UserError, match="must be in the file itself. Received: .*1.weights.h5, w"):
        average_weights(files[-number:], tmp_path / "mean.weights.h5")
    assert other.read_bytes() == b"12345678"
    assert not (tmp_path / "mean.weights.h5").exists()


@pytest.mark.parametrize("index", ['{"last": 3}', '{"last": ["../x"], "best": []}', "{}"])
def test_a_damaged_index_is_an_error_of_one_line(run, index: str) -> None:
    directory, _, _ = run
    (directory / "checkpoints" / "index.json").write_text(index)
    with pytest.raises(UserError, match=r"must have a list .* Received: .*index\.json"):
        average_checkpoints(directory, which="last")


@pytest.mark.parametrize("number", [1, 2])
def test_damaged_weights_are_named(run, number: int) -> None:
    directory, _, _ = run
    (directory / "checkpoints" / "update-40.weights.h5").write_bytes(b"what")
    with pytest.raises(UserError, match=r"cannot be read: restore the file. Received: .*update-40"):
        average_checkpoints(directory, which="last", number=number)
    assert not (directory / "model.weights.h5").exists()
