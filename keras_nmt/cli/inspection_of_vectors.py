"""The commands of `inspect` that classify and compare vectors of sentences."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from keras_nmt.cli.measured import Directories, Inspection, Output, Seeds
from keras_nmt.cli.options import Import, SourceLanguage, TargetLanguage
from keras_nmt.errors import UserError

Vectors = Annotated[
    str,
    typer.Option(
        help="states: mean of the encoder's output; layer:N: of a layer; of a bridge, mean, head:N, heads (joined) or "
        "each-head (each by itself, in a table and a picture of each task)."
    ),
]


def senteval(
    directories: Directories,
    data: Annotated[Path, typer.Option(help="SentEval's folder of data.")],
    tasks: Annotated[str, typer.Option(help="Tasks, separated by commas, such as MR,TREC,MRPC,SICK-E,STS12.")],
    vectors: Vectors = "states",
    seeds: Seeds = 1,
    output: Output = None,
    source_language: SourceLanguage = None,
    target_language: TargetLanguage = None,
    import_: Import = None,
) -> None:
    """Measures vectors of sentences on SentEval's classification, relatedness and similarity tasks."""
    inspection = Inspection(directories, output, source_language, target_language, imports=import_)
    _vectors_on_tasks("senteval", inspection, data, tasks.split(","), vectors, seeds)


def probing(
    directories: Directories,
    data: Annotated[Path, typer.Option(help="Folder of the probing tasks' files, such as sentence_length.txt.")],
    tasks: Annotated[str | None, typer.Option(help="Tasks, separated by commas. Default: all ten.")] = None,
    vectors: Vectors = "states",
    seeds: Seeds = 5,
    output: Output = None,
    source_language: SourceLanguage = None,
    target_language: TargetLanguage = None,
    import_: Import = None,
) -> None:
    """Measures the ten probing tasks on vectors of sentences, with averages by kind."""
    from keras_nmt.files.senteval_data import PROBING  # here: imports NumPy

    inspection = Inspection(directories, output, source_language, target_language, imports=import_)
    chosen = [*PROBING] if tasks is None else tasks.split(",")
    _vectors_on_tasks("probing", inspection, data, chosen, vectors, seeds)


def transfer(
    directories: Directories,
    data: Annotated[Path, typer.Option(help="Folder of XNLI's tables, or of train.CLASS.LANG and test.CLASS.LANG.")],
    vectors: Vectors = "mean",
    output: Output = None,
    import_: Import = None,
) -> None:
    """Trains classifiers on vectors of one language, and of all, and tests them on every language."""
    inspection = Inspection(directories, output, imports=import_)
    _check_folder(data)

    def measure(directory: Path) -> Any:
        from keras_nmt import analysis

        return analysis.transfer(directory, data, vectors=vectors)

    inspection.measure("transfer", measure, [data], vectors=vectors)


COMMANDS: dict[str, Callable[..., None]] = {command.__name__: command for command in (senteval, probing, transfer)}


def _check_folder(data: Path) -> None:
    if not data.is_dir():
        raise UserError(f"There is no such folder. Received: {data}")


def _vectors_on_tasks(
    name: str, inspection: Inspection, data: Path, tasks: list[str], vectors: str, seeds: int
) -> None:
    _check_folder(data)
    from keras_nmt.files.senteval_data import read_senteval  # here: imports NumPy

    for task in tasks:  # a missing file is named before the first task runs
        read_senteval(data, task)

    def of_task(task: str) -> Callable[[Path], Any]:
        def measure(directory: Path) -> Any:
            from keras_nmt import analysis

            return analysis.senteval(
                directory, data, [task], vectors=vectors, seeds=range(1, seeds + 1), **inspection.languages
            )

        return measure

    def finish(measured: Any) -> Any:
        from keras_nmt.analysis.senteval import with_averages

        return dataclasses.replace(with_averages(measured), analysis=name)

    parts = {task: of_task(task) for task in tasks}
    inspection.measure_parts(name, parts, [data], finish=finish, vectors=vectors, seeds=seeds)
