"""The words of subwords, alignments of subwords, and text of the source for the unknown subwords aligned to it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import tensorflow as tf

from keras_nmt.data import SubwordTokenizer
from keras_nmt.data.parallel_corpus import LINK_BASE
from keras_nmt.data.subword_tokenizer import clean_in_graph, with_space
from keras_nmt.data.target_tags import TargetTags
from keras_nmt.ids import EOS, UNK
from keras_nmt.text.translation import WORD_BEGIN, WORD_ENDS

_PUNCTUATION = r"[\pP]+"
MOST_MORE = 64  # bytes of the rest of a word
# A "word" with letters of a script without spaces.
_UNSPACED = r".*[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}].*"
# Ranges of characters that subword models treat as spaces or leave out: they are not letters of words.
UNSEEN = (
    *((0x0, 0x20), (0x7F, 0xA0), (0x1680, 0x1680), (0x2000, 0x200F), (0x2028, 0x202F), (0x205F, 0x205F)),
    *((0x2581, 0x2581), (0x3000, 0x3000), (0xFEFF, 0xFEFF), (0xFFFD, 0xFFFD)),
)


def words_of_subwords(
    tokenizer: SubwordTokenizer, texts: Sequence[str], begins: Sequence[Sequence[int]] | None = None
) -> list[list[int]]:
    """Returns the index of the word of each subword, for each text.

    A subword of several words belongs to the first word of which it has letters. `begins` has the indices of the
    letters at which the words of each text begin, in ascending order. By default, words are those of `split_words`: of
    the text as it is given, also if the tokenizer changes it.
    """
    in_bytes = None
    if begins is not None:
        rows = [[len(text[:begin].encode()) for begin in of_text] for text, of_text in zip(texts, begins, strict=True)]
        in_bytes = tf.ragged.constant(rows, tf.int32, ragged_rank=1, row_splits_dtype=tf.int64)
    words: list[list[int]] = words_of_texts(tokenizer, tf.constant(texts, tf.string, [len(texts)]), in_bytes).to_list()
    return words


def words_of_texts(
    tokenizer: SubwordTokenizer, texts: tf.Tensor, begins: tf.RaggedTensor | None = None
) -> tf.RaggedTensor:
    """Does the same in the graph: string `[N]`, and int32 `[N, (words)]` in bytes, to int32 `[N, (subwords)]`."""
    begins = _begins_of_words(texts) if begins is None else begins
    if tokenizer.cleans:
        texts, begins = _cleaned_with_begins(texts, begins)
    texts, begins = _spaced_with_begins(tokenizer.tags, *_stripped_with_begins(texts, begins))
    _, starts, limits = tokenizer.tokenize_with_offsets(texts)
    points, places = tf.strings.unicode_decode_with_offsets(texts, "UTF-8")  # code points, and their places in bytes
    point = points.flat_values[:, None]
    in_word = tf.reduce_all(point != [ord(end) for end in WORD_ENDS], 1)
    least, most = (tf.constant(limits) for limits in zip(*UNSEEN, strict=True))
    is_letter = in_word & ~tf.reduce_any((point >= least) & (point <= most), 1)
    # Treats all texts as one: positions are moved by the bytes of the texts before, plus one byte for each of these.
    sizes = tf.strings.length(texts) + 1
    moves = tf.cumsum(sizes, exclusive=True)
    all_places = tf.cast(places.flat_values, tf.int32) + tf.gather(moves, places.value_rowids())
    letters = tf.boolean_mask(all_places, is_letter)
    words = begins.flat_values + tf.gather(moves, begins.value_rowids())
    rows = starts.value_rowids()
    start, limit = (tf.cast(x.flat_values, tf.int32) + tf.gather(moves, rows) for x in (starts, limits))
    # The first letter of each subword, or its limit if it has only spaces.
    following = tf.concat([letters, [tf.int32.max]], 0)
    first = tf.minimum(tf.gather(following, tf.searchsorted(letters, start)), limit)
    before = tf.gather(tf.searchsorted(words, moves), rows)  # number of words of the texts before
    numbers = tf.searchsorted(words, first, side="right") - before - 1
    return starts.with_flat_values(tf.maximum(numbers, 0))


def _begins_of_words(texts: tf.Tensor) -> tf.RaggedTensor:
    """Returns where the words of `split_words` begin in texts `[N]`: int32 `[N, (words)]`, in bytes."""
    parts = tf.strings.split(tf.strings.regex_replace(texts, f"[{WORD_ENDS}]", " "), " ")  # between single spaces
    sizes = parts.with_values(tf.strings.length(parts.flat_values) + 1)
    return tf.ragged.boolean_mask(_sums(sizes) - sizes, parts != "")


def _cleaned_with_begins(texts: tf.Tensor, begins: tf.RaggedTensor) -> tuple[tf.Tensor, tf.RaggedTensor]:
    """Returns cleaned texts `[N]`, and where their words, which begin at `begins`, begin there."""
    first, size = tf.zeros_like(texts, tf.int32)[:, None], tf.strings.length(texts)[:, None]
    starts, stops = tf.concat([first, begins], 1), tf.concat([begins, size], 1)  # before the first word, and words
    of_parts = tf.gather(texts, starts.value_rowids())
    parts = tf.strings.substr(of_parts, starts.flat_values, stops.flat_values - starts.flat_values)
    cleaned = starts.with_values(clean_in_graph(parts))
    sizes = starts.with_values(tf.strings.length(cleaned.flat_values))
    return tf.strings.reduce_join(cleaned, 1), _sums(sizes)[:, :-1]


def _stripped_with_begins(texts: tf.Tensor, begins: tf.RaggedTensor) -> tuple[tf.Tensor, tf.RaggedTensor]:
    """Does the same with texts without white space of ASCII at their ends, of which a word may consist."""
    before = tf.strings.length(texts) - tf.strings.length(tf.strings.regex_replace(texts, r"^[ \t-\r]+", ""))
    texts = tf.strings.strip(texts)
    before, size = (tf.gather(x, begins.value_rowids()) for x in (before, tf.strings.length(texts)))
    return texts, begins.with_flat_values(tf.clip_by_value(begins.flat_values - before, 0, size))


def _spaced_with_begins(
    tags: TargetTags, texts: tf.Tensor, begins: tf.RaggedTensor
) -> tuple[tf.Tensor, tf.RaggedTensor]:
    """Does the same with the space behind the tag of a text."""
    if not tags:
        return texts, begins
    spaced = with_space(texts, tags)
    behind = tf.strings.length(texts) - tf.strings.length(tf.strings.regex_replace(texts, rf"^\s*{tags.pattern}", ""))
    is_moved = tf.gather(spaced != texts, begins.value_rowids()) & (
        begins.flat_values >= tf.gather(behind, begins.value_rowids())
    )
    return spaced, begins.with_flat_values(begins.flat_values + tf.cast(is_moved, tf.int32))


def _sums(sizes: tf.RaggedTensor) -> tf.RaggedTensor:
    """Returns the sum of each number and those before it in its row `[N, (numbers)]`."""
    sums = tf.cumsum(sizes.flat_values)
    before = tf.gather(tf.concat([[0], sums], 0), sizes.row_starts())
    return sizes.with_values(sums - tf.gather(before, sizes.value_rowids()))


def subword_links(
    tokenizers: tuple[SubwordTokenizer, SubwordTokenizer],
    sources: Sequence[str],
    targets: Sequence[str],
    alignments: Sequence[Sequence[tuple[int, int]]],
) -> tf.RaggedTensor:
    """Aligns the subwords of sentences: all subwords of a source word with all subwords of its aligned target words.

    The alignments of each of N sentences are pairs (source word, target word), from 0. Of the source's tokenizer,
    `source` is used.

    Returns:
        int32 `tf.RaggedTensor` `[N, (links)]`, in ascending order. The link of target subword t and source subword s is
        the number t * 65536 + s.
    """
    subwords = [
        [_by_word(words) for words in words_of_subwords(tokenizer, texts)] if len(texts) else []
        for tokenizer, texts in ((tokenizers[0].source, sources), (tokenizers[1], targets))
    ]
    rows = [
        sorted({t * LINK_BASE + s for a, b in pairs for s in of_source.get(a, ()) for t in of_target.get(b, ())})
        for of_source, of_target, pairs in zip(*subwords, alignments, strict=True)
    ]
    values = np.array([link for row in rows for link in row], np.int32)
    with tf.device("CPU"):
        return tf.RaggedTensor.from_row_lengths(values, np.array(list(map(len, rows)), np.int64))


def _by_word(words: Sequence[int]) -> dict[int, list[int]]:
    """Returns the positions of the subwords of each word, from the word of each subword."""
    positions: dict[int, list[int]] = {}
    for position, word in enumerate(words):
        positions.setdefault(word, []).append(position)
    return positions


def padded_words(ragged: tf.RaggedTensor, lengths: tf.Tensor) -> tf.Tensor:
    """Returns the words of the first `lengths` `[N]` subwords of texts as a tensor `[N, T]`, T > 0, padded with -1."""
    size = tf.reduce_max(tf.concat([lengths, [1]], 0))
    dense = ragged.to_tensor(-1)
    dense = tf.pad(dense, [[0, 0], [0, 1]], constant_values=-1)[:, :size]
    return tf.where(tf.range(tf.shape(dense)[1]) < lengths[:, None], dense, -1)


def copies_of_texts(tokenizer: SubwordTokenizer, texts: tf.Tensor, most: int) -> tf.RaggedTensor:
    """Returns, for each subword of source texts `[N]`, what replaces an unknown subword that attends to it.

    It is the word of the source subword, without the punctuation around it; or the subword's own characters, if it is
    unknown, or if the "word" is of a script without spaces: string `[N, (subwords)]`. Of each text, the first `most`
    subwords are read.
    """
    texts = tokenizer.cleaned(texts)
    numbers = tf.cast(words_of_texts(tokenizer, texts)[:, :most].flat_values, tf.int64)
    ids, starts, limits = (x[:, :most] for x in tokenizer.tokenize_with_offsets(texts))
    rows, start = ids.value_rowids(), starts.flat_values
    # Each subword gets a copy of the text, and its word, which could be all of the text. So only what is read is
    # copied, with the rest of its last word, unless that is long.
    ends = tf.maximum(tf.reduce_max(limits, 1), 0)  # [N], in bytes; 0 without subwords
    rest = tf.strings.substr(texts, ends, tf.cast(tf.strings.length(texts), ends.dtype) - ends)
    more = tf.cast(tf.strings.length(tf.strings.regex_replace(rest, f"(?s)[{WORD_ENDS}].*", "")), ends.dtype)
    texts = tf.strings.substr(texts, tf.zeros_like(ends), ends + tf.where(more > MOST_MORE, tf.zeros_like(more), more))
    characters = tf.strings.strip(tf.strings.substr(tf.gather(texts, rows), start, limits.flat_values - start))
    between = f"[{WORD_ENDS}]+"
    single = tf.strings.regex_replace(tf.strings.regex_replace(texts, f"^{between}|{between}$", ""), between, " ")
    words = tf.strings.split(single, " ")  # [N, (words)]
    # A subword that is only a space can have the number of a word behind the beginning that is read.
    numbers = tf.minimum(numbers, tf.gather(words.row_lengths(), rows) - 1)
    of_subwords = tf.gather(words.flat_values, tf.gather(words.row_starts(), rows) + numbers)
    bare = tf.strings.regex_replace(of_subwords, f"^{_PUNCTUATION}|{_PUNCTUATION}$", "")
    of_subwords = tf.where(bare == "", of_subwords, bare)
    is_unspaced = tf.strings.regex_full_match(of_subwords, _UNSPACED)
    return ids.with_flat_values(tf.where((ids.flat_values == UNK) | is_unspaced, characters, of_subwords))


def join_with_copies(
    tokenizer: SubwordTokenizer, tokens: tf.Tensor, source: tf.Tensor, copies: tf.Tensor, attended: tf.Tensor
) -> tf.Tensor:
    """Joins tokens `[B, T]` into texts `[B]`, with text of the source for unknown subwords.

    An unknown subword that attends to an unknown subword is replaced by the latter's characters. If it attends to any
    other subword, its whole word is replaced by the source word, except subwords that are punctuation. In a script
    without spaces, where "words" are sentences, the unknown subword alone is replaced. `source` and
    `copies` `[B, S]` are the subwords of the source and their `copies_of_texts`; `attended` `[B, T]` is the position in
    the source that each token attends to.
    """
    pieces = tf.where(tokens == EOS, "", tokenizer.piece_strings(tokens))
    is_unknown = tokens == UNK
    begins = tf.strings.regex_full_match(pieces, f"{WORD_BEGIN}.*")
    rows, size = tf.shape(tokens)[0], tf.shape(tokens)[1]
    words = tf.cumsum(tf.cast(begins, tf.int32), 1) + (size + 1) * tf.range(rows)[:, None]  # different in each text
    is_unspaced = tf.cast(tf.strings.regex_full_match(pieces, _UNSPACED), tf.int32)
    of_words = tf.math.unsorted_segment_max(is_unspaced, words, (size + 1) * rows)
    is_part = is_unknown & ((tf.gather(source, attended, batch_dims=1) == UNK) | (tf.gather(of_words, words) == 1))
    is_whole = is_unknown & ~is_part
    places = tf.where(is_whole, tf.range(size), size)
    first = tf.gather(tf.math.unsorted_segment_min(places, words, (size + 1) * rows), words)  # of each token's word
    is_replaced = (first < size) & ~tf.strings.regex_full_match(pieces, f"{WORD_BEGIN}?{_PUNCTUATION}")
    is_first = first == tf.range(size)
    written = tf.where(is_replaced, tf.where(begins, WORD_BEGIN, ""), pieces)
    is_copied = is_first | (is_part & ~is_replaced)
    written = tf.where(is_copied, tf.gather(copies, attended, batch_dims=1), written)
    text = tf.strings.regex_replace(tf.strings.reduce_join(written, 1), WORD_BEGIN, " ")
    return tf.strings.strip(text)
