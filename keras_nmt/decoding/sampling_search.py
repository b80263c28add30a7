from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from keras import ops

from keras_nmt.decoding._beams import best_first
from keras_nmt.decoding._check_arguments import check_arguments
from keras_nmt.decoding._gumbel_noise import gumbel_noise
from keras_nmt.decoding._token_by_token import token_by_token
from keras_nmt.decoding.decoder_step import DecoderStep
from keras_nmt.decoding.force_prefix import force_prefix
from keras_nmt.decoding.search_result import SearchResult
from keras_nmt.decoding.suppress_tokens import IMPOSSIBLE, suppress_tokens
from keras_nmt.decoding.top_k import top_k as largest
from keras_nmt.ids import BEGIN, PAD

# Of an interval of at most 1: then it is as short as the distance of float32 numbers around 1e-3.
_HALVINGS = 32


def sampling_search(
    step: DecoderStep,
    constants: Any,
    caches: Any,
    *,
    batch_size: int,
    max_length: int,
    seeds: Any,
    num_samples: int = 1,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    max_lengths: Any = None,
    length_penalty: float = 0.6,
    suppress: Sequence[int] = (PAD, BEGIN),
    prefix: Any = None,
) -> SearchResult:
    """Draws hypotheses at random, each token by its probability, until `END` or the length limit.

    A token is drawn from `softmax(logits / temperature)` over the tokens that are not suppressed; with `top_k`, over
    the likeliest k of these; with `top_p`, over the smallest set of the likeliest of those whose probabilities sum to
    at least p, where the probabilities of all that `top_k` left sum to 1.

    The randomness of a sentence comes from its own seed: its samples are the same alone and in any batch, run after
    run, with and without XLA, up to rounding where two tokens come out all but equal. Sample n is the same, however
    many are drawn. They are drawn independently, so two may be equal, and are returned best first as by every search:
    to get a sample that is not chosen by its score, draw one.

    Runs eagerly or traced, with or without XLA; all shapes are static. With a `top_k` of, say, 100, drawing and `top_p`
    cost next to nothing; without, both work on the whole vocabulary at every position.

    Args:
        step: a `DecoderStep`, called with `num_samples` hypotheses a sentence.
        constants: nest of tensors `[B, ...]`, handed to `step`.
        caches: nest of tensors `[B, num_samples, ...]`, handed to `step`.
        batch_size: B.
        max_length: most tokens that are generated, `END` included.
        seeds: `[B]` int32, a seed a sentence.
        num_samples: N, how many hypotheses a sentence. Defaults to 1.
        temperature: what logits are divided by: below 1 likely tokens become likelier still, above 1 less so. Defaults
            to 1.
        top_k: how many of the likeliest tokens may be drawn, 0 for all. Defaults to 0.
        top_p: the probability that tokens which may be drawn have together, above 0 and at most 1. Defaults to 1, for
            all.
        max_lengths: `[B]` int32, a limit a sentence, at most `max_length`. Defaults to `max_length` for all.
        length_penalty: alpha of the length penalty. It has no influence but on the scores. Defaults to 0.6.
        suppress: ids that are never generated. Defaults to padding and the begin token.
        prefix: `[B, P]` int32, tokens that hypotheses begin with, as of `beam_search`. Defaults to None.

    Returns:
        A `SearchResult` with N hypotheses a sentence. Log-probabilities and scores are the model's own, as of any other
        search: temperature, `top_k`, `top_p` and `suppress` do not change them.

    Raises:
        ValueError: `max_length` or `num_samples` is below 1, `temperature` not above 0, `top_k` negative, or `top_p`
            not above 0 and at most 1.

    Example:

    >>> from keras import ops
    >>> def step(tokens, position, constants, caches):
    ...     # Whatever was before: END (3) with probability 0.4, token 4 with 0.6.
    ...     probabilities = ops.array([0.0, 0.0, 0.0, 0.4, 0.6])
    ...     return ops.broadcast_to(ops.log(probabilities + 1e-9), (1000, 1, 5)), caches
    >>> result = sampling_search(step, {}, {}, batch_size=1000, max_length=9, seeds=ops.arange(1000))
    >>> ended_at_once = ops.convert_to_numpy(result.lengths) == 1
    >>> round(float(ended_at_once.mean()), 1)
    0.4

    Reference:
        [Fan et al., 2018](https://arxiv.org/abs/1805.04833), section 5.1, for `top_k`;
        [Holtzman et al., 2020](https://arxiv.org/abs/1904.09751), Eq. 2 and 3 for `top_p`, Eq. 4 for the temperature.
    """
    if num_samples < 1 or (isinstance(max_length, int) and max_length < 1):  # a tensor is not known yet
        raise ValueError(
            "`num_samples` and `max_length` must be at least 1. "
            f"Received: num_samples={num_samples}, max_length={max_length}"
        )
    if not temperature > 0 or top_k < 0 or not 0 < top_p <= 1:
        raise ValueError(
            "`temperature` must be above 0, `top_k` at least 0, `top_p` above 0 and at most 1. "
            f"Received: temperature={temperature}, top_k={top_k}, top_p={top_p}"
        )
    check_arguments(batch_size, length_penalty, seeds=seeds, max_lengths=max_lengths, prefix=prefix)
    seeds = ops.cast(seeds, "int32")[:, None, None]  # [B, 1, 1]
    samples = ops.arange(num_samples, dtype="int32")[:, None]  # [N, 1]

    def draw(logits: Any, position: Any) -> Any:
        """Tokens [B, N] of logits [B, N, V]."""
        vocabulary_size = logits.shape[-1]
        # Less the largest, so that what a small temperature makes of logits is not below what is suppressed.
        best = ops.max(suppress_tokens(logits, suppress), axis=-1, keepdims=True)
        allowed = suppress_tokens((logits - best) / temperature, suppress)
        allowed = force_prefix(allowed, logits, prefix, position)
        ids = ops.arange(vocabulary_size, dtype="int32")
        if top_k:
            allowed, ids = largest(allowed, min(top_k, vocabulary_size))  # [B, N, k]
        if top_p < 1:
            allowed = ops.where(_nucleus(allowed, top_p), allowed, IMPOSSIBLE)
        _, drawn = largest(allowed + gumbel_noise(seeds, samples, position, ids), 1)  # [B, N, 1]
        return (ops.take_along_axis(ids, drawn, axis=-1) if top_k else drawn)[:, :, 0]

    result = token_by_token(
        step,
        constants,
        caches,
        draw,
        batch_size=batch_size,
        num_hypotheses=num_samples,
        max_length=max_length,
        max_lengths=max_lengths,
        length_penalty=length_penalty,
    )
    return best_first(result)


def _nucleus(logits: Any, top_p: float) -> Any:
    """Which of `logits` `[B, N, V]` are of the likeliest ones that sum to `top_p`; ties at the edge all are.

    The least probability in the set is found by halving an interval, which costs far less than sorting.
    """
    probabilities = ops.softmax(logits, axis=-1)

    def halve(_: Any, bounds: tuple[Any, Any]) -> tuple[Any, Any]:
        low, high = bounds  # [B, N, 1]; what is at least `low` sums to enough
        middle = (low + high) / 2
        total = ops.sum(ops.where(probabilities >= middle, probabilities, 0.0), axis=-1, keepdims=True)
        return ops.where(total >= top_p, middle, low), ops.where(total >= top_p, high, middle)

    high = ops.max(probabilities, axis=-1, keepdims=True)
    low, _ = ops.fori_loop(0, _HALVINGS, halve, (ops.zeros_like(high), high))
    return probabilities >= low
