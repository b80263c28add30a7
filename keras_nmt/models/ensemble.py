"""Ensembles: several translation models that act as one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import keras
from keras import ops

from keras_nmt.errors import require
from keras_nmt.models.multilingual_model import MultilingualModel
from keras_nmt.models.translation_model import LogitsSide, TranslationModel, Untracked


class Ensemble(TranslationModel):
    """Several translation models that act as one, which computes the logarithm of their mean probabilities.

    The models can be of any kind and size, but must have the same languages and vocabularies. Each model keeps its own
    memory, constants and caches. An ensemble of multilingual models has all their directions: call `pair(...)` models.

    Args:
        models: Sequence of one or more translation models or multilingual models.

    Raises:
        ValueError: There is no model; languages or sizes of vocabularies differ; or some models have an encoder for
            each source language, and others one for each target language.

    Example:

    >>> from keras_nmt.models import Transformer
    >>> models = [Transformer.from_preset("transformer_tiny", source_vocabulary_size=50) for _ in range(2)]
    >>> ensemble = Ensemble(models)
    >>> log_probabilities = ensemble([ops.array([[7, 8, 3]]), ops.array([[2, 9]])])
    >>> tuple(log_probabilities.shape), round(float(ops.sum(ops.exp(log_probabilities[0, 0]))), 3)
    ((1, 2, 50), 1.0)
    """

    def __init__(self, models: Sequence[TranslationModel | MultilingualModel]) -> None:
        models = list(models)
        sizes = [model.vocabulary_sizes for model in models]
        problem = "An ensemble needs at least one model, and its models must have the same languages and vocabularies"
        require(models and not any(one != sizes[0] for one in sizes), f"{problem}. Received: vocabulary sizes {sizes}")
        if len({model.encodes_by for model in models}) > 1:
            raise ValueError(
                "Models of these kinds can be an ensemble for one direction only: give `model.pair(source, target)` of "
                "each. "
                f"Received: {', '.join(type(model).__name__ for model in models)}"
            )
        source = keras.Input((None,), dtype="int32", name="source")
        target_input = keras.Input((None,), dtype="int32", name="target_input")
        # Each model is wrapped in a layer with a unique name, because Keras rejects equal names. As a Keras model, the
        # ensemble must be functional: it is that of the first direction.
        pairs = [model.pair(*model.directions[0]) for model in models]
        logits = [_Member(pair, name=_name(i))([source, target_input]) for i, pair in enumerate(pairs)]
        super().__init__(inputs=[source, target_input], outputs=_LogMean(name="log_mean")(logits), name="ensemble")
        self.models = models
        self.languages, self.directions = models[0].languages, models[0].directions
        self.encodes_by = models[0].encodes_by
        self.num_labels = max(model.num_labels for model in models)
        before = [pair.positions_before_source for pair in pairs]
        self.positions_before_source = None if None in before else before[0]
        self.positions_before_target = pairs[0].positions_before_target
        self.alignment_head = next((model.alignment_head for model in models if model.alignment_head), None)
        if len(self.directions) == 1:
            self.source_vocabulary_size = pairs[0].source_vocabulary_size
            self.target_vocabulary_size = pairs[0].target_vocabulary_size
        self._views = _Views(pairs={}, encoders={}, sides={})

    @property
    def vocabulary_sizes(self) -> dict[str, int]:
        return self.models[0].vocabulary_sizes

    def call(self, inputs: Any, training: bool | None = None, mask: Any = None) -> Any:
        if len(self.directions) > 1:
            raise TypeError(
                f"Call the model of a direction: `model.pair(source, target)`. Received: {type(inputs).__name__}"
            )
        return super().call(inputs, training=training, mask=mask)

    def pair(self, source: str, target: str) -> TranslationModel:
        if len(self.directions) == 1:
            return super().pair(source, target)
        pairs = self._views.pairs
        if (source, target) not in pairs:
            pairs[source, target] = Ensemble([model.pair(source, target) for model in self.models])
        return pairs[source, target]

    def encoder_for(self, source: str, target: str) -> keras.Model:
        encoders = [model.encoder_for(source, target) for model in self.models]
        key = source if self.encodes_by == "source" else target
        if key not in self._views.encoders:
            ids = keras.Input((None,), dtype="int32", name="source")
            # A dictionary, because Keras unpacks a list of one output.
            memories = {_name(i): _Member(encoder, name=_name(i))(ids) for i, encoder in enumerate(encoders)}
            self._views.encoders[key] = keras.Model(ids, memories, name="encoders")
        return self._views.encoders[key]

    def decoder_for(self, target: str) -> LogitsSide:
        sides = [model.decoder_for(target) for model in self.models]
        return self._views.sides.setdefault(tuple(map(id, sides)), _MeanSide(sides))

    @property
    def encoder(self) -> keras.Model:
        return self.encoder_for(*self.directions[0])

    def views(self) -> list[keras.Model]:
        views_of_pairs = [*self._views.pairs.values(), *self._views.encoders.values()]
        return [view for model in self.models for view in model.views()] + views_of_pairs

    def prepare(self, memory: Any, beam_size: int, max_length: int | None) -> tuple[Any, Any]:
        prepared = [model.prepare(memory[_name(i)], beam_size, max_length) for i, model in enumerate(self.models)]
        return [constants for constants, _ in prepared], [caches for _, caches in prepared]

    def output_kernel(self, ids: Any = None) -> Any:
        return [model.output_kernel(ids) for model in self.models]

    def decoder_step(
        self, tokens: Any, position: Any, constants: Any, caches: Any, output_kernel: Any = None
    ) -> tuple[Any, Any]:
        kernels = [None] * len(self.models) if output_kernel is None else output_kernel
        steps = [
            model.decoder_step(tokens, position, *parts)
            for model, *parts in zip(self.models, constants, caches, kernels, strict=True)
        ]
        return _log_mean([logits for logits, _ in steps]), [new_caches for _, new_caches in steps]

    def attention(self, memory: Any, target_input: Any, layer: int | None = None) -> Any:
        attentions = [model.attention(memory[_name(i)], target_input, layer) for i, model in enumerate(self.models)]
        return ops.mean(ops.stack(attentions), axis=0)

    def with_dtype(self, dtype: str) -> TranslationModel:
        return Ensemble([model.with_dtype(dtype) for model in self.models])


class _Member(keras.layers.Layer):
    """A layer that calls a model."""

    def __init__(self, model: keras.Model, **kwargs: Any) -> None:
        super().__init__(autocast=False, **kwargs)
        self.model = model
        self.supports_masking = True
        self.built = True

    def call(self, inputs: Any, training: bool | None = None) -> Any:
        return self.model(inputs, training=training)


class _LogMean(keras.layers.Layer):
    """Maps the logits `[B, T, V]` of several models to the logarithms of their mean probabilities."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(autocast=False, dtype="float32", **kwargs)
        self.supports_masking = True
        self.built = True

    def call(self, logits: list[Any]) -> Any:
        return _log_mean(logits)


