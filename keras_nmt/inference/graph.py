"""The computation of a translator, from texts to texts and numbers, in one TensorFlow graph."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Hashable, Mapping
from typing import Any

import keras
import tensorflow as tf

from keras_nmt.decoding.logits import IMPOSSIBLE, possible
from keras_nmt.errors import UserError
from keras_nmt.ids import END, PAD, UNKNOWN
from keras_nmt.inference._functions import NUMBERS, TEXTS, function, of_count
from keras_nmt.inference._traced_model import TracedDecoder, TracedEncoder, TracedSearch
from keras_nmt.inference.alignment import words_of_texts
from keras_nmt.inference.buckets import bucket_sizes
from keras_nmt.inference.parts import Rows
from keras_nmt.inference.routing import Groups, by_group
from keras_nmt.inference.search_options import SearchOptions
from keras_nmt.models import MultilingualModel, TranslationModel
from keras_nmt.text import SubwordTokenizer

# A text is cut behind so many bytes for each subword of the largest length bucket. To segment a byte takes 300 bytes of
# memory, and a text that is cut here has more subwords than the bucket, unless most of it is spaces or the like.
BYTES_OF_A_SUBWORD = 1024
UNKNOWN_IN_PREFIX = "A prefix has characters that the subwords of the target language do not have"


class TextGraph:
    """Translations, scores, alignments and sentence representations of tensors of texts.

    The methods take a mapping of inputs `[N]` by name, and whether XLA compiles the model and the search. A model of
    several directions has two more inputs, the indices of the `source_language` and of the `target_language` of each
    row: n languages take n encoders and n searches for their n^2 directions. A model of one direction has no such
    inputs, and no routing in its graph.

    The methods run eagerly, part by part, or inside of a function; `answer` calls them as functions that are traced
    once.

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
        self._encoder_side = int(model.encodes_by == "target")
        by_encoder = {direction[self._encoder_side]: direction for direction in self.directions}
        by_target = {target: (source, target) for source, target in self.directions}
        self._encoders = [TracedEncoder(model.encoder_for(*direction)) for direction in by_encoder.values()]
        memory = model.encoder_for(*self.directions[0]).output  # of one structure for all languages
        self._memory_specs = [tf.TensorSpec(x.shape, x.dtype) for x in keras.tree.flatten(memory)]
        # Languages with the same subwords are one group; for decoding, languages with the same decoder as well.
        self._by_tokenizer = Groups([id(tokenizers[x]) for x in self.languages])
        self._by_decoder = Groups([(id(model.decoder_for(x)), id(tokenizers[x])) for x in by_target])
        firsts = [list(by_target.values())[i] for i in self._by_decoder.firsts]
        self._decoders = [
            TracedDecoder(model.pair(source, target), model.decoder_for(target), tokenizers[target], memory)
            for source, target in firsts
        ]
        self._set_options(options)

    def with_options(self, options: SearchOptions) -> TextGraph:
        """See `Translator.with_options`."""
        other = copy.copy(self)
        other._set_options(options)
        return other

    def _set_options(self, options: SearchOptions) -> None:
        self.options = options
        if options.shortlist is not None:
            if len(self.directions) > 1:
                raise UserError(
                    "A shortlist is for a model of one direction: load the model with a source and a target language. "
                    f"Received: {len(self.directions)} directions"
                )
            options.shortlist.check_subwords(*(self.tokenizers[language] for language in self.directions[0]))
        self._searches = [TracedSearch(decoder, options) for decoder in self._decoders]
        self._traced: dict[Hashable, Any] = {}

    def answer(self, method: str, inputs: Mapping[str, tf.Tensor], compiled: bool) -> dict[str, tf.Tensor]:
        """Calls "translate", "score", "align" or "embed", with string tensors of languages.

        Each is a function that is traced once.
        """
        numbers = {name: self._numbers(x) if name.endswith("_language") else x for name, x in inputs.items()}
        key = method, compiled, *numbers
        if key not in self._traced:
            names, body = tuple(numbers), getattr(self, method)
            signature = [TEXTS if x.dtype == tf.string else NUMBERS for x in numbers.values()]
            self._traced[key] = function(lambda *xs: body(dict(zip(names, xs, strict=True)), compiled), *signature)
        answers: dict[str, tf.Tensor] = self._traced[key](*numbers.values())
        return answers

    def translate(self, inputs: Mapping[str, tf.Tensor], compiled: bool) -> dict[str, tf.Tensor]:
        """Translates `text`, string, with `seed`, int32, if the graph samples, and from `prefix`, string, if given.

        With `beam_size`, int32, each text has a beam size of its own, from 1 to the beam size K of the options, or 0
        for K.

        Returns:
            `translation` string, `score` float32 and `cut_off` bool, `[N]`, or `[N, num_hypotheses]` if there are
            several, or `[N, K]` with `beam_size`; and `truncated` `[N]` bool. Hypotheses of a search differ in their
            texts. Entries without a hypothesis are empty, their scores -1e9; those of text without subwords are empty,
            their scores 0.
        """
        beam_sizes = self._beam_sizes(inputs["beam_size"]) if "beam_size" in inputs else None
        sides = ("text", "prefix") if "prefix" in inputs else ("text",)
        n, width = self.options.num_hypotheses, self.options.beam_size
        rows = self._rows(inputs, compiled, *sides, hypotheses=n if self.options.sample else width)
        seeds, is_one = inputs.get("seed"), n == 1 and beam_sizes is None
        if beam_sizes is not None:
            n = width

        def translate(chosen: tf.Tensor) -> tuple[tf.Tensor, ...]:
            source, *prefix = (rows.ids(side, chosen) for side in range(len(sides)))
            memory = self._encode(source, chosen, rows, compiled)
            more = {
                "seeds": None if seeds is None else tf.gather(seeds, chosen),
                "prefix": tf.where(prefix[0] == END, PAD, prefix[0]) if prefix else None,
                "beam_sizes": None if beam_sizes is None else tf.gather(beam_sizes, chosen),
            }

            def search(index: int) -> tuple[tf.Tensor, ...]:
                tokens, scores, cut_off = self._searches[index](memory, source, **more, compiled=compiled)
                flat = tf.reshape(tokens, [-1, tf.shape(tokens)[2]])  # [B K, T]
                texts = tf.reshape(self._decoders[index].detokenize(flat), tf.shape(scores))  # [B, K]
                if not is_one and not self.options.sample:
                    texts, scores, cut_off = _distinct(texts, scores, cut_off, n)
                return tuple(tf.ensure_shape(x, [None, n]) for x in (texts, scores, cut_off))

            return self._by_target(search, chosen, rows)

        specs = [tf.TensorSpec([None, n], dtype) for dtype in (tf.string, tf.float32, tf.bool)]
        # Text without subwords is not computed: its translation is empty.
        found = rows.compute(translate, specs, rows.lengths[0] > 0)
        answers = dict(zip(("translation", "score", "cut_off"), found, strict=True))
        if is_one:
            answers = {name: x[:, 0] for name, x in answers.items()}
        return {**answers, "truncated": rows.truncated}

    def score(self, inputs: Mapping[str, tf.Tensor], compiled: bool) -> dict[str, tf.Tensor]:
        """Log-probabilities of translations: `target` of `source`, string.

        Returns:
            `log_probability` `[N]` float32, END included, and `truncated` `[N]` bool, for source or target.
        """
        rows = self._rows(inputs, compiled, "source", "target")

        def score(chosen: tf.Tensor) -> tuple[tf.Tensor]:
            memory, target = self._encode(rows.ids(0, chosen), chosen, rows, compiled), rows.ids(1, chosen)
            return (
                self._by_target(lambda i: self._decoders[i].log_probability(memory, target, compiled), chosen, rows),
            )

        (log_probabilities,) = rows.compute(score, [tf.TensorSpec([None], tf.float32)])
        return {"log_probability": log_probabilities, "truncated": rows.truncated}

    def align(self, inputs: Mapping[str, tf.Tensor], compiled: bool, layer: int | None = None) -> dict[str, tf.Tensor]:
        """Alignments of translations: `target` of `source`, string.

        For `layer`, see `TranslationModel.attention`.

        Returns:
            `alignment` `[N, T]` int32: for each subword of the target, the position of the source's subword with most
            attention. `source_word` `[N, S]` and `target_word` `[N, T]` int32: for each subword, the position of its
            word, see `words_of_subwords`. All are -1 behind the last subword; `alignment` also where the source has
            none. And `truncated` `[N]` bool, for source or target.
        """
        rows = self._rows(inputs, compiled, "source", "target")
        longest = self.options.length_buckets[-1]

        def align(chosen: tf.Tensor) -> tuple[tf.Tensor]:
            source, target = rows.ids(0, chosen), rows.ids(1, chosen)
            memory = self._encode(source, chosen, rows, compiled)
            found = self._by_target(
                lambda i: self._decoders[i].attended(memory, source, target, layer, compiled), chosen, rows
            )
            return (tf.pad(found, [[0, 0], [0, longest - tf.shape(found)[1]]]),)

        (attended,) = rows.compute(align, [tf.TensorSpec([None, longest], tf.int32)])
        words = []
        for side, name in enumerate(("source", "target")):
            of_subwords = self._segmented(inputs[name], side, rows.languages, words_of_texts)
            words.append(_padded(of_subwords, rows.lengths[side]))
        is_subword = (words[1] >= 0) & (rows.lengths[0] > 0)[:, None]
        alignment = tf.where(is_subword, attended[:, : tf.shape(words[1])[1]], -1)
        return {
            "alignment": alignment,
            "source_word": words[0],
            "target_word": words[1],
            "truncated": rows.truncated,
        }

    def embed(self, inputs: Mapping[str, tf.Tensor], compiled: bool) -> dict[str, tf.Tensor]:
        """Sentence representations of `text`, string, by a model with an attention bridge.

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

        (sentence,) = rows.compute(embed, [tf.TensorSpec(states(self._memory_specs).shape, tf.float32)])  # M, [N, k, d]
        return {"mean": tf.reduce_mean(sentence, 1), "sentence": sentence, "truncated": rows.truncated}

    def _rows(self, inputs: Mapping[str, tf.Tensor], compiled: bool, *sides: str, hypotheses: int = 1) -> Rows:
        """The rows of the inputs. The inputs `sides` are texts of the source language and of the target language."""
        checked = dict(zip(inputs, of_count(*inputs.values()), strict=True))
        languages = _languages(checked)
        tokens = [
            self._segmented(checked[name], side, languages, SubwordTokenizer.tokenize)
            for side, name in enumerate(sides)
        ]
        if "prefix" in sides:
            tokens[1] = _without_unknown(tokens[1], checked["prefix"])
        groups = self._by_decoder.of(languages[1]) if len(self._decoders) > 1 else None
        rows = Rows(tokens, languages, groups, self.options, compiled, hypotheses)
        longest = tf.reduce_max(tf.stack([tf.strings.length(checked[name]) for name in sides]), 0)  # [N]
        rows.truncated |= longest > self._most_bytes
        return rows

    @property
    def _most_bytes(self) -> int:
        """The bytes of a text that are segmented."""
        return BYTES_OF_A_SUBWORD * self.options.length_buckets[-1]

    def has_unknown_prefix(self, inputs: Mapping[str, tf.Tensor]) -> tf.Tensor:
        """Whether each `prefix` has characters that its subwords do not have: `[N]` bool."""
        return _has_unknown(self._segmented(inputs["prefix"], 1, _languages(inputs), SubwordTokenizer.tokenize))

    def _segmented(
        self,
        texts: tf.Tensor,
        side: int,
        languages: list[tf.Tensor],
        body: Callable[[SubwordTokenizer, tf.Tensor], tf.RaggedTensor],
    ) -> tf.RaggedTensor:
        """The result of `body` for each text `[N]`, cut to a bounded size, with the subwords of the text's language."""
        texts = tf.strings.substr(texts, 0, self._most_bytes)
        if not languages:
            return body(self.tokenizers[self.directions[0][side]], texts)
        tokenizers = [self.tokenizers[self.languages[first]] for first in self._by_tokenizer.firsts]
        if len(tokenizers) == 1:
            return body(tokenizers[0], texts)
        groups = self._by_tokenizer.of(languages[side])
        indices = [tf.where(groups == group)[:, 0] for group in range(len(tokenizers))]
        found = [body(tokenizer, tf.gather(texts, rows)) for tokenizer, rows in zip(tokenizers, indices, strict=True)]
        return tf.gather(tf.concat(found, 0), tf.math.invert_permutation(tf.concat(indices, 0)))

    def _encode(self, ids: tf.Tensor, chosen: tf.Tensor, rows: Rows, compiled: bool) -> list[tf.Tensor]:
        """The memory `[B, ...]` of the chosen rows, whose ids are `[B, S]`."""
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

    def _numbers(self, names: tf.Tensor) -> tf.Tensor:
        """The indices `[N]` of languages `[N]`."""
        names = tf.ensure_shape(tf.convert_to_tensor(names, tf.string), [None])
        matches = names[:, None] == tf.constant(self.languages)  # [N, languages]
        known = tf.reduce_any(matches, 1)
        message = f"Unknown language. The model has {', '.join(self.languages)}. Received:"
        check = tf.debugging.Assert(tf.reduce_all(known), [message, tf.boolean_mask(names, ~known)])
        with tf.control_dependencies([check]):  # sessions run nothing that no result depends on
            return tf.argmax(matches, 1, tf.int32)

    def _beam_sizes(self, sizes: tf.Tensor) -> tf.Tensor:
        """Beam sizes `[N]`, checked; the beam size of the options where the given one is 0."""
        largest = self.options.beam_size
        message = f"A beam size is from 1 to {largest}, or 0 for {largest}. Received:"
        check = tf.debugging.Assert(tf.reduce_all((sizes >= 0) & (sizes <= largest)), [message, sizes])
        with tf.control_dependencies([check]):  # sessions run nothing that no result depends on
            return tf.where(sizes == 0, largest, sizes)


