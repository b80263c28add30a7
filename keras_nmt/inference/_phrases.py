"""Subwords of prefixes, and of phrases that translations must have or must not have."""

from __future__ import annotations

from collections.abc import Callable

import tensorflow as tf

from keras_nmt.errors import UserError
from keras_nmt.ids import PAD, UNK
from keras_nmt.inference.batching import bucket_sizes, checked

UNKNOWN_IN_PREFIX = "A prefix has characters that the subwords of the target language do not have"
UNKNOWN_IN_PHRASE = "A phrase has characters that the subwords of the target language do not have"
OR = "|"  # between alternatives
SIZES = tuple(2**n for n in range(13))  # padded sizes of phrases, so that XLA compiles for few shapes


def segment_phrases(
    texts: tf.Tensor, sources: tf.Tensor, tokenize: Callable[[tf.Tensor, tf.Tensor], tf.RaggedTensor], compiled: bool
) -> tf.Tensor:
    """Segments each phrase `[N, C]` by itself, so that it begins with a word; "" is no phrase.

    `tokenize` makes subwords `[P, (L)]` from texts `[P]` and the numbers `[P]` of their sentences, which are `sources`
    `[N]`. Sizes are padded if the search is compiled.

    Returns:
        int32 tensor `[N, C, A, L]`, padded with `PAD`: A alternatives of at most L subwords.
    """
    shape = tf.shape(texts)
    parts = tf.strings.split(tf.reshape(texts, [-1]), OR)  # [N C, (A)]
    sentences = tf.cast(parts.value_rowids(), tf.int32) // tf.maximum(shape[1], 1)
    subwords = tokenize(tf.strings.strip(parts.flat_values), sentences)  # [P, (L)]
    is_unknown = tf.reduce_any(parts.with_flat_values(tf.reduce_any(subwords == UNK, 1)), 1)
    texts = _refuse(tf.reshape(is_unknown, shape), texts, sources, UNKNOWN_IN_PHRASE)
    nested = tf.RaggedTensor.from_row_splits(subwords, parts.row_splits, validate=False)
    sizes = tf.stack([parts.bounding_shape(1), subwords.bounding_shape(1)])
    sizes = tf.maximum(tf.cast(sizes, tf.int32), 1)
    if compiled:
        sizes = _padded(sizes)
    with tf.control_dependencies([texts]):  # sessions skip what no result depends on
        dense = tf.identity(nested.to_tensor(PAD, shape=tf.stack([tf.size(texts), sizes[0], sizes[1]])))
    dense = tf.reshape(dense, tf.stack([shape[0], shape[1], sizes[0], sizes[1]]))
    count = _padded(tf.maximum(shape[1:], 1))[0] if compiled else tf.maximum(shape[1], 1)
    return tf.pad(dense, [[0, 0], [0, count - shape[1]], [0, 0], [0, 0]])


def _padded(sizes: tf.Tensor) -> tf.Tensor:
    """Returns padded sizes `[n]`. Larger ones than the largest stay: such phrases have no room in a translation."""
    return tf.where(sizes > SIZES[-1], sizes, bucket_sizes(tf.minimum(sizes, SIZES[-1]), SIZES))


def _refuse(is_wrong: tf.Tensor, texts: tf.Tensor, sources: tf.Tensor, message: str) -> tf.Tensor:
    """Returns phrases `[N, C]`. If one is wrong `[N, C]`, raises an error that names it and its sentence of `[N]`."""
    wrong = tf.where(is_wrong)
    if tf.executing_eagerly():
        for sentence, place in wrong.numpy().tolist()[:1]:
            phrase, source = texts[sentence, place].numpy().decode(), sources[sentence].numpy().decode()
            raise UserError(f"{message}. Received: {phrase!r}, for the sentence {source[:80]!r}")
        return texts
    named = tf.gather_nd(texts, wrong), "for", tf.gather(sources, wrong[:, 0])
    return checked(texts, tf.size(wrong) == 0, f"{message}. Received:", *named)


def check_room(phrases: tf.Tensor, limits: tf.Tensor, texts: tf.Tensor, sources: tf.Tensor) -> tf.Tensor:
    """Checks that phrases `[N, C, A, L]` fit into translations of at most `limits` `[N]` tokens, and returns them."""
    lengths = tf.reduce_sum(tf.cast(phrases != PAD, tf.int32), 3)
    shortest = tf.reduce_min(tf.where(lengths > 0, lengths, tf.int32.max), 2)
    needed = tf.reduce_sum(tf.where(shortest < tf.int32.max, shortest, 0), 1)
    all_of_row = tf.strings.reduce_join(texts, 1, separator=", ", keepdims=True)
    message = "The phrases of a sentence have more subwords than its translation may have"
    with tf.control_dependencies([_refuse((needed >= limits)[:, None], all_of_row, sources, message)]):
        return tf.identity(phrases)


def has_unknown(tokens: tf.RaggedTensor) -> tf.Tensor:
    """Tells whether each row `[N, (T)]` has an unknown subword: `[N]` bool."""
    return tf.reduce_any(tokens == UNK, 1)


def without_unknown(prefixes: tf.RaggedTensor, texts: tf.Tensor) -> tf.RaggedTensor:
    """Checks that prefixes `[N, (P)]` have no unknown subwords, which no translation begins with, and returns them."""
    is_unknown = has_unknown(prefixes)
    message = f"{UNKNOWN_IN_PREFIX}. Received:", tf.boolean_mask(texts, is_unknown)
    return prefixes.with_flat_values(checked(prefixes.flat_values, tf.reduce_all(~is_unknown), *message))
