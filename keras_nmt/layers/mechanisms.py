"""Mechanisms of a model: the Protocols of their layers, and shortcuts, compositions and roles as objects."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Protocol, Self

from keras_nmt.errors import check_choice, require
from keras_nmt.layers._common import STARTS, check_booleans, check_positive, check_rate, optional_size, subset
from keras_nmt.layers.bilinear_pooling import BilinearPooling, LinearCombination, LowRankBilinearPooling
from keras_nmt.layers.hierarchical_aggregation import HierarchicalAggregation
from keras_nmt.layers.layer_spec import LayerSpec, as_json, choose, spec_of
from keras_nmt.layers.lexical_shortcut import LexicalShortcut
from keras_nmt.layers.role_assignment import DROPOUT_ON
from keras_nmt.layers.role_interaction import ContextualizedEmbedding, RoleInteraction

SIDES = ("encoder", "decoder")
SITES = ("self", "cross")
SOURCES = ("lexical", "non_lexical")
CONTEXTS = ("lstm", "cnn")


class ShortcutLayer(Protocol):
    """A layer of `Shortcuts`, which gives an attention its keys and values.

    Attributes:
        has_gates: Boolean, whether `call` also returns the gates of keys and of values if it gets `return_gates=True`.
            It makes the layer a shortcut, and has no default.
    """

    has_gates: bool

    def call(self, hidden: Any, shortcut_states: Any) -> Any:
        """Maps states and the source E of the shortcut, `[..., T, d]` each, to keys and values `[..., T, d']`."""


class ComposingLayer(Protocol):
    """A layer of `Composition`: of the layers of a stack, or of the heads of an attention."""

    def call(self, representations: Any) -> Any:
        """Maps the states `[..., d]` of N layers, a list, to `[..., d]`, or heads `[..., H, d / H]` to `[..., n]`."""


class CompositionTree(Protocol):
    """A layer of `Composition` with nodes between the layers of a stack, which never uses its `call`.

    Attributes:
        residual: Boolean, whether the stack adds what `aggregate` returns to the state, instead of replacing the state.
            Defaults to False.
        is_normalised: Boolean, whether the output of the stack needs no final norm. Defaults to False.
    """

    residual: bool = False
    is_normalised: bool = False

    def node_after(self, number: int) -> int | None:
        """Returns the node, from 0, that follows the layer `number`, from 1; None if there is none."""

    def aggregate(self, node: int, representations: Sequence[Any], previous: Any = None) -> Any:
        """Returns the state `[..., d]` of a node.

        Args:
            node: Integer from 0.
            representations: Sequence of the states `[..., d]` of the layers since the previous node. Each has passed a
                norm of its own, unless the model is post-LN.
            previous: The state `[..., d]` after the previous node, not normalised; None at the first node.
        """


class StepwiseLayer(Protocol):
    """A layer of `Roles`, or in place of the decoder's self-attention, which may see other positions than its own."""

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """Maps `[B, T, d]` to `[B, T, d]`. The mask `[B, T]` is True at real positions."""

    def empty_cache(self, batch_size: Any, beam_size: int) -> Any:
        """Returns the cache before the first position: a nest of tensors `[B, K, ...]`.

        Args:
            batch_size: B, an integer or a scalar tensor.
            beam_size: Integer K, the hypotheses of a sentence, with which search reorders the cache.
        """

    def step(self, inputs: Any, position: Any, cache: Any) -> tuple[Any, Any]:
        """Maps the inputs `[B, K, d]` of one position to outputs `[B, K, d]` and the new cache.

        Args:
            inputs: Tensor `[B, K, d]`.
            position: Integer scalar tensor, from 0.
            cache: The cache of the previous step, or of `empty_cache`.
        """


class PositionsLayer(Protocol):
    """A layer of `positions`.

    Attributes:
        in_attention: Boolean, whether each self-attention calls a layer of its own on its queries and keys, instead of
            the encoder and the decoder one layer on the embeddings. Defaults to False.
    """

    in_attention: bool = False

    def call(self, inputs: Any, position: Any = None) -> Any:
        """Maps `[..., T, d]` to the same shape. All inputs have the `position`, or 0 to T - 1 if it is None."""


