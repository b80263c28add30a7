"""The command that shows the insides of models in the browser: `demo`."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Annotated

import typer

from keras_nmt.cli.measured import check_inspection, model_names
from keras_nmt.cli.options import BeamSize, Import, LengthPenalty, check_search, given
from keras_nmt.cli.progress import working
from keras_nmt.cli.run_app import ended_by_signals, import_tensorflow
from keras_nmt.errors import UserError


def demo(
    directories: Annotated[list[Path], typer.Argument(metavar="DIRECTORY...", help="Model directories.")],
    host: Annotated[
        str, typer.Option(help="Address to listen on. Any other than this lets other machines in.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0: any free port.")] = 7860,
    n_best: Annotated[
        int | None, typer.Option(min=1, help="Translations of a sentence. Default: all that the search keeps.")
    ] = None,
    beam_size: BeamSize = None,
    length_penalty: LengthPenalty = None,
    max_characters: Annotated[int, typer.Option(min=1, max=100_000, help="Most characters of a text.")] = 500,
    queue: Annotated[int, typer.Option(min=1, max=10_000, help="Most requests that wait; others are refused.")] = 16,
    import_: Import = None,
) -> None:
    """Shows a page that translates and draws what happens inside the models, until Ctrl-C.

    The page has n-best translations, alignments, gates, roles, compositions and the attention of a bridge, of one model
    or of two side by side. The page is for this machine and few users.
    """
    check_inspection(directories, None)
    search = given(beam_size=beam_size, length_penalty=length_penalty, num_hypotheses=n_best)
    for directory in directories:
        check_search(directory, search)
    for package in ("gradio", "matplotlib"):
        if importlib.util.find_spec(package) is None:
            raise UserError(
                f"The page needs the extra `demo`: pip install 'keras_nmt[demo]'. Received: no module {package}"
            )
    with working(f"Loading {', '.join(map(str, directories))}"):
        import_tensorflow(import_, to_translate=True)
        from keras_nmt.demo import DemoServer, demo_page, demo_systems
        from keras_nmt.inference import Translator

        translators = {}
        for name, directory in zip(model_names(directories), directories, strict=True):
            translator = Translator.from_directory(directory, **search)
            if n_best is None:
                translator = translator.with_options(num_hypotheses=translator.options.beam_size)
            translators[name] = translator
        page = demo_page(demo_systems(translators, max_characters), queue_size=queue)
        server = DemoServer(page, host, port)
    with ended_by_signals(), server:
        print(f"{server.url} until Ctrl-C", file=sys.stderr, flush=True)
        server.wait()
