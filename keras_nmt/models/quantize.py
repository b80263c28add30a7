"""Quantisation of models."""

from __future__ import annotations

import gc
from typing import Any

import keras

from keras_nmt.errors import UserError
from keras_nmt.layers._int8_kernels import Int8Kernels
from keras_nmt.layers._keras_private import all_layers

MODES = ("int8",)


def quantize(model: Any, mode: str = "int8") -> None:
    """Converts a model's matrices to int8, for serving: a quarter of the memory, and integer products.

    Each column of a matrix has a scale, as each row of a table of embeddings. Each position of the other factor gets a
    scale at run time, so there is no calibration. The model cannot be trained afterwards. Keras' own quantisation
    converts dense layers and tables of embeddings; attention, shortcuts, composition and role interaction use the same
    arithmetic. Not converted: vectors, LayerNorm, the products of attention, LSTMs, `LuongAttention`, convolutions, the
    matrix U of contextualised embeddings, and full bilinear pooling.

    Args:
        model: Translation model or multilingual model, changed in place. `model.with_dtype("float32")` makes a copy.
        mode: String, "int8". Defaults to "int8".

    Raises:
        UserError: The mode is unknown.
        ValueError: The model is quantised already, or computes in float16.

    Example:

    >>> from keras import ops
    >>> from keras_nmt.models import Transformer
    >>> model = Transformer.from_preset("transformer_tiny", source_vocabulary_size=50)
    >>> source, target_input = ops.array([[7, 8, 3]]), ops.array([[2, 9]])
    >>> logits = model([source, target_input])
    >>> quantize(model)
    >>> sum(weight.dtype == "int8" for weight in model.weights) > 0
    True
    >>> bool(ops.max(ops.abs(model([source, target_input]) - logits)) < 0.1)
    True
    """
    if mode not in MODES:
        raise UserError(f"Weights can be quantized to {', '.join(MODES)}. Received: {mode}")
    # Keras collects garbage for each weight that a layer drops: without `freeze`, all objects are scanned each time.
    gc.freeze()
    try:
        for layer in all_layers(model):  # including the layers of an ensemble's models
            if isinstance(layer, (keras.layers.Dense, keras.layers.ReversibleEmbedding, Int8Kernels)):
                layer.quantize(mode, type_check=False)  # else not sub-classes of `Dense`
    finally:
        gc.unfreeze()
