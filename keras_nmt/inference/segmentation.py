"""Subwords of texts of several languages, and texts of subwords, in the graph of a translator."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tensorflow as tf

from keras_nmt.data import SubwordTokenizer
from keras_nmt.ids import UNK
from keras_nmt.inference.alignment import copies_of_texts, join_with_copies
from keras_nmt.inference.batching import Groups, Rows

# A text is cut behind so many bytes for each subword of the largest length bucket. To segment a byte takes 300 bytes of
# memory, and a text that is cut here has more subwords than the bucket, unless most of it is spaces or the like.
BYTES_OF_A_SUBWORD = 1024


class Segmentation:
    """Segments texts into the subwords of their languages, and joins subwords to texts.

    Languages are those of `Rows`: int32 tensors `[N]` of the source and of the target; none for one direction.

    Args:
        tokenizers: Mapping of each language to its subwords, with one object for equal subwords.
        languages: Sequence of the model's languages.
        direction: Pair of a source and a target, the only direction if `languages` are none.
        max_length: Integer, the most subwords of a text, with EOS.
    """

    def __init__(
        self,
        tokenizers: Mapping[str, SubwordTokenizer],
        languages: Sequence[str],
        direction: tuple[str, str],
        max_length: int,
    ) -> None:
        self._tokenizers, self._direction = tokenizers, direction
        self._max_length = max_length
        self.most_bytes = BYTES_OF_A_SUBWORD * max_length  # of a text that are segmented
        # Languages with the same subwords are one group.
        self._groups = Groups([id(tokenizers[x]) for x in languages])
        self._languages = [languages[i] for i in self._groups.firsts]

    def segment(
        self,
        texts: tf.Tensor,
        side: int,
        languages: list[tf.Tensor],
        body: Callable[[SubwordTokenizer, tf.Tensor], tf.RaggedTensor] = SubwordTokenizer.tokenize,
    ) -> tf.RaggedTensor:
        """Segments texts `[N]`, cut to a bounded size; with `body`, by another function of subwords and texts."""
        texts = tf.strings.substr(texts, 0, self.most_bytes)
        return self._with_tokenizers(body, texts, side, languages)

    def join(self, tokens: tf.Tensor, attended: tf.Tensor | None, texts: tf.Tensor, rows: Rows) -> tf.Tensor:
        """Joins tokens `[N, K, T]` of texts `[N]` to translations `[N, K]`; `attended` are positions in the texts."""
        shape = tf.shape(tokens)

        def join_texts(tokenizer: SubwordTokenizer, tokens: tf.Tensor) -> tf.Tensor:
            return tf.reshape(tokenizer.detokenize(tf.reshape(tokens, [-1, shape[2]])), [-1, shape[1]])

        joined = tf.ensure_shape(self._with_tokenizers(join_texts, tokens, 1, rows.languages), tokens.shape[:2])
        if attended is None:
            return joined
        attended = tf.maximum(attended - rows.before[:, None, None], 0)
        places = tf.where(tf.reduce_any(tokens == UNK, 2))  # [M, 2], of hypotheses with unknown subwords
        texts, *languages = (tf.gather(x, places[:, 0]) for x in (texts, *rows.languages))
        most = self._max_length
        bodies = SubwordTokenizer.tokenize, functools.partial(copies_of_texts, most=most)
        of_source = [self.segment(texts, 0, languages, body)[:, :most].to_tensor() for body in bodies]  # [M, S]
        parts = [tf.gather_nd(tokens, places), *of_source, tf.gather_nd(attended, places)]

        def replace(tokenizer: SubwordTokenizer, chosen: tf.Tensor) -> tf.Tensor:
            tokens, *others = (tf.gather(x, chosen) for x in parts)
            return tokenizer.detokenize(tokens) if tokenizer.has_bytes else join_with_copies(tokenizer, tokens, *others)

        replaced = self._with_tokenizers(replace, tf.range(tf.shape(places)[0]), 1, languages)
        return tf.tensor_scatter_nd_update(joined, places, replaced)

    def piece_strings(self, tokens: tf.Tensor, rows: Rows) -> tf.Tensor:
        """Returns the subwords of tokens `[N, ...]` as strings."""
        return self._with_tokenizers(SubwordTokenizer.piece_strings, tokens, 1, rows.languages)

    def _with_tokenizers(
        self,
        body: Callable[[SubwordTokenizer, tf.Tensor], Any],
        values: tf.Tensor,
        side: int,
        languages: list[tf.Tensor],
    ) -> Any:
        """Calls `body` for each of the values `[N, ...]`, with the subwords of the value's language on this side."""
        names = self._languages if languages else [self._direction[side]]
        tokenizers = [self._tokenizers[name] if side else self._tokenizers[name].source for name in names]
        if len(tokenizers) == 1:
            return body(tokenizers[0], values)
        groups = self._groups.of(languages[side])
        indices = [tf.where(groups == group)[:, 0] for group in range(len(tokenizers))]
        results = [
            body(tokenizer, tf.gather(values, rows)) for tokenizer, rows in zip(tokenizers, indices, strict=True)
        ]
        return tf.gather(tf.concat(results, 0), tf.math.invert_permutation(tf.concat(indices, 0)))
