"""The translator: translates, scores, aligns and represents text with a model."""

from __future__ import annotations

import functools
import os
import warnings
from collections.abc import Generator, Hashable, Iterable, Mapping, Sequence
from typing import Any, Literal, NoReturn, overload
from weakref import WeakKeyDictionary

import numpy as np
import tensorflow as tf

from keras_nmt.data import SubwordTokenizer
from keras_nmt.errors import UserError, check_backend, check_choice, check_names, is_integer, one_line, require
from keras_nmt.files.search_options import TABLE, SearchOptions, least_limit, with_defaults
from keras_nmt.ids import UNK
from keras_nmt.inference._concurrency import check_process, in_turn, set_up_tensorflow
from keras_nmt.inference._phrases import errors_of_prefixes
from keras_nmt.inference._streams import text_of, tokens_of
from keras_nmt.inference.batching import rows_of
from keras_nmt.inference.graph import TextGraph
from keras_nmt.inference.load import checked_tokenizers, load
from keras_nmt.layers._taps import active_block
from keras_nmt.models import MultilingualModel, TranslationModel
from keras_nmt.text.front import are_in_parts, translate_lines
from keras_nmt.text.glossary import Glossary
from keras_nmt.text.line_tags import with_tag
from keras_nmt.text.lines import (
    Languages,
    Request,
    check_lines,
    check_pairs,
    check_prefixes,
    make_request,
    padded_phrases,
    seeds_of_lines,
)
from keras_nmt.text.source_cleaning import clean_source, unclean
from keras_nmt.text.translation import Alternative, Hypothesis, Translation, aligned_words, without_line_breaks


