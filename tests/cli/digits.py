"""The task of the commands' tests: digits to words."""

from __future__ import annotations

from pathlib import Path

WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
UPDATES = 800


def write_lines(folder: Path, name: str, lines: list[str]) -> Path:
    """Writes a text file."""
    path = folder / name
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path
