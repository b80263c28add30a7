"""The configuration of a Transformer, and the factory that makes its layers from the configuration."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence
from typing import Any

import keras

from keras_nmt.errors import check_choice, require
from keras_nmt.layers import (
    SSRU,
    Composition,
    Dropout,
    FeedForward,
    GatedFeedForward,
    KeyValueProjection,
    LayerSpec,
    MultiHeadAttention,
    Roles,
    RotaryEncoding,
    Shortcuts,
    TransformerDecoder,
    TransformerDecoderLayer,
    TransformerEncoder,
    TransformerEncoderLayer,
)
from keras_nmt.layers._common import (
    LAYER_NORM_EPSILON,
    check_booleans,
    check_effect,
    check_positive,
    check_rate,
    optional_size,
    subset,
)
from keras_nmt.layers.layer_spec import as_json, choose, spec_of
from keras_nmt.layers.mechanisms import (
    SIDES,
    SITES,
    CompositionTree,
    MechanismConfig,
    PositionsLayer,
    StepwiseLayer,
    check_members,
)
from keras_nmt.models.positional_encoding import PositionalEncoding

NORM_POSITIONS = ("pre", "post")
FEED_FORWARDS = {
    "relu": LayerSpec(FeedForward, activation="relu"),
    "gelu": LayerSpec(FeedForward, activation="gelu"),
    "swish": LayerSpec(FeedForward, activation="silu"),
    "swiglu": LayerSpec(GatedFeedForward, activation="silu"),
}
_LAYER_NORM = LayerSpec(keras.layers.LayerNormalization)
NORMS = {**dict.fromkeys(("pre", "post", "released"), _LAYER_NORM), "rms": LayerSpec(keras.layers.RMSNormalization)}
DECODER_SELF_ATTENTIONS = {"attention": LayerSpec(MultiHeadAttention), "ssru": LayerSpec(SSRU)}
POSITIONS = {"sinusoidal": LayerSpec(PositionalEncoding), "rotary": LayerSpec(RotaryEncoding)}
KNOWN: dict[str, dict[str, LayerSpec]] = {  # the arguments that take a name or a `LayerSpec`
    "norm": NORMS,
    "feed_forward": FEED_FORWARDS,
    "positions": POSITIONS,
    "decoder_self_attention": DECODER_SELF_ATTENTIONS,
}
MECHANISMS: dict[str, type[MechanismConfig]] = {  # the arguments that take an object, a kind or their JSON forms
    "shortcuts": Shortcuts,
    "layer_composition": Composition,
    "head_composition": Composition,
    "roles": Roles,
}


def act_on_attention(positions: LayerSpec) -> bool:
    """Returns whether layers of positions act on the queries and keys of self-attentions, not on embeddings."""
    return getattr(positions.layer, "in_attention", PositionsLayer.in_attention)


@dataclasses.dataclass(frozen=True, kw_only=True)
class TransformerConfig:
    """The arguments of a `Transformer` that both sides share; see `Transformer` for their descriptions."""

    num_heads: int
    hidden_dim: int
    intermediate_dim: int
    dropout: float = 0.0
    attention_dropout: float = 0.0
    activation_dropout: float = 0.0
    norm: str | LayerSpec = "pre"
    norm_position: str = "pre"
    feed_forward: str | LayerSpec = "relu"
    positions: str | LayerSpec = "sinusoidal"
    decoder_self_attention: str | LayerSpec = "attention"
    num_key_value_heads: int | None = None
    tied_layers: Sequence[str] = ()
    attention_bias: bool = False
    norm_epsilon: float = LAYER_NORM_EPSILON
    scale_embeddings: bool = True
    embedding_norm: bool = False
    logits_bias: bool = False
    source_end: bool = True
    alignment_head: int | None = None
    alignment_layer: int | None = None
    shortcuts: Shortcuts | None = None
    layer_composition: Composition | None = None
    head_composition: Composition | None = None
    roles: Roles | None = None

    def __post_init__(self) -> None:
        sizes = {name: getattr(self, name) for name in ("num_heads", "hidden_dim", "intermediate_dim")}
        check_positive(**sizes)
        rates = ("dropout", "attention_dropout", "activation_dropout", "norm_epsilon")
        check_rate(**{name: getattr(self, name) for name in rates})
        flags = [field.name for field in dataclasses.fields(self) if field.type == "bool"]
        check_booleans(**{name: getattr(self, name) for name in flags})
        check_choice("norm_position", self.norm_position, NORM_POSITIONS)
        values: dict[str, Any] = {name: int(size) for name, size in sizes.items()}
        values["num_key_value_heads"] = optional_size("num_key_value_heads", self.num_key_value_heads)
        values["tied_layers"] = subset("tied_layers", self.tied_layers, SIDES) if self.tied_layers else ()
        values |= {name: optional_size(name, getattr(self, name)) for name in ("alignment_head", "alignment_layer")}
        if (values["alignment_head"] or 1) > self.num_heads:
            raise ValueError(
                "`alignment_head` must be at most `num_heads`. "
                f"Received: alignment_head={self.alignment_head}, num_heads={self.num_heads}"
            )
        for name, known in KNOWN.items():
            values[name] = choose(name, getattr(self, name), known)
        for name, value in values.items():
            object.__setattr__(self, name, value)
        check_effect(
            self.norm == "rms" or isinstance(self.norm, LayerSpec),
            "`norm='rms'` or a `LayerSpec`",
            norm_position=None if self.norm_position == "pre" else self.norm_position,
        )
        check_effect(
            spec_of(self.feed_forward, FEED_FORWARDS).takes("dropout"),
            "a `feed_forward` that takes `dropout`",
            activation_dropout=self.activation_dropout or None,
        )
        is_right = self.layer_composition is None or self.layer_composition.output_projection
        problem = "`output_projection` has an effect on `head_composition` only"
        require(is_right, f"{problem}. Received: layer_composition={self.layer_composition}")
        is_right = self.head_composition is None or self.head_composition.kind != "linear"
        problem = "W_O already combines heads linearly: leave out `head_composition`"
        require(is_right, f"{problem}. Received: head_composition='linear'")
        if not self.decoder_attends_to_itself:
            self._check_recurrent_layer()

    def _check_recurrent_layer(self) -> None:
        """Checks the layer that replaces the decoder's self-attention, and that every shortcut has an attention."""
        kind, shortcuts = self.decoder_self_attention, self.shortcuts
        layer = spec_of(kind, DECODER_SELF_ATTENTIONS).layer
        check_members("A layer that replaces the decoder's self-attention", layer, StepwiseLayer)
        if shortcuts is None or not shortcuts.are_at("self", "decoder"):
            return
        if (shortcuts.sites, shortcuts.sides) != (SITES, SIDES):  # otherwise each value has an effect somewhere
            raise ValueError(
                "A decoder without self-attention can have shortcuts on cross-attention only: use sides='encoder', "
                f"sites='cross', or both sites on both sides. Received: sites={shortcuts.sites!r}, "
                f"sides={shortcuts.sides!r}, decoder_self_attention={kind!r}"
            )

    @property
    def decoder_attends_to_itself(self) -> bool:
        """Whether the decoder has self-attention."""
        return self.decoder_self_attention == "attention"

    @property
    def residual(self) -> str:
        """The kind of residual connections; see `TransformerEncoderLayer`."""
        return self.norm if self.norm in ("post", "released") else self.norm_position  # type: ignore[return-value]

    @property
    def has_cross_shortcuts(self) -> bool:
        """Whether cross-attentions have shortcuts."""
        return self.shortcuts is not None and self.shortcuts.are_at("cross", "decoder")

    def as_json(self) -> dict[str, Any]:
        """Returns the arguments by name, in their JSON form."""
        return {field.name: as_json(getattr(self, field.name)) for field in dataclasses.fields(self)}


