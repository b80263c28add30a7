from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from keras_nmt.decoding._check_arguments import check_arguments
from keras_nmt.decoding._token_by_token import token_by_token
from keras_nmt.decoding.decoder_step import DecoderStep
from keras_nmt.decoding.force_prefix import force_prefix
from keras_nmt.decoding.search_result import SearchResult
from keras_nmt.decoding.suppress_tokens import suppress_tokens
from keras_nmt.decoding.top_k import top_k
from keras_nmt.ids import BEGIN, PAD


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
    check_arguments(batch_size, length_penalty, max_lengths=max_lengths, prefix=prefix)

    def likeliest(logits: Any, position: Any) -> Any:
        _, token = top_k(force_prefix(suppress_tokens(logits, suppress), logits, prefix, position), 1)
        return token[:, :, 0]

    return token_by_token(
        step,
        constants,
        caches,
        likeliest,
        batch_size=batch_size,
        num_hypotheses=1,
        max_length=max_length,
        max_lengths=max_lengths,
        length_penalty=length_penalty,
    )
