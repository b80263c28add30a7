"""The parts of a translation model that a search calls, and the interface of the target sides behind them."""

from __future__ import annotations

import types
from typing import Any, Protocol

import keras


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


class _SideLayer(keras.layers.Layer):
    """A layer that calls a target side, so that the dtype policy casts its weights."""

    def __init__(self, side: TargetSide, **kwargs: Any) -> None:
        super().__init__(autocast=False, **kwargs)  # float32 tensors of a memory or a cache stay float32
        self.side = side
        self.supports_masking = True
        self.built = True


class Prepare(_SideLayer):
    """Maps a memory to constants and empty caches."""

    def call(self, memory: dict[str, Any], beam_size: int, max_length: int | None) -> tuple[Any, Any]:
        return self.side.prepare(memory, beam_size, max_length)


class Step(_SideLayer):
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
    if not 1 <= layer <= count:
        raise ValueError(f"The target side attends to the source in layers 1 to {count}. Received: layer={layer}")
    return layer


class Untracked(types.SimpleNamespace):
    """A namespace that Keras does not track.

    Keras tracks the layers and models that are attributes of a model, or in containers that are. If two attributes held
    the same weights, it would count and save them twice. It does not track attributes of this object. A sub-class can
    annotate the attributes.

    Example:

    >>> import keras
    >>> from keras_nmt.layers._keras_private import all_layers
    >>> model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(3)])
    >>> model.views = Untracked(inner=keras.Model(model.inputs, model.outputs))
    >>> model.views.inner in all_layers(model)
    False
    """


class SearchModels(Untracked):
    """The parts of a model that search calls. Keras must not track them, because they share the model's weights."""

    encoder: keras.Model
    prepare: Prepare
    step: Step
