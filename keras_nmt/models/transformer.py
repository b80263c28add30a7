from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

import keras
from keras import ops

from keras_nmt.ids import PAD
from keras_nmt.layers import ContextualizedEmbedding, RoleInteraction, TransformerDecoder, TransformerEncoder
from keras_nmt.layers._common import check_choice, check_positive, optional_size
from keras_nmt.models.positional_encoding import PositionalEncoding
from keras_nmt.models.presets import TRANSFORMER_PRESETS
from keras_nmt.models.token_embedding import TokenEmbedding
from keras_nmt.models.translation_model import TranslationModel

SITES = ("self", "cross")
SIDES = ("encoder", "decoder")
ROLES = (None, "dense", "softmax", "one_hot", "contextualized")
ROLE_CONTEXTS = ("lstm", "cnn")


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
        sites = _subset("shortcut_sites", shortcut_sites, SITES)
        sides = _subset("shortcut_sides", shortcut_sides, SIDES)
        if shortcuts is not None and "cross" in sites and "decoder" not in sides:
            raise ValueError(
                "Cross-attention belongs to the decoder: add 'decoder' to `shortcut_sides` or leave 'cross' out of "
                f"`shortcut_sites`. Received: shortcut_sites={shortcut_sites!r}, shortcut_sides={shortcut_sides!r}"
            )
        check_choice("roles", roles, ROLES)
        check_choice("role_context", role_context, ROLE_CONTEXTS)
        if roles == "contextualized" and (role_low_rank or role_straight_through):
            raise ValueError(
                "`role_low_rank` and `role_straight_through` belong to role interaction. "
                f"Received: roles={roles!r}, role_low_rank={role_low_rank!r}, "
                f"role_straight_through={role_straight_through!r}"
            )
        # Also where nothing uses them: a typing error would pass unseen.
        check_positive(num_roles=num_roles)
        num_roles = int(num_roles)
        composition_rank = optional_size("composition_rank", composition_rank)
        head_intermediate_dim = optional_size("head_intermediate_dim", head_intermediate_dim)
        role_units = optional_size("role_units", role_units)
        for name, size in (
            ("source_vocabulary_size", source_vocabulary_size),
            ("target_vocabulary_size", target_vocabulary_size),
        ):
            if size is not None and (not isinstance(size, numbers.Integral) or size < 5):
                raise ValueError(f"`{name}` must be an integer above 4, the reserved ids. Received: {name}={size!r}")

        source_vocabulary_size = int(source_vocabulary_size)
        target_vocabulary_size = None if target_vocabulary_size is None else int(target_vocabulary_size)

        def shortcut_of(site: str, side: str) -> str | None:
            return shortcuts if site in sites and side in sides else None

        cross_shortcut = shortcut_of("cross", "decoder")
        stack = {
            "num_heads": num_heads,
            "hidden_dim": hidden_dim,
            "intermediate_dim": intermediate_dim,
            "dropout": dropout,
            "attention_dropout": attention_dropout,
            "activation_dropout": activation_dropout,
            "norm": norm,
            "shortcut_source": shortcut_source,
            "layer_composition": layer_composition,
            "head_composition": head_composition,
            "composition_rank": composition_rank,
            "head_intermediate_dim": head_intermediate_dim,
            "output_projection": output_projection,
            "dtype": policy,
        }
        encoder_stack = TransformerEncoder(
            num_encoder_layers, shortcut=shortcut_of("self", "encoder"), **stack, name="encoder"
        )
        decoder_stack = TransformerDecoder(
            num_decoder_layers,
            shortcut=shortcut_of("self", "decoder"),
            cross_shortcut=cross_shortcut,
            **stack,
            name="decoder",
        )
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

        def role_layer(side: str) -> Any:
            shared: dict[str, Any] = {
                "context": "bilstm" if role_context == "lstm" and side == "source" else role_context,
                "context_units": role_units,
                "causal": side == "target",
                "exclusive": role_exclusive and side == "target",
                "dropout": dropout if role_dropout is None else role_dropout,
                "dtype": policy,
                "name": f"{side}_roles",
            }
            if roles is None:
                return None
            if roles == "contextualized":
                return ContextualizedEmbedding(num_roles, **shared)
            return RoleInteraction(
                num_roles,
                roles,
                residual=role_residual,
                low_rank=role_low_rank,
                straight_through=role_straight_through,
                **shared,
            )

        positions = PositionalEncoding(dtype=policy, name="positions")
        embedding_dropout = keras.layers.Dropout(dropout, dtype=policy, name="embedding_dropout")
        source_roles, target_roles = role_layer("source"), role_layer("target")

        def first_states(ids: Any, embedding: TokenEmbedding, role_layer: Any, mask: Any) -> Any:
            """E, `[B, T, d]`, what enters the first layer."""
            if role_layer is None:
                return embedding_dropout(positions(embedding(ids)))
            return positions(role_layer(embedding_dropout(embedding(ids)), mask=mask))

        # Encoder: source ids to memory.
        source = keras.Input((None,), dtype="int32", name="source")
        mask = ops.not_equal(source, PAD)  # [B, S]
        embedded = first_states(source, source_embedding, source_roles, mask)
        states, layer_states = encoder_stack(embedded, mask=mask, return_states=True)
        memory = {"states": states, "mask": mask}
        if cross_shortcut is not None:
            memory["lexical"] = embedded if shortcut_source == "lexical" else layer_states[-2]

        # Teacher forcing: target-input ids to logits.
        target_input = keras.Input((None,), dtype="int32", name="target_input")
        decoded = decoder_stack(
            first_states(target_input, target_embedding, target_roles, None),  # causal: padding comes after
            memory["states"],
            memory_lexical=memory.get("lexical"),
            memory_mask=memory["mask"],
        )
        logits = target_embedding(decoded, reverse=True)  # [B, T, V]

        super().__init__(inputs=[source, target_input], outputs=logits, **kwargs)

        self.source_vocabulary_size = source_vocabulary_size
        self.target_vocabulary_size = target_vocabulary_size or source_vocabulary_size
        self._config = {
            "source_vocabulary_size": source_vocabulary_size,
            "target_vocabulary_size": target_vocabulary_size,
            "num_encoder_layers": int(num_encoder_layers),
            "num_decoder_layers": int(num_decoder_layers),
            "hidden_dim": int(hidden_dim),
            "num_heads": int(num_heads),
            "intermediate_dim": int(intermediate_dim),
            "dropout": dropout,
            "attention_dropout": attention_dropout,
            "activation_dropout": activation_dropout,
            "norm": norm,
            "tie_embeddings": tie_embeddings,
            "shortcuts": shortcuts,
            "shortcut_source": shortcut_source,
            "shortcut_sites": list(sites),
            "shortcut_sides": list(sides),
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
            "dtype": policy.name,
        }
        # Search models share these layers' weights, behind an object that Keras does not look into.
        self._search = _SearchModels(
            encoder=keras.Model(source, memory, name="encoder_model"),
            prepare=_Prepare(target_roles, decoder_stack, dtype=policy, name="prepare"),
            step=_Step(target_embedding, target_roles, positions, decoder_stack, dtype=policy, name="decoder_step"),
        )

    @property
    def encoder(self) -> keras.Model:  # type: ignore[override]
        return self._search.encoder

    def prepare(self, memory: dict[str, Any], beam_size: int, max_length: int) -> tuple[Any, Any]:
        return self._search.prepare(memory, beam_size=beam_size, max_length=max_length)

    def decoder_step(self, tokens: Any, position: Any, constants: Any, caches: Any) -> tuple[Any, Any]:
        return self._search.step(tokens, position, constants, caches)

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