def _padded(ragged: tf.RaggedTensor, lengths: tf.Tensor) -> tf.Tensor:
    """The first `lengths` `[N]` values of each row as a tensor `[N, T]`, T > 0, with -1 behind the last."""
    size = tf.reduce_max(tf.concat([lengths, [1]], 0))
    dense = ragged.to_tensor(-1)
    dense = tf.pad(dense, [[0, 0], [0, 1]], constant_values=-1)[:, :size]
    return tf.where(tf.range(tf.shape(dense)[1]) < lengths[:, None], dense, -1)


def _languages(inputs: Mapping[str, tf.Tensor]) -> list[tf.Tensor]:
    """The numbers of the source and of the target languages; none where the model has one direction."""
    return [inputs[name] for name in ("source_language", "target_language") if name in inputs]


def _has_unknown(tokens: tf.RaggedTensor) -> tf.Tensor:
    """Whether each row `[N, (T)]` has an unknown subword: `[N]` bool."""
    return tf.reduce_any(tokens == UNKNOWN, 1)


def _without_unknown(prefixes: tf.RaggedTensor, texts: tf.Tensor) -> tf.RaggedTensor:
    """Subwords of prefixes `[N, (P)]`, checked to have no unknown characters, which a translation cannot begin with."""
    is_unknown = _has_unknown(prefixes)
    message = [f"{UNKNOWN_IN_PREFIX}. Received:", tf.boolean_mask(texts, is_unknown)]
    check = tf.debugging.Assert(tf.reduce_all(~is_unknown), message)
    with tf.control_dependencies([check]):  # sessions run nothing that no result depends on
        return prefixes.with_flat_values(tf.identity(prefixes.flat_values))


def _distinct(texts: tf.Tensor, scores: tf.Tensor, cut_off: tf.Tensor, n: int) -> tuple[tf.Tensor, ...]:
    """The first `n` hypotheses with different texts, of hypotheses `[B, K]` best first: of equal texts, the best."""
    places = tf.range(tf.shape(texts)[1])
    is_before = places[None] < places[:, None]  # [K, K]
    repeats = tf.reduce_any((texts[:, :, None] == texts[:, None]) & is_before, 2)  # [B, K]
    is_kept = possible(scores) & ~repeats
    order = tf.argsort(tf.cast(~is_kept, tf.int32), stable=True)[:, :n]  # [B, n]
    is_kept, *kept = (tf.gather(x, order, batch_dims=1) for x in (is_kept, texts, scores, cut_off))
    return tuple(tf.where(is_kept, x, none) for x, none in zip(kept, ("", IMPOSSIBLE, False), strict=True))
