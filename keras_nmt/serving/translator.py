"""From text to text around a model: what exports, the command line and the dev-set evaluation share."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from keras_nmt.decoding import beam_search, greedy_search, sequence_log_probability, shift_right
from keras_nmt.errors import UserError
from keras_nmt.ids import END, PAD
from keras_nmt.models import TranslationModel
from keras_nmt.serving._load_directory import load_directory
from keras_nmt.serving.buckets import bucket_size, bucket_size_tensor, check_buckets
from keras_nmt.text import SubwordTokenizer

# Tokens are counted with the END that closes a sentence.
LENGTH_BUCKETS = (16, 32, 64, 128, 256)
BATCH_BUCKETS = (1, 4, 16, 64)

_TEXTS = tf.TensorSpec([None], tf.string)
_IDS = tf.TensorSpec([None, None], tf.int32)


class Hypothesis(NamedTuple):
    """One translation of a sentence.

    Attributes:
        text: The translation.
        score: Its log-probability over the length penalty.
    """

    text: str
    score: float


class Translation(NamedTuple):
    """What a sentence was translated to.

    Attributes:
        hypotheses: The `num_hypotheses` best, best first.
        truncated: Whether the source was longer than the largest length bucket, and was cut there.
    """

    hypotheses: tuple[Hypothesis, ...]
    truncated: bool

    @property
    def text(self) -> str:
        """The best hypothesis' text."""
        return self.hypotheses[0].text

    @property
    def score(self) -> float:
        """The best hypothesis' score."""
        return self.hypotheses[0].score


