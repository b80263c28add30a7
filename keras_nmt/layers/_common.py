"""Base classes, masks, initial weights and checks of arguments that several layers share."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Sequence
from typing import Any, ClassVar

import keras
import numpy as np
from keras import ops

from keras_nmt.errors import check_choice, is_integer, is_number, require
from keras_nmt.layers._keras_private import all_layers, child_layers, get_keras_mask, lost_mask, set_keras_mask

SHORTCUT_KINDS = ("plain", "fusion", "ungated")
STARTS = ("random", "identity")
LAYER_NORM_EPSILON = 1e-6
PADDING_MASKS = ("mask", "padding_mask", "memory_mask")  # call arguments


def projection_initializer() -> keras.initializers.Initializer:
    """Returns the Glorot uniform initializer of a d x d matrix, also for several such matrices side by side.

    The variance is 1 / fan-in, so it does not depend on the number of columns of the kernel.
    """
    return keras.initializers.VarianceScaling(scale=1.0, mode="fan_in", distribution="uniform")


def add_matrix(layer: Any, name: str, rows: int | None, columns: int | None) -> Any:
    """Adds a matrix of weights `[rows, columns]` to a layer, with the initial values of a projection."""
    return layer.add_weight(shape=(rows, columns), initializer=projection_initializer(), name=name)


def layer_norm(dtype: Any, name: str, scale: str = "ones") -> keras.layers.LayerNormalization:
    """Makes the LayerNorm that is part of a mechanism; `scale` is the initializer of its scale."""
    return keras.layers.LayerNormalization(epsilon=LAYER_NORM_EPSILON, gamma_initializer=scale, dtype=dtype, name=name)


def softmax(scores: Any) -> Any:
    """Computes the softmax of the last axis. Keras' own warns of an axis of one position: a text of one subword."""
    return ops.exp(ops.log_softmax(scores)) if scores.shape[-1] == 1 else ops.softmax(scores)


def masked_softmax(scores: Any, mask: Any) -> Any:
    """Computes the softmax in float32 over the positions that `mask` allows; if it allows none, the result is 0."""
    scores = ops.cast(scores, "float32")
    if mask is None:
        return softmax(scores)
    return ops.where(mask, softmax(ops.where(mask, scores, -1e30)), 0.0)  # -inf would give NaN


def without_padding(states: Any, mask: Any) -> Any:
    """Replaces the states `[B, S, d]` at padding by zeros. Multiplying by zero would keep NaN and infinity."""
    return states if mask is None else ops.where(ops.expand_dims(mask, -1), states, 0)


def positions_of(inputs: Any, position: Any = None) -> Any:
    """Returns the positions of `[..., T, n]`, int32 `[T]`; or `[position]`, that of a step of a search.

    Without the type, they would have as many bits as the default dtype of Keras; TensorFlow counts in none of 16 bits.
    """
    return ops.arange(ops.shape(inputs)[-2], dtype="int32") if position is None else ops.reshape(position, (1,))


class ConfiguredLayer(keras.layers.Layer):
    """A layer that keeps the arguments of its constructor in attributes of the same names, for its configuration.

    An argument without such an attribute must be added by the `get_config` of the sub-class. The layer passes masks on.
    `RENAMED` has the pairs (old, new) of call arguments with another name before version 0.2, which drops the old ones.
    """

    RENAMED: ClassVar[tuple[tuple[str, str], ...]] = ()  # (old, new)

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        for old, new in self.RENAMED:
            if old in kwargs:
                warnings.warn(
                    f"`{old}` of {type(self).__name__} is now called `{new}`; the old name goes with version 0.2.",
                    DeprecationWarning,
                    stacklevel=2,
                )
                kwargs[new] = kwargs.pop(old)
        if any(isinstance(x, keras.KerasTensor) for x in (*args, *kwargs.values())):
            _warn_of_lost_masks(self, *args, **kwargs)
        return super().__call__(*args, **kwargs)

    @classmethod
    def argument_names(cls) -> list[str]:
        """Returns the names of the arguments of the layer's `__init__`, those for its base classes included."""
        classes = [base for base in cls.__mro__ if issubclass(base, ConfiguredLayer) and "__init__" in vars(base)]
        return [name for base in reversed(classes) for name in constructor_parameters(base)]

    def get_config(self) -> dict[str, Any]:
        attributes, config = vars(self), super().get_config()  # of Keras: `name`, `trainable` and `dtype`
        names = [name for name in self.argument_names() if name in attributes and name not in config]
        return {**config, **{name: plain_number(attributes[name]) for name in names}}


