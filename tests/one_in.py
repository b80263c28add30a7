"""Many variants, of which the default run tries some."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from typing import Any

import pytest


def one_in(every: int, variants: Iterable[Any], name: Callable[[Any], str]) -> list[Any]:
    """Parameters of a test: every so many of the variants, the others as `exhaustive` (all of them by `-m ""`)."""
    variants = list(variants)
    return these(range(0, len(variants), every), variants, name)


def these(places: Container[int], variants: Sequence[Any], name: Callable[[Any], str]) -> list[Any]:
    """Parameters of a test: the variants at these places, the others as `exhaustive`."""
    return [
        pytest.param(variant, id=name(variant), marks=[pytest.mark.exhaustive] * (place not in places))
        for place, variant in enumerate(variants)
    ]
