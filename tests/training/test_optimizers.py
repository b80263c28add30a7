"""Optimizers and learning-rate schedules; Adam in one operation, which equals Keras' Adam."""

from __future__ import annotations

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_nmt.errors import UserError
from keras_nmt.training import InverseSquareRootSchedule, NoamSchedule, make_optimizer


def train(optimizer: keras.optimizers.Optimizer, is_sparse: bool = False, steps: int = 6) -> list[np.ndarray]:
    """The weights and the optimizer's variables after steps with gradients of all sizes."""
    random = np.random.default_rng(1)
    dense, table = (keras.Variable(random.normal(size=shape).astype("float32")) for shape in ((3, 5), (7, 2)))
    optimizer.build([dense, table])
    update = tf.function(lambda gradient, rows: optimizer.apply([gradient, rows], [dense, table]), autograph=False)
    for step in range(steps):
        values = tf.constant(random.normal(size=(3, 2)), "float32")
        rows = tf.IndexedSlices(values, tf.constant([1, 4, 1]), tf.constant([7, 2]))  # the same row twice
        rows = rows if is_sparse else tf.convert_to_tensor(rows)
        update(tf.constant(10.0 ** (step - 3) * random.normal(size=(3, 5)), "float32"), rows)
    return [np.asarray(variable) for variable in (dense, table, *optimizer.variables)]


@pytest.mark.parametrize("clip", [None, 0.5])
@pytest.mark.parametrize("decay", [None, 0.1])
def test_equals_keras_adam(clip: float | None, decay: float | None) -> None:
    schedule = NoamSchedule(256, 3)
    name = "adam" if decay is None else "adamw"
    fused = make_optimizer(name, schedule, weight_decay=decay, clip=clip)
    options = {"beta_2": 0.98, "epsilon": 1e-9, "global_clipnorm": clip}
    if decay is None:
        keras_own = keras.optimizers.Adam(schedule, **options)
    else:
        keras_own = keras.optimizers.AdamW(schedule, weight_decay=decay, **options)
    # When clipping, Keras counts repeated rows separately: then all gradients are dense, as in `Trainer`.
    for ours, theirs in zip(train(fused, is_sparse=clip is None), train(keras_own), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=2e-6, atol=1e-8)


def test_update_of_a_variable_is_one_operation() -> None:
    variable, optimizer = keras.Variable(np.zeros(4, "float32")), make_optimizer()
    optimizer.build([variable])
    update = tf.function(lambda gradient: optimizer.apply([gradient], [variable]), autograph=False)
    kinds = [node.type for node in update.get_concrete_function(tf.ones(4)).graph.get_operations()]
    assert kinds.count("ResourceApplyAdam") == 1
    assert not {"AssignAddVariableOp", "AssignSubVariableOp"} & set(kinds)


def test_continues_from_a_checkpoint_of_keras_adam(tmp_path) -> None:
    variable = keras.Variable(np.zeros(4, "float32"))
    theirs, ours = keras.optimizers.Adam(), make_optimizer()
    for optimizer in (theirs, ours):
        optimizer.build([variable])
    theirs.apply([tf.range(4.0)], [variable])
    path = tf.train.Checkpoint(optimizer=theirs).save(str(tmp_path / "state"))
    tf.train.Checkpoint(optimizer=ours).restore(path).assert_consumed()
    for restored, saved in zip(ours.variables[2:], theirs.variables[2:], strict=True):
        np.testing.assert_array_equal(restored, saved)


def _adam(gradients: list[np.ndarray], rate: float, beta_1: float, beta_2: float, epsilon: float) -> np.ndarray:
    """A variable that starts at zero after updates by Adam (Kingma and Ba, 2015, algorithm 1; epsilon as in Keras)."""
    m, v, variable = (np.zeros(gradients[0].shape) for _ in range(3))
    for t, g in enumerate(gradients, start=1):
        m, v = beta_1 * m + (1 - beta_1) * g, beta_2 * v + (1 - beta_2) * g**2
        variable -= rate * np.sqrt(1 - beta_2**t) / (1 - beta_1**t) * m / (np.sqrt(v) + epsilon)
    return variable


@pytest.mark.parametrize("compiled", [False, True])
def test_own_updates_train_each_variable_as_its_own_optimizer_does(compiled: bool) -> None:
    """Variables of three tasks in turn, and one variable that the first two tasks share."""
    random, rate = np.random.default_rng(1), 0.01
    names, tasks = "abcs", ("as", "bs", "c")
    variables = {name: keras.Variable(np.zeros((2, 3), "float32"), name=name) for name in names}
    separate = {name: keras.Variable(np.zeros((2, 3), "float32"), name=name) for name in names}
    optimizer, optimizers = make_optimizer("adam", rate), {name: make_optimizer("adam", rate) for name in names}
    optimizer.build(list(variables.values()))
    optimizer.count_own_updates()
    for name in names:
        optimizers[name].build([separate[name]])
    received: dict[str, list[np.ndarray]] = {name: [] for name in names}

    def update(task: str, *gradients: tf.Tensor) -> None:
        optimizer.apply(list(gradients), [variables[name] for name in task])

    updates = {
        task: tf.function(lambda *g, task=task: update(task, *g), autograph=False, jit_compile=compiled or None)
        for task in tasks
    }
    for step in range(21):
        task = tasks[step % 3]
        gradients = [random.normal(size=(2, 3)).astype("float32") for _ in task]
        updates[task](*map(tf.constant, gradients))
        for name, gradient in zip(task, gradients, strict=True):
            optimizers[name].apply([tf.constant(gradient)], [separate[name]])
            received[name].append(gradient)
    assert int(optimizer.iterations) == 21
    for name in names:
        np.testing.assert_allclose(variables[name], separate[name], rtol=1e-6, atol=1e-8)
        expected = _adam(received[name], rate, 0.9, 0.98, 1e-9)
        np.testing.assert_allclose(variables[name], expected, rtol=1e-4, atol=1e-7)


