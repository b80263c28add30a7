"""Reranking of hypotheses by a coverage penalty."""

from __future__ import annotations

from typing import Any

from keras import ops

from keras_nmt.decoding._beams import best_first
from keras_nmt.decoding.interface import SearchResult
from keras_nmt.decoding.logits import is_valid
from keras_nmt.ids import PAD

# The minimum coverage of a source token: the logarithm of 0 is minus infinity.
_LEAST = 1e-6


def rerank_by_coverage(result: SearchResult, attention: Any, source_mask: Any, coverage_penalty: float) -> SearchResult:
    """Reranks hypotheses by a score with a coverage penalty for hypotheses that leave out parts of the source.

    The penalty `beta * sum_i log(min(sum_j p_ij, 1))` is added to the score of the search: beta is
    `coverage_penalty`, p_ij the attention of the hypothesis' token j to the source token i.

    The penalty is applied once, to the n-best list of a search, not at every step to the whole beam: the attention
    comes from one pass by teacher forcing, so any model and any search can be used, and searches without the penalty
    take no longer. A hypothesis that the search has dropped is lost, so use a beam of several hypotheses and return
    all of them.

    Args:
        result: `SearchResult` of a search, N hypotheses of each sentence.
        attention: Float tensor `[B, N, T, S]`, attention of every token of the hypotheses; T is their `max_length`.
        source_mask: bool tensor `[B, S]`, True at source tokens that must be covered.
        coverage_penalty: Float, beta, 0 for none.

    Returns:
        A `SearchResult` with the same hypotheses and their scores with the penalty, best first.

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
    return best_first(result._replace(scores=ops.where(is_valid(result.scores), scores, result.scores)))
