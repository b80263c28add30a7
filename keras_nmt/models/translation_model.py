"""The base class of translation models, with the parts that searches call, and the interface of target sides."""

from __future__ import annotations

import types
from typing import Any, Protocol, Self, TypeVar

import keras

from keras_nmt.errors import is_integer, require
from keras_nmt.models.quantize import check_copyable

M = TypeVar("M", bound=keras.Model)


class CommonModel:
    """The methods and attributes that models of one direction and multilingual models share.

    It is not derived from `keras.Model`, because Keras makes the bases of each functional model functional, too.
    """

    encodes_by: str = "source"
    positions_before_target: int = 0
    num_labels: int = 0
    alignment_head: int | None = None
    alignment_layer: int | None = None

    def views(self) -> list[keras.Model]:
        """Returns the models made of this model's layers, which Keras does not track as its parts."""
        raise NotImplementedError

    def with_dtype(self: M, dtype: str) -> M:
        """Returns a copy with equal weights that computes in another dtype, outside of any distribution strategy.

        The copy does not use cuDNN's kernels.

        Args:
            dtype: String, dtype policy, such as "float32".

        Raises:
            UserError: The model is quantised, or has an adapter.
        """
        check_copyable(self)
        copy = type(self).from_config({**self.get_config(), "dtype": dtype})
        copy.set_weights(self.get_weights())
        return copy

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Self:
        return cls(**config)  # Keras' own method would instantiate any layer named in the configuration


class TranslationModel(CommonModel, keras.Model):
    """A translation model of one direction: a Keras model with teacher forcing, and the parts that a search calls.

    As a Keras model, it maps `(source ids [B, S], target-input ids [B, T])`, int32, to logits `[B, T, V]`, float32. The
    reserved ids are PAD 0, UNK 1, BOS 2 and EOS 3. A source ends with EOS, and a target input begins with BOS.

    A search never calls the whole model. It calls `encoder` and `prepare` once for each sentence and `decoder_step`
    once for each position. All three share the model's weights, and `tf.function` can trace them with or without XLA.
    Memory, constants and caches are nests of tensors that the search passes on without looking into them.

    This model has one direction and does not know its languages, so it calls them "source" and "target".

    Attributes:
        encoder: Functional Keras model, source ids `[B, S]` -> memory, a nest of tensors `[B, ...]`.
        source_vocabulary_size: Integer.
        target_vocabulary_size: Integer V.
        languages: Tuple of the languages.
        directions: Tuple of all directions (source, target) that the model translates.
        encodes_by: "source" or "target": which language of a direction selects the encoder.
        positions_before_source: Integer, the number of memory positions before the source positions; None if the memory
            has no source positions.
        positions_before_target: Integer, the number of target positions that are given, such as a label, before the
            position that predicts the first token.
        num_labels: Integer, the number of language labels in the vocabulary, which must be joint if there are any.
        alignment_head: Integer from 1, the head by which `attention` aligns words; None for the mean over heads. An
            ensemble has the first of its models' heads, and aligns by the mean over models.
        alignment_layer: Integer from 1, the decoder layer by which `attention` aligns words; None for the last but one.
    """

    languages: tuple[str, ...] = ("source", "target")
    directions: tuple[tuple[str, str], ...] = (("source", "target"),)
    positions_before_source: int | None = 0
    source_vocabulary_size: int
    target_vocabulary_size: int
    _search: SearchModels

    @property
    def vocabulary_sizes(self) -> dict[str, int]:
        """The number of subwords of each language."""
        return {"source": self.source_vocabulary_size, "target": self.target_vocabulary_size}

    def pair(self, source: str, target: str) -> TranslationModel:
        """Returns the model of one direction, which is this model itself.

        Args:
            source: String, language to translate from.
            target: String, language to translate to.

        Raises:
            ValueError: The model does not have this direction.
        """
        problem = f"The model has only the direction from source to target. Received: from {source} to {target}"
        require((source, target) in self.directions, problem)
        return self

    def encoder_for(self, source: str, target: str) -> keras.Model:
        """Returns the functional model from source ids `[B, S]` to the memory that the target's decoder reads.

        It depends only on the language that `encodes_by` selects.

        Args:
            source: String, language to translate from.
            target: String, language to translate to.

        Raises:
            ValueError: The model does not have this direction, or a language is unknown.
        """
        return self.pair(source, target).encoder

    def decoder_for(self, target: str) -> LogitsSide:
        """Returns the part that maps a memory to logits by teacher forcing: `logits(target-input ids, memory)`."""
        return self._search.step.side

    @property
    def encoder(self) -> keras.Model:
        return self._search.encoder

    def views(self) -> list[keras.Model]:
        return [self.encoder]

    def prepare(self, memory: Any, beam_size: int, max_length: int | None) -> tuple[Any, Any]:
        """Computes the constants of sentences and empty caches, once for each sentence.

        Args:
            memory: Nest of tensors, the output of `encoder`.
            beam_size: Integer K, hypotheses per sentence.
            max_length: Integer, the largest number of target positions. None: caches grow with each step, which takes
                less time and memory, but is not possible under XLA or JAX, which need fixed shapes.

        Returns:
            Constants, a nest of tensors `[B, ...]`, and empty caches, a nest of tensors `[B, K, ...]`. The search
            reorders caches together with the hypotheses, except caches under the key "not_reordered". It never reorders
            constants.
        """
        return self._search.prepare(memory, beam_size=beam_size, max_length=max_length)

    def output_kernel(self, ids: Any = None) -> Any:
        """Returns the matrix of the output projection, which a search makes once for all calls of `decoder_step`.

        Args:
            ids: int32 tensor `[N]`, the tokens whose logits are computed. Defaults to None: all tokens, N = V.

        Returns:
            Float tensor `[d, N]`, or None for all tokens if the projection has no such matrix, as with int8 weights.
            For an ensemble, a list with one of these for each model.
        """
        return self._search.step.side.output_kernel(ids)

    def decoder_step(
        self, tokens: Any, position: Any, constants: Any, caches: Any, output_kernel: Any = None
    ) -> tuple[Any, Any]:
        """Runs one target position of every hypothesis.

        Args:
            tokens: int32 tensor `[B, K]`, the tokens before the predicted tokens; BOS at position 0.
            position: int32 scalar tensor, the position, from 0.
            constants: Nest of tensors from `prepare`.
            caches: Nest of tensors from `prepare` or from the previous step.
            output_kernel: Result of `output_kernel` for the N tokens whose logits are computed. Defaults to None: all
                tokens.

        Returns:
            Logits `[B, K, V]`, or `[B, K, N]` with `output_kernel`, float32, and the new caches.
        """
        return self._search.step(tokens, position, constants, caches, output_kernel=output_kernel)

    def attention(self, memory: Any, target_input: Any, layer: int | None = None) -> Any:
        """Computes soft alignments: the attention of each target position to each source position.

        Args:
            memory: Nest of tensors, the output of `encoder` for source ids `[B, S]`.
            target_input: int32 tensor `[B, T]`, target-input ids.
            layer: Integer from 1, the decoder layer whose cross-attention is returned. Defaults to the
                `alignment_layer` of a Transformer, or only to its `alignment_head` if it has one; without these, to the
                last but one layer, which aligns best (Garg et al., 2019, section 3.2). A recurrent decoder has a single
                attention.

        Returns:
            float32 tensor `[B, T, S]`, the mean over heads or the attention of one head. Row t is the attention with
            which the model predicts the token after target input t. Rows sum to at most 1.

        Raises:
            ValueError: The layer does not exist, or the model does not attend to source positions.

        Reference:
            [Garg et al., 2019](https://arxiv.org/abs/1909.02074), section 3.
        """
        return self._search.step.side.attention(target_input, memory, layer)


