"""Few combinations of many options, for tests."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any


def pairwise(
    options: Mapping[str, Sequence[Any]], allowed: Callable[[dict[str, Any]], bool] = lambda combination: True
) -> list[dict[str, Any]]:
    """Combinations in which every two values of two options occur together, where allowed.

    Args:
        options: Mapping of names to values.
        allowed: Function of a combination. Defaults to all.

    Returns:
        A list of mappings of names to values. Each mapping has the most pairs of values that do not occur before.

    Example:

    >>> len(pairwise({"norm": ["pre", "post"], "roles": [None, "dense", "softmax"], "tied": [True, False]}))
    6
    """
    drawn = (dict(zip(options, values, strict=True)) for values in itertools.product(*options.values()))
    combinations = [combination for combination in drawn if allowed(combination)]
    pairs = [
        {*itertools.combinations(((name, options[name].index(value)) for name, value in combination.items()), 2)}
        for combination in combinations
    ]
    missing, chosen = set().union(*pairs), []
    while missing:
        best = max(range(len(pairs)), key=lambda i: len(pairs[i] & missing))
        missing -= pairs[best]
        chosen.append(combinations[best])
    return chosen
