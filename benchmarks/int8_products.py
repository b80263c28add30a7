"""Milliseconds of products of int8 beside float32 and bfloat16, by the operators that TensorFlow has for the CPU.

    python benchmarks/int8_products.py --threads 1 --output int8_products.md

The sizes are those of the output projection in a step of decoding. Operators take turns, and the shortest time counts.
An operator without a kernel for the types is in the table with its error. See README.md beside this file.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import tensorflow as tf
import typer
from rich.console import Console
from support import check_sizes, print_table, write_table

from keras_nmt.cli.run_app import run_app
from keras_nmt.errors import one_line

SIZES = ((256, 256, 8000), (64, 512, 32000))  # rows, width, subwords
COLUMNS = ("sizes", "operator", "ms", "GFLOP/s", "time of float32", "result")
# With these ends of a range, a quantised value stands for itself.
ENDS = {tf.qint8: (-127.0, 127.0), tf.quint8: (0.0, 255.0)}
LONGEST = 1.0  # seconds after which an operator is not measured again
INT32 = (-(2**31), 2**31 - 1)


def public(name: str, kind: tf.DType, with_bias: bool, **more: Any) -> Callable[..., tf.Tensor]:
    """An operator of `tf.raw_ops` for rows of a type."""

    def product(x: tf.Tensor, w: tf.Tensor) -> tf.Tensor:
        second = tf.qint8 if with_bias else kind
        ends = {"min_a": ENDS[kind][0], "max_a": ENDS[kind][1], "min_b": ENDS[second][0], "max_b": ENDS[second][1]}
        bias = {"bias": tf.zeros([w.shape[1]])} if with_bias else {}
        operator = getattr(tf.raw_ops, name)
        mode = {"input_quant_mode": "SCALED" if kind == tf.qint8 else "MIN_FIRST"} if with_bias else {}
        found = operator(a=tf.bitcast(x, kind), b=tf.bitcast(w, second), **bias, **ends, **mode, **more)
        return found[0] if isinstance(found, tuple) else found

    return product


def uniform(x: tf.Tensor, w: tf.Tensor) -> tf.Tensor:
    """`UniformQuantizedDot`."""
    more: dict[str, Any] = {}
    for side, (least, most) in {"lhs": (-127, 127), "rhs": (-127, 127), "output": INT32}.items():
        more |= {f"{side}_scales": 1.0, f"{side}_zero_points": 0}
        more |= {f"{side}_quantization_min_val": least, f"{side}_quantization_max_val": most}
    return tf.raw_ops.UniformQuantizedDot(
        lhs=tf.bitcast(x, tf.qint8), rhs=tf.bitcast(w, tf.qint8), Tout=tf.qint32, **more
    )


OPERATORS: dict[str, tuple[tf.DType, Callable[..., tf.Tensor]]] = {
    "MatMul float32": (tf.float32, tf.matmul),
    "MatMul bfloat16": (tf.bfloat16, tf.matmul),
    "MatMul int8": (tf.int8, functools.partial(tf.matmul, output_type=tf.int32)),  # as Keras quantises
    "MatMul int32": (tf.int32, tf.matmul),
    "QuantizedMatMul": (tf.int8, public("QuantizedMatMul", tf.quint8, False)),
    "QuantizedMatMulWithBias": (tf.int8, public("QuantizedMatMulWithBias", tf.quint8, True)),
    "QuantizedMatMulWithBiasAndDequantize": (
        tf.int8,
        public(
            *("QuantizedMatMulWithBiasAndDequantize", tf.quint8, True),
            **{"min_freezed_output": 0.0, "max_freezed_output": 1.0, "Toutput": tf.float32},
        ),
    ),
    "UniformQuantizedDot": (tf.int8, uniform),
}


def measure(rows: int, width: int, subwords: int, rounds: int) -> list[list[str]]:
    """The table's rows of one size."""
    random = np.random.default_rng(1)
    # Small numbers that are not negative: a sum is exact in float32, and the same with and without a sign.
    x, w = (random.integers(0, 16, shape).astype(np.int8) for shape in ((rows, width), (width, subwords)))
    exact = x.astype(np.float64) @ w.astype(np.float64)
    runs, notes = {}, {}
    for name, (dtype, operator) in OPERATORS.items():
        given = tf.cast(x, dtype), tf.cast(w, dtype)
        run = functools.partial(tf.function(operator, autograph=False), *given)
        try:
            found = run()
        except (tf.errors.OpError, TypeError, ValueError) as error:
            notes[name] = one_line(error)[:80]
            continue
        if found.dtype == tf.qint32:
            found = tf.bitcast(found, tf.int32)
        largest = np.abs(tf.cast(found, tf.float64).numpy() / exact - 1).max()
        notes[name] = "exact" if largest < 1e-6 else f"wrong by up to {largest:.1%}"
        runs[name] = run
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            if sum(seconds[name]) > LONGEST:
                continue
            start = time.perf_counter()
            run()
            seconds[name].append(time.perf_counter() - start)
    first = min(seconds["MatMul float32"])
    table = []
    for name, note in notes.items():
        cells = ["", "", ""]
        if name in runs:
            least = min(seconds[name])
            cells = [f"{1e3 * least:.2f}", f"{2e-9 * rows * width * subwords / least:.0f}", f"{least / first:.2f}"]
        table.append([f"[{rows}, {width}] x [{width}, {subwords}]", name, *cells, note])
    return table


def main(
    rounds: Annotated[int, typer.Option(help="Most measurements of each operator; the shortest counts.")] = 20,
    threads: Annotated[int, typer.Option(help="Threads of an operator.")] = 1,
    output: Annotated[Path | None, typer.Option(metavar="FILE", help="Writes the table: .md or .json.")] = None,
) -> None:
    """Measures products of int8 beside float32 and bfloat16."""
    check_sizes(rounds=rounds, threads=threads)
    tf.config.threading.set_intra_op_parallelism_threads(threads)
    rows = [row for sizes in SIZES for row in measure(*sizes, rounds=rounds)]
    write_table(output, COLUMNS, rows)
    print_table(Console(width=150), COLUMNS, rows)


if __name__ == "__main__":
    run_app(main)