class Translator:
    """Translates and scores text with a model.

    Text is split into subwords, cut at the largest length bucket, translated by beam search, and joined to text again.
    The translation of text without any subword (empty, or only spaces) is empty, its score 0.

    The functions are traced once and read the weights from the model's variables, so that a translator stays valid,
    and compiled, while the model trains on.

    With `jit_compile` the search is compiled by XLA, once for each pair of a length and a batch bucket that occurs, and
    everything is padded to these. Without, rows are padded to the longest of their batch. What comes out is the same.

    Args:
        model: The translation model.
        source_tokenizer: The source side's subwords.
        target_tokenizer: The target side's subwords. `None`: the source side's, a joint vocabulary.
        beam_size: How many hypotheses the search keeps; 1 is greedy search.
        length_penalty: The exponent alpha of the length penalty ((5 + t) / 6)^alpha.
        num_hypotheses: How many translations a sentence is given, at most `beam_size`.
        max_length: The most tokens of a translation, END included. `None`: what the largest length bucket allows.
        max_length_factor: With `max_length_offset`, bounds each translation by its own source: for n source tokens, at
            most `max_length_factor * n + max_length_offset`, END included.
        max_length_offset: See `max_length_factor`.
        length_buckets: Lengths in tokens, END included, ascending. What is longer than the last is cut there.
        batch_buckets: Numbers of sentences, ascending. Larger batches of the graph functions are padded to the next
            multiple of the last; `translate` and `score` make no larger ones.
        max_batch_tokens: The most tokens, padding included, that `translate` and `score` put into a batch of several
            sentences: the longer they are, the fewer at once.
        jit_compile: Whether the search is compiled by XLA.

    Raises:
        UserError: An argument out of its range, or tokenizers that do not fit the model.
    """

    def __init__(
        self,
        model: TranslationModel,
        source_tokenizer: SubwordTokenizer,
        target_tokenizer: SubwordTokenizer | None = None,
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
    ) -> None:
        target_tokenizer = target_tokenizer or source_tokenizer
        if not 1 <= num_hypotheses <= beam_size:
            raise UserError(
                "`num_hypotheses` must be at least 1 and at most `beam_size`. "
                f"Received: num_hypotheses={num_hypotheses}, beam_size={beam_size}"
            )
        for side, size, tokenizer in (
            ("source", model.source_vocabulary_size, source_tokenizer),
            ("target", model.target_vocabulary_size, target_tokenizer),
        ):
            if tokenizer.vocabulary_size != size:
                raise UserError(
                    f"The {side} subword model is another than the model was trained with. Received: "
                    f"a subword model of {tokenizer.vocabulary_size} pieces, a model with a {side} vocabulary of {size}"
                )
        self.model = model
        self.source_tokenizer = source_tokenizer
        self.target_tokenizer = target_tokenizer
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
        self.max_length = max_length or max_length_factor * self.length_buckets[-1] + max_length_offset
        self.jit_compile = jit_compile

        # Functions with a signature are traced once. What works on text calls them: an export holds each of them once.
        # The compiled search does not call the plain one, as the compiled score does, but what precedes its loop: a
        # session turns a loop in a nested function into operators that XLA does not know.
        self._source_ids = {compiled: self._make_ids(source_tokenizer, compiled) for compiled in (False, True)}
        self._target_ids = self._source_ids
        if target_tokenizer is not source_tokenizer:
            self._target_ids = {compiled: self._make_ids(target_tokenizer, compiled) for compiled in (False, True)}
        score = _function(self._score_ids, _IDS, _IDS)
        compiled_score = _function(lambda source, target: score(source, target), _IDS, _IDS, jit_compile=True)
        self._log_probabilities = {False: score, True: compiled_score}
        self._encode = _function(lambda source: self.model.encoder(source, training=False), _IDS)
        self._prepare = tf.function(self._prepare_search, autograph=False)
        self._search = {
            False: _function(self._search_ids, _IDS),
            True: _function(self._search_ids, _IDS, jit_compile=True),
        }
        self._detokenize = _function(target_tokenizer.detokenize, _IDS)
        self._translate = _function(self.translate_graph, _TEXTS)
        self._score = _function(self.score_graph, _TEXTS, _TEXTS)

    @classmethod
    def from_directory(
        cls, directory: str | os.PathLike[str], *, weights: str | os.PathLike[str] | None = None, **options: Any
    ) -> Translator:
        """Makes a translator of the model in a folder.

        Args:
            directory: A model directory.
            weights: A weights file to load instead of the directory's, such as a kept checkpoint.
            **options: Arguments of the constructor. Where they are silent, the search settings of the directory count.

        Returns:
            A translator that computes in float32.

        Raises:
            UserError: The folder is no model directory, or not whole, or an option is out of its range.
        """
        model, source_tokenizer, target_tokenizer, defaults = load_directory(directory, weights)
        return cls(model, source_tokenizer, target_tokenizer, **{**defaults, **options})

    # In the graph

    def translate_graph(self, text: tf.Tensor, jit_compile: bool | None = None) -> dict[str, tf.Tensor]:
        """Translates in the graph.

        Args:
            text: [N] string.
            jit_compile: Whether the search is compiled by XLA; `None`: as the translator was made.

        Returns:
            `translation` [N] string and `score` [N] float32 ([N, num_hypotheses] if there are several), and `truncated`
            [N] bool.
        """
        jit_compile = self.jit_compile if jit_compile is None else jit_compile
        source, lengths, truncated = self._source_ids[jit_compile](text)
        ids, scores = self._search[jit_compile](source)  # [B, n, T], [B, n]
        count, n = tf.shape(text)[0], self.num_hypotheses
        texts = tf.reshape(self._detokenize(tf.reshape(ids[:count], [count * n, -1])), [count, n])
        empty = lengths[:, None] == 0  # [N, 1]
        texts, scores = tf.where(empty, "", texts), tf.where(empty, 0.0, scores[:count])
        if n == 1:
            texts, scores = texts[:, 0], scores[:, 0]
        return {"translation": texts, "score": scores, "truncated": truncated}

    def score_graph(
        self, source: tf.Tensor, target: tf.Tensor, jit_compile: bool | None = None
    ) -> dict[str, tf.Tensor]:
        """Log-probabilities of given translations, in the graph.

        Args:
            source: [N] string.
            target: [N] string, the translations.
            jit_compile: Whether the model is compiled by XLA; `None`: as the translator was made.

        Returns:
            `log_probability` [N] float32, END included, and `truncated` [N] bool, whether source or target were cut.
        """
        jit_compile = self.jit_compile if jit_compile is None else jit_compile
        count = tf.shape(source)[0]
        # Where the counts differ this reshape fails; padded to a bucket, nothing after it would.
        target = tf.reshape(target, [count])
        source_ids, _, source_truncated = self._source_ids[jit_compile](source)
        target_ids, _, target_truncated = self._target_ids[jit_compile](target)
        log_probability = self._log_probabilities[jit_compile](source_ids, target_ids)
        return {"log_probability": log_probability[:count], "truncated": source_truncated | target_truncated}

    def _make_ids(self, tokenizer: SubwordTokenizer, padded_to_buckets: bool) -> Any:
        """The function from text [N] to ids [B, S] closed by END, lengths [N] without END, and what was cut [N]."""

        def to_ids(text: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
            tokens = tokenizer.tokenize(text)
            rows, lengths = tf.shape(text)[0], tf.cast(tokens.row_lengths(), tf.int32)
            truncated = lengths >= self.length_buckets[-1]
            lengths = tf.minimum(lengths, self.length_buckets[-1] - 1)
            columns = tf.reduce_max(tf.concat([lengths, [0]], 0)) + 1
            if padded_to_buckets:
                shape = bucket_size_tensor(rows, self.batch_buckets), bucket_size_tensor(columns, self.length_buckets)
            else:
                shape = tf.maximum(rows, 1), columns  # at least one row: no operator has to cope with an empty batch
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

        return _function(to_ids, _TEXTS)

    def _search_ids(self, source: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """[B, S] -> tokens [B, n, T] and scores [B, n], best first. No strings or ragged tensors: XLA has none."""
        lengths = tf.reduce_sum(tf.cast(source != PAD, tf.int32), 1) - 1  # [B], without END
        max_length = self._limit(tf.shape(source)[1] - 1)
        constants, caches = self._prepare(self._encode(source), max_length)
        options: dict[str, Any] = {
            "batch_size": tf.shape(source)[0],
            "max_length": max_length,
            "max_lengths": tf.where(lengths > 0, self._limit(lengths), 1),  # without text, done after a step
            "length_penalty": self.length_penalty,
        }
        if self.beam_size == 1:
            result = greedy_search(self.model.decoder_step, constants, caches, **options)
        else:
            options |= {"beam_size": self.beam_size, "num_hypotheses": self.num_hypotheses}
            result = beam_search(self.model.decoder_step, constants, caches, **options)
        return result.tokens, result.scores

    def _prepare_search(self, memory: Any, max_length: tf.Tensor) -> tuple[Any, Any]:
        return self.model.prepare(memory, self.beam_size, max_length)

    def _limit(self, length: tf.Tensor) -> tf.Tensor:
        """The most tokens that the translation of `length` tokens may have."""
        return tf.minimum(self.max_length_factor * length + self.max_length_offset, self.max_length)

    def _score_ids(self, source: tf.Tensor, target: tf.Tensor) -> tf.Tensor:
        """[B, S] and [B, T], each closed by END -> [B]."""
        return sequence_log_probability(self.model([source, shift_right(target)], training=False), target)

    # In Python

    def translate(self, lines: Iterable[str]) -> list[Translation]:
        """Translates any number of lines.

        They are sorted by length, translated in batches of similar ones, and returned in the order in which they came.

        Args:
            lines: Sentences.

        Returns:
            A translation for each.
        """
        if isinstance(lines, str):
            raise UserError(f"Give a list of lines, not one string. Received: {lines[:40]!r}")
        lines = list(lines)
        translations: list[Translation] = [Translation((), False)] * len(lines)
        for rows, size in self._batches(self._lengths(lines, self.source_tokenizer)):
            found = self._translate(_padded([lines[row] for row in rows], size))
            texts, scores = (found[name].numpy().reshape(size, -1) for name in ("translation", "score"))
            truncated = found["truncated"].numpy()
            for i, row in enumerate(rows):
                hypotheses = (
                    Hypothesis(text.decode("utf-8", "replace"), float(score))
                    for text, score in zip(texts[i], scores[i], strict=True)
                )
                translations[row] = Translation(tuple(hypotheses), bool(truncated[i]))
        return translations

    def score(self, sources: Iterable[str], targets: Iterable[str]) -> list[float]:
        """Log-probabilities of given translations, END included.

        Args:
            sources: Sentences.
            targets: As many, a translation of each.

        Returns:
            A log-probability for each pair.

        Raises:
            UserError: Not as many targets as sources.
        """
        sources, targets = list(sources), list(targets)
        if len(sources) != len(targets):
            raise UserError(
                f"There must be a target for each source. Received: {len(sources)} sources, {len(targets)} targets"
            )
        lengths = np.maximum(
            self._lengths(sources, self.source_tokenizer), self._lengths(targets, self.target_tokenizer)
        )
        log_probabilities, truncated = [0.0] * len(sources), 0
        for rows, size in self._batches(lengths):
            found = self._score(
                _padded([sources[row] for row in rows], size), _padded([targets[row] for row in rows], size)
            )
            truncated += int(np.sum(found["truncated"].numpy()[: len(rows)]))
            for row, value in zip(rows, found["log_probability"].numpy()[: len(rows)], strict=True):
                log_probabilities[row] = float(value)
        if truncated:
            warnings.warn(
                f"{truncated} pair(s) of {self.length_buckets[-1]} subwords or more were cut, and scored as cut.",
                stacklevel=2,
            )
        return log_probabilities

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


def _function(body: Callable[..., Any], *signature: tf.TensorSpec, jit_compile: bool | None = None) -> Any:
    return tf.function(body, input_signature=signature, autograph=False, jit_compile=jit_compile)


def _padded(lines: list[str], size: int) -> tf.Tensor:
    return tf.constant(lines + [""] * (size - len(lines)), tf.string)
