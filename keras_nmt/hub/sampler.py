"""The beam search of `Translator` as a sampler of keras_hub."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import keras
import keras_hub
from keras import ops

from keras_nmt.decoding import beam_search
from keras_nmt.decoding.scores import rerank_by_model, words_of_sources
from keras_nmt.decoding.search_loop import limits_of_sources
from keras_nmt.errors import check_names
from keras_nmt.files.search_options import TABLE, SearchOptions
from keras_nmt.ids import PAD

# The options of a translator that the sampler has, too; it makes one translation of a text.
TEXT_OPTIONS = ("max_length_factor", "max_length_offset", "length_buckets", "coverage_penalty")
OPTIONS = [
    x for x in (*inspect.signature(beam_search).parameters, *TEXT_OPTIONS) if x in TABLE and x != "num_hypotheses"
]


@keras.saving.register_keras_serializable(package="keras_nmt")
class BeamSampler(keras_hub.samplers.Sampler):
    """Beam search with a length penalty, and limits of lengths that depend on the source, for a `TranslationSeq2SeqLM`.

    Finished hypotheses keep their score, and a sentence ends when no open hypothesis can become better than the best
    finished one; see `keras_nmt.decoding.beam_search`. `generate` returns the translations of
    `keras_nmt.inference.Translator`, with the same arguments: `max_length` does not count the beginning of a
    translation, and the translation of an empty text has none. But the `max_length` of `generate`, if it is given,
    counts BOS and beginnings, as in keras_hub; and a beginning is not cut to the longest source.

    Args:
        beam_size: Integer, hypotheses that the search keeps. Defaults to 4.
        length_penalty: Float, exponent of the length penalty. Defaults to 0.6.
        **options: Further options of `beam_search`, the limits of lengths, and `coverage_penalty`; see
            `keras_nmt.files.search_options.SearchOptions`.

    Raises:
        UserError: An argument is unknown, has the wrong type or is out of its range.

    Example:

    >>> sampler = BeamSampler(4, length_penalty=1.0, max_length_factor=3)
    >>> sampler.get_config()
    {'beam_size': 4, 'length_penalty': 1.0, 'max_length_factor': 3}
    """

    def __init__(
        self,
        beam_size: int = SearchOptions.beam_size,
        length_penalty: float = SearchOptions.length_penalty,
        **options: Any,
    ) -> None:
        super().__init__()
        check_names("options of `BeamSampler`", options, OPTIONS)
        self._arguments = {"beam_size": beam_size, "length_penalty": length_penalty, **options}
        self.options = SearchOptions(**self._arguments)

    def limit(self, lengths: Any) -> Any:
        """Returns the most subwords of translations of sources with `lengths` subwords, EOS counted in the result."""
        return limits_of_sources(lengths, self.options)

    def search(
        self,
        model: Any,
        memory: Any,
        source: Any,
        prefix: Any,
        max_length: int,
        *,
        compiled: bool,
        tags: Sequence[int] = (),
    ) -> Any:
        """Searches for the best translations, `[B, max_length]` int32, with EOS, then `PAD`.

        Args:
            model: `keras_nmt.models.Transformer`.
            memory: Nest of tensors `[B, ...]`, the sources as the encoder read them.
            source: int32 tensor `[B, S]`, the ids of the sources with EOS, then `PAD`.
            prefix: int32 tensor `[B, P]`, how translations begin, with `PAD` behind; or None.
            max_length: Integer, the most tokens of a translation.
            compiled: Boolean, whether shapes must be fixed, as for XLA and JAX.
            tags: Ids of target-language tags, which `coverage_penalty` leaves out. Defaults to none.
        """
        options = self.options
        is_word = words_of_sources(source, tags)
        lengths = ops.sum(ops.cast(source != PAD, "int32"), axis=1) - 1  # [B], without EOS
        limits = self.limit(lengths)
        if prefix is not None:
            limits += ops.sum(ops.cast(prefix != PAD, "int32"), axis=1)
        # The translation of no text, or of a tag alone, is empty, without the prefix.
        limits = ops.where(ops.any(is_word, axis=1), limits, 0)
        constants, caches = model.prepare(memory, options.beam_size, max_length if compiled else None)
        # Computed here, because the loop would compute it in each step; XLA keeps it out of the loop.
        kernel = None if compiled else model.output_kernel()

        def step(tokens: Any, position: Any, constants: Any, caches: Any) -> tuple[Any, Any]:
            return model.decoder_step(tokens, position, constants, caches, kernel)

        arguments = {
            "batch_size": ops.shape(source)[0],
            "max_length": max_length,
            "max_lengths": limits,
            "num_hypotheses": options.beam_size if options.coverage_penalty else 1,
            "prefix": prefix,
            "drop_finished": not compiled,
        }
        result = beam_search(step, constants, caches, **{**options.arguments_of(beam_search), **arguments})
        if options.coverage_penalty:
            result = rerank_by_model(result, model.attention, memory, is_word, options.coverage_penalty)
        return result.tokens[:, 0]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise ValueError("This sampler is for a `keras_nmt.hub.TranslationSeq2SeqLM`: compile that with it.")

    def get_config(self) -> dict[str, Any]:
        return dict(self._arguments)
