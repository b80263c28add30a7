"""Steps that analyses count, and the bars of commands that show them."""

import contextlib
import sys

import numpy as np
import pytest
from terminal import terminal_for_errors

from keras_nmt.analysis import ContrastItem, contrast, hidden_states, lexical
from keras_nmt.analysis.sentence_probes import classify
from keras_nmt.cli import app as cli
from keras_nmt.progress import show_steps


@pytest.fixture
def shown():
    """The total and the finished steps of each bar, by unit."""
    bars = {}

    @contextlib.contextmanager
    def show(total, unit):
        bar = [total, 0]
        bars.setdefault(unit, []).append(bar)

        def advance(number=1):
            bar[1] += number

        yield advance

    with show_steps(show):
        yield bars


def test_texts_passes_and_epochs_are_counted_once(plain, lines, translated, shown):
    for _ in hidden_states(plain, lines, translated):
        pass
    contrast(plain, [ContrastItem(lines[0], lines[0], (lines[2], lines[3]), ("one", "two"))])
    assert shown.pop("lines") == [[len(lines), len(lines)], [3, 3]]
    lexical(plain, lines[:10], epochs=2, hidden_dim=4, seeds=[1, 2])
    assert shown["passes"] == [[6, 6]]  # two epochs and the test, twice
    assert [finished for _, finished in shown["lines"]] == [9, 9, 1] * 2
    every = np.ones([1, 20], bool)
    classify(np.eye(20, dtype="float32"), np.arange(20) % 2, every, every, [1e-4], max_epochs=8)
    assert shown["epochs"] == [[8, 8]]


def test_a_terminal_shows_the_lines_of_a_command(directories, texts, lines, monkeypatch, eager):
    arguments = ["inspect", "similarity", directories / "plain", "--source", texts / "source"]
    monkeypatch.setattr(sys, "argv", ["keras-nmt", *map(str, arguments)])
    with terminal_for_errors(monkeypatch) as text:
        with pytest.raises(SystemExit) as raised:
            cli.main()
        assert not raised.value.code
        assert f"{len(lines)}/{len(lines)}" in text()