def _warn_of_lost_masks(layer: keras.layers.Layer, *args: Any, **kwargs: Any) -> None:
    """Warns if padding of an input would be read because the mask of an embedding did not arrive."""
    signature = inspect.signature(layer.call)
    if not (masks := [name for name in signature.parameters if name in PADDING_MASKS]):
        return
    first, *_ = signature.parameters
    arguments = signature.bind_partial(*args, **kwargs).arguments
    if arguments.get("attention_mask") is not None:  # it may leave out padding, too
        return
    for name in masks:
        masked = (name.removesuffix("_mask"), *(() if name == "padding_mask" else ("memory",)), first)
        tensor = next(arguments[argument] for argument in masked if argument in arguments)
        if arguments.get(name) is None and isinstance(tensor, keras.KerasTensor) and (operation := lost_mask(tensor)):
            warnings.warn(
                f"The layer {layer.name!r} reads padding, because {operation!r} has lost the mask of an embedding: "
                f"pass `{name}`, such as ids != 0.",
                stacklevel=3,
            )


class AssembledLayer(ConfiguredLayer):
    """A layer that is assembled from ready-made layers.

    `PARTS` names the constructor's arguments that are layers, lists of layers or None. The attributes have the same
    names.
    """

    PARTS: ClassVar[tuple[str, ...]]

    def _given_layers(self) -> list[Any]:
        """Returns the layers that were given, one for each place where a layer stands."""
        parts = keras.tree.flatten([getattr(self, name) for name in self.PARTS])
        return [part for part in parts if part is not None]

    def _end_build(self) -> None:
        """Ends `build`: rejects a layer with weights in two places, because Keras' files of a model forget that."""
        given = [layer for part in self._given_layers() for layer in all_layers(part)]
        seen = set[int]()
        for layer in given:
            if id(layer) in seen and layer.weights:
                raise ValueError(
                    f"{type(layer).__name__}, the layer {layer.name!r}, has two places in {type(self).__name__}: make "
                    "a layer for each, because a saved model with layers that share weights cannot be loaded."
                )
            seen.add(id(layer))
        keep_frozen(self)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), **{name: _config_of(getattr(self, name)) for name in self.PARTS}}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        return super().from_config({**config, **{name: _part_of(config[name]) for name in cls.PARTS}})


def _config_of(part: Any) -> Any:
    """Returns the configuration of a layer without `build_config`, because the layer around it builds it."""
    if isinstance(part, Sequence):
        return [_config_of(one) for one in part]
    config = keras.saving.serialize_keras_object(part)
    return config if part is None else {name: value for name, value in config.items() if name != "build_config"}


def _part_of(config: Any) -> Any:
    if isinstance(config, Sequence):
        return [_part_of(one) for one in config]
    return keras.saving.deserialize_keras_object(config)


def keep_frozen(layer: keras.layers.Layer) -> None:
    """Freezes what is inside a layer that is frozen. A layer calls it at the end of `build`.

    Keras restores `trainable` of a saved or cloned layer, but not that of the layers inside. Layers that were given to
    an `AssembledLayer` have configurations of their own, so one of them may be trained inside a frozen layer.
    """
    if layer.trainable:
        return
    children = child_layers(layer)
    parts = {id(one) for name in getattr(layer, "PARTS", ()) for one in keras.tree.flatten(getattr(layer, name))}
    for child in children:
        if not (child.trainable and id(child) in parts):
            child.trainable = True  # setting an attribute to the value that it has would do nothing
            child.trainable = False
    weights_of_children = {id(weight) for child in children for weight in child.weights}
    for weight in layer.weights:
        if id(weight) not in weights_of_children:
            weight.trainable = False


