"""Parameters for tests of many variants: the usual run takes some variants, the nightly run all."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from typing import Any

import pytest


def one_in(every: int, variants: Iterable[Any], name: Callable[[Any], str]) -> list[Any]:
    """Parameters of a test: one in `every` variants; the others are marked `nightly`."""
    variants = list(variants)
    return these(range(0, len(variants), every), variants, name)


def these(indices: Container[int], variants: Sequence[Any], name: Callable[[Any], str]) -> list[Any]:
    """Parameters of a test: the variants at these indices; the others are marked `nightly`."""
    return [
        pytest.param(variant, id=name(variant), marks=[pytest.mark.nightly] * (index not in indices))
        for index, variant in enumerate(variants)
    ]
