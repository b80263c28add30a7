"""Sizes from the command line of a benchmark."""

from __future__ import annotations

from keras_nmt.errors import UserError


def parse_sizes(name: str, text: str) -> list[int]:
    """The sizes of an option, which are numbers with commas between them."""
    try:
        sizes = [int(size) for size in text.split(",")]
    except ValueError:
        sizes = []
    if not sizes or min(sizes) < 1:
        raise UserError(f"Give sizes of at least 1 with commas between them. Received: {name}={text!r}")
    return sizes


def check_sizes(**sizes: int) -> None:
    """Raises a `UserError` if a size is below 1."""
    if min(sizes.values()) < 1:
        shown = ", ".join(f"{name}={size}" for name, size in sizes.items())
        raise UserError(f"Sizes must be at least 1. Received: {shown}")
