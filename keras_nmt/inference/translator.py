"""From text to text with a model: translations, scores, alignments and sentence representations."""

from __future__ import annotations

import copy
import dataclasses
import functools
import numbers
import os
import warnings
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from keras_nmt.errors import UserError, check_backend, one_line
from keras_nmt.ids import END, PAD
from keras_nmt.inference._functions import NUMBERS, TEXTS, function, of_count
from keras_nmt.inference._traced_model import TracedDecoder, TracedEncoder, TracedSearch
from keras_nmt.inference.alignment import words_of_subwords
from keras_nmt.inference.buckets import bucket_sizes
from keras_nmt.inference.lines import check_lines, languages_of_lines, seeds_of_lines
from keras_nmt.inference.load import load
from keras_nmt.inference.parts import Rows
from keras_nmt.inference.routing import Groups, by_group
from keras_nmt.inference.search_options import SearchOptions
from keras_nmt.inference.translation import Hypothesis, Translation
from keras_nmt.models import MultilingualModel, TranslationModel
from keras_nmt.text import SubwordTokenizer

Languages = str | Iterable[str] | None


class Translator:
    """Translates and scores text with a model, in all directions of the model.

    Text is segmented into subwords, truncated to the largest length bucket, translated by beam search or by sampling,
    and joined to text again. The translation of text without any subword (empty, or only spaces) is empty, its score 0.

    Any number of lines is computed in parts of bounded size, lines of like length together. A line's answer does not
    depend on the other lines. Lines of several directions may be mixed: n languages take n encoders and n searches for
    their n^2 directions, and a model of one direction has no routing.

    The functions are traced once and read the weights from the model's variables, so that a translator stays valid, and
    compiled, while the model trains on.

    Args:
        model: `TranslationModel` or `MultilingualModel`.
        tokenizers: Mapping of each key of `model.vocabulary_sizes` ("source" and "target", or the languages) to its
            subwords; or the joint subwords of all.
        **options: See `keras_nmt.inference.search_options.SearchOptions`: `beam_size`, `length_penalty`,
            `num_hypotheses`, `max_length`, `max_length_factor`, `max_length_offset`, `length_buckets`, `batch_buckets`,
            `max_batch_tokens`, `jit_compile`, `sample`, `temperature`, `top_k`, `top_p`, `coverage_penalty`.

    Attributes:
        directions: Tuple of the pairs (source, target) that the model translates.
        languages: Tuple of the model's languages.
        tokenizers: Dictionary of subwords by language; equal ones are one object.
        options: `SearchOptions`.

    Raises:
        UserError: An option is out of its range, or tokenizers do not fit the model.
    """

    def __init__(
        self,
        model: TranslationModel | MultilingualModel,
        tokenizers: SubwordTokenizer | Mapping[str, SubwordTokenizer],
        **options: Any,
    ) -> None:
        check_backend("A translator")
        self.model = model
        self.languages, self.directions = model.languages, model.directions
        self.tokenizers = _checked_tokenizers(model, tokenizers)
        self._routed = len(self.directions) > 1
        self._encoder_side = int(model.encodes_by == "target")
        by_encoder = {direction[self._encoder_side]: direction for direction in self.directions}
        by_target = {direction[1]: direction for direction in self.directions}
        self._encoders = [TracedEncoder(model.encoder_for(*direction)) for direction in by_encoder.values()]
        memory = model.encoder_for(*self.directions[0]).output  # of one structure for all languages
        self._memory_specs = [tf.TensorSpec(x.shape, x.dtype) for x in keras.tree.flatten(memory)]
        # Languages with the same subwords are one group; for decoding, languages with the same decoder as well.
        self._by_tokenizer = Groups([id(self.tokenizers[x]) for x in self.languages])
        self._by_decoder = Groups([(id(model.decoder_for(x)), id(self.tokenizers[x])) for x in by_target])
        firsts = [list(by_target.values())[i] for i in self._by_decoder.firsts]
        self._decoders = [
            TracedDecoder(model.pair(*pair), model.decoder_for(pair[1]), self.tokenizers[pair[1]], memory)
            for pair in firsts
        ]
        self._set_options(SearchOptions(**options))

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
        """Makes a translator of the model in a directory.

        Args:
            directory: Path of a model directory.
            weights: Path of a weights file to load instead of the directory's.
            source: String, the language to translate from, for one direction of a multilingual model.
            target: String, the language to translate to.
            ensemble: Paths of other model directories with the same subwords; see `keras_nmt.inference.load.load`.
            **options: Arguments of the constructor. They have precedence over the directory's search settings.

        Returns:
            A translator that computes in float32.

        Raises:
            UserError: The directory is no model directory, or not whole, or an option is out of its range.
        """
        loaded = load(directory, weights=weights, source=source, target=target, ensemble=ensemble)
        defaults = dict(loaded.search)
        if options.get("sample"):
            defaults.pop("coverage_penalty", None)  # which is for a search
        return cls(loaded.model, loaded.tokenizers, **{**defaults, **options})

    def with_options(self, **changed: Any) -> Translator:
        """A translator that searches with other options and shares the traced encoders and decoders.

        Args:
            **changed: Options of the constructor.
        """
        other = copy.copy(self)
        other._set_options(dataclasses.replace(self.options, **changed))
        return other

    @property
    def num_hypotheses(self) -> int:
        return self.options.num_hypotheses

    @property
    def length_buckets(self) -> Sequence[int]:
        return self.options.length_buckets

    @property
    def has_bridge(self) -> bool:
        """Whether the model has an attention bridge, and so representations of sentences."""
        return getattr(self.model, "bridge", None) is not None

    # In Python

    def translate(
        self,
        lines: Iterable[str],
        source: Languages = None,
        target: Languages = None,
        *,
        prefixes: Iterable[str] | None = None,
        seeds: int | Iterable[int] = 0,
    ) -> list[Translation]:
        """Translates any number of lines.

        Args:
            lines: Iterable of strings.
            source: String, the language of all lines, or one for each; None where the model has one direction.
            target: String, the language to translate all lines to, or one for each; None where the model has one
                direction.
            prefixes: Iterable of strings, one per line: the text that the line's translation has to begin with, which
                may be empty. A prefix is segmented into subwords by itself, so that it may end within a word. It is not
                counted in the length of a translation, and is no part of an empty line's. Defaults to None.
            seeds: Integers, where the translator samples: a seed for each line, on which alone its translations
                depend; or one integer for all, from which each line gets a seed by its position. Defaults to 0.

        Returns:
            A list of `Translation`, one per line.

        Raises:
            UserError: The numbers of languages, prefixes or seeds differ from that of the lines; a language is unknown;
                or there are seeds and the translator does not sample.
        """
        lines = check_lines(lines)
        inputs = {"text": _texts(lines), **self._language_numbers(len(lines), source, target)}
        if self.options.sample:
            inputs["seed"] = tf.constant(seeds_of_lines(seeds, len(lines)), tf.int32, [len(lines)])
        elif not isinstance(seeds, numbers.Integral) or seeds != 0:
            raise UserError(f"`seeds` are for a translator that samples, `sample=True`. Received: seeds={seeds!r}")
        if prefixes is not None:
            prefixes = check_lines(prefixes)
            if len(prefixes) != len(lines):
                raise UserError(
                    f"There must be a prefix for each line. Received: {len(lines)} lines, {len(prefixes)} prefixes"
                )
            inputs["prefix"] = _texts(prefixes)
        # Not as one function: between parts, Ctrl-C is heard.
        answers = self._translate(inputs, self.options.jit_compile)
        shape = len(lines), self.num_hypotheses
        texts, scores = (answers[name].numpy().reshape(shape) for name in ("translation", "score"))
        return [
            Translation(tuple(map(Hypothesis.of, *hypotheses)), bool(truncated))
            for *hypotheses, truncated in zip(texts, scores, answers["truncated"].numpy(), strict=True)
        ]

    def score(
        self, sources: Iterable[str], targets: Iterable[str], source: Languages = None, target: Languages = None
    ) -> list[float]:
        """Log-probabilities of given translations, END included.

        Args:
            sources: Iterable of strings.
            targets: Iterable of strings, a translation of each source.
            source: String, the language of all sources, or one for each; None where the model has one direction.
            target: String, the language of all targets, or one for each; None where the model has one direction.

        Returns:
            A list of log-probabilities, one per source.

        Raises:
            UserError: The numbers of targets or languages differ from that of the sources, or a language is unknown.
        """
        sources, targets = _checked_pairs(sources, targets)
        inputs = {"source": _texts(sources), "target": _texts(targets)}
        answers = self._score(
            {**inputs, **self._language_numbers(len(sources), source, target)}, self.options.jit_compile
        )
        self._warn_of_truncated(answers, "pair(s)")
        log_probabilities: list[float] = answers["log_probability"].numpy().tolist()
        return log_probabilities

    def align(
        self,
        sources: Iterable[str],
        targets: Iterable[str],
        source: Languages = None,
        target: Languages = None,
        *,
        layer: int | None = None,
    ) -> list[list[tuple[int, int]]]:
        """Alignments of given translations, by the model's attention to the source under teacher forcing.

        Each subword of a target is aligned to the source subword with most attention, as a mean over heads, where the
        model predicts the target's subword. Alignments are pairs of words, which spaces separate: one for each source
        word and target word with aligned subwords. So every word of the target has a pair, but not every word of the
        source.

        Args:
            sources: Iterable of strings.
            targets: Iterable of strings, a translation of each source.
            source: String, the language of all sources, or one for each; None where the model has one direction.
            target: String, the language of all targets, or one for each; None where the model has one direction.
            layer: Integer from 1, a layer of the decoder. Defaults to that of `TranslationModel.attention`.

        Returns:
            For each sentence the list of pairs (source word, target word), from 0, in ascending order. Words beyond the
            largest length bucket have no pairs.

        Raises:
            UserError: The numbers of targets or languages differ from that of the sources; a language is unknown; the
                decoder has no such layer, or does not attend to the source's words, as behind an attention bridge.

        Reference:
            [Garg et al., 2019](https://arxiv.org/abs/1909.02074), section 3.
        """
        sources, targets = _checked_pairs(sources, targets)
        inputs = {"source": _texts(sources), "target": _texts(targets)}
        inputs |= self._language_numbers(len(sources), source, target)
        try:
            attended = self._align(inputs, layer).numpy()  # [N, T]
        except ValueError as error:  # while it is traced
            raise UserError(one_line(error)) from None
        words = [self._words(inputs, side, lines) for side, lines in (("source", sources), ("target", targets))]
        longest = self.length_buckets[-1] - 1
        return [
            sorted(
                {(of_source[position], word) for position, word in zip(positions, of_target[:longest], strict=False)}
            )
            if of_source
            else []
            for positions, of_source, of_target in zip(attended, *words, strict=True)
        ]

    def embed(self, lines: Iterable[str], language: Languages) -> tuple[np.ndarray, np.ndarray]:
        """Representations of sentences.

        Args:
            lines: Iterable of strings.
            language: String, the language of all lines, or one for each.

        Returns:
            The mean `[N, d]` of the k vectors of M, and M `[N, k, d]`, both float32.

        Raises:
            UserError: The model has no bridge; a language is unknown; or their number differs from that of the lines.
        """
        self._check_bridge()
        lines = check_lines(lines)
        if language is not None and not isinstance(language, str):
            language = list(language)
        inputs = {"text": _texts(lines), **self._language_numbers(len(lines), language, language)}
        answers = self._embed(inputs, self.options.jit_compile)
        self._warn_of_truncated(answers, "sentence(s)")
        return answers["mean"].numpy(), answers["sentence"].numpy()

    def lengths(self, lines: Iterable[str], language: str) -> list[int]:
        """Lengths of lines in tokens, END included, after truncation.

        Args:
            lines: Iterable of strings.
            language: String, one of `languages`.
        """
        lengths = self.tokenizers[language].tokenize(_texts(check_lines(lines))).row_lengths().numpy() + 1
        truncated: list[int] = np.minimum(lengths, self.length_buckets[-1]).tolist()
        return truncated

    # In the graph

    def translate_graph(
        self,
        text: tf.Tensor,
        source_language: tf.Tensor | None = None,
        target_language: tf.Tensor | None = None,
        *,
        seed: tf.Tensor | None = None,
        prefix: tf.Tensor | None = None,
        jit_compile: bool | None = None,
    ) -> dict[str, tf.Tensor]:
        """Translates in the graph.

        Args:
            text: string tensor `[N]`.
            source_language: string tensor `[N]`; None where the model has one direction.
            target_language: string tensor `[N]`; None where the model has one direction.
            seed: int32 tensor `[N]` where the translator samples, else None.
            prefix: string tensor `[N]`, the text that each translation has to begin with. Defaults to None.
            jit_compile: Boolean, whether XLA compiles the model and the search. Defaults to the translator's option.

        Returns:
            `translation` `[N]` string and `score` `[N]` float32 (`[N, num_hypotheses]` if there are several), and
            `truncated` `[N]` bool.
        """
        inputs = {"text": text, **self._named(source=source_language, target=target_language)}
        inputs |= {name: x for name, x in (("seed", seed), ("prefix", prefix)) if x is not None}
        return self._traced(self._translate, inputs, jit_compile)

    def score_graph(
        self,
        source: tf.Tensor,
        target: tf.Tensor,
        source_language: tf.Tensor | None = None,
        target_language: tf.Tensor | None = None,
        *,
        jit_compile: bool | None = None,
    ) -> dict[str, tf.Tensor]:
        """Log-probabilities of given translations, in the graph.

        Args:
            source: string tensor `[N]`.
            target: string tensor `[N]`, the translations.
            source_language: string tensor `[N]`; None where the model has one direction.
            target_language: string tensor `[N]`; None where the model has one direction.
            jit_compile: Boolean, whether XLA compiles the model. Defaults to the translator's option.

        Returns:
            `log_probability` `[N]` float32, END included, and `truncated` `[N]` bool, for source or target.
        """
        inputs = {"source": source, "target": target, **self._named(source=source_language, target=target_language)}
        return self._traced(self._score, inputs, jit_compile)

    def embed_graph(
        self, text: tf.Tensor, language: tf.Tensor, *, jit_compile: bool | None = None
    ) -> dict[str, tf.Tensor]:
        """Representations of sentences, in the graph.

        Args:
            text: string tensor `[N]`.
            language: string tensor `[N]`, the language of each text.
            jit_compile: Boolean, whether XLA compiles the encoders. Defaults to the translator's option.

        Returns:
            `sentence` `[N, k, d]`, M of the attention bridge, and `mean` `[N, d]`, the mean of its k vectors, both
            float32, and `truncated` `[N]` bool.

        Raises:
            UserError: The model has no bridge.
        """
        self._check_bridge()
        return self._traced(self._embed, {"text": text, **self._named(source=language, target=language)}, jit_compile)

    # Rows of texts, by the name of each input

    def _translate(self, inputs: Mapping[str, tf.Tensor], compiled: bool) -> dict[str, tf.Tensor]:
        sides = ("text", "prefix") if "prefix" in inputs else ("text",)
        rows = self._rows(inputs, compiled, *sides)
        seeds, n = inputs.get("seed"), self.num_hypotheses

        def translate(chosen: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
            source, *prefix = (rows.ids(side, chosen) for side in range(len(sides)))
            memory = self._encode(source, chosen, rows, compiled)
            more = {
                "seeds": None if seeds is None else tf.gather(seeds, chosen),
                "prefix": tf.where(prefix[0] == END, PAD, prefix[0]) if prefix else None,
            }

            def search(index: int) -> tuple[tf.Tensor, tf.Tensor]:
                tokens, scores = self._searches[index](memory, source, **more, compiled=compiled)
                flat = tf.reshape(tokens, [-1, tf.shape(tokens)[2]])  # [B n, T]
                return tf.reshape(self._decoders[index].detokenize(flat), [-1, n]), tf.ensure_shape(scores, [None, n])

            return self._by_target(search, chosen, rows)

        specs = [tf.TensorSpec([None, n], tf.string), tf.TensorSpec([None, n], tf.float32)]
        texts, scores = rows.compute(translate, specs)
        empty = rows.lengths[0][:, None] == 0  # [N, 1]
        texts, scores = tf.where(empty, "", texts), tf.where(empty, 0.0, scores)
        if n == 1:
            texts, scores = texts[:, 0], scores[:, 0]
        return {"translation": texts, "score": scores, "truncated": rows.truncated}

    def _score(self, inputs: Mapping[str, tf.Tensor], compiled: bool) -> dict[str, tf.Tensor]:
        rows = self._rows(inputs, compiled, "source", "target")

        def score(chosen: tf.Tensor) -> tuple[tf.Tensor]:
            memory, target = self._encode(rows.ids(0, chosen), chosen, rows, compiled), rows.ids(1, chosen)
            return (
                self._by_target(lambda i: self._decoders[i].log_probability(memory, target, compiled), chosen, rows),
            )

        (log_probabilities,) = rows.compute(score, [tf.TensorSpec([None], tf.float32)])
        return {"log_probability": log_probabilities, "truncated": rows.truncated}

    def _align(self, inputs: Mapping[str, tf.Tensor], layer: int | None) -> tf.Tensor:
        """For each target subword the source subword with most attention, `[N, T]`."""
        rows = self._rows(inputs, False, "source", "target")
        longest = self.length_buckets[-1]

        def align(chosen: tf.Tensor) -> tuple[tf.Tensor]:
            source, target = rows.ids(0, chosen), rows.ids(1, chosen)
            memory = self._encode(source, chosen, rows, compiled=False)
            found = self._by_target(lambda i: self._decoders[i].attended(memory, source, target, layer), chosen, rows)
            return (tf.pad(found, [[0, 0], [0, longest - tf.shape(found)[1]]]),)

        return rows.compute(align, [tf.TensorSpec([None, longest], tf.int32)])[0]

    def _embed(self, inputs: Mapping[str, tf.Tensor], compiled: bool) -> dict[str, tf.Tensor]:
        rows = self._rows(inputs, compiled, "text")

        def states(memory: list[Any]) -> Any:
            return self._decoders[0].pack(memory)["states"]

        def embed(chosen: tf.Tensor) -> tuple[tf.Tensor]:
            memory = self._encode(rows.ids(0, chosen), chosen, rows, compiled)
            return (tf.cast(states(memory), tf.float32),)

        (sentence,) = rows.compute(embed, [tf.TensorSpec(states(self._memory_specs).shape, tf.float32)])  # M, [N, k, d]
        return {"mean": tf.reduce_mean(sentence, 1), "sentence": sentence, "truncated": rows.truncated}

    def _rows(self, inputs: Mapping[str, tf.Tensor], compiled: bool, *sides: str) -> Rows:
        """The rows of the inputs, of which `sides` are texts of the source language and of the target language."""
        checked = dict(zip(inputs, of_count(*inputs.values()), strict=True))
        languages = [checked[name] for name in ("source_language", "target_language") if name in inputs]
        tokens = []
        for side, name in enumerate(sides):
            tokenizers = [self.tokenizers[self.languages[first]] for first in self._by_tokenizer.firsts]
            if not languages:
                tokens.append(self.tokenizers[self.directions[0][side]].tokenize(checked[name]))
            elif len(tokenizers) == 1:
                tokens.append(tokenizers[0].tokenize(checked[name]))
            else:
                groups = self._by_tokenizer.of(languages[side])
                indices = [tf.where(groups == group)[:, 0] for group in range(len(tokenizers))]
                texts = [tf.gather(checked[name], rows) for rows in indices]
                found = [tokenizer.tokenize(x) for tokenizer, x in zip(tokenizers, texts, strict=True)]
                tokens.append(tf.gather(tf.concat(found, 0), tf.math.invert_permutation(tf.concat(indices, 0))))
        groups = self._by_decoder.of(languages[1]) if len(self._decoders) > 1 else None
        return Rows(tokens, languages, groups, self.options, compiled)

    def _encode(self, ids: tf.Tensor, chosen: tf.Tensor, rows: Rows, compiled: bool) -> list[tf.Tensor]:
        """The memory, `[B, ...]`, of ids `[B, S]` that are the chosen rows."""
        if not self._routed:
            return self._encoders[0](ids, compiled)

        def branch(encoder: TracedEncoder) -> Callable[[tf.Tensor], list[tf.Tensor]]:
            def encode(some: tf.Tensor) -> list[tf.Tensor]:
                count = tf.size(some)
                if compiled:
                    size = bucket_sizes(count[None], self.options.batch_buckets)[0]
                    some = tf.gather(some, tf.minimum(tf.range(size), count - 1))
                return [x[:count] for x in encoder(tf.gather(ids, some), compiled)]

            return encode

        languages = tf.gather(rows.languages[self._encoder_side], chosen)
        return by_group(languages, list(map(branch, self._encoders)), self._memory_specs)

    def _by_target(self, decode: Callable[[int], Any], chosen: tf.Tensor, rows: Rows) -> Any:
        """Decodes the chosen rows, which have one decoder, with this decoder."""
        if rows.groups is None:
            return decode(0)
        branches = [functools.partial(decode, index) for index in range(len(self._decoders))]
        return tf.switch_case(rows.groups[chosen[0]], branches)

    def _set_options(self, options: SearchOptions) -> None:
        self.options = options
        self._searches = [TracedSearch(decoder, options) for decoder in self._decoders]
        self._graphs: dict[Hashable, Any] = {}

    def _traced(
        self, body: Callable[..., Any], inputs: dict[str, tf.Tensor], jit_compile: bool | None
    ) -> dict[str, tf.Tensor]:
        """Calls a method as a function that is traced once for the names of its inputs."""
        compiled = self.options.jit_compile if jit_compile is None else jit_compile
        key = body.__name__, compiled, *inputs
        if key not in self._graphs:
            names = tuple(inputs)
            signature = [TEXTS if x.dtype == tf.string else NUMBERS for x in inputs.values()]
            self._graphs[key] = function(
                lambda *values: body(dict(zip(names, values, strict=True)), compiled), *signature
            )
        answers: dict[str, tf.Tensor] = self._graphs[key](*inputs.values())
        return answers

    # Languages

    def _named(self, **languages: tf.Tensor | None) -> dict[str, tf.Tensor]:
        """The numbers of languages `[N]` by name, in the graph."""
        if not self._routed:
            return {}
        return {f"{side}_language": self._numbers(names) for side, names in languages.items()}

    def _numbers(self, names: tf.Tensor) -> tf.Tensor:
        names = tf.ensure_shape(tf.convert_to_tensor(names, tf.string), [None])
        matches = names[:, None] == tf.constant(self.languages)  # [N, languages]
        known = tf.reduce_any(matches, 1)
        message = f"Unknown language. The model has {', '.join(self.languages)}. Received:"
        check = tf.debugging.Assert(tf.reduce_all(known), [message, tf.boolean_mask(names, ~known)])
        with tf.control_dependencies([check]):  # sessions run nothing that no result depends on
            return tf.argmax(matches, 1, tf.int32)

    def _language_numbers(self, count: int, source: Languages, target: Languages) -> dict[str, tf.Tensor]:
        """The numbers of languages `[N]` by name, in Python."""
        numbers_of = {}
        for side, given in (("source", source), ("target", target)):
            if not self._routed:
                if given is not None:
                    raise UserError(f"The model has one direction: name no {side} language. Received: {given!r}")
                continue
            if given is None:
                raise UserError(
                    f"The model has the languages {', '.join(self.languages)}: name one to translate from and one to "
                    f"translate to. Received: {side}=None"
                )
            names = languages_of_lines(given, count, side)
            for name in (given,) if isinstance(given, str) else dict.fromkeys(names):
                if name not in self.languages:
                    raise UserError(
                        f"Unknown {side} language. The model has {', '.join(self.languages)}. Received: {name!r}"
                    )
            numbers_of[f"{side}_language"] = tf.constant(list(map(self.languages.index, names)), tf.int32, [count])
        return numbers_of

    def _words(self, inputs: Mapping[str, tf.Tensor], side: str, lines: list[str]) -> list[list[int]]:
        """For each line, the word index of each subword."""
        if f"{side}_language" in inputs:
            names = [self.languages[number] for number in inputs[f"{side}_language"].numpy()]
        else:
            names = [self.directions[0][side == "target"]] * len(lines)
        words: list[list[int]] = [[] for _ in lines]
        for name in dict.fromkeys(names):
            rows = [row for row, other in enumerate(names) if other == name]
            for row, found in zip(
                rows, words_of_subwords(self.tokenizers[name], [lines[row] for row in rows]), strict=True
            ):
                words[row] = found
        return words

    # Checks

    def _check_bridge(self) -> None:
        if not self.has_bridge:
            raise UserError(
                "The model has no bridge, and no representation of sentences. "
                f"Received: model={type(self.model).__name__}"
            )

    def _warn_of_truncated(self, answers: Mapping[str, tf.Tensor], what: str) -> None:
        if number := int(np.sum(answers["truncated"].numpy())):
            warnings.warn(
                f"{number} {what} of {self.length_buckets[-1]} subwords or more were truncated.", stacklevel=3
            )


def _texts(lines: list[str]) -> tf.Tensor:
    return tf.constant(lines, tf.string, [len(lines)])


def _checked_pairs(sources: Iterable[str], targets: Iterable[str]) -> tuple[list[str], list[str]]:
    sources, targets = check_lines(sources), check_lines(targets)
    if len(sources) != len(targets):
        raise UserError(
            f"There must be a target for each source. Received: {len(sources)} sources, {len(targets)} targets"
        )
    return sources, targets


def _checked_tokenizers(
    model: TranslationModel | MultilingualModel, tokenizers: SubwordTokenizer | Mapping[str, SubwordTokenizer]
) -> dict[str, SubwordTokenizer]:
    """Tokenizers by language, those with the same subwords as one object, so that an export holds them once."""
    sizes = model.vocabulary_sizes
    given = dict.fromkeys(sizes, tokenizers) if isinstance(tokenizers, SubwordTokenizer) else dict(tokenizers)
    if set(given) != set(sizes):
        raise UserError(f"Each language needs a subword model: {', '.join(sizes)}. Received: {', '.join(given)}")
    for language, size in sizes.items():
        if given[language].vocabulary_size != size:
            raise UserError(
                f"The {language} subword model is not the one that the model was trained with. Received: a subword "
                f"model of {given[language].vocabulary_size} pieces, a model with a {language} vocabulary of {size}"
            )
    by_proto = {tokenizer.proto: tokenizer for tokenizer in reversed(given.values())}
    if model.encodes_by == "target" and len(by_proto) > 1:
        raise UserError(f"The subwords of this model are joint. Received: {len(by_proto)} subword models")
    return {language: by_proto[given[language].proto] for language in sizes}
