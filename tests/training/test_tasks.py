"""Training on several tasks in turn, and the order of the tasks."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given
from hypothesis import strategies as st
from training_runs import Make, Penalty, assert_same, log_of, losses_of, values_of

from keras_nmt.data import ParallelCorpus, TrainingBatches
from keras_nmt.errors import UserError
from keras_nmt.training import (
    LabelSmoothedCrossEntropy,
    Task,
    TaskSchedule,
    Trainer,
    make_optimizer,
    make_strategy,
)

VOCABULARY_SIZE = 20
PAIRS = ("a-b", "b-c", "c-a")


class Languages(keras.Model):
    """An encoder and a decoder for each language, with a layer, dropout and an extra loss that all pairs share."""

    def __init__(self, dropout: float = 0.0, seed: int = 0) -> None:
        super().__init__()
        keras.utils.set_random_seed(seed)
        self.encoders = {x: keras.layers.Embedding(VOCABULARY_SIZE, 8, name=f"encoder_{x}") for x in "abc"}
        self.decoders = {x: keras.layers.Embedding(VOCABULARY_SIZE, 8, name=f"decoder_{x}") for x in "abc"}
        self.outputs_ = {x: keras.layers.Dense(VOCABULARY_SIZE, name=f"output_{x}") for x in "abc"}
        self.bridge = keras.layers.Dense(8, activation="tanh", name="bridge")
        self.dropout = keras.layers.Dropout(dropout, seed=1)
        self.penalty = Penalty()
        for pair in PAIRS:
            self.pair(*pair.split("-"))  # builds all layers
        self.built = True

    def pair(self, source: str, target: str) -> keras.Model:
        ids, target_input = keras.Input((None,), dtype="int32"), keras.Input((None,), dtype="int32")
        context = keras.layers.GlobalAveragePooling1D(keepdims=True)(self.encoders[source](ids))
        context = self.penalty(self.bridge(context), ids)
        states = self.dropout(self.decoders[target](target_input) + context)
        return keras.Model([ids, target_input], self.outputs_[target](states))


@pytest.fixture(scope="module")
def data() -> dict[str, TrainingBatches]:
    """The task of copying random sentences, with other sentences for each pair."""
    batches = {}
    for seed, pair in enumerate(PAIRS):
        random = np.random.RandomState(seed)
        sentences = [random.randint(4, VOCABULARY_SIZE, size).tolist() for size in random.randint(1, 8, 50 + seed)]
        corpus = ParallelCorpus.from_lists(sentences, sentences)
        batches[pair] = TrainingBatches(
            corpus, batch_size=8, batch_unit="sentences", length_buckets=[4, 8], seed=seed + 1
        )
    return batches


@pytest.fixture
def make_trainer(tmp_path: Path, data: dict[str, TrainingBatches], make_any_trainer: Make) -> Make:
    """Makes a trainer of `Languages` and of tasks with these weights, in the folder `name`."""

    def make(
        name: str = "run",
        *,
        weights: Mapping[str, float] = dict.fromkeys(PAIRS, 1.0),
        replicas: int = 1,
        dropout: float = 0.0,
        seed: int = 0,
        frozen: Sequence[str] = (),
        optimizer: Callable[[], keras.optimizers.Optimizer] = lambda: make_optimizer("adam", 0.01, clip=0.5),
        **options: Any,
    ) -> Trainer:
        strategy = make_strategy(replicas)
        with strategy.scope():
            model = Languages(dropout, seed)
            for layer in model._flatten_layers():
                layer.trainable = layer.name not in frozen
            tasks = [
                Task(name=pair, model=model.pair(*pair.split("-")), data=data[pair], weight=weight)
                for pair, weight in weights.items()
            ]
            options = {"max_updates": 6, "strategy": strategy, **options}
            return make_any_trainer(model, tasks, tmp_path / name, optimizer=optimizer(), **options)

    return make


class Snapshots(keras.callbacks.Callback):
    """Records the variables before the first update and after each update."""

    def __init__(self) -> None:
        super().__init__()
        self.values: list[dict[str, np.ndarray]] = []

    def on_train_begin(self, logs: dict | None = None) -> None:
        self.values.append({v.path: v.numpy() for v in self.model.trainable_variables})

    def on_train_batch_end(self, batch: int, logs: dict | None = None) -> None:
        self.on_train_begin()


def test_tasks_take_turns_and_do_not_change_other_tasks_variables(make_trainer: Make) -> None:
    snapshots = Snapshots()
    trainer = make_trainer(max_updates=9, callbacks=[snapshots])
    trainer.train()
    own = {name: {v.path for v in task.model.trainable_variables} for name, task in trainer.tasks.items()}
    for number in range(9):
        before, after = snapshots.values[number : number + 2]
        changed = {path for path in before if not np.array_equal(before[path], after[path])}
        assert changed == own[PAIRS[number % 3]]
    assert trainer.num_traces == 3
    assert int(trainer.optimizer.iterations) == 9
    assert trainer.progress.task_updates == dict.fromkeys(PAIRS, 3)


def test_every_loss_is_the_loss_of_the_tasks_next_batch(make_trainer: Make, data: dict[str, TrainingBatches]) -> None:
    # Weights do not change; the extra loss of a layer that all tasks share covers the task's sentences only.
    trainer = make_trainer(optimizer=lambda: make_optimizer("sgd", 0.0), normalize_by="sentences")
    trainer.train()
    for number, line in enumerate(log_of(trainer)):
        name = PAIRS[number % 3]
        batch = next(iter(data[name].dataset(number // 3)))
        model = trainer.tasks[name].model
        loss, _ = LabelSmoothedCrossEntropy(0.1).terms(
            batch["target_output"], model([batch["source"], batch["target_input"]])
        )
        extra_loss = sum(float(x) for x in model.losses)
        sentences = np.sum(batch["target_output"].numpy()[:, 0] != 0)
        np.testing.assert_allclose(line["extra_loss"], extra_loss, rtol=1e-5)
        np.testing.assert_allclose(line["loss"], loss.numpy().sum() / sentences + extra_loss, rtol=1e-5)
        assert line["task_loss"] == {name: line["loss"]}


def test_weights_divide_the_updates_and_the_log_names_the_tasks(make_trainer: Make) -> None:
    weights = {"a-b": 3.0, "b-c": 1.0}
    each = make_trainer("each", weights=weights, max_updates=8)
    each.train()
    assert each.progress.task_updates == {"a-b": 6, "b-c": 2}
    assert each.num_traces == 2
    trainer = make_trainer(weights=weights, max_updates=8, log_every=8, normalize_by="sentences", tensorboard=True)
    trainer.train()
    (line,) = log_of(trainer)
    assert set(line["task_loss"]) == {"a-b", "b-c"}
    assert min(line["task_loss"].values()) < line["loss"] < max(line["task_loss"].values())
    file = next((trainer.directory / "tensorboard").glob("events.*"))
    seen = {value.tag for event in tf.compat.v1.train.summary_iterator(str(file)) for value in event.summary.value}
    assert {"loss", "task_loss/a-b", "task_loss/b-c"} <= seen


@pytest.mark.parametrize(
    ("clip", "split"),
    [("global_clipnorm", {"accumulation_steps": 2, "jit_compile": True}), ("clipnorm", {"replicas": 2})],
)
def test_the_split_of_a_batch_does_not_matter(make_trainer: Make, clip: str, split: dict[str, Any]) -> None:
    results = []
    for number, options in enumerate(({}, split)):
        trainer = make_trainer(
            str(number),
            weights={"a-b": 1.0, "b-c": 2.0},
            **options,
            optimizer=lambda: keras.optimizers.SGD(0.5, **{clip: 0.05}),
        )
        trainer.train()
        assert trainer.num_traces == 2
        assert trainer.progress.task_updates == {"a-b": 2, "b-c": 4}
        results.append((losses_of(trainer), trainer.model.get_weights()))
    np.testing.assert_allclose(results[0][0], results[1][0], rtol=1e-4)
    for ours, theirs in zip(results[0][1], results[1][1], strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-5)


def test_frozen_variables_do_not_change(make_trainer: Make) -> None:
    trainer = make_trainer(frozen=["encoder_a", "bridge"], weights={"a-b": 1.0, "b-c": 1.0}, max_updates=4)
    before = {v.path: v.numpy() for v in trainer.model.variables}
    trainer.train()
    for variable in trainer.model.trainable_variables + trainer.model.non_trainable_variables:
        trained = any(name in variable.path for name in ("encoder_b", "decoder_b", "decoder_c", "output_b", "output_c"))
        if "seed_generator" not in variable.path:
            assert np.array_equal(before[variable.path], variable.numpy()) != trained, variable.path


# Stopping and starting again.


class Crash(keras.callbacks.Callback):
    """A callback that ends the program in the middle of the run."""

    def on_train_batch_end(self, batch: int, logs: dict | None = None) -> None:
        if batch + 1 == 10:
            raise RuntimeError("crash")


def test_a_stopped_run_equals_an_uninterrupted_run(make_trainer: Make) -> None:
    options: dict[str, Any] = {
        "weights": {"a-b": 2.0, "b-c": 1.0},
        "dropout": 0.2,
        "accumulation_steps": 2,
        "max_updates": 18,
        "log_every": 4,  # a line covers updates from before and after the stops
        "save_every": 3,
    }
    whole = make_trainer("whole", **options)
    whole.train()
    assert whole.progress.task_updates == {"a-b": 12, "b-c": 6}
    with pytest.raises(RuntimeError, match="crash"):
        make_trainer("stopped", callbacks=[Crash()], **options).train()  # continues from update 9
    again = make_trainer("stopped", seed=9, **options)
    again.train()
    assert again.progress.task_updates == whole.progress.task_updates
    assert_same(values_of(whole), values_of(again))
    assert log_of(whole) == log_of(again)


def test_adam_counts_the_updates_of_each_variable(make_trainer: Make) -> None:
    trainer = make_trainer(weights={"a-b": 2.0, "b-c": 1.0}, max_updates=9)
    trainer.train()
    counted = {
        variable.path: int(own)
        for variable, own in zip(trainer.model.trainable_variables, trainer.optimizer._own_updates, strict=True)
    }
    own_of = {name: {v.path for v in task.model.trainable_variables} for name, task in trainer.tasks.items()}
    assert trainer.progress.task_updates == {"a-b": 6, "b-c": 3}
    assert counted == {
        path: sum(trainer.progress.task_updates[name] for name, own in own_of.items() if path in own)
        for path in counted
    }
    assert {3, 6, 9} <= set(counted.values())


def test_one_task_equals_a_bilingual_run(
    make_trainer: Make, make_any_trainer: Make, data: dict[str, TrainingBatches], tmp_path: Path
) -> None:
    one = make_trainer("one", weights={"a-b": 5.0}, dropout=0.2)
    one.train()

    def bilingual(name: str, max_updates: int) -> Trainer:
        trainer = make_any_trainer(
            Languages(0.2).pair("a", "b"),
            data["a-b"],
            tmp_path / name,
            optimizer=make_optimizer("adam", 0.01, clip=0.5),
            max_updates=max_updates,
            final_weights="last",  # not the mean of saved weights
        )
        trainer.train()
        return trainer

    whole = bilingual("whole", 6)
    assert_same([v.numpy() for v in one.tasks["a-b"].model.weights], whole.model.get_weights())
    assert log_of(one) == log_of(whole)
    assert set(log_of(whole)[0]) == {
        "update", "loss", "perplexity", "learning_rate", "gradient_norm", "extra_loss", "tokens",
    }  # fmt: skip

    with pytest.raises(UserError, match=r"other tasks.*Received: tasks=\['a-b'\], of the checkpoint=\['translation'\]"):
        make_any_trainer(
            (model := Languages(0.2).pair("a", "b")),
            [Task(name="a-b", model=model, data=data["a-b"])],
            tmp_path / "whole",
            optimizer=make_optimizer("adam", 0.01, clip=0.5),
            max_updates=7,
        ).train()


# Errors.


def test_an_update_that_is_not_finite_names_the_task_and_its_lines(
    make_trainer: Make, data: dict[str, TrainingBatches]
) -> None:
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


def test_wrong_tasks_are_named(
    make_trainer: Make, make_any_trainer: Make, data: dict[str, TrainingBatches], tmp_path: Path
) -> None:
    model = Languages()

    def train(*tasks: Task) -> None:
        make_any_trainer(model, tasks, tmp_path, optimizer=make_optimizer(), max_updates=1)

    task = Task(name="a-b", model=model.pair("a", "b"), data=data["a-b"])
    with pytest.raises(UserError, match="at least one task. Received: "):
        train()
    with pytest.raises(UserError, match=r"must have different names. Received: \['a-b', 'a-b'\]"):
        train(task, Task(name="a-b", model=model.pair("b", "c"), data=data["b-c"]))
    with pytest.raises(UserError, match="positive and finite. Received: b-c=0"):
        train(task, Task(name="b-c", model=model.pair("b", "c"), data=data["b-c"], weight=0))
    with pytest.raises(UserError, match="that task 'b-c' trains; 6 are missing. Received: encoder_b/"):
        train(task, Task(name="b-c", model=Languages().pair("b", "c"), data=data["b-c"]))
    model.built = False
    with pytest.raises(UserError, match="`model` must be built. Received: "):
        train(task)
    with pytest.raises(UserError, match="must have variables to train. Received: task='a-b'"):
        make_trainer(frozen=["encoder_a", "bridge", "decoder_b", "output_b"])
    keras.config.set_dtype_policy("mixed_float16")
    with pytest.raises(UserError, match="float16"):
        make_trainer()


def turns(schedule: TaskSchedule, number: int) -> list[str]:
    counts = dict.fromkeys(schedule.weights, 0)
    names = []
    for _ in range(number):
        names.append(schedule.next(counts))
        counts[names[-1]] += 1
    return names


@given(st.integers(1, 13), st.floats(1e-3, 1e3))
def test_equal_weights_take_turns_in_order(number: int, weight: float) -> None:
    names = [str(index) for index in range(number)]
    assert turns(TaskSchedule(dict.fromkeys(names, weight)), 5 * number) == 5 * names


@given(st.lists(st.floats(1e-4, 1.0), min_size=1, max_size=12))
def test_every_task_has_its_share_within_one_update(weights: list[float]) -> None:
    shares = np.array(weights) / np.sum(weights)
    counts = np.zeros(len(weights))
    for done, name in enumerate(turns(TaskSchedule({str(i): w for i, w in enumerate(weights)}), 150), 1):
        counts[int(name)] += 1
        assert np.abs(counts - done * shares).max() < 1 + 1e-9


def test_weights_whose_sum_is_infinite_are_refused() -> None:
    with pytest.raises(UserError, match="sum of the weights must be finite. Received: weights={'a': 1e[+]308"):
        TaskSchedule({"a": 1e308, "b": 1e308})


def test_a_rare_task_does_not_fall_behind() -> None:
    # With these weights, always taking the task that is furthest behind leaves a task more than one update behind.
    weights = [46, 5061, 353, 67, 447, 2247, 1778, 1]
    names = turns(TaskSchedule({str(i): w for i, w in enumerate(weights)}), sum(weights))
    assert [names.count(str(i)) for i in range(len(weights))] == weights
    counts = np.cumsum([[name == str(i) for i in range(len(weights))] for name in names], 0)  # [updates, tasks]
    shares = np.outer(np.arange(1, len(names) + 1), np.array(weights) / sum(weights))
    assert np.abs(counts - shares).max() < 1


def test_no_task_is_a_whole_update_ahead() -> None:
    # After "a", "a" the share of "a" in three updates is two: a third "a" would put it one update ahead.
    assert turns(TaskSchedule({"a": 4, "b": 1, "c": 1}), 6) == ["a", "a", "b", "a", "a", "c"]


def test_the_order_depends_on_the_counts_only() -> None:
    weights = {"a": 3.0, "b": 1.0, "c": 2.5}
    names = turns(TaskSchedule(weights), 40)
    for done in range(40):
        counts = {name: names[:done].count(name) for name in weights}
        assert TaskSchedule(weights).next(counts) == names[done]


@pytest.mark.parametrize("temperature", [0.01, 1.0, 5.0, math.inf])
def test_temperature(temperature: float) -> None:
    sizes = {"a": 1_000_000, "b": 900_000, "c": 500_000}
    weights = TaskSchedule.by_temperature(sizes, temperature).weights
    # Compared as logarithms, which are finite at every temperature.
    for name in sizes:
        expected = math.log(sizes[name] / sizes["a"]) / temperature
        assert math.log(weights[name] / weights["a"]) == pytest.approx(expected)


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(UserError, match="at least one task. Received: "):
        TaskSchedule({})
    for weight in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(UserError, match=f"positive and finite. Received: b={weight}"):
            TaskSchedule({"a": 1.0, "b": weight})
    with pytest.raises(UserError, match="at least one task"):
        TaskSchedule.by_temperature({}, 1.0)
    with pytest.raises(UserError, match="Received: temperature=0"):
        TaskSchedule.by_temperature({"a": 1}, 0)
    with pytest.raises(UserError, match="Received: a=0"):
        TaskSchedule.by_temperature({"a": 0}, 1)
