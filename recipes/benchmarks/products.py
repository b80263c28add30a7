"""Processor time of single products of a step of search: three products or one, float32 or int8.

    python recipes/benchmarks/products.py --output products.md

Variants of a product take turns, on one thread; the ratio is the median over the same rounds. See README.md beside this
file.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import tensorflow as tf
import typer
from print_table import print_table
from rich.console import Console
from sizes import check_sizes
from write_table import write_table

from keras_nmt.cli.run_app import run_app

BEAM = 4
COLUMNS = ("product", "rows", "width", "variant", "milliseconds", "time of first")
Variants = dict[str, Callable[[], Any]]


def self_attention(rows: int, width: int, repetitions: int) -> Variants:
    """Queries, keys and values of `rows` hypotheses: three products, or one with matrices joined before the loop."""
    x = tf.random.normal([rows // BEAM, BEAM, width])
    kernels = [tf.Variable(tf.random.normal([width, width])) for _ in range(3)]
    biases = [tf.Variable(tf.random.normal([width])) for _ in range(3)]

    def loop(project: Callable[[tf.Tensor], list[tf.Tensor]]) -> tf.Tensor:
        def step(count: tf.Tensor, x: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
            parts = [tf.reshape(part, [-1, BEAM, width]) for part in project(tf.reshape(x, [-1, width]))]
            return count + 1, tf.add_n(parts) * 1e-3

        return tf.while_loop(lambda count, x: count < repetitions, step, (0, x), parallel_iterations=1)[1]

    def apart() -> tf.Tensor:
        both = list(zip(kernels, biases, strict=True))
        return loop(lambda x: [tf.nn.bias_add(tf.matmul(x, kernel), bias) for kernel, bias in both])

    def joined() -> tf.Tensor:
        kernel, bias = tf.concat(kernels, 1), tf.concat(biases, 0)
        return loop(lambda x: tf.split(tf.nn.bias_add(tf.matmul(x, kernel), bias), 3, axis=1))

    return {"three products": graph(apart), "one product": graph(joined)}


def logits(rows: int, width: int, vocabulary: int) -> Variants:
    """States of `rows` hypotheses times the table of the output, in float32 and in int8."""
    states, table = tf.Variable(tf.random.normal([rows, width])), tf.Variable(tf.random.normal([width, vocabulary]))
    states8, table8 = (tf.Variable(tf.cast(tf.round(x * 30), tf.int8)) for x in (states, table))

    def in_float() -> tf.Tensor:
        return tf.matmul(states, table)

    def in_int8() -> tf.Tensor:
        return tf.matmul(states8, table8, output_type=tf.int32)

    return {
        "float32": graph(in_float),
        "float32, XLA": graph(in_float, jit_compile=True),
        "int8": graph(in_int8),
        "int8, XLA": graph(in_int8, jit_compile=True),
        "int8 converted to float32": graph(lambda: tf.matmul(states, tf.cast(table8, tf.float32))),
    }


def graph(body: Callable[[], tf.Tensor], jit_compile: bool | None = None) -> Callable[[], Any]:
    return tf.function(body, autograph=False, jit_compile=jit_compile)


def measure(variants: Variants, calls: int, rounds: int) -> dict[str, tuple[float, float]]:
    """The median milliseconds of processor time of a call, and the median ratio to the first variant."""
    milliseconds: dict[str, list[float]] = {name: [] for name in variants}
    for number in range(-1, rounds):  # the first round traces
        for name in list(variants) if number % 2 else list(variants)[::-1]:
            start = time.process_time()
            for _ in range(calls):
                variants[name]()
            if number >= 0:
                milliseconds[name].append((time.process_time() - start) / calls * 1e3)
    first = next(iter(milliseconds.values()))
    return {
        name: (statistics.median(found), statistics.median(a / b for a, b in zip(found, first, strict=True)))
        for name, found in milliseconds.items()
    }


def main(
    vocabulary: Annotated[int, typer.Option(help="Subwords of the output.")] = 8000,
    repetitions: Annotated[int, typer.Option(help="Products of a loop.")] = 100,
    calls: Annotated[int, typer.Option(help="Products of the output in a measurement.")] = 3,
    rounds: Annotated[int, typer.Option(help="Measurements of each variant.")] = 9,
    output: Annotated[Path | None, typer.Option(metavar="FILE", help="Writes the table: .md or .json.")] = None,
) -> None:
    """Measures products of a step of search."""
    check_sizes(vocabulary=vocabulary, repetitions=repetitions, calls=calls, rounds=rounds)
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    rows: list[list[str]] = []

    def add(product: str, count: int, width: int, variants: Variants, calls: int) -> None:
        for name, (taken, ratio) in measure(variants, calls, rounds).items():
            rows.append([product, str(count), str(width), name, f"{taken:.2f}", f"{ratio:.2f}"])

    for count, width in ((16 * BEAM, 256), (16 * BEAM, 512), (64 * BEAM, 256)):
        add(f"self-attention, {repetitions} steps", count, width, self_attention(count, width, repetitions), 1)
    for count in (16 * BEAM, BEAM):
        add("logits", count, 256, logits(count, 256, vocabulary), calls)
    write_table(output, COLUMNS, rows)
    print_table(Console(), COLUMNS, rows)


if __name__ == "__main__":
    run_app(main)
