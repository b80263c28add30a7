"""Seconds and BLEU of searches whose translations must have phrases of the references.

    python benchmarks/constraints.py --model DIR --lines test.en --references test.de --output constraints.md

The first row is the search without constraints, the row with 0 that with an empty list for each line. See README.md
beside this file.
"""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import sacrebleu
import tensorflow as tf
import typer
from rich.console import Console
from support import CpuTime, Run, check_sizes, clock_of, in_turn, print_table, timed, write_table

from keras_nmt.cli.run_app import run_app
from keras_nmt.errors import UserError
from keras_nmt.files.process_resources import translation_threads
from keras_nmt.inference import Translator
from keras_nmt.text.text_files import read_line_pairs

COLUMNS = ("constraints of a line", "of all, met", "lines", "seconds", "sentences/s", "time of first", "BLEU")
PUNCTUATION = ".,;:!?\"'()„“”»«-"


def draw_phrases(reference: str, number: int, longest: int, rng: random.Random) -> list[str]:
    """Draws up to `number` phrases of one to `longest` words each, which do not overlap, in the reference's order."""
    words = [word.strip(PUNCTUATION) for word in reference.split()]
    sizes, start = [], 0
    while start < len(words):
        sizes.append((start, min(start + rng.randint(1, longest), len(words))))
        start = sizes[-1][1]
    phrases = [" ".join(words[start:stop]).strip() for start, stop in sizes]
    places = [place for place, phrase in enumerate(phrases) if phrase and "|" not in phrase]
    return [phrases[place] for place in sorted(rng.sample(places, min(number, len(places))))]


def program(
    translator: Translator, constraints: list[list[str]] | None, met: list[float], clock: Callable[[], float]
) -> Run:
    """Returns the translator with the constraints of all lines; `met` gets the share that the best hypotheses meet."""

    def translate(lines: list[str]) -> list[str]:
        found = translator.translate(lines, constraints=constraints)
        of_all = [x for translation in found for x in translation.hypotheses[0].met]
        met[:] = [sum(of_all) / len(of_all)] if of_all else []
        return [translation.text for translation in found]

    return timed(translate, clock)


def main(
    model: Annotated[Path, typer.Option(metavar="DIR", help="Model directory of one language pair.")],
    lines: Annotated[Path, typer.Option(metavar="FILE", help="Text to translate.")],
    references: Annotated[Path, typer.Option(metavar="FILE", help="References, of which the phrases are.")],
    numbers: Annotated[str, typer.Option(help="Constraints of a line, separated by commas.")] = "0,1,4,10",
    longest: Annotated[int, typer.Option(help="Most words of a phrase.")] = 1,
    limit: Annotated[int, typer.Option(help="The first lines of the files.")] = 1000,
    beam: Annotated[int, typer.Option(help="Hypotheses that the search keeps.")] = 4,
    rounds: Annotated[int, typer.Option(help="Measurements of each search.")] = 3,
    xla: Annotated[bool, typer.Option("--xla", help="Compile by XLA.")] = False,
    cpu_time: CpuTime = False,
    seed: Annotated[int, typer.Option(help="Seed of the phrases.")] = 1,
    output: Annotated[Path | None, typer.Option(metavar="FILE", help="Writes the table: .md or .json.")] = None,
) -> None:
    """Measures searches with and without constraints in turn."""
    counts = [int(number) if number.strip().isdecimal() else -1 for number in numbers.split(",")]
    if min(counts) < 0:
        raise UserError(f"Give numbers of at least 0 with commas between them. Received: numbers={numbers!r}")
    check_sizes(longest=longest, limit=limit, beam=beam, rounds=rounds)
    tf.config.threading.set_intra_op_parallelism_threads(translation_threads())  # as `keras-nmt translate` does
    texts, wanted = (side[:limit] for side in read_line_pairs(lines, references))
    translator = Translator.from_directory(model, beam_size=beam, jit_compile=xla)
    clock = clock_of(cpu_time)
    programs, met = {}, {}
    phrases: dict[str, Sequence[list[str]] | None] = {"none": None}
    for count in counts:
        rng = random.Random(seed)
        phrases[str(count)] = [draw_phrases(reference, count, longest, rng) for reference in wanted]
    for name, constraints in phrases.items():
        met[name] = list[float]()
        programs[name] = program(translator, None if constraints is None else list(constraints), met[name], clock)
    console = Console()
    with console.status("Translating"):
        seconds, translations = in_turn(programs, [texts], rounds)
    rows: list[list[str]] = []
    for name, found in translations.items():
        taken: Any = statistics.median(seconds[name])
        ratio = statistics.median(a / b for a, b in zip(seconds[name], seconds["none"], strict=True))
        share = f"{met[name][0]:.1%}" if met[name] else ""
        bleu = sacrebleu.corpus_bleu(found, [wanted]).score
        shown = name
        if phrases[name]:
            mean = statistics.mean(map(len, phrases[name] or []))
            shown = name if mean == int(name) else f"{name}, mean {mean:.1f}"
        cells = [f"{taken:.2f}", f"{len(texts) / taken:.1f}", f"{ratio:.2f}", f"{bleu:.1f}"]
        rows.append([shown, share, str(len(texts)), *cells])
    write_table(output, COLUMNS, rows)
    print_table(console, COLUMNS, rows)


if __name__ == "__main__":
    run_app(main)
