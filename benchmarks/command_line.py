"""Seconds of whole commands, start-up included: `keras-nmt translate` beside a program of CTranslate2, and others.

    python benchmarks/command_line.py --model DIR --lines FILE --output command_line.md

CTranslate2 has no command of its own: its program here imports CTranslate2 and SentencePiece, loads the same weights,
translates all lines and ends. Commands take turns; the first round is not counted. See README.md beside this file.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Annotated

import typer
from peer_process import peer_command
from rich.console import Console
from support import Run, check_sizes, in_turn, print_table, write_table

from keras_nmt.cli.run_app import import_tensorflow, run_app
from keras_nmt.data import read_lines
from keras_nmt.errors import UserError

COLUMNS = ("command", "seconds", "slowest", "time of first", "equal")
BEAM, BATCH = 4, 64


def whole(command: list[str], answer: str = "") -> Run:
    """A command that reads lines and writes their translations, and its seconds from start to end.

    Args:
        command: List of strings.
        answer: String, "json" for the program of CTranslate2, "text" for one translation a line, or "" for none.
    """

    def run(calls: list[list[str]]) -> tuple[float, list[str]]:
        given = json.dumps(calls) if answer == "json" else "".join(f"{line}\n" for lines in calls for line in lines)
        start = time.perf_counter()
        ended = subprocess.run(command, input=given, capture_output=True, text=True)
        seconds = time.perf_counter() - start
        if ended.returncode:
            raise UserError(f"A command failed: {ended.stderr.strip()[-500:]}. Received: {' '.join(command)}")
        return seconds, json.loads(ended.stdout)[1] if answer == "json" else ended.stdout.removesuffix("\n").split("\n")

    return run


def main(
    model: Annotated[Path, typer.Option(metavar="DIR", help="Model directory of one language pair.")],
    lines: Annotated[Path, typer.Option(metavar="FILE", help="Text to translate.")],
    rounds: Annotated[int, typer.Option(help="Measurements of each command.")] = 3,
    threads: Annotated[int, typer.Option(help="Threads of CTranslate2.")] = 2,
    output: Annotated[Path | None, typer.Option(metavar="FILE", help="Writes the table: .md or .json.")] = None,
) -> None:
    """Measures commands as whole processes."""
    check_sizes(rounds=rounds, threads=threads)
    text = list(read_lines(lines))
    ours = [sys.executable, "-c", "from keras_nmt.cli.app import main; main()"]
    with tempfile.TemporaryDirectory() as folder:
        import_tensorflow()
        from keras_nmt.formats import export_ctranslate2
        from keras_nmt.inference import Translator

        translator = Translator.from_directory(model)
        export_ctranslate2(Path(folder) / "ctranslate2", translator.model, translator.tokenizers)
        (version,) = (Path(folder) / "ctranslate2").iterdir()
        peer = peer_command("CTranslate2", version, dtype="float32", batch=BATCH, threads=threads, beam=BEAM)
        translate = [*ours, "translate", str(model), "--beam-size", str(BEAM), "--length-penalty", "0"]
        commands = {
            "CTranslate2 float32": whole(peer, "json"),
            "keras-nmt translate": whole([*translate, "--batch-size", str(BATCH)], "text"),
            "keras-nmt info": whole([*ours, "info", str(model)]),
            "keras-nmt --help": whole([*ours, "--help"]),
        }
        seconds, texts = in_turn(commands, [text], rounds)
    first = next(iter(commands))
    rows = []
    for name in commands:
        ratio = statistics.median(a / b for a, b in zip(seconds[name], seconds[first], strict=True))
        translates = len(texts[name]) == len(text)
        equal = sum(a == b for a, b in zip(texts[name], texts[first], strict=True)) / len(text) if translates else 0
        cells = [f"{statistics.median(seconds[name]):.2f}", f"{max(seconds[name]):.2f}", f"{ratio:.2f}"]
        rows.append([name, *cells, f"{equal:.1%}" if translates else ""])
    write_table(output, COLUMNS, rows)
    print_table(Console(), COLUMNS, rows)


if __name__ == "__main__":
    run_app(main)
