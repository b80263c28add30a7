"""Subwords of prefixes, and of phrases that translations must have or must not have."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator, Mapping

import tensorflow as tf

from keras_nmt.decoding.constraints import met_constraints
from keras_nmt.decoding.scores import is_valid
from keras_nmt.errors import UserError
from keras_nmt.ids import BOS, PAD
from keras_nmt.inference._tensors import bucket_sizes, checked, has_unknown
from keras_nmt.inference.shortlist import TOO_MANY_FORCED
from keras_nmt.text.lines import TOO_MANY_PHRASES, UNKNOWN_IN_PREFIX, TooManyPhrases, unknown_in_prefix

UNKNOWN_IN_PHRASES = "phrase(s) have characters that the subwords of the target language do not have: they are left out"
PHRASES = ("constraints", "avoid")  # inputs [N, C]
OR = "|"  # between alternatives
NEVER = BOS  # the only token of a constraint that no translation can have
SHOWN = 5  # phrases in a warning
SIZES = tuple(2**n for n in range(13))  # padded sizes of phrases, so that XLA compiles for few shapes
# These limits are for all sentences of a call together. They bound the memory.
MOST_PLACES, MOST_AVOIDED = 2**21, 2**16
LIMIT_OF_PLACES = f"C A^2 L^2 must be at most {MOST_PLACES:,} for C constraints of A alternatives of L subwords"
LIMIT_OF_AVOIDED = f"P L must be at most {MOST_AVOIDED:,} for P phrases to avoid of L subwords"


Tokenize = Callable[[tf.Tensor, tf.Tensor], tf.RaggedTensor]


def required_phrases(
    texts: tf.Tensor, most: tf.Tensor, tokenize: Tokenize, compiled: bool, told: set[str]
) -> tf.Tensor:
    """Segments each phrase `[N, C]` by itself, so that it begins with a word; "" is no phrase.

    `tokenize` makes subwords `[P, (L)]` from texts `[P]` and the numbers `[P]` of their sentences. Alternatives of more
    than `most` `[N]` subwords, or with unknown ones, are left out, and `NEVER` stands for a phrase without other
    alternatives. So are the last columns without phrases. Sizes are padded if the search is compiled. Eagerly, a
    warning tells of phrases that have only alternatives with unknown subwords, and are not in `told` yet.

    Returns:
        int32 tensor `[N, C, A, L]`, padded with `PAD`: A alternatives of at most L subwords. C is at least 1.
    """
    subwords, lengths, cells, sentences = _segmented(texts, tokenize)
    shape = tf.shape(texts)

    def is_lost(is_kept: tf.Tensor) -> tf.Tensor:
        """Tells for each alternative whether no alternative of its phrase is kept: `[P]` bool."""
        of_cells = tf.math.unsorted_segment_max(tf.cast(is_kept, tf.int32), cells, shape[0] * shape[1])
        return (lengths > 0) & (tf.gather(of_cells, cells) < 1)

    is_known = ~has_unknown(subwords) & (lengths > 0)
    if tf.executing_eagerly():
        unknown = tf.gather(tf.reshape(texts, [-1]), tf.boolean_mask(cells, is_lost(is_known))).numpy()
        if new := [text for text in dict.fromkeys(x.decode() for x in unknown) if text not in told]:
            told.update(new)
            more = ", ..." if len(new) > SHOWN else ""
            warnings.warn(
                f"{len(new)} {UNKNOWN_IN_PHRASES}. Received: {', '.join(map(repr, new[:SHOWN]))}{more}", stacklevel=2
            )
    fits = is_known & (lengths <= tf.gather(most, sentences))
    is_never = is_lost(fits)
    left = tf.ragged.boolean_mask(subwords, subwords.with_flat_values(~tf.gather(is_never, subwords.value_rowids())))
    never = tf.RaggedTensor.from_row_lengths(
        tf.fill([tf.math.count_nonzero(is_never)], NEVER), tf.cast(is_never, subwords.row_splits.dtype), validate=False
    )
    subwords, is_kept = tf.concat([never, left], 1), fits | is_never
    columns = tf.boolean_mask(cells % tf.maximum(shape[1], 1), is_kept)
    count = tf.reduce_max(tf.concat([columns, [0]], 0)) + 1
    rows = sentences * count + cells % tf.maximum(shape[1], 1)
    return _dense(subwords, rows, is_kept, tf.stack([shape[0], count]), compiled)


def fitting_constraints(constraints: tf.Tensor, room: tf.Tensor) -> tf.Tensor:
    """Leaves out constraints `[B, C, A, L]` that together need `room` `[B]` subwords or more, the longest first."""
    lengths = tf.math.count_nonzero(constraints != PAD, 3, dtype=tf.int32)  # [B, C, A]
    is_never = constraints[:, :, 0, 0] == NEVER
    shortest = tf.reduce_min(tf.where(lengths > 0, lengths, tf.int32.max), 2)
    needed = tf.where(lengths[:, :, 0] > 0, tf.minimum(tf.where(is_never, tf.int32.max, shortest), room[:, None]), 0)
    order = tf.argsort(needed, axis=1, stable=True)
    fits = tf.cumsum(tf.gather(needed, order, batch_dims=1), 1) < room[:, None]
    fits = tf.gather(fits, tf.argsort(order, axis=1), batch_dims=1)  # [B, C]
    return tf.where(fits[:, :, None, None], constraints, PAD)


def possible_constraints(constraints: tf.Tensor, tokens: tf.Tensor, scores: tf.Tensor, cut_off: tf.Tensor) -> tf.Tensor:
    """Leaves out constraints `[B, C, A, L]` that the best hypothesis lacks, in rows where no hypothesis could end.

    A hypothesis ends only with all constraints; where `avoid` or another option forbids what one needs, none ends.
    `tokens` `[B, K, T]`, `scores` and `cut_off` `[B, K]` are those of the search with the constraints.
    """
    is_dead = ~is_valid(scores[:, 0])  # [B]
    best = tf.where(is_dead[:, None], PAD, tokens[:, 0])  # [B, T]
    is_lost = (is_dead | cut_off[:, 0])[:, None] & ~met_constraints(constraints, best[:, None])[:, 0]  # [B, C]
    return tf.where(is_lost[:, :, None, None], PAD, constraints)


def avoided_phrases(texts: tf.Tensor, most: tf.Tensor, tokenize: Tokenize, compiled: bool) -> tf.Tensor:
    """Does the same for phrases to avoid: int32 tensor `[N, P, L]`, P phrases of a sentence, alternatives or not.

    It does not tell of those with unknown subwords: no translation has their characters.
    """
    subwords, lengths, _, sentences = _segmented(texts, tokenize)
    is_kept = ~has_unknown(subwords) & (lengths > 0) & (lengths <= tf.gather(most, sentences))
    return _dense(subwords, sentences, is_kept, tf.shape(texts)[:1], compiled)


def _segmented(texts: tf.Tensor, tokenize: Tokenize) -> tuple[tf.RaggedTensor, tf.Tensor, tf.Tensor, tf.Tensor]:
    """Returns the subwords `[P, (L)]` of all alternatives, their lengths, and the indices of their texts and rows."""
    shape = tf.shape(texts)
    parts = tf.strings.split(tf.reshape(texts, [-1]), OR)  # [N C, (A)]
    cells = tf.cast(parts.value_rowids(), tf.int32)
    sentences = cells // tf.maximum(shape[1], 1)
    subwords = tokenize(tf.strings.strip(parts.flat_values), sentences)
    return subwords, tf.cast(subwords.row_lengths(), tf.int32), cells, sentences


def _dense(
    subwords: tf.RaggedTensor, rows: tf.Tensor, is_kept: tf.Tensor, shape: tf.Tensor, compiled: bool
) -> tf.Tensor:
    """Returns the kept subwords `[P, (L)]` of ascending `rows` `[P]` as a tensor `[*shape, A, L]`."""
    kept = tf.ragged.boolean_mask(subwords, is_kept)
    rows = tf.cast(tf.boolean_mask(rows, is_kept), kept.row_splits.dtype)
    count = tf.cast(tf.reduce_prod(shape), rows.dtype)
    nested = tf.RaggedTensor.from_value_rowids(kept, rows, count, validate=False)
    sizes = tf.stack([nested.bounding_shape(1), kept.bounding_shape(1)])
    sizes = tf.concat([shape[1:], tf.maximum(tf.cast(sizes, tf.int32), 1)], 0)  # [(C), A, L]
    padded = _padded(sizes) if compiled else sizes
    with tf.control_dependencies([_checked_size(padded)]):
        dense = tf.identity(nested.to_tensor(PAD, shape=tf.concat([count[None], tf.cast(padded[-2:], rows.dtype)], 0)))
    dense = tf.reshape(dense, tf.concat([shape, padded[-2:]], 0))
    if shape.shape[0] == 1:
        return dense
    return tf.pad(dense, [[0, 0], [0, padded[0] - sizes[0]], [0, 0], [0, 0]])


def _checked_size(sizes: tf.Tensor) -> tf.Tensor:
    """Checks that phrases of sizes `[(C), A, L]` do not take too much memory, and returns the sizes."""
    wide = tf.cast(sizes, tf.int64)
    # Constraints have tables of pairs of places; what is to be avoided has its places in each hypothesis.
    is_required = sizes.shape[0] == 3
    size = tf.reduce_prod(wide) * (tf.reduce_prod(wide[1:]) if is_required else 1)
    most, limit = (MOST_PLACES, LIMIT_OF_PLACES) if is_required else (MOST_AVOIDED, LIMIT_OF_AVOIDED)
    message = f"{TOO_MANY_PHRASES}: {limit}; leave out some. Received:"
    if tf.executing_eagerly():
        if size > most:
            shown = zip("CAL" if is_required else "PL", sizes.numpy(), strict=True)
            raise TooManyPhrases(f"{message} {', '.join(f'{name}={x}' for name, x in shown)}")
        return sizes
    return checked(sizes, size <= most, message, sizes)


def _padded(sizes: tf.Tensor) -> tf.Tensor:
    """Returns padded sizes `[n]`. Larger ones than the largest stay."""
    return tf.where(sizes > SIZES[-1], sizes, bucket_sizes(tf.minimum(sizes, SIZES[-1]), SIZES))


def without_unknown(prefixes: tf.RaggedTensor, texts: tf.Tensor) -> tf.RaggedTensor:
    """Checks that prefixes `[N, (P)]` have no unknown subwords, which no translation begins with, and returns them."""
    is_unknown = has_unknown(prefixes)
    message = f"{UNKNOWN_IN_PREFIX}. Received:", tf.boolean_mask(texts, is_unknown)
    return prefixes.with_flat_values(checked(prefixes.flat_values, tf.reduce_all(~is_unknown), *message))


@contextlib.contextmanager
def errors_of_prefixes(
    has_unknown: Callable[[Mapping[str, tf.Tensor]], tf.Tensor], inputs: Mapping[str, tf.Tensor], shortlist_size: int
) -> Iterator[None]:
    """Turns errors of a graph about the prefixes of its inputs into a `UserError`.

    `has_unknown` tells which prefixes `[N]` have characters without subwords.
    """
    try:
        yield
    except tf.errors.InvalidArgumentError as error:
        if UNKNOWN_IN_PREFIX in str(error):
            wrong = inputs["prefix"].numpy()[has_unknown(inputs).numpy()][0].decode()
            raise unknown_in_prefix(f"prefix={wrong!r}") from None
        if TOO_MANY_FORCED not in str(error):
            raise
        raise UserError(f"{TOO_MANY_FORCED}: raise it. Received: shortlist_size={shortlist_size}") from None
