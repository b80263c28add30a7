"""A layer class with its arguments, from which each part of a model makes its own layer."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Mapping
from typing import Any, TypeVar

import keras

from keras_nmt.layers._common import constructor_parameters

GIVEN = ("name", "dtype")  # by the part of the model that makes the layer
SIZES = (
    "num_representations",
    "units",
    "hidden_dim",
    "intermediate_dim",
)  # of the model, whatever a layer would prefer


class NotRegistered(ValueError):
    """A name of a layer class that no module of this process has registered."""

    def __init__(self, name: str) -> None:
        super().__init__(
            "No layer of this name is registered: name the file that registers the layer by `--import FILE`, or import "
            f"its module. Received: {name[:100]!r}"
        )


class Mechanism:
    """A layer class with its arguments, from which each part of a model makes its own layer.

    The arguments `layer_composition`, `head_composition`, `shortcuts`, `roles`, `feed_forward`, `norm` and `positions`
    of a model take a mechanism where they take a name; the names stand for mechanisms. A model makes a layer for each
    layer of its stacks, so the arguments take no layers. `docs/own_mechanism.md` describes the interface of each kind.

    JSON has two forms: the registered name of the class, "package>Class", or
    `{"class_name": "package>Class", "config": {"rank": 8}}` with arguments. Only classes that this process has
    registered by `keras.saving.register_keras_serializable` are found: a name in a file never imports a module.

    Args:
        layer: Class of the layers, a sub-class of `keras.layers.Layer`.
        **arguments: Arguments of the class: booleans, numbers, strings, None, or lists of them. The part of the model
            gives further arguments that the signature of the class names, such as `hidden_dim`, and the arguments
            `name` and `dtype`. An argument given here takes precedence; so does a default of the signature other than
            None, unless the option of the model that gives the argument is set.

    Raises:
        ValueError: `layer` is not a class of layers, or an argument is not of these types.

    Example:

    >>> from keras_nmt.layers import LinearCombination
    >>> mechanism = Mechanism(LinearCombination, residual=True)
    >>> mechanism.get_config()
    {'class_name': 'keras_nmt>LinearCombination', 'config': {'residual': True}}
    >>> Mechanism.from_config("keras_nmt>LinearCombination").make(name="mixing", dtype="float32", units=8).units
    8
    """

    def __init__(self, layer: type[keras.layers.Layer], /, **arguments: Any) -> None:
        if not (isinstance(layer, type) and issubclass(layer, keras.layers.Layer)):
            raise ValueError(f"A mechanism needs a sub-class of `keras.layers.Layer`. Received: {str(layer)[:100]!r}")
        for name, value in arguments.items():
            # An object in a file would make Keras import the module that the object names.
            if name in GIVEN or not _is_plain(value):
                raise ValueError(
                    "Arguments of a mechanism are booleans, numbers, strings, None, or lists of them, and neither "
                    f"`name` nor `dtype`. Received: {name}={str(value)[:100]!r}"
                )
        self.layer = layer
        self.arguments = arguments

    def takes(self, argument: str) -> bool:
        """Returns whether the part of a model can give the layer an argument of this name."""
        return argument in constructor_parameters(self.layer) and argument not in self.arguments

    def make(
        self,
        *,
        name: str,
        dtype: Any,
        sizes: Mapping[str, Any] | None = None,
        unset: Collection[str] = (),
        **given: Any,
    ) -> Any:
        """Makes a layer, which gets those of the given arguments that the signature of the class names.

        Args:
            name: String, name of the layer.
            dtype: Dtype policy of the layer.
            sizes: Dictionary of arguments that follow from the model. A default of the signature must not differ from
                them, unless it is None. Defaults to none.
            unset: Names of further arguments that nobody has set: a default of the signature takes precedence, unless
                it is None. An argument that is None is never set. Defaults to none.
            **given: Further arguments by the part of the model.

        Raises:
            ValueError: The signature has another default for a size of the model.
        """
        parameters, chosen, sizes = constructor_parameters(self.layer), {}, sizes or {}
        for argument, value in {**sizes, **given}.items():
            if not self.takes(argument):
                continue
            default = parameters[argument].default
            has_default = default is not None and default is not inspect.Parameter.empty
            if has_default and (value is None or argument in unset):
                continue  # the author's default
            if has_default and argument in sizes and value != default:
                layer = self.layer.__name__
                raise ValueError(
                    f"`{argument}` follows from the model: remove its default from the `__init__` of {layer}, or "
                    f"choose it by Mechanism({layer}, {argument}=...). "
                    f"Received: default {default!r}, in the model {value!r}"
                )
            chosen[argument] = value
        layer = self.layer(**chosen, **self.arguments, name=name, dtype=dtype)
        layer.supports_masking = True  # the part of the model passes masks where a layer needs them
        return layer

    def get_config(self) -> dict[str, Any]:
        """Returns the registered name of the class, and the arguments.

        Raises:
            ValueError: The class is not registered.
        """
        name = keras.saving.get_registered_name(self.layer)
        if keras.saving.get_registered_object(name) is not self.layer:
            raise ValueError(
                "Decorate the class of a mechanism with `keras.saving.register_keras_serializable(package=...)`. "
                f"Received: {name}"
            )
        return {"class_name": name, "config": dict(self.arguments)}

    @classmethod
    def from_config(cls, config: str | Mapping[str, Any]) -> Mechanism:
        """Makes a mechanism of either form in JSON.

        Raises:
            NotRegistered: No class of the name is registered in this process.
            ValueError: The configuration has another form.
        """
        if isinstance(config, str):
            config = {"class_name": config, "config": {}}
        name, arguments = config.get("class_name"), config.get("config", {})
        if set(config) - {"class_name", "config"} or not isinstance(name, str) or not isinstance(arguments, Mapping):
            raise ValueError(
                'A mechanism is "package>Class", or {"class_name": "package>Class", "config": {...}}. '
                f"Received: {str(config)[:200]}"
            )
        layer = keras.saving.get_registered_object(name)
        # Keras Hub registers hundreds of classes, some of which read files that their arguments name.
        if layer is None or getattr(layer, "__module__", "").partition(".")[0] == "keras_hub":
            raise NotRegistered(name)
        if not all(isinstance(argument, str) for argument in arguments):
            raise ValueError(f"Arguments of a mechanism have names. Received: {str(arguments)[:200]}")
        return cls(layer, **arguments)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mechanism) and (self.layer, self.arguments) == (other.layer, other.arguments)

    __hash__ = None  # type: ignore[assignment]  # the arguments may be lists

    def __repr__(self) -> str:
        arguments = "".join(f", {name}={value!r}" for name, value in self.arguments.items())
        return f"Mechanism({self.layer.__name__}{arguments})"


M = TypeVar("M")


def choose(name: str, value: Any, known: Mapping[Any, Any]) -> Any:
    """The value of an option: a known name, or a `Mechanism`, also if given as JSON.

    Raises:
        ValueError: The value is neither.
    """
    if isinstance(value, Mapping) or (isinstance(value, str) and ">" in value):
        value = Mechanism.from_config(value)
    if isinstance(value, Mechanism):
        value.get_config()  # which checks that the class is registered
    elif value not in list(known):
        raise ValueError(
            f"`{name}` must be one of {', '.join(map(repr, known))}, or a `Mechanism`. Received: {name}={value!r}"
        )
    return value


def mechanism_of(value: Any, known: Mapping[Any, M]) -> Mechanism | M:
    """The mechanism of a chosen value: the value itself, or the mechanism that the name stands for."""
    return value if isinstance(value, Mechanism) else known[value]


def as_json(value: Any) -> Any:
    """The value of an option as JSON has it."""
    if isinstance(value, Mechanism):
        return value.get_config()
    return list(value) if isinstance(value, tuple) else value


def _is_plain(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, bool | int | float | str)
