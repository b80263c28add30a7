from __future__ import annotations

from typing import Any

from keras import ops

from keras_nmt.decoding._beams import best_first, possible
from keras_nmt.decoding.search_result import SearchResult
from keras_nmt.ids import PAD

# What a source token has at least, in place of nothing, whose logarithm is minus infinity.
_LEAST = 1e-6


def rerank_by_coverage(result: SearchResult, attention: Any, source_mask: Any, coverage_penalty: float) -> SearchResult:
    """Ranks hypotheses anew by a score with a coverage penalty, which those pay that leave out parts of the source.

    The score of a search is added `beta * sum_i log(min(sum_j p_ij, 1))`: beta is `coverage_penalty`, and p_ij what the
    hypothesis' token j attended to the source token i.

    It is done once, for the n-best list of a search, not at every step for all that is in the beam: the attention comes
    from one pass by teacher forcing, any model and any search will do, and a search without the penalty pays nothing.
    What a search has dropped cannot come back, so give it a beam of several hypotheses, and ask for all of them.

    Args:
        result: What a search gave, N hypotheses a sentence.
        attention: `[B, N, T, S]`, of every token of the hypotheses, T being their `max_length`.
        source_mask: `[B, S]` bool, which source tokens are to be covered.
        coverage_penalty: beta, 0 for none.

    Returns:
        A `SearchResult` with the same hypotheses, their scores with the penalty, best first.

    Example:

    >>> from keras import ops
    >>> result = SearchResult(
    ...     tokens=ops.array([[[7, 3], [8, 3]]]),
    ...     scores=ops.array([[-1.0, -1.1]]),
    ...     log_probabilities=ops.array([[-1.0, -1.1]]),
    ...     lengths=ops.array([[2, 2]]),
    ...     finished=ops.array([[True, True]]),
    ... )
    >>> attention = ops.array([[[[1.0, 0.0], [0.8, 0.2]], [[1.0, 0.0], [0.0, 1.0]]]])  # the second covers both tokens
    >>> ranked = rerank_by_coverage(result, attention, ops.array([[True, True]]), coverage_penalty=0.2)
    >>> ops.convert_to_numpy(ranked.tokens).tolist()
    [[[8, 3], [7, 3]]]
    >>> [round(score, 2) for score in ops.convert_to_numpy(ranked.scores)[0].tolist()]
    [-1.1, -1.32]

    Reference:
        [Wu et al., 2016](https://arxiv.org/abs/1609.08144), equation 14.
    """
    there = (result.tokens != PAD)[:, :, :, None]  # [B, N, T, 1]
    covered = ops.sum(ops.where(there, ops.cast(attention, "float32"), 0.0), axis=2)  # [B, N, S]
    gains = ops.where(source_mask[:, None, :], ops.log(ops.clip(covered, _LEAST, 1.0)), 0.0)
    scores = result.scores + coverage_penalty * ops.sum(gains, axis=-1)
    return best_first(result._replace(scores=ops.where(possible(result.scores), scores, result.scores)))
