"""Pairwise combinations of options."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st
from pairwise import pairwise

SIZES = st.lists(st.integers(1, 4), min_size=2, max_size=4)


@given(sizes=SIZES, forbidden=st.tuples(st.integers(0, 3), st.integers(0, 3)))
def test_every_allowed_pair_of_values_occurs(sizes, forbidden):
    options = {f"option {i}": [*range(size)] for i, size in enumerate(sizes)}

    def allowed(combination):
        return (combination["option 0"], combination["option 1"]) != forbidden

    def pairs(combinations):
        return {pair for combination in combinations for pair in itertools.combinations(combination.items(), 2)}

    everything = [dict(zip(options, values, strict=True)) for values in itertools.product(*options.values())]
    chosen = pairwise(options, allowed)
    assert all(allowed(combination) for combination in chosen)
    assert pairs(chosen) == pairs(filter(allowed, everything))
    assert len(chosen) <= len(everything)


def test_combinations_are_few():
    assert len(pairwise({str(i): [0, 1, 2] for i in range(5)})) < 20
