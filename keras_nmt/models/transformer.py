"""The Transformer."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

import keras

from keras_nmt.models._search_models import Prepare, SearchModels, Step
from keras_nmt.models._transformer_parts import SIDES, TransformerParts
from keras_nmt.models.presets import TRANSFORMER_PRESETS
from keras_nmt.models.token_embedding import TokenEmbedding
from keras_nmt.models.translation_model import TranslationModel


@keras.saving.register_keras_serializable(package="keras_nmt")
class Transformer(TranslationModel):
    """The Transformer for translation, with any combination of lexical shortcuts, composition and roles.

    A functional Keras model `(source ids [B, S], target-input ids [B, T]) -> logits [B, T, V]`; see `TranslationModel`
    for the parts that search uses. Attention projections and the output have no biases, positions no weights.

    Args:
        source_vocabulary_size: Integer, number of source subwords; of all subwords where the vocabulary is joint.
        target_vocabulary_size: Integer V, number of target subwords. Default None: joint with the source.
        num_encoder_layers: Integer. Default 6.
        num_decoder_layers: Integer. Default 6.
        hidden_dim: Integer, width d of all states; a multiple of `num_heads`. Default 512.
        num_heads: Integer, attention heads. Default 8.
        intermediate_dim: Integer, inner width of the feed-forward networks. Default 2048.
        dropout: Float, dropout rate of embeddings and of each sub-layer's output. Default 0.1.
        attention_dropout: Float, dropout rate of attention weights. Default 0.
        activation_dropout: Float, dropout rate inside the feed-forward networks. Default 0.
        norm: "pre" (default), with a LayerNorm at the end of each stack; or "post", without.
        tie_embeddings: Boolean, default True: source, target and output are one table where the vocabulary is joint,
            else target and output are. False: three tables.
        shortcuts: None (default), "plain" or "fusion": the kind of lexical shortcut.
        shortcut_source: "lexical" (default): the embeddings E. "non_lexical": the states one layer further down than
            the attention's input: H_{l-2} for the self-attention of layer l (E in layers 1 and 2), and the encoder's
            H_{L-1} for cross-attention; not normalised.
        shortcut_sites: Any of "self" (default) and "cross": the attentions that have shortcuts.
        shortcut_sides: Any of "encoder" and "decoder" (default: both). Cross-attention belongs to the decoder.
        layer_composition: What encoder and decoder give: None (default), the last layer's states; or the composition of
            all layers' states, "linear", "hierarchical", "low_rank" (Eq. 10 of Li et al.) or "extended" (Eq. 11). See
            `TransformerEncoder`.
        head_composition: How all attentions combine their heads: None or "linear" (default None), "hierarchical",
            "low_rank" or "extended". See `MultiHeadAttention`.
        composition_rank: Integer, rank of the poolings of layers and heads. Default None: `hidden_dim`.
        head_intermediate_dim: Integer, inner width of the hierarchical aggregation of heads. Default None: twice
            `hidden_dim`.
        output_projection: Boolean, default True. Whether W_O follows the pooling of heads.
        roles: None (default): no roles. "dense", "softmax" or "one_hot": a `RoleInteraction` with this assignment
            between the embeddings and the positions, on each side. "contextualized": `ContextualizedEmbedding` there.
        num_roles: Integer, number of roles. Default 32.
        role_context: "lstm" (default) or "cnn": what roles read the context with. The source is read both ways, the
            target from the left only.
        role_units: Integer, units of the LSTM or CNN, a direction. Default None: `num_roles`.
        role_residual: Boolean, default True. Whether the embedding is added to what the roles make of it. Always so
            for low rank and for "contextualized".
        role_low_rank: Boolean, default False. Whether the tensor of role interaction is of low rank.
        role_straight_through: Boolean, default False. Whether "one_hot" roles are one-hot in training too.
        role_exclusive: Boolean, default False. Whether a target word's role sees the words before it only.
        role_dropout: Float, dropout rate of the roles. Default None: `dropout`.
        **kwargs: Further arguments of `keras.Model`: `name`, `trainable`, and `dtype`, the dtype policy of all layers.

    Raises:
        TypeError: An argument is unknown.
        ValueError: A size is no positive integer, a rate is out of range, an option is unknown, or the sites and
            sides of shortcuts leave none.

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
        attention_dropout: float = 0.0,
        activation_dropout: float = 0.0,
        norm: str = "pre",
        tie_embeddings: bool = True,
        shortcuts: str | None = None,
        shortcut_source: str = "lexical",
        shortcut_sites: Sequence[str] = ("self",),
        shortcut_sides: Sequence[str] = SIDES,
        layer_composition: str | None = None,
        head_composition: str | None = None,
        composition_rank: int | None = None,
        head_intermediate_dim: int | None = None,
        output_projection: bool = True,
        roles: str | None = None,
        num_roles: int = 32,
        role_context: str = "lstm",
        role_units: int | None = None,
        role_residual: bool = True,
        role_low_rank: bool = False,
        role_straight_through: bool = False,
        role_exclusive: bool = False,
        role_dropout: float | None = None,
        **kwargs: Any,
    ) -> None:
        if unknown := sorted(set(kwargs) - {"name", "trainable", "dtype"}):
            raise TypeError(f"`Transformer` has no such arguments. Received: {', '.join(unknown)}")
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
        options: dict[str, Any] = {
            "num_heads": num_heads,
            "hidden_dim": hidden_dim,
            "intermediate_dim": intermediate_dim,
            "dropout": dropout,
            "attention_dropout": attention_dropout,
            "activation_dropout": activation_dropout,
            "norm": norm,
            "shortcuts": shortcuts,
            "shortcut_source": shortcut_source,
            "shortcut_sites": shortcut_sites,
            "shortcut_sides": shortcut_sides,
            "layer_composition": layer_composition,
            "head_composition": head_composition,
            "composition_rank": composition_rank,
            "head_intermediate_dim": head_intermediate_dim,
            "output_projection": output_projection,
            "roles": roles,
            "num_roles": num_roles,
            "role_context": role_context,
            "role_units": role_units,
            "role_residual": role_residual,
            "role_low_rank": role_low_rank,
            "role_straight_through": role_straight_through,
            "role_exclusive": role_exclusive,
            "role_dropout": role_dropout,
        }
        parts = TransformerParts(**options, dtype=policy)
        hidden_dim = parts.options["hidden_dim"]  # an int, whatever integer was given
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
            **parts.options,
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
        """Makes a model of the sizes of a preset.

        Args:
            preset: "transformer_tiny", "transformer_small", "transformer_base_half", "transformer_base" or
                "transformer_big".
            **overrides: Any constructor argument; they win over the preset's. `source_vocabulary_size` is needed.

        Returns:
            A freshly initialised `Transformer`.

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
        return cls(**config)