class TransformerFactory:
    """Makes the layers of one Transformer, or of several sides with the same configuration.

    Args:
        config: `TransformerConfig`.
        dtype: Dtype policy of all layers.
    """

    def __init__(self, config: TransformerConfig, dtype: Any) -> None:
        self.config = config
        self.dtype = dtype
        positions = spec_of(config.positions, POSITIONS)
        # Positions are either added to embeddings, or act on the queries and keys of self-attentions.
        self._attention_positions = positions if act_on_attention(positions) else None
        self._embedding_positions = None if self._attention_positions else positions

    # All sides share the layers of positions and of dropout.

    @functools.cached_property
    def positions(self) -> Any:
        """The layer that adds positions to embeddings; None if the positions act on attentions."""
        return self._embedding_positions and self._embedding_positions.make(dtype=self.dtype, name="positions")

    @functools.cached_property
    def embedding_dropout(self) -> Dropout:
        return Dropout(self.config.dropout, dtype=self.dtype, name="embedding_dropout")

    def embedding_norm(self, name: str) -> Any:
        """Makes the norm of a side's embeddings, or returns None."""
        if not self.config.embedding_norm:
            return None
        return keras.layers.LayerNormalization(epsilon=self.config.norm_epsilon, dtype=self.dtype, name=name)

    def encoder(self, num_layers: int, prefix: str = "") -> TransformerEncoder:
        """Makes the stack of a source side; its name begins with the prefix."""
        return self._stack(TransformerEncoder, self.encoder_layer, num_layers, "encoder", prefix)

    def decoder(self, num_layers: int, prefix: str = "") -> TransformerDecoder:
        """Makes the stack of a target side; its name begins with the prefix."""
        if (self.config.alignment_layer or 1) > num_layers:
            raise ValueError(
                "`alignment_layer` must be at most `num_decoder_layers`. "
                f"Received: alignment_layer={self.config.alignment_layer}, num_decoder_layers={num_layers}"
            )
        return self._stack(TransformerDecoder, self.decoder_layer, num_layers, "decoder", prefix)

    def roles(self, side: str, prefix: str = "") -> Any:
        """Makes the layer of roles on the "source" or "target" side, or returns None."""
        config, roles, on_target = self.config, self.config.roles, side == "target"
        if roles is None:
            return None
        return roles.make(
            name=f"{prefix}{side}_roles",
            dtype=self.dtype,
            context="bilstm" if roles.context == "lstm" and not on_target else roles.context,
            causal=on_target,
            exclusive=roles.exclusive and on_target,
            dropout=config.dropout if roles.dropout is None else roles.dropout,
        )

    # The order in which layers are made here must stay: it determines their random numbers.

    def _stack(self, stack: type, make_layer: Callable[[str], Any], num_layers: int, side: str, prefix: str) -> Any:
        check_positive(**{f"num_{side}_layers": num_layers})
        is_tied = side in self.config.tied_layers
        if is_tied and num_layers < 2:
            raise ValueError(
                f"Tied layers must be at least two: leave {side!r} out of `tied_layers`, or increase "
                f"`num_{side}_layers`. Received: num_{side}_layers={num_layers}"
            )
        composition = self._composition("layer", side, num_layers)
        is_normalised = self.config.residual == "post"
        numbers = range(1, num_layers + 1)
        norms = numbers if composition is not None and not is_normalised else ()
        is_normalised = is_normalised or getattr(composition, "is_normalised", CompositionTree.is_normalised)
        return stack(
            [make_layer(f"layer_{number}") for number in (numbers[:1] if is_tied else numbers)],
            composition,
            [self._norm(f"layer_composition_norm_{number}") for number in norms],
            None if is_normalised else self._norm("final_norm"),
            "lexical" if self.config.shortcuts is None else self.config.shortcuts.source,
            num_layers,
            dtype=self.dtype,
            name=f"{prefix}{side}",
        )

    def encoder_layer(self, name: str) -> TransformerEncoderLayer:
        """Makes a layer of the source side's stack."""
        return TransformerEncoderLayer(**self._layer_parts("encoder"), dtype=self.dtype, name=name)

    def decoder_layer(self, name: str) -> TransformerDecoderLayer:
        """Makes a layer of the target side's stack."""
        return TransformerDecoderLayer(
            **self._layer_parts("decoder"),
            cross_attention=self.attention("cross", "decoder"),
            cross_attention_norm=self._norm("cross_attention_norm"),
            dtype=self.dtype,
            name=name,
        )

    def _layer_parts(self, side: str) -> dict[str, Any]:
        config = self.config
        return {
            "self_attention": self._self_attention(side),
            "self_attention_norm": self._norm("self_attention_norm"),
            "feed_forward": spec_of(config.feed_forward, FEED_FORWARDS).make(
                sizes={"intermediate_dim": config.intermediate_dim, "hidden_dim": config.hidden_dim},
                dropout=config.activation_dropout,
                unset=() if config.activation_dropout else ("dropout",),
                dtype=self.dtype,
                name="feed_forward",
            ),
            "feed_forward_norm": self._norm("feed_forward_norm"),
            "residual_dropout": Dropout(config.dropout, dtype=self.dtype, name="dropout"),
            "residual": config.residual,
        }

    def _self_attention(self, side: str) -> Any:
        """Makes the self-attention of a layer, or the layer that replaces it."""
        if side == "encoder" or self.config.decoder_attends_to_itself:
            return self.attention("self", side)
        return spec_of(self.config.decoder_self_attention, DECODER_SELF_ATTENTIONS).make(
            sizes={"hidden_dim": self.config.hidden_dim}, causal=True, dtype=self.dtype, name="self_attention"
        )

    def _norm(self, name: str) -> Any:
        norm, epsilon = self.config.norm, self.config.norm_epsilon
        unset = ("epsilon",) if isinstance(norm, LayerSpec) and epsilon == LAYER_NORM_EPSILON else ()
        return spec_of(norm, NORMS).make(epsilon=epsilon, unset=unset, dtype=self.dtype, name=name)

    def attention(self, site: str, side: str) -> MultiHeadAttention:
        """Makes the attention of a layer: at the site "self" or "cross", on a side."""
        config: Any = self.config
        shortcuts = config.shortcuts
        key_value_dim = (config.num_key_value_heads or config.num_heads) * (config.hidden_dim // config.num_heads)
        has_shortcut = shortcuts is not None and shortcuts.are_at(site, side)
        key_value = shortcuts if has_shortcut else LayerSpec(KeyValueProjection)
        positions = self._attention_positions if site == "self" else None
        composition = self._composition("head", side, config.num_heads)
        return MultiHeadAttention(
            config.num_heads,
            config.hidden_dim,
            config.attention_dropout,
            config.num_key_value_heads,
            key_value=key_value.make(sizes={"hidden_dim": key_value_dim}, dtype=self.dtype, name="key_value"),
            composition=composition,
            positions=positions and positions.make(dtype=self.dtype, name="positions"),
            output_projection=composition is None or config.head_composition.output_projection,
            use_bias=config.attention_bias,
            dtype=self.dtype,
            name=f"{site}_attention",
        )

    def _composition(self, part: str, side: str, number: int) -> Any:
        """Makes the composition of the layers of a stack (part "layer") or of heads (part "head"), or returns None."""
        composition: Composition | None = getattr(self.config, f"{part}_composition")
        if composition is None or side not in composition.sides:
            return None
        problem = f"A composition needs at least two {part}s. Received: {part}_composition of {number}"
        require(number >= 2, problem)  # also for compositions of a user's own
        options: dict[str, Any] = {"name": f"{part}_composition", "dtype": self.dtype}
        if part == "head" and composition.intermediate_dim is None:
            options["intermediate_dim"] = 2 * self.config.hidden_dim
        sizes = {"num_representations": number, "units": self.config.hidden_dim}
        if part == "head" and composition.is_tree:
            # An aggregate is as wide as a head, unless it is added to all heads, which only the layer knows.
            narrow = composition.make(sizes={**sizes, "units": None}, **options)
            if not getattr(narrow, "residual", CompositionTree.residual):
                return narrow
        return composition.make(sizes=sizes, **options)
