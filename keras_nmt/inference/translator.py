"""From text to text around a model: what exports, the command line and the dev-set evaluation share."""

from __future__ import annotations

import numbers
import os
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from keras_nmt.decoding import SearchResult, rerank_by_coverage, sequence_log_probability, shift_right
from keras_nmt.errors import UserError, one_line
from keras_nmt.ids import END, PAD
from keras_nmt.inference._functions import IDS, NUMBERS, TEXTS, function, inside_xla, of_count, one_dimension
from keras_nmt.inference._text_translator import (
    TextTranslator,
    check_lines,
    check_tokenizer,
    padded,
    seeds_of_lines,
    translations,
)
from keras_nmt.inference.alignment import words_of_subwords
from keras_nmt.inference.load import load_directory
from keras_nmt.inference.translation import Translation
from keras_nmt.models import TranslationModel
from keras_nmt.text import SubwordTokenizer


class Translator(TextTranslator):
    """Translates and scores text with a model.

    Text is split into subwords, cut at the largest length bucket, translated by beam search or by sampling, and joined
    to text again.
    The translation of text without any subword (empty, or only spaces) is empty, its score 0.

    The functions are traced once and read the weights from the model's variables, so that a translator stays valid,
    and compiled, while the model trains on.

    With `jit_compile` the search is compiled by XLA, once for each pair of a length and a batch bucket that occurs, and
    everything is padded to these. Without, rows are padded to the longest of their batch. What comes out is the same.

    Args:
        model: The translation model.
        source_tokenizer: The source side's subwords.
        target_tokenizer: The target side's subwords. `None`: the source side's, a joint vocabulary.
        beam_size: How many hypotheses the search keeps, default 4; 1 is greedy search.
        length_penalty: The exponent alpha of the length penalty ((5 + t) / 6)^alpha, default 0.6.
        num_hypotheses: How many translations a sentence is given, at most `beam_size`. Default 1.
        max_length: The most tokens of a translation, END included. Default `None`: what the largest length bucket
            allows.
        max_length_factor: With `max_length_offset`, bounds each translation by its own source: for n source tokens, at
            most `max_length_factor * n + max_length_offset`, END included. Default 2.
        max_length_offset: See `max_length_factor`. Default 10.
        length_buckets: Lengths in tokens, END included, ascending. What is longer than the last is cut there. Default
            16, 32, 64, 128, 256.
        batch_buckets: Numbers of sentences, ascending, default 1, 4, 16, 64. Larger batches of the graph functions are
            padded to the next multiple of the last; `translate` and `score` make no larger ones.
        max_batch_tokens: The most tokens, padding included, that `translate` and `score` put into a batch of several
            sentences: the longer they are, the fewer at once. Default 4096.
        jit_compile: Whether the search is compiled by XLA. Default False.
        sample: Whether translations are drawn at random instead of searched for: `num_hypotheses` of them, however
            small `beam_size` is, best first. Default False. See `keras_nmt.decoding.sampling_search`, also for the next
            three.
        temperature: What logits are divided by, default 1.
        top_k: How many of the likeliest tokens may be drawn, default 0: all.
        top_p: The probability that the tokens which may be drawn have together, default 1: all.
        coverage_penalty: beta of the coverage penalty, by which the beam's hypotheses are ranked anew when they are
            done, and which is part of the scores then. Default 0: none. See `keras_nmt.decoding.rerank_by_coverage`.

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
        self._search = {compiled: self._make_search(compiled) for compiled in (False, True)}
        self._search_behind = {compiled: self._make_search(compiled, prefix=IDS) for compiled in (False, True)}
        self._attended: dict[int | None, Any] = {}  # by layer
        self._detokenize = function(target_tokenizer.detokenize, IDS)
        self._translate = self._make_translate()
        self._translate_behind = self._make_translate(prefix=TEXTS)
        self._score = function(self.score_graph, TEXTS, TEXTS)

    @classmethod
    def from_directory(
        cls,
        directory: str | os.PathLike[str],
        *,
        weights: str | os.PathLike[str] | None = None,
        source: str | None = None,
        target: str | None = None,
        ensemble: Sequence[str | os.PathLike[str]] = (),
        **options: Any,
    ) -> Translator:
        """Makes a translator of the model in a folder.

        Args:
            directory: A model directory.
            weights: A weights file to load instead of the directory's, such as a kept checkpoint.
            source: Language to translate from, where the folder's model is multilingual; else None.
            target: Language to translate to, likewise.
            ensemble: Other model directories with the same subwords, whose models the model translates with, as an
                `Ensemble`.
            **options: Arguments of the constructor. Where they are silent, the search settings of the directory count.

        Returns:
            A translator that computes in float32.

        Raises:
            UserError: The folder is no model directory, or not whole, or an option is out of its range.
        """
        model, source_tokenizer, target_tokenizer, defaults = load_directory(
            directory, weights, source, target, ensemble
        )
        if options.get("sample"):
            defaults.pop("coverage_penalty", None)  # which goes with a beam
        return cls(model, source_tokenizer, target_tokenizer, **{**defaults, **options})

    # In the graph

    def translate_graph(
        self,
        text: tf.Tensor,
        jit_compile: bool | None = None,
        *,
        seed: tf.Tensor | None = None,
        prefix: tf.Tensor | None = None,
    ) -> dict[str, tf.Tensor]:
        """Translates in the graph.

        Args:
            text: [N] string.
            jit_compile: Whether the search is compiled by XLA; `None`: as the translator was made.
            seed: [N] int32, where the translator samples, and only there: a seed for each text.
            prefix: [N] string, what each translation has to begin with, nothing where it is empty. `None`: nothing.

        Returns:
            `translation` [N] string and `score` [N] float32 ([N, num_hypotheses] if there are several), and `truncated`
            [N] bool.
        """
        jit_compile = self.jit_compile if jit_compile is None else jit_compile
        text = one_dimension(text)
        count, n = tf.shape(text)[0], self.num_hypotheses
        source, lengths, truncated = self._source_ids[jit_compile](text)
        inputs, search = [source], self._search
        if seed is not None:  # padded to a bucket, as the text is
            (seed,) = of_count(count, seed)
            inputs.append(tf.pad(seed, [[0, tf.shape(source)[0] - count]]))
        if prefix is not None:
            (prefix,) = of_count(count, prefix)
            prefix_ids, _, prefix_truncated = self._target_ids[jit_compile](prefix)
            inputs.append(tf.where(prefix_ids == END, PAD, prefix_ids))
            truncated |= prefix_truncated
            search = self._search_behind
        ids, scores = search[jit_compile](*inputs)  # [B, n, T], [B, n]
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
        source = one_dimension(source)
        count = tf.shape(source)[0]
        (target,) = of_count(count, target)  # padded to a bucket, nothing after it would fail
        source_ids, _, source_truncated = self._source_ids[jit_compile](source)
        target_ids, _, target_truncated = self._target_ids[jit_compile](target)
        log_probability = self._log_probabilities[jit_compile](source_ids, target_ids)
        return {"log_probability": log_probability[:count], "truncated": source_truncated | target_truncated}

    def _make_ids(self, tokenizer: SubwordTokenizer, compiled: bool) -> Any:
        """The function from text [N] to ids [B, S], padded to buckets where they are for XLA; see `_to_ids`."""
        return function(lambda text: self._to_ids(tokenizer.tokenize(text), compiled, compiled), TEXTS)

    def _make_search(self, compiled: bool, **more: tf.TensorSpec) -> Any:
        """The function from ids [B, S], seeds [B] where it samples, and what more there is: see `_search_ids`."""
        inputs = self._inputs(seeds=NUMBERS, **more)

        def search(source: tf.Tensor, *given: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
            return self._search_ids(source, compiled, **dict(zip(inputs, given, strict=True)))

        return function(search, IDS, *inputs.values(), jit_compile=compiled or None)

    def _make_translate(self, **more: tf.TensorSpec) -> Any:
        """The function from text [N], seeds [N] where it samples, and what more there is: see `translate_graph`."""
        inputs = self._inputs(seed=NUMBERS, **more)

        def translate(text: tf.Tensor, *given: tf.Tensor) -> dict[str, tf.Tensor]:
            return self.translate_graph(text, **dict(zip(inputs, given, strict=True)))

        return function(translate, TEXTS, *inputs.values())

    def _inputs(self, **specs: tf.TensorSpec) -> dict[str, tf.TensorSpec]:
        """The inputs that there are: seeds are for sampling only."""
        return {name: spec for name, spec in specs.items() if self.sampling is not None or not name.startswith("seed")}

    def _search_ids(
        self,
        source: tf.Tensor,
        compiled: bool,
        seeds: tf.Tensor | None = None,
        prefix: tf.Tensor | None = None,
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """[B, S] -> tokens [B, n, T] and scores [B, n], best first."""
        lengths = tf.reduce_sum(tf.cast(source != PAD, tf.int32), 1) - 1  # [B], without END
        max_length = self._limit(tf.shape(source)[1] - 1) + (0 if prefix is None else tf.shape(prefix)[1])
        memory = self._encode[compiled](source)
        constants, caches = self._prepare(memory, max_length)

        def rerank(result: SearchResult) -> SearchResult:
            batch_size, n = tf.shape(result.scores)[0], result.scores.shape[1]
            tokens = tf.reshape(result.tokens, [batch_size * n, max_length])
            try:
                attention = self.model.attention(_repeated(memory, n), shift_right(tokens))  # [B n, T, S]
            except ValueError as error:  # while it is traced
                raise UserError(
                    f"`coverage_penalty` needs the decoder's attention to the source. Received: {one_line(error)}"
                ) from None
            attention = tf.reshape(attention, [batch_size, n, max_length, tf.shape(source)[1]])
            words = (source != PAD) & (source != END)
            return rerank_by_coverage(result, attention, words, self.coverage_penalty)

        return self._search_for(
            self.model.decoder_step if self.sampling is None else self._step_of_samples,
            constants,
            caches,
            lengths,
            max_length,
            seeds,
            prefix,
            rerank if self.coverage_penalty else None,
        )

    def _prepare_search(self, memory: Any, max_length: tf.Tensor) -> tuple[Any, Any]:
        if self.sampling is None:
            return self.model.prepare(memory, self.beam_size, max_length)
        # Samples never change places. Each is a sentence with a beam of one, which attends to nothing of the others.
        return self.model.prepare(_repeated(memory, self.num_hypotheses), 1, max_length)

    def _step_of_samples(self, tokens: tf.Tensor, position: tf.Tensor, constants: Any, caches: Any) -> tuple[Any, Any]:
        """Tokens [B, n] -> logits [B, n, V]."""
        tokens = tf.reshape(tokens, [-1, 1])  # [B n, 1]
        logits, caches = self.model.decoder_step(tokens, position, constants, caches)  # [B n, 1, V]
        return tf.reshape(logits, [-1, self.num_hypotheses, logits.shape[-1]]), caches

    def _score_ids(self, source: tf.Tensor, target: tf.Tensor) -> tf.Tensor:
        """[B, S] and [B, T], each closed by END -> [B]."""
        return sequence_log_probability(self.model([source, shift_right(target)], training=False), target)

    def _attended_ids(self, source: tf.Tensor, target: tf.Tensor, layer: int | None) -> tf.Tensor:
        """[B, S] and [B, T], each closed by END -> [B, T], the source position that each target id looks at most."""
        attention = self.model.attention(self._encode[False](source), shift_right(target), layer)  # [B, T, S]
        word = (source != PAD) & (source != END)
        return tf.argmax(tf.where(word[:, None], attention, -1.0), 2, tf.int32)

    # In Python

    def translate(
        self,
        lines: Iterable[str],
        *,
        prefixes: Iterable[str] | None = None,
        seeds: int | Iterable[int] = 0,
    ) -> list[Translation]:
        """Translates any number of lines.

        They are sorted by length, translated in batches of similar ones, and returned in the order in which they came.

        Args:
            lines: Sentences.
            prefixes: What the translation of each has to begin with, nothing where it is empty. It is split into
                subwords by itself, so that it may end within a word. It is not counted in how long a translation may
                be, and is no part of an empty line's. `None`: nothing.
            seeds: Where the translator samples: a seed for each line, which alone its translations depend on, or one
                for all, from which each line gets its own by its place. Default 0.

        Returns:
            A translation for each.

        Raises:
            UserError: Not as many prefixes or seeds as lines, or seeds where nothing is sampled.
        """
        lines = check_lines(lines)
        inputs: list[list[Any]] = []
        if self.sampling is not None:
            inputs.append(seeds_of_lines(seeds, len(lines)))
        elif not isinstance(seeds, numbers.Integral) or seeds != 0:
            raise UserError(f"`seeds` are for a translator that samples, `sample=True`. Received: seeds={seeds!r}")
        if prefixes is not None:
            inputs.append(check_lines(prefixes))
            if len(inputs[-1]) != len(lines):
                raise UserError(
                    f"There must be a prefix for each line. Received: {len(lines)} lines, {len(inputs[-1])} prefixes"
                )
        translate = self._translate if prefixes is None else self._translate_behind
        lengths = self._lengths(lines, self.source_tokenizer)
        if prefixes is not None:
            lengths = np.maximum(lengths, self._lengths(inputs[-1], self.target_tokenizer))
        results: list[Translation] = [Translation((), False)] * len(lines)
        for rows, size in self._batches(lengths):
            given = [padded([of_lines[row] for row in rows], size) for of_lines in (lines, *inputs)]
            found = translate(*given)
            for row, translation in zip(rows, translations(found, len(rows)), strict=True):
                results[row] = translation
        return results

    def align(
        self, sources: Iterable[str], targets: Iterable[str], layer: int | None = None
    ) -> list[list[tuple[int, int]]]:
        """Alignments of given translations, by the model's attention to the source under teacher forcing.

        Each subword of a target is aligned to the source subword that gets most attention, as a mean over heads, where
        the model predicts it; what is told are words, as spaces separate them: a pair for each source and target word
        of which any subwords are aligned. So every word of the target has a pair, and not every one of the source.

        Args:
            sources: Sentences.
            targets: As many, a translation of each.
            layer: Layer of the decoder, from 1. Default: that of `TranslationModel.attention`, the last but one.

        Returns:
            For each sentence the pairs of source and target word, from 0, in ascending order. What was cut at the
            largest length bucket, and what has no words, has none.

        Raises:
            UserError: Not as many targets as sources; the decoder has no such layer, or does not attend to a source's
                words, as one behind an attention bridge.

        Reference:
            [Garg et al., 2019](https://arxiv.org/abs/1909.02074), section 3.
        """
        sources, targets = check_lines(sources), check_lines(targets)
        _check_as_many(sources, targets)
        if layer not in self._attended:

            def attended(source: tf.Tensor, target: tf.Tensor) -> tf.Tensor:
                return self._attended_ids(self._source_ids[False](source)[0], self._target_ids[False](target)[0], layer)

            self._attended[layer] = function(attended, TEXTS, TEXTS)
        source_words = words_of_subwords(self.source_tokenizer, sources)
        target_words = words_of_subwords(self.target_tokenizer, targets)
        lengths = np.maximum(
            self._lengths(sources, self.source_tokenizer), self._lengths(targets, self.target_tokenizer)
        )
        alignments: list[list[tuple[int, int]]] = [[] for _ in sources]
        longest = self.length_buckets[-1] - 1
        for rows, size in self._batches(lengths):
            texts = [padded([of_side[row] for row in rows], size) for of_side in (sources, targets)]
            try:
                found = self._attended[layer](*texts).numpy()
            except ValueError as error:  # while it is traced
                raise UserError(one_line(error)) from None
            for row, positions in zip(rows, found, strict=False):
                of_source = source_words[row][:longest]
                of_target = target_words[row][:longest]
                if of_source:
                    pairs = zip(positions, of_target, strict=False)
                    alignments[row] = sorted({(of_source[position], word) for position, word in pairs})
        return alignments

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
        sources, targets = check_lines(sources), check_lines(targets)
        _check_as_many(sources, targets)
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


def _repeated(memory: Any, n: int) -> Any:
    """Tensors [B, ...] -> [B n, ...], each row n times."""
    return tf.nest.map_structure(lambda x: tf.repeat(x, n, axis=0), memory)


def _check_as_many(sources: list[str], targets: list[str]) -> None:
    if len(sources) != len(targets):
        raise UserError(
            f"There must be a target for each source. Received: {len(sources)} sources, {len(targets)} targets"
        )
