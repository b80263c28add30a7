"""Steps that analyses count, and the bars of commands that show them."""

from __future__ import annotations

import contextlib
import sys

import numpy as np
import pytest
from terminal import terminal_for_errors

from keras_nmt.analysis import ContrastItem, contrast, hidden_states, lexical
from keras_nmt.analysis.sentence_probes import classify
from keras_nmt.cli import app as cli
from keras_nmt.progress import count_steps, show_steps


class Shown:
    """Totals and finished steps by unit."""

    def __init__(self):
        self.totals, self.finished = {}, {}

    @contextlib.contextmanager
    def __call__(self, total, unit):
        self.totals.setdefault(unit, []).append(total)
        finished = self.finished.setdefault(unit, [])
        finished.append(0)
        position = len(finished) - 1

        def advance(number=1):
            finished[position] += number

        yield advance


@pytest.fixture
def shown():
    shown = Shown()
    with show_steps(shown):
        yield shown


def test_texts_are_counted_once(plain, lines, translated, shown):
    for _ in hidden_states(plain, lines, translated):
        pass
    assert shown.totals["lines"] == shown.finished["lines"] == [len(lines)]
    contrast(plain, [ContrastItem(lines[0], lines[0], (lines[2], lines[3]), ("one", "two"))])
    assert shown.totals["lines"][1:] == shown.finished["lines"][1:] == [3]


def test_passes_of_a_probe_and_epochs_of_classifiers_are_counted(plain, lines, shown):
    lexical(plain, lines[:10], epochs=2, hidden_dim=4, seeds=[1, 2])
    assert shown.totals["passes"] == shown.finished["passes"] == [6]  # two epochs and the test, twice
    assert shown.finished["lines"] == [9, 9, 1] * 2
    every = np.ones([1, 20], bool)
    classify(np.eye(20, dtype="float32"), np.arange(20) % 2, every, every, [1e-4], max_epochs=8)
    assert shown.totals["epochs"] == shown.finished["epochs"] == [8]


def test_without_a_watcher_nothing_is_counted_and_an_inner_watcher_ends():
    with count_steps(1, "lines") as advance:
        advance()
    outer = Shown()
    with show_steps(outer):
        with show_steps(Shown()), count_steps(1, "pots"):
            pass
        with count_steps(1, "pans"):
            pass
    assert set(outer.totals) == {"pans"}


@pytest.mark.parametrize(
    "command",
    ["similarity", pytest.param("embed", marks=pytest.mark.slow)]
    + [pytest.param(command, marks=pytest.mark.nightly) for command in ("roles", "bridge")],
)
def test_a_terminal_shows_the_lines_of_a_command(command, directories, lines, tmp_path, monkeypatch, capfdbinary):
    lines = [line for line in lines if line]  # `bridge` leaves empty lines out
    (tmp_path / "text").write_text("".join(f"{line}\n" for line in lines))
    language, source = ["--language", "de"], ["--source", tmp_path / "text"]
    arguments = {
        "similarity": ["inspect", "similarity", directories / "plain", *source],
        "roles": ["inspect", "roles", directories / "mixed", *source],
        "bridge": ["inspect", "bridge", directories / "bridged", *source, *language],
        "embed": ["embed", directories / "bridged", *language, "--input", source[1], "--output", tmp_path / "v.npy"],
    }[command]
    monkeypatch.setattr(sys, "argv", ["keras-nmt", *map(str, arguments)])
    with terminal_for_errors(monkeypatch) as text:
        with pytest.raises(SystemExit) as raised:
            cli.main()
        assert not raised.value.code
        assert f"{len(lines)}/{len(lines)}" in text()
