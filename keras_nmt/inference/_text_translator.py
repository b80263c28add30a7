from __future__ import annotations

import math
import numbers
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from keras_nmt.decoding import DecoderStep, SearchResult, beam_search, greedy_search, sampling_search
from keras_nmt.errors import UserError, check_backend
from keras_nmt.ids import END, PAD
from keras_nmt.inference.buckets import bucket_size, bucket_size_tensor, check_buckets
from keras_nmt.inference.lines import check_lines as check_lines
from keras_nmt.inference.lines import seeds_of_lines as seeds_of_lines
from keras_nmt.inference.translation import Hypothesis, Translation
from keras_nmt.text import SubwordTokenizer

# Tokens are counted with the END that closes a sentence.
LENGTH_BUCKETS = (16, 32, 64, 128, 256)
BATCH_BUCKETS = (1, 4, 16, 64)


class TextTranslator:
    """What translators of one pair and of many share: their options, text to ids, the search, batches of lines.

    Args: as of `Translator`.
    """

    def __init__(
        self,
        *,
        beam_size: int = 4,
        length_penalty: float = 0.6,
        num_hypotheses: int = 1,
        max_length: int | None = None,
        max_length_factor: int = 2,
        max_length_offset: int = 10,
        length_buckets: Sequence[int] = LENGTH_BUCKETS,
        batch_buckets: Sequence[int] = BATCH_BUCKETS,
        max_batch_tokens: int = 4096,
        jit_compile: bool = False,
        sample: bool = False,
        temperature: float = 1.0,
        top_k: int = 0,
        top_p: float = 1.0,
        coverage_penalty: float = 0.0,
    ) -> None:
        check_backend("A translator")
        _check_types(
            (numbers.Integral, "an integer"),
            beam_size=beam_size,
            num_hypotheses=num_hypotheses,
            max_length=max_length or 1,
            max_length_factor=max_length_factor,
            max_length_offset=max_length_offset,
            max_batch_tokens=max_batch_tokens,
            top_k=top_k,
        )
        _check_types(
            (numbers.Real, "a number"),
            length_penalty=length_penalty,
            temperature=temperature,
            top_p=top_p,
            coverage_penalty=coverage_penalty,
        )
        if not math.isfinite(length_penalty):
            raise UserError(f"`length_penalty` must be finite. Received: length_penalty={length_penalty}")
        if beam_size < 1:
            raise UserError(f"`beam_size` must be at least 1. Received: beam_size={beam_size}")
        if num_hypotheses < 1 or (num_hypotheses > beam_size and not sample):
            raise UserError(
                "`num_hypotheses` must be at least 1 and at most `beam_size`. "
                f"Received: num_hypotheses={num_hypotheses}, beam_size={beam_size}"
            )
        self.beam_size = beam_size
        self.length_penalty = length_penalty
        self.num_hypotheses = num_hypotheses
        self.max_length_factor = max_length_factor
        self.max_length_offset = max_length_offset
        self.length_buckets = check_buckets("length_buckets", length_buckets)
        self.batch_buckets = check_buckets("batch_buckets", batch_buckets)
        self.max_batch_tokens = max_batch_tokens
        if max_length is not None and max_length < 1:
            raise UserError(f"`max_length` must be at least 1. Received: max_length={max_length}")
        if max_length_factor < 0 or max_length_offset < 0 or max_length_factor + max_length_offset < 1:
            raise UserError(
                "`max_length_factor` and `max_length_offset` must be at least 0, and not both of them 0. "
                f"Received: max_length_factor={max_length_factor}, max_length_offset={max_length_offset}"
            )
        if max_batch_tokens < 1:
            raise UserError(f"`max_batch_tokens` must be at least 1. Received: max_batch_tokens={max_batch_tokens}")
        self.max_length = max_length or max_length_factor * self.length_buckets[-1] + max_length_offset
        self.jit_compile = jit_compile
        if not temperature > 0 or top_k < 0 or not 0 < top_p <= 1:
            raise UserError(
                "`temperature` must be above 0, `top_k` at least 0, `top_p` above 0 and at most 1. "
                f"Received: temperature={temperature}, top_k={top_k}, top_p={top_p}"
            )
        sampling = {"temperature": temperature, "top_k": top_k, "top_p": top_p}
        if not sample and sampling != {"temperature": 1.0, "top_k": 0, "top_p": 1.0}:
            raise UserError(f"These are for sampling: ask for it by `sample=True`. Received: {sampling}")
        self.sampling = sampling if sample else None
        if not coverage_penalty >= 0 or (coverage_penalty and sample):
            raise UserError(
                "`coverage_penalty` must be at least 0, and 0 where translations are drawn at random. "
                f"Received: coverage_penalty={coverage_penalty}, sample={sample}"
            )
        self.coverage_penalty = coverage_penalty

    # In the graph

    def _to_ids(
        self, tokens: tf.RaggedTensor, pad_rows: bool, pad_columns: bool
    ) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
        """Tokens [N, (S)] to ids [B, S] closed by END, lengths [N] without END, and what was cut [N].

        Rows and columns are padded to buckets or not.
        """
        rows, lengths = tf.cast(tokens.nrows(), tf.int32), tf.cast(tokens.row_lengths(), tf.int32)
        truncated = lengths >= self.length_buckets[-1]
        lengths = tf.minimum(lengths, self.length_buckets[-1] - 1)
        columns = tf.reduce_max(tf.concat([lengths, [0]], 0)) + 1
        shape = (
            # at least one row: no operator has to cope with an empty batch
            bucket_size_tensor(rows, self.batch_buckets) if pad_rows else tf.maximum(rows, 1),
            bucket_size_tensor(columns, self.length_buckets) if pad_columns else columns,
        )
        # Pads and cuts rows and columns at once.
        ids = tf.raw_ops.RaggedTensorToTensor(
            shape=shape,
            values=tokens.flat_values,
            default_value=PAD,
            row_partition_tensors=[tokens.row_splits],
            row_partition_types=["ROW_SPLITS"],
        )
        ends = tf.pad(lengths, [[0, shape[0] - rows]], constant_values=-1)  # [B], none in rows of padding
        ids = tf.where(tf.range(shape[1]) == ends[:, None], END, ids)
        return tf.ensure_shape(ids, [None, None]), lengths, truncated

    def _search_for(
        self,
        step: DecoderStep,
        constants: Any,
        caches: Any,
        lengths: tf.Tensor,
        max_length: tf.Tensor,
        seeds: tf.Tensor | None = None,
        prefix: tf.Tensor | None = None,
        rerank: Callable[[SearchResult], SearchResult] | None = None,
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """Tokens [B, n, T] and scores [B, n], best first, for sources of `lengths` [B] tokens without END.

        Where it samples, `seeds` [B] are given. A `prefix` [B, P] is not counted in how many tokens there may be.
        With `rerank`, all hypotheses of the beam are ranked anew by it.

        No strings or ragged tensors: XLA has none.
        """
        limits = self._limit(lengths)
        if prefix is not None:
            limits += tf.reduce_sum(tf.cast(prefix != PAD, tf.int32), 1)
        options: dict[str, Any] = {
            "batch_size": tf.shape(lengths)[0],
            "max_length": max_length,
            "max_lengths": tf.where(lengths > 0, limits, 1),  # without text, done after a step
            "length_penalty": self.length_penalty,
            "prefix": prefix,
        }
        if self.sampling is not None:
            options |= {"seeds": seeds, "num_samples": self.num_hypotheses, **self.sampling}
            result = sampling_search(step, constants, caches, **options)
        elif self.beam_size == 1:
            result = greedy_search(step, constants, caches, **options)
        else:
            count = self.num_hypotheses if rerank is None else self.beam_size
            options |= {"beam_size": self.beam_size, "num_hypotheses": count}
            result = beam_search(step, constants, caches, **options)
        if rerank is not None:
            result = rerank(result)
        return result.tokens[:, : self.num_hypotheses], result.scores[:, : self.num_hypotheses]

    def _limit(self, length: tf.Tensor) -> tf.Tensor:
        """The most tokens that the translation of `length` tokens may have."""
        return tf.minimum(self.max_length_factor * length + self.max_length_offset, self.max_length)

    def _answer(
        self, texts: tf.Tensor, scores: tf.Tensor, lengths: tf.Tensor, truncated: tf.Tensor
    ) -> dict[str, tf.Tensor]:
        """What is told of sentences: of texts [N, n], scores [N, n] and lengths [N] of sources in tokens."""
        empty = lengths[:, None] == 0  # [N, 1]
        texts, scores = tf.where(empty, "", texts), tf.where(empty, 0.0, scores)
        if self.num_hypotheses == 1:
            texts, scores = texts[:, 0], scores[:, 0]
        return {"translation": texts, "score": scores, "truncated": truncated}

    # In Python

    def _lengths(self, lines: Sequence[str], tokenizer: SubwordTokenizer) -> np.ndarray:
        """Lengths in tokens, END included, after the cut."""
        lengths = tokenizer.tokenize(tf.constant(lines, tf.string, [len(lines)])).row_lengths().numpy() + 1
        return np.minimum(lengths, self.length_buckets[-1])

    def _batches(self, lengths: np.ndarray) -> Iterator[tuple[list[int], int]]:
        """Rows of similar lengths to compute at once, and how many rows to pad them to.

        The longest come first: whether memory suffices is known early. Where they are compiled, all batches of a length
        have one size, since some rows of padding cost less than another compilation.
        """
        rows = np.argsort(-lengths, kind="stable").tolist()
        largest = bucket_size(len(rows), self.batch_buckets)
        start = 0
        while start < len(rows):
            length = bucket_size(int(lengths[rows[start]]), self.length_buckets)
            fitting = [size for size in self.batch_buckets if size * length <= self.max_batch_tokens]
            size = min(max(fitting, default=self.batch_buckets[0]), largest)
            batch = rows[start : start + size]
            yield batch, size if self.jit_compile else len(batch)
            start += size

    def _warn_of_cuts(self, number: int, what: str) -> None:
        if number:
            warnings.warn(
                f"{number} {what} of {self.length_buckets[-1]} subwords or more were cut, and scored as cut.",
                stacklevel=3,
            )


def _check_types(wanted: tuple[type, str], **options: Any) -> None:
    for name, value in options.items():
        if isinstance(value, bool) or not isinstance(value, wanted[0]):
            raise UserError(f"`{name}` must be {wanted[1]}. Received: {name}={value!r}")


def check_tokenizer(what: str, tokenizer: SubwordTokenizer, vocabulary_size: int) -> None:
    """Raises a `UserError` where a tokenizer is not the one that a model was trained with."""
    if tokenizer.vocabulary_size != vocabulary_size:
        raise UserError(
            f"The {what} subword model is another than the model was trained with. Received: a subword model of "
            f"{tokenizer.vocabulary_size} pieces, a model with a {what} vocabulary of {vocabulary_size}"
        )


def padded(lines: list[Any], size: int) -> tf.Tensor:
    """Lines, and empty ones up to a size; or seeds, and zeros."""
    if lines and isinstance(lines[0], str):
        return tf.constant(lines + [""] * (size - len(lines)), tf.string)
    return tf.constant(np.array(lines + [0] * (size - len(lines))).astype("int32"))


def translations(found: dict[str, tf.Tensor], count: int) -> list[Translation]:
    """The first rows of what `_answer` gave."""
    texts, scores = (found[name].numpy() for name in ("translation", "score"))
    truncated = found["truncated"].numpy()
    texts, scores = (x.reshape(len(truncated), -1) for x in (texts, scores))
    made = []
    for i in range(count):
        hypotheses = (Hypothesis.of(text, score) for text, score in zip(texts[i], scores[i], strict=True))
        made.append(Translation(tuple(hypotheses), bool(truncated[i])))
    return made
