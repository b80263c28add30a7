"""Overhead of each mechanism: speed relative to the plain Transformer, measured, and counted in multiply-adds.

    python recipes/benchmarks/overhead.py --output overhead.md
    KERAS_BACKEND=jax python recipes/benchmarks/overhead.py --output overhead.md

Plain model and variant are measured in turn. The result is the median of the ratios of neighbouring measurements, so
that other load of the machine affects both. See README.md beside this file.
"""

from __future__ import annotations

import concurrent.futures
import dataclasses
import gc
import os
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import keras
import typer
from overhead_sizes import FIRST_WORD, Sizes
from print_table import print_table
from rich.console import Console
from write_table import write_table

from keras_nmt.cli.run_app import run_app
from keras_nmt.errors import UserError
from keras_nmt.models import Transformer
from keras_nmt.models.presets import TRANSFORMER_PRESETS

if keras.backend.backend() == "jax":
    from jax_work import JaxWork as Work
else:
    from tensorflow_work import TensorFlowWork as Work  # type: ignore[assignment]

COLUMNS = (
    "mechanism",
    "training measured",
    "training counted",
    "decoding measured",
    "decoding counted",
    "paper training",
    "paper decoding",
)


@dataclasses.dataclass(frozen=True)
class Mechanism:
    """A variant of the plain model, and its relative speed (training, decoding) in its paper."""

    title: str
    arguments: dict[str, Any]
    paper: tuple[float, float] | tuple[float] | tuple[()] = ()


_NI_BOTH = {"layer_composition": "extended", "head_composition": "extended"}
# Emelin et al., 2019, table 5: words/s, training only. Li et al., 2020, table 1: steps/s and sentences/s.
MECHANISMS = {
    "plain": Mechanism("plain again", {}),  # shows the noise of the measurement
    "shortcuts": Mechanism("plain shortcuts", {"shortcuts": "plain"}, (26423 / 29698,)),
    "fusion": Mechanism("fusion shortcuts", {"shortcuts": "fusion"}, (23601 / 29698,)),
    "linear_layers": Mechanism("linear layers", {"layer_composition": "linear"}, (1.98 / 2.02, 1.46 / 1.50)),
    "hierarchical_layers": Mechanism(
        "hierarchical layers", {"layer_composition": "hierarchical"}, (1.62 / 2.02, 1.36 / 1.50)
    ),
    "ni_layers": Mechanism("NI layers", {"layer_composition": "extended"}, (1.93 / 2.02, 1.44 / 1.50)),
    "ni_heads": Mechanism("NI heads", {"head_composition": "extended"}, (1.92 / 2.02, 1.43 / 1.50)),
    "ni_heads_32": Mechanism("NI heads, rank 32", {"head_composition": "extended", "head_composition_rank": 32}),
    "ni_both": Mechanism("NI both", _NI_BOTH, (1.87 / 2.02, 1.40 / 1.50)),
    "hierarchical_heads": Mechanism(
        "hierarchical heads", {"head_composition": "hierarchical"}, (1.74 / 2.02, 1.38 / 1.50)
    ),
    "hierarchical_both": Mechanism(
        "hierarchical both",
        {"layer_composition": "hierarchical", "head_composition": "hierarchical"},
        (1.42 / 2.02, 1.25 / 1.50),
    ),
    "ril_dense": Mechanism("RIL dense", {"roles": "dense", "role_residual": False}),
    "ril_softmax": Mechanism("RIL softmax + residual", {"roles": "softmax"}),
    "ril_low_rank": Mechanism("RIL low rank", {"roles": "dense", "role_low_rank": True}),
    "ril_cnn": Mechanism("RIL softmax + residual, CNN", {"roles": "softmax", "role_context": "cnn"}),
    "contextualized": Mechanism("contextualised", {"roles": "contextualized"}),
    "all": Mechanism("fusion + NI both + RIL softmax", {"shortcuts": "fusion", **_NI_BOTH, "roles": "softmax"}),
}


def compile_together(works: Sequence[Work]) -> None:
    """Runs training and decoding of all once, at the same time: the first run compiles, on one core each."""
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        runs = [pool.submit(work.measure, what) for work in works for what in work.operations]
    for run in runs:
        run.result()


def compare(plain: Work, variant: Work, rounds: int, clock: Callable[[], float]) -> dict[str, tuple[float, float]]:
    """The variant's speed over the plain model's, measured and counted, in training and in decoding."""
    ratios = {}
    for what, operations in plain.operations.items():
        for work in (variant, plain, variant):
            work.measure(what)  # the first call allocates
        before, found = plain.measure(what, clock), []
        for _ in range(rounds):
            seconds, after = variant.measure(what, clock), plain.measure(what, clock)
            found.append((before + after) / 2 / seconds)
            before = after
        ratios[what] = statistics.median(found), operations / variant.operations[what]
    return ratios


