"""Options that several constructors share: names, defaults and checks, in one place."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Sequence
from typing import Any, Self, TypeVar

from keras_nmt.layers._common import (
    COMPOSITIONS,
    NORMS,
    POOLINGS,
    SHORTCUT_SOURCES,
    STARTS,
    NoEffect,
    check_choice,
    check_effect,
    check_positive,
    check_rate,
    optional_size,
)

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
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(kind or self)}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}

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


def take_arguments(of: Callable[..., Any], arguments: dict[str, Any]) -> dict[str, Any]:
    """Removes the named arguments of a constructor from keyword arguments, and returns them."""
    return {name: arguments.pop(name) for name in inspect.signature(of).parameters if name in arguments}


def with_options(of: Callable[..., Any], without: Sequence[str] = ()) -> Callable[[F], F]:
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
            for parameter in inspect.signature(of).parameters.values()
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
    norm: str = "pre"
    head_composition: str | None = None
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
        check_choice("norm", self.norm, NORMS)
        check_choice("head_composition", self.head_composition, COMPOSITIONS)
        check_choice("composition_start", self.composition_start, STARTS)
        self._set(
            **{name: int(size) for name, size in sizes.items()},
            head_composition_rank=optional_size("head_composition_rank", self.head_composition_rank),
            head_intermediate_dim=optional_size("head_intermediate_dim", self.head_intermediate_dim),
        )
        is_pooling, is_tree = self.head_composition in POOLINGS, self.head_composition == "hierarchical"
        self._needs(is_pooling, "`head_composition` 'low_rank' or 'extended'", "head_composition_rank")
        self._needs(is_tree, "`head_composition='hierarchical'`", "head_intermediate_dim")


@dataclasses.dataclass(frozen=True, kw_only=True)
class StackOptions(LayerOptions):
    """Options of a stack of Transformer layers; `TransformerEncoder` describes them."""

    shortcut_source: str = "lexical"
    layer_composition: str | None = None
    layer_composition_rank: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("shortcut_source", self.shortcut_source, SHORTCUT_SOURCES)
        check_choice("layer_composition", self.layer_composition, COMPOSITIONS)
        self._set(layer_composition_rank=optional_size("layer_composition_rank", self.layer_composition_rank))
        is_pooling = self.layer_composition in POOLINGS
        self._needs(is_pooling, "`layer_composition` 'low_rank' or 'extended'", "layer_composition_rank")
        # Linear composition of heads is W_O alone.
        is_composed = self.layer_composition is not None or self.head_composition not in (None, "linear")
        partner = "`layer_composition`, or `head_composition` other than 'linear'"
        self._needs(is_composed, partner, "composition_start", "composition_residual")

    def check_shortcut(self, shortcut: str | None) -> None:
        """Rejects a source of shortcuts where there are none."""
        self._needs(shortcut is not None, "`shortcut`", "shortcut_source")
