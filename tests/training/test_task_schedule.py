"""The order of tasks."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from keras_nmt.errors import UserError
from keras_nmt.training import TaskSchedule


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
