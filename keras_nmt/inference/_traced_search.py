"""The search of each language as traced functions."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

import tensorflow as tf

from keras_nmt.data import SubwordTokenizer
from keras_nmt.decoding import (
    BiasedPrefix,
    DecoderStep,
    LogitProcessor,
    NoRepeatNGram,
    RepetitionPenalty,
    SearchResult,
    SuppressSequences,
    SuppressTokens,
    beam_search,
    greedy_search,
    sampling_search,
)
from keras_nmt.decoding.scores import rerank_by_model
from keras_nmt.decoding.search_loop import limits_of_sources
from keras_nmt.errors import UserError, errors_as
from keras_nmt.files.search_options import SearchOptions
from keras_nmt.ids import PAD, UNK
from keras_nmt.inference._phrases import fitting_constraints, possible_constraints
from keras_nmt.inference._streams import send
from keras_nmt.inference._traced_decoder import TracedDecoder
from keras_nmt.inference._traced_functions import IDS, WeightFunction
from keras_nmt.inference.shortlist import Candidates
from keras_nmt.text.lines import check_utf8

NUMBERS = tf.TensorSpec([None], tf.int32)
# Inputs that a search may get beside memory and source ids, and the candidates of a shortlist.
SEARCH_INPUTS = {
    **{"seeds": NUMBERS, "prefix": IDS, "beam_sizes": NUMBERS, "max_lengths": NUMBERS, "streams": NUMBERS},
    **{"constraints": tf.TensorSpec([None] * 4, tf.int32), "avoid": tf.TensorSpec([None] * 3, tf.int32)},
}


def num_returned(options: SearchOptions, beam_sizes: tf.Tensor | None) -> int:
    """Returns the number of hypotheses of a sentence that a search returns.

    It is 1 if only the best one is needed, or the number of samples, or else the beam size: only the joined subwords
    show which hypotheses have the same text.
    """
    return 1 if options.num_hypotheses == 1 and beam_sizes is None else options.width


class TracedSearch:
    """The search of a decoder, from a memory and source ids `[B, S]`.

    It returns tokens `[B, n, T]`, scores `[B, n]`, and whether the length limit cut a hypothesis off, `[B, n]` bool;
    the best hypothesis is first. n is that of `num_returned`.

    XLA compiles the same body, which has no strings and no ragged tensors.
    """

    def __init__(self, decoder: TracedDecoder, options: SearchOptions) -> None:
        self.decoder = decoder
        self._model = decoder.model
        self._options = options
        self._inputs, self._candidates = dict(SEARCH_INPUTS), None
        if options.shortlist is not None:
            self._candidates = Candidates(options.shortlist, options.shortlist_size)
            self._inputs["candidates"] = tf.TensorSpec([self._candidates.size], tf.int32)
            self._select = WeightFunction(self._candidates.select, self._candidates.weights, [IDS, IDS])
        self.weights = [*decoder.weights, *([] if self._candidates is None else self._candidates.weights)]
        self._processors = _processors(options, decoder.tokenizer)
        self._prepare = WeightFunction(self._prepare_search, decoder.weights)
        self._searches: dict[tuple[Any, ...], Any] = {}  # by whether it is compiled, and the names of the inputs

    def __call__(
        self, memory: list[tf.Tensor], source: tf.Tensor, *, compiled: bool, **tensors: tf.Tensor | None
    ) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
        """Searches with the inputs that are given.

        Constraints that do not fit before the length limit are left out; if others are impossible, the search is made
        again without them.

        Args:
            memory: The encoder's outputs.
            source: int32 tensor `[B, S]`, the ids of the sources.
            compiled: Boolean, whether XLA compiles the search.
            **tensors: Tensors for `SEARCH_INPUTS`, or None: `seeds` `[B]` when sampling; `prefix` `[B, P]`, which
                length limits do not count; `max_lengths` `[B]`, lower limits than those of the options; `streams`
                `[B]` of the tokens of one sentence; `beam_sizes` `[B]`, at most the options' beam size, which is n
                then; `constraints` `[B, C, A, L]`, phrases that translations must have; `avoid` `[B, C, L]`, phrases
                that they must not have; `candidates` `[N]` of `candidates_of`.
        """
        inputs = {name: tensors[name] for name in self._inputs if tensors.get(name) is not None}
        if "constraints" not in inputs:
            return self._searched(memory, source, compiled, inputs)
        limits = self._limits(source, inputs.get("max_lengths"))
        inputs["constraints"] = fitting_constraints(inputs["constraints"], limits)
        result = self._searched(memory, source, compiled, inputs)
        possible = possible_constraints(inputs["constraints"], *result)
        again = functools.partial(self._searched, memory, source, compiled, {**inputs, "constraints": possible})
        return tf.cond(tf.reduce_any(possible != inputs["constraints"]), again, functools.partial(tuple, result))

    def _searched(
        self, memory: list[tf.Tensor], source: tf.Tensor, compiled: bool, inputs: Mapping[str, tf.Tensor]
    ) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
        """Calls the function of the search for these inputs, which is traced once."""
        key = compiled, *inputs
        if key not in self._searches:
            names = tuple(inputs)

            def search(memory: list[tf.Tensor], source: tf.Tensor, *more: tf.Tensor) -> tuple[tf.Tensor, ...]:
                return self._search(memory, source, compiled, **dict(zip(names, more, strict=True)))

            signature = [self.decoder._specs, IDS, *(self._inputs[name] for name in names)]
            self._searches.setdefault(key, WeightFunction(search, self.decoder.weights, signature, compiled or None))
        return self._searches[key](memory, source, *inputs.values())

    def token_log_probabilities(
        self, memory: list[tf.Tensor], tokens: tf.Tensor, candidates: tf.Tensor | None, compiled: bool
    ) -> tf.Tensor:
        """Computes log-probabilities `[B, n, T]` of found tokens `[B, n, T]`, 0 for `PAD`, by teacher forcing."""

        def of_one(tokens: tf.Tensor) -> tf.Tensor:
            return self.decoder.log_probabilities(memory, tokens, compiled, candidates)

        # One hypothesis after the other, because the logits [B, T, V] of all could take too much memory.
        in_turn = tf.transpose(tokens, [1, 0, 2])
        scores = tf.map_fn(of_one, in_turn, fn_output_signature=tf.float32, parallel_iterations=1)
        return tf.transpose(scores, [1, 0, 2])

    def _search(
        self,
        memory: list[tf.Tensor],
        source: tf.Tensor,
        compiled: bool,
        seeds: tf.Tensor | None = None,
        prefix: tf.Tensor | None = None,
        beam_sizes: tf.Tensor | None = None,
        max_lengths: tf.Tensor | None = None,
        streams: tf.Tensor | None = None,
        constraints: tf.Tensor | None = None,
        avoid: tf.Tensor | None = None,
        candidates: tf.Tensor | None = None,
    ) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
        options = self._options
        n = num_returned(options, beam_sizes)
        processors = [*self._processors, *([] if avoid is None else [SuppressSequences(avoid)]), *options.processors]
        if options.unknown == "forbid":
            processors.append(SuppressTokens([UNK]))  # whatever processors do
        limits, max_length = self._limits(source, max_lengths), self.limit(tf.shape(source)[1] - 1)
        if prefix is not None and options.prefix_bias_beta:
            processors.append(BiasedPrefix(prefix, options.prefix_bias_beta))
            prefix = None
        if prefix is not None:
            limits += tf.reduce_sum(tf.cast(prefix != PAD, tf.int32), 1)
            max_length += tf.shape(prefix)[1]
        packed = self.decoder.pack(memory)
        # Only XLA needs fixed shapes.
        constants, caches = self._prepare(packed, max_length if compiled else None)
        arguments: dict[str, Any] = {
            "batch_size": tf.shape(source)[0],
            "max_length": max_length,
            "max_lengths": limits,
            "prefix": prefix,
            "processors": processors,
            "vocabulary": candidates,
            "drop_finished": not compiled,
        }
        step = self._step(candidates, compiled)
        on_tokens = None if streams is None else functools.partial(send, streams)
        search: Callable[..., SearchResult]
        if options.sample:
            search, step = sampling_search, self._of_samples(step) if compiled else step
            arguments |= {"seeds": seeds, "num_samples": n, "on_tokens": on_tokens}
        elif options.beam_size == 1 and beam_sizes is None and constraints is None:
            search = greedy_search
            arguments |= {"on_tokens": on_tokens}
        else:
            search = beam_search
            num_hypotheses = options.beam_size if options.coverage_penalty else n
            arguments |= {"num_hypotheses": num_hypotheses, "beam_sizes": beam_sizes, "constraints": constraints}
        result = search(step, constants, caches, **{**options.arguments_of(search), **arguments})
        if options.coverage_penalty:
            result = self._reranked(result, packed, source)
        cut_off = ~result.finished & (result.lengths > 0)
        return result.tokens[:, :n], result.scores[:, :n], cut_off[:, :n]

    def candidates_of(
        self, source: tf.Tensor, prefix: tf.Tensor | None, constraints: tf.Tensor | None
    ) -> tuple[tf.Tensor | None, tf.Tensor]:
        """Returns the candidates `[N]` of a batch, with all subwords of prefixes and constraints; None without a table.

        XLA cannot compile this, because the number of distinct subwords of a batch is not known from shapes. The second
        result is the number of subwords that the candidates must have.
        """
        if self._candidates is None:
            return None, tf.constant(0)
        forced = [tf.reshape(x, [tf.shape(x)[0], -1]) for x in (prefix, constraints) if x is not None]
        candidates, num_forced = self._select(source, tf.concat(forced, 1) if forced else tf.zeros([0, 0], tf.int32))
        return candidates, num_forced

    @property
    def num_candidates(self) -> int:
        """The number of candidates of a batch, with a shortlist."""
        assert self._candidates is not None
        return self._candidates.size

    def _limits(self, source: tf.Tensor, max_lengths: tf.Tensor | None) -> tf.Tensor:
        """Returns the largest numbers of tokens `[B]` of the translations of source ids `[B, S]`."""
        limits = self.limit(tf.reduce_sum(tf.cast(source != PAD, tf.int32), 1) - 1)  # without EOS
        return limits if max_lengths is None else tf.minimum(limits, max_lengths)

    def limit(self, length: tf.Tensor) -> tf.Tensor:
        """Returns the largest number of tokens of the translation of `length` tokens."""
        return limits_of_sources(length, self._options)

    def _prepare_search(self, memory: Any, max_length: tf.Tensor | None) -> tuple[Any, Any]:
        options = self._options
        if not options.sample:
            return self._model.prepare(memory, options.beam_size, max_length)
        if max_length is None:
            return self._model.prepare(memory, options.num_hypotheses, None)
        # A cache of a fixed shape would hold the keys of all samples for each, so each sample becomes a sentence.
        return self._model.prepare(_repeated(memory, options.num_hypotheses), 1, max_length)

    def _step(self, candidates: tf.Tensor | None, compiled: bool) -> DecoderStep:
        """Returns the decoder's step. With candidates `[N]`, its logits are `[B, K, N]`."""
        if candidates is None and compiled:
            return self.decoder.step
        # Computed here, because the loop would compute it in each step.
        kernel = self._model.output_kernel(candidates)

        def step(tokens: tf.Tensor, position: tf.Tensor, constants: Any, caches: Any) -> tuple[Any, Any]:
            return self.decoder.step(tokens, position, constants, caches, kernel)

        return step

    def _of_samples(self, step: DecoderStep) -> DecoderStep:
        """Returns a step of tokens `[B, n]`, each of which the model sees as its own sentence."""

        def of_samples(tokens: tf.Tensor, position: tf.Tensor, constants: Any, caches: Any) -> tuple[Any, Any]:
            tokens = tf.reshape(tokens, [-1, 1])  # [B n, 1]
            logits, caches = step(tokens, position, constants, caches)  # [B n, 1, V]
            return tf.reshape(logits, [-1, self._options.num_hypotheses, logits.shape[-1]]), caches

        return of_samples

    def _reranked(self, result: SearchResult, memory: Any, source: tf.Tensor) -> SearchResult:
        penalty = self._options.coverage_penalty
        with errors_as("`coverage_penalty` needs the decoder's attention to the source", ValueError):
            return rerank_by_model(result, self._model.attention, memory, self.decoder.is_word(source), penalty)


def _processors(options: SearchOptions, tokenizer: SubwordTokenizer) -> list[LogitProcessor]:
    """Returns the logit processors of all sentences."""
    processors: list[LogitProcessor] = []
    if options.repetition_penalty != 1:
        processors.append(RepetitionPenalty(options.repetition_penalty))
    if options.no_repeat_ngram_size:
        processors.append(NoRepeatNGram(options.no_repeat_ngram_size))
    if options.suppress_sequences:
        for text in options.suppress_sequences:
            check_utf8(text, "A text of `suppress_sequences`")
        sequences = tokenizer.tokenize(options.suppress_sequences).to_list()
        for text, ids in zip(options.suppress_sequences, sequences, strict=True):
            if UNK in ids or not ids:
                raise UserError(
                    "`suppress_sequences` must be texts whose characters the target's subwords have. "
                    f"Received: {text!r}"
                )
        processors.append(SuppressSequences(sequences))
    return processors


def _repeated(memory: Any, n: int) -> Any:
    """Repeats each row of tensors `[B, ...]` n times: `[B n, ...]`."""
    return tf.nest.map_structure(lambda x: tf.repeat(x, n, axis=0), memory)