class Translator:
    """Translates and scores text with a model, in all directions of the model.

    Text is segmented into subwords, truncated to the largest length bucket, translated by beam search or by sampling,
    and joined to text again. The translation of text without subwords (empty, or only spaces of any kind) is empty,
    with score 0.

    Any number of lines is computed in parts of bounded size, lines of similar length together, on CPUs four parts at
    a time. The results of all lines of a call are in memory together, as many subwords for each hypothesis as for the
    longest: translate a corpus some thousand lines at a time, as `keras-nmt translate` does.
    The answer to a line does not depend on the other lines, but for the candidates of a shortlist. Lines of several
    directions may be mixed: n languages take n encoders and n searches for their n^2 directions. A model of one
    direction has no routing.

    The functions are traced once, and read the weights from the model's variables. So a translator remains valid, and
    compiled, while its model is trained.

    Args:
        model: `TranslationModel` or `MultilingualModel`.
        tokenizers: Mapping from each key of `model.vocabulary_sizes` ("source" and "target", or the languages) to its
            subwords; or the joint subwords of all.
        **options: The arguments of `keras_nmt.files.search_options.SearchOptions`, such as `beam_size`.

    Attributes:
        directions: Tuple of the pairs (source, target) that the model translates.
        languages: Tuple of the model's languages.
        tokenizers: Dictionary of subwords by language, with one object for equal subwords; of "source", their `source`.
        tags: `TargetTags` of a model of one direction. `target` may name one of their languages: its tag is put before
            each sentence.
        target: String, the target language of calls that name none, if the model has tags; or None: lines have tags.
        options: `SearchOptions`.
        source: String, the source language, if one direction of a multilingual model was loaded, by whose rules texts
            with markup are split. Or None.
        sentences_per_line: Integer, how many sentences the lines of the training data have, if the model's directory
            says so; `translate` warns of lines with more. Or None.
        graph: `TextGraph`, which computes the same for tensors of texts. In each block of
            `keras_nmt.layers.intervening`, it is another one, whose functions are traced there.

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
        check_names("options of a translator", options, TABLE)
        self.model = model
        self.languages, self.directions = model.languages, model.directions
        self.tokenizers = checked_tokenizers(model, tokenizers)
        self._graph = TextGraph(model, self.tokenizers, SearchOptions(**options))
        self._graphs_of_blocks = WeakKeyDictionary[Hashable, TextGraph]()
        self.tags = self._graph.language_inputs.tags
        self.source: str | None = None
        self.target: str | None = None
        self.sentences_per_line: int | None = None
        self._has_told_of_unclean = False

    @classmethod
    def from_directory(
        cls,
        directory: str | os.PathLike[str],
        *,
        weights: str | os.PathLike[str] | None = None,
        source: str | None = None,
        target: str | None = None,
        ensemble: Sequence[str | os.PathLike[str]] = (),
        adapter: str | os.PathLike[str] | None = None,
        dtype: str = "float32",
        **options: Any,
    ) -> Translator:
        """Makes a translator of the model in a directory.

        The first call sets TensorFlow up, as far as it has not computed before, and the program or the environment has
        not set it up: it keeps the memory of large tensors (`TF_CPU_ALLOCATOR_USE_BFC`), and, on CPUs, its
        `intra_op_parallelism_threads` are a quarter of the processors, at least 1, because parts of a text share them;
        a program that imports `keras_nmt.training` keeps all threads.

        Args:
            directory: Path of a model directory.
            weights: Path of a weights file to load instead of the directory's.
            source, target: Strings, the languages of one direction of a multilingual model. A model with
                target-language tags takes `target` alone.
            ensemble: Paths of other model directories with the same subwords; see `keras_nmt.inference.load.load`.
            adapter: Path of an adapter of this model, which is added to its weights. Defaults to None.
            dtype: String, in which the model computes: "float32", "bfloat16" or "auto"; see `load`. On CPUs, bfloat16
                loses with `jit_compile`, and where sentences come one by one. Defaults to "float32".
            **options: Arguments of the constructor. They take precedence over the directory's search settings.

        Returns:
            A translator. Its log-probabilities are float32, whatever the model computes in.

        Raises:
            UserError: The directory is not a complete model directory, or an option is unknown or out of its range.
        """
        check_process()
        check_names("options of a translator", options, TABLE)
        set_up_tensorflow()
        loaded = load(
            directory,
            weights=weights,
            source=source,
            target=target,
            ensemble=ensemble,
            adapter=adapter,
            dtype=dtype,
            is_compiled=bool(options.get("jit_compile")),
        )
        translator = cls(loaded.model, loaded.tokenizers, **with_defaults(loaded.search, options))
        translator.sentences_per_line, translator.target = loaded.sentences_per_line, loaded.target
        translator.source = source
        return translator

    def __reduce__(self) -> NoReturn:
        raise UserError(
            "A Translator can be neither pickled nor copied: load the model in the process that translates, or use "
            f"`with_options` in the same process. Received: {self}"
        )

    def with_options(self, **changed: Any) -> Translator:
        """Returns a translator with other options of the constructor. It shares traced encoders and decoders.

        In a block of `keras_nmt.layers.intervening`, it traces its own.
        """
        check_names("options of a translator", changed, TABLE)
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._graph = self._graph.with_options(self.options.replace(**changed))
        other._graphs_of_blocks = WeakKeyDictionary()
        return other

    @property
    def graph(self) -> TextGraph:
        if (block := active_block()) is None:
            return self._graph
        if block not in self._graphs_of_blocks:
            self._graphs_of_blocks[block] = TextGraph(self.model, self.tokenizers, self.options)
        return self._graphs_of_blocks[block]

    @property
    def options(self) -> SearchOptions:
        """The options of the search."""
        return self._graph.options

    @property
    def num_hypotheses(self) -> int:
        """The number of translations of a sentence."""
        return self.options.num_hypotheses

    @property
    def length_buckets(self) -> Sequence[int]:
        """The length buckets in ascending order. Longer texts are truncated to the last."""
        return self.options.length_buckets

    @property
    def has_bridge(self) -> bool:
        """Whether the model has an attention bridge, which represents sentences."""
        return getattr(self.model, "bridge", None) is not None

    @in_turn
    def translate(
        self,
        lines: Iterable[str],
        source: Languages = None,
        target: Languages = None,
        *,
        prefixes: Iterable[str] | None = None,
        max_lengths: Iterable[int | None] | None = None,
        constraints: Iterable[Iterable[str]] | None = None,
        avoid: Iterable[Iterable[str]] | None = None,
        seeds: int | Iterable[int] = 0,
        word_scores: bool = False,
        markup: str | None = None,
        split_sentences: str | None = None,
        glossary: Glossary | None = None,
        keep: Iterable[str] | None = None,
    ) -> list[Translation]:
        """Translates any number of lines.

        Args:
            lines: Iterable of strings.
            source: String, the language of all lines, or one for each; None if the model has one direction.
            target: String, the language to translate all lines to, or one for each; None if the model has one
                direction. A model with target-language tags takes one of `tags.texts`; None, or "" for one line, if the
                line has its tag.
            prefixes: Iterable of strings, one per line: the text with which the line's translation must begin, which
                may be empty. A prefix is segmented into subwords by itself, so it may end inside a word. `min_length`
                counts the prefix, and so do the upper limits if `prefix_bias_beta` favours it instead of forcing it.
                The translation of an empty line has no prefix. Defaults to None.
            max_lengths: Iterable of integers, one per line, or None: the most subwords of the line's translation, with
                its end, beside those of a forced prefix. It lowers the translator's own limits, is above a `min_length`
                of 2 or more, and is of each sentence where lines are split, as `max_length`. Defaults to None.
            constraints: A list of phrases for each line that its translations must have. A phrase may have
                alternatives, "Haus|Gebäude"; `met` of a `Hypothesis` tells which it has. A phrase is segmented into
                subwords by itself, so it begins with a word. A translation has a phrase if it has its subwords in a
                row; one that is given twice, if it has them twice. Phrases that do not fit before the length limit
                are left out, the longest first; so are alternatives with characters that the subwords do not have, and
                a warning tells once of phrases without others. Defaults to None. See
                `keras_nmt.decoding.constraints.Constraints`.
            avoid: A list of phrases for each line whose subwords no translation has in a row. They are avoided even if
                a constraint is then not met. `avoided` of a `Hypothesis` tells which of them its text does not have, in
                capital or small letters and any subwords. Defaults to None.
            seeds: Integers, where the translator samples: a seed for each line, on which alone its translations
                depend; or one integer for all, from which each line gets a seed by its position. Defaults to 0.
            word_scores: Boolean, whether each `Hypothesis` has its `pieces` and `words` with their log-probabilities,
                which a forced pass over the hypothesis computes. Defaults to False.
            markup: "html" or "xml", if the lines have tags, which the translations get by `align`; see
                `keras_nmt.text.markup`. Its texts are split into sentences. Defaults to None.
            split_sentences: String, such as "en": lines are split into sentences by the rules of this language, with
                sentencex of the extra `split`, and translated sentence by sentence; see
                `keras_nmt.text.sentences.compose`. Defaults to None: lines are not split, and texts with markup by
                the rules of the `source` of each line, or of the translator, or of English; "none" splits none.
            glossary: `Glossary`, each occurrence of whose entries becomes a further constraint of its sentence.
                Defaults to None.
            keep: Iterable of patterns of text that stays as it is, at its place by `align`: regular expressions, or
                "placeholders", or "urls"; see `keras_nmt.text.kept_text`. Defaults to None.

        Returns:
            A list of `Translation`, one per line.

        Raises:
            UserError: There is not a language, prefix, limit or seed for each line; a language is unknown; there are
                seeds and the translator does not sample; a limit is not above a `min_length` of 2 or more; a prefix
                has characters that the subwords do not have; there are constraints and the translator samples; the
                phrases of a line have too many alternatives and subwords; the prefixes and constraints of a batch have
                more subwords than `shortlist_size`; there are prefixes of lines with markup or `keep`; or a pattern of
                `keep` is wrong.
        """
        lines = check_lines(lines)
        target = self._targets(lines, target)
        # Each part of a line needs the tag of the line, and a glossary looks for the beginning of a sentence.
        tagged = None
        if self.tags and (glossary is not None or are_in_parts(markup, keep, split_sentences)):
            tagged = [self.tags.split(line) for line in lines]
            lines = [x.text for x in tagged]
            target = [x.language or language for x, language in zip(tagged, target or (), strict=True)]
        request = make_request(
            lines,
            source,
            target,
            prefixes=prefixes,
            max_lengths=max_lengths,
            constraints=constraints,
            avoid=avoid,
            seeds=self._seeds(seeds, len(lines)),
            word_scores=word_scores,
        )
        translations = translate_lines(
            self._answer,
            self.align,
            request,
            markup=markup,
            split_sentences=split_sentences,
            glossary=glossary,
            keep=keep,
            sentences_per_line=self.sentences_per_line,
            rules=self.source,
        )
        if tagged is None:
            return translations
        return [with_tag(x.tag, translation) for x, translation in zip(tagged, translations, strict=True)]

    def stream_line(
        self, line: str, source: str | None = None, target: str | None = None, *, prefix: str = "", seed: int = 0
    ) -> Generator[str, None, Translation]:
        """Translates a line, and gives the text of the translation in pieces, as it is made.

        The translator must be greedy, `beam_size=1`, or draw one sample: a beam search may yet change all of a
        translation. The search runs in a thread of its own, uncompiled; its graph is traced once. It ends early if the
        generator is closed. Pieces are subwords; with `unknown="replace"`, they are words, and from the first unknown
        word on, all is one piece.

        Args:
            line: String, which is not split into sentences.
            source, target: Strings, the languages, as for `translate`.
            prefix: String, the text with which the translation must begin. Defaults to none.
            seed: Integer, the seed of the line, where the translator samples. Defaults to 0.

        Returns:
            A generator of strings, which joined are the text that `translate` returns. It returns the `Translation`:
            `translation = yield from translator.stream_line(line)`.

        Raises:
            UserError: As for `translate`; or the translator has several hypotheses.
        """
        options = self.options
        problem = "Text as it is made needs a greedy search or one sample: {beam_size} and {num_hypotheses} of 1"
        require(options.width == 1, problem, beam_size=options.beam_size, num_hypotheses=options.num_hypotheses)
        lines = check_lines([line])
        targets = self._targets(lines, target)
        seeds = self._seeds([seed] if options.sample else seed, 1)
        self._inputs({"text": lines}, source, targets)  # languages are checked at once
        name = str(target) if len(self.directions) > 1 else self.directions[0][1]
        tokenizer, replaces = self.tokenizers[name], options.unknown == "replace"

        request = make_request(lines, source, targets, prefixes=[prefix] if prefix else None, seeds=seeds)

        def search(number: int) -> Translation:
            answer = functools.partial(self._answer, stream=number)
            return translate_lines(answer, self.align, request, sentences_per_line=self.sentences_per_line)[0]

        def join(tokens: list[int]) -> str:
            if replaces and UNK in tokens:
                tokens = tokens[: tokens.index(UNK)]
            text = without_line_breaks(tokenizer.detokenize([tokens]).numpy()[0].decode())
            if replaces:  # the word of an unknown subword, by text that is known at the end
                text = text.rpartition(" ")[0]
            return text.rstrip("\ufffd")  # of a character whose last bytes are to come

        return text_of(tokens_of(search), join)

    @in_turn
    def _answer(self, request: Request, stream: int | None = None) -> list[Translation]:
        """Translates the lines of a request by the graph; the tokens of one line may go to the stream of a number."""
        count, constraints = len(request.lines), request.constraints
        target = self._targets(request.lines, request.target)
        inputs = self._inputs({"text": request.lines}, request.source, target)
        if stream is not None:
            inputs["stream"] = tf.constant([stream], tf.int32)
        if request.seeds is not None:
            inputs["seed"] = tf.constant(request.seeds, tf.int32, [count])
        if request.prefixes is not None:
            inputs["prefix"] = _texts(request.prefixes)
        if request.max_lengths is not None:
            least = least_limit(self.options)
            if wrong := [limit for limit in request.max_lengths if 0 < limit < least]:
                received = {"max_lengths": wrong[0], "min_length": self.options.min_length}
                raise UserError("{max_lengths} must be above {min_length}", received)
            inputs["max_length"] = tf.constant(request.max_lengths, tf.int32, [count])
        for name, phrases in (("constraints", constraints), ("avoid", request.avoid)):
            if phrases is not None:
                padded = padded_phrases(phrases)
                inputs[name] = tf.constant(padded, tf.string, [count, len(padded[0]) if padded else 1])
        if constraints is not None and self.options.sample:
            raise UserError("`constraints` need a search: leave them out when sampling. Received: sample=True")
        method = self.graph.tokens if request.word_scores else self.graph.translate
        with errors_of_prefixes(self.graph.has_unknown_prefix, inputs, self.options.shortlist_size):
            answers = self.graph.parts(method, inputs, self.options.jit_compile and stream is None)
        of_lines: Sequence[list[str] | None] = [None] * count if constraints is None else constraints
        of_outputs = functools.partial(Translation.of_outputs, is_sample=self.options.sample)
        return list(map(of_outputs, rows_of(answers, (count, self.num_hypotheses)), of_lines))

    @in_turn
    def alternatives(
        self,
        lines: Iterable[str],
        prefixes: Iterable[str],
        source: Languages = None,
        target: Languages = None,
        *,
        count: int = 5,
        word_scores: bool = False,
    ) -> list[list[Alternative]]:
        """Returns the likeliest next subwords after given beginnings of translations, with the resulting translations.

        Args:
            lines: Iterable of strings.
            prefixes: Iterable of strings, one per line: the beginning of the line's translation, which may be empty.
            source, target: The languages, as for `translate`.
            count: Integer, the number of alternatives of a line, at least 1. Defaults to 5.
            word_scores: Boolean, whether each `Hypothesis` has its `pieces` and `words` with their log-probabilities,
                those of the prefix included. Defaults to False.

        Returns:
            A list of `count` instances of `Alternative` for each line, the likeliest first; an empty list for text
            without subwords. Probabilities are the model's own, over the whole vocabulary, also with a shortlist:
            `repetition_penalty` and `processors` only change how a translation goes on after the subword.

        Raises:
            UserError: As for `translate`; `count` is out of its range; or the translator samples, or has
                `prefix_bias_beta`, `suppress_sequences` or `no_repeat_ngram_size`.
        """
        lines = check_lines(lines)
        sizes = (tokenizer.vocabulary_size for tokenizer in self.tokenizers.values())
        most = min(sizes) - len(self.graph.no_alternatives)
        require(is_integer(count) and 1 <= count <= most, f"{{count}} must be an integer from 1 to {most}", count=count)
        require(not self.options.sample, "Alternatives need a search: leave out `sample`. Received: sample=True")
        # The first may leave the prefixes, and the others know no probability of a single subword.
        for name in ("prefix_bias_beta", "suppress_sequences", "no_repeat_ngram_size"):
            if value := getattr(self.options, name):
                raise UserError(
                    f"Alternatives follow their prefixes by the model's own probabilities: leave out `{name}`. "
                    f"Received: {name}={value}"
                )
        texts = {"text": lines, "prefix": check_prefixes(prefixes, len(lines))}
        inputs = self._inputs(texts, source, self._targets(lines, target))
        with errors_of_prefixes(self.graph.has_unknown_prefix, inputs, self.options.shortlist_size):
            answers = self.graph.alternatives(inputs, int(count), self.options.jit_compile, word_scores)
        self._warn_of_truncated(answers, "text(s) or prefix(es)")
        return list(map(Alternative.of_outputs, rows_of(answers, (len(lines), count))))

    def _seeds(self, seeds: int | Iterable[int], count: int) -> list[int] | None:
        """Returns the seed of each line, or None if the translator does not sample."""
        if self.options.sample:
            return seeds_of_lines(seeds, count)
        if not is_integer(seeds) or seeds != 0:
            raise UserError(f"`seeds` need a translator with `sample=True`. Received: seeds={seeds!r}")
        return None

    @overload
    def score(
        self,
        sources: Iterable[str],
        targets: Iterable[str],
        source: Languages = None,
        target: Languages = None,
        *,
        word_scores: Literal[False] = False,
    ) -> list[float]: ...

    @overload
    def score(
        self,
        sources: Iterable[str],
        targets: Iterable[str],
        source: Languages = None,
        target: Languages = None,
        *,
        word_scores: Literal[True],
    ) -> list[Hypothesis]: ...

    @in_turn
    def score(
        self,
        sources: Iterable[str],
        targets: Iterable[str],
        source: Languages = None,
        target: Languages = None,
        *,
        word_scores: bool = False,
    ) -> list[float] | list[Hypothesis]:
        """Computes the log-probabilities of given translations, with EOS.

        The model scores every pair, also empty ones. (`translate` does not use the model for text without subwords,
        whose translation is empty, with the score 0.)

        Args:
            sources: Iterable of strings.
            targets: Iterable of strings, a translation of each source.
            source, target: The languages of the sources and of the targets, as for `translate`.
            word_scores: Boolean, whether to return the log-probability of each subword and word, too. Defaults to
                False.

        Returns:
            A list of log-probabilities, one per source. With `word_scores`, a list of `Hypothesis`: `text` is the
            target as it is given, `score` its log-probability, and `pieces` are the subwords that were scored, whose
            log-probabilities sum to it: `</s>` is the last one, and those of a truncated target are fewer.

        Raises:
            UserError: There is not a target or a language for each source, or a language is unknown.
        """
        sources, targets = check_pairs(sources, targets)
        inputs = self._inputs({"source": sources, "target": targets}, source, self._targets(sources, target))
        method = self.graph.score_tokens if word_scores else self.graph.score
        answers = self.graph.parts(method, inputs, self.options.jit_compile)
        self._warn_of_truncated(answers, "pair(s)")
        log_probabilities: list[float] = answers["log_probability"].numpy().tolist()
        if not word_scores:
            return log_probabilities
        return list(map(Hypothesis.of_target, targets, log_probabilities, rows_of(answers, (len(targets), 1))))

    @in_turn
    def align(
        self,
        sources: Iterable[str],
        targets: Iterable[str],
        source: Languages = None,
        target: Languages = None,
        *,
        layer: int | None = None,
    ) -> list[list[tuple[int, int]]]:
        """Aligns given translations by the model's attention to the source under teacher forcing.

        Each target subword is aligned to the source subword with most attention, as a mean over heads or of the
        model's alignment head, at the position that predicts the target subword. Two words, which spaces and tabs
        separate, are aligned if they have aligned subwords. So every target word with subwords is in a pair, but not
        every source word.

        Args:
            sources: Iterable of strings.
            targets: Iterable of strings, a translation of each source.
            source, target: The languages of the sources and of the targets, as for `translate`.
            layer: Integer from 1, a layer of the decoder. Defaults to the default of `TranslationModel.attention`.

        Returns:
            A list of pairs (source word, target word) for each sentence, from 0, in ascending order. Words beyond the
            largest length bucket have no pairs.

        Raises:
            UserError: There is not a target or a language for each source; a language is unknown; the decoder has no
                such layer, or does not attend to the source's words, as with an attention bridge.

        Reference:
            [Garg et al., 2019](https://arxiv.org/abs/1909.02074), section 3.
        """
        sources, targets = check_pairs(sources, targets)
        inputs = self._inputs({"source": sources, "target": targets}, source, self._targets(sources, target))
        try:
            answers = self.graph.align(inputs, False, layer)
        except ValueError as error:  # raised by the tracing
            raise UserError(one_line(error)) from None
        self._warn_of_truncated(answers, "pair(s)")
        columns = (answers[name].numpy().tolist() for name in ("alignment", "source_word", "target_word"))
        return [aligned_words(*row) for row in zip(sources, targets, *columns, strict=True)]

    @in_turn
    def embed(self, lines: Iterable[str], language: Languages) -> tuple[np.ndarray, np.ndarray]:
        """Computes the representations of sentences by the attention bridge.

        Args:
            lines: Iterable of strings.
            language: String, the language of all lines, or one for each.

        Returns:
            The mean `[N, d]` of the k vectors of M, and M `[N, k, d]`, both float32.

        Raises:
            UserError: The model has no bridge; a language is unknown; or there is not a language for each line.
        """
        problem = "Representations of sentences need a model with an attention bridge"
        require(self.has_bridge, f"{problem}. Received: model={type(self.model).__name__}")
        lines = check_lines(lines)
        if isinstance(language, Iterable) and not isinstance(language, str):
            language = list(language)
        inputs = self._inputs({"text": lines}, language, language)
        answers = self.graph.parts(self.graph.embed, inputs, self.options.jit_compile)
        self._warn_of_truncated(answers, "sentence(s)")
        return answers["mean"].numpy(), answers["sentence"].numpy()

    @in_turn
    def lengths(self, lines: Iterable[str], language: str, *, is_source: bool = False) -> list[int]:
        """Returns the lengths in tokens of lines of one of `languages`, with EOS, after truncation.

        With `is_source`, the lines are sources, which some models clean; those of the language "source" always are.
        """
        check_choice("language", language, self.tokenizers)
        tokenizer = self.tokenizers[language].source if is_source else self.tokenizers[language]
        lengths = tokenizer.tokenize(_texts(check_lines(lines))).row_lengths().numpy() + 1
        truncated: list[int] = np.minimum(lengths, self.length_buckets[-1]).tolist()
        return truncated

    def _inputs(self, texts: Mapping[str, list[str]], source: Languages, target: Languages) -> dict[str, tf.Tensor]:
        """Checks languages, and returns the graph's inputs for columns of texts."""
        inputs = {name: _texts(column) for name, column in texts.items()}
        name, sources = next(iter(texts.items()))
        inputs |= self.graph.language_inputs.for_lines(len(sources), source, target)
        self._warn_of_unclean(inputs, name, sources)
        return inputs

    def _warn_of_unclean(self, inputs: Mapping[str, tf.Tensor], name: str, sources: list[str]) -> None:
        """Warns, the first time, of sources that a model without `source_cleaning` reads otherwise than clean ones."""
        if self._has_told_of_unclean or all(self.tokenizers[x].source.cleans for x, _ in self.directions):
            return
        rows = [row for row, line in enumerate(sources) if unclean().search(line) and clean_source(line).strip()]
        if rows and self.graph.differs_if_clean({key: tf.gather(x, rows) for key, x in inputs.items()}, name):
            self._has_told_of_unclean = True
            warnings.warn(
                "The model reads no-break spaces, soft hyphens and the like as characters of their own, because its "
                "subwords have no `source_cleaning`; words beside them may be lost. Replace them, as "
                f"`keras_nmt.text.clean_source` does. Received: {sources[rows[0]]!r:.80}",
                stacklevel=3,
            )

    def _targets(self, lines: list[str], target: Languages) -> Languages:
        return self.graph.language_inputs.targets(lines, self.target if target is None else target)

    def _warn_of_truncated(self, answers: Mapping[str, tf.Tensor], what: str) -> None:
        if number := int(np.sum(answers["truncated"].numpy())):
            warnings.warn(
                f"{number} {what} of {self.length_buckets[-1]} subwords or more were truncated.", stacklevel=3
            )


def _texts(lines: list[str]) -> tf.Tensor:
    check_process()
    return tf.constant(lines, tf.string, [len(lines)])
