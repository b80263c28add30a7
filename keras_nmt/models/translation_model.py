from __future__ import annotations

from typing import Any

import keras


class TranslationModel(keras.Model):
    """What every translation model offers: teacher forcing as a Keras model, and the parts that search needs.

    As a Keras model it maps `(source ids [B, S], target-input ids [B, T])`, int32, to logits `[B, T, V]`, float32.
    Ids: pad 0, unknown 1, begin 2, end 3. A source ends with the end id; a target input begins with the begin id.

    Search never calls it as a whole. It runs `encoder` and `prepare` once a sentence and `decoder_step` once a
    position; all three are traceable by `tf.function`, with XLA or without, and share the model's weights. What they
    hand on (memory, constants, caches) are nests of tensors, which the search moves about without knowing what they
    are.

    Attributes:
        encoder: Functional Keras model, source ids `[B, S]` -> memory, a nest of tensors `[B, ...]`.
        source_vocabulary_size: Integer.
        target_vocabulary_size: Integer V.
    """

    encoder: keras.Model
    source_vocabulary_size: int
    target_vocabulary_size: int

    def prepare(self, memory: Any, beam_size: int, max_length: int) -> tuple[Any, Any]:
        """Computes what a sentence needs once.

        Args:
            memory: What `encoder` gave.
            beam_size: Integer K, hypotheses a sentence.
            max_length: Integer, target positions that the search may run.

        Returns:
            Constants, a nest of tensors `[B, ...]`, and empty caches, a nest of tensors `[B, K, ...]`. The search
            reorders caches when hypotheses change places, but not what is under the key "kept", and never constants.
        """
        raise NotImplementedError

    def decoder_step(self, tokens: Any, position: Any, constants: Any, caches: Any) -> tuple[Any, Any]:
        """Runs one target position of every hypothesis.

        Args:
            tokens: int32 tensor `[B, K]`, the tokens before the ones to predict; the begin id at position 0.
            position: int32 scalar tensor, the position, from 0.
            constants: What `prepare` gave.
            caches: What `prepare` or the previous step gave.

        Returns:
            Logits `[B, K, V]`, float32, and the new caches.
        """
        raise NotImplementedError

    def attention(self, memory: Any, target_input: Any, layer: int | None = None) -> Any:
        """How much each target position attends to each source position, by teacher forcing: soft alignments.

        Args:
            memory: What `encoder` gave for source ids `[B, S]`.
            target_input: int32 tensor `[B, T]`, target-input ids.
            layer: Layer of the decoder whose cross-attention is meant, from 1. Default: of a Transformer the last but
                one, which aligns best (Garg et al., 2019, section 3.2); the only one of a recurrent decoder.

        Returns:
            Float32 tensor `[B, T, S]`, the mean over heads: in row t what was looked at to predict the token that
            follows target input t. Rows sum to at most 1.

        Raises:
            ValueError: There is no such layer, or the model does not attend to source positions.

        Reference:
            [Garg et al., 2019](https://arxiv.org/abs/1909.02074), section 3.
        """
        raise NotImplementedError

    def with_dtype(self, dtype: str) -> TranslationModel:
        """A copy with equal weights that computes in another dtype, and knows of no replicas.

        Args:
            dtype: Dtype policy, such as "float32".
        """
        copy = type(self).from_config({**self.get_config(), "dtype": dtype})
        copy.set_weights(self.get_weights())
        return copy

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> TranslationModel:
        return cls(**config)  # Keras would make any layers that the configuration names
