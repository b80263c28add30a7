"""Tables of the benchmarks, in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    """A table in Markdown, as the bytes of a file."""
    lines = (columns, ["---"] * len(columns), *rows)
    return "".join("| " + " | ".join(line) + " |\n" for line in lines).encode()
