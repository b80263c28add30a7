"""Training on several tasks in turn, and the order of the tasks."""

from __future__ import annotations

import itertools
import math

import keras
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from training_runs import (
    Kill,
    Languages,
    Recorder,
    assert_same,
    batches_of,
    copies,
    events_of,
    log_of,
    losses_of,
    trainer_of,
    values_of,
)

from keras_nmt.errors import UserError
from keras_nmt.training import LabelSmoothedCrossEntropy, Task, TaskSchedule, make_optimizer, make_strategy
from keras_nmt.training.checkpoints import Progress

PAIRS = ("a-b", "b-c", "c-a")
EQUAL = dict.fromkeys(PAIRS, 1.0)


@pytest.fixture(scope="module")
def data():
    """The task of copying random sentences, with other sentences for each pair."""
    corpora = enumerate(copies(seed, longest=7, number=50 + seed) for seed in range(3))
    return {PAIRS[i]: batches_of(corpus, 8, length_buckets=[4, 8], seed=i + 1) for i, corpus in corpora}


@pytest.fixture
def make_trainer(tmp_path, data):
    """Makes a trainer of `Languages` and of tasks with these weights, in the folder `name`."""

    def adam():
        return make_optimizer("adam", 0.01, clip=0.5)

    def make(name="run", *, weights=EQUAL, replicas=1, dropout=0.0, seed=0, frozen=(), optimizer=adam, **options):
        strategy = make_strategy(replicas)
        with strategy.scope():
            model = Languages(dropout, seed)
            for layer in model._flatten_layers():
                layer.trainable = layer.name not in frozen
            tasks = [
                Task(name=pair, model=model.pair(pair), data=data[pair], weight=weight)
                for pair, weight in weights.items()
            ]
            options = {"max_updates": 6, "strategy": strategy, **options}
            return trainer_of(model, tasks, tmp_path / name, optimizer=optimizer(), **options)

    return make


def test_tasks_take_turns_by_weight_and_change_only_their_own_variables(make_trainer):
    recorder = Recorder()
    options = {"log_every": 6, "normalize_by": "sentences", "tensorboard": True, "callbacks": [recorder]}
    trainer = make_trainer(weights={"a-b": 2.0, "b-c": 1.0}, frozen=["encoder_a"], **options)
    encoder = trainer.model.encoders["a"].get_weights()
    trainer.train()
    own = {name: {v.path for v in task.model.trainable_variables} for name, task in trainer.tasks.items()}
    assert {len(paths) for paths in own.values()} == {5, 6}  # bridge, decoder, output, and the encoder of b
    names = turns(TaskSchedule({"a-b": 2.0, "b-c": 1.0}), 6)
    for name, (before, after) in zip(names, itertools.pairwise(recorder.weights), strict=True):
        assert {path for path in before if not np.array_equal(before[path], after[path])} == own[name]
    assert_same(encoder, trainer.model.encoders["a"].get_weights())
    assert trainer.num_traces == 2
    assert int(trainer.optimizer.iterations) == 6
    assert trainer.progress.task_updates == {"a-b": 4, "b-c": 2}
    # Adam counts the updates of each variable.
    counts = zip(trainer.model.trainable_variables, trainer.optimizer._own_updates, strict=True)
    for variable, count in counts:
        assert int(count) == sum({"a-b": 4, "b-c": 2}[name] for name in own if variable.path in own[name])
    (line,) = log_of(trainer)
    assert set(line["task_loss"]) == {"a-b", "b-c"}
    assert min(line["task_loss"].values()) < line["loss"] < max(line["task_loss"].values())
    tags = {tag for tag, _, _ in events_of(trainer.directory / "tensorboard")}
    assert {"loss", "task_loss/a-b", "task_loss/b-c"} <= tags


