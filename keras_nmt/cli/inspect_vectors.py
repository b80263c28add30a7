"""The commands of `inspect` that read vectors of sentences, and the attention of a bridge."""

from __future__ import annotations

import dataclasses
import functools
import json
from pathlib import Path
from typing import Annotated, Any

import typer

from keras_nmt import analysis
from keras_nmt.cli.inspect_common import OUTPUT, SHARED, Directories, Inspection, Seeds, file_name
from keras_nmt.cli.options import Language, Source, Weights, names_in, refuse_without, with_options
from keras_nmt.errors import UserError, require
from keras_nmt.files.model_config import ModelFiles
from keras_nmt.text.text_files import read_lines

Vectors = Annotated[
    str,
    typer.Option(
        help="states: mean of the encoder's output; layer:N: of a layer; of a bridge, mean, head:N, heads (joined) or "
        "each-head (each by itself, in a table and a picture of each task)."
    ),
]


@with_options(SHARED)
def senteval(
    directories: Directories,
    data: Annotated[Path, typer.Option(help="SentEval's folder of data.")],
    tasks: Annotated[str, typer.Option(help="Tasks, separated by commas, such as MR,TREC,MRPC,SICK-E,STS12.")],
    vectors: Vectors = "states",
    seeds: Seeds = 1,
    **shared: Any,
) -> None:
    """Measures vectors of sentences on SentEval's classification, relatedness and similarity tasks."""
    inspection = Inspection(directories, **shared)
    _vectors_on_tasks("senteval", inspection, data, names_in(tasks), vectors, seeds)


@with_options(SHARED)
def probing(
    directories: Directories,
    data: Annotated[Path, typer.Option(help="Folder of the probing tasks' files, such as sentence_length.txt.")],
    tasks: Annotated[str | None, typer.Option(help="Tasks, separated by commas. Default: all ten.")] = None,
    vectors: Vectors = "states",
    seeds: Seeds = 5,
    **shared: Any,
) -> None:
    """Measures the ten probing tasks on vectors of sentences, with averages by kind."""
    from keras_nmt.analysis.task_data import PROBING  # here: imports NumPy

    inspection = Inspection(directories, **shared)
    chosen = [*PROBING] if tasks is None else names_in(tasks)
    _vectors_on_tasks("probing", inspection, data, chosen, vectors, seeds)


@with_options(OUTPUT)
def transfer(
    directories: Directories,
    data: Annotated[
        Path,
        typer.Option(
            help="Folder of XNLI's tables, named train.LANG.tsv or dev.LANG.tsv, test.LANG.tsv and test.labels, or of "
            "train.CLASS.LANG and test.CLASS.LANG."
        ),
    ],
    vectors: Vectors = "mean",
    **shared: Any,
) -> None:
    """Trains classifiers on vectors of one language, and of all, and tests them on every language."""
    inspection = Inspection(directories, **shared)
    require(data.is_dir(), f"There is no such folder. Received: {data}")  # before the models are loaded

    def measure(model: ModelFiles) -> Any:
        return analysis.transfer(model, data, vectors=vectors)

    inspection.measure("transfer", measure, [data], vectors=vectors)


def _vectors_on_tasks(
    name: str, inspection: Inspection, data: Path, tasks: list[str], vectors: str, seeds: int
) -> None:
    from keras_nmt.analysis.task_data import read_senteval  # here: imports NumPy

    for task in tasks:  # a missing file is named before the first task runs
        read_senteval(data, task)

    def measure(task: str, model: ModelFiles) -> Any:
        return analysis.senteval(
            model, data, [task], vectors=vectors, seeds=range(1, seeds + 1), **inspection.languages
        )

    def finish(measured: Any) -> Any:
        from keras_nmt.analysis.senteval_scores import with_averages

        return dataclasses.replace(with_averages(measured), analysis=name)

    parts = {task: functools.partial(measure, task) for task in tasks}
    inspection.measure_parts(name, parts, [data], finish=finish, vectors=vectors, seeds=seeds)


@with_options(OUTPUT)
def bridge(
    context: typer.Context,
    directories: Directories,
    source: Source,
    language: Language,
    first: Annotated[
        int | None,
        typer.Option(min=0, help="How many heads are the first ones. Default: each sentence's number of tokens."),
    ] = None,
    heat_maps: Annotated[
        int, typer.Option(min=0, help="Sentences whose attention is drawn, in a folder of --output for each model.")
    ] = 10,
    weights: Weights = None,
    **shared: Any,
) -> None:
    """Measures how widely the heads of attention bridges look at sentences, and draws their attention.

    Numbers are mean entropies in nats: 0 is one token, log n all of n tokens alike. Empty lines are left out.
    """
    if (output := shared["output"]) is None:
        refuse_without(context, "heat_maps", "--output FOLDER")
    inspection = Inspection(directories, **shared)
    is_right = weights is None or len(inspection.names) <= 1
    problem = "--weights is a file of one model: give one directory"
    require(is_right, f"{problem}. Received: --weights {weights} with {', '.join(map(str, inspection.names))}")
    lines = {number: line for number, line in enumerate(read_lines(source), 1) if line.strip()}
    require(lines, f"--source must have a line with text. Received: {source}")

    def measure(files: ModelFiles) -> analysis.Measurements:
        from keras_nmt.inference.load import load

        model, tokenizers, *_ = load(files, weights=weights)
        if language not in tokenizers:
            raise UserError(f"The model has the languages {', '.join(tokenizers)}. Received: --language {language}")
        attentions = analysis.bridge_attention(model, tokenizers[language], language, list(lines.values()))
        if output is not None and heat_maps:
            drawn = dict(list(zip(lines, attentions, strict=True))[:heat_maps])
            _draw(drawn, output / file_name(inspection.names[files]))
        return analysis.bridge_entropy(attentions, num_first=first)

    inspection.measure("bridge", measure, [source, weights], language=language, first=first, heat_maps=heat_maps)


def _draw(attentions: dict[int, analysis.BridgeAttention], folder: Path) -> None:
    """Writes attention.jsonl, and attention-LINE.png for each line, in place of those of earlier lines."""
    from keras_nmt.analysis.measurements import save_figure
    from keras_nmt.files.atomic_files import write_text

    rows = [
        {"line": line, "tokens": tokens, "attention": values.tolist()} for line, (tokens, values) in attentions.items()
    ]
    write_text(folder / "attention.jsonl", "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    paths = {line: folder / f"attention-{line}.png" for line in attentions}
    for line, attention in attentions.items():
        save_figure(paths[line], analysis.plot_bridge_attention(attention, title=f"line {line}"))
    for old in {*folder.glob("attention-*.png")} - {*paths.values()}:
        old.unlink()


VECTOR_COMMANDS = (senteval, probing, transfer, bridge)
