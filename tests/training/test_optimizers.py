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


@pytest.mark.parametrize("compiled", [False, pytest.param(True, marks=pytest.mark.slow)])
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
    assert int(optimizer.iterations) == 21
    for name in names:
        np.testing.assert_allclose(variables[name], separate[name], rtol=1e-6, atol=1e-8)


def test_settings_reach_the_optimizer():
    adamw = make_optimizer("adamw", 1e-3, beta_2=0.9, epsilon=1e-6, weight_decay=0.1, clip=2.0)
    assert isinstance(adamw, keras.optimizers.AdamW)
    assert (adamw.beta_2, adamw.epsilon, adamw.weight_decay, adamw.global_clipnorm) == (0.9, 1e-6, 0.1, 2.0)
    sgd = make_optimizer("sgd", 0.5, momentum=0.9)
    assert isinstance(sgd, keras.optimizers.SGD)
    assert (sgd.momentum, float(sgd.learning_rate)) == (0.9, 0.5)
    adam = make_optimizer("adam", NoamSchedule(256, 100))  # the settings of the Transformer
    assert (adam.beta_1, adam.beta_2, adam.epsilon, adam.global_clipnorm) == (0.9, 0.98, 1e-9, None)
    for arguments in ({"name": "adamw"}, {"name": "adam", "weight_decay": 0.1}, {"name": "rmsprop"}):
        with pytest.raises(UserError, match=f"name='{arguments['name']}'"):
            make_optimizer(**arguments)
    with pytest.raises(UserError, match="Received: ema=1.0"):
        make_optimizer(ema=1.0)


def test_schedules_equal_their_formulas_and_serialise():
    noam, root = NoamSchedule(256, 100, scale=2.0), InverseSquareRootSchedule(5e-4, 100)
    for update in (1, 2, 99, 100, 101, 5000):
        expected = 2.0 * 256**-0.5 * min(update**-0.5, update * 100**-1.5)
        np.testing.assert_allclose(noam(update - 1), expected, rtol=1e-5)
        expected = 5e-4 * min(update / 100, (100 / update) ** 0.5)
        np.testing.assert_allclose(root(update - 1), expected, rtol=1e-5)
    for schedule in (noam, root):
        optimizer = keras.optimizers.deserialize(keras.optimizers.serialize(keras.optimizers.Adam(schedule)))
        assert float(optimizer.learning_rate) == float(schedule(0))
        again = keras.optimizers.schedules.deserialize(keras.optimizers.schedules.serialize(schedule))
        assert type(again) is type(schedule)
        assert again.get_config() == schedule.get_config()
        with pytest.raises((ValueError, ZeroDivisionError)):  # and no rate of nothing
            type(schedule)(256, 0)(0)
