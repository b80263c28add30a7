"""The benchmark of products: variants compute the same, take turns, and are compared in the same round."""

from __future__ import annotations

import numpy as np
import pytest
from scripts import load_script


@pytest.fixture(scope="module")
def script():
    return load_script("benchmarks/products.py")


def test_variants_compute_the_same(script):
    three, one = (variant().numpy() for variant in script.self_attention(8, 4, 2).values())
    np.testing.assert_allclose(three, one, rtol=1e-5)
    found = {name: variant().numpy() for name, variant in script.logits(4, 8, 12).items()}
    np.testing.assert_allclose(found["float32, XLA"], found["float32"], rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(found["int8, XLA"], found["int8"])
    np.testing.assert_allclose(found["int8"] / 900, found["float32"], atol=0.5)
    np.testing.assert_allclose(found["int8 converted to float32"] / 30, found["float32"], atol=0.3)


def test_variants_take_turns_after_a_round_that_does_not_count(script, monkeypatch):
    now, calls = [0.0], []
    monkeypatch.setattr(script.time, "process_time", lambda: now[0])

    def variant(name, seconds):
        def run():
            calls.append(name)
            now[0] += seconds * len(calls)  # a machine that slows down

        return run

    found = script.measure({"a": variant("a", 0.001), "b": variant("b", 0.003)}, calls=1, rounds=2)
    assert calls == ["a", "b", "b", "a", "a", "b"]
    # The rounds of "a" take 4 and 5 ms, those of "b" 9 and 18.
    assert found == {"a": pytest.approx((4.5, 1.0)), "b": pytest.approx((13.5, (9 / 4 + 18 / 5) / 2))}
