"""Numbers of tokens and hypotheses: log-probabilities, the largest logits, and the scores that rank hypotheses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from keras import ops, tree

from keras_nmt.decoding.search_loop import SearchResult, best_first, take_beams, take_largest
from keras_nmt.ids import BOS, EOS, PAD

NEG_INF = -1e9
"""The log-probability of a token that must not follow: -1e9. It is finite, because sums and products of minus infinity
can be NaN. Searches treat log-probabilities below half of it as impossible.
"""
BLOCKS = tuple(sorted(range(32, 129), key=lambda size: abs(size - 64)))  # ids in a block of `top_k`, best size first
# The minimum coverage of a source token: the logarithm of 0 is minus infinity.
_LEAST = 1e-6


def is_valid(log_probabilities: Any) -> Any:
    """Tells which log-probabilities are possible: not those of empty entries and forbidden tokens."""
    return log_probabilities > NEG_INF / 2


def of_tokens(logits: Any, ids: Any) -> Any:
    """Takes the values of tokens `[B, K, M]` from logits, or any values of tokens, `[B, K, V]`: `[B, K, M]`."""
    rows = ops.reshape(logits, (-1, logits.shape[-1]))
    width = ids.shape[2] or ops.shape(ids)[2]
    return ops.reshape(take_beams(rows, ops.reshape(ids, (-1, width))), (-1, ids.shape[1], width))


def log_probabilities_of(values: Any, logits: Any, best: tuple[Any, Any] | None = None, *, plain: bool) -> Any:
    """Returns the log-probabilities `[B, K, M]` of tokens, from their logits `[B, K, M]` and all `[B, K, V]`.

    `best` are the largest logit and its id, `[B, K, 1]` each, if they are known. `plain` says that no compiler joins
    the operators: TensorFlow's softmax is then one operator, three times as fast as the difference, the exponentials
    and their sum.
    """
    if plain:
        highest, ids = top_k(logits, 1) if best is None else best
        return (values - highest) + ops.log(of_tokens(ops.softmax(logits, axis=-1), ids))
    highest = ops.max(logits, axis=-1, keepdims=True) if best is None else best[0]
    return (values - highest) - ops.log(ops.sum(ops.exp(logits - highest), axis=-1, keepdims=True))


def top_k(logits: Any, k: int) -> tuple[Any, Any]:
    """Returns the `k` largest logits and their ids, largest first; among equal logits, the lowest ids.

    XLA takes -0.0 for less than 0.0: there, of these two, the id of 0.0 comes first.

    A large vocabulary is searched in two stages: the `k` largest logits are in the `k` blocks with the largest maxima.
    Logits are float32 `[B, K, V]`, values float32 and ids int32 `[B, K, k]`.
    """
    beam_size, vocabulary_size = logits.shape[1:]
    # A size that divides the vocabulary needs no padding.
    block = next((size for size in BLOCKS if vocabulary_size % size == 0), BLOCKS[0])
    num_blocks = -(-vocabulary_size // block)
    if num_blocks < 4 * k:
        values, ids = take_largest(logits, k)
        return values, ops.cast(ids, "int32")
    if padding := num_blocks * block - vocabulary_size:
        # Lower than even suppressed logits, so none is chosen.
        logits = ops.pad(logits, [[0, 0], [0, 0], [0, padding]], constant_values=2 * NEG_INF)
    blocks = ops.reshape(logits, (-1, num_blocks, block))  # [R, blocks, block], R = B K
    _, chosen = take_largest(ops.max(blocks, axis=2), k)  # [R, k]
    # In the order of the vocabulary, so equal logits are still taken from the lowest id up.
    chosen = ops.sort(ops.cast(chosen, "int32"), axis=-1)
    candidates = take_beams(blocks, chosen)  # [R, k, block]
    values, places = take_largest(ops.reshape(candidates, (-1, k * block)), k)
    places = ops.cast(places, "int32")
    ids = take_beams(chosen, places // block) * block + places % block
    # If logits are -inf, an entry of the padding may be chosen, and must be an id.
    ids = ops.minimum(ids, vocabulary_size - 1)
    return ops.reshape(values, (-1, beam_size, k)), ops.reshape(ids, (-1, beam_size, k))


def length_penalty(length: Any, alpha: float, form: str = "gnmt") -> Any:
    """Returns the divisor of a hypothesis' log-probability.

    Args:
        length: Tensor or number, number of generated tokens, `EOS` included.
        alpha: Float, 0 ranks by log-probability; a larger value favours longer hypotheses.
        form: String, "gnmt" for `((5 + length) / 6) ** alpha`, or "power" for `length ** alpha`. Defaults to "gnmt".

    Returns:
        A float32 tensor of the shape of `length`.

    Example:

    >>> from keras import ops
    >>> ops.convert_to_numpy(length_penalty([1, 7, 13], alpha=1.0)).tolist()
    [1.0, 2.0, 3.0]
    >>> ops.convert_to_numpy(length_penalty([1, 4, 9], alpha=0.5, form="power")).tolist()
    [1.0, 2.0, 3.0]

    Reference:
        [Wu et al., 2016](https://arxiv.org/abs/1609.08144), equation 14, without the coverage term.
    """
    length = ops.cast(length, "float32")
    # A hypothesis without tokens must not be divided by 0.
    base = (5.0 + length) / 6.0 if form == "gnmt" else ops.maximum(length, 1.0)
    return ops.power(base, float(alpha))


def shift_right(targets: Any) -> Any:
    """Returns the target input of teacher forcing, from which a decoder predicts `targets`.

    Args:
        targets: int32 tensor `[B, T]`, `y1 ... yn EOS`, then `PAD`.

    Returns:
        int32 tensor `[B, T]`, `BOS y1 ... yn`, then `PAD`: `EOS` is predicted, not read.

    Example:

    >>> from keras import ops
    >>> ops.convert_to_numpy(shift_right(ops.array([[7, 8, 3, 0]]))).tolist()
    [[2, 7, 8, 0]]
    """
    begin = ops.full_like(targets[:, :1], BOS)
    shifted = targets[:, :-1]
    return ops.concatenate([begin, ops.where(shifted == EOS, PAD, shifted)], axis=1)


def token_log_probabilities(logits: Any, targets: Any) -> Any:
    """Returns the log-probabilities of each token of target sequences, from the logits of teacher forcing.

    Args:
        logits: Float tensor `[B, T, V]`, the model's output for the target input `BOS y1 ... yn`.
        targets: Integer tensor `[B, T]`, the target output `y1 ... yn EOS`, then `PAD`.

    Returns:
        float32 tensor `[B, T]`, natural logarithms; 0 for `PAD`.

    Example:

    >>> from keras import ops
    >>> even = ops.zeros((1, 3, 4))  # four equally likely tokens
    >>> [round(x, 2) for x in ops.convert_to_numpy(token_log_probabilities(even, ops.array([[1, 3, 0]])))[0].tolist()]
    [-1.39, -1.39, 0.0]
    """
    logits = ops.cast(logits, "float32")
    targets = ops.cast(targets, "int32")
    chosen = ops.squeeze(ops.take_along_axis(logits, targets[:, :, None], axis=-1), axis=-1)  # [B, T]
    return ops.where(targets == PAD, 0.0, chosen - ops.logsumexp(logits, axis=-1))


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


def rerank_by_model(
    result: SearchResult, attention: Callable[[Any, Any], Any], memory: Any, source_mask: Any, coverage_penalty: float
) -> SearchResult:
    """Reranks hypotheses by `rerank_by_coverage`, with the attention that a model computes.

    `attention` is the method of a `TranslationModel`, `memory` the output of its encoder.
    """
    batch_size, n, length = ops.shape(result.tokens)
    tokens = ops.reshape(result.tokens, (-1, length))  # [B N, T]
    repeated = tree.map_structure(lambda x: ops.repeat(x, n, axis=0), memory)
    weights = attention(repeated, shift_right(tokens))  # [B N, T, S]
    weights = ops.reshape(weights, (batch_size, n, length, ops.shape(source_mask)[1]))
    return rerank_by_coverage(result, weights, source_mask, coverage_penalty)


def words_of_sources(source: Any, tags: Sequence[int] = ()) -> Any:
    """Tells whether each source id `[B, S]` is a subword of the text, not of a tag before it: bool `[B, S]`.

    `tags` are the ids of target-language tags.
    """
    is_word = (source != PAD) & (source != EOS)
    if not tags:
        return is_word
    # A tag may be two subwords, the first of which is the space before a text.
    places = ops.arange(ops.shape(source)[1], dtype="int32") + 1
    is_tag = ops.any(source[:, :2, None] == ops.convert_to_tensor(tags, "int32"), axis=2)  # [B, 1 or 2]
    before = ops.max(ops.where(is_tag, places[:2], 0), axis=1)  # [B]
    return is_word & (places > before[:, None])


def keep_there(there: Any, result: SearchResult) -> SearchResult:
    """Empties the entries that are not `there` `[B, N]`, except `finished`."""
    return result._replace(
        tokens=ops.where(there[:, :, None], result.tokens, PAD),
        scores=ops.where(there, result.scores, NEG_INF),
        log_probabilities=ops.where(there, result.log_probabilities, NEG_INF),
        lengths=ops.where(there, result.lengths, 0),
    )
