"""Many variants, of which the default run tries some."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest


def one_in(every: int, variants: Iterable[Any], name: Callable[[Any], str]) -> list[Any]:
    """Parameters of a test: every so many of the variants, the others as `exhaustive` (all of them by `-m ""`)."""
    return [
        pytest.param(variant, id=name(variant), marks=[pytest.mark.exhaustive] * (place % every > 0))
        for place, variant in enumerate(variants)
    ]
