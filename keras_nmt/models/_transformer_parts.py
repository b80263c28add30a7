"""The two sides of a Transformer, around embeddings that a model gives them."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, ClassVar

import keras
from keras import ops

from keras_nmt.ids import PAD
from keras_nmt.layers import ContextualizedEmbedding, RoleInteraction, TransformerDecoder, TransformerEncoder
from keras_nmt.layers._common import check_choice, check_positive, check_rate, optional_size
from keras_nmt.models._search_models import check_layer
from keras_nmt.models.positional_encoding import PositionalEncoding
from keras_nmt.models.token_embedding import TokenEmbedding

SITES = ("self", "cross")
SIDES = ("encoder", "decoder")
ROLES = (None, "dense", "softmax", "one_hot", "contextualized")
ROLE_CONTEXTS = ("lstm", "cnn")


class TransformerParts:
    """Makes the sides of one Transformer, or of several alike. Arguments: those of `Transformer`.

    Attributes:
        options: The arguments, checked and as `get_config` gives them.
    """

    def __init__(
        self,
        *,
        num_heads: int,
        hidden_dim: int,
        intermediate_dim: int,
        dropout: float,
        attention_dropout: float = 0.0,
        activation_dropout: float = 0.0,
        norm: str = "pre",
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
        dtype: Any,
    ) -> None:
        check_positive(num_heads=num_heads, hidden_dim=hidden_dim, intermediate_dim=intermediate_dim)
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
        check_rate(role_dropout=role_dropout or 0.0)
        self.options: dict[str, Any] = {
            "hidden_dim": int(hidden_dim),
            "num_heads": int(num_heads),
            "intermediate_dim": int(intermediate_dim),
            "dropout": dropout,
            "attention_dropout": attention_dropout,
            "activation_dropout": activation_dropout,
            "norm": norm,
            "shortcuts": shortcuts,
            "shortcut_source": shortcut_source,
            "shortcut_sites": list(sites),
            "shortcut_sides": list(sides),
            "layer_composition": layer_composition,
            "head_composition": head_composition,
            "composition_rank": optional_size("composition_rank", composition_rank),
            "head_intermediate_dim": optional_size("head_intermediate_dim", head_intermediate_dim),
            "output_projection": output_projection,
            "roles": roles,
            "num_roles": int(num_roles),
            "role_context": role_context,
            "role_units": optional_size("role_units", role_units),
            "role_residual": role_residual,
            "role_low_rank": role_low_rank,
            "role_straight_through": role_straight_through,
            "role_exclusive": role_exclusive,
            "role_dropout": role_dropout,
        }
        self.dtype = dtype

    # Neither has weights: all sides use them.

    @functools.cached_property
    def positions(self) -> PositionalEncoding:
        return PositionalEncoding(dtype=self.dtype, name="positions")

    @functools.cached_property
    def embedding_dropout(self) -> keras.layers.Dropout:
        return keras.layers.Dropout(self.options["dropout"], dtype=self.dtype, name="embedding_dropout")

    def shortcut(self, site: str, side: str) -> str | None:
        """The kind of shortcut at a site of a side."""
        here = site in self.options["shortcut_sites"] and side in self.options["shortcut_sides"]
        return self.options["shortcuts"] if here else None

    def encoder(self, num_layers: int, prefix: str = "") -> TransformerEncoder:
        """The stack of a source side; its name begins with the prefix."""
        return TransformerEncoder(
            num_layers, shortcut=self.shortcut("self", "encoder"), **self._stack(), name=f"{prefix}encoder"
        )

    def decoder(self, num_layers: int, prefix: str = "") -> TransformerDecoder:
        """The stack of a target side; its name begins with the prefix."""
        return TransformerDecoder(
            num_layers,
            shortcut=self.shortcut("self", "decoder"),
            cross_shortcut=self.shortcut("cross", "decoder"),
            **self._stack(),
            name=f"{prefix}decoder",
        )

    def source_side(self, stack: TransformerEncoder, embedding: TokenEmbedding, prefix: str = "") -> TransformerSource:
        """The side that reads."""
        return TransformerSource(self, embedding, stack, prefix)

    def target_side(self, stack: TransformerDecoder, embedding: TokenEmbedding, prefix: str = "") -> TransformerTarget:
        """The side that writes."""
        return TransformerTarget(self, embedding, stack, prefix)

    def _stack(self) -> dict[str, Any]:
        names = (
            "num_heads",
            "hidden_dim",
            "intermediate_dim",
            "dropout",
            "attention_dropout",
            "activation_dropout",
            "norm",
            "shortcut_source",
            "layer_composition",
            "head_composition",
            "composition_rank",
            "head_intermediate_dim",
            "output_projection",
        )
        return {**{name: self.options[name] for name in names}, "dtype": self.dtype}

    def roles(self, side: str, prefix: str) -> Any:
        """The role layer of "source" or "target", or None."""
        options = self.options
        context, on_target = options["role_context"], side == "target"
        shared: dict[str, Any] = {
            "context": "bilstm" if context == "lstm" and not on_target else context,
            "context_units": options["role_units"],
            "causal": on_target,
            "exclusive": options["role_exclusive"] and on_target,
            "dropout": options["dropout"] if options["role_dropout"] is None else options["role_dropout"],
            "dtype": self.dtype,
            "name": f"{prefix}{side}_roles",
        }
        if options["roles"] is None:
            return None
        if options["roles"] == "contextualized":
            return ContextualizedEmbedding(options["num_roles"], **shared)
        return RoleInteraction(
            options["num_roles"],
            options["roles"],
            residual=options["role_residual"],
            low_rank=options["role_low_rank"],
            straight_through=options["role_straight_through"],
            **shared,
        )


class _Side:
    """What both sides have: embeddings, roles, positions, and a stack of layers."""

    name: ClassVar[str]

    def __init__(self, parts: TransformerParts, embedding: TokenEmbedding, stack: Any, prefix: str) -> None:
        self.embedding = embedding
        self.positions = parts.positions
        self.dropout = parts.embedding_dropout
        self.roles = parts.roles(self.name, prefix)
        self.stack = stack
        self.cross_lexical = parts.shortcut("cross", "decoder") is not None
        self.shortcut_source = parts.options["shortcut_source"]

    def _first_states(self, ids: Any, mask: Any = None) -> Any:
        """E, `[B, T, d]`, what enters the first layer."""
        if self.roles is None:
            return self.dropout(self.positions(self.embedding(ids)))
        return self.positions(self.roles(self.dropout(self.embedding(ids)), mask=mask))


class TransformerSource(_Side):
    """Source ids to memory."""

    name = "source"

    def __call__(self, ids: Any) -> dict[str, Any]:
        mask = ops.not_equal(ids, PAD)  # [B, S]
        embedded = self._first_states(ids, mask)
        states, layer_states = self.stack(embedded, mask=mask, return_states=True)
        memory = {"states": states, "mask": mask}
        if self.cross_lexical:
            memory["lexical"] = embedded if self.shortcut_source == "lexical" else layer_states[-2]
        return memory


class TransformerTarget(_Side):
    """Target-input ids and memory to logits."""

    name = "target"

    def logits(self, ids: Any, memory: dict[str, Any]) -> Any:
        decoded = self.stack(
            self._first_states(ids),  # causal: padding comes after
            memory["states"],
            memory_lexical=memory.get("lexical"),
            memory_mask=memory["mask"],
        )
        return self.embedding(decoded, reverse=True)  # [B, T, V]

    def attention(self, ids: Any, memory: dict[str, Any], layer: int | None = None) -> Any:
        _, attention = self.stack(
            self._first_states(ids),
            memory["states"],
            memory_lexical=memory.get("lexical"),
            memory_mask=memory["mask"],
            training=False,
            return_attention=True,
        )
        number = max(len(attention) - 1, 1) if layer is None else layer
        check_layer(number, len(attention))
        return ops.mean(ops.cast(attention[number - 1], "float32"), axis=1)  # [B, H, T, S] -> [B, T, S]

    def prepare(self, memory: dict[str, Any], beam_size: int, max_length: int) -> tuple[Any, Any]:
        constants, layer_caches = self.stack.prepare(memory["states"], beam_size, max_length, memory.get("lexical"))
        caches = {"layers": layer_caches}
        if self.roles is not None:
            caches["roles"] = self.roles.empty_cache(ops.shape(memory["states"])[0], beam_size)
        return {"layers": constants, "mask": memory["mask"]}, caches

    def step(self, tokens: Any, position: Any, constants: dict[str, Any], caches: dict[str, Any]) -> tuple[Any, Any]:
        new_caches: dict[str, Any] = {}
        x = self.embedding(tokens)  # [B, K, d]
        if self.roles is not None:
            x, new_caches["roles"] = self.roles.step(x, position, caches["roles"])
        x = self.positions(x, position=position)  # E at this position
        x, new_caches["layers"] = self.stack.step(x, position, constants["layers"], caches["layers"], constants["mask"])
        logits = self.embedding(x, reverse=True, vocabulary_first=True)
        return ops.transpose(logits, (1, 2, 0)), new_caches  # [B, K, V]


def _subset(name: str, values: Sequence[str], choices: Sequence[str]) -> tuple[str, ...]:
    """The chosen values in the order of the choices; a string alone counts as one value."""
    chosen = (values,) if isinstance(values, str) else tuple(values)
    if not chosen or not set(chosen) <= set(choices):
        raise ValueError(
            f"`{name}` must be one or more of {', '.join(map(repr, choices))}. Received: {name}={values!r}"
        )
    return tuple(choice for choice in choices if choice in chosen)
