"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: bool = False) -> str:
    r"""Returns a table in Markdown, without a line end; with `numbers`, columns but the first are aligned at the right.

    Example:

    >>> print(markdown_table(["model", "BLEU"], [["a|b", "27.3"], ["c", ""]]))
    | model | BLEU |
    | --- | --- |
    | a\|b | 27.3 |
    | c | |
    """
    dashes = ["---", *["---:" if numbers else "---"] * (len(columns) - 1)]
    escaped = ([cell.replace("|", "\\|") for cell in line] for line in (columns, dashes, *rows))
    return "\n".join("|" + "".join(f" {cell} |" if cell else " |" for cell in line) for line in escaped)