def build_part(part: Any, *shapes: Any) -> None:
    """Builds a layer that was given, unless it has been built: it may come from another model."""
    if not part.built:
        part.build(*shapes)


def keras_mask(tensor: Any) -> Any:
    """Returns the mask that a layer such as `Embedding(mask_zero=True)` attached to a tensor, or None."""
    return get_keras_mask(tensor)


def with_mask(tensor: Any, mask: Any) -> Any:
    """Attaches a mask, if there is one, to a tensor. Keras itself attaches masks only to a layer's first output."""
    if mask is not None:
        set_keras_mask(tensor, mask)
    return tensor


def check_booleans(**values: Any) -> None:
    """Rejects, among others, the string "False", which is true."""
    for name, value in values.items():
        check_choice(name, value, (False, True))


def subset(name: str, values: Any, choices: Sequence[str]) -> tuple[str, ...]:
    """Returns the chosen values in the order of `choices`. A single string counts as one value."""
    chosen = (values,) if isinstance(values, str) else tuple(values) if isinstance(values, Sequence) else ()
    problem = f"`{name}` must be one or more of {', '.join(map(repr, choices))}. Received: {name}={values!r}"
    require(chosen and not any(value not in choices for value in chosen), problem)
    return tuple(choice for choice in choices if choice in chosen)


def constructor_parameters(cls: type) -> dict[str, inspect.Parameter]:
    """Returns the parameters of a class's `__init__` by name, also if the class inherits it.

    Before Python 3.11.4, `inspect.signature` of a layer class that inherits `__init__` describes Keras' `__new__`.
    """
    _, *parameters = inspect.signature(cls.__init__).parameters.values()  # type: ignore[misc]  # without self
    return {parameter.name: parameter for parameter in parameters}


def check_effect(has_partner: bool, partner: str, **options: Any) -> None:
    """Rejects options that are set without the option that gives them an effect."""
    for name, value in options.items():
        require(has_partner or value is None, f"{{{name}}} has no effect without {partner}", **{name: value})


def check_mask(name: str, mask: Any, rank: int, states: Any = None) -> None:
    """Rejects masks of the wrong shape (they would broadcast) and float masks (their 1 may mean padding)."""
    if mask is None:
        return
    expected = {2: "[B, T]", 3: "[B, T, S], [1, T, S] or [B, 1, S]"}[rank]
    require(hasattr(mask, "shape"), f"{{{name}}} must be a boolean tensor {expected}", **{name: mask})
    shape, dtype = tuple(mask.shape), keras.backend.standardize_dtype(mask.dtype)
    problem = f"`{name}` must be a boolean tensor {expected}, True at real positions"
    if dtype != "bool":
        problem += ': write `keras.ops.cast(mask, "bool")` if 1 stands for True'
    elif rank == 3 and len(shape) == 2:
        problem += ": write `mask[None]` for a mask [T, S] of all texts, or give one [B, S] as `memory_mask`"
    require(len(shape) == rank and dtype == "bool", f"{problem}. Received: shape {shape}, dtype {dtype}")
    if states is not None and any(
        None not in sizes and sizes[0] != sizes[1] for sizes in zip(shape, tuple(states.shape)[:2], strict=True)
    ):
        raise ValueError(
            f"`{name}` must have the first two dimensions of the states {tuple(states.shape)}. Received: shape {shape}"
        )


def check_width(name: str, states_shape: Any, width: int) -> None:
    problem = f"`{name}` must be a float tensor whose last dimension is {width}. Received: shape {tuple(states_shape)}"
    require(len(states_shape) >= 2 and states_shape[-1] == width, problem)


