"""The command line `keras-nmt`: its commands."""

from __future__ import annotations

from typing import Annotated

import typer

import keras_nmt
from keras_nmt.cli.comparison import compare
from keras_nmt.cli.distillation import distill
from keras_nmt.cli.evaluation import evaluate
from keras_nmt.cli.info import info, report
from keras_nmt.cli.inspect_states import STATE_COMMANDS
from keras_nmt.cli.inspect_vectors import VECTOR_COMMANDS
from keras_nmt.cli.preparation import prepare
from keras_nmt.cli.quickstart import quickstart
from keras_nmt.cli.run_app import make_app, run_app
from keras_nmt.cli.serving import demo, export, import_, serve
from keras_nmt.cli.shortlist import align, shortlist
from keras_nmt.cli.training import average, extend_vocabulary, train
from keras_nmt.cli.translation import embed, score, translate

app = make_app("Trains, uses and exports neural translation models. A trained model is a folder: a model directory.")
COMMANDS = (
    *(quickstart, prepare, train, compare, translate, score, evaluate, embed, align, shortlist, distill),
    *(import_, export, serve, demo, average, extend_vocabulary, info, report),
)
for command in COMMANDS:
    name = command.__name__.rstrip("_").replace("_", "-")  # `import` is a word of Python
    app.command(name)(command)
inspect_app = make_app("Looks inside a trained model.")
for inspection in (*STATE_COMMANDS, *VECTOR_COMMANDS):
    inspect_app.command(inspection.__name__)(inspection)
app.add_typer(inspect_app, name="inspect")


def _show_version(wanted: bool) -> None:
    if wanted:
        print(keras_nmt.__version__)
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_show_version, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Runs `keras-nmt`."""
    run_app(app)
