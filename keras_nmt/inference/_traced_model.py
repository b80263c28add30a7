"""The parts of a translation model as traced functions, one set per language."""

from __future__ import annotations

from typing import Any

import keras
import tensorflow as tf

from keras_nmt.decoding import (
    DecoderStep,
    SearchResult,
    beam_search,
    greedy_search,
    rerank_by_coverage,
    sampling_search,
    sequence_log_probability,
    shift_right,
)
from keras_nmt.decoding.logits import given
from keras_nmt.errors import UserError, one_line
from keras_nmt.ids import END, PAD
from keras_nmt.inference._candidates import Candidates, candidate_numbers
from keras_nmt.inference._functions import IDS, NUMBERS, function, plain_and_compiled
from keras_nmt.inference.search_options import SearchOptions
from keras_nmt.models import TranslationModel
from keras_nmt.text import SubwordTokenizer


class TracedEncoder:
    """An encoder: ids `[B, S]` to the memory, a flat list of tensors `[B, ...]`."""

    def __init__(self, model: keras.Model) -> None:
        self._encode = plain_and_compiled(lambda ids: keras.tree.flatten(model(ids, training=False)), IDS)

    def __call__(self, ids: tf.Tensor, compiled: bool) -> list[tf.Tensor]:
        return list(self._encode[compiled](ids))


class TracedDecoder:
    """A decoder: from a memory, a flat list of tensors, to scores and alignments of given translations.

    `model` has a direction to the decoder's language. `side` is the part of a model that computes logits from a memory.
    `memory` is a nest of KerasTensors with the structure of the memory of all languages.
    """

    def __init__(self, model: TranslationModel, side: Any, tokenizer: SubwordTokenizer, memory: Any) -> None:
        self.model = model
        self._side = side
        self._memory = memory
        self._specs = [tf.TensorSpec(x.shape, x.dtype) for x in keras.tree.flatten(memory)]
        self.detokenize = function(tokenizer.detokenize, IDS)
        self.step = tf.function(model.decoder_step, autograph=False)  # of the loops of all searches
        self._log_probability = plain_and_compiled(self._score, self._specs, IDS)
        self._attended: dict[int | None, Any] = {}  # by layer

    def log_probability(self, memory: list[tf.Tensor], target: tf.Tensor, compiled: bool) -> tf.Tensor:
        """Log-probabilities `[B]` of target ids `[B, T]` closed by END."""
        return self._log_probability[compiled](memory, target)

    def attended(
        self, memory: list[tf.Tensor], source: tf.Tensor, target: tf.Tensor, layer: int | None, compiled: bool
    ) -> tf.Tensor:
        """For each of target ids `[B, T]`, the position of source ids `[B, S]` with most attention, `[B, T]`."""
        if layer not in self._attended:

            def most(memory: list[tf.Tensor], source: tf.Tensor, target: tf.Tensor) -> tf.Tensor:
                attention = self.model.attention(self.pack(memory), shift_right(target), layer)  # [B, T, S]
                return tf.argmax(tf.where(_words(source)[:, None], attention, -1.0), 2, tf.int32)

            self._attended.setdefault(layer, plain_and_compiled(most, self._specs, IDS, IDS))
        return self._attended[layer][compiled](memory, source, target)

    def pack(self, memory: list[tf.Tensor]) -> Any:
        """The memory in the model's structure."""
        return keras.tree.pack_sequence_as(self._memory, memory)

    def _score(self, memory: list[tf.Tensor], target: tf.Tensor) -> tf.Tensor:
        return sequence_log_probability(self._side.logits(shift_right(target), self.pack(memory)), target)