def spec_of_call(layer: Any, *args: Any, **kwargs: Any) -> Any:
    """Infers a layer's outputs from `call`, as its `compute_output_spec`, because they depend on the arguments.

    Float tensors get the layer's compute dtype first, as in Keras' `__call__`.
    """

    def converted(value: Any) -> Any:
        if not isinstance(value, keras.KerasTensor) or not keras.backend.is_float_dtype(value.dtype):
            return value
        return with_mask(keras.KerasTensor(value.shape, layer.compute_dtype), keras_mask(value))

    args, kwargs = keras.tree.map_structure(converted, (args, kwargs))
    return keras.Operation.compute_output_spec(layer, *args, **kwargs)


def shapes_of_spec(layer: Any, *shapes: tuple[int | None, ...], **options: Any) -> Any:
    """Computes the shapes of a layer's outputs by its own `compute_output_spec`, as its `compute_output_shape`."""
    inputs = [keras.KerasTensor(shape, layer.compute_dtype) for shape in shapes]
    return keras.tree.map_structure(lambda x: x.shape, layer.compute_output_spec(*inputs, **options))


def call_keeping_shape(layer: Any, inputs: Any, states: Any = None, **arguments: Any) -> Any:
    """Calls a layer. Rejects an output with another width than the states, by default the layer's inputs.

    The error names the layer, where TensorFlow's would only name the operation after it.
    """
    states = inputs if states is None else states
    output = layer(inputs, **arguments)
    shape = getattr(output, "shape", None)
    if shape is None or len(shape) != len(states.shape) or shape[-1] != states.shape[-1]:
        sizes = ", ".join(["B", "T", "N"][: len(states.shape) - 1])
        raise ValueError(
            f"{type(layer).__name__}, the layer {layer.name!r}, must return a tensor [{sizes}, {states.shape[-1]}], "
            f"like its input. Received: {type(output).__name__ if shape is None else f'shape {tuple(shape)}'}"
        )
    return output


def check_alike(**shapes: Any) -> None:
    """Rejects two tensors that differ in a dimension other than the last, because they might broadcast."""
    (one, one_shape), (other, other_shape) = shapes.items()
    pairs = list(zip(one_shape[:-1], other_shape[:-1], strict=False))
    is_right = len(one_shape) == len(other_shape) and not any(None not in pair and pair[0] != pair[1] for pair in pairs)
    problem = f"`{one}` and `{other}` must have the same shape except for their last dimension"
    require(is_right, f"{problem}. Received: {tuple(one_shape)} and {tuple(other_shape)}")


def check_source(name: str, shape: Any, has_shortcut: bool) -> None:
    """Checks that the source of a shortcut is given if the attention has a shortcut, and only then."""
    require(not has_shortcut or shape is not None, f"Missing argument `{name}`, which the attention's shortcut reads.")
    require(has_shortcut or shape is None, f"Leave out `{name}`: the attention has no shortcut.")


def check_gated(has_gates: bool) -> None:
    require(has_gates, "Missing gates: `return_gates` needs a shortcut with gates, such as 'plain' or 'fusion'.")


def check_positive(**sizes: Any) -> None:
    for name, value in sizes.items():
        require(is_integer(value) and value >= 1, f"{{{name}}} must be a positive integer", **{name: value})


def optional_size(name: str, value: Any) -> int | None:
    """Returns a size as an int, or None, which stands for a default."""
    if value is None:
        return None
    check_positive(**{name: value})
    return int(value)


def plain_number(value: Any) -> Any:
    """Returns a number of NumPy as one of Python, which JSON takes, and any other value as it is."""
    return value.item() if isinstance(value, np.generic) else value


def check_rate(**rates: Any) -> None:
    for name, value in rates.items():
        require(is_number(value) and 0 <= value < 1, f"{{{name}}} must be at least 0 and below 1", **{name: value})
