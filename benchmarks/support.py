"""Support of the benchmarks: measurements in turn and in processes, tables, sizes, the GPU's name and peak."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from keras_nmt.errors import UserError
from keras_nmt.files.atomic_files import write_json, write_text
from keras_nmt.files.markdown import markdown_table

# From calls, which are lists of lines, to the seconds of all calls and the translations of all lines.
Run = Callable[[list[list[str]]], tuple[float, list[str]]]
# The option of a script that can measure either clock.
CpuTime = Annotated[
    bool, typer.Option("--cpu-time", help="Measure processor time: for a core that other programs use, too.")
]
# Peak of dense bfloat16 products in TFLOPS, by a part of the name that nvidia-smi prints, from NVIDIA's data sheets.
# The first name that fits counts.
PEAKS = {
    "B200": 2250.0,
    "H200 NVL": 835.0,
    "H200": 989.0,
    "H100 PCIe": 756.0,
    "H100 NVL": 835.0,
    "H100": 989.0,
    "A100": 312.0,
    "A10G": 70.0,
    "A10": 125.0,
    "L40S": 362.0,
    "L4": 121.0,
    "RTX 4090": 165.0,
    "RTX 3090": 71.0,
}


def clock_of(cpu_time: bool) -> Callable[[], float]:
    """Returns the clock of the processor's time in this process, or of the time that passes, in seconds."""
    return time.process_time if cpu_time else time.perf_counter


def timed(translate: Callable[[list[str]], list[str]], clock: Callable[[], float] = time.perf_counter) -> Run:
    """A program of this process."""

    def run(calls: list[list[str]]) -> tuple[float, list[str]]:
        start = clock()
        texts = [text for lines in calls for text in translate(lines)]
        return clock() - start, texts

    return run


def translate_by(loaded: Any, name: str) -> Callable[[list[str]], list[str]]:
    """Returns a function that translates lines by a signature of a loaded export."""
    import tensorflow as tf  # here: not every script needs it

    signature = loaded.signatures[name]

    def translate(lines: list[str], loaded: Any = loaded) -> list[str]:  # keeps the weights alive
        return [text.decode() for text in signature(text=tf.constant(lines))["translation"].numpy()]

    return translate


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


def measured_in_a_process(script: str, *options: str) -> Any:
    """Runs a script that measures one figure, and returns the last line of its output, which is JSON."""
    done = subprocess.run([sys.executable, script, *options], stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def print_table(console: Console, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Prints rows of cells under the names of the columns."""
    table = Table(*columns, box=box.SIMPLE)
    for row in rows:
        table.add_row(*row)
    if not console.is_terminal:
        console.width = 200  # by default 80, in which names are cut
    console.print(table)


def write_table(path: Path | None, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Writes a table, whole or not at all, in Markdown or, if the file's name ends in `.json`, in JSON.

    In JSON, each row is an object with the columns as names. Nothing is written if `path` is None.
    """
    if path is None:
        return
    if path.suffix == ".json":
        write_json(path, [dict(zip(columns, row, strict=True)) for row in rows])
    else:
        write_text(path, markdown_table(columns, rows) + "\n")


def parse_sizes(name: str, text: str) -> list[int]:
    """The sizes of an option, which are numbers with commas between them."""
    try:
        sizes = [int(size) for size in text.split(",")]
    except ValueError:
        sizes = []
    if not sizes or min(sizes) < 1:
        raise UserError(f"Give sizes of at least 1 with commas between them. Received: {name}={text!r}")
    return sizes


def check_sizes(**sizes: int) -> None:
    """Raises a `UserError` if a size is below 1."""
    if min(sizes.values()) < 1:
        shown = ", ".join(f"{name}={size}" for name, size in sizes.items())
        raise UserError(f"Sizes must be at least 1. Received: {shown}")


def gpu_name() -> str | None:
    """The name of the first GPU by nvidia-smi, or None if there is no GPU."""
    command = ["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    lines = done.stdout.splitlines()
    return lines[0].strip() if lines else None


def peak_of(name: str | None) -> float | None:
    """The peak of dense bfloat16 products of a GPU in TFLOPS, or None if the table has no such GPU."""
    return next((peak for part, peak in PEAKS.items() if name and part in name), None)