def missing_members(layer: Any, protocol: type) -> list[str]:
    """Returns the members of a Protocol without a default that a layer, or a class of layers, does not have.

    Example:

    >>> missing_members(LexicalShortcut, ShortcutLayer), missing_members(LinearCombination, StepwiseLayer)
    ([], ['empty_cache', 'step'])
    """
    values = vars(protocol)
    members = [name for name in vars(protocol).get("__annotations__", ()) if name not in values]
    members += [name for name, value in values.items() if inspect.isfunction(value) and not name.startswith("_")]
    return [name for name in members if not hasattr(layer, name)]


def check_members(what: str, layer: type, protocol: type) -> None:
    """Checks that a class of layers has the members of a Protocol.

    Raises:
        ValueError: The class lacks some of them.
    """
    if missing := missing_members(layer, protocol):
        raise ValueError(
            f"{what} must have {' and '.join(f'`{name}`' for name in missing)}, see "
            f"`keras_nmt.layers.mechanisms.{protocol.__name__}`. Received: {layer.__name__}"
        )


@dataclasses.dataclass(frozen=True)
class MechanismConfig:
    """The base of `Shortcuts`, `Composition` and `Roles`: the kind of a mechanism's layers, and their arguments.

    An argument that the layers of the kind do not take is an error. `PLACES` lists the arguments that say where the
    layers are. `PROTOCOL` lists what a layer must have.
    """

    KINDS: ClassVar[dict[str, LayerSpec]]
    PROTOCOL: ClassVar[type]
    PLACES: ClassVar[tuple[str, ...]] = ("sides",)

    kind: str | LayerSpec

    def __post_init__(self) -> None:
        self._set(kind=choose("kind", self.kind, self.KINDS))
        check_members(f"A layer of `{type(self).__name__}`", self.spec.layer, self.PROTOCOL)
        for name, value in self._changed().items():
            if isinstance(getattr(type(self), name), bool):
                check_booleans(**{name: value})
            if name not in self.PLACES and not self.spec.takes(name):
                raise ValueError(f"`{name}` has no effect on {self._shown}. Received: {name}={value!r}")

    @classmethod
    def of(cls, name: str, value: Any) -> Self | None:
        """Returns the object that an argument of a model stands for.

        Args:
            name: String, the name of the argument, for errors.
            value: The object itself, None, a kind, or the JSON form of any of these.

        Raises:
            ValueError: The value is none of these, or has unknown arguments.
        """
        if value is None or isinstance(value, cls):
            return value
        if not isinstance(value, Mapping) or "class_name" in value:
            return cls(choose(name, value, cls.KINDS))
        known = [field.name for field in dataclasses.fields(cls)]
        if "kind" not in value or set(value) - set(known):
            raise ValueError(
                f"`{name}` must have `kind`, and may have {', '.join(known[1:])}. Received: {name}={dict(value)}"
            )
        return cls(**value)

    @property
    def spec(self) -> LayerSpec:
        """The class of the layers, with the arguments that follow from the kind."""
        return spec_of(self.kind, self.KINDS)

    def make(self, *, name: str, dtype: Any, sizes: Mapping[str, Any] | None = None, **overrides: Any) -> Any:
        """Makes a layer; see `LayerSpec.make`. `overrides` replace arguments of this object."""
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)[1:]}
        arguments = {name: value for name, value in values.items() if name not in self.PLACES}
        # The defaults of this object are for the package's layers: a user's own layer keeps its own defaults.
        is_known = self.spec.layer in [known.layer for known in self.KINDS.values()]
        unset = () if is_known else set(arguments) - set(self._changed())
        return self.spec.make(name=name, dtype=dtype, sizes=sizes, unset=unset, **{**arguments, **overrides})

    def get_config(self) -> dict[str, Any]:
        """Returns the JSON form: the kind, and the arguments that differ from their defaults."""
        return {name: as_json(value) for name, value in {"kind": self.kind, **self._changed()}.items()}

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Self:
        """Makes the object from its JSON form."""
        return cls(**config)

    def _changed(self) -> dict[str, Any]:
        """Returns the arguments that differ from their defaults."""
        values = {field.name: (getattr(self, field.name), field.default) for field in dataclasses.fields(self)[1:]}
        return {name: value for name, (value, default) in values.items() if value != default}

    def _set(self, **values: Any) -> None:
        """Replaces arguments by their normalised values."""
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @property
    def _shown(self) -> str:
        return f"`{type(self).__name__}({self.kind!r})`"


