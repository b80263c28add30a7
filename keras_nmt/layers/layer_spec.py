"""Descriptions of layers by class and arguments, from which each part of a model makes its own layer."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Mapping
from typing import Any

import keras

from keras_nmt.errors import nearest, require
from keras_nmt.layers._common import constructor_parameters, plain_number

FROM_MODEL = ("name", "dtype")  # arguments that come from the part of the model that makes the layer


class NotRegistered(ValueError):
    """Raised for the name of a layer class that no module of this process has registered."""

    def __init__(self, name: str) -> None:
        similar = nearest([name], keras.saving.get_custom_objects())
        super().__init__(
            "No layer of this name is registered: give the file that registers it with `--import FILE`, or import its "
            f"module{similar and f'; {similar}'}. Received: {name[:100]!r}"
        )


class LayerSpec:
    """A layer class with its arguments, from which each part of a model makes its own layer.

    A `LayerSpec` can be given instead of a name as `feed_forward`, `norm`, `positions` or `decoder_self_attention` of a
    model, and as the kind of `Shortcuts`, `Composition` and `Roles`. The names stand for layer specs, too. Layers
    cannot be arguments, because a model makes a new layer for each layer of its stacks. `docs/own_mechanism.md`
    describes the interface of each place.

    The JSON form is either the registered name of the class, "package>Class", or, with arguments,
    `{"class_name": "package>Class", "config": {"rank": 8}}`. Only classes that this process has registered by
    `keras.saving.register_keras_serializable` are found: a name in a file never imports a module.

    Args:
        layer: Class of the layers, a sub-class of `keras.layers.Layer`.
        **arguments: Arguments of the class: booleans, numbers, strings, None, or lists of them. The model adds `name`,
            `dtype`, and those of its own arguments that the `__init__` of the class names, such as `hidden_dim`.
            Arguments given here take precedence over those of the model. A default in the `__init__`, other than None,
            also takes precedence unless the argument of the model is set.

    Raises:
        ValueError: `layer` is not a class of layers, or an argument has another type.

    Example:

    >>> from keras_nmt.layers import LinearCombination
    >>> spec = LayerSpec(LinearCombination, residual=True)
    >>> spec.get_config()
    {'class_name': 'keras_nmt>LinearCombination', 'config': {'residual': True}}
    >>> LayerSpec.from_config("keras_nmt>LinearCombination").make(name="mixing", dtype="float32", units=8).units
    8
    """

    def __init__(self, layer: type[keras.layers.Layer], /, **arguments: Any) -> None:
        if not (isinstance(layer, type) and issubclass(layer, keras.layers.Layer)):
            raise ValueError(f"A `LayerSpec` needs a sub-class of `keras.layers.Layer`. Received: {str(layer)[:100]!r}")
        arguments = {name: plain_number(value) for name, value in arguments.items()}
        for name, value in arguments.items():
            # An object in a file would make Keras import the module that the object names.
            if name in FROM_MODEL or not _is_plain(value):
                raise ValueError(
                    "Arguments of a `LayerSpec` must be booleans, numbers, strings, None, or lists of them, and must "
                    f"not be `name` or `dtype`. Received: {name}={str(value)[:100]!r}"
                )
        self.layer = layer
        self.arguments = arguments

    def takes(self, argument: str) -> bool:
        """Returns whether a model can give the layer an argument of this name."""
        return argument in constructor_parameters(self.layer) and argument not in self.arguments

    def make(
        self,
        *,
        name: str,
        dtype: Any,
        sizes: Mapping[str, Any] | None = None,
        unset: Collection[str] = (),
        **from_model: Any,
    ) -> Any:
        """Makes a layer with those of the arguments that the `__init__` of its class names.

        Args:
            name: String, name of the layer.
            dtype: Dtype policy of the layer.
            sizes: Dictionary of arguments that follow from the model. A default in the `__init__` must be None or equal
                to them. Defaults to none.
            unset: Names of further arguments that the user has not set: a default in the `__init__`, other than None,
                takes precedence. An argument that is None always counts as not set. Defaults to none.
            **from_model: Further arguments from the model.

        Raises:
            ValueError: The `__init__` has another default for a size of the model.
        """
        parameters, chosen, sizes = constructor_parameters(self.layer), {}, sizes or {}
        for argument, value in {**sizes, **from_model}.items():
            if not self.takes(argument):
                continue
            default = parameters[argument].default
            has_default = default is not None and default is not inspect.Parameter.empty
            if has_default and (value is None or argument in unset):
                continue  # use the default of the class
            if has_default and argument in sizes and value != default:
                layer = self.layer.__name__
                raise ValueError(
                    f"The model sets `{argument}`: remove its default from the `__init__` of {layer}, or choose it by "
                    f"LayerSpec({layer}, {argument}=...). Received: default {default!r}, in the model {value!r}"
                )
            chosen[argument] = value
        try:
            layer = self.layer(**chosen, **self.arguments, name=name, dtype=dtype)
        except TypeError as error:
            raise TypeError(f"{self.layer.__name__} cannot be made as {name!r} of a model: {error}") from error
        layer.supports_masking = True  # the model passes masks to the layers that need them
        return layer

    def get_config(self) -> dict[str, Any]:
        """Returns the registered name of the class, and the arguments.

        Raises:
            ValueError: The class is not registered.
        """
        name = keras.saving.get_registered_name(self.layer)
        problem = "Decorate the class of a `LayerSpec` with `keras.saving.register_keras_serializable(package=...)`"
        require(keras.saving.get_registered_object(name) is self.layer, f"{problem}. Received: {name}")
        return {"class_name": name, "config": dict(self.arguments)}

    @classmethod
    def from_config(cls, config: str | Mapping[str, Any]) -> LayerSpec:
        """Makes a layer spec from either JSON form.

        Raises:
            NotRegistered: No class of the name is registered in this process.
            ValueError: The configuration has another form.
        """
        if isinstance(config, str):
            config = {"class_name": config, "config": {}}
        name, arguments = config.get("class_name"), config.get("config", {})
        if set(config) - {"class_name", "config"} or not isinstance(name, str) or not isinstance(arguments, Mapping):
            raise ValueError(
                'A layer must be "package>Class" or {"class_name": "package>Class", "config": {...}}. '
                f"Received: {str(config)[:200]}"
            )
        layer = keras.saving.get_registered_object(name)
        # Keras Hub registers hundreds of classes, some of which read files that their arguments name.
        if layer is None or getattr(layer, "__module__", "").partition(".")[0] == "keras_hub":
            raise NotRegistered(name)
        if not all(isinstance(argument, str) for argument in arguments):
            raise ValueError(f"Arguments of a `LayerSpec` must have names. Received: {str(arguments)[:200]}")
        return cls(layer, **arguments)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LayerSpec) and (self.layer, self.arguments) == (other.layer, other.arguments)

    __hash__ = None  # type: ignore[assignment]  # the arguments may be lists

    def __repr__(self) -> str:
        arguments = "".join(f", {name}={value!r}" for name, value in self.arguments.items())
        return f"LayerSpec({self.layer.__name__}{arguments})"


def choose(name: str, value: Any, known: Mapping[str, Any]) -> Any:
    """Checks a known name or a `LayerSpec`, and returns it; a JSON form becomes a `LayerSpec`.

    Raises:
        UserError: The value is neither.
    """
    if isinstance(value, Mapping) or (isinstance(value, str) and ">" in value):
        value = LayerSpec.from_config(value)
    if isinstance(value, LayerSpec):
        value.get_config()  # checks that the class is registered
    else:
        layer = 'a `LayerSpec`, in JSON the registered name of the class, "package>Class"'
        require(value in list(known), f"{{{name}}} must be one of {', '.join(known)} or {layer}", **{name: value})
    return value


def spec_of(value: Any, known: Mapping[str, LayerSpec]) -> LayerSpec:
    """Returns a `LayerSpec` itself, or the one that a known name stands for."""
    return value if isinstance(value, LayerSpec) else known[value]


def as_json(value: Any) -> Any:
    """Returns the value of an argument in its JSON form."""
    if hasattr(value, "get_config"):
        return value.get_config()
    return list(value) if isinstance(value, tuple) else plain_number(value)


def _is_plain(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, bool | int | float | str)
