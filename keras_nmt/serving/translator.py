"""From text to text around a model: what exports, the command line and the dev-set evaluation share."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import numpy as np
import tensorflow as tf

from keras_nmt.decoding import sequence_log_probability, shift_right
from keras_nmt.errors import UserError
from keras_nmt.ids import PAD
from keras_nmt.models import TranslationModel
from keras_nmt.serving._functions import IDS, TEXTS, function, inside_xla, of_count
from keras_nmt.serving._load_directory import load_directory
from keras_nmt.serving._text_translator import TextTranslator, check_lines, check_tokenizer, padded, translations
from keras_nmt.serving.translation import Translation
from keras_nmt.text import SubwordTokenizer


class Translator(TextTranslator):
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
        **options: Any,
    ) -> None:
        super().__init__(**options)
        target_tokenizer = target_tokenizer or source_tokenizer
        check_tokenizer("source", source_tokenizer, model.source_vocabulary_size)
        check_tokenizer("target", target_tokenizer, model.target_vocabulary_size)
        self.model = model
        self.source_tokenizer = source_tokenizer
        self.target_tokenizer = target_tokenizer

        # Functions with a signature are traced once. What works on text calls them: an export holds each of them once.
        # The compiled search does not call the plain one, as the compiled score does, but what precedes its loop.
        self._source_ids = {compiled: self._make_ids(source_tokenizer, compiled) for compiled in (False, True)}
        self._target_ids = self._source_ids
        if target_tokenizer is not source_tokenizer:
            self._target_ids = {compiled: self._make_ids(target_tokenizer, compiled) for compiled in (False, True)}
        score = function(self._score_ids, IDS, IDS)
        self._log_probabilities = {False: score, True: function(inside_xla(score), IDS, IDS, jit_compile=True)}
        encode = function(lambda source: self.model.encoder(source, training=False), IDS)
        self._encode = {False: encode, True: inside_xla(encode)}
        self._prepare = tf.function(self._prepare_search, autograph=False)
        self._search = {
            False: function(lambda source: self._search_ids(source, False), IDS),
            True: function(lambda source: self._search_ids(source, True), IDS, jit_compile=True),
        }
        self._detokenize = function(target_tokenizer.detokenize, IDS)
        self._translate = function(self.translate_graph, TEXTS)
        self._score = function(self.score_graph, TEXTS, TEXTS)

    @classmethod
    def from_directory(
        cls,
        directory: str | os.PathLike[str],
        *,
        weights: str | os.PathLike[str] | None = None,
        source: str | None = None,
        target: str | None = None,
        **options: Any,
    ) -> Translator:
        """Makes a translator of the model in a folder.

        Args:
            directory: A model directory.
            weights: A weights file to load instead of the directory's, such as a kept checkpoint.
            source: Language to translate from, where the folder's model is multilingual; else None.
            target: Language to translate to, likewise.
            **options: Arguments of the constructor. Where they are silent, the search settings of the directory count.

        Returns:
            A translator that computes in float32.

        Raises:
            UserError: The folder is no model directory, or not whole, or an option is out of its range.
        """
        model, source_tokenizer, target_tokenizer, defaults = load_directory(directory, weights, source, target)
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
        return self._answer(texts, scores[:count], lengths, truncated)

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
        (target,) = of_count(count, target)  # padded to a bucket, nothing after it would fail
        source_ids, _, source_truncated = self._source_ids[jit_compile](source)
        target_ids, _, target_truncated = self._target_ids[jit_compile](target)
        log_probability = self._log_probabilities[jit_compile](source_ids, target_ids)
        return {"log_probability": log_probability[:count], "truncated": source_truncated | target_truncated}

    def _make_ids(self, tokenizer: SubwordTokenizer, compiled: bool) -> Any:
        """The function from text [N] to ids [B, S], padded to buckets where they are for XLA; see `_to_ids`."""
        return function(lambda text: self._to_ids(tokenizer.tokenize(text), compiled, compiled), TEXTS)

    def _search_ids(self, source: tf.Tensor, compiled: bool) -> tuple[tf.Tensor, tf.Tensor]:
        """[B, S] -> tokens [B, n, T] and scores [B, n], best first."""
        lengths = tf.reduce_sum(tf.cast(source != PAD, tf.int32), 1) - 1  # [B], without END
        max_length = self._limit(tf.shape(source)[1] - 1)
        constants, caches = self._prepare(self._encode[compiled](source), max_length)
        return self._search_for(self.model.decoder_step, constants, caches, lengths, max_length)

    def _prepare_search(self, memory: Any, max_length: tf.Tensor) -> tuple[Any, Any]:
        return self.model.prepare(memory, self.beam_size, max_length)

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
        lines = check_lines(lines)
        results: list[Translation] = [Translation((), False)] * len(lines)
        for rows, size in self._batches(self._lengths(lines, self.source_tokenizer)):
            found = self._translate(padded([lines[row] for row in rows], size))
            for row, translation in zip(rows, translations(found, len(rows)), strict=True):
                results[row] = translation
        return results

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
                padded([sources[row] for row in rows], size), padded([targets[row] for row in rows], size)
            )
            truncated += int(np.sum(found["truncated"].numpy()[: len(rows)]))
            for row, value in zip(rows, found["log_probability"].numpy()[: len(rows)], strict=True):
                log_probabilities[row] = float(value)
        self._warn_of_cuts(truncated, "pair(s)")
        return log_probabilities