class _Prepare(keras.layers.Layer):
    """Memory to constants and empty caches. A layer, so that weights are cast as the dtype policy says."""

    def __init__(self, roles: Any, decoder: TransformerDecoder, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.roles = roles
        self.decoder = decoder
        self.supports_masking = True
        self.built = True

    def call(self, memory: dict[str, Any], beam_size: int, max_length: int) -> tuple[Any, Any]:
        constants, layer_caches = self.decoder.prepare(memory["states"], beam_size, max_length, memory.get("lexical"))
        caches = {"layers": layer_caches}
        if self.roles is not None:
            caches["roles"] = self.roles.empty_cache(ops.shape(memory["states"])[0], beam_size)
        return {"layers": constants, "mask": memory["mask"]}, caches


class _Step(keras.layers.Layer):
    """One target position of every hypothesis: tokens [B, K] to logits [B, K, V]."""

    def __init__(
        self,
        embedding: TokenEmbedding,
        roles: Any,
        positions: PositionalEncoding,
        decoder: TransformerDecoder,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.embedding = embedding
        self.roles = roles
        self.positions = positions
        self.decoder = decoder
        self.supports_masking = True
        self.built = True

    def call(self, tokens: Any, position: Any, constants: dict[str, Any], caches: dict[str, Any]) -> tuple[Any, Any]:
        new_caches = {}
        x = self.embedding(tokens)  # [B, K, d]
        if self.roles is not None:
            x, new_caches["roles"] = self.roles.step(x, position, caches["roles"])
        x = self.positions(x, position=position)  # E at this position
        x, new_caches["layers"] = self.decoder.step(
            x, position, constants["layers"], caches["layers"], constants["mask"]
        )
        return self.embedding(x, reverse=True), new_caches  # [B, K, V]


class _SearchModels:
    """Keeps the search models out of Keras' sight, which would track, count and save their shared weights again."""

    def __init__(self, encoder: keras.Model, prepare: _Prepare, step: _Step) -> None:
        self.encoder = encoder
        self.prepare = prepare
        self.step = step


def _subset(name: str, values: Sequence[str], choices: Sequence[str]) -> tuple[str, ...]:
    """The chosen values in the order of the choices; a string alone counts as one value."""
    chosen = (values,) if isinstance(values, str) else tuple(values)
    if not chosen or not set(chosen) <= set(choices):
        raise ValueError(
            f"`{name}` must be one or more of {', '.join(map(repr, choices))}. Received: {name}={values!r}"
        )
    return tuple(choice for choice in choices if choice in chosen)
