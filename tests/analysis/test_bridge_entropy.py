"""Entropies of a bridge's attention."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from keras_nmt.analysis import BridgeAttention, bridge_entropy
from keras_nmt.errors import UserError


def of(*matrices):
    return [BridgeAttention(("t",) * len(matrix[0]), np.asarray(matrix, "float32")) for matrix in matrices]


@given(st.integers(1, 60), st.integers(1, 60))
def test_entropy_is_log_n_if_uniform_and_zero_for_one_token(k, n):
    assert bridge_entropy(of(np.full([k, n], 1 / n))).all_heads == pytest.approx(math.log(n), abs=1e-6)
    assert bridge_entropy(of(np.eye(max(k, n))[:k, :n] + (np.arange(k) >= n)[:, None] * np.eye(n)[0])).all_heads == 0


@given(
    k=st.integers(1, 6),
    lengths=st.lists(st.integers(1, 8), min_size=1, max_size=6),
    num_first=st.none() | st.integers(0, 8),
)
def test_numbers_agree_with_a_plain_sum(k, lengths, num_first):
    rng = np.random.default_rng(k + sum(lengths))
    attentions = of(*(rng.dirichlet(np.full(n, 0.3), k) for n in lengths))
    rows = []  # (length, head from 1, whether it is a first head, entropy)
    for _, attention in attentions:
        n = attention.shape[1]
        for head in range(1, k + 1):
            entropy = -sum(float(p) * math.log(p) for p in attention[head - 1] if p > 0)
            rows.append((n, head, head <= (n if num_first is None else num_first), entropy))

    def mean(keep):
        values = [row[3] for row in rows if keep(*row)]
        return pytest.approx(sum(values) / len(values) if values else math.nan, abs=1e-6, nan_ok=True)

    entropy = bridge_entropy(attentions, num_first)
    assert entropy.all_heads == mean(lambda *_: True)
    assert entropy.first_heads == mean(lambda n, head, first, value: first)
    assert entropy.other_heads == mean(lambda n, head, first, value: not first)
    assert entropy.by_head.tolist() == [mean(lambda n, head, *_, i=i: head == i) for i in range(1, k + 1)]
    assert list(entropy.by_length) == sorted(set(lengths))
    for length, part in entropy.by_length.items():
        assert len(part.lengths) == lengths.count(length)
        assert part.all_heads == mean(lambda n, *_, length=length: n == length)
        assert part.first_heads == mean(lambda n, head, first, value, length=length: n == length and first)
        assert part.other_heads == mean(lambda n, head, first, value, length=length: n == length and not first)


def test_numbers_are_json_also_if_a_mean_is_empty():
    numbers = bridge_entropy(of(np.full([2, 4], 1 / 4), [[0.5, 0.5], [1, 0]])).numbers()
    assert json.loads(json.dumps(numbers, allow_nan=False)) == numbers
    assert numbers["unit"] == "nats"
    assert numbers["sentences"] == 2
    assert numbers["other_heads"] is None  # no sentence has fewer tokens than there are heads
    assert numbers["by_length"] == [
        {
            "length": 2,
            "sentences": 1,
            "all_heads": math.log(2) / 2,
            "first_heads": math.log(2) / 2,
            "other_heads": None,
        },
        {"length": 4, "sentences": 1, "all_heads": math.log(4), "first_heads": math.log(4), "other_heads": None},
    ]


def test_bad_input():
    with pytest.raises(UserError, match="Received: 0 sentences"):
        bridge_entropy([])
    with pytest.raises(UserError, match=r"Received: 2 sentences with heads \[2, 3\]"):
        bridge_entropy(of(np.eye(2), np.eye(3)))
    with pytest.raises(UserError, match="Received: num_first=-1"):
        bridge_entropy(of(np.eye(2)), -1)
