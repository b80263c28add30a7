"""Files of weights: their content, their digest, and damage."""

import os
import shutil
import subprocess
import sys

import h5py
import keras
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from keras_nmt.errors import UserError
from keras_nmt.files.weights_file import DIGEST, arrays, check_digest, read_weights, write_digest, write_weights
from keras_nmt.training.final_weights import average_weights


@pytest.fixture(scope="module")
def model():
    model = keras.Sequential([keras.Input((64,)), keras.layers.Dense(256)])
    model.compile("adam", "mse")
    model.fit(np.ones((4, 64)), np.ones((4, 256)), verbose=0)
    return model


@pytest.fixture
def path(model, tmp_path):
    write_weights(tmp_path / "model.weights.h5", model)
    return tmp_path / "model.weights.h5"


@pytest.mark.filterwarnings("error::UserWarning")
def test_the_file_has_the_weights_without_the_optimizer(model, path):
    assert path.stat().st_size < 1.5 * 4 * model.count_params()

    weights, slots = model.get_weights(), [v.numpy() for v in model.optimizer.variables]
    model.layers[0].kernel.assign(np.zeros((64, 256)))
    read_weights(path, model)  # the model is compiled, and Keras gives no warning
    for one, other in zip(model.get_weights(), weights, strict=True):
        np.testing.assert_array_equal(one, other)
    for one, other in zip(model.optimizer.variables, slots, strict=True):
        np.testing.assert_array_equal(one, other)
    model.fit(np.ones((4, 64)), np.ones((4, 256)), verbose=0)  # still compiled


@given(data=st.data())
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_damaged_bytes_are_noticed_or_change_no_weight(data, model, path, tmp_path):
    content = bytearray(path.read_bytes())
    read_weights(path, model)
    expected = model.get_weights()
    start = data.draw(st.integers(0, len(content) - 1))
    # Structures, with flags of one bit, are at both ends of the file.
    start = data.draw(st.sampled_from([start, start % 4096, len(content) - 1 - start % 4096]))
    damage = data.draw(st.binary(min_size=1, max_size=20) | st.integers(0, 7).map(lambda i: bytes([1 << i])))
    content[start : start + len(damage)] = damage
    damaged = tmp_path / "damaged.weights.h5"
    damaged.write_bytes(content)
    try:
        read_weights(damaged, model)
    except (OSError, ValueError, KeyError, TypeError, RuntimeError):  # a model directory reports these in one line
        return
    for one, other in zip(model.get_weights(), expected, strict=True):
        np.testing.assert_array_equal(one, other)


def test_changed_numbers_are_noticed(model, path):
    with h5py.File(path, "r+") as file:
        next(iter(arrays(file).values()))[...] += 1e-6
    with pytest.raises(UserError, match=f"The weights are damaged: restore the file. Received: {path}"):
        read_weights(path, model)


def test_numbers_that_are_not_finite_are_rejected(path):
    broken = keras.Sequential([keras.Input((64,)), keras.layers.Dense(256)])
    for value in (np.nan, np.inf):
        broken.layers[0].bias.assign(np.full(256, value))
        write_weights(path, broken)
        with pytest.raises(UserError, match=f"The weights in {path} must be finite.* Received: .*bias"):
            read_weights(path, broken)


def test_weights_without_a_digest_are_loaded_with_a_warning(model, path, tmp_path, caplog):
    read_weights(path, model)
    assert not caplog.messages
    older = tmp_path / "older.weights.h5"
    shutil.copyfile(path, older)
    with h5py.File(older, "r+") as file:
        del file.attrs[DIGEST]
    read_weights(older, model)
    assert caplog.messages == [f"{older} has no digest: damage cannot be noticed."]


def test_arrays_larger_than_the_file_are_rejected(model, tmp_path):
    path = tmp_path / "huge.weights.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("w", (10**12,), "float32", chunks=(2**20,))
    assert path.stat().st_size < 10_000
    with pytest.raises(UserError, match=r"must be in the file itself. Received: .*huge.weights.h5, w"):
        read_weights(path, model)


@pytest.mark.parametrize("number", [1, 2])
def test_averages_have_a_digest_and_reject_damaged_weights(number, model, path, tmp_path):
    other, mean = tmp_path / "other.weights.h5", tmp_path / "mean.weights.h5"
    shutil.copyfile(path, other)
    with h5py.File(other, "r+") as file:
        next(iter(arrays(file).values()))[...] += 1
        write_digest(file)
    average_weights([path, other][-number:], mean)
    assert (mean.read_bytes() == other.read_bytes()) == (number == 1)  # a copy, which is not hashed again
    with h5py.File(mean) as file:
        assert check_digest(file)
    read_weights(mean, model)
    with h5py.File(other, "r+") as file:
        next(iter(arrays(file).values()))[...] += 1
    with pytest.raises(UserError, match=f"The weights are damaged.* Received: {other}"):
        average_weights([path, other][-number:], mean)


LOCKED = """
import fcntl, sys
from keras_nmt.cli.run_app import run_app

def command() -> None:
    import keras
    from keras_nmt.files.weights_file import read_weights, write_weights

    class Locked(keras.Sequential):
        def save_weights(self, path, **options):
            with open(path, "rb+") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                super().save_weights(path, **options)

    model = Locked([keras.Input((2,)), keras.layers.Dense(3)])
    write_weights("a.weights.h5", model)
    with open("a.weights.h5", "rb+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        read_weights("a.weights.h5", model)

sys.argv = ["command"]
"""


# The promise: HDF5 reads its environment once, so each way needs a process of its own, which imports Keras.
@pytest.mark.parametrize("call", ["run_app(command)", pytest.param("command()", marks=pytest.mark.nightly)])
def test_files_are_read_and_written_where_hdf5_gets_no_lock(call, tmp_path):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    environment.pop("HDF5_USE_FILE_LOCKING", None)  # which a command in this process has set
    command = [sys.executable, "-c", LOCKED + call]
    run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    if call == "run_app(command)":
        assert run.returncode == 0, run.stderr
    else:  # the environment is the user's
        assert "UserError: HDF5 cannot lock the file. " in run.stderr
        assert "HDF5_USE_FILE_LOCKING=FALSE. Received: a.weights.h5 (" in run.stderr
    assert not list(tmp_path.glob(".writing-*"))
