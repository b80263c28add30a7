"""Quantisation of the matrices of the package's own layers."""

from __future__ import annotations

from typing import Any

import keras
from keras import ops

from keras_nmt.layers._projection import product


class Int8Kernels(keras.layers.Layer):
    """A layer whose own matrices `quantize("int8")` converts to int8, as Keras does for `Dense`.

    A sub-class names its weights of two and more dimensions in `kernels`, and multiplies by them with `product`. Each
    column of a matrix has a scale; each row of the other factor gets a scale at run time.
    """

    kernels: tuple[str, ...] = ()
    is_int8 = False

    def product(self, x: Any, name: str) -> Any:
        """`[..., n]` times the kernel `[n, m]` of that name. A kernel `[..., m]` counts as `[n, m]`."""
        kernel = getattr(self, name)
        if len(kernel.shape) > 2:
            kernel = ops.reshape(kernel, (-1, kernel.shape[-1]))
        if not self.is_int8:
            return product(x, ops.cast(kernel, self.compute_dtype))
        x, scale = keras.quantizers.abs_max_quantize(x, axis=-1)  # int8, and the scale of each row
        return ops.cast(ops.matmul(x, kernel), self.compute_dtype) / (scale * getattr(self, f"{name}_scale"))

    def quantize(self, mode: str | None = None, type_check: bool = True, config: Any = None) -> None:
        """Converts the kernels; see `keras.layers.Layer`. The only mode is "int8"."""
        if mode != "int8":
            raise NotImplementedError(f"{type(self).__name__} can be quantized to 'int8' only. Received: mode={mode!r}")
        if self.is_int8:  # Keras checks the rest
            raise ValueError(f"The layer is already quantized. Received: layer={self.name!r}")
        for name in self.kernels:
            kernel = getattr(self, name, None)
            if kernel is None:  # a kernel of another variant of the layer
                continue
            over = tuple(range(len(kernel.shape) - 1))
            values, scale = keras.quantizers.abs_max_quantize(kernel, axis=over, to_numpy=True)
            delattr(self, name)
            int8 = self.add_weight(shape=values.shape, dtype="int8", initializer="zeros", trainable=False, name=name)
            int8.assign(values)
            setattr(self, name, int8)
            columns = self.add_weight(shape=scale.shape[-1:], trainable=False, name=f"{name}_scale")
            columns.assign(ops.reshape(scale, (-1,)))
            setattr(self, f"{name}_scale", columns)
        self.is_int8 = True
