"""Seconds of the warm-up requests of an export: tracing, and compiling a program by XLA for each request.

    keras-nmt export DIR savedmodels/MODEL --warmup LINES --warmup-xla
    python recipes/benchmarks/programs.py savedmodels/MODEL/1

Each request runs twice: the first run compiles. With `TF_XLA_FLAGS` of savedmodels/README.md, programs are kept on
disk, and a second call of the script shows what a restart costs. See README.md beside this file.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer
from print_table import print_table
from rich.console import Console
from write_table import write_table

from keras_nmt.cli.run_app import import_tensorflow, run_app
from keras_nmt.errors import UserError

COLUMNS = ("signature", "sentences", "words of the longest", "first run, s", "second run, s")


def main(
    version: Annotated[Path, typer.Argument(help="Folder of a version with warm-up requests.")],
    output: Annotated[Path | None, typer.Option(metavar="FILE", help="Writes the table: .md or .json.")] = None,
) -> None:
    """Runs the warm-up requests of an export, and prints the seconds of each and of all."""
    import_tensorflow()
    import tensorflow as tf

    from keras_nmt.serving._serving_api import serving_api
    from keras_nmt.serving.warmup import read_warmup

    _, apis = serving_api("warm-up requests")
    records = read_warmup(version)
    if not records:
        raise UserError(f"The version has no warm-up requests: export it with --warmup. Received: {version}")
    start = time.perf_counter()
    signatures = tf.saved_model.load(str(version)).signatures
    loading = time.perf_counter() - start
    rows, totals = [], [0.0, 0.0]
    for record in records:
        request = apis.prediction_log_pb2.PredictionLog.FromString(record).predict_log.request
        inputs = {name: tf.constant(tf.make_ndarray(value)) for name, value in request.inputs.items()}
        seconds = []
        for i in range(2):
            start = time.perf_counter()
            signatures[request.model_spec.signature_name](**inputs)["score"].numpy()
            seconds.append(time.perf_counter() - start)
            totals[i] += seconds[i]
        longest = max(len(text.split()) for text in inputs["text"].numpy())
        row = [request.model_spec.signature_name, str(len(inputs["text"])), str(longest)]
        rows.append([*row, *(f"{value:.2f}" for value in seconds)])
        write_table(output, COLUMNS, rows)
    print_table(Console(), COLUMNS, rows)
    print(f"{len(rows)} requests: {totals[0]:.1f} s, again {totals[1]:.1f} s; loading {loading:.1f} s")


if __name__ == "__main__":
    run_app(main)
