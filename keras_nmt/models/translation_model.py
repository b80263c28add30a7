"""The interface of translation models."""

from __future__ import annotations

from typing import Any

import keras

from keras_nmt.models._search_models import LogitsSide, SearchModels


class TranslationModel(keras.Model):
    """A model of one direction: teacher forcing as a Keras model, and the parts that a search calls.

    As a Keras model it maps `(source ids [B, S], target-input ids [B, T])`, int32, to logits `[B, T, V]`, float32.
    Ids: pad 0, unknown 1, begin 2, end 3. A source ends with the end id; a target input begins with the begin id.

    A search never calls the whole model. It calls `encoder` and `prepare` once per sentence and `decoder_step` once per
    position; `tf.function` can trace all three, with XLA or without, and all three share the model's weights. Memory,
    constants and caches are nests of tensors that the search passes on without further knowledge of them.

    A model is a set of directions, and this model has a single direction. The model does not know its languages:
    "source" and "target" stand for them.

    Attributes:
        encoder: Functional Keras model, source ids `[B, S]` -> memory, a nest of tensors `[B, ...]`.
        source_vocabulary_size: Integer.
        target_vocabulary_size: Integer V.
        languages: Tuple of the languages.
        directions: Tuple of all pairs (source, target) that the model translates.
        encodes_by: "source" or "target", the language of a direction that selects the encoder.
        positions_before_source: Integer, the number of memory positions before the source positions; None if the memory
            has no source positions.
    """

    languages: tuple[str, ...] = ("source", "target")
    directions: tuple[tuple[str, str], ...] = (("source", "target"),)
    encodes_by: str = "source"
    positions_before_source: int | None = 0
    source_vocabulary_size: int
    target_vocabulary_size: int
    _search: SearchModels

    @property
    def vocabulary_sizes(self) -> dict[str, int]:
        """The number of subwords by language."""
        return {"source": self.source_vocabulary_size, "target": self.target_vocabulary_size}

    def pair(self, source: str, target: str) -> TranslationModel:
        """The model of one direction, here the model itself.

        Args:
            source: String, language to translate from.
            target: String, language to translate to.

        Raises:
            ValueError: The model does not have this direction.
        """
        if (source, target) not in self.directions:
            raise ValueError(f"The model translates from source to target. Received: from {source} to {target}")
        return self

    def encoder_for(self, source: str, target: str) -> keras.Model:
        """The functional model from source ids `[B, S]` to the memory that the target's decoder reads.

        The encoder depends on the language that `encodes_by` selects.

        Args:
            source: String, language to translate from.
            target: String, language to translate to.

        Raises:
            ValueError: The model does not have this direction.
        """
        return self.pair(source, target).encoder

    def decoder_for(self, target: str) -> LogitsSide:
        """The part that computes logits from a memory by teacher forcing: `logits(target-input ids, memory)`."""
        return self._search.step.side

    @property
    def encoder(self) -> keras.Model:
        return self._search.encoder

    def prepare(self, memory: Any, beam_size: int, max_length: int | None) -> tuple[Any, Any]:
        """Computes the constants of a sentence and empty caches, once per sentence.

        Args:
            memory: Nest of tensors, the output of `encoder`.
            beam_size: Integer K, hypotheses per sentence.
            max_length: Integer, the largest number of target positions. None: caches grow with each step, which takes
                less time and memory, but not under XLA or JAX, which need fixed shapes.

        Returns:
            Constants, a nest of tensors `[B, ...]`, and empty caches, a nest of tensors `[B, K, ...]`. The search
            reorders caches with the hypotheses, except caches under the key "kept", and never reorders constants.
        """
        return self._search.prepare(memory, beam_size=beam_size, max_length=max_length)

    def output_kernel(self, ids: Any = None) -> Any:
        """The matrix of the output projection, which a search makes once for all calls of `decoder_step`.

        Args:
            ids: int32 tensor `[N]`, the tokens whose logits are computed. Defaults to None: all tokens, N = V.

        Returns:
            Float tensor `[d, N]`, or None for all tokens if the projection has no such matrix, as with int8 weights. Of
            an ensemble, a list with one for each of its models.
        """
        return self._search.step.side.output_kernel(ids)

    def decoder_step(
        self, tokens: Any, position: Any, constants: Any, caches: Any, output_kernel: Any = None
    ) -> tuple[Any, Any]:
        """Runs one target position of every hypothesis.

        Args:
            tokens: int32 tensor `[B, K]`, the tokens before the predicted tokens; the begin id at position 0.
            position: int32 scalar tensor, the position, from 0.
            constants: Nest of tensors from `prepare`.
            caches: Nest of tensors from `prepare` or from the previous step.
            output_kernel: The result of `output_kernel` for N tokens, whose logits are computed. Defaults to None, for
                all tokens.

        Returns:
            Logits `[B, K, V]`, or `[B, K, N]` with `output_kernel`, float32, and the new caches.
        """
        return self._search.step(tokens, position, constants, caches, output_kernel=output_kernel)

    def attention(self, memory: Any, target_input: Any, layer: int | None = None) -> Any:
        """Soft alignments: the attention of each target position to each source position, by teacher forcing.

        Args:
            memory: Nest of tensors, the output of `encoder` for source ids `[B, S]`.
            target_input: int32 tensor `[B, T]`, target-input ids.
            layer: Integer from 1, the decoder layer whose cross-attention is returned. Defaults to the last but one
                layer of a Transformer, which aligns best (Garg et al., 2019, section 3.2), and to the only attention of
                a recurrent decoder.

        Returns:
            Float32 tensor `[B, T, S]`, the mean over heads: row t is the attention with which the model predicts the
            token after target input t. Rows sum to at most 1.

        Raises:
            ValueError: There is no such layer, or the model does not attend to source positions.

        Reference:
            [Garg et al., 2019](https://arxiv.org/abs/1909.02074), section 3.
        """
        return self._search.step.side.attention(target_input, memory, layer)

    def with_dtype(self, dtype: str) -> TranslationModel:
        """A copy with equal weights that computes in another dtype, outside of any distribution strategy.

        Args:
            dtype: String, dtype policy, such as "float32".
        """
        copy = type(self).from_config({**self.get_config(), "dtype": dtype})
        copy.set_weights(self.get_weights())
        return copy

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> TranslationModel:
        return cls(**config)  # Keras would instantiate any layer named in the configuration
