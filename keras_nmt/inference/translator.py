"""From text to text with a model: translations, scores, alignments and sentence representations."""

from __future__ import annotations

import copy
import dataclasses
import itertools
import numbers
import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from keras_nmt.errors import UserError, check_backend, one_line
from keras_nmt.inference._candidates import TOO_MANY_FORCED
from keras_nmt.inference.aligned_words import aligned_words
from keras_nmt.inference.graph import UNKNOWN_IN_PREFIX, TextGraph
from keras_nmt.inference.lines import (
    Languages,
    check_lines,
    check_pairs,
    check_prefixes,
    languages_of_lines,
    seeds_of_lines,
)
from keras_nmt.inference.load import load
from keras_nmt.inference.search_options import SearchOptions, check_names, with_defaults
from keras_nmt.inference.translation import Translation
from keras_nmt.models import MultilingualModel, TranslationModel
from keras_nmt.models.language_label_model import FIRST_LABEL
from keras_nmt.text import SubwordTokenizer

_processes: list[int] = []  # the process that has made the first translator


class Translator:
    """Translates and scores text with a model, in all directions of the model.

    Text is segmented into subwords, truncated to the largest length bucket, translated by beam search or by sampling,
    and joined to text again. The translation of text without any subword (empty, or only spaces) is empty, its score 0.

    Any number of lines is computed in parts of bounded size, lines of like length together, four parts at a time. A
    line's answer does not depend on the other lines. Lines of several directions may be mixed: n languages take n
    encoders and n searches for their n^2 directions, and a model of one direction has no routing.

    The functions are traced once and read the weights from the model's variables, so that a translator stays valid, and
    compiled, while the model trains on.

    Args:
        model: `TranslationModel` or `MultilingualModel`.
        tokenizers: Mapping of each key of `model.vocabulary_sizes` ("source" and "target", or the languages) to its
            subwords; or the joint subwords of all.
        **options: See `keras_nmt.inference.search_options.SearchOptions`: `beam_size`, `length_penalty`,
            `num_hypotheses`, `min_length`, `max_length`, `max_length_factor`, `max_length_offset`, `length_buckets`,
            `batch_buckets`, `max_batch_tokens`, `jit_compile`, `sample`, `temperature`, `top_k`, `top_p`,
            `coverage_penalty`, `shortlist`, `shortlist_size`.

    Attributes:
        directions: Tuple of the pairs (source, target) that the model translates.
        languages: Tuple of the model's languages.
        tokenizers: Dictionary of subwords by language, with one object for equal subwords.
        options: `SearchOptions`.
        graph: `TextGraph`, which computes the same from tensors of texts.

    Raises:
        UserError: An option is unknown or out of its range, or tokenizers do not fit the model.
    """

    def __init__(
        self,
        model: TranslationModel | MultilingualModel,
        tokenizers: SubwordTokenizer | Mapping[str, SubwordTokenizer],
        **options: Any,
    ) -> None:
        check_backend("A translator")
        check_process()
        check_names(options)
        self.model = model
        self.languages, self.directions = model.languages, model.directions
        self.tokenizers = checked_tokenizers(model, tokenizers)
        self.graph = TextGraph(model, self.tokenizers, SearchOptions(**options))

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
            source, target: Strings, the languages of one direction of a multilingual model.
            ensemble: Paths of other model directories with the same subwords; see `keras_nmt.inference.load.load`.
            **options: Arguments of the constructor. They have precedence over the directory's search settings.

        Returns:
            A translator that computes in float32.

        Raises:
            UserError: The directory is no model directory, or not whole, or an option is unknown or out of its range.
        """
        check_process()
        check_names(options)
        loaded = load(directory, weights=weights, source=source, target=target, ensemble=ensemble)
        return cls(loaded.model, loaded.tokenizers, **with_defaults(loaded.search, options))

    def with_options(self, **changed: Any) -> Translator:
        """A translator that searches with other options and shares the traced encoders and decoders.

        Args:
            **changed: Options of the constructor.

        Raises:
            UserError: An option is unknown or out of its range.
        """
        check_names(changed)
        other = copy.copy(self)
        other.graph = self.graph.with_options(dataclasses.replace(self.options, **changed))
        return other

    @property
    def options(self) -> SearchOptions:
        """The options of the search."""
        return self.graph.options

    @property
    def num_hypotheses(self) -> int:
        """Integer, the number of translations of a sentence."""
        return self.options.num_hypotheses

    @property
    def length_buckets(self) -> Sequence[int]:
        """Sequence of integers, the length buckets, ascending; longer texts are truncated to the last."""
        return self.options.length_buckets

    @property
    def has_bridge(self) -> bool:
        """Whether the model has an attention bridge, and so representations of sentences."""
        return getattr(self.model, "bridge", None) is not None

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
                may be empty. A prefix is segmented into subwords by itself, so that it may end within a word. Limits of
                lengths do not count the prefix, and the translation of an empty line has none. Defaults to None.
            seeds: Integers, where the translator samples: a seed for each line, on which alone its translations
                depend; or one integer for all, from which each line gets a seed by its position. Defaults to 0.

        Returns:
            A list of `Translation`, one per line.

        Raises:
            UserError: There is not a language, prefix or seed for each line; a language is unknown; there are seeds and
                the translator does not sample; a prefix has characters that the subwords do not have; or the prefixes
                of a batch have more subwords than `shortlist_size`.
        """
        lines = check_lines(lines)
        inputs = {"text": _texts(lines), **self._language_numbers(len(lines), source, target)}
        if self.options.sample:
            inputs["seed"] = tf.constant(seeds_of_lines(seeds, len(lines)), tf.int32, [len(lines)])
        elif not isinstance(seeds, numbers.Integral) or seeds != 0:
            raise UserError(f"`seeds` are for a translator that samples, `sample=True`. Received: seeds={seeds!r}")
        if prefixes is not None:
            inputs["prefix"] = _texts(check_prefixes(prefixes, len(lines)))
        # Not as one function: Python handles Ctrl-C between parts.
        try:
            answers = self.graph.translate(inputs, self.options.jit_compile)
        except tf.errors.InvalidArgumentError as error:
            if UNKNOWN_IN_PREFIX in str(error):
                is_unknown = self.graph.has_unknown_prefix(inputs).numpy()
                wrong = inputs["prefix"].numpy()[is_unknown][0].decode()
                raise UserError(
                    f"{UNKNOWN_IN_PREFIX}: leave them out, or train subwords with `byte_fallback`. "
                    f"Received: prefix={wrong!r}"
                ) from None
            if TOO_MANY_FORCED not in str(error):
                raise
            size = self.options.shortlist_size
            raise UserError(f"{TOO_MANY_FORCED}: raise it. Received: shortlist_size={size}") from None
        shape = len(lines), self.num_hypotheses
        columns = (answers[name].numpy().reshape(shape) for name in ("translation", "score", "cut_off"))
        return list(itertools.starmap(Translation.of, zip(*columns, answers["truncated"].numpy(), strict=True)))

    def score(
        self, sources: Iterable[str], targets: Iterable[str], source: Languages = None, target: Languages = None
    ) -> list[float]:
        """Log-probabilities of given translations, END included.

        The model scores every pair, empty ones too. (`translate` does not ask the model about text without any subword:
        the translation is empty, and its score 0.)

        Args:
            sources: Iterable of strings.
            targets: Iterable of strings, a translation of each source.
            source, target: The languages of the sources and of the targets, as for `translate`.

        Returns:
            A list of log-probabilities, one per source.

        Raises:
            UserError: There is not a target or a language for each source, or a language is unknown.
        """
        sources, targets = check_pairs(sources, targets)
        inputs = {"source": _texts(sources), "target": _texts(targets)}
        answers = self.graph.score(
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
        model predicts the target's subword. Alignments are pairs of words, which spaces and tabs separate: one for
        each source word and target word with aligned subwords. So every word of the target that has subwords has a
        pair, but not every word of the source.

        Args:
            sources: Iterable of strings.
            targets: Iterable of strings, a translation of each source.
            source, target: The languages of the sources and of the targets, as for `translate`.
            layer: Integer from 1, a layer of the decoder. Defaults to the default of `TranslationModel.attention`.

        Returns:
            For each sentence the list of pairs (source word, target word), from 0, in ascending order. Words beyond the
            largest length bucket have no pairs.

        Raises:
            UserError: There is not a target or a language for each source; a language is unknown; the decoder has no
                such layer, or does not attend to the source's words, as behind an attention bridge.

        Reference:
            [Garg et al., 2019](https://arxiv.org/abs/1909.02074), section 3.
        """
        sources, targets = check_pairs(sources, targets)
        inputs = {"source": _texts(sources), "target": _texts(targets)}
        inputs |= self._language_numbers(len(sources), source, target)
        try:
            answers = self.graph.align(inputs, False, layer)
        except ValueError as error:  # while it is traced
            raise UserError(one_line(error)) from None
        columns = (answers[name].numpy().tolist() for name in ("alignment", "source_word", "target_word"))
        return [aligned_words(*row) for row in zip(*columns, strict=True)]

    def embed(self, lines: Iterable[str], language: Languages) -> tuple[np.ndarray, np.ndarray]:
        """Representations of sentences.

        Args:
            lines: Iterable of strings.
            language: String, the language of all lines, or one for each.

        Returns:
            The mean `[N, d]` of the k vectors of M, and M `[N, k, d]`, both float32.

        Raises:
            UserError: The model has no bridge; a language is unknown; or there is not a language for each line.
        """
        if not self.has_bridge:
            raise UserError(
                "The model has no bridge, and no representation of sentences. "
                f"Received: model={type(self.model).__name__}"
            )
        lines = check_lines(lines)
        if language is not None and not isinstance(language, str):
            language = list(language)
        inputs = {"text": _texts(lines), **self._language_numbers(len(lines), language, language)}
        answers = self.graph.embed(inputs, self.options.jit_compile)
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

    def _language_numbers(self, count: int, source: Languages, target: Languages) -> dict[str, tf.Tensor]:
        """The numbers of languages `[N]` by name, in Python."""
        numbers_of = {}
        for side, given in (("source", source), ("target", target)):
            if len(self.directions) == 1:
                (only,) = self.directions
                if given not in (None, only[side == "target"]):
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

    def _warn_of_truncated(self, answers: Mapping[str, tf.Tensor], what: str) -> None:
        if number := int(np.sum(answers["truncated"].numpy())):
            warnings.warn(
                f"{number} {what} of {self.length_buckets[-1]} subwords or more were truncated.", stacklevel=3
            )


def check_process() -> None:
    """Raises a `UserError` in a process that was forked from one with a translator.

    TensorFlow's threads are not copied by a fork, so that a computation would never end.
    """
    if not _processes:
        _processes.append(os.getpid())
    if os.getpid() not in _processes:
        raise UserError(
            "A model must be loaded behind a fork, in the process that translates: TensorFlow does not compute in a "
            f"process that was forked later. Received: a model of process {_processes[0]}, in process {os.getpid()}"
        )


def _texts(lines: list[str]) -> tf.Tensor:
    check_process()
    return tf.constant(lines, tf.string, [len(lines)])


def checked_tokenizers(
    model: TranslationModel | MultilingualModel, tokenizers: SubwordTokenizer | Mapping[str, SubwordTokenizer]
) -> dict[str, SubwordTokenizer]:
    """Tokenizers by language, with one object for equal subwords, so that an export holds equal subwords once."""
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
    if model.encodes_by == "target":
        given[model.languages[0]].check_control_symbols(FIRST_LABEL, FIRST_LABEL + len(model.languages))
    return {language: by_proto[given[language].proto] for language in sizes}
