from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from keras_nmt.decoding import sequence_log_probability, shift_right
from keras_nmt.errors import UserError
from keras_nmt.inference._functions import IDS, NUMBERS, TEXTS, function, inside_xla, of_count, one_dimension
from keras_nmt.inference._text_translator import TextTranslator, check_lines, check_tokenizer, padded, translations
from keras_nmt.inference.buckets import bucket_size_tensor
from keras_nmt.inference.load import load_multilingual
from keras_nmt.inference.routing import by_group
from keras_nmt.inference.translation import Translation
from keras_nmt.models import MultilingualModel
from keras_nmt.text import SubwordTokenizer


class MultilingualTranslator(TextTranslator):
    """Translates between all languages of a model, scores translations, and gives sentences' representations.

    What comes out of a pair is what a `Translator` of `model.pair(source, target)` gives. In the graph, a batch may mix
    pairs: its rows are grouped to be encoded, and grouped anew to be decoded. So n languages take n compiled encoders
    and n compiled searches for all n^2 pairs, and only those that a batch needs are run.

    Args:
        model: The model.
        tokenizers: Mapping of each of the model's languages to its subwords; the same ones where they are joint.
        **options: `beam_size`, `length_penalty`, `num_hypotheses`, `max_length`, `max_length_factor`,
            `max_length_offset`, `length_buckets`, `batch_buckets`, `max_batch_tokens`, `jit_compile`: see `Translator`.

    Attributes:
        languages: The languages, as a tuple.

    Raises:
        UserError: An argument out of its range, or tokenizers that do not fit the model.
    """

    def __init__(self, model: MultilingualModel, tokenizers: Mapping[str, SubwordTokenizer], **options: Any) -> None:
        super().__init__(**options)
        if self.sampling is not None or self.coverage_penalty:
            raise UserError(
                "Sampling and the coverage penalty are for one pair: choose a source and a target. "
                f"Received: sample={self.sampling is not None}, coverage_penalty={self.coverage_penalty}"
            )
        if set(tokenizers) != set(model.languages):
            raise UserError(
                f"Each language needs a subword model: {', '.join(model.languages)}. Received: {', '.join(tokenizers)}"
            )
        for language, size in model.vocabulary_sizes.items():
            check_tokenizer(language, tokenizers[language], size)
        protos = {language: tokenizers[language].proto for language in model.languages}
        if model.encodes_by == "target" and len(set(protos.values())) > 1:
            raise UserError(
                f"The subwords of this model are joint. Received: {len(set(protos.values()))} subword models"
            )
        self.model = model
        self.languages = languages = model.languages
        # Where several languages have one thing, the first of them stands for all.
        self._tokenizer_of = _Groups(languages, [protos[language] for language in languages])
        self._decoder_of = _Groups(languages, [(id(model.decoder_for(x)), protos[x]) for x in languages])
        self.tokenizers = {x: tokenizers[self._tokenizer_of.first(x)] for x in languages}

        # A memory is handed about as a flat list of tensors. It is of one kind, whatever the language.
        memory = model.encoder_for(languages[0], languages[0]).output
        self._memory_structure = memory
        self._memory_specs = [tf.TensorSpec(x.shape, x.dtype) for x in keras.tree.flatten(memory)]

        # Functions with a signature are traced once, and an export holds each of them once.
        both = (False, True)
        self._ids = {compiled: self._make_ids(compiled) for compiled in both}
        self._encoders = [self._make_encoder(language) for language in languages]
        self._searches = [self._make_search(language) for language in self._decoder_of.firsts]
        self._scorers = [self._make_scorer(language) for language in self._decoder_of.firsts]
        self._detokenizers = [function(self.tokenizers[x].detokenize, IDS) for x in self._decoder_of.firsts]
        self._translate = {c: self._on_rows(self._translate_rows, c, 1) for c in both}
        self._score = {c: self._on_rows(self._score_rows, c, 2) for c in both}
        self._embed = {c: self._on_rows(self._embed_rows, c, 1) for c in both}

    @classmethod
    def from_directory(
        cls, directory: str | os.PathLike[str], *, weights: str | os.PathLike[str] | None = None, **options: Any
    ) -> MultilingualTranslator:
        """Makes a translator of the multilingual model in a folder.

        Args:
            directory: A model directory.
            weights: A weights file to load instead of the directory's, such as a kept checkpoint.
            **options: Arguments of the constructor. Where they are silent, the search settings of the directory count.

        Returns:
            A translator that computes in float32.

        Raises:
            UserError: The folder is no model directory, or not whole, or holds a model of one pair, or an option is out
                of its range.
        """
        model, tokenizers, defaults = load_multilingual(directory, weights)
        return cls(model, tokenizers, **{**defaults, **options})

    # In the graph

    def translate_graph(
        self,
        text: tf.Tensor,
        source_language: tf.Tensor,
        target_language: tf.Tensor,
        jit_compile: bool | None = None,
    ) -> dict[str, tf.Tensor]:
        """Translates in the graph.

        Args:
            text: [N] string.
            source_language: [N] string, the language of each text.
            target_language: [N] string, the language to translate each to.
            jit_compile: Whether encoders and searches are compiled by XLA; `None`: as the translator was made.

        Returns:
            `translation` [N] string and `score` [N] float32 ([N, num_hypotheses] if there are several), and `truncated`
            [N] bool.
        """
        source, target = self._numbers(source_language), self._numbers(target_language)
        return self._translate[self._compiled(jit_compile)](text, source, target)

    def score_graph(
        self,
        source: tf.Tensor,
        target: tf.Tensor,
        source_language: tf.Tensor,
        target_language: tf.Tensor,
        jit_compile: bool | None = None,
    ) -> dict[str, tf.Tensor]:
        """Log-probabilities of given translations, in the graph.

        Args:
            source: [N] string.
            target: [N] string, the translations.
            source_language: [N] string, the language of each source.
            target_language: [N] string, the language of each translation.
            jit_compile: Whether the model is compiled by XLA; `None`: as the translator was made.

        Returns:
            `log_probability` [N] float32, END included, and `truncated` [N] bool, whether source or target were cut.
        """
        numbers = self._numbers(source_language), self._numbers(target_language)
        return self._score[self._compiled(jit_compile)](source, target, *numbers)

    def embed_graph(
        self, text: tf.Tensor, language: tf.Tensor, jit_compile: bool | None = None
    ) -> dict[str, tf.Tensor]:
        """Representations of sentences, in the graph.

        Args:
            text: [N] string.
            language: [N] string, the language of each text.
            jit_compile: Whether encoders are compiled by XLA; `None`: as the translator was made.

        Returns:
            `sentence` [N, k, d], M of the attention bridge, and `mean` [N, d], the mean of its k vectors, both float32,
            and `truncated` [N] bool.

        Raises:
            UserError: The model has no bridge.
        """
        self._check_bridge()
        numbers = self._numbers(language)
        return self._embed[self._compiled(jit_compile)](text, numbers, numbers)

    @property
    def has_bridge(self) -> bool:
        """Whether there are representations of sentences, that is, whether the model has an attention bridge."""
        return getattr(self.model, "bridge", None) is not None

    def _compiled(self, jit_compile: bool | None) -> bool:
        return self.jit_compile if jit_compile is None else jit_compile

    def _numbers(self, language: tf.Tensor) -> tf.Tensor:
        """Names [N] to places among the languages [N]."""
        language = one_dimension(tf.convert_to_tensor(language, tf.string))
        matches = language[:, None] == tf.constant(self.languages)  # [N, languages]
        known = tf.reduce_any(matches, 1)
        message = f"Unknown language. The model has {', '.join(self.languages)}. Received:"
        check = tf.debugging.Assert(tf.reduce_all(known), [message, tf.boolean_mask(language, ~known)])
        with tf.control_dependencies([check]):  # sessions run nothing that no result depends on
            return tf.argmax(matches, 1, tf.int32)

    def _on_rows(self, body: Callable[..., dict[str, tf.Tensor]], compiled: bool, num_texts: int) -> Any:
        """The function of texts [N] and the numbers of their source and target languages [N].

        The body is given at least one row, so that no operator has to cope with an empty batch.
        """

        def on_rows(*inputs: tf.Tensor) -> dict[str, tf.Tensor]:
            count = tf.shape(one_dimension(inputs[0]))[0]
            missing = tf.maximum(1 - count, 0)
            rows = [tf.concat([x, tf.zeros([missing], x.dtype)], 0) for x in of_count(count, *inputs)]
            return {name: x[:count] for name, x in body(*rows, compiled).items()}

        return function(on_rows, *[TEXTS] * num_texts, NUMBERS, NUMBERS)

    def _translate_rows(
        self, text: tf.Tensor, source: tf.Tensor, target: tf.Tensor, compiled: bool
    ) -> dict[str, tf.Tensor]:
        ids, lengths, truncated = self._ids[compiled](text, source)  # [N, S], [N], [N]
        memory = self._memory(ids, source, target, compiled)
        # As many places as the longest translation may have: sizes are what XLA has to know.
        places = tf.range(self._limit(tf.shape(ids)[1] - 1))
        n = self.num_hypotheses

        def branch(search: dict[bool, Any], detokenize: Any) -> Callable[..., Any]:
            def translate(rows: tf.Tensor) -> list[tf.Tensor]:
                found, scores = search[compiled](
                    self._rows(memory, rows, compiled), *self._rows([lengths], rows, compiled), places
                )
                count = tf.size(rows)
                texts = tf.reshape(detokenize(tf.reshape(found[:count], [count * n, -1])), [count, n])
                return [texts, scores[:count]]

            return translate

        texts, scores = by_group(
            self._decoder_of.groups(target),
            [branch(*functions) for functions in zip(self._searches, self._detokenizers, strict=True)],
            [tf.TensorSpec([None, n], tf.string), tf.TensorSpec([None, n], tf.float32)],
        )
        return self._answer(texts, scores, lengths, truncated)

    def _score_rows(
        self, source_text: tf.Tensor, target_text: tf.Tensor, source: tf.Tensor, target: tf.Tensor, compiled: bool
    ) -> dict[str, tf.Tensor]:
        ids, _, source_truncated = self._ids[compiled](source_text, source)  # [N, S]
        target_ids, _, target_truncated = self._ids[compiled](target_text, target)  # [N, T]
        memory = self._memory(ids, source, target, compiled)

        def branch(scorer: dict[bool, Any]) -> Callable[..., Any]:
            def score(rows: tf.Tensor) -> list[tf.Tensor]:
                inputs = self._rows(memory, rows, compiled), *self._rows([target_ids], rows, compiled)
                return [scorer[compiled](*inputs)[: tf.size(rows)]]

            return score

        spec = tf.TensorSpec([None], tf.float32)
        (scores,) = by_group(self._decoder_of.groups(target), [branch(scorer) for scorer in self._scorers], [spec])
        return {"log_probability": scores, "truncated": source_truncated | target_truncated}

    def _embed_rows(
        self, text: tf.Tensor, source: tf.Tensor, target: tf.Tensor, compiled: bool
    ) -> dict[str, tf.Tensor]:
        ids, _, truncated = self._ids[compiled](text, source)  # [N, S]
        memory = keras.tree.pack_sequence_as(self._memory_structure, self._memory(ids, source, target, compiled))
        sentence = tf.cast(memory["states"], tf.float32)  # M, [N, k, d]
        return {"mean": tf.reduce_mean(sentence, 1), "sentence": sentence, "truncated": truncated}

    def _memory(self, ids: tf.Tensor, source: tf.Tensor, target: tf.Tensor, compiled: bool) -> list[tf.Tensor]:
        """Of ids [N, S] and languages [N]: the memory, tensors [N, ...]."""

        def branch(encoder: dict[bool, Any]) -> Callable[..., Any]:
            def encode(rows: tf.Tensor) -> list[tf.Tensor]:
                return [x[: tf.size(rows)] for x in encoder[compiled](*self._rows([ids], rows, compiled))]

            return encode

        language = source if self.model.encodes_by == "source" else target
        return by_group(language, [branch(encoder) for encoder in self._encoders], self._memory_specs)

    def _rows(self, tensors: Sequence[tf.Tensor], rows: tf.Tensor, compiled: bool) -> list[tf.Tensor]:
        """Some rows of tensors; where they are for XLA with rows of zeros, which are padding, up to a bucket."""
        taken = [tf.gather(x, rows) for x in tensors]
        if not compiled:
            return taken
        missing = bucket_size_tensor(tf.size(rows), self.batch_buckets) - tf.size(rows)
        return [tf.concat([x, tf.zeros([missing, *tf.unstack(tf.shape(x))[1:]], x.dtype)], 0) for x in taken]

    # Parts, each traced once

    def _make_ids(self, compiled: bool) -> Any:
        """The function from text [N] and the numbers of its languages to ids [N, S]; see `_to_ids`."""
        tokenizers = [self.tokenizers[language] for language in self._tokenizer_of.firsts]

        def to_ids(text: tf.Tensor, language: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
            groups = self._tokenizer_of.groups(language)
            numbers = [tf.where(groups == i)[:, 0] for i in range(len(tokenizers))]
            parts = [x.tokenize(tf.gather(text, rows)) for x, rows in zip(tokenizers, numbers, strict=True)]
            places = tf.math.invert_permutation(tf.concat(numbers, 0))
            tokens = tf.gather(tf.concat(parts, 0), places)  # [N, (S)]
            return self._to_ids(tokens, pad_rows=False, pad_columns=compiled)

        return function(to_ids, TEXTS, NUMBERS)

    def _make_encoder(self, language: str) -> dict[bool, Any]:
        """The functions from ids [B, S] to the memory."""
        model = self.model.encoder_for(language, language)
        encode = function(lambda ids: keras.tree.flatten(model(ids, training=False)), IDS)
        return {False: encode, True: function(inside_xla(encode), IDS, jit_compile=True)}

    def _make_search(self, language: str) -> dict[bool, Any]:
        """The functions from a memory, lengths [B] of sources, and as many places as there may be tokens, to tokens."""
        pair = self.model.pair(language, language)
        prepare = tf.function(lambda memory, size: pair.prepare(memory, self.beam_size, size), autograph=False)

        def search(memory: list[tf.Tensor], lengths: tf.Tensor, places: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
            max_length = tf.shape(places)[0]
            constants, caches = prepare(keras.tree.pack_sequence_as(self._memory_structure, memory), max_length)
            return self._search_for(pair.decoder_step, constants, caches, lengths, max_length)

        signature = self._memory_specs, NUMBERS, NUMBERS
        return {compiled: function(search, *signature, jit_compile=compiled or None) for compiled in (False, True)}

    def _make_scorer(self, language: str) -> dict[bool, Any]:
        """The functions from a memory and target ids [B, T], closed by END, to log-probabilities [B]."""
        side = self.model.decoder_for(language)

        def log_probability(memory: list[tf.Tensor], target: tf.Tensor) -> tf.Tensor:
            packed = keras.tree.pack_sequence_as(self._memory_structure, memory)
            return sequence_log_probability(side.logits(shift_right(target), packed), target)

        score = function(log_probability, self._memory_specs, IDS)
        return {False: score, True: function(inside_xla(score), self._memory_specs, IDS, jit_compile=True)}

    # In Python

    def translate(
        self, lines: Iterable[str], source: str | Iterable[str], target: str | Iterable[str]
    ) -> list[Translation]:
        """Translates any number of lines.

        They are sorted by pair and length, translated in batches of similar ones, and returned in the order in which
        they came.

        Args:
            lines: Sentences.
            source: The language of all lines, or one for each.
            target: The language to translate all lines to, or one for each.

        Returns:
            A translation for each.

        Raises:
            UserError: A language is unknown, or there are not as many as lines.
        """
        lines = check_lines(lines)
        pairs = self._pairs(len(lines), source, target)
        results: list[Translation] = [Translation((), False)] * len(lines)
        for rows, inputs in self._pair_batches(pairs, lines):
            found = self._translate[self.jit_compile](*inputs)
            for row, translation in zip(rows, translations(found, len(rows)), strict=True):
                results[row] = translation
        return results

    def score(
        self,
        sources: Iterable[str],
        targets: Iterable[str],
        source: str | Iterable[str],
        target: str | Iterable[str],
    ) -> list[float]:
        """Log-probabilities of given translations, END included.

        Args:
            sources: Sentences.
            targets: As many, a translation of each.
            source: The language of all sources, or one for each.
            target: The language of all targets, or one for each.

        Returns:
            A log-probability for each.

        Raises:
            UserError: Not as many targets as sources; or a language is unknown, or there are not as many as lines.
        """
        sources, targets = check_lines(sources), check_lines(targets)
        if len(sources) != len(targets):
            raise UserError(
                f"There must be a target for each source. Received: {len(sources)} sources, {len(targets)} targets"
            )
        pairs = self._pairs(len(sources), source, target)
        log_probabilities, truncated = [0.0] * len(sources), 0
        for rows, inputs in self._pair_batches(pairs, sources, targets):
            found = self._score[self.jit_compile](*inputs)
            truncated += int(np.sum(found["truncated"].numpy()[: len(rows)]))
            for row, value in zip(rows, found["log_probability"].numpy()[: len(rows)], strict=True):
                log_probabilities[row] = float(value)
        self._warn_of_cuts(truncated, "pair(s)")
        return log_probabilities

    def embed(self, lines: Iterable[str], language: str | Iterable[str]) -> tuple[np.ndarray, np.ndarray]:
        """Representations of sentences.

        Args:
            lines: Sentences.
            language: The language of all lines, or one for each.

        Returns:
            The mean [N, d] of the k vectors of M, and M [N, k, d], both float32.

        Raises:
            UserError: The model has no bridge; or a language is unknown, or there are not as many as lines.
        """
        self._check_bridge()
        lines = check_lines(lines)
        language = language if isinstance(language, str) else list(language)
        pairs = self._pairs(len(lines), language, language)
        states = keras.tree.pack_sequence_as(self._memory_structure, self._memory_specs)["states"]
        sentences, truncated = np.zeros((len(lines), *states.shape[1:]), "float32"), 0  # M, [N, k, d]
        means = np.zeros((len(lines), states.shape[-1]), "float32")
        for rows, inputs in self._pair_batches(pairs, lines):
            found = {name: x.numpy()[: len(rows)] for name, x in self._embed[self.jit_compile](*inputs).items()}
            means[rows], sentences[rows] = found["mean"], found["sentence"]
            truncated += int(np.sum(found["truncated"]))
        self._warn_of_cuts(truncated, "sentence(s)")
        return means, sentences

    def _check_bridge(self) -> None:
        if not self.has_bridge:
            raise UserError(
                "The model has no bridge, and no representation of sentences. "
                f"Received: model={type(self.model).__name__}"
            )

    def _pairs(self, count: int, source: str | Iterable[str], target: str | Iterable[str]) -> list[tuple[str, str]]:
        """The languages of each line."""
        sides = []
        for side, given in (("source", source), ("target", target)):
            names = [given] * count if isinstance(given, str) else list(given)
            for name in (given,) if isinstance(given, str) else dict.fromkeys(names):
                if name not in self.languages:
                    raise UserError(
                        f"Unknown {side} language. The model has {', '.join(self.languages)}. Received: {name!r}"
                    )
            if len(names) != count:
                raise UserError(
                    f"There must be a {side} language for each line, or one for all. "
                    f"Received: {len(names)} languages, {count} lines"
                )
            sides.append(names)
        return list(zip(*sides, strict=True))

    def _pair_batches(
        self, pairs: list[tuple[str, str]], *texts: list[str]
    ) -> Iterator[tuple[list[int], list[tf.Tensor]]]:
        """Rows to compute at once, of one pair and of similar lengths, and what the functions of the graph take."""
        for pair in dict.fromkeys(pairs):
            numbers = [row for row, found in enumerate(pairs) if found == pair]
            lengths = [
                self._lengths([lines[row] for row in numbers], self.tokenizers[language])
                for lines, language in zip(texts, pair, strict=False)
            ]
            for batch, size in self._batches(np.max(lengths, axis=0)):
                rows = [numbers[i] for i in batch]
                languages = [tf.fill([size], self.languages.index(language)) for language in pair]
                yield rows, [*(padded([lines[row] for row in rows], size) for lines in texts), *languages]


class _Groups:
    """Languages in groups of the same key."""

    def __init__(self, languages: Sequence[str], keys: Sequence[Hashable]) -> None:
        distinct = list(dict.fromkeys(keys))
        self.languages = tuple(languages)
        self.group_of = [distinct.index(key) for key in keys]  # by number of the language
        self.firsts = [languages[self.group_of.index(i)] for i in range(len(distinct))]

    def first(self, language: str) -> str:
        """The first language of the group of a language."""
        return self.firsts[self.group_of[self.languages.index(language)]]

    def groups(self, numbers: tf.Tensor) -> tf.Tensor:
        """Numbers of languages [N] to numbers of groups [N]."""
        return tf.gather(tf.constant(self.group_of, tf.int32), numbers)
