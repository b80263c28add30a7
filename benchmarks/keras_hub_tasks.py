"""Seconds of `generate` of a task of keras_hub by our beam search, beside keras_hub's own, on the same model.

    python benchmarks/keras_hub_tasks.py --model DIR --lines test.en --output keras_hub_tasks.md

Both samplers keep as many hypotheses, read the same batches and write into the same length. See README.md beside this
file.
"""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import Annotated

import keras_hub
import typer
from rich.console import Console
from support import CpuTime, Run, check_sizes, clock_of, in_turn, print_table, timed, write_table

from keras_nmt.cli.run_app import run_app
from keras_nmt.hub import BeamSampler, TranslationSeq2SeqLM
from keras_nmt.text.text_files import read_lines

COLUMNS = ("sampler", "compiled by XLA", "batch", "lines", "seconds", "sentences/s", "ratio", "equal")


def program(task: TranslationSeq2SeqLM, batch: int, length: int, cpu_time: bool) -> Run:
    """Returns the task, which translates `batch` lines at a time."""

    def translate(lines: list[str]) -> list[str]:
        parts = [lines[start : start + batch] for start in range(0, len(lines), batch)]
        return [text for part in parts for text in task.generate(part, max_length=length)]

    return timed(translate, clock_of(cpu_time))


def main(
    model: Annotated[Path, typer.Option(metavar="DIR", help="Model directory of one language pair.")],
    lines: Annotated[Path, typer.Option(metavar="FILE", help="Text to translate.")],
    limit: Annotated[int, typer.Option(help="The first lines of the file.")] = 1000,
    batch: Annotated[int, typer.Option(help="Lines of a call of `generate`.")] = 64,
    beam: Annotated[int, typer.Option(help="Hypotheses that the search keeps.")] = 4,
    length: Annotated[int, typer.Option(help="Most subwords of a translation, with its begin.")] = 64,
    rounds: Annotated[int, typer.Option(help="Measurements of each sampler.")] = 3,
    xla: Annotated[bool, typer.Option("--xla", help="Compile by XLA.")] = False,
    cpu_time: CpuTime = False,
    output: Annotated[Path | None, typer.Option(metavar="FILE", help="Writes the table: .md or .json.")] = None,
) -> None:
    """Measures both samplers in turn."""
    check_sizes(limit=limit, batch=batch, beam=beam, length=length, rounds=rounds)
    texts = read_lines(lines)[:limit]
    samplers = {"keras_nmt.hub": BeamSampler(beam, 0.0), "keras_hub": keras_hub.samplers.BeamSampler(beam)}
    programs = {}
    for name, sampler in samplers.items():
        task = TranslationSeq2SeqLM.from_directory(model)
        task.compile(sampler=sampler, jit_compile=xla)
        programs[name] = program(task, batch, length, cpu_time)
    console = Console()
    with console.status("Translating"):
        seconds, translations = in_turn(programs, [texts], rounds)
    rows = []
    for name, found in translations.items():
        taken = statistics.median(seconds[name])
        ratio = statistics.median(a / b for a, b in zip(seconds[name], seconds["keras_nmt.hub"], strict=True))
        equal = sum(a == b for a, b in zip(found, translations["keras_nmt.hub"], strict=True)) / len(texts)
        cells = [f"{taken:.2f}", f"{len(texts) / taken:.1f}", f"{ratio:.2f}", f"{equal:.1%}"]
        rows.append([name, "yes" if xla else "no", str(batch), str(len(texts)), *cells])
    write_table(output, COLUMNS, rows)
    print_table(console, COLUMNS, rows)


if __name__ == "__main__":
    run_app(main)