@pytest.mark.slow
def test_every_loss_is_the_loss_of_the_tasks_next_batch(make_trainer, data):
    # Weights do not change; the extra loss of a layer that all tasks share covers the task's sentences only.
    weights = dict.fromkeys(PAIRS[:2], 1.0)
    trainer = make_trainer(weights=weights, optimizer=lambda: make_optimizer("sgd", 0.0), normalize_by="sentences")
    trainer.train()
    for number, line in enumerate(log_of(trainer)):
        name = PAIRS[number % 2]
        batch = next(iter(data[name].dataset(number // 2)))
        model, targets = trainer.tasks[name].model, batch["target_output"]
        loss, _ = LabelSmoothedCrossEntropy(0.1).terms(targets, model([batch["source"], batch["target_input"]]))
        extra_loss = sum(float(x) for x in model.losses)
        np.testing.assert_allclose(line["extra_loss"], extra_loss, rtol=1e-5)
        sentences = np.sum(targets.numpy()[:, 0] != 0)
        np.testing.assert_allclose(line["loss"], loss.numpy().sum() / sentences + extra_loss, rtol=1e-5)
        assert line["task_loss"] == {name: line["loss"]}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("clip", "split"),
    [("global_clipnorm", {"accumulation_steps": 2, "jit_compile": True}), ("clipnorm", {"replicas": 2})],
)
def test_the_split_of_a_batch_does_not_matter(make_trainer, clip, split):
    results = []
    for number, options in enumerate(({}, split)):
        options |= {"optimizer": lambda: keras.optimizers.SGD(0.5, **{clip: 0.05})}
        trainer = make_trainer(str(number), weights={"a-b": 1.0, "b-c": 2.0}, **options)
        trainer.train()
        assert trainer.num_traces == 2
        assert trainer.progress.task_updates == {"a-b": 2, "b-c": 4}
        results.append((losses_of(trainer), trainer.model.get_weights()))
    np.testing.assert_allclose(results[0][0], results[1][0], rtol=1e-4)
    for ours, theirs in zip(results[0][1], results[1][1], strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-5)


# Stopping and starting again.


@pytest.mark.slow
def test_a_stopped_run_equals_an_uninterrupted_run(make_trainer):
    options = {
        "weights": {"a-b": 2.0, "b-c": 1.0},
        "dropout": 0.2,
        "accumulation_steps": 2,
        "max_updates": 12,
        "log_every": 4,  # a line covers updates from before and after the stop
        "save_every": 3,
    }
    whole = make_trainer("whole", **options)
    whole.train()
    assert whole.progress.task_updates == {"a-b": 8, "b-c": 4}
    with pytest.raises(RuntimeError, match="crash"):
        make_trainer("stopped", callbacks=[Kill(7, None)], **options).train()  # continues from update 6
    again = make_trainer("stopped", seed=9, **options)
    again.train()
    assert again.progress.task_updates == whole.progress.task_updates
    assert_same(values_of(whole), values_of(again))
    assert log_of(whole) == log_of(again)


# Errors.


@pytest.mark.slow
def test_an_update_that_is_not_finite_names_the_task_and_its_lines(make_trainer, data):
    # The fourth update makes the weights of its task infinite; the task's next update is the seventh.
    trainer = make_trainer(
        optimizer=lambda: keras.optimizers.SGD(keras.optimizers.schedules.PiecewiseConstantDecay([2], [0.01, 1e38])),
        log_every=100,
        max_updates=9,
    )
    with pytest.raises(UserError, match="update 7 of task 'a-b'") as error:
        trainer.train()
    lines = next(iter(data["a-b"].dataset(2)))["line_numbers"].numpy()
    assert f"line numbers {', '.join(map(str, sorted(lines[lines >= 0])))}, counted" in str(error.value)


def test_wrong_tasks_are_named(make_trainer, data, tmp_path):
    model = Languages()

    def task(name="a-b", of=model, **options):
        return Task(name=name, model=of.pair(name), data=data[name], **options)

    def refused(message, *tasks):
        with pytest.raises(UserError, match=message):
            trainer_of(model, tasks, tmp_path, optimizer=make_optimizer(), max_updates=1)

    refused("at least one task. Received: ")
    refused(r"must have different names. Received: \['a-b', 'a-b'\]", task(), task())
    refused("positive and finite. Received: b-c=0", task(), task("b-c", weight=0))
    refused("that task 'b-c' trains; 6 are missing. Received: encoder_b/", task(), task("b-c", Languages()))
    model.built = False
    refused("`model` must be built. Received: ", task())
    with pytest.raises(UserError, match="must have variables to train. Received: task='a-b'"):
        make_trainer(frozen=["encoder_a", "bridge", "decoder_b", "output_b"])
    make_trainer(weights={"a-b": 1.0}).checkpoints.save_state(Progress(update=1, task_updates={"translation": 1}))
    with pytest.raises(UserError, match=r"other tasks.*Received: tasks=\['a-b'\], of the checkpoint=\['translation'\]"):
        make_trainer(weights={"a-b": 1.0}).train()


def turns(schedule: TaskSchedule, number: int) -> list[str]:
    counts = dict.fromkeys(schedule.weights, 0)
    names = []
    for _ in range(number):
        names.append(TaskSchedule(schedule.weights).next(counts))  # a new one: the order depends on the counts alone
        counts[names[-1]] += 1
    return names


@given(st.integers(1, 13), st.floats(1e-3, 1e3))
def test_equal_weights_take_turns_in_order(number: int, weight: float) -> None:
    names = [str(index) for index in range(number)]
    assert turns(TaskSchedule(dict.fromkeys(names, weight)), 5 * number) == 5 * names


@given(st.lists(st.floats(1e-4, 1.0), min_size=1, max_size=12), st.just(150))
# With these weights, always taking the task that is furthest behind leaves a task more than one update behind.
@example([46, 5061, 353, 67, 447, 2247, 1778, 1], 10_000)
def test_every_task_has_its_share_within_one_update(weights, number):
    shares = np.array(weights) / np.sum(weights)
    counts = np.zeros(len(weights))
    for done, name in enumerate(turns(TaskSchedule({str(i): w for i, w in enumerate(weights)}), number), 1):
        counts[int(name)] += 1
        assert np.abs(counts - done * shares).max() < 1 + 1e-9


def test_no_task_is_a_whole_update_ahead() -> None:
    # After "a", "a" the share of "a" in three updates is two: a third "a" would put it one update ahead.
    assert turns(TaskSchedule({"a": 4, "b": 1, "c": 1}), 6) == ["a", "a", "b", "a", "a", "c"]


def test_temperature():
    sizes = {"a": 1_000_000, "b": 900_000, "c": 500_000}
    for temperature in (0.01, 1.0, 5.0, math.inf):
        weights = TaskSchedule.by_temperature(sizes, temperature).weights
        # Compared as logarithms, which are finite at every temperature.
        for name in sizes:
            expected = math.log(sizes[name] / sizes["a"]) / temperature
            assert math.log(weights[name] / weights["a"]) == pytest.approx(expected)


def test_wrong_weights_are_named():
    for weights, message in (
        ({}, "at least one task. Received: "),
        *(({"a": 1.0, "b": x}, f"positive and finite. Received: b={x}") for x in (0.0, -1.0, math.nan, math.inf)),
        ({"a": 1e308, "b": 1e308}, "sum of the weights must be finite"),
    ):
        with pytest.raises(UserError, match=message):
            TaskSchedule(weights)
    for sizes, temperature, message in (({"a": 1}, 0, "temperature=0"), ({"a": 0}, 1, "a=0")):
        with pytest.raises(UserError, match=message):
            TaskSchedule.by_temperature(sizes, temperature)
