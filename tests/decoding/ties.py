"""Searches among equal scores, computed by Keras' current backend: `python ties.py` checks them."""

from __future__ import annotations

import os
import sys

if __name__ == "__main__" and os.environ["KERAS_BACKEND"] != "tensorflow":
    sys.modules["tensorflow"] = None  # type: ignore[assignment]  # importing TensorFlow fails

import keras
import numpy as np
from keras import ops

from keras_nmt.decoding import SearchResult, beam_search, greedy_search, sampling_search
from keras_nmt.decoding.scores import top_k
from keras_nmt.decoding.search_loop import best_first

V = 24  # ids from 4 on are equally likely, whatever was before


def step(tokens, position, constants, caches):
    logits = ops.where(ops.arange(V) < 4, -9.0, 0.0)
    return ops.broadcast_to(logits, (*tokens.shape, V)), caches


def check() -> None:
    for size in (24, 3000):
        _, ids = top_k(ops.zeros((1, 2, size)), 5)
        np.testing.assert_array_equal(ops.convert_to_numpy(ids), [[[0, 1, 2, 3, 4]] * 2])
    scores = ops.convert_to_tensor([[-3.0, -1.0, -2.0, -1.0, -4.0, -1.0]])
    number = ops.arange(6)[None, :, None]
    finished = ops.convert_to_tensor([[True, True, True, True, False, False]])
    result = best_first(SearchResult(number, scores, scores, ops.ones((1, 6), "int32"), finished))
    assert ops.convert_to_numpy(result.tokens).ravel().tolist() == [1, 3, 2, 0, 5, 4]
    greedy = greedy_search(step, {}, {}, batch_size=1, max_length=2)
    assert ops.convert_to_numpy(greedy.tokens).tolist() == [[[4, 4]]]
    beam = beam_search(step, {}, {}, batch_size=1, beam_size=4, max_length=1)
    assert ops.convert_to_numpy(beam.tokens).ravel().tolist() == [4, 5, 6, 7]
    drawn = sampling_search(
        step, {}, {}, batch_size=1, num_samples=24, max_length=3, seeds=np.array([1]), suppress=[0, 2]
    )
    for ended in (True, False):
        kept = ops.convert_to_numpy(drawn.scores)[ops.convert_to_numpy(drawn.finished) == ended]
        assert (np.diff(kept) <= 0).all()


if __name__ == "__main__":
    assert keras.backend.backend() == os.environ["KERAS_BACKEND"]
    check()
