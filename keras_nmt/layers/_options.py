"""Options that several constructors share: names, defaults and checks, in one place."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Sequence
from typing import Any, Self, TypeVar

from keras_nmt.layers._common import (
    SHORTCUT_SOURCES,
    STARTS,
    NoEffect,
    check_choice,
    check_effect,
    check_positive,
    check_rate,
    constructor_parameters,
    optional_size,
)
from keras_nmt.layers._mechanisms import (
    COMPOSITIONS,
    FEED_FORWARDS,
    HEAD_COMPOSITIONS,
    NORMS,
    POSITIONS,
    is_in_attention,
)
from keras_nmt.layers.mechanism import Mechanism, as_json, choose, mechanism_of

# Options of later releases: a configuration has these only if they are set, so other configurations are unchanged.
LATER = (
    "norm_position",
    "feed_forward",
    "positions",
    "num_key_value_heads",
    "layer_composition_sides",
    "head_composition_sides",
)
POOLINGS = ("low_rank", "extended")  # of low rank
NORM_POSITIONS = ("pre", "post")

F = TypeVar("F", bound=Callable[..., None])


@dataclasses.dataclass(frozen=True, kw_only=True)
class Options:
    """A frozen dataclass of constructor arguments."""

    @classmethod
    def take(cls, arguments: dict[str, Any], **more: Any) -> Self:
        """Makes the options from keyword arguments, and removes these arguments from the dictionary.

        Args:
            arguments: Dictionary of keyword arguments, including options.
            **more: Further options.
        """
        return cls(**more, **take_arguments(cls, arguments))

    def config(self, kind: type[Options] | None = None) -> dict[str, Any]:
        """The options of the class, or of a base class `kind`, by name, as `get_config` returns them."""
        defaults = {field.name: field.default for field in dataclasses.fields(self)}
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(kind or self)}
        return {name: as_json(value) for name, value in values.items() if name not in LATER or value != defaults[name]}

    @classmethod
    def converted(cls, config: dict[str, Any]) -> dict[str, Any]:
        """A configuration of an earlier release, which accepted options without effect, as one of this release."""
        config = split_rank(config)
        names = {field.name for field in dataclasses.fields(cls)}
        needed = {field.name: 1 for field in dataclasses.fields(cls) if field.default is dataclasses.MISSING}
        while True:
            try:
                cls(**needed | {name: value for name, value in config.items() if name in names})
            except NoEffect as error:
                config = {name: value for name, value in config.items() if name != error.name}
            except (ValueError, TypeError):  # the constructor reports it
                return config
            else:
                return config

    def _needs(self, has_partner: bool, partner: str, *names: str) -> None:
        """Rejects options that are not at their defaults, if the option that gives them an effect is missing."""
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if field.name in names and value != field.default:
                check_effect(has_partner, partner, **{field.name: value})

    def _choose(self, **known: Any) -> None:
        """Checks options that are names or mechanisms, given the known names of each."""
        self._set(**{name: choose(name, getattr(self, name), names) for name, names in known.items()})

    def _set(self, **values: Any) -> None:
        """Replaces options by their normalised values, in `__post_init__`."""
        for name, value in values.items():
            object.__setattr__(self, name, value)


def split_rank(arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments of an earlier release, which had one rank for layers and heads, with a rank of each."""
    if "composition_rank" not in arguments:
        return arguments
    rest = {name: value for name, value in arguments.items() if name != "composition_rank"}
    parts = [part for part in ("layer", "head") if rest.get(f"{part}_composition") in POOLINGS]
    return {**rest, **{f"{part}_composition_rank": arguments["composition_rank"] for part in parts}}


def take_arguments(of: type, arguments: dict[str, Any]) -> dict[str, Any]:
    """Removes the named arguments of a constructor from keyword arguments, and returns them."""
    return {name: arguments.pop(name) for name in constructor_parameters(of) if name in arguments}


def with_options(of: type, without: Sequence[str] = ()) -> Callable[[F], F]:
    """Lists the arguments of another constructor in the signature of a constructor that takes them by `**kwargs`.

    `help` and `inspect` show these arguments.

    Args:
        of: The other constructor, such as a class of options.
        without: Sequence of names that are not listed. Defaults to none.
    """

    def decorate(constructor: F) -> F:
        signature = inspect.signature(constructor)
        *own, kwargs = signature.parameters.values()
        names = {*(parameter.name for parameter in own), *without}
        more = [
            parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for parameter in constructor_parameters(of).values()
            if parameter.name not in names and parameter.kind != inspect.Parameter.VAR_KEYWORD
        ]
        constructor.__signature__ = signature.replace(parameters=[*own, *more, kwargs])  # type: ignore[attr-defined]
        return constructor

    return decorate


