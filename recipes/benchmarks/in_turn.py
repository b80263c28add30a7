"""Programs that translate the same lines in turn."""

from __future__ import annotations

import time
from collections.abc import Callable

# From calls, which are lists of lines, to the seconds of all calls and the translations of all lines.
Run = Callable[[list[list[str]]], tuple[float, list[str]]]


def timed(translate: Callable[[list[str]], list[str]], clock: Callable[[], float] = time.perf_counter) -> Run:
    """A program of this process."""

    def run(calls: list[list[str]]) -> tuple[float, list[str]]:
        start = clock()
        texts = [text for lines in calls for text in translate(lines)]
        return clock() - start, texts

    return run


def in_turn(
    programs: dict[str, Run], calls: list[list[str]], rounds: int
) -> tuple[dict[str, list[float]], dict[str, list[str]]]:
    """The seconds of each round, and the translations, by the names of the programs."""
    seconds: dict[str, list[float]] = {name: [] for name in programs}
    texts = {}
    for number in range(-1, rounds):  # the first round compiles and allocates
        # The order alternates, so that a machine that slows down affects all.
        for name in list(programs) if number % 2 else list(programs)[::-1]:
            taken, texts[name] = programs[name](calls)
            if number >= 0:
                seconds[name].append(taken)
    return seconds, texts
