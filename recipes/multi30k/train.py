"""Multi30k: trains a Transformer between any two of its four languages, scores it, and exports it.

    python recipes/multi30k/train.py --data-dir DATA --source en --target de --shortcuts fusion

DATA is a folder with `train`, `val` and `test_2016_flickr`, each as `NAME.LANGUAGE` or `NAME.LANGUAGE.gz`.
"""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Annotated, Any

import typer

from keras_nmt.cli import run_app
from keras_nmt.errors import UserError
from keras_nmt.experiment import Experiment
from keras_nmt.serving import export_directory

# What 40 minutes on two cores ask for: small batches, so that there are many updates; little dropout, because the model
# sees each sentence about twenty times only. With more time, more dropout is better.
SETTINGS: dict[str, Any] = {
    "batch_size": 1536,
    "schedule": "noam",
    "warmup_steps": 1200,
    "label_smoothing": 0.1,
    "evaluate_every": 500,
    "keep_last": 5,
    "final": "average_last",
    "log_every": 100,
}

Language = enum.StrEnum("Language", ["en", "de", "fr", "cs"])
Shortcuts = enum.StrEnum("Shortcuts", ["none", "plain", "fusion"])


def main(
    data_dir: Annotated[Path, typer.Option(help="Folder of the corpus.")],
    source: Annotated[Language, typer.Option(help="Language to translate from.")] = Language.en,
    target: Annotated[Language, typer.Option(help="Language to translate to.")] = Language.de,
    shortcuts: Annotated[Shortcuts, typer.Option(help="Lexical shortcuts.")] = Shortcuts.none,
    preset: Annotated[str, typer.Option(help="Sizes of the model.")] = "transformer_small",
    vocabulary_size: Annotated[int, typer.Option(help="Joint subwords.")] = 8000,
    dropout: Annotated[float, typer.Option(help="Dropout rate.")] = 0.2,
    dtype: Annotated[str, typer.Option(help="float32, or mixed_bfloat16 where the processor has it.")] = "float32",
    replicas: Annotated[int | None, typer.Option(help="Replicas. Default: all GPUs, or one.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 1,
    time_limit: Annotated[float, typer.Option(help="Minutes of training.")] = 40,
    max_updates: Annotated[int | None, typer.Option(help="Updates after which training ends.")] = None,
    output: Annotated[Path | None, typer.Option(help="Model directory. Default: runs/multi30k-SOURCE-TARGET-…")] = None,
) -> None:
    """Trains, scores on test_2016_flickr, and exports a SavedModel."""
    if source == target:
        raise UserError(f"Source and target must differ. Received: {source} and {target}")
    directory = output or Path("runs") / f"multi30k-{source}-{target}-{preset}-{shortcuts}-{seed}"
    files: dict[str, Any] = {
        f"{name}_{side}": corpus_file(data_dir, f"{corpus}.{language}")
        for name, corpus in (("train", "train"), ("dev", "val"), ("test", "test_2016_flickr"))
        for side, language in (("source", source), ("target", target))
    }
    Experiment(
        directory=directory,
        **files,
        **SETTINGS,
        preset=preset,
        vocabulary_size=vocabulary_size,
        model={"dropout": dropout, "shortcuts": None if shortcuts == Shortcuts.none else str(shortcuts)},
        dtype=dtype,
        replicas=replicas,
        seed=seed,
        time_limit=time_limit,
        max_updates=max_updates,
    ).run()
    print(f"Exported: {export_directory(directory / 'export', directory)}")


def corpus_file(folder: Path, name: str) -> Path:
    """The file of that name, or its gzip twin where there is one."""
    zipped = folder / f"{name}.gz"
    return zipped if zipped.is_file() else folder / name


if __name__ == "__main__":
    run_app(main)
