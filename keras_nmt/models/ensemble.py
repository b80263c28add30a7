from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import keras
from keras import ops

from keras_nmt.models.translation_model import TranslationModel


class Ensemble(TranslationModel):
    """Several translation models as one: what it gives is the log of the mean of their probabilities.

    The models may be of any kinds and sizes, as long as their vocabularies are the same. Each keeps its own memory,
    constants and caches, so that it translates and scores as any model does, at the cost of all of them.

    Args:
        models: Translation models, one or more.

    Raises:
        ValueError: There is none, or their vocabularies differ in size.

    Example:

    >>> from keras_nmt.models import Transformer
    >>> models = [Transformer.from_preset("transformer_tiny", source_vocabulary_size=50) for _ in range(2)]
    >>> ensemble = Ensemble(models)
    >>> log_probabilities = ensemble([ops.array([[7, 8, 3]]), ops.array([[2, 9]])])
    >>> tuple(log_probabilities.shape), round(float(ops.sum(ops.exp(log_probabilities[0, 0]))), 3)
    ((1, 2, 50), 1.0)
    """

    def __init__(self, models: Sequence[TranslationModel]) -> None:
        models = list(models)
        sizes = [(model.source_vocabulary_size, model.target_vocabulary_size) for model in models]
        if len(set(sizes)) != 1:
            raise ValueError(f"An ensemble takes models of the same vocabularies. Received: vocabulary sizes {sizes}")
        source = keras.Input((None,), dtype="int32", name="source")
        target_input = keras.Input((None,), dtype="int32", name="target_input")
        # In layers with names of their own: models that were trained alike are named alike, which Keras refuses.
        logits = [_Member(model, name=_name(i))([source, target_input]) for i, model in enumerate(models)]
        super().__init__(inputs=[source, target_input], outputs=_LogMean(name="log_mean")(logits), name="ensemble")
        self.source_vocabulary_size, self.target_vocabulary_size = sizes[0]
        # By name: of a list of one, Keras gives the one.
        memories = {_name(i): _Member(model.encoder, name=_name(i))(source) for i, model in enumerate(models)}
        self._members = _Members(models, keras.Model(source, memories, name="encoders"))

    @property
    def encoder(self) -> keras.Model:  # type: ignore[override]
        return self._members.encoder

    @property
    def models(self) -> list[TranslationModel]:
        """The models, in their order."""
        return list(self._members.models)

    def prepare(self, memory: Any, beam_size: int, max_length: int) -> tuple[Any, Any]:
        prepared = [model.prepare(memory[_name(i)], beam_size, max_length) for i, model in enumerate(self.models)]
        return [constants for constants, _ in prepared], [caches for _, caches in prepared]

    def decoder_step(self, tokens: Any, position: Any, constants: Any, caches: Any) -> tuple[Any, Any]:
        steps = [
            model.decoder_step(tokens, position, *parts)
            for model, *parts in zip(self.models, constants, caches, strict=True)
        ]
        return _log_mean([logits for logits, _ in steps]), [new_caches for _, new_caches in steps]

    def attention(self, memory: Any, target_input: Any, layer: int | None = None) -> Any:
        found = [model.attention(memory[_name(i)], target_input, layer) for i, model in enumerate(self.models)]
        return ops.mean(ops.stack(found), axis=0)

    def with_dtype(self, dtype: str) -> TranslationModel:
        return Ensemble([model.with_dtype(dtype) for model in self.models])


class _Member(keras.layers.Layer):
    """A model as a layer."""

    def __init__(self, model: keras.Model, **kwargs: Any) -> None:
        super().__init__(autocast=False, **kwargs)
        self.model = model
        self.supports_masking = True
        self.built = True

    def call(self, inputs: Any, training: bool | None = None) -> Any:
        return self.model(inputs, training=training)


class _LogMean(keras.layers.Layer):
    """Logits of several models, [B, T, V] each, to the logarithms of their mean probabilities."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(autocast=False, dtype="float32", **kwargs)
        self.supports_masking = True
        self.built = True

    def call(self, logits: list[Any]) -> Any:
        return _log_mean(logits)


class _Members:
    """Keeps from Keras, which tracks them as layers already, the models and what shares their weights."""

    def __init__(self, models: list[TranslationModel], encoder: keras.Model) -> None:
        self.models = models
        self.encoder = encoder


def _name(i: int) -> str:
    return f"member_{i}"


def _log_mean(logits: list[Any]) -> Any:
    log_probabilities = [ops.log_softmax(ops.cast(x, "float32"), axis=-1) for x in logits]
    return ops.logsumexp(ops.stack(log_probabilities), axis=0) - math.log(len(logits))
