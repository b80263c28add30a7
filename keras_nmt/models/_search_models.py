"""The parts of a translation model that a search calls, for any target side that computes logits step by step."""

from __future__ import annotations

from typing import Any, Protocol

import keras

from keras_nmt.models._untracked import Untracked


class LogitsSide(Protocol):
    """The part of a model that computes logits from target ids and a memory by teacher forcing."""

    def logits(self, ids: Any, memory: Any) -> Any:
        """Target-input ids `[B, T]` and the memory -> logits `[B, T, V]`."""


class TargetSide(LogitsSide, Protocol):
    """The part of a model that computes logits from target ids and a memory, at once or step by step."""

    def attention(self, ids: Any, memory: dict[str, Any], layer: int | None = None) -> Any:
        """See `TranslationModel.attention`; here over all positions of the memory, `[B, T, S']`."""

    def prepare(self, memory: dict[str, Any], beam_size: int, max_length: int | None) -> tuple[Any, Any]:
        """See `TranslationModel.prepare`."""

    def output_kernel(self, ids: Any = None) -> Any:
        """See `TranslationModel.output_kernel`."""

    def step(
        self, tokens: Any, position: Any, constants: Any, caches: Any, output_kernel: Any = None
    ) -> tuple[Any, Any]:
        """See `TranslationModel.decoder_step`."""


class Prepare(keras.layers.Layer):
    """Memory to constants and empty caches. A layer, so that the dtype policy casts the weights."""

    def __init__(self, side: TargetSide, **kwargs: Any) -> None:
        super().__init__(autocast=False, **kwargs)  # float32 tensors of a memory or cache stay float32
        self.side = side
        self.supports_masking = True
        self.built = True

    def call(self, memory: dict[str, Any], beam_size: int, max_length: int | None) -> tuple[Any, Any]:
        return self.side.prepare(memory, beam_size, max_length)


class Step(keras.layers.Layer):
    """One target position of every hypothesis: tokens [B, K] to logits [B, K, V]."""

    def __init__(self, side: TargetSide, **kwargs: Any) -> None:
        super().__init__(autocast=False, **kwargs)  # float32 tensors of a memory or cache stay float32
        self.side = side
        self.supports_masking = True
        self.built = True

    def call(
        self, tokens: Any, position: Any, constants: Any, caches: Any, output_kernel: Any = None
    ) -> tuple[Any, Any]:
        return self.side.step(tokens, position, constants, caches, output_kernel)


def attention_layer(layer: int | None, count: int) -> int:
    """The layer of a target side, from 1, whose attention aligns: the last but one by default.

    Raises:
        ValueError: There is no such layer.
    """
    if layer is None:
        return max(count - 1, 1)
    if not 1 <= layer <= count:
        raise ValueError(f"The target side attends to the source in layers 1 to {count}. Received: layer={layer}")
    return layer


class SearchModels(Untracked):
    """The parts of a model that search calls. Keras must not track them: they share the model's weights."""

    encoder: keras.Model
    prepare: Prepare
    step: Step
