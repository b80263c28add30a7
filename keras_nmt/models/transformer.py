"""The Transformer."""

from __future__ import annotations

import inspect
import numbers
from typing import Any

import keras

from keras_nmt.errors import nearest
from keras_nmt.layers._options import with_options
from keras_nmt.models._search_models import Prepare, SearchModels, Step
from keras_nmt.models._transformer_options import TransformerOptions
from keras_nmt.models._transformer_parts import TransformerParts
from keras_nmt.models.presets import TRANSFORMER_PRESETS
from keras_nmt.models.token_embedding import TokenEmbedding
from keras_nmt.models.translation_model import TranslationModel


@keras.saving.register_keras_serializable(package="keras_nmt")
class Transformer(TranslationModel):
    """The Transformer for translation, with any combination of lexical shortcuts, composition and roles.

    A functional Keras model `(source ids [B, S], target-input ids [B, T]) -> logits [B, T, V]`; see `TranslationModel`
    for the parts that search calls. Attention projections and the output have no biases, the package's positions no
    weights. A `Mechanism` replaces a named mechanism by a layer of your own; see `docs/own_mechanism.md`.

    Args:
        source_vocabulary_size: Integer, number of source subwords; of all subwords if the vocabulary is joint.
        target_vocabulary_size: Integer V, number of target subwords, or None: the vocabulary is joint. Defaults to
            None.
        num_encoder_layers: Integer, number of encoder layers. Defaults to 6.
        num_decoder_layers: Integer, number of decoder layers. Defaults to 6.
        hidden_dim: Integer, width d of all states; a multiple of `num_heads`. Defaults to 512.
        num_heads: Integer, number of attention heads. Defaults to 8.
        intermediate_dim: Integer, inner width of the feed-forward networks. Defaults to 2048.
        dropout: Float, dropout rate of embeddings and of each sub-layer's output. Defaults to 0.1.
        attention_dropout: Float, dropout rate of attention weights. Defaults to 0.
        activation_dropout: Float, dropout rate inside the feed-forward networks. Defaults to 0.
        norm: "pre" or "post": LayerNorm before the sub-layers and at the end of each stack, or after the sub-layers;
            "released": as the code that Emelin et al. released, see `TransformerEncoderLayer`; "rms":
            `RMSNormalization`; or a `Mechanism`, a norm. Defaults to "pre".
        norm_position: "pre" or "post": where the norm of `norm="rms"` or of a `Mechanism` is. Defaults to "pre".
        feed_forward: "relu" or "gelu": a `FeedForward` with this activation; "swiglu": `GatedFeedForward`, whose three
            matrices have as many weights as the two of "relu" with two thirds of `intermediate_dim`; or a `Mechanism`.
            Defaults to "relu".
        positions: "sinusoidal": `PositionalEncoding` of the embeddings; "rotary": `RotaryEncoding` of the queries and
            keys of self-attentions; or a `Mechanism` of either kind. Defaults to "sinusoidal".
        num_key_value_heads: Integer, number of heads of keys and values in all attentions; see `MultiHeadAttention`.
            Defaults to `num_heads`.
        tie_embeddings: Boolean. True: one table for source, target and output if the vocabulary is joint, otherwise one
            for target and output. False: three tables. Defaults to True.
        shortcuts: None, "plain", "fusion" or "ungated": the kind of lexical shortcut; see `LexicalShortcut`. Or a
            `Mechanism`. Defaults to None.
        shortcut_source: "lexical": the embeddings E. "non_lexical": the states one layer further down than the
            attention's input: H_{l-2} for the self-attention of layer l (E in layers 1 and 2), and the encoder's
            H_{L-1} for cross-attention; not normalised. Defaults to "lexical".
        shortcut_sites: Sequence of "self", "cross" or both: the attentions that have shortcuts. Defaults to
            `("self",)`.
        shortcut_sides: Sequence of "encoder", "decoder" or both: the sides that have shortcuts. Cross-attention belongs
            to the decoder. Defaults to `("encoder", "decoder")`.
        layer_composition: Output of encoder and decoder. None: the last layer's states. "linear", "hierarchical",
            "low_rank" (Eq. 10 of Li et al.), "extended" (Eq. 11) or "bilinear" (Eq. 6, for small widths): the
            composition of all layers' states; see `TransformerEncoder`. Or a `Mechanism`. Defaults to None.
        head_composition: How all attentions combine their heads: None or "linear", "hierarchical", "low_rank",
            "extended" or "bilinear"; see `MultiHeadAttention`. Or a `Mechanism`. Defaults to None.
        layer_composition_sides: Sequence of "encoder", "decoder" or both: the sides whose layers are composed. Defaults
            to `("encoder", "decoder")`.
        head_composition_sides: The same for heads. Cross-attention belongs to the decoder.
        layer_composition_rank: Integer, rank of the pooling of layers. Defaults to `hidden_dim`.
        head_composition_rank: Integer, rank of the pooling of heads. Defaults to `hidden_dim`.
        composition_start: "random", or "identity": the first outputs are those of a model without compositions, such
            as the trained model that training starts from. "linear" layers, and "extended" of full rank, have such a
            start; the others need `composition_residual`. Defaults to "random".
        composition_residual: Boolean, whether the last layer's states, or the joined heads, are added to their
            composition. Defaults to False.
        head_intermediate_dim: Integer, inner width of the hierarchical aggregation of heads. Defaults to twice
            `hidden_dim`.
        output_projection: Boolean, whether W_O follows the pooling of heads. Defaults to True.
        roles: None: no roles. "dense", "softmax" or "one_hot": a `RoleInteraction` with this assignment between the
            embeddings and the positions, on each side. "contextualized": a `ContextualizedEmbedding` there. Or a
            `Mechanism`. Defaults to None.
        num_roles: Integer, number of roles. Defaults to 32.
        role_context: "lstm" or "cnn": the network that reads the context. It reads the source in both directions, the
            target from left to right. Defaults to "lstm".
        role_units: Integer, units of the LSTM or CNN in one direction. Defaults to `num_roles`.
        role_residual: Boolean, whether the embedding is added to the output of the roles. Low rank and "contextualized"
            always add it. Defaults to True.
        role_low_rank: Boolean, whether the tensor of role interaction is of low rank. Defaults to False.
        role_straight_through: Boolean, whether "one_hot" roles are one-hot in training too. Defaults to False.
        role_exclusive: Boolean, whether a target token's role depends on the previous tokens only. Defaults to False.
        role_dropout: Float, dropout rate of the roles. Defaults to `dropout`.
        role_dropout_on: "logits" or "vector": what is dropped of "one_hot" roles; "vector" is the paper's, see
            `RoleAssignment`. Defaults to "logits".
        **kwargs: Further arguments of `keras.Model`: `name`, `trainable`, and `dtype`, the dtype policy of all layers.

    Raises:
        TypeError: An argument is unknown.
        ValueError: A size is not a positive integer, a rate is out of range, an option is unknown or has no effect
            without another one that is missing, or no attention is at the sites and sides of the shortcuts.

    Example:

    >>> import numpy as np
    >>> model = Transformer.from_preset("transformer_tiny", source_vocabulary_size=100, shortcuts="fusion")
    >>> source, target_input = np.array([[5, 6, 7, 3]]), np.array([[2, 8, 9]])
    >>> tuple(model([source, target_input]).shape)
    (1, 3, 100)

    Reference:
        [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762);
        [Emelin et al., 2019](https://arxiv.org/abs/1906.12284), Eq. 5 to 14 and section 4.2;
        [Li et al., 2020](https://arxiv.org/abs/1911.09877), Eq. 4 to 11;
        Weissenborn et al., [Contextualized Role Interaction for Neural Machine
        Translation](https://openreview.net/forum?id=ryx3_iAcY7), submitted to ICLR 2019, section 3.
    """

    @with_options(TransformerOptions)
    def __init__(
        self,
        source_vocabulary_size: int,
        target_vocabulary_size: int | None = None,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        hidden_dim: int = 512,
        num_heads: int = 8,
        intermediate_dim: int = 2048,
        dropout: float = 0.1,
        *,
        tie_embeddings: bool = True,
        **kwargs: Any,
    ) -> None:
        options = TransformerOptions.take(
            kwargs, num_heads=num_heads, hidden_dim=hidden_dim, intermediate_dim=intermediate_dim, dropout=dropout
        )
        if unknown := sorted(set(kwargs) - {"name", "trainable", "dtype"}):
            suggestion = nearest(unknown, inspect.signature(Transformer).parameters) or "its docstring lists them"
            raise TypeError(f"`Transformer` has no such arguments; {suggestion}. Received: {', '.join(unknown)}")
        policy = keras.dtype_policies.get(kwargs.pop("dtype", None) or keras.config.dtype_policy())
        for name, size in (
            ("source_vocabulary_size", source_vocabulary_size),
            ("target_vocabulary_size", target_vocabulary_size),
        ):
            if size is None and name == "target_vocabulary_size":  # joint
                continue
            if isinstance(size, bool) or not isinstance(size, numbers.Integral) or size < 5:
                raise ValueError(f"`{name}` must be an integer above 4, the reserved ids. Received: {name}={size!r}")
        source_vocabulary_size = int(source_vocabulary_size)
        target_vocabulary_size = None if target_vocabulary_size is None else int(target_vocabulary_size)
        parts, hidden_dim = TransformerParts(options, policy), options.hidden_dim
        encoder, decoder = parts.encoder(num_encoder_layers), parts.decoder(num_decoder_layers)
        joint = target_vocabulary_size is None
        if joint and tie_embeddings:
            source_embedding = target_embedding = TokenEmbedding(
                source_vocabulary_size, hidden_dim, dtype=policy, name="embedding"
            )
        else:
            source_embedding = TokenEmbedding(source_vocabulary_size, hidden_dim, dtype=policy, name="source_embedding")
            target_embedding = TokenEmbedding(
                target_vocabulary_size or source_vocabulary_size,
                hidden_dim,
                tie_weights=tie_embeddings,
                dtype=policy,
                name="target_embedding",
            )
        source_side = parts.source_side(encoder, source_embedding)
        target_side = parts.target_side(decoder, target_embedding)

        source = keras.Input((None,), dtype="int32", name="source")
        target_input = keras.Input((None,), dtype="int32", name="target_input")
        memory = source_side(source)
        super().__init__(inputs=[source, target_input], outputs=target_side.logits(target_input, memory), **kwargs)

        self.source_vocabulary_size = source_vocabulary_size
        self.target_vocabulary_size = target_vocabulary_size or source_vocabulary_size
        self._config = {
            "source_vocabulary_size": source_vocabulary_size,
            "target_vocabulary_size": target_vocabulary_size,
            "num_encoder_layers": int(num_encoder_layers),
            "num_decoder_layers": int(num_decoder_layers),
            "tie_embeddings": tie_embeddings,
            **options.config(),
            "dtype": policy.name,
        }
        # The search models share these layers' weights, inside an object that Keras does not track.
        self._search = SearchModels(
            encoder=keras.Model(source, memory, name="encoder_model"),
            prepare=Prepare(target_side, dtype=policy, name="prepare"),
            step=Step(target_side, dtype=policy, name="decoder_step"),
        )

    @classmethod
    def from_preset(cls, preset: str, **overrides: Any) -> Transformer:
        """Makes a model with the sizes of a preset.

        Args:
            preset: String, "transformer_tiny", "transformer_small", "transformer_base_half", "transformer_base" or
                "transformer_big".
            **overrides: Constructor arguments, which override the preset. `source_vocabulary_size` is needed.

        Returns:
            A `Transformer` with initial weights.

        Raises:
            ValueError: The preset is unknown.
        """
        if preset not in TRANSFORMER_PRESETS:
            raise ValueError(f"Unknown preset; known are {', '.join(TRANSFORMER_PRESETS)}. Received: preset={preset!r}")
        return cls(**{**TRANSFORMER_PRESETS[preset], **overrides})

    def get_config(self) -> dict[str, Any]:
        return {**self._config, "name": self.name, "trainable": self.trainable}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Transformer:
        return cls(**TransformerOptions.converted(config))
