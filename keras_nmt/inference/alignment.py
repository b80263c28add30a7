"""Words of subwords, for alignments."""

from __future__ import annotations

from collections.abc import Sequence

import tensorflow as tf

from keras_nmt.inference.aligned_words import WORD_ENDS
from keras_nmt.text import SubwordTokenizer

# The first and the last of characters that subword models take for spaces, or leave out: no letters of a word.
UNSEEN = (
    *((0x0, 0x20), (0x7F, 0xA0), (0x1680, 0x1680), (0x2000, 0x200F), (0x2028, 0x202F), (0x205F, 0x205F)),
    *((0x2581, 0x2581), (0x3000, 0x3000), (0xFEFF, 0xFEFF), (0xFFFD, 0xFFFD)),
)


def words_of_subwords(
    tokenizer: SubwordTokenizer, texts: Sequence[str], begins: Sequence[Sequence[int]] | None = None
) -> list[list[int]]:
    """For each text, the word index of each subword.

    A subword that spans several words belongs to the first word that it has letters of.

    Args:
        tokenizer: `SubwordTokenizer`.
        texts: Sequence of N texts.
        begins: Sequence of N sequences of integers, the index of the letter where each word begins, in ascending order.
            Defaults to the words of `split_words`.
    """
    in_bytes = None
    if begins is not None:
        rows = [[len(text[:begin].encode()) for begin in of_text] for text, of_text in zip(texts, begins, strict=True)]
        in_bytes = tf.ragged.constant(rows, tf.int32, ragged_rank=1, row_splits_dtype=tf.int64)
    found: list[list[int]] = words_of_texts(tokenizer, tf.constant(texts, tf.string, [len(texts)]), in_bytes).to_list()
    return found


def words_of_texts(
    tokenizer: SubwordTokenizer, texts: tf.Tensor, begins: tf.RaggedTensor | None = None
) -> tf.RaggedTensor:
    """The same in the graph: string `[N]`, and int32 `[N, (words)]` in bytes, to int32 `[N, (subwords)]`."""
    _, starts, limits = tokenizer.tokenize_with_offsets(texts)
    points, places = tf.strings.unicode_decode_with_offsets(texts, "UTF-8")  # of characters; places in bytes
    point = points.flat_values[:, None]
    in_word = tf.reduce_all(point != [ord(end) for end in WORD_ENDS], 1)
    least, most = (tf.constant(limits) for limits in zip(*UNSEEN, strict=True))
    is_letter = in_word & ~tf.reduce_any((point >= least) & (point <= most), 1)
    # All texts as one: each position is moved by the bytes of the texts before, one byte more than each has.
    sizes = tf.strings.length(texts) + 1
    moves = tf.cumsum(sizes, exclusive=True)
    all_places = tf.cast(places.flat_values, tf.int32) + tf.gather(moves, places.value_rowids())
    letters = tf.boolean_mask(all_places, is_letter)
    if begins is None:
        is_first = tf.scatter_nd(places.row_starts()[:, None], tf.ones_like(moves), [tf.size(in_word, tf.int64) + 1])
        after_space = tf.concat([[True], ~in_word], 0)[:-1] | (is_first[:-1] > 0)
        words = tf.boolean_mask(all_places, in_word & after_space)
    else:
        words = begins.flat_values + tf.gather(moves, begins.value_rowids())
    rows = starts.value_rowids()
    start, limit = (tf.cast(x.flat_values, tf.int32) + tf.gather(moves, rows) for x in (starts, limits))
    # The first letter of each subword; its limit, if it has spaces only.
    following = tf.concat([letters, [tf.int32.max]], 0)
    first = tf.minimum(tf.gather(following, tf.searchsorted(letters, start)), limit)
    before = tf.gather(tf.searchsorted(words, moves), rows)  # words of the texts before
    numbers = tf.searchsorted(words, first, side="right") - before - 1
    return starts.with_flat_values(tf.maximum(numbers, 0))
