"""The base class of translation models with several languages."""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Mapping, Sequence
from typing import Any

import keras
from keras import ops

from keras_nmt.errors import check_choice, is_integer, require
from keras_nmt.ids import PAD
from keras_nmt.layers import AttentiveRecurrentDecoder, Dropout, LuongAttention, RecurrentEncoder
from keras_nmt.models._sides import RecurrentSource, RecurrentTarget, TransformerSource, TransformerTarget
from keras_nmt.models.factory import TransformerFactory
from keras_nmt.models.quantize import check_copyable
from keras_nmt.models.sides_config import SidesConfig
from keras_nmt.models.token_embedding import TokenEmbedding
from keras_nmt.models.translation_model import CommonModel, SearchModels, TargetSide, TranslationModel, Untracked


class MultilingualModel(CommonModel, keras.Model):
    """The base class of multilingual models: languages, directions, and encoders and decoders of either kind.

    The model holds the weights, and is trained, saved and restored as a whole. `pair` returns the translation model of
    one direction, which shares the weights. The multilingual model itself cannot be called.

    Args:
        vocabulary_sizes: Mapping of each language to the number of its subwords.
        **kwargs: The fields of `SidesConfig`, and further arguments of `keras.Model`; see `AttentionBridgeModel`.

    Attributes:
        languages: Tuple of the languages.
        directions: Tuple of all directions (source, target), including those from a language to itself.
        vocabulary_sizes: Dictionary of the number of subwords of each language.
        encodes_by: "source" or "target": which language of a direction selects the encoder.
        positions_before_target, num_labels, alignment_head, alignment_layer: See `TranslationModel`.
    """

    def __init__(self, vocabulary_sizes: Mapping[str, int], **kwargs: Any) -> None:
        known = [field.name for field in dataclasses.fields(SidesConfig)]
        if unknown := sorted(set(kwargs) - {*known, "name", "trainable", "dtype"}):
            raise TypeError(f"`{type(self).__name__}` has no such arguments. Received: {', '.join(unknown)}")
        policy = keras.dtype_policies.get(kwargs.pop("dtype", None) or keras.config.dtype_policy())
        config = SidesConfig(**{name: kwargs.pop(name) for name in known if name in kwargs})
        problem = "{languages} must map each language to the size of its vocabulary"
        require(isinstance(vocabulary_sizes, Mapping) and vocabulary_sizes, problem, languages=vocabulary_sizes)
        for language, size in vocabulary_sizes.items():
            check_language(language)
            problem = f"A vocabulary size must be an integer above 4, the reserved ids. Received: {language}={size!r}"
            require(is_integer(size) and size >= 5, problem)
        super().__init__(**kwargs)
        self.languages = tuple(vocabulary_sizes)
        self._config = config
        self._policy = policy
        transformer = config.transformer_config()
        self._factory = None if transformer is None else TransformerFactory(transformer, policy)
        self.alignment_head = None if transformer is None else transformer.alignment_head
        self.alignment_layer = None if transformer is None else transformer.alignment_layer
        self._dropout = (
            Dropout(config.dropout, dtype=policy, name="embedding_dropout")
            if self._factory is None
            else self._factory.embedding_dropout
        )
        sizes = {language: int(size) for language, size in vocabulary_sizes.items()}
        self._views = _Views(vocabulary_sizes=sizes, pairs={}, encoders={}, bridges={})
        self.built = True

    @property
    def vocabulary_sizes(self) -> dict[str, int]:
        return dict(self._views.vocabulary_sizes)

    @property
    def directions(self) -> tuple[tuple[str, str], ...]:
        """All directions (source, target), including those from a language to itself."""
        return tuple(itertools.product(self.languages, self.languages))

    def pair(self, source: str, target: str) -> TranslationModel:
        """Returns the translation model of one direction, which shares this model's weights.

        Args:
            source: String, language to translate from.
            target: String, language to translate to, which can be the same.

        Returns:
            The `TranslationModel`; the same object every time. In training, it adds the mean penalty over sentences to
            the loss. It is saved with this model, not separately.

        Raises:
            ValueError: A language is unknown.
        """
        self._check_languages(source, target)
        pairs = self._views.pairs
        if (source, target) not in pairs:
            encoder, penalties = self._encoder(source, target)
            target_input = keras.Input((None,), dtype="int32", name="target_input")
            side = self._target_side(target)
            logits = side.logits(target_input, encoder.output)  # [B, T, V]
            if penalties is not None:
                logits = _AddPenalties(name="penalties")(logits, penalties, encoder.input)
            search = SearchModels(encoder, side, self._policy)
            pairs[source, target] = _Pair(self, source, target, [encoder.input, target_input], logits, search)
        return pairs[source, target]

    def encoder_for(self, source: str, target: str) -> keras.Model:
        """Returns the functional model from source ids to the memory; see `TranslationModel.encoder_for`."""
        self._check_languages(source, target)
        return self._encoder(source, target)[0]

    def decoder_for(self, target: str) -> TargetSide:
        """Returns the part that maps a memory to logits of a language: `logits(ids, memory)`, `prepare` and `step`."""
        self._check_languages(target)
        return self._target_side(target)

    def views(self) -> list[keras.Model]:
        encoders = [encoder for encoder, _ in self._views.encoders.values()]
        return [*self._views.pairs.values(), *encoders, *self._views.bridges.values()]

    def with_language(self, language: str, vocabulary_size: int, freeze: bool = True) -> MultilingualModel:
        """Makes a model with one more language, and leaves this model unchanged.

        Args:
            language: String, the new language.
            vocabulary_size: Integer, the number of its subwords.
            freeze: Boolean, whether the existing weights are excluded from training. This is not saved: a loaded model
                trains all weights, unless they are frozen again (`frozen` of the experiment). Defaults to True.

        Returns:
            The model, with this model's weights and new weights for the language.

        Raises:
            ValueError: The language exists, or an argument is out of range.
            UserError: The model is quantised, or has an adapter.
        """
        check_copyable(self)
        problem = f"The model already has the languages {', '.join(self.languages)}"
        require(language not in self.languages, problem, language=language)
        config = self.get_config()
        model = type(self).from_config({**config, "languages": {**config["languages"], language: vocabulary_size}})
        weights_by_path = {weight.path: weight for weight in self.weights}
        for weight in model.weights:
            if weight.path in weights_by_path:
                weight.assign(weights_by_path[weight.path].numpy())
                if freeze:
                    weight.trainable = False
        return model

    def call(self, inputs: Any) -> Any:
        raise TypeError(
            f"Call the model of a direction: `model.pair(source, target)`. Received: {type(inputs).__name__}"
        )

    def _build_all(self, languages: Sequence[str]) -> None:
        """Builds all weights, by the directions from languages to themselves, and applies `uniform_start`."""
        for language in languages:
            self.pair(language, language)
        if (limit := self._config.uniform_start) is not None:
            for weight in self.trainable_weights:
                weight.assign(keras.random.uniform(weight.shape, -limit, limit, dtype=weight.dtype))

    def get_config(self) -> dict[str, Any]:
        return {
            **self._config.as_json(),
            "name": self.name,
            "trainable": self.trainable,
            "dtype": self._policy.name,
        }

    def _encoder(self, source: str, target: str) -> tuple[keras.Model, Any]:
        """Returns the model of `encoder_for`, which is made once, and its penalties."""
        key = source if self.encodes_by == "source" else target
        encoders = self._views.encoders
        if key not in encoders:
            ids = keras.Input((None,), dtype="int32", name="source")
            memory, penalties = self._memory(ids, source, target)
            encoders[key] = keras.Model(ids, memory, name=f"{key}_encoder_model"), penalties
        return encoders[key]

    # Sub-classes define these parts.

    @property
    def positions_before_source(self) -> int | None:
        """The number of memory positions before the source positions; None if the memory has no source positions."""
        return 0

    def _memory(self, ids: Any, source: str, target: str) -> tuple[dict[str, Any], Any]:
        """Maps source ids `[B, S]` to the memory, and to penalties `[B]` for the loss, or None."""
        raise NotImplementedError

    def _target_side(self, target: str) -> TargetSide:
        raise NotImplementedError

    # Sub-classes are built of these parts.

    def _embedding(self, vocabulary_size: int, name: str) -> TokenEmbedding:
        config, transformer = self._config, None if self._factory is None else self._factory.config
        return TokenEmbedding(
            vocabulary_size,
            config.hidden_dim,
            tie_weights=config.tie_output,
            scale=transformer is not None and transformer.scale_embeddings,
            logits_bias=transformer is not None and transformer.logits_bias,
            dtype=self._policy,
            name=name,
        )

    def _make_source_side(self, embedding: TokenEmbedding, prefix: str = "") -> Any:
        config = self._config
        if config.encoder == "transformer":
            assert self._factory is not None
            stack = self._factory.encoder(config.num_encoder_layers, prefix)
            return TransformerSource(self._factory, embedding, stack, prefix)
        encoder = RecurrentEncoder(
            config.num_encoder_layers,
            config.hidden_dim,
            dropout=config.dropout,
            use_cudnn=config.use_cudnn,
            dtype=self._policy,
            name=f"{prefix}encoder",
        )
        return RecurrentSource(embedding, self._dropout, encoder)

    def _make_target_side(
        self, embedding: TokenEmbedding, prefix: str = "", attention: LuongAttention | None = None
    ) -> Any:
        config = self._config
        if config.decoder == "transformer":
            assert self._factory is not None
            stack = self._factory.decoder(config.num_decoder_layers, prefix)
            return TransformerTarget(self._factory, embedding, stack, prefix)
        decoder = AttentiveRecurrentDecoder(
            config.num_decoder_layers,
            config.hidden_dim,
            score=config.attention_score,
            input_feeding=config.input_feeding,
            dropout_in_loop=config.dropout_in_loop,
            dropout=config.dropout,
            attention=attention,
            dtype=self._policy,
            name=f"{prefix}decoder",
        )
        return RecurrentTarget(embedding, self._dropout, decoder)

    def _track(self, *sides: Any) -> None:
        """Sets the layers of sides as attributes of this model, under their names."""
        for side in sides:
            others = (getattr(side, name, None) for name in ("positions", "roles", "norm"))
            for layer in (side.embedding, *others, side.stack):
                if layer is not None:
                    setattr(self, layer.name, layer)

    def _with_initial(self, memory: dict[str, Any]) -> dict[str, Any]:
        """Replaces the final states of an encoder in its memory by the initial state of a recurrent decoder."""
        final = memory.pop("final", None)
        if self._config.decoder != "recurrent":
            return memory
        if final is None:  # the encoder is a Transformer: use the mean over the sentence
            weights = ops.expand_dims(ops.cast(memory["mask"], "float32"), -1)  # [B, S, 1]
            total = ops.sum(weights * ops.cast(memory["states"], "float32"), axis=1)
            return {**memory, "initial": total / ops.maximum(ops.sum(weights, axis=1), 1.0)}
        return {**memory, "initial": final}

    def _check_sides_fit(self) -> None:
        """Checks that each layer of a recurrent decoder has a layer of the encoder to start from."""
        config = self._config
        kinds = config.encoder, config.decoder
        if kinds == ("recurrent", "recurrent") and config.num_encoder_layers != config.num_decoder_layers:
            raise ValueError(
                "Without a bridge, encoder and decoder must have the same number of layers. "
                f"Received: num_encoder_layers={config.num_encoder_layers}, "
                f"num_decoder_layers={config.num_decoder_layers}"
            )

    def _check_cross_shortcuts(self) -> None:
        config = self._config
        has_them = self._factory is not None and self._factory.config.has_cross_shortcuts
        is_right = not has_them or config.encoder == config.decoder == "transformer"
        problem = "Shortcuts on cross-attention need a Transformer encoder and decoder: leave 'cross' out of `sites`"
        require(is_right, problem, encoder=config.encoder, decoder=config.decoder, transformer=config.transformer)

    def _check_languages(self, *languages: str) -> None:
        for language in languages:
            check_choice("language", language, self.languages)