def main(
    preset: Annotated[str, typer.Option(help="Sizes of the model.")] = "transformer_base",
    vocabulary_size: Annotated[int, typer.Option(help="Subwords of the joint vocabulary.")] = 32000,
    batch: Annotated[int, typer.Option(help="Sentences per training update.")] = 8,
    length: Annotated[int, typer.Option(help="Tokens per sentence.")] = 24,
    sentences: Annotated[int, typer.Option(help="Sentences decoded at once.")] = 4,
    steps: Annotated[int, typer.Option(help="Tokens decoded.")] = 16,
    beam: Annotated[int, typer.Option(help="Hypotheses per sentence.")] = 4,
    rounds: Annotated[int, typer.Option(help="Measurements per variant.")] = 5,
    dtype: Annotated[str, typer.Option(help="float32, or mixed_bfloat16 if the processor supports it.")] = "float32",
    mechanisms: Annotated[str, typer.Option(help="Names of mechanisms, separated by commas. Default: all.")] = "",
    cpu_time: Annotated[
        bool, typer.Option("--cpu-time", help="Measure processor time: for a core that other programs use, too.")
    ] = False,
    together: Annotated[int, typer.Option(help="Variants that are compiled at the same time.")] = 1,
    threads: Annotated[int, typer.Option(help="Threads of one operation. Default: one per core.")] = 0,
    output: Annotated[Path | None, typer.Option(metavar="FILE", help="Writes the table: .md or .json.")] = None,
) -> None:
    """Measures and counts the speed of each mechanism relative to the plain Transformer."""
    names = [name.strip() for name in mechanisms.split(",")] if mechanisms else list(MECHANISMS)
    if unknown := sorted(set(names) - set(MECHANISMS)):
        raise UserError(f"Known mechanisms are {', '.join(MECHANISMS)}. Received: {', '.join(unknown)}")
    if preset not in TRANSFORMER_PRESETS:
        raise UserError(f"Known presets are {', '.join(TRANSFORMER_PRESETS)}. Received: preset={preset!r}")
    if vocabulary_size <= FIRST_WORD or min(batch, length, sentences, steps, beam, rounds, together) < 1:
        raise UserError(
            f"Sizes must be at least 1, the vocabulary above {FIRST_WORD}. Received: "
            f"vocabulary_size={vocabulary_size}, batch={batch}, length={length}, sentences={sentences}, "
            f"steps={steps}, beam={beam}, rounds={rounds}, together={together}"
        )
    if threads:
        if keras.backend.backend() != "tensorflow":
            raise UserError(f"Only TensorFlow's threads can be set. Received: threads={threads}")
        import tensorflow as tf

        tf.config.threading.set_intra_op_parallelism_threads(threads)
        tf.config.threading.set_inter_op_parallelism_threads(1)
    clock = time.process_time if cpu_time else time.perf_counter
    sizes = Sizes(batch, length, sentences, steps, beam)

    def work(arguments: dict[str, Any]) -> Work:
        keras.utils.set_random_seed(1)
        arguments = {"source_vocabulary_size": vocabulary_size, "dtype": dtype, **arguments}
        return Work(Transformer.from_preset(preset, **arguments), sizes)

    console = Console()
    console.width = max(console.width, 100)  # wrapped lines are more readable than cells of two lines
    rows: list[list[str]] = []
    with console.status("plain model") as status:
        plain = work({})
        compile_together([plain])
        for start in range(0, len(names), together):
            group = names[start : start + together]
            status.update(", ".join(MECHANISMS[name].title for name in group))
            variants = {name: work(MECHANISMS[name].arguments) for name in group}
            compile_together(list(variants.values()))
            for name, variant in variants.items():
                mechanism = MECHANISMS[name]
                ratios = compare(plain, variant, rounds, clock)
                paper = [f"{ratio:.3f}" for ratio in mechanism.paper]
                cells = [f"{ratio:.3f}" for what in ("training", "decoding") for ratio in ratios[what]]
                rows.append([mechanism.title, *cells, *paper, *[""] * (2 - len(paper))])
                write_table(output, COLUMNS, rows)  # after each row, for interrupted runs
            del variants, variant
            keras.backend.clear_session()
            gc.collect()  # a model and its graphs refer to each other
    print_table(console, [column.replace(" ", "\n") for column in COLUMNS], rows)


if __name__ == "__main__":
    run_app(main)
