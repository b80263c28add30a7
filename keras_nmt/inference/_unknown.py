"""Replaces unknown subwords of translations by text of the source."""

from __future__ import annotations

import tensorflow as tf

from keras_nmt.data import SubwordTokenizer
from keras_nmt.ids import EOS, UNK
from keras_nmt.inference.alignment import words_of_texts
from keras_nmt.inference.translation import WORD_BEGIN, WORD_ENDS

_PUNCTUATION = r"[\pP]+"


def copies_of_texts(tokenizer: SubwordTokenizer, texts: tf.Tensor) -> tf.RaggedTensor:
    """Returns, for each source subword, the text that replaces an unknown subword that attends to it.

    Args:
        tokenizer: `SubwordTokenizer` of the texts.
        texts: String tensor `[N]`.

    Returns:
        String `tf.RaggedTensor` `[N, (subwords)]`: the characters of an unknown source subword, or the word of any
        other, without the punctuation around it.
    """
    ids, starts, limits = tokenizer.tokenize_with_offsets(texts)
    rows, start = ids.value_rowids(), starts.flat_values
    characters = tf.strings.strip(tf.strings.substr(tf.gather(texts, rows), start, limits.flat_values - start))
    between = f"[{WORD_ENDS}]+"
    single = tf.strings.regex_replace(tf.strings.regex_replace(texts, f"^{between}|{between}$", ""), between, " ")
    words = tf.strings.split(single, " ")  # [N, (words)]
    numbers = tf.cast(words_of_texts(tokenizer, texts).flat_values, tf.int64)
    of_subwords = tf.gather(words.flat_values, tf.gather(words.row_starts(), rows) + numbers)
    bare = tf.strings.regex_replace(of_subwords, f"^{_PUNCTUATION}|{_PUNCTUATION}$", "")
    of_subwords = tf.where(bare == "", of_subwords, bare)
    return ids.with_flat_values(tf.where(ids.flat_values == UNK, characters, of_subwords))


def join_with_copies(
    tokenizer: SubwordTokenizer, tokens: tf.Tensor, source: tf.Tensor, copies: tf.Tensor, attended: tf.Tensor
) -> tf.Tensor:
    """Joins subwords into texts, with text of the source for unknown subwords.

    An unknown subword that attends to an unknown subword is replaced by the latter's characters. If it attends to any
    other subword, its whole word is replaced by the source word, except subwords that are punctuation.

    Args:
        tokenizer: `SubwordTokenizer` of the translations.
        tokens: int32 tensor `[B, T]`.
        source: int32 tensor `[B, S]`, the subwords of the source.
        copies: String tensor `[B, S]`, see `copies_of_texts`.
        attended: int32 tensor `[B, T]`, the position in the source that each token attends to.

    Returns:
        String tensor `[B]`.
    """
    pieces = tf.where(tokens == EOS, "", tokenizer.piece_strings(tokens))
    is_unknown = tokens == UNK
    is_part = is_unknown & (tf.gather(source, attended, batch_dims=1) == UNK)
    is_whole = is_unknown & ~is_part
    begins = tf.strings.regex_full_match(pieces, f"{WORD_BEGIN}.*")
    rows, size = tf.shape(tokens)[0], tf.shape(tokens)[1]
    words = tf.cumsum(tf.cast(begins, tf.int32), 1) + (size + 1) * tf.range(rows)[:, None]  # different in each text
    places = tf.where(is_whole, tf.range(size), size)
    first = tf.gather(tf.math.unsorted_segment_min(places, words, (size + 1) * rows), words)  # of each token's word
    is_replaced = (first < size) & ~tf.strings.regex_full_match(pieces, f"{WORD_BEGIN}?{_PUNCTUATION}")
    is_first = first == tf.range(size)
    written = tf.where(is_replaced, tf.where(begins, WORD_BEGIN, ""), pieces)
    is_copied = is_first | (is_part & ~is_replaced)
    written = tf.where(is_copied, tf.gather(copies, attended, batch_dims=1), written)
    text = tf.strings.regex_replace(tf.strings.reduce_join(written, 1), WORD_BEGIN, " ")
    return tf.strings.strip(text)
