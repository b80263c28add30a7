"""The command of `inspect` that reads the attention of a bridge."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from keras_nmt.cli.measured import Directories, Inspection, Output, file_name
from keras_nmt.cli.options import Import, Language, Source, Weights, refuse_without
from keras_nmt.errors import UserError
from keras_nmt.files.read_lines import read_lines

if TYPE_CHECKING:
    from keras_nmt.analysis import BridgeAttention, Measurements


def bridge(
    context: typer.Context,
    directories: Directories,
    source: Source,
    language: Language,
    first: Annotated[
        int | None,
        typer.Option(min=0, help="How many heads are the first ones. Default: each sentence's number of tokens."),
    ] = None,
    output: Output = None,
    heat_maps: Annotated[
        int, typer.Option(min=0, help="Sentences whose attention is drawn, in a folder of --output for each model.")
    ] = 10,
    weights: Weights = None,
    import_: Import = None,
) -> None:
    """Measures how widely the heads of attention bridges look at sentences, and draws their attention.

    Numbers are mean entropies in nats: 0 is one token, log n all of n tokens alike. Empty lines are left out.
    """
    if output is None:
        refuse_without(context, "heat_maps", "--output FOLDER")
    inspection = Inspection(directories, output, imports=import_)
    if weights is not None and len(inspection.names) > 1:
        raise UserError(
            "--weights is a file of one model: give one directory. "
            f"Received: --weights {weights} with {', '.join(map(str, inspection.names))}"
        )
    lines = {number: line for number, line in enumerate(read_lines(source), 1) if line.strip()}
    if not lines:
        raise UserError(f"There are no sentences in --source. Received: {source}, without lines or with empty ones")

    def measure(directory: Path) -> Measurements:
        from keras_nmt.analysis import bridge_attention, bridge_entropy
        from keras_nmt.inference.load import load

        model, tokenizers, _ = load(directory, weights=weights)
        if language not in tokenizers:
            raise UserError(f"The model has the languages {', '.join(tokenizers)}. Received: --language {language}")
        attentions = bridge_attention(model, tokenizers[language], language, list(lines.values()))
        if output is not None and heat_maps:
            drawn = dict(list(zip(lines, attentions, strict=True))[:heat_maps])
            _draw(drawn, output / file_name(inspection.names[directory]))
        return bridge_entropy(attentions, num_first=first)

    inspection.measure("bridge", measure, [source, weights], language=language, first=first, heat_maps=heat_maps)


COMMANDS: dict[str, Callable[..., None]] = {"bridge": bridge}


def _draw(attentions: dict[int, BridgeAttention], folder: Path) -> None:
    """Writes attention.jsonl, and attention-LINE.png for each line."""
    from keras_nmt.analysis import plot_bridge_attention
    from keras_nmt.files.atomic_files import write_text
    from keras_nmt.files.figures import save_figure

    rows = [
        {"line": line, "tokens": tokens, "attention": values.tolist()} for line, (tokens, values) in attentions.items()
    ]
    write_text(folder / "attention.jsonl", "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    for line, attention in attentions.items():
        save_figure(folder / f"attention-{line}.png", plot_bridge_attention(attention, title=f"line {line}"))
