"""Matrix products in bfloat16 beside float32, plain and compiled by XLA, for many rows and for one.

    python benchmarks/bfloat16_products.py

Shortest processor time of one thread, as a share of that of float32 in the same way. See docs/performance.md.
"""

from __future__ import annotations

import os
import time
from typing import Annotated

import typer
from rich.console import Console
from support import print_table

from keras_nmt.cli.run_app import import_tensorflow, run_app

COLUMNS = ("rows", "plain TensorFlow", "XLA:CPU")


def main(
    width: Annotated[int, typer.Option(min=1, help="Columns of the rows.")] = 512,
    columns: Annotated[int, typer.Option(min=1, help="Columns of the product.")] = 2048,
    rounds: Annotated[int, typer.Option(min=1, help="Measurements, of which the shortest counts.")] = 30,
) -> None:
    """Measures products in bfloat16 and float32."""
    os.environ["TF_NUM_INTRAOP_THREADS"] = "1"
    import_tensorflow()
    import tensorflow as tf

    def seconds(rows: int, dtype: str, jit_compile: bool) -> float:
        """The time of a chain of products, each of which reads another kernel, as the layers of a step."""
        states = tf.cast(tf.random.normal([rows, width]), dtype)
        kernels = [tf.cast(tf.random.normal([width, columns]), dtype) for _ in range(8)]
        chain = tf.function(lambda x: [tf.matmul(x, kernel) for kernel in kernels], jit_compile=jit_compile)
        chain(states)
        found = []
        for _ in range(rounds):
            start = time.process_time()
            chain(states)[-1].numpy()
            found.append(time.process_time() - start)
        return min(found)

    table = []
    for rows in (1, 64, 1024):
        shares = [seconds(rows, "bfloat16", xla) / seconds(rows, "float32", xla) for xla in (False, True)]
        table.append([str(rows), *(f"{share:.2f}" for share in shares)])
    print_table(Console(), COLUMNS, table)


if __name__ == "__main__":
    run_app(main)