class TracedSearch:
    """The search of a decoder: memory and source ids `[B, S]` to tokens `[B, n, T]`, scores `[B, n]` and `[B, n]` bool,
    whether the length limit cut a hypothesis off; best first.

    n is 1 for the best hypothesis alone, the number of samples, and else the beam size: several hypotheses may have one
    text, which is told when subwords are joined.

    XLA compiles the same body; there are no strings and no ragged tensors in it.
    """

    def __init__(self, decoder: TracedDecoder, options: SearchOptions) -> None:
        self._decoder = decoder
        self._model = decoder.model
        self._options = options
        self._candidates = None
        if options.shortlist is not None:
            self._candidates = Candidates(options.shortlist, options.shortlist_size)
        self._prepare = tf.function(self._prepare_search, autograph=False)
        self._searches: dict[tuple[Any, ...], Any] = {}  # by whether compiled, and the inputs

    def __call__(
        self,
        memory: list[tf.Tensor],
        source: tf.Tensor,
        *,
        seeds: tf.Tensor | None,
        prefix: tf.Tensor | None,
        beam_sizes: tf.Tensor | None = None,
        compiled: bool,
    ) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
        """Searches, with seeds `[B]` when sampling, and with prefixes `[B, P]`, which no length limit counts.

        Sentences may have beam sizes `[B]` of their own, at most the beam size of the options, which is n then.
        """
        # Not in the function that XLA compiles: the number of distinct subwords of a batch is no shape.
        candidates = None if self._candidates is None else self._candidates(source, prefix)
        inputs = given(seeds=seeds, prefix=prefix, beam_sizes=beam_sizes, candidates=candidates)
        key = compiled, *inputs
        if key not in self._searches:
            names = tuple(inputs)

            def search(memory: list[tf.Tensor], source: tf.Tensor, *more: tf.Tensor) -> tuple[tf.Tensor, ...]:
                return self._search(memory, source, compiled, **dict(zip(names, more, strict=True)))

            specs = {"seeds": NUMBERS, "prefix": IDS, "beam_sizes": NUMBERS}
            if self._candidates is not None:
                specs["candidates"] = tf.TensorSpec([self._candidates.size], tf.int32)
            signature = [specs[name] for name in names]
            search = function(search, self._decoder._specs, IDS, *signature, jit_compile=compiled or None)
            self._searches.setdefault(key, search)
        return self._searches[key](memory, source, *inputs.values())

    def _search(
        self,
        memory: list[tf.Tensor],
        source: tf.Tensor,
        compiled: bool,
        seeds: tf.Tensor | None = None,
        prefix: tf.Tensor | None = None,
        beam_sizes: tf.Tensor | None = None,
        candidates: tf.Tensor | None = None,
    ) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
        options = self._options
        is_one = options.num_hypotheses == 1 and beam_sizes is None
        n = options.num_hypotheses if options.sample or is_one else options.beam_size
        lengths = tf.reduce_sum(tf.cast(source != PAD, tf.int32), 1) - 1  # [B], without END
        limits, max_length = self._limit(lengths), self._limit(tf.shape(source)[1] - 1)
        if prefix is not None:
            limits += tf.reduce_sum(tf.cast(prefix != PAD, tf.int32), 1)
            max_length += tf.shape(prefix)[1]
            if candidates is not None:
                prefix = candidate_numbers(candidates, prefix)
        packed = self._decoder.pack(memory)
        # Only XLA needs fixed shapes.
        constants, caches = self._prepare(packed, max_length if compiled else None)
        shared: dict[str, Any] = {
            "batch_size": tf.shape(source)[0],
            "max_length": max_length,
            "max_lengths": limits,
            "min_length": options.min_length,
            "length_penalty": options.length_penalty,
            "prefix": prefix,
            "shrink": not compiled,
        }
        step = self._step(candidates, compiled)
        if options.sample:
            result = sampling_search(
                self._of_samples(step) if compiled else step,
                constants,
                caches,
                seeds=seeds,
                num_samples=n,
                ids=candidates,
                **options.sampling,
                **shared,
            )
        elif options.beam_size == 1 and beam_sizes is None:
            result = greedy_search(step, constants, caches, **shared)
        else:
            result = beam_search(
                step,
                constants,
                caches,
                beam_size=options.beam_size,
                num_hypotheses=options.beam_size if options.coverage_penalty else n,
                beam_sizes=beam_sizes,
                **shared,
            )
        if candidates is not None:
            result = result._replace(tokens=tf.gather(candidates, result.tokens))
        if options.coverage_penalty:
            result = self._reranked(result, packed, source)
        cut_off = ~result.finished & (result.lengths > 0)
        return result.tokens[:, :n], result.scores[:, :n], cut_off[:, :n]

    def _limit(self, length: tf.Tensor) -> tf.Tensor:
        """The largest number of tokens of the translation of `length` tokens."""
        options = self._options
        limit = options.max_length_factor * length + options.max_length_offset
        return tf.minimum(tf.maximum(limit, options.min_length + 1), options.max_length)  # END has room

    def _prepare_search(self, memory: Any, max_length: tf.Tensor | None) -> tuple[Any, Any]:
        options = self._options
        if not options.sample:
            return self._model.prepare(memory, options.beam_size, max_length)
        if max_length is None:
            return self._model.prepare(memory, options.num_hypotheses, None)
        # A cache of a fixed shape holds the keys of all samples for each. So each sample is a sentence of its own.
        return self._model.prepare(_repeated(memory, options.num_hypotheses), 1, max_length)

    def _step(self, candidates: tf.Tensor | None, compiled: bool) -> DecoderStep:
        """The decoder's step; with candidates `[N]`, tokens are numbers of candidates, and logits `[B, K, N]`."""
        if candidates is None and compiled:
            return self._decoder.step
        # Made here, outside of the loop, which would make it again in each step.
        kernel = self._model.output_kernel(candidates)

        def step(tokens: tf.Tensor, position: tf.Tensor, constants: Any, caches: Any) -> tuple[Any, Any]:
            tokens = tokens if candidates is None else tf.gather(candidates, tokens)
            return self._decoder.step(tokens, position, constants, caches, kernel)

        return step

    def _of_samples(self, step: DecoderStep) -> DecoderStep:
        """The step of tokens `[B, n]`, each of which is a sentence of its own to the model."""

        def of_samples(tokens: tf.Tensor, position: tf.Tensor, constants: Any, caches: Any) -> tuple[Any, Any]:
            tokens = tf.reshape(tokens, [-1, 1])  # [B n, 1]
            logits, caches = step(tokens, position, constants, caches)  # [B n, 1, V]
            return tf.reshape(logits, [-1, self._options.num_hypotheses, logits.shape[-1]]), caches

        return of_samples

    def _reranked(self, result: SearchResult, memory: Any, source: tf.Tensor) -> SearchResult:
        batch_size, length = tf.shape(result.tokens)[0], tf.shape(result.tokens)[2]
        n = result.tokens.shape[1]
        tokens = tf.reshape(result.tokens, [batch_size * n, length])
        try:
            attention = self._model.attention(_repeated(memory, n), shift_right(tokens))  # [B n, T, S]
        except ValueError as error:  # while it is traced
            raise UserError(
                f"`coverage_penalty` needs the decoder's attention to the source. Received: {one_line(error)}"
            ) from None
        attention = tf.reshape(attention, [batch_size, n, length, tf.shape(source)[1]])
        return rerank_by_coverage(result, attention, _words(source), self._options.coverage_penalty)


def _words(source: tf.Tensor) -> tf.Tensor:
    """Whether each source id `[B, S]` is a subword of the text: bool `[B, S]`."""
    return (source != PAD) & (source != END)


def _repeated(memory: Any, n: int) -> Any:
    """Tensors `[B, ...]` to `[B n, ...]`, each row n times."""
    return tf.nest.map_structure(lambda x: tf.repeat(x, n, axis=0), memory)
