"""How the benchmarks beside this file write their tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    """A table in Markdown, for a file."""
    lines = (columns, ["---"] * len(columns), *rows)
    return "".join("| " + " | ".join(line) + " |\n" for line in lines).encode()