def test_the_first_own_step_of_a_late_task_has_the_size_of_the_rate() -> None:
    early, late = (keras.Variable(np.zeros(3, "float32")) for _ in range(2))
    sizes = {}
    for counts in (True, False):
        optimizer = make_optimizer("adam", 0.01)
        optimizer.build([early, late])
        if counts:
            optimizer.count_own_updates()
        for _ in range(15):
            optimizer.apply([tf.ones(3)], [early])
        late.assign(np.zeros(3))
        optimizer.apply([tf.ones(3)], [late])
        sizes[counts] = float(np.abs(late).max())
    assert sizes[True] == pytest.approx(0.01, rel=1e-5)
    assert sizes[False] < 0.5 * 0.01 or sizes[False] > 1.5 * 0.01


@pytest.mark.parametrize("name", ["_momentums", "_velocities"])
def test_keras_has_the_private_names_of_adam(name: str) -> None:
    optimizer = keras.optimizers.Adam()
    optimizer.build([keras.Variable(np.zeros(2, "float32"))])
    assert hasattr(optimizer, name), (
        f"Keras {keras.__version__} has no Adam.{name}: change FusedAdam._moments in keras_nmt/training/optimizers.py"
    )


def test_adam_has_the_settings_of_the_transformer() -> None:
    config = make_optimizer("adam", NoamSchedule(256, 100)).get_config()
    assert (config["beta_1"], config["beta_2"], config["epsilon"], config["global_clipnorm"]) == (0.9, 0.98, 1e-9, None)


def test_settings_reach_the_optimizer() -> None:
    adamw = make_optimizer("adamw", 1e-3, beta_2=0.9, epsilon=1e-6, weight_decay=0.1, clip=2.0)
    assert isinstance(adamw, keras.optimizers.AdamW)
    assert (adamw.beta_2, adamw.epsilon, adamw.weight_decay, adamw.global_clipnorm) == (0.9, 1e-6, 0.1, 2.0)
    sgd = make_optimizer("sgd", 0.5, momentum=0.9)
    assert isinstance(sgd, keras.optimizers.SGD)
    assert sgd.momentum == 0.9
    assert float(sgd.learning_rate) == 0.5


@pytest.mark.parametrize("arguments", [{"name": "adamw"}, {"name": "adam", "weight_decay": 0.1}, {"name": "rmsprop"}])
def test_contradicting_settings_are_rejected(arguments: dict) -> None:
    with pytest.raises(UserError, match=f"name='{arguments['name']}'"):
        make_optimizer(**arguments)


@pytest.mark.parametrize("update", [1, 2, 99, 100, 101, 5000])
def test_noam_formula(update: int) -> None:
    expected = 2.0 * 256**-0.5 * min(update**-0.5, update * 100**-1.5)
    np.testing.assert_allclose(NoamSchedule(256, 100, scale=2.0)(update - 1), expected, rtol=1e-5)


@pytest.mark.parametrize("update", [1, 2, 99, 100, 101, 5000])
def test_inverse_square_root_formula(update: int) -> None:
    expected = 5e-4 * min(update / 100, (100 / update) ** 0.5)
    np.testing.assert_allclose(InverseSquareRootSchedule(5e-4, 100)(update - 1), expected, rtol=1e-5)


@pytest.mark.parametrize("schedule", [NoamSchedule(256, 100, 0.5), InverseSquareRootSchedule(5e-4, 100)])
def test_serialises(schedule: keras.optimizers.schedules.LearningRateSchedule) -> None:
    optimizer = keras.optimizers.deserialize(keras.optimizers.serialize(keras.optimizers.Adam(schedule)))
    assert float(optimizer.learning_rate) == float(schedule(0))
    again = keras.optimizers.schedules.deserialize(keras.optimizers.schedules.serialize(schedule))
    assert type(again) is type(schedule)
    assert again.get_config() == schedule.get_config()


def test_wrong_numbers_of_steps_are_rejected() -> None:
    with pytest.raises(ValueError, match="warmup_steps=0"):
        NoamSchedule(256, 0)
    with pytest.raises(ValueError, match="warmup_steps=0"):
        InverseSquareRootSchedule(1e-3, 0)