@dataclasses.dataclass(frozen=True)
class Shortcuts(MechanismConfig):
    """Shortcuts from the embeddings, or other states below, to the keys and values of attentions.

    Args:
        kind: "plain", "fusion" or "ungated", the kind of `LexicalShortcut`; or a `LayerSpec`.
        source: "lexical": the embeddings E. "non_lexical": the states one layer below the attention's input, not
            normalised: H_{l-2} for the self-attention of layer l (E in layers 1 and 2), and the encoder's H_{L-1} for
            cross-attention. Defaults to "lexical".
        sites: Sequence of "self", "cross" or both, the attentions that have shortcuts. Defaults to `("self",)`.
        sides: Sequence of "encoder", "decoder" or both, the sides that have shortcuts. Cross-attention belongs to the
            decoder. Defaults to `("encoder", "decoder")`.

    Raises:
        ValueError: An argument is unknown, or "cross" is in `sites` although "decoder" is not in `sides`.

    Example:

    >>> Shortcuts("fusion", sites=("self", "cross")).get_config()
    {'kind': 'fusion', 'sites': ['self', 'cross']}

    Reference:
        [Emelin et al., 2019](https://arxiv.org/abs/1906.12284), sections 2.2 and 4.2.
    """

    KINDS: ClassVar = {kind: LayerSpec(LexicalShortcut, kind=kind) for kind in ("plain", "fusion", "ungated")}
    PROTOCOL = ShortcutLayer
    PLACES = ("source", "sites", "sides")

    source: str = "lexical"
    sites: Sequence[str] = ("self",)
    sides: Sequence[str] = SIDES

    def __post_init__(self) -> None:
        check_choice("source", self.source, SOURCES)
        self._set(sites=subset("sites", self.sites, SITES))
        self._set(sides=subset("sides", self.sides, SIDES))
        super().__post_init__()
        problem = "Cross-attention belongs to the decoder: add 'decoder' to {sides} or leave 'cross' out of {sites}"
        require("cross" not in self.sites or "decoder" in self.sides, problem, sites=self.sites, sides=self.sides)

    def are_at(self, site: str, side: str) -> bool:
        """Returns whether the attention at a site of a side has shortcuts."""
        return site in self.sites and side in self.sides


@dataclasses.dataclass(frozen=True)
class Composition(MechanismConfig):
    """A composition of the states of a stack's layers, or of an attention's heads.

    Args:
        kind: "linear": `LinearCombination`, for layers. "hierarchical": `HierarchicalAggregation`, whose aggregates
            also replace the states H^2, H^4, ... as input of the next layer. "low_rank" (Eq. 10 of Li et al.) or
            "extended" (Eq. 11): `LowRankBilinearPooling`. "bilinear" (Eq. 6): `BilinearPooling`, for small widths. Or a
            `LayerSpec`.
        rank: Integer, rank of "low_rank" and "extended". Defaults to the width d of the states.
        start: "random", or "identity": the initial output is the same as without the composition, for example the
            output of the trained model that training starts from. "linear", and "extended" of full rank, allow it; the
            other kinds also need `residual`. Defaults to "random".
        residual: Boolean, whether the last layer's states, or the concatenated heads, are added to the composition.
            Hierarchical aggregates of layers are then added to H^2, H^4, ... instead of replacing them. Defaults to
            False.
        intermediate_dim: Integer, inner width of "hierarchical". Defaults to 4 d for layers and 2 d for heads.
        output_projection: Boolean. True: W_O follows a pooling of heads, as in the paper's parameter counts. False: the
            pooling replaces W_O, as in the paper's text. Defaults to True.
        sides: Sequence of "encoder", "decoder" or both: the sides with the composition. Cross-attention belongs to the
            decoder. Defaults to `("encoder", "decoder")`.

    Raises:
        ValueError: An argument is unknown, out of range, or has no effect on this kind.

    Example:

    >>> Composition("extended", rank=64).get_config()
    {'kind': 'extended', 'rank': 64}

    Reference:
        [Li et al., 2020](https://arxiv.org/abs/1911.09877), Eq. 4 to 11.
    """

    KINDS: ClassVar = {
        "linear": LayerSpec(LinearCombination),
        "hierarchical": LayerSpec(HierarchicalAggregation),
        "low_rank": LayerSpec(LowRankBilinearPooling, first_order=False),
        "extended": LayerSpec(LowRankBilinearPooling, first_order=True),
        "bilinear": LayerSpec(BilinearPooling),
    }
    PROTOCOL = ComposingLayer
    PLACES = ("output_projection", "sides")

    rank: int | None = None
    start: str = "random"
    residual: bool = False
    intermediate_dim: int | None = None
    output_projection: bool = True
    sides: Sequence[str] = SIDES

    def __post_init__(self) -> None:
        check_choice("start", self.start, STARTS)
        self._set(**{name: optional_size(name, getattr(self, name)) for name in ("rank", "intermediate_dim")})
        self._set(sides=subset("sides", self.sides, SIDES))
        super().__post_init__()
        if not self.output_projection and (self.is_tree or self.kind == "linear" or self.start == "identity"):
            raise ValueError(
                "`output_projection=False` needs 'low_rank', 'extended' or 'bilinear' with start='random', which "
                f"replaces W_O. Received: {self._shown}, start={self.start!r}"
            )

    @property
    def is_tree(self) -> bool:
        """Whether the composition is a tree, whose nodes a stack runs one by one."""
        return not missing_members(self.spec.layer, CompositionTree)


