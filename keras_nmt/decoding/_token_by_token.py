"""What greedy search and sampling share: hypotheses that never change places, and grow by a token at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from keras import ops

from keras_nmt.decoding._log_normalizer import log_normalizer
from keras_nmt.decoding.decoder_step import DecoderStep
from keras_nmt.decoding.length_penalty import length_penalty as penalty
from keras_nmt.decoding.search_result import SearchResult
from keras_nmt.ids import BEGIN, END, PAD


def token_by_token(
    step: DecoderStep,
    constants: Any,
    caches: Any,
    choose: Callable[[Any, Any], Any],
    *,
    batch_size: int,
    num_hypotheses: int,
    max_length: int,
    max_lengths: Any,
    length_penalty: float,
) -> SearchResult:
    """Lets N hypotheses a sentence grow by the tokens that are chosen, until `END` or the length limit.

    Args:
        step: a `DecoderStep`.
        constants: nest of tensors `[B, ...]`, handed to `step`.
        caches: nest of tensors `[B, N, ...]`, handed to `step`.
        choose: from logits `[B, N, V]` float32 and the position to the tokens `[B, N]`.
        batch_size: B.
        num_hypotheses: N.
        max_length: most tokens that are generated, `END` included.
        max_lengths: `[B]` int32, a limit a sentence, or None.
        length_penalty: alpha of the length penalty.

    Returns:
        A `SearchResult` in the order of the hypotheses.
    """
    shape = (batch_size, num_hypotheses)
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
        logits = ops.cast(logits, "float32")  # [B, N, V]
        token = choose(logits, position)  # [B, N]
        gain = (ops.take_along_axis(logits, token[:, :, None], axis=-1) - log_normalizer(logits))[:, :, 0]
        going_on = ops.logical_not(finished) & (position < limits)  # [B, N]
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
            ops.full(shape, BEGIN, dtype="int32"),
            ops.full((*shape, max_length), PAD, dtype="int32"),
            ops.zeros(shape, dtype="float32"),
            ops.zeros(shape, dtype="int32"),
            ops.zeros(shape, dtype="bool"),
            caches,
        ),
    )
    scores = log_probabilities / penalty(lengths, length_penalty)
    return SearchResult(tokens, scores, log_probabilities, lengths, finished)