class LogitsSide(Protocol):
    """The part of a model that computes logits from target ids and a memory by teacher forcing."""

    def logits(self, ids: Any, memory: Any) -> Any:
        """Maps target-input ids `[B, T]` and the memory to logits `[B, T, V]`."""


class TargetSide(LogitsSide, Protocol):
    """The part of a model that computes logits from target ids and a memory, for all positions or step by step."""

    def attention(self, ids: Any, memory: dict[str, Any], layer: int | None = None) -> Any:
        """Returns the attention to all positions of the memory, `[B, T, S']`; see `TranslationModel.attention`."""

    def prepare(self, memory: dict[str, Any], beam_size: int, max_length: int | None) -> tuple[Any, Any]:
        """Computes constants and empty caches; see `TranslationModel.prepare`."""

    def output_kernel(self, ids: Any = None) -> Any:
        """Returns the matrix of the output projection; see `TranslationModel.output_kernel`."""

    def step(
        self, tokens: Any, position: Any, constants: Any, caches: Any, output_kernel: Any = None
    ) -> tuple[Any, Any]:
        """Runs one target position; see `TranslationModel.decoder_step`."""


class SideLayer(keras.layers.Layer):
    """A layer that calls a target side. Without it, no dtype policy would cast the weights of the side."""

    def __init__(self, side: TargetSide, **kwargs: Any) -> None:
        super().__init__(autocast=False, **kwargs)  # float32 tensors of a memory or a cache stay float32
        self.side = side
        self.supports_masking = True
        self.built = True


class Prepare(SideLayer):
    """Maps a memory to constants and empty caches."""

    def call(self, memory: dict[str, Any], beam_size: int, max_length: int | None) -> tuple[Any, Any]:
        return self.side.prepare(memory, beam_size, max_length)


class Step(SideLayer):
    """Runs one target position of every hypothesis: tokens `[B, K]` to logits `[B, K, V]`."""

    def call(
        self, tokens: Any, position: Any, constants: Any, caches: Any, output_kernel: Any = None
    ) -> tuple[Any, Any]:
        return self.side.step(tokens, position, constants, caches, output_kernel)


def attention_layer(layer: int | None, count: int) -> int:
    """Returns the number, from 1, of the decoder layer whose attention aligns: by default the last but one.

    Raises:
        ValueError: There is no such layer.
    """
    if layer is None:
        return max(count - 1, 1)
    if not is_integer(layer) or not 1 <= layer <= count:
        raise ValueError(f"The target side attends to the source in layers 1 to {count}. Received: layer={layer!r}")
    return int(layer)


class Untracked(types.SimpleNamespace):
    """A namespace that Keras does not track.

    Keras tracks layers and models in the attributes of a model, and in containers there. If two attributes held the
    same weights, it would count and save them twice. It does not track attributes of this object. A sub-class can
    annotate the attributes.

    Example:

    >>> from keras_nmt.layers._keras_private import all_layers
    >>> model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(3)])
    >>> model.views = Untracked(inner=keras.Model(model.inputs, model.outputs))
    >>> model.views.inner in all_layers(model)
    False
    """


class SearchModels(Untracked):
    """The parts of a model that search calls. Keras must not track them, because they share the model's weights."""

    def __init__(self, encoder: keras.Model, side: TargetSide, dtype: Any) -> None:
        prepare, step = Prepare(side, dtype=dtype, name="prepare"), Step(side, dtype=dtype, name="decoder_step")
        super().__init__(encoder=encoder, prepare=prepare, step=step)