def check_language(language: Any) -> None:
    """Checks the name of a language, which becomes part of the names of files, layers and signatures.

    Raises:
        ValueError: The name does not consist of letters, digits, "-" and "_", or does not begin with a letter.
    """
    is_right = isinstance(language, str) and re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", language)
    problem = "The name of a language must be letters, digits, '-' and '_', and begin with a letter, such as 'de'"
    require(is_right, f"{problem}. Received: {language!r}")


class _Pair(TranslationModel):
    """The translation model of one direction of a multilingual model."""

    def __init__(
        self, owner: MultilingualModel, source: str, target: str, inputs: Any, logits: Any, search: SearchModels
    ) -> None:
        super().__init__(inputs=inputs, outputs=logits, name=f"{source}_{target}")
        self.source_vocabulary_size = owner.vocabulary_sizes[source]
        self.target_vocabulary_size = owner.vocabulary_sizes[target]
        self._view = _PairView(owner=owner, source=source, target=target)
        self.positions_before_source = owner.positions_before_source
        self.positions_before_target = owner.positions_before_target
        self.alignment_head, self.alignment_layer = owner.alignment_head, owner.alignment_layer
        self.num_labels = owner.num_labels
        self._search = search

    def attention(self, memory: dict[str, Any], target_input: Any, layer: int | None = None) -> Any:
        before = self.positions_before_source
        if before is None:
            raise ValueError(
                "The decoder attends to the vectors of the attention bridge, not to source positions. "
                f"Received: {type(self._view.owner).__name__} with a bridge"
            )
        return super().attention(memory, target_input, layer)[:, :, before:]

    def get_config(self) -> dict[str, Any]:
        raise ValueError(
            "The model of one direction shares its weights with a multilingual model: save that model instead. "
            f"Received: {self._view.source}-{self._view.target} of {type(self._view.owner).__name__}"
        )

    def with_dtype(self, dtype: str) -> TranslationModel:
        return self._view.owner.with_dtype(dtype).pair(self._view.source, self._view.target)


class _PairView(Untracked):
    """The multilingual model and the direction of a `_Pair`."""

    owner: MultilingualModel
    source: str
    target: str


class _Views(Untracked):
    """Models made of a multilingual model's layers, which Keras must not track, count and save again."""

    vocabulary_sizes: dict[str, int]
    pairs: dict[tuple[str, str], _Pair]
    encoders: dict[str, tuple[keras.Model, Any]]
    bridges: dict[str, keras.Model]


class _AddPenalties(keras.layers.Layer):
    """Adds the mean penalty over the sentences of a batch to the loss in training."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(dtype="float32", **kwargs)
        self.supports_masking = True
        self.built = True

    def call(self, logits: Any, penalties: Any, ids: Any, training: bool | None = None) -> Any:
        if training:
            sentences = ops.sum(ops.cast(ops.any(ops.not_equal(ids, PAD), axis=1), "float32"))  # not rows of padding
            self.add_loss(ops.cast(ops.sum(penalties) / ops.maximum(sentences, 1.0), keras.config.floatx()))
        return logits

    def compute_output_shape(self, logits_shape: Any, penalties_shape: Any, ids_shape: Any) -> Any:
        return logits_shape
