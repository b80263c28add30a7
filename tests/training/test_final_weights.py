"""Averages of checkpoints."""

import h5py
import keras
import numpy as np
import pytest
from training_runs import make_copier

from keras_nmt.cli.info import _parameter_rows
from keras_nmt.errors import UserError
from keras_nmt.files.weights_file import read_weights, write_weights
from keras_nmt.training import Checkpoints, average_checkpoints
from keras_nmt.training.checkpoints import Progress
from keras_nmt.training.final_weights import average_weights


@pytest.fixture
def run(tmp_path):
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


def test_the_average_is_the_mean(run):
    directory, model, weights = run
    for which, number, expected in (("last", 2, [30, 40]), ("last", None, [20, 30, 40]), ("best", 1, [30])):
        assert average_checkpoints(directory, which=which, number=number) == expected
        model.load_weights(directory / "model.weights.h5")
        for found, *values in zip(model.get_weights(), *(weights[update] for update in expected), strict=True):
            np.testing.assert_allclose(found, np.mean(values, 0), rtol=1e-6, atol=1e-7)
    assert average_checkpoints(directory, which="best", output=directory / "mean.weights.h5") == [30, 10]
    assert {path.name for path in directory.iterdir()} == {"checkpoints", "mean.weights.h5", "model.weights.h5"}


def test_missing_or_damaged_checkpoints_are_an_error(tmp_path, run):
    def refused(message, directory=tmp_path, **options):
        with pytest.raises(UserError, match=message):
            average_checkpoints(directory, **options)

    refused("no checkpoints", tmp_path / "elsewhere")
    refused("which='worst'", which="worst")
    refused("number=0", number=0)
    refused(r"mean\.h5", output=tmp_path / "mean.h5")
    for which, kept in {"last": 3, "best": 2}.items():
        refused(f'Only {kept} "{which}" .* average these.*Received: 50$', which=which, number=50)
    (tmp_path / "checkpoints" / "update-40.weights.h5").write_bytes(b"what")
    for number in (1, 2):
        refused("must hold weights, as HDF5: give another, or restore it. Received: .*update-40", number=number)
    for index in ('{"last": 3}', '{"last": ["../x"], "best": []}', "{}"):
        (tmp_path / "checkpoints" / "index.json").write_text(index)
        refused(r"must have a list .* Received: .*index\.json")
    assert not (tmp_path / "model.weights.h5").exists()


def write(path, **arrays):
    with h5py.File(path, "w") as file:
        for name, array in arrays.items():
            file[name] = array
    return path


def test_weights_of_half_precision_have_their_mean_too(tmp_path):
    for dtype in ("bfloat16", "float16"):
        model, files = keras.Sequential([keras.Input((2,)), keras.layers.Dense(3, dtype=dtype)]), []
        for value in (1, 2):
            model.set_weights([np.full(w.shape, value) for w in model.get_weights()])
            files.append(tmp_path / f"{value}.weights.h5")
            write_weights(files[-1], model)
        average_weights(files, tmp_path / "mean.weights.h5")
        read_weights(tmp_path / "mean.weights.h5", model)
        assert {float(x) for weight in model.get_weights() for x in weight.ravel()} == {1.5}
        assert _parameter_rows(tmp_path / "mean.weights.h5")[0] == ("all", "9")


def test_integers_are_those_of_the_last_file_and_a_sum_beyond_the_dtype_has_a_mean(tmp_path):
    files = [
        write(tmp_path / f"{i}.weights.h5", w=np.array([6e4 + 32 * i], "float16"), seed=np.array([4 + 3 * i], "uint32"))
        for i in (0, 2)
    ]
    average_weights(files, tmp_path / "mean.weights.h5")
    with h5py.File(tmp_path / "mean.weights.h5") as file:
        assert (file["w"][()].tolist(), file["seed"][()].tolist()) == ([60032.0], [10])


def test_weights_of_different_models_are_rejected(tmp_path):
    one, other_shape = (write(tmp_path / f"{n}.weights.h5", w=np.zeros(n)) for n in (1, 2))
    other_name = write(tmp_path / "name.weights.h5", v=np.zeros(1))
    for other, message in ((other_shape, "weights of equal shape"), (other_name, "must be of one model")):
        with pytest.raises(UserError, match=message):
            average_weights([one, other], tmp_path / "mean.weights.h5")
    assert not (tmp_path / "mean.weights.h5").exists()