@dataclasses.dataclass(frozen=True, kw_only=True)
class LayerOptions(Options):
    """Options of one Transformer layer; `TransformerEncoderLayer` describes them."""

    num_heads: int
    hidden_dim: int
    intermediate_dim: int
    dropout: float = 0.0
    attention_dropout: float = 0.0
    activation_dropout: float = 0.0
    norm: str | Mechanism = "pre"
    norm_position: str = "pre"
    feed_forward: str | Mechanism = "relu"
    positions: str | Mechanism | None = None
    num_key_value_heads: int | None = None
    head_composition: str | Mechanism | None = None
    head_composition_rank: int | None = None
    composition_start: str = "random"
    composition_residual: bool = False
    head_intermediate_dim: int | None = None
    output_projection: bool = True

    def __post_init__(self) -> None:
        sizes = {name: getattr(self, name) for name in ("num_heads", "hidden_dim", "intermediate_dim")}
        check_positive(**sizes)
        check_rate(
            dropout=self.dropout,
            attention_dropout=self.attention_dropout,
            activation_dropout=self.activation_dropout,
        )
        self._choose(norm=NORMS, feed_forward=FEED_FORWARDS, head_composition=HEAD_COMPOSITIONS)
        check_choice("norm_position", self.norm_position, NORM_POSITIONS)
        self._check_positions()
        check_choice("composition_start", self.composition_start, STARTS)
        self._set(
            num_key_value_heads=optional_size("num_key_value_heads", self.num_key_value_heads),
            **{name: int(size) for name, size in sizes.items()},
            head_composition_rank=optional_size("head_composition_rank", self.head_composition_rank),
            head_intermediate_dim=optional_size("head_intermediate_dim", self.head_intermediate_dim),
        )
        has_position = self.norm in (*NORM_POSITIONS, "released")
        self._needs(not has_position, "`norm='rms'` or a `Mechanism`", "norm_position")
        takes = self._takes("feed_forward", FEED_FORWARDS)
        self._needs(takes("dropout"), "a `feed_forward` that takes `dropout`", "activation_dropout")
        takes = self._takes("head_composition", HEAD_COMPOSITIONS)
        self._needs(takes("rank"), "`head_composition` 'low_rank' or 'extended'", "head_composition_rank")
        self._needs(takes("intermediate_dim"), "`head_composition='hierarchical'`", "head_intermediate_dim")

    def _check_positions(self) -> None:
        """Checks the positions of queries and keys."""
        self._choose(positions=POSITIONS)
        mechanism = mechanism_of(self.positions, POSITIONS)
        if mechanism is not None and not is_in_attention(mechanism):
            raise ValueError(
                "These positions are added to embeddings; a layer takes those of queries and keys, such as 'rotary'. "
                f"Received: positions={self.positions!r}"
            )

    def _takes(self, name: str, known: Any) -> Callable[[str], bool]:
        """Whether the layer of an option takes an argument."""
        mechanism = mechanism_of(getattr(self, name), known)
        return lambda argument: mechanism is not None and mechanism.takes(argument)

    @property
    def is_pre_norm(self) -> bool:
        """Whether norms are before the sub-layers and at the end of a stack."""
        return "post" not in (self.norm, self.norm_position)


@dataclasses.dataclass(frozen=True, kw_only=True)
class StackOptions(LayerOptions):
    """Options of a stack of Transformer layers; `TransformerEncoder` describes them."""

    shortcut_source: str = "lexical"
    layer_composition: str | Mechanism | None = None
    layer_composition_rank: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("shortcut_source", self.shortcut_source, SHORTCUT_SOURCES)
        self._choose(layer_composition=COMPOSITIONS)
        self._set(layer_composition_rank=optional_size("layer_composition_rank", self.layer_composition_rank))
        takes = self._takes("layer_composition", COMPOSITIONS), self._takes("head_composition", HEAD_COMPOSITIONS)
        self._needs(takes[0]("rank"), "`layer_composition` 'low_rank' or 'extended'", "layer_composition_rank")
        partner = "`layer_composition`, or `head_composition` other than 'linear'"
        for argument in ("start", "residual"):
            is_taken = any(of_part(argument) for of_part in takes)
            self._needs(is_taken, partner, f"composition_{argument}")

    def check_shortcut(self, shortcut: str | Mechanism | None) -> None:
        """Rejects a source of shortcuts where there are none."""
        self._needs(shortcut is not None, "`shortcut`", "shortcut_source")