class _MeanSide:
    """The decoders of one target language, one of each model."""

    def __init__(self, sides: list[LogitsSide]) -> None:
        self.sides = sides

    def logits(self, ids: Any, memory: Any) -> Any:
        return _log_mean([side.logits(ids, memory[_name(i)]) for i, side in enumerate(self.sides)])


def logits_among(side: LogitsSide, ids: Any, memory: Any, candidates: Any) -> Any:
    """Computes the logits `[B, T, N]` of candidates `[N]`.

    Those of an ensemble are normalised over the candidates in each model, as in its decoder steps with a shortlist.
    """
    if isinstance(side, _MeanSide):
        members = [logits_among(one, ids, memory[_name(i)], candidates) for i, one in enumerate(side.sides)]
        return _log_mean(members)
    return ops.take(side.logits(ids, memory), candidates, axis=-1)


class _Views(Untracked):
    """Models made of layers of the ensemble's models, which Keras already tracks."""

    pairs: dict[tuple[str, str], Ensemble]
    encoders: dict[str, keras.Model]
    sides: dict[tuple[int, ...], _MeanSide]


def _name(i: int) -> str:
    return f"member_{i}"


def _log_mean(logits: list[Any]) -> Any:
    log_probabilities = [ops.log_softmax(ops.cast(x, "float32"), axis=-1) for x in logits]
    return ops.logsumexp(ops.stack(log_probabilities), axis=0) - math.log(len(logits))
