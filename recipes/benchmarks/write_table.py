"""Tables of the benchmarks, in files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from keras_nmt.files.atomic_files import write_bytes, write_json


def write_table(path: Path | None, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Writes a table, whole or not at all, in Markdown or, if the file's name ends in `.json`, in JSON.

    In JSON, each row is an object with the columns as names. Nothing is written if `path` is None.
    """
    if path is None:
        return
    if path.suffix == ".json":
        write_json(path, [dict(zip(columns, row, strict=True)) for row in rows])
    else:
        write_bytes(path, markdown_table(columns, rows).encode())


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = (columns, ["---"] * len(columns), *rows)
    return "".join("|" + "".join(f" {cell} |" if cell else " |" for cell in line) + "\n" for line in lines)
