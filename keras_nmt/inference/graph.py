"""The computation of a translator, from texts to texts and numbers, in one TensorFlow graph."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Mapping
from typing import Any

import keras
import tensorflow as tf

from keras_nmt.data import SubwordTokenizer
from keras_nmt.data.subword_tokenizer import clean_in_graph
from keras_nmt.decoding.logit_processors import check_processors
from keras_nmt.decoding.scores import NEG_INF, is_valid
from keras_nmt.errors import UserError, require
from keras_nmt.files.search_options import SearchOptions, least_limit
from keras_nmt.ids import BOS, EOS, PAD, UNK
from keras_nmt.inference._phrases import PHRASES, avoided_phrases, required_phrases, without_unknown
from keras_nmt.inference._stages import (
    CheckCandidates,
    Distinct,
    MetConstraints,
    Part,
    Stage,
    Texts,
    WordScores,
    computed,
    finished,
    padded,
)
from keras_nmt.inference._tensors import bucket_sizes, checked, has_unknown, of_count
from keras_nmt.inference._traced_decoder import TracedDecoder, TracedEncoder
from keras_nmt.inference._traced_functions import PartsRunner, TracedRunner
from keras_nmt.inference._traced_search import TracedSearch, num_returned
from keras_nmt.inference.alignment import padded_words, words_of_texts
from keras_nmt.inference.batching import Column, Groups, Rows, by_group
from keras_nmt.inference.language_inputs import LanguageInputs, numbers_of_languages
from keras_nmt.inference.segmentation import Segmentation
from keras_nmt.inference.shortlist import Shortlist
from keras_nmt.models import MultilingualModel, TranslationModel
from keras_nmt.models.language_label_model import FIRST_LABEL

BLANK = r"[\s\v\x1c-\x1f\x{85}\p{Z}\x{200B}\x{2060}\x{FEFF}]*"  # spaces of all kinds, of any width


class TextGraph:
    """Translations, scores, alignments and sentence representations of tensors of texts.

    The methods take a mapping of inputs `[N]` by name, and whether XLA compiles the model and the search. Some models
    have inputs for languages: see `LanguageInputs`. n languages take n encoders and n searches for their n^2
    directions. A model of one direction has no routing in its graph.

    The methods run eagerly, part by part, or inside of a function. The attributes `parts` and `traced` run them: see
    `PartsRunner` and `TracedRunner`.

    Args:
        model: `TranslationModel` or `MultilingualModel`.
        tokenizers: Mapping of each language to its subwords, with one object for equal subwords.
        options: `SearchOptions`.
    """

    def __init__(
        self,
        model: TranslationModel | MultilingualModel,
        tokenizers: Mapping[str, SubwordTokenizer],
        options: SearchOptions,
    ) -> None:
        self.languages, self.directions = model.languages, model.directions
        self.tokenizers = tokenizers
        self.language_inputs = LanguageInputs(self.languages, self.directions, tokenizers[self.directions[0][0]])
        self._encoder_side = int(model.encodes_by == "target")
        by_encoder = {direction[self._encoder_side]: direction for direction in self.directions}
        by_target = {target: (source, target) for source, target in self.directions}
        self._encoders = [TracedEncoder(model.encoder_for(*direction)) for direction in by_encoder.values()]
        memory = model.encoder_for(*self.directions[0]).output  # of one structure for all languages
        self._memory_specs = [tf.TensorSpec(x.shape, x.dtype) for x in keras.tree.flatten(memory)]
        # Languages with the same decoder and the same subwords are one group.
        self._by_decoder = Groups([(id(model.decoder_for(x)), id(tokenizers[x])) for x in by_target])
        firsts = [list(by_target.values())[i] for i in self._by_decoder.firsts]
        self._decoders = [
            TracedDecoder(
                model.pair(source, target),
                model.decoder_for(target),
                tokenizers[target],
                memory,
                [ids[-1] for ids in self.language_inputs.tag_subwords],
            )
            for source, target in firsts
        ]
        labels = range(FIRST_LABEL, FIRST_LABEL + model.num_labels)
        self.no_alternatives = (PAD, UNK, BOS, *labels)  # ids that no translation goes on with
        self._told = set[str]()  # phrases with unknown characters, of which a warning has told
        self._set_options(options)

    def with_options(self, options: SearchOptions) -> TextGraph:
        """Returns a graph with other options; see `Translator.with_options`."""
        other = copy.copy(self)
        other._set_options(options)
        return other

    def _set_options(self, options: SearchOptions) -> None:
        self.options = options
        self._segmentation = Segmentation(
            self.tokenizers, self.languages, self.directions[0], options.length_buckets[-1]
        )
        if options.processors != ():
            check_processors(options.processors)
        if options.shortlist is not None:
            if not isinstance(options.shortlist, Shortlist):
                problem = "{shortlist} must be a `keras_nmt.inference.Shortlist`, such as `Shortlist.read(path)`"
                raise UserError(problem, {"shortlist": options.shortlist})
            problem = "A shortlist is for a model of one direction: load the model with a source and a target language"
            require(len(self.directions) <= 1, f"{problem}. Received: {len(self.directions)} directions")
            options.shortlist.check_subwords(*(self.tokenizers[language] for language in self.directions[0]))
        if options.unknown == "replace":
            for decoder in self._decoders:
                decoder.check_attention()
        self._replaces = options.unknown == "replace" and not all(x.tokenizer.has_bytes for x in self._decoders)
        self._searches = [TracedSearch(decoder, options) for decoder in self._decoders]
        every = [x.weights for x in self._encoders] + [x.weights for x in self._searches]
        self._weights = list({id(x): x for weights in every for x in weights}.values())
        self.traced = TracedRunner(self._weights, self.language_inputs.with_numbers)
        self.parts = PartsRunner(self.traced)

    def tokens(self, inputs: Mapping[str, tf.Tensor], compiled: bool) -> dict[str, tf.Tensor]:
        """Translates as `translate`, with the subwords of each hypothesis.

        Returns:
            The outputs of `translate`; `token` string and `token_log_probability` float32, `[N, K, T]`, or `[N, T]` if
            there is one hypothesis: the subwords, EOS included, and the log-probability of each, which sum to the
            hypothesis' score before the length penalty, unless processors changed the logits. "" and 0 behind the last
            subword; T is at least 1.
        """
        return self.translate(inputs, compiled, with_tokens=True)

    def translate(
        self, inputs: Mapping[str, tf.Tensor], compiled: bool, with_tokens: bool = False
    ) -> dict[str, tf.Tensor]:
        """Translates `text`, string, with `seed`, int32, if the graph samples, and from `prefix`, string, if given.

        With `stream`, int32, of one text, the tokens of a search without a beam go to the stream of this number, see
        `keras_nmt.inference._streams`. With `max_length`, int32, each text has a further limit of its translations'
        lengths, or 0 for none.
        With `beam_size`, int32, each text has a beam size of its own, from 1 to the beam size K of the options, or 0
        for K. With `constraints` `[N, C]`, string, each text has phrases that its translations must have, with `|`
        between alternatives; with `avoid` `[N, C]`, phrases that they must not have; "" is no phrase.

        Returns:
            `translation` string, `score` float32, `cut_off` bool and, with `constraints`, `met` string, a 1 or 0 for
            each constraint, `[N]`, or `[N, num_hypotheses]` if there are several, or `[N, K]` with `beam_size`; and
            `truncated` `[N]` bool, and `has_unknown` `[N]` bool, whether the text has unknown subwords. Hypotheses of a
            search differ in their texts. Entries without a hypothesis are empty, their scores -1e9; those of text
            without subwords are empty, their scores 0.
        """
        beam_sizes = self._beam_sizes(inputs["beam_size"]) if "beam_size" in inputs else None
        sides = ("text", "prefix") if "prefix" in inputs else ("text",)
        options = self.options
        rows = self._rows(inputs, compiled, *sides, hypotheses=options.width)
        width = num_returned(options, beam_sizes)
        n = options.num_hypotheses if beam_sizes is None else width  # answered, with different texts
        of_rows = {"seeds": inputs.get("seed"), "streams": inputs.get("stream"), "beam_sizes": beam_sizes}
        is_one = n == 1 and beam_sizes is None
        limits = self._searches[0].limit(rows.lengths[0])
        if "max_length" in inputs:
            of_rows["max_lengths"] = self._max_lengths(inputs["max_length"])
            limits = tf.minimum(limits, of_rows["max_lengths"])
        phrases = {name: self._phrases(name, inputs, rows, limits, compiled) for name in PHRASES if name in inputs}
        longest = self._searches[0].limit(rows.width(0) - 1)
        if "prefix" in sides:
            longest += rows.width(1)
        stages: list[Stage] = []
        if options.shortlist is not None and (len(sides) > 1 or phrases):
            stages.append(CheckCandidates(self._searches[0].num_candidates))
        if "constraints" in phrases:
            stages.append(MetConstraints(inputs["constraints"], width))
        join = functools.partial(self._segmentation.join, texts=inputs["text"], rows=rows)
        stages.append(Texts(join, width, longest, self._replaces))
        if not is_one and not options.sample:
            stages.append(Distinct(n, rows.lengths[0] > 0))
        if with_tokens:
            stages.append(WordScores(functools.partial(self._segmentation.piece_strings, rows=rows), width, longest))

        def translate(chosen: tf.Tensor) -> tuple[tf.Tensor, ...]:
            source, *prefix = (rows.ids(side, chosen) for side in range(len(sides)))
            memory = self._encode(source, chosen, rows, compiled)
            more = {name: tf.gather(x, chosen) for name, x in of_rows.items() if x is not None}
            if prefix:
                more["prefix"] = tf.where(prefix[0] == EOS, PAD, prefix[0])
            some = {name: tf.gather(x, chosen) for name, x in phrases.items()}

            def search(index: int) -> tuple[tf.Tensor, ...]:
                of_decoder, constraints = self._searches[index], some.get("constraints")
                candidates, forced = of_decoder.candidates_of(source, more.get("prefix"), constraints)
                run = functools.partial(of_decoder, memory, source, **more, candidates=candidates, compiled=compiled)
                if some:  # requests, and parts of a text, without phrases do not pay for them
                    has_any = tf.reduce_any([tf.reduce_any(x != PAD) for x in some.values()])
                    tokens, scores, cut_off = tf.cond(has_any, functools.partial(run, **some), run)
                else:
                    tokens, scores, cut_off = run()
                tokens = tf.where(is_valid(scores)[:, :, None], tokens, PAD)  # [B, K, T]
                part = Part(of_decoder, memory, source, tokens, candidates, forced, constraints, compiled)
                return padded(tokens, longest), scores, cut_off, *computed(stages, part)

            return self._by_target(search, chosen, rows)

        of_each: dict[str, Column] = {"tokens": ((width, longest), tf.int32)}
        of_each |= {"score": ((width,), tf.float32), "cut_off": ((width,), tf.bool)}
        answers = finished(stages, rows, translate, of_each)
        del answers["tokens"]
        if is_one:
            answers = {name: x[:, 0] for name, x in answers.items()}
        return {**answers, "truncated": rows.truncated, "has_unknown": rows.has_unknown}

    def alternatives(
        self, inputs: Mapping[str, tf.Tensor], count: int, compiled: bool, with_tokens: bool = False
    ) -> dict[str, tf.Tensor]:
        """Finds the likeliest next subwords after `prefix`, string, in a translation of `text`, and what follows best.

        Returns:
            `piece` string, `probability` float32, `translation` string, `score` float32 and `cut_off` bool,
            `[N, count]`, the likeliest piece first; "" and 0 for text without subwords. And `truncated` `[N]` bool, for
            text or prefix. With `with_tokens`, `token` and `token_log_probability` `[N, count, T]`, as of `tokens`.
        """
        rows = self._rows(inputs, compiled, "text", "prefix", hypotheses=count * self.options.beam_size)
        longest = self._searches[0].limit(rows.width(0) - 1) + rows.width(1)

        stages: list[Stage] = []
        if self.options.shortlist is not None:
            stages.append(CheckCandidates(self._searches[0].num_candidates, (count,)))
        join = functools.partial(self._segmentation.join, texts=inputs["text"], rows=rows)
        stages.append(Texts(join, count, longest, self._replaces))
        if with_tokens:
            stages.append(WordScores(functools.partial(self._segmentation.piece_strings, rows=rows), count, longest))

        def alternatives(chosen: tf.Tensor) -> tuple[tf.Tensor, ...]:
            source, prefix = rows.ids(0, chosen), rows.ids(1, chosen)
            memory = self._encode(source, chosen, rows, compiled)

            def search(index: int) -> tuple[tf.Tensor, ...]:
                logits = self._decoders[index].next_logits[compiled](memory, prefix)  # [B, V]
                ids = tf.range(tf.shape(logits)[1])
                written = tf.math.count_nonzero((prefix != EOS) & (prefix != PAD), 1, dtype=tf.int32)  # [B]
                is_early = (written < self.options.min_length)[:, None] & (ids == EOS)  # [B, V]
                never = is_early | tf.reduce_any(ids[:, None] == self.no_alternatives, 1)
                values, ids = tf.math.top_k(tf.where(never, NEG_INF, tf.nn.log_softmax(logits)), count)
                begun = tf.where((prefix == EOS)[:, None], ids[:, :, None], prefix[:, None])  # [B, count, P]
                begun = tf.reshape(begun, [-1, tf.shape(prefix)[1]])
                sources = [tf.repeat(x, count, 0) for x in memory], tf.repeat(source, count, 0)
                candidates, forced = self._searches[index].candidates_of(sources[1], begun, None)
                tokens, scores, cut_off = self._searches[index](
                    *sources, prefix=begun, candidates=candidates, compiled=compiled
                )
                best = tokens[:, :1]  # [B count, 1, T]
                part = Part(self._searches[index], *sources, best, candidates, forced, None, compiled)
                of_rows = [
                    padded(best, longest),
                    scores[:, 0],
                    cut_off[:, 0],
                    *computed(stages, part),
                ]  # [B count, ...]
                shapes = [tf.concat([[-1, count], tf.shape(x)[2:]], 0) for x in of_rows]
                return ids, tf.exp(values), *map(tf.reshape, of_rows, shapes)

            return self._by_target(search, chosen, rows)

        of_each: dict[str, Column] = {"piece": ((count,), tf.int32), "probability": ((count,), tf.float32)}
        of_each |= {"tokens": ((count, longest), tf.int32)}
        of_each |= {"score": ((count,), tf.float32), "cut_off": ((count,), tf.bool)}
        answers = finished(stages, rows, alternatives, of_each)
        del answers["tokens"]
        return {
            **answers,
            "piece": self._segmentation.piece_strings(answers["piece"], rows),
            "truncated": rows.truncated,
        }

    def score(self, inputs: Mapping[str, tf.Tensor], compiled: bool, with_tokens: bool = False) -> dict[str, tf.Tensor]:
        """Computes log-probabilities of translations: `target` of `source`, string.

        Returns:
            `log_probability` `[N]` float32, EOS included, and `truncated` `[N]` bool, for source or target.
        """
        rows = self._rows(inputs, compiled, "source", "target")
        longest = rows.width(1)

        def score(chosen: tf.Tensor) -> tuple[tf.Tensor, ...]:
            memory, target = self._encode(rows.ids(0, chosen), chosen, rows, compiled), rows.ids(1, chosen)
            scores = self._by_target(
                lambda i: self._decoders[i].log_probabilities(memory, target, compiled), chosen, rows
            )  # [B, T]
            total = tf.reduce_sum(scores, 1)
            if not with_tokens:
                return (total,)
            padding = [[0, 0], [0, longest - tf.shape(target)[1]]]
            return total, tf.pad(target, padding), tf.pad(scores, padding)

        columns: list[Column] = [((), tf.float32)]
        if with_tokens:
            columns += [((longest,), tf.int32), ((longest,), tf.float32)]
        log_probabilities, *tokens = rows.compute(score, columns)
        answers = {"log_probability": log_probabilities, "truncated": rows.truncated}
        if tokens:
            answers |= {"token": self._segmentation.piece_strings(tokens[0], rows), "token_log_probability": tokens[1]}
        return answers

    def score_tokens(self, inputs: Mapping[str, tf.Tensor], compiled: bool) -> dict[str, tf.Tensor]:
        """Computes the outputs of `score`, and those of each subword of `target`.

        Returns:
            The outputs of `score`; `token` string and `token_log_probability` float32, `[N, T]`, as of `tokens`.
        """
        return self.score(inputs, compiled, with_tokens=True)

    def align(self, inputs: Mapping[str, tf.Tensor], compiled: bool, layer: int | None = None) -> dict[str, tf.Tensor]:
        """Computes alignments of translations: `target` of `source`, string.

        For `layer`, see `TranslationModel.attention`.

        Returns:
            `alignment` `[N, T]` int32: for each subword of the target, the position of the source's subword with most
            attention. `source_word` `[N, S]` and `target_word` `[N, T]` int32: for each subword, the position of its
            word, see `words_of_subwords`. All are -1 behind the last subword; `alignment` also where the source has
            none. And `truncated` `[N]` bool, for source or target.
        """
        rows = self._rows(inputs, compiled, "source", "target")
        longest = rows.width(1)

        def align(chosen: tf.Tensor) -> tuple[tf.Tensor]:
            source, target = rows.ids(0, chosen), rows.ids(1, chosen)
            memory = self._encode(source, chosen, rows, compiled)
            places = self._by_target(
                lambda i: self._decoders[i].attended(memory, source, target, layer, compiled), chosen, rows
            )
            return (tf.pad(places, [[0, 0], [0, longest - tf.shape(places)[1]]]),)

        (attended,) = rows.compute(align, [((longest,), tf.int32)])
        words = []
        lengths = rows.lengths[0] - rows.before, rows.lengths[1]
        for side, name in enumerate(("source", "target")):
            of_subwords = self._segmentation.segment(inputs[name], side, rows.languages, words_of_texts)
            words.append(padded_words(of_subwords, lengths[side]))
        is_subword = (words[1] >= 0) & (lengths[0] > 0)[:, None]
        alignment = tf.where(is_subword, attended[:, : tf.shape(words[1])[1]] - rows.before[:, None], -1)
        return {
            "alignment": alignment,
            "source_word": words[0],
            "target_word": words[1],
            "truncated": rows.truncated,
        }

    def embed(self, inputs: Mapping[str, tf.Tensor], compiled: bool) -> dict[str, tf.Tensor]:
        """Computes sentence representations of `text`, string, by a model with an attention bridge.

        Returns:
            `sentence` `[N, k, d]`, M of the bridge, and `mean` `[N, d]`, the mean of its k vectors, both float32, and
            `truncated` `[N]` bool.
        """
        rows = self._rows(inputs, compiled, "text")

        def states(memory: list[Any]) -> Any:
            return self._decoders[0].pack(memory)["states"]

        def embed(chosen: tf.Tensor) -> tuple[tf.Tensor]:
            memory = self._encode(rows.ids(0, chosen), chosen, rows, compiled)
            return (tf.cast(states(memory), tf.float32),)

        # M, [N, k, d]
        (sentence,) = rows.compute(embed, [(states(self._memory_specs).shape[1:], tf.float32)])
        return {"mean": tf.reduce_mean(sentence, 1), "sentence": sentence, "truncated": rows.truncated}

    def _rows(self, inputs: Mapping[str, tf.Tensor], compiled: bool, *sides: str, hypotheses: int = 1) -> Rows:
        """Returns the rows of the inputs, of which `sides` are texts of the source and of the target language."""
        # Only the number of rows of tensors [N, C] is checked.
        columns = [tf.range(tf.shape(x)[0]) if name in PHRASES else x for name, x in inputs.items()]
        checked = dict(zip(inputs, of_count(*columns), strict=True))
        sources = checked[sides[0]]
        tags = self.language_inputs.tags
        blank = f"{BLANK}{tags.pattern}?{BLANK}" if tags and sides[0] == "text" else BLANK  # a tag alone is no text
        checked[sides[0]] = tf.where(tf.strings.regex_full_match(sources, blank), "", sources)
        languages = numbers_of_languages(checked)
        tokens = [self._segmentation.segment(checked[name], side, languages) for side, name in enumerate(sides)]
        texts = checked[sides[0]]
        if tags and sides[0] == "text":
            has_text = self.language_inputs.have_text(tokens[0])  # text behind the tag may have no subwords
            texts = tf.where(has_text, texts, "")
            mask = tokens[0].with_values(tf.repeat(has_text, tokens[0].row_lengths()))
            tokens[0] = tf.ragged.boolean_mask(tokens[0], mask)
        before = None
        if "tag" in checked:
            is_read = (texts != "") | (sides[0] != "text")
            put = self.language_inputs.subwords_before(texts, checked["tag"], is_read)
            tokens[0], before = tf.concat([put, tokens[0]], 1), tf.cast(put.row_lengths(), tf.int32)
        if "prefix" in sides:
            tokens[1] = without_unknown(tokens[1], checked["prefix"])
        groups = self._by_decoder.of(languages[1]) if len(self._decoders) > 1 else None
        rows = Rows(tokens, languages, groups, self.options, compiled, hypotheses, before)
        longest = tf.reduce_max(tf.stack([tf.strings.length(checked[name]) for name in sides]), 0)  # [N]
        rows.truncated |= longest > self._segmentation.most_bytes
        return rows

    def _phrases(
        self, name: str, inputs: Mapping[str, tf.Tensor], rows: Rows, limits: tf.Tensor, compiled: bool
    ) -> tf.Tensor:
        """Returns subwords of phrases: of `constraints` `[N, C, A, L]`, or of `avoid` `[N, P, L]`."""

        def tokenize(some: tf.Tensor, sentences: tf.Tensor) -> tf.RaggedTensor:
            languages = [tf.gather(x, sentences) for x in rows.languages]
            return self._segmentation.segment(some, 1, languages)

        room = tf.where(rows.lengths[0] > 0, limits, 0)
        most = room if len(rows.lengths) == 1 else room + tf.where(room > 0, rows.lengths[1], 0)  # with the prefix
        if name == "avoid":
            return avoided_phrases(inputs[name], most, tokenize, compiled)
        return required_phrases(inputs[name], most, tokenize, compiled, self._told)

    def has_unknown_prefix(self, inputs: Mapping[str, tf.Tensor]) -> tf.Tensor:
        """Tells whether each `prefix` has characters that its subwords do not have: `[N]` bool."""
        return has_unknown(self._segmentation.segment(inputs["prefix"], 1, numbers_of_languages(inputs)))

    def differs_if_clean(self, inputs: Mapping[str, tf.Tensor], name: str) -> bool:
        """Tells, eagerly, whether the sources `name` have other subwords if they are cleaned by `clean_in_graph`."""
        languages = numbers_of_languages(inputs)
        read, clean = (
            self._segmentation.segment(x, 0, languages) for x in (inputs[name], clean_in_graph(inputs[name]))
        )
        return bool(read.to_list() != clean.to_list())

    def _encode(self, ids: tf.Tensor, chosen: tf.Tensor, rows: Rows, compiled: bool) -> list[tf.Tensor]:
        """Returns the memory `[B, ...]` of the chosen rows, whose ids are `[B, S]`."""
        if not rows.languages:
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

    def _max_lengths(self, limits: tf.Tensor) -> tf.Tensor:
        """Returns length limits `[N]`, checked; the limit of the options where the given one is 0."""
        least = least_limit(self.options)
        message = f"A length limit is at least {least}, or 0 for none. Received:"
        are_right = tf.reduce_all((limits == 0) | (limits >= least))
        return checked(tf.where(limits == 0, self.options.max_length, limits), are_right, message, limits)

    def _beam_sizes(self, sizes: tf.Tensor) -> tf.Tensor:
        """Returns beam sizes `[N]`, checked; the beam size of the options where the given one is 0."""
        largest = self.options.beam_size
        message = f"A beam size is from 1 to {largest}, or 0 for {largest}. Received:"
        are_right = tf.reduce_all((sizes >= 0) & (sizes <= largest))
        return checked(tf.where(sizes == 0, largest, sizes), are_right, message, sizes)
