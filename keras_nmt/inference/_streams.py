"""Tokens of a search that runs in a thread of its own, as they are made."""

from __future__ import annotations

import contextlib
import contextvars
import itertools
import queue
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np
import tensorflow as tf

from keras_nmt.ids import EOS
from keras_nmt.text.translation import Translation

_Result = TypeVar("_Result")
_numbers = itertools.count(1)
_streams: dict[int, queue.SimpleQueue[int | None]] = {}  # the open ones, by number


def send(streams: tf.Tensor, tokens: tf.Tensor) -> tf.Tensor:
    """Sends tokens `[B, 1]` of a search to the streams with these numbers `[B]`, and returns the tokens to go on with.

    For a stream that was closed, that is `EOS`, which ends its search.
    """
    # The search goes on with what this returns, so tokens are sent in the order in which they are made.
    return tf.ensure_shape(tf.numpy_function(_send, [streams, tokens], tf.int32), tokens.shape)


def _send(streams: np.ndarray, tokens: np.ndarray) -> np.ndarray:
    goes_on = np.full_like(tokens, EOS)
    for row, number in enumerate(streams.tolist()):
        if (stream := _streams.get(number)) is not None:
            stream.put(int(tokens[row, 0]))
            goes_on[row] = tokens[row]
    return goes_on


def tokens_of(search: Callable[[int], _Result]) -> Generator[int, None, _Result]:
    """Yields the tokens that a search sends to the stream of its number, and returns what the search returns."""
    number, tokens = next(_numbers), queue.SimpleQueue[int | None]()
    _streams[number] = tokens
    executor = ThreadPoolExecutor(1)
    try:
        # In the context of the caller, such as `keras_nmt.layers.intervening`.
        result = executor.submit(contextvars.copy_context().run, search, number)
        result.add_done_callback(lambda _: tokens.put(None))
        while (token := tokens.get()) is not None:
            yield token
        return result.result()
    finally:
        del _streams[number]
        executor.shutdown(wait=False)


def text_of(
    tokens: Generator[int, None, Translation], join: Callable[[list[int]], str]
) -> Generator[str, None, Translation]:
    """Yields the text of tokens in pieces, the last of which complete the translation; and returns the translation.

    `join` makes text of the first tokens. Later tokens may only add to it.
    """
    ids: list[int] = []
    shown = 0
    with contextlib.closing(tokens):
        while True:
            try:
                ids.append(next(tokens))
            except StopIteration as end:
                translation: Translation = end.value
                break
            text = join(ids)
            if len(text) > shown:
                yield text[shown:]
                shown = len(text)
    if rest := translation.text[shown:]:
        yield rest
    return translation
