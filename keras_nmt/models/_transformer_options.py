"""The options of a Transformer model's sides."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from keras_nmt.layers import ContextualizedEmbedding, Mechanism, RoleInteraction, RotaryEncoding
from keras_nmt.layers._common import check_choice, check_positive, check_rate, optional_size
from keras_nmt.layers._mechanisms import COMPOSITIONS, HEAD_COMPOSITIONS, SHORTCUTS, is_in_attention
from keras_nmt.layers._options import StackOptions
from keras_nmt.layers.mechanism import mechanism_of
from keras_nmt.layers.role_assignment import DROPOUT_ON
from keras_nmt.models.positional_encoding import PositionalEncoding

SITES = ("self", "cross")
OF_COMPOSITIONS = {  # the options that only a composition of layers, or of heads, has
    "layer": ("layer_composition", "layer_composition_rank"),
    "head": ("head_composition", "head_composition_rank", "head_intermediate_dim", "output_projection"),
}
SIDES = ("encoder", "decoder")
POSITIONS = {"sinusoidal": Mechanism(PositionalEncoding), "rotary": Mechanism(RotaryEncoding)}
ROLES: dict[Any, Mechanism | None] = {
    None: None,
    **{kind: Mechanism(RoleInteraction, assignment=kind) for kind in ("dense", "softmax", "one_hot")},
    "contextualized": Mechanism(ContextualizedEmbedding),
}
# The argument of a role layer that an option gives.
ROLE_ARGUMENTS = {
    "num_roles": "num_roles",
    "role_context": "context",
    "role_units": "context_units",
    "role_residual": "residual",
    "role_low_rank": "low_rank",
    "role_straight_through": "straight_through",
    "role_exclusive": "exclusive",
    "role_dropout": "dropout",
    "role_dropout_on": "dropout_on",
}
ROLE_CONTEXTS = ("lstm", "cnn")


@dataclasses.dataclass(frozen=True, kw_only=True)
class TransformerOptions(StackOptions):
    """Options that the sides of a `Transformer` share; `Transformer` describes them."""

    positions: str | Mechanism = "sinusoidal"  # type: ignore[assignment]
    layer_composition_sides: Sequence[str] = SIDES
    head_composition_sides: Sequence[str] = SIDES
    shortcuts: str | Mechanism | None = None
    shortcut_sites: Sequence[str] = ("self",)
    shortcut_sides: Sequence[str] = SIDES
    roles: str | Mechanism | None = None
    num_roles: int = 32
    role_context: str = "lstm"
    role_units: int | None = None
    role_residual: bool = True
    role_low_rank: bool = False
    role_straight_through: bool = False
    role_exclusive: bool = False
    role_dropout: float | None = None
    role_dropout_on: str = "logits"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._choose(shortcuts=SHORTCUTS, roles=ROLES)
        sites = _subset("shortcut_sites", self.shortcut_sites, SITES)
        sides = _subset("shortcut_sides", self.shortcut_sides, SIDES)
        if self.shortcuts is not None and "cross" in sites and "decoder" not in sides:
            raise ValueError(
                "Cross-attention belongs to the decoder: add 'decoder' to `shortcut_sides` or leave 'cross' out of "
                f"`shortcut_sites`. Received: shortcut_sites={sites!r}, shortcut_sides={sides!r}"
            )
        for part in ("layer", "head"):
            name = f"{part}_composition_sides"
            self._set(**{name: _subset(name, getattr(self, name), SIDES)})
            self._needs(getattr(self, f"{part}_composition") is not None, f"`{part}_composition`", name)
        check_choice("role_context", self.role_context, ROLE_CONTEXTS)
        if self.roles == "contextualized" and (self.role_low_rank or self.role_straight_through):
            raise ValueError(
                "`role_low_rank` and `role_straight_through` belong to role interaction. "
                f"Received: roles={self.roles!r}, role_low_rank={self.role_low_rank!r}, "
                f"role_straight_through={self.role_straight_through!r}"
            )
        check_choice("role_dropout_on", self.role_dropout_on, DROPOUT_ON)
        if self.role_dropout_on != "logits" and self.roles in ("dense", "softmax", "contextualized"):
            raise ValueError(
                "`role_dropout_on` belongs to one-hot roles; others always drop the vector. "
                f"Received: role_dropout_on={self.role_dropout_on!r}, roles={self.roles!r}"
            )
        # Checked without roles, too, so that a typing error does not go unnoticed.
        check_positive(num_roles=self.num_roles)
        if self.role_dropout is not None:
            check_rate(role_dropout=self.role_dropout)
        self._set(
            shortcut_sites=sites,
            shortcut_sides=sides,
            num_roles=int(self.num_roles),
            role_units=optional_size("role_units", self.role_units),
        )
        names = [field.name for field in dataclasses.fields(self)]
        of_shortcuts = [name for name in names if name.startswith("shortcut_")]
        self._needs(self.shortcuts is not None, "`shortcuts`", *of_shortcuts)
        self._needs(self.roles is not None, "`roles`", *ROLE_ARGUMENTS)
        if isinstance(self.roles, Mechanism):
            for name, argument in ROLE_ARGUMENTS.items():
                self._needs(self.roles.takes(argument), f"`roles` that take `{argument}`", name)

    def _check_positions(self) -> None:
        self._choose(positions=POSITIONS)

    @property
    def position_mechanism(self) -> Mechanism:
        """The positions of embeddings, or of queries and keys."""
        return mechanism_of(self.positions, POSITIONS)

    def of_side(self, side: str) -> StackOptions:
        """The options of the stack of a side, which may be without compositions."""
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(StackOptions)}
        defaults = {field.name: field.default for field in dataclasses.fields(StackOptions)}
        values["positions"] = self.positions if is_in_attention(self.position_mechanism) else None
        if self.shortcut("self", side) is None:
            values["shortcut_source"] = defaults["shortcut_source"]
        dropped: list[str] = []
        kept: list[Mechanism | None] = []
        for part, known in (("layer", COMPOSITIONS), ("head", HEAD_COMPOSITIONS)):
            if side in getattr(self, f"{part}_composition_sides"):
                kept.append(mechanism_of(getattr(self, f"{part}_composition"), known))
            else:
                dropped += OF_COMPOSITIONS[part]
        for argument in ("start", "residual"):
            if not any(mechanism is not None and mechanism.takes(argument) for mechanism in kept):
                dropped.append(f"composition_{argument}")
        return StackOptions(**values | {name: defaults[name] for name in dropped})

    def shortcut(self, site: str, side: str) -> str | Mechanism | None:
        """The shortcut at a site of a side."""
        return self.shortcuts if site in self.shortcut_sites and side in self.shortcut_sides else None


def _subset(name: str, values: Any, choices: Sequence[str]) -> tuple[str, ...]:
    """The chosen values in the order of the choices; a string alone counts as one value."""
    chosen = (values,) if isinstance(values, str) else tuple(values) if isinstance(values, Sequence) else ()
    if not chosen or any(value not in choices for value in chosen):
        raise ValueError(
            f"`{name}` must be one or more of {', '.join(map(repr, choices))}. Received: {name}={values!r}"
        )
    return tuple(choice for choice in choices if choice in chosen)
