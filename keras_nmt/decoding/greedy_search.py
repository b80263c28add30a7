from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from keras import ops

from keras_nmt.decoding._log_normalizer import log_normalizer
from keras_nmt.decoding.decoder_step import DecoderStep
from keras_nmt.decoding.force_prefix import force_prefix
from keras_nmt.decoding.length_penalty import length_penalty as penalty
from keras_nmt.decoding.search_result import SearchResult
from keras_nmt.decoding.suppress_tokens import suppress_tokens
from keras_nmt.decoding.top_k import top_k
from keras_nmt.ids import BEGIN, END, PAD


def greedy_search(
    step: DecoderStep,
    constants: Any,
    caches: Any,
    *,
    batch_size: int,
    max_length: int,
    max_lengths: Any = None,
    length_penalty: float = 0.6,
    suppress: Sequence[int] = (PAD, BEGIN),
    prefix: Any = None,
) -> SearchResult:
    """Takes the likeliest token at every step, until `END` or the length limit.

    The result is that of `beam_search` with a beam of 1, without the cost of one. Runs eagerly or traced, with or
    without XLA; shapes are static.

    Args:
        step: a `DecoderStep`, called with a beam of 1.
        constants: nest of tensors `[B, ...]`, handed to `step`.
        caches: nest of tensors `[B, 1, ...]`, handed to `step`.
        batch_size: B.
        max_length: most tokens that are generated, `END` included.
        max_lengths: `[B]` int32, a limit a sentence, at most `max_length`. Defaults to `max_length` for all.
        length_penalty: alpha of the length penalty. It has no influence but on the scores. Defaults to 0.6.
        suppress: ids that are never generated. Their probability is not given to the other tokens. Defaults to
            padding and the begin token.
        prefix: `[B, P]` int32, tokens that hypotheses begin with, as of `beam_search`. Defaults to None.

    Returns:
        A `SearchResult` with one hypothesis a sentence. One that reaches the limit without `END` is returned as it
        is, `finished` False.

    Raises:
        ValueError: `max_length` is below 1.

    Example:

    >>> from keras import ops
    >>> def step(tokens, position, constants, caches):
    ...     # Counts up from 4; after 6 comes END (3).
    ...     next_token = ops.where(tokens == 2, 4, ops.where(tokens == 6, 3, tokens + 1))
    ...     return 9.0 * ops.one_hot(next_token, 7), caches
    >>> result = greedy_search(step, {}, {}, batch_size=1, max_length=6)
    >>> ops.convert_to_numpy(result.tokens).tolist()
    [[[4, 5, 6, 3, 0, 0]]]
    """
    if isinstance(max_length, int) and max_length < 1:  # a tensor is not known yet
        raise ValueError(f"`max_length` must be at least 1. Received: max_length={max_length}")
    limits = ops.full((batch_size,), max_length, dtype="int32")
    if max_lengths is not None:
        limits = ops.minimum(ops.cast(max_lengths, "int32"), limits)
    limits = limits[:, None]  # [B, 1]
    places = ops.arange(max_length, dtype="int32")

    def unfinished(
        position: Any, last: Any, tokens: Any, log_probabilities: Any, lengths: Any, finished: Any, caches: Any
    ) -> Any:
        return ops.any(ops.logical_not(finished) & (position < limits))

    def extend(
        position: Any, last: Any, tokens: Any, log_probabilities: Any, lengths: Any, finished: Any, caches: Any
    ) -> tuple[Any, ...]:
        logits, caches = step(last, position, constants, caches)
        logits = ops.cast(logits, "float32")  # [B, 1, V]
        largest, token = top_k(force_prefix(suppress_tokens(logits, suppress), logits, prefix, position), 1)
        gain = largest[:, :, 0] - log_normalizer(logits)[:, :, 0]
        token = token[:, :, 0]
        going_on = ops.logical_not(finished) & (position < limits)  # [B, 1]
        tokens = ops.where(going_on[:, :, None] & (places == position), token[:, :, None], tokens)
        log_probabilities = ops.where(going_on, log_probabilities + gain, log_probabilities)
        lengths = ops.where(going_on, position + 1, lengths)
        finished = finished | (going_on & (token == END))
        return position + 1, token, tokens, log_probabilities, lengths, finished, caches

    _, _, tokens, log_probabilities, lengths, finished, _ = ops.while_loop(
        unfinished,
        extend,
        (
            ops.convert_to_tensor(0, "int32"),
            ops.full((batch_size, 1), BEGIN, dtype="int32"),
            ops.full((batch_size, 1, max_length), PAD, dtype="int32"),
            ops.zeros((batch_size, 1), dtype="float32"),
            ops.zeros((batch_size, 1), dtype="int32"),
            ops.zeros((batch_size, 1), dtype="bool"),
            caches,
        ),
    )
    scores = log_probabilities / penalty(lengths, length_penalty)
    return SearchResult(tokens, scores, log_probabilities, lengths, finished)
