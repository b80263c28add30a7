"""Products with matrices of weights, by few operators where a graph does not know the sizes, or by int8 kernels."""

from __future__ import annotations

import math
from typing import Any

import keras
from keras import ops

from keras_nmt.errors import require
from keras_nmt.layers._common import ConfiguredLayer
from keras_nmt.layers._keras_private import unlocked


def reshape_last(x: Any, *sizes: int, axes: int = 1) -> Any:
    """Replaces the last `axes` dimensions of `x` by `sizes`; the leading dimensions stay."""
    return ops.reshape(x, (*_leading_sizes(x, len(x.shape) - axes), *sizes))


def reshape_like(x: Any, rows: Any) -> Any:
    """Reshapes rows `[R, m]` to `[..., m]`, with the leading dimensions of `x` `[..., n]`."""
    return ops.reshape(rows, (*_leading_sizes(x, len(x.shape) - 1), rows.shape[-1]))


def product(x: Any, kernel: Any) -> Any:
    """Multiplies `x` `[..., n]` by a matrix `[n, m]`. `ops.matmul` alone would make twenty operators of it."""
    if len(x.shape) < 3:
        return ops.matmul(x, kernel)
    return reshape_like(x, ops.matmul(ops.reshape(x, (-1, x.shape[-1])), kernel))


class Projection(keras.layers.Dense):
    """A `keras.layers.Dense` that reshapes its input `[..., n]` to rows `[R, n]` before the product."""

    def call(self, inputs: Any, training: Any = None) -> Any:
        rows = ops.reshape(inputs, (-1, inputs.shape[-1]))  # [R, n]
        if self.bias is None or self.compute_dtype == "float32":
            result = super().call(rows, training=training)
        else:
            # TensorFlow's `BiasAdd`, which `Dense` uses, sums the gradient of the bias in the type of the states: in
            # bfloat16 the sum of many rows stops at 256. That of a sum of two tensors is exact enough.
            result = self.activation(ops.matmul(rows, self.kernel) + ops.cast(self.bias, rows.dtype))
        return reshape_like(inputs, result) if len(inputs.shape) > 2 else result


def _leading_sizes(x: Any, count: int) -> list[Any]:
    """Returns the first `count` sizes of `x` for a reshape: -1 for the first one that the graph does not know.

    The sizes are read from the tensor only if several are unknown.
    """
    sizes: list[Any] = list(x.shape[:count])
    unknown = [i for i, size in enumerate(sizes) if size is None]
    if len(unknown) > 1:
        sizes = list(ops.shape(x)[:count])
    if unknown:
        sizes[unknown[0]] = -1
    return sizes


