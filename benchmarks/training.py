"""Training speed: target tokens per second of Trainer's update, of keras_hub, of PyTorch and of Marian.

    python benchmarks/training.py --data-dir DATA --preset transformer_small
    python benchmarks/training.py --data-dir DATA --preset transformer_base --dtypes float32,bfloat16
    python benchmarks/training.py --length 32 --contenders "keras_nmt,PyTorch compiled" --dtypes bfloat16

The third command trains on random sentences. All use a GPU if their framework sees a GPU.

Each contender is a separate process. They train in turn, on the same batches. See README.md beside this file.
"""

from __future__ import annotations

import dataclasses
import os
import statistics
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from contenders import (
    CONTENDERS,
    LABEL_SMOOTHING,
    ContenderProcess,
    Measured,
    Work,
    write_batches,
    write_random_batches,
)
from rich.console import Console
from support import CpuTime, gpu_name, peak_of, print_table, write_table

from keras_nmt.cli.run_app import import_tensorflow, run_app
from keras_nmt.errors import UserError

DTYPES = ("float32", "bfloat16")
PRESETS = {
    "transformer_tiny": 1000,
    "transformer_small": 10000,
    "transformer_base": 32000,
}  # vocabulary sizes
DEFAULT = ("keras_nmt", "keras_nmt with XLA", "keras_hub", "keras_hub with XLA", "PyTorch")
COLUMNS = (
    "contender",
    "dtype",
    "parameters (millions)",
    "target tokens/s",
    "share of peak",
    "first is faster by a factor of",
    "peak memory (MiB)",
    "waiting for batches",
    "traces",
)


@dataclasses.dataclass(frozen=True)
class Result:
    """Measurements of a contender.

    Attributes:
        parameters: Number of trained parameters.
        rounds: One measurement per round.
        memory: Peak resident memory in MiB.
    """

    parameters: int
    rounds: list[Measured]
    memory: float


def training_flops(sizes: Mapping[str, int], vocabulary_size: int, rows: int, source: int, target: int) -> int:
    """The floating-point operations of an update, counted by the sizes of the model.

    With rows B, lengths S and T, width d, inner width f, L encoder and M decoder layers and V subwords, the
    multiply-adds of the forward pass are

        B S L (4 d^2 + 2 S d + 2 d f)                        encoder: projections, scores and sums, feed-forward
        B T M (6 d^2 + 2 T d + 2 S d + 2 d f) + B S M 2 d^2  decoder, whose keys and values of the source cost 2 d^2
        B T d V                                              logits

    An update takes three times as many, as the backward pass takes twice the forward pass, and a multiply-add is two
    operations. Padding counts, and so do scores that the causal mask drops. Other operations than matrix products do
    not count.
    """
    d, f = sizes["hidden_dim"], sizes["intermediate_dim"]
    encoder = source * sizes["num_encoder_layers"] * (4 * d**2 + 2 * source * d + 2 * d * f)
    step = 6 * d**2 + 2 * (target + source) * d + 2 * d * f
    decoder = sizes["num_decoder_layers"] * (target * step + source * 2 * d**2)
    return 2 * 3 * rows * (encoder + decoder + target * d * vocabulary_size)


def compete(names: Sequence[str], work: Work, updates: int, rounds: int) -> dict[str, Result]:
    """Trains the contenders in turn; the first round is a warm-up."""
    processes = {name: ContenderProcess(name, work) for name in names}
    measured: dict[str, list[Measured]] = {name: [] for name in names}
    for _ in range(rounds + 1):
        for name, process in processes.items():
            measured[name].append(process.train(updates))
    return {name: Result(process.parameters, measured[name][1:], process.stop()) for name, process in processes.items()}


def flops_per_round(work: Work) -> int:
    """The floating-point operations of the measured batches."""
    with np.load(work.batches) as file:
        shapes = [file[f"arr_{number}"].shape for number in range(len(file.files))]
    pairs = zip(shapes[3::3], shapes[4::3], strict=True)  # the first batch is not measured
    return sum(
        training_flops(work.sizes, work.vocabulary_size, rows, source, target) for (rows, source), (_, target) in pairs
    )


