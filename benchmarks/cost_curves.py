"""Time and memory of translating, against source length, beam, batch and depth.

    python benchmarks/cost_curves.py --output cost_curves.md --plot cost_curves.png
    python benchmarks/cost_curves.py --no-xla --curves length --output cost_curves.md

Each point is a beam search in a separate process, compiled by XLA or, with `--no-xla`, in the plain graph; memory is
the process' peak resident memory. See README.md beside this file.
"""

from __future__ import annotations

import functools
import importlib.util
import json
from pathlib import Path
from typing import Annotated, Any

import keras
import numpy as np
import tensorflow as tf
import typer
from rich.console import Console
from support import CpuTime, clock_of, measured_in_a_process, print_table, write_table

from keras_nmt.cli.run_app import run_app
from keras_nmt.decoding import beam_search
from keras_nmt.errors import UserError
from keras_nmt.files.process_resources import peak_memory
from keras_nmt.ids import BOS, EOS, PAD
from keras_nmt.models import Transformer
from keras_nmt.models.transformer import TRANSFORMER_PRESETS

FIRST_WORD = max(PAD, BOS, EOS) + 1
COLUMNS = ("curve", "value", "ms a step", "ms a token", "peak MiB")
# The point that all curves share, and the values of each curve. Depth: layers of the encoder and of the decoder.
POINT = {"length": 20, "beam": 4, "batch": 16, "depth": 3}
CURVES = {"length": (20, 50, 100, 200), "beam": (1, 2, 4, 8), "batch": (1, 4, 16, 64), "depth": (1, 3, 6)}

Row = tuple[str, int, float, float, float]


def measure(
    preset: str, vocabulary_size: int, point: dict[str, int], rounds: int, cpu_time: bool, xla: bool
) -> dict[str, float]:
    """Translates sentences of random words into translations of equal length and measures the shortest time.

    Returns:
        `seconds` per batch, and `memory`, the peak of this process in bytes.
    """
    length, beam, batch = point["length"], point["beam"], point["batch"]
    sizes = {**TRANSFORMER_PRESETS[preset], "num_encoder_layers": point["depth"], "num_decoder_layers": point["depth"]}
    keras.utils.set_random_seed(1)
    model = Transformer(source_vocabulary_size=vocabulary_size, **sizes)

    def search(source: tf.Tensor) -> tf.Tensor:
        # As in `Translator`: caches of the plain graph grow, and the output's matrix is transposed once.
        constants, caches = model.prepare(model.encoder(source, training=False), beam, length if xla else None)
        kernel = None if xla else model.output_kernel()
        step = functools.partial(model.decoder_step, output_kernel=kernel)
        options: dict[str, Any] = {
            "batch_size": batch,
            "beam_size": beam,
            "max_length": length,
            "drop_finished": not xla,
        }
        return beam_search(step, constants, caches, **options, suppress=(PAD, BOS, EOS)).tokens

    random = np.random.default_rng(1)
    source = tf.constant(random.integers(FIRST_WORD, vocabulary_size, (batch, length)), "int32")
    translate = tf.function(search, autograph=False, jit_compile=xla or None)
    clock = clock_of(cpu_time)
    translate(source)
    seconds = []
    for _ in range(rounds):
        start = clock()
        translate(source).numpy()
        seconds.append(clock() - start)
    return {"seconds": min(seconds), "memory": peak_memory()}


def main(
    curves: Annotated[str, typer.Option(help="Names of curves, separated by commas.")] = ",".join(CURVES),
    preset: Annotated[str, typer.Option(help="Sizes of the model except its depth.")] = "transformer_small",
    vocabulary_size: Annotated[int, typer.Option(help="Subwords of the joint vocabulary.")] = 10000,
    rounds: Annotated[int, typer.Option(help="Measurements per point; the shortest time counts.")] = 5,
    threads: Annotated[int, typer.Option(help="Threads of one operation.")] = 1,
    cpu_time: CpuTime = False,
    xla: Annotated[bool, typer.Option("--xla/--no-xla", help="Whether XLA compiles the search.")] = True,
    output: Annotated[Path | None, typer.Option(metavar="FILE", help="Writes the table: .md or .json.")] = None,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Writes the plot, as PNG, SVG or PDF.")] = None,
    point: Annotated[str, typer.Option(hidden=True, help="Measures one point in this process.")] = "",
) -> None:
    """Measures the curves."""
    if preset not in TRANSFORMER_PRESETS:
        raise UserError(f"Known presets are {', '.join(TRANSFORMER_PRESETS)}. Received: preset={preset!r}")
    if vocabulary_size <= FIRST_WORD or min(rounds, threads) < 1:
        raise UserError(
            f"Numbers must be at least 1, the vocabulary above {FIRST_WORD}. Received: rounds={rounds}, "
            f"threads={threads}, vocabulary_size={vocabulary_size}"
        )
    names = [name.strip() for name in curves.split(",")]
    if unknown := sorted(set(names) - set(CURVES)):
        raise UserError(f"Known curves are {', '.join(CURVES)}. Received: {', '.join(unknown)}")
    if plot is not None and importlib.util.find_spec("matplotlib") is None:  # reported before anything is measured
        raise UserError(f"matplotlib is missing: pip install keras_nmt[bench]. Received: --plot {plot}")
    if point:
        tf.config.threading.set_intra_op_parallelism_threads(threads)
        tf.config.threading.set_inter_op_parallelism_threads(1)
        print(json.dumps(measure(preset, vocabulary_size, json.loads(point), rounds, cpu_time, xla)))
        return
    options = [f"--preset={preset}", f"--vocabulary-size={vocabulary_size}", f"--rounds={rounds}"]
    options += [f"--threads={threads}", *["--cpu-time"] * cpu_time, "--xla" if xla else "--no-xla"]
    rows: list[Row] = []
    measured: dict[str, dict[str, float]] = {}
    console = Console()
    for name in names:
        for value in CURVES[name]:
            here = {**POINT, name: value}
            key = json.dumps(here)
            if key not in measured:  # the shared point is measured once
                with console.status(f"{name} {value}"):
                    measured[key] = measured_in_a_process(__file__, *options, f"--point={key}")
            step = measured[key]["seconds"] / here["length"] * 1000
            rows.append((name, value, step, step / here["batch"], measured[key]["memory"] / 2**20))
            write_table(output, COLUMNS, _cells(rows))  # after each row, for interrupted runs
    print_table(console, COLUMNS, _cells(rows))
    if plot is not None:
        _plot(rows, plot)


def _cells(rows: list[Row]) -> list[list[str]]:
    return [
        [name, str(value), f"{step:.2f}", f"{token:.3f}", f"{memory:.0f}"] for name, value, step, token, memory in rows
    ]


def _plot(rows: list[Row], path: Path) -> None:
    from matplotlib.figure import Figure

    from keras_nmt.analysis.measurements import save_figure

    names = list(dict.fromkeys(row[0] for row in rows))
    figure = Figure(figsize=(3 * len(names), 5), layout="constrained")
    axes = figure.subplots(2, len(names), squeeze=False)
    for column, name in enumerate(names):
        points = [row[1:] for row in rows if row[0] == name]
        values = [point[0] for point in points]
        for row, (index, label) in enumerate(((2, "ms a token"), (3, "peak memory, MiB"))):
            axis = axes[row, column]
            axis.plot(values, [point[index] for point in points], marker="o")
            axis.set(xlabel=name, ylabel=label if column == 0 else "", ylim=(0, None))
            axis.set_xticks(values)
    save_figure(path, figure)


if __name__ == "__main__":
    run_app(main)
