"""Operations on the logits of the next token that all searches share, and checks of the searches' arguments."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from keras import ops

from keras_nmt.decoding._beams import take_beams
from keras_nmt.ids import END, PAD

# Stands for minus infinity; finite, so no sum or product is NaN. Log-probabilities below half of it are impossible.
IMPOSSIBLE = -1e9
BLOCKS = tuple(sorted(range(32, 129), key=lambda size: abs(size - 64)))  # ids in a block of `top_k`, best size first


def possible(log_probabilities: Any) -> Any:
    """True at log-probabilities of hypotheses, False at the impossible ones of empty entries and suppressed tokens."""
    return log_probabilities > IMPOSSIBLE / 2


class Forbidden(NamedTuple):
    """The tokens that must not be generated: some at every position, and END before the minimum length."""

    suppress: Sequence[int]  # ids
    min_length: int = 0  # tokens before END

    @property
    def most(self) -> int:
        """The largest number of tokens that are forbidden at a position."""
        return len({*self.suppress, *([END] if self.min_length else [])})

    def among(self, ids: Any, position: Any, vocabulary_size: int) -> Any:
        """True at the ids `[...]` that are forbidden at a position; a `ValueError` if a suppressed id is unknown."""
        if wrong := [token for token in self.suppress if not 0 <= token < vocabulary_size]:
            raise ValueError(f"`suppress` has ids of a vocabulary of {vocabulary_size} only. Received: {wrong}")
        found = ops.any(ids[..., None] == ops.convert_to_tensor(list(self.suppress), "int32"), axis=-1)
        return found | ((ids == END) & (position < self.min_length)) if self.min_length else found

    def suppressed(self, logits: Any, position: Any) -> Any:
        """The logits `[..., V]` with the forbidden tokens impossible, the others unchanged."""
        ids = ops.arange(logits.shape[-1], dtype="int32")
        return ops.where(self.among(ids, position, logits.shape[-1]), IMPOSSIBLE, logits)


def given(**tensors: Any) -> dict[str, Any]:
    """The tensors that are not None, by name: a nest of tensors has no None."""
    return {name: tensor for name, tensor in tensors.items() if tensor is not None}


def force_prefix(logits: Any, given: Any, prefix: Any, position: Any) -> Any:
    """Makes every token but the prefix's impossible, in sentences whose prefix has a token at this position.

    Args:
        logits: float32 tensor `[B, K, V]`, the logits without a prefix, forbidden tokens impossible.
        given: float32 tensor `[B, K, V]`, the logits that the token of the prefix keeps, forbidden or not.
        prefix: int32 tensor `[B, P]`, `PAD` at positions without a forced token, or `None`.
        position: int32 scalar.

    Returns:
        Logits `[B, K, V]`.
    """
    if prefix is None:
        return logits
    token = _forced_token(prefix, position, logits.shape[-1])
    ids = ops.arange(logits.shape[-1], dtype="int32")
    return ops.where(token == PAD, logits, ops.where(ids == token, given, IMPOSSIBLE))


def _forced_token(prefix: Any, position: Any, vocabulary_size: int) -> Any:
    """The token of a prefix `[B, P]` at a position, int32 `[B, 1, 1]`, `PAD` where no token is forced."""
    if isinstance(prefix, np.ndarray) and np.any((prefix < 0) | (prefix >= vocabulary_size)):  # unknown in a graph
        raise ValueError(f"`prefix` has ids of a vocabulary of {vocabulary_size} only. Received: {prefix.tolist()}")
    here = ops.arange(ops.shape(prefix)[1], dtype="int32") == position
    return ops.sum(ops.where(here, ops.cast(prefix, "int32"), 0), axis=1)[:, None, None]


class Likeliest(NamedTuple):
    """The likeliest tokens that may follow, likeliest first."""

    logits: Any  # float32 [B, K, k], impossible where fewer tokens may follow
    ids: Any  # int32 [B, K, k]
    best: tuple[Any, Any] | None  # the largest logit of all tokens and its id, `[B, K, 1]` each, if they are known


def likeliest(logits: Any, k: int, forbidden: Forbidden, prefix: Any, position: Any) -> Likeliest:
    """Chooses the `k` likeliest of the tokens that are not forbidden, or the prefix's token alone where it has one.

    The whole vocabulary is read once: the `k` likeliest are among the likeliest `k` and as many more as are forbidden.

    Args:
        logits: float32 tensor `[B, K, V]`, the model's.
        k: Integer, at most V.
        forbidden: `Forbidden`, tokens that are not chosen.
        prefix: int32 tensor `[B, P]`, `PAD` at positions without a forced token, or `None`.
        position: int32 scalar.

    Returns:
        A `Likeliest`.

    Raises:
        ValueError: An id is not in the vocabulary.
    """
    vocabulary_size = logits.shape[-1]
    all_values, all_ids = top_k(logits, min(k + forbidden.most, vocabulary_size))
    best = all_values[:, :, :1], all_ids[:, :, :1]
    values, order = ops.top_k(ops.where(forbidden.among(all_ids, position, vocabulary_size), IMPOSSIBLE, all_values), k)
    ids = of_tokens(all_ids, order)
    if prefix is not None:
        token = ops.broadcast_to(_forced_token(prefix, position, vocabulary_size), ops.shape(best[1]))  # [B, K, 1]
        known = ops.clip(token, 0, vocabulary_size - 1)  # another id is the next row's token, and impossible
        is_there = (ops.arange(k) == 0) & (known == token)  # [B, K, k]
        values = ops.where(token == PAD, values, ops.where(is_there, of_tokens(logits, known), IMPOSSIBLE))
        ids = ops.where(token == PAD, ids, known)
    return Likeliest(values, ids, best)


def of_tokens(logits: Any, ids: Any) -> Any:
    """The logits `[B, K, V]` of tokens `[B, K, M]`, or anything else of them: `[B, K, M]`."""
    rows = ops.reshape(logits, (-1, logits.shape[-1]))
    return ops.reshape(take_beams(rows, ops.reshape(ids, (-1, ids.shape[-1]))), (-1, *ids.shape[1:]))


def token_log_probabilities(values: Any, logits: Any, best: tuple[Any, Any] | None = None, *, plain: bool) -> Any:
    """The log-probabilities of tokens among the whole vocabulary.

    Args:
        values: float32 tensor `[B, K, M]`, the tokens' logits.
        logits: float32 tensor `[B, K, V]`, all logits.
        best: The largest logit and its id, `[B, K, 1]` each. Defaults to None: searched for.
        plain: Boolean, whether no compiler joins the operators. TensorFlow's softmax is then one operator, three times
            as fast as the difference, the exponentials and their sum.

    Returns:
        float32 tensor `[B, K, M]`.
    """
    if plain:
        highest, ids = top_k(logits, 1) if best is None else best
        return (values - highest) + ops.log(of_tokens(ops.softmax(logits, axis=-1), ids))
    highest = ops.max(logits, axis=-1, keepdims=True) if best is None else best[0]
    return (values - highest) - ops.log(ops.sum(ops.exp(logits - highest), axis=-1, keepdims=True))


def top_k(logits: Any, k: int) -> tuple[Any, Any]:
    """The `k` largest logits and their ids, largest first; among equal logits, the lowest ids.

    A large vocabulary is searched in two stages: the `k` largest logits are in the `k` blocks with the largest maxima.

    Args:
        logits: float32 tensor `[B, K, V]`.
        k: Integer, at most V.

    Returns:
        Values `[B, K, k]` float32 and ids `[B, K, k]` int32.
    """
    beam_size, vocabulary_size = logits.shape[1:]
    # A size that divides the vocabulary needs no padding.
    block = next((size for size in BLOCKS if vocabulary_size % size == 0), BLOCKS[0])
    num_blocks = -(-vocabulary_size // block)
    if num_blocks < 4 * k:
        values, ids = ops.top_k(logits, k)
        return values, ops.cast(ids, "int32")
    if padding := num_blocks * block - vocabulary_size:
        # Lower than even suppressed logits, so none is chosen.
        logits = ops.pad(logits, [[0, 0], [0, 0], [0, padding]], constant_values=2 * IMPOSSIBLE)
    blocks = ops.reshape(logits, (-1, num_blocks, block))  # [R, blocks, block], R = B K
    _, chosen = ops.top_k(ops.max(blocks, axis=2), k)  # [R, k]
    # In the order of the vocabulary, so equal logits are still taken from the lowest id up.
    chosen = ops.sort(ops.cast(chosen, "int32"), axis=-1)
    candidates = take_beams(blocks, chosen)  # [R, k, block]
    values, places = ops.top_k(ops.reshape(candidates, (-1, k * block)), k)
    places = ops.cast(places, "int32")
    ids = take_beams(chosen, places // block) * block + places % block
    # If logits are -inf, an entry of the padding may be chosen, and must be an id.
    ids = ops.minimum(ids, vocabulary_size - 1)
    return ops.reshape(values, (-1, beam_size, k)), ops.reshape(ids, (-1, beam_size, k))


def length_limits(batch_size: Any, max_length: Any, max_lengths: Any) -> Any:
    """The most tokens of each sentence, `[B]` int32: `max_lengths`, at most `max_length`."""
    limits = ops.full((batch_size,), max_length, dtype="int32")
    return limits if max_lengths is None else ops.minimum(ops.cast(max_lengths, "int32"), limits)


def check_arguments(
    batch_size: Any,
    length_penalty: Any,
    seeds: Any = None,
    max_lengths: Any = None,
    prefix: Any = None,
    beam_sizes: Any = None,
    min_length: int = 0,
) -> None:
    """Raises a `ValueError` if the penalty is not finite, the minimum length negative, or a tensor of another shape."""
    if min_length < 0:
        raise ValueError(f"`min_length` must be at least 0. Received: min_length={min_length}")
    if isinstance(length_penalty, numbers.Real) and not math.isfinite(length_penalty):
        raise ValueError(f"`length_penalty` must be finite. Received: length_penalty={length_penalty}")
    for name, value, form in (
        ("seeds", seeds, "[B]"),
        ("max_lengths", max_lengths, "[B]"),
        ("prefix", prefix, "[B, P]"),
        ("beam_sizes", beam_sizes, "[B]"),
    ):
        if value is None:
            continue
        shape = value.shape if hasattr(value, "shape") else np.shape(value)
        if getattr(shape, "rank", 0) is None:  # unknown in a TensorFlow graph
            continue
        rows_differ = len(shape) and isinstance(batch_size, int) and shape[0] not in (None, batch_size)
        if len(shape) != form.count(",") + 1 or rows_differ:
            raise ValueError(f"`{name}` must be {form}, with B = {batch_size}. Received: shape {tuple(shape)}")
