"""The command that writes a run's report: `report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from keras_nmt.cli.lines import check_outputs, output_lines
from keras_nmt.cli.options import Directory


def report(
    directory: Directory,
    output: Annotated[
        Path | None,
        typer.Option(help="File to write, *.html; - is standard output. Default: report.html in the directory."),
    ] = None,
    examples: Annotated[int, typer.Option(min=0, help="Test sentences to show.")] = 20,
) -> None:
    """Writes curves, scores, examples and settings of a run, also of a running one, as one HTML file."""
    from keras_nmt.experiments.reports import html_report

    path = output or directory / "report.html"
    check_outputs(path)
    page = html_report(directory, examples)
    with output_lines(path) as write:
        write(page.removesuffix("\n"))
