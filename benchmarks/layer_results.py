"""The results of every layer on the GPU beside those on the CPU, on Keras' current backend.

    KERAS_BACKEND=jax python benchmarks/layer_results.py --output layers.md

Outputs, gradients, steps and a short training of the layers' tests; two processes compute at the same time. Products of
float32 are exact to float32 in both. Without a GPU, both compute on the CPU.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from support import print_table, write_table

from keras_nmt.cli.run_app import run_app
from keras_nmt.errors import UserError

TESTS = Path(__file__).parents[1] / "tests"
SCRIPT = TESTS / "layers/every_layer.py"
COLUMNS = ("layer", "results", "largest difference", "equal")
TOLERANCE = 1e-3  # of the largest value of a result, or of 1
EXACT = {"NVIDIA_TF32_OVERRIDE": "0", "JAX_DEFAULT_MATMUL_PRECISION": "highest"}
# Compilation takes most of JAX's time. Only the results matter here.
ON_THE_CPU = {"CUDA_VISIBLE_DEVICES": "-1", "JAX_PLATFORMS": "cpu", "JAX_DISABLE_MOST_OPTIMIZATIONS": "1"}


def results() -> list[dict[str, np.ndarray]]:
    """The results on the CPU and on the default device, by name."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in ("cpu.npz", "default.npz")]
        modules = {"PYTHONPATH": f"{TESTS / 'support'}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
        processes = [
            subprocess.Popen([sys.executable, SCRIPT, file], env={**os.environ, **modules, **EXACT, **device})
            for file, device in zip(files, (ON_THE_CPU, {}), strict=True)
        ]
        codes = [process.wait() for process in processes]
        if any(codes):
            raise UserError(f"A layer fails; the output above says why. Received: exit codes {codes}, CPU first")
        return [dict(np.load(file)) for file in files]


def differences(expected: dict[str, np.ndarray], found: dict[str, np.ndarray]) -> dict[str, list[float]]:
    """The largest differences of the results of each layer, as parts of the largest value, or of 1."""
    by_layer: dict[str, list[float]] = {}
    for name, value in expected.items():
        difference = np.abs(value.astype("float64") - found[name]).max(initial=0) / max(1, np.abs(value).max(initial=0))
        by_layer.setdefault(name.split("/")[0], []).append(float(difference))
    return by_layer


def main(
    output: Annotated[Path | None, typer.Option(metavar="FILE", help="Writes the table: .md or .json.")] = None,
) -> None:
    """Compares every layer on the GPU with the CPU."""
    os.environ.setdefault("KERAS_BACKEND", "tensorflow")
    rows = []
    for layer, found in differences(*results()).items():
        worst = np.max(found)  # NaN if any is
        rows.append([layer, str(len(found)), f"{worst:.1e}", "yes" if worst <= TOLERANCE else "NO"])
    write_table(output, COLUMNS, rows)
    print_table(Console(), COLUMNS, rows)
    if wrong := [row[0] for row in rows if row[-1] != "yes"]:
        raise UserError(f"Layers compute something else on the GPU. Received: {', '.join(wrong)}")


if __name__ == "__main__":
    run_app(main)
