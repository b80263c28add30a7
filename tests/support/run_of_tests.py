"""Limits a run of the tests: processes by memory, and a list of the tests that take long."""

from __future__ import annotations

import contextlib
import os
import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

from keras_nmt.files.process_resources import control_groups, num_processors

MEMORY_OF_A_PROCESS = 4 << 30  # bytes: see "Test" in CONTRIBUTING.md
LONG = 2.0  # seconds of processor time of a test without a mark


def _available_memory() -> int:
    """Returns the bytes of memory that this process and its children may use."""
    limits = [resource.getrlimit(resource.RLIMIT_AS)[0]]
    with contextlib.suppress(OSError):
        lines = Path("/proc/meminfo").read_text(encoding="utf-8").splitlines()
        limits += [int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable")]
    for group in control_groups("memory"):
        for name in ("memory.max", "memory.limit_in_bytes"):  # version 2, version 1
            with contextlib.suppress(OSError, ValueError):  # the other version, or "max"
                limits.append(int((group / name).read_text(encoding="utf-8")))
    return min(limit for limit in limits if limit != resource.RLIM_INFINITY)


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """With `-n auto`, the default: a process per processor, while there are 4 GB of memory for each.

    One process is the calling one, and so is that of a single file or test: starting workers takes longer.
    """
    if len(config.args) == 1 and ".py" in config.args[0]:
        return 0
    processes = min(num_processors(), _available_memory() // MEMORY_OF_A_PROCESS)
    return processes if processes > 1 else 0


def _processor_time() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


_started = pytest.StashKey[float]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    item.stash[_started] = _processor_time()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[pytest.TestReport]:
    report = yield
    if call.when == "teardown":
        report.user_properties.append(("processor time", _processor_time() - item.stash[_started]))
    return report


class LongTests:
    """Lists the tests without a mark that took more than 2 s of processor time. Clocks are noisy: it is no failure."""

    def __init__(self) -> None:
        self.times: dict[str, float] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        seconds = dict(report.user_properties).get("processor time", 0.0)
        if seconds > LONG and not {"slow", "nightly"} & report.keywords.keys():
            self.times[report.nodeid] = seconds

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.times:
            terminalreporter.section(f"tests above {LONG:.0f} s of processor time without the mark slow or nightly")
            for test, seconds in sorted(self.times.items(), key=lambda item: -item[1]):
                terminalreporter.line(f"{seconds:6.1f} s  {test}")
