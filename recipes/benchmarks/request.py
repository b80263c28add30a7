"""One request with many sentences: seconds, peak memory, and a comparison of the answers with small requests.

    python recipes/benchmarks/request.py savedmodels/MODEL/1 --lines LINES --rows 10000

The sentences of LINES are repeated, each time with another number appended. See README.md beside this file.
"""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Annotated

import typer

from keras_nmt.cli.run_app import import_tensorflow, run_app
from keras_nmt.errors import UserError
from keras_nmt.files.peak_memory import peak_memory

SMALL = 64  # sentences of a small request


def main(
    version: Annotated[Path, typer.Argument(help="Folder of a version, as `keras-nmt export` writes it.")],
    lines: Annotated[Path, typer.Option(help="File of sentences.")],
    rows: Annotated[int, typer.Option(min=1, help="Sentences of the request.")] = 10_000,
    signature: Annotated[str, typer.Option(help="serving_default or serving_default_xla.")] = "serving_default",
    apart: Annotated[int, typer.Option(min=0, help="Sentences to translate again, in small requests.")] = 640,
) -> None:
    """Sends one request to an export in this process and prints its time and the peak of resident memory."""
    import_tensorflow()
    import tensorflow as tf

    from keras_nmt.data import read_lines

    sentences = read_lines(lines)
    texts = [f"{sentences[i % len(sentences)]} {i // len(sentences)}".removesuffix(" 0") for i in range(rows)]
    signatures = tf.saved_model.load(str(version)).signatures
    if signature not in signatures:
        raise UserError(f"The export has the signatures {', '.join(signatures)}. Received: {signature}")
    translate = signatures[signature]
    translate(text=tf.constant(texts[:2]))
    loaded, start = peak_memory(), time.monotonic()
    together = translate(text=tf.constant(texts))["translation"].numpy().tolist()
    seconds, peak = time.monotonic() - start, peak_memory()
    chosen = random.Random(1).sample(range(rows), min(apart, rows))
    parts = [chosen[i : i + SMALL] for i in range(0, len(chosen), SMALL)]
    again = [translate(text=tf.constant([texts[i] for i in part]))["translation"].numpy().tolist() for part in parts]
    equal = sum(
        together[i] == text
        for part, found in zip(parts, again, strict=True)
        for i, text in zip(part, found, strict=True)
    )
    print(
        f"{signature}, {rows:,} sentences: {seconds:.1f} s, peak {peak / 2**20:,.0f} MiB "
        f"({loaded / 2**20:,.0f} MiB after a request of 2); {equal} of {len(chosen)} answers as in requests of {SMALL}"
    )


if __name__ == "__main__":
    run_app(main)
