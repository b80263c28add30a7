"""Tables of the benchmarks, on the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console
from rich.table import Table


def print_table(console: Console, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Prints rows of cells under the names of the columns."""
    table = Table(*columns, box=box.SIMPLE)
    for row in rows:
        table.add_row(*row)
    console.print(table)