def main(
    data_dir: Annotated[
        Path | None, typer.Option(help="Folder of Multi30k: train.en and train.de, plain or .gz.")
    ] = None,
    length: Annotated[
        int, typer.Option(help="Without --data-dir: positions of each sentence of random text, EOS included.")
    ] = 0,
    preset: Annotated[str, typer.Option(help=f"Sizes of the model: {', '.join(PRESETS)}.")] = "transformer_small",
    vocabulary_size: Annotated[
        int, typer.Option(help="Subwords of the joint vocabulary. Default: 10,000, of transformer_base 32,000.")
    ] = 0,
    batch_size: Annotated[int, typer.Option(help="Positions per batch and side.")] = 4096,
    dropout: Annotated[float, typer.Option(help="Dropout on embeddings and on the output of each sub-layer.")] = 0.1,
    dtypes: Annotated[str, typer.Option(help="float32, bfloat16, or both, separated by a comma.")] = "float32",
    updates: Annotated[int, typer.Option(help="Updates per measurement.")] = 8,
    rounds: Annotated[int, typer.Option(help="Measurements per contender; the medians count.")] = 5,
    threads: Annotated[int, typer.Option(help="Threads of one operation. Default: one per core.")] = 0,
    cpu_time: CpuTime = False,
    contenders: Annotated[str, typer.Option(help="Names of contenders, separated by commas.")] = ",".join(DEFAULT),
    peak: Annotated[
        float, typer.Option(help="Peak of the GPU in TFLOPS, for the share of it. Default: by name, in bfloat16.")
    ] = 0,
    output: Annotated[Path | None, typer.Option(metavar="FILE", help="Writes the table: .md or .json.")] = None,
) -> None:
    """Measures training speed beside keras_hub and PyTorch."""
    names, precisions = contenders.split(","), dtypes.split(",")
    if preset not in PRESETS:
        raise UserError(f"Known presets are {', '.join(PRESETS)}. Received: preset={preset!r}")
    if unknown := sorted(set(names) - set(CONTENDERS)) + sorted(set(precisions) - set(DTYPES)):
        raise UserError(
            f"Contenders are {', '.join(CONTENDERS)}, dtypes are {', '.join(DTYPES)}. Received: {', '.join(unknown)}"
        )
    if "Marian" in names and precisions != ["float32"]:
        raise UserError(f"Marian trains in float32 on a CPU: leave it or the other dtype out. Received: {dtypes}")
    vocabulary_size = vocabulary_size or PRESETS[preset]
    if min(vocabulary_size, batch_size, updates, rounds) < 1 or threads < 0:
        raise UserError(
            f"Sizes must be at least 1. Received: vocabulary_size={vocabulary_size}, batch_size={batch_size}, "
            f"updates={updates}, rounds={rounds}, threads={threads}"
        )
    if (data_dir is None) != (length > 1):
        raise UserError(
            f"Name a text by --data-dir, or a --length of at least 2. Received: data_dir={data_dir}, length={length}"
        )
    if data_dir is not None:
        import_tensorflow()
    from keras_nmt.models.transformer import TRANSFORMER_PRESETS

    peaks = {"bfloat16": peak or peak_of(gpu_name()), "float32": peak}
    console = Console()
    console.width = max(console.width, 110)  # wrapped lines are more readable than cells of two lines
    rows: list[list[str]] = []
    with tempfile.TemporaryDirectory() as folder:
        work = Work(
            vocabulary_size,
            TRANSFORMER_PRESETS[preset],
            dropout,
            DTYPES[0],
            threads,
            cpu_time,
            batch_size,
            Path(folder) / "corpus.npz",
            Path(folder) / "batches.npz",
            length,
        )
        if data_dir is None:
            tokens = write_random_batches(work, updates)
        else:
            texts = [
                next((path for path in (data_dir / name, data_dir / f"{name}.gz") if path.exists()), data_dir / name)
                for name in ("train.en", "train.de")
            ]
            tokens = write_batches(work, texts, updates)
        flops = flops_per_round(work)
        for dtype in precisions:
            results = compete(names, dataclasses.replace(work, dtype=dtype), updates, rounds)
            at_peak = flops / (peaks[dtype] * 1e12) if peaks[dtype] else None
            for name, result in results.items():
                rows.append(cells(name, dtype, result, results[names[0]], tokens, at_peak))
            write_table(output, COLUMNS, rows)  # after each dtype, for interrupted runs
    print_table(console, [column.replace(" ", "\n", 1) for column in COLUMNS], rows)
    cores = len(os.sched_getaffinity(0))
    print(
        f"{preset}, {vocabulary_size:,} subwords, batches of {batch_size:,} positions per side, the same for all, "
        f"padding not counted.\nAdam, label smoothing {LABEL_SMOOTHING}, dropout {dropout} of embeddings and "
        f"sub-layers' outputs.\nCores: {cores}. Threads of an operation: {threads or 'one per core'}. Seconds of the "
        f"{'processor' if cpu_time else 'wall clock'}."
    )


def cells(name: str, dtype: str, result: Result, first: Result, tokens: int, at_peak: float | None = None) -> list[str]:
    """A row of the table; a ratio is the median of the ratios of neighbouring measurements.

    `tokens` are those of a round, `at_peak` the seconds of a round at the GPU's peak.
    """
    seconds = statistics.median(measured.seconds for measured in result.rounds)
    pairs = zip(first.rounds, result.rounds, strict=True)
    ratio = statistics.median(other.seconds / ours.seconds for ours, other in pairs)
    waited = [measured.waited / measured.seconds for measured in result.rounds if measured.waited is not None]
    traces = result.rounds[-1].traces
    return [
        name,
        dtype,
        f"{result.parameters / 1e6:.2f}",
        f"{tokens / seconds:,.0f}",
        "" if at_peak is None else f"{at_peak / seconds:.1%}",
        f"{ratio:.3f}",
        f"{result.memory:,.0f}",
        f"{statistics.median(waited):.2%}" if waited else "",
        "" if traces is None else str(traces),
    ]


if __name__ == "__main__":
    run_app(main)