@dataclasses.dataclass(frozen=True)
class Roles(MechanismConfig):
    """Roles of tokens, in a layer between the embeddings and the positions of each side.

    Args:
        kind: "dense", "softmax" or "one_hot": `RoleInteraction` with this assignment. "contextualized":
            `ContextualizedEmbedding`. Or a `LayerSpec`.
        num_roles: Integer, number of roles. Defaults to 32.
        context: "lstm" or "cnn", the network that reads the context: the source in both directions, the target from
            left to right. Defaults to "lstm".
        units: Integer, units of the LSTM or CNN in one direction. Defaults to `num_roles`.
        residual: Boolean, whether the embedding is added to the output of the roles. Low rank and "contextualized"
            always add it. Defaults to True.
        low_rank: Boolean, whether the tensor of role interaction has low rank. Defaults to False.
        straight_through: Boolean, whether "one_hot" roles are one-hot also in training. Defaults to False.
        exclusive: Boolean, whether the role of a target token depends only on previous tokens. Defaults to False.
        dropout: Float, dropout rate of the roles. Defaults to that of the model.
        dropout_on: "logits" or "vector", to which dropout of "one_hot" roles is applied. "vector" is the paper's; see
            `RoleAssignment`. Defaults to "logits".

    Raises:
        ValueError: An argument is unknown, out of range, or has no effect on this kind.

    Example:

    >>> Roles("softmax", num_roles=16).get_config()
    {'kind': 'softmax', 'num_roles': 16}

    Reference:
        Weissenborn et al., [Contextualized Role Interaction for Neural Machine
        Translation](https://openreview.net/forum?id=ryx3_iAcY7), submitted to ICLR 2019, section 3.
    """

    KINDS: ClassVar = {
        **{kind: LayerSpec(RoleInteraction, assignment=kind) for kind in ("dense", "softmax", "one_hot")},
        "contextualized": LayerSpec(ContextualizedEmbedding),
    }
    PROTOCOL = StepwiseLayer
    PLACES = ()

    num_roles: int = 32
    context: str = "lstm"
    units: int | None = None
    residual: bool = True
    low_rank: bool = False
    straight_through: bool = False
    exclusive: bool = False
    dropout: float | None = None
    dropout_on: str = "logits"

    def __post_init__(self) -> None:
        check_positive(num_roles=self.num_roles)
        check_choice("context", self.context, CONTEXTS)
        if self.dropout is not None:
            check_rate(dropout=self.dropout)
        check_choice("dropout_on", self.dropout_on, DROPOUT_ON)
        self._set(num_roles=int(self.num_roles), units=optional_size("units", self.units))
        super().__post_init__()
        for name in {"straight_through", "dropout_on"} & set(self._changed()):
            if self.kind in ("dense", "softmax"):
                raise ValueError(
                    f"`{name}` has an effect on 'one_hot' roles only. "
                    f"Received: {name}={getattr(self, name)!r}, kind={self.kind!r}"
                )
        is_right = not isinstance(self.kind, str) or not self.low_rank or self.residual
        problem = "Low-rank roles always add the embedding: leave out {residual}"
        require(is_right, problem, residual=self.residual, low_rank=self.low_rank)