class Int8Kernels(ConfiguredLayer):
    """A layer whose matrices can be quantised to int8 and adapted by LoRA, as those of `keras.layers.Dense`.

    A sub-class lists its weights of two or more dimensions in `kernels`, and multiplies by them with `product`. Each
    column of a matrix has a scale. The rows of the other factor are scaled at run time. Keras saves such a layer with
    its adapter merged, as a `Dense`. The file of an int8 layer is for a layer on which `quantize` was called, too.
    """

    kernels: tuple[str, ...] = ()
    is_int8 = False
    lora_enabled = False

    def product(self, x: Any, name: str) -> Any:
        """Multiplies `[..., n]` by the kernel `[n, m]` of that name; a kernel `[..., m]` is reshaped to `[n, m]`."""
        kernel = getattr(self, name)
        if len(kernel.shape) > 2:
            kernel = ops.reshape(kernel, (-1, kernel.shape[-1]))
        if self.is_int8:
            result = _int8_product(x, kernel, getattr(self, f"{name}_scale"))
        else:
            result = product(x, ops.cast(kernel, self.compute_dtype))
        if self.lora_enabled:
            a, b = (ops.cast(getattr(self, f"lora_{name}_{i}"), self.compute_dtype) for i in "ab")  # [n, r], [r, m]
            result += product(product(x, a), b) * (self.lora_alpha / self.lora_rank)
        return result

    def _named_kernels(self) -> list[tuple[str, Any]]:
        """Returns the kernels that this variant of the layer has, with their names."""
        return [(name, kernel) for name in self.kernels if (kernel := getattr(self, name, None)) is not None]

    def enable_lora(
        self,
        rank: int,
        lora_alpha: float | None = None,
        a_initializer: Any = "he_uniform",
        b_initializer: Any = "zeros",
    ) -> None:
        """Adds `lora_alpha / rank * A B` to each kernel, with trained A and B; see `keras.layers.Dense`."""
        require(not self.lora_enabled, "LoRA can be enabled only once for each layer", layer=self.name)
        with unlocked(self):
            for name, kernel in self._named_kernels():
                kernel.trainable = False
                shapes = {"a": (math.prod(kernel.shape[:-1]), rank), "b": (rank, kernel.shape[-1])}
                for (i, shape), start in zip(shapes.items(), (a_initializer, b_initializer), strict=True):
                    factor = self.add_weight(
                        shape=shape, dtype="float32", initializer=keras.initializers.get(start), name=f"lora_{name}_{i}"
                    )
                    setattr(self, f"lora_{name}_{i}", factor)
        self.lora_enabled = True
        self.lora_rank, self.lora_alpha = rank, rank if lora_alpha is None else lora_alpha

    def save_own_variables(self, store: Any) -> None:
        """Writes the variables without the factors of an adapter, whose product is added to the kernels."""
        if not self.lora_enabled:
            super().save_own_variables(store)
            return
        merged: dict[int, Any] = {}
        for name, _ in self._named_kernels():
            merged |= self._merged(name)
        for i, variable in enumerate(self._kept_variables()):
            store[str(i)] = merged.get(id(variable), variable)

    def load_own_variables(self, store: Any) -> None:
        """Reads what `save_own_variables` wrote; an adapter starts anew."""
        if not self.lora_enabled:
            super().load_own_variables(store)
            return
        for i, variable in enumerate(self._kept_variables()):
            variable.assign(store[str(i)])
        for name, _ in self._named_kernels():
            factor = getattr(self, f"lora_{name}_b")
            factor.assign(ops.zeros_like(factor))

    def _kept_variables(self) -> list[Any]:
        """Returns the layer's own variables in the order in which Keras saves them, without those of an adapter."""
        return [x for x in (*self._trainable_variables, *self._non_trainable_variables) if "lora_" not in x.name]

    def _merged(self, name: str) -> dict[int, Any]:
        """Returns the values of a kernel with its adapter, and of the scales of an int8 one, by the variables' ids."""
        kernel = getattr(self, name)
        a, b = (getattr(self, f"lora_{name}_{i}") for i in "ab")
        product = ops.reshape(ops.matmul(a, b) * (self.lora_alpha / self.lora_rank), kernel.shape)
        if not self.is_int8:
            return {id(kernel): kernel + ops.cast(product, kernel.dtype)}
        scale = getattr(self, f"{name}_scale")
        values, columns = _to_int8(ops.cast(kernel, "float32") / ops.cast(scale, "float32") + product)
        return {id(kernel): values, id(scale): columns}

    def quantize(self, mode: str | None = None, type_check: bool = True, config: Any = None) -> None:
        """Converts the kernels; see `keras.layers.Layer`. The only mode is "int8"."""
        if mode != "int8":
            raise NotImplementedError(f"{type(self).__name__} can only be quantized to 'int8'. Received: mode={mode!r}")
        require(not self.is_int8, "The layer is already quantized", layer=self.name)
        for name, kernel in self._named_kernels():
            values, scale = _to_int8(kernel)
            delattr(self, name)
            int8 = self.add_weight(shape=values.shape, dtype="int8", initializer="zeros", trainable=False, name=name)
            int8.assign(values)
            setattr(self, name, int8)
            columns = self.add_weight(shape=scale.shape, trainable=False, name=f"{name}_scale")
            columns.assign(scale)
            setattr(self, f"{name}_scale", columns)
        self.is_int8 = True


def _to_int8(kernel: Any) -> tuple[Any, Any]:
    """Returns a kernel `[..., m]` as int8, and the scales `[m]` of its columns, by which it was multiplied."""
    over = tuple(range(len(kernel.shape) - 1))
    values, scale = keras.quantizers.abs_max_quantize(kernel, axis=over, to_numpy=True)
    return values, ops.reshape(scale, (-1,))


def _int8_product(x: Any, kernel: Any, scale: Any) -> Any:
    """Multiplies `[..., n]` by an int8 kernel `[n, m]` whose columns have scales `[m]`.

    As in Keras' `Dense`, the gradient of `x` is that of a product with the float kernel, as if nothing was rounded.
    """

    @ops.custom_gradient
    def multiply(x: Any, kernel: Any, scale: Any) -> Any:
        rows, row_scale = keras.quantizers.abs_max_quantize(x, axis=-1)  # int8, and the scale of each row
        result = ops.cast(ops.matmul(rows, kernel), x.dtype) / (row_scale * ops.cast(scale, x.dtype))

        def gradient(*upstreams: Any, upstream: Any = None) -> tuple[Any, None, None]:
            upstream = upstreams[0] if upstream is None else upstream
            floats = ops.cast(kernel, x.dtype) / ops.cast(scale, x.dtype)
            return ops.matmul(upstream, ops.transpose(floats)), None, None

        return result, gradient

    return multiply(x, ops.convert_to_tensor(kernel), ops.convert_to_tensor(scale))
