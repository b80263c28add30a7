from __future__ import annotations

import gc
from typing import Any

import keras

from keras_nmt.errors import UserError
from keras_nmt.layers._int8_kernels import Int8Kernels

MODES = ("int8",)


def quantize(model: Any, mode: str = "int8") -> None:
    """Turns a model's matrices to int8, for serving: a quarter of the memory, and products of integers.

    A matrix has a scale for each column (a table of embeddings, for each row). What it multiplies has one for each
    position, found when it is there, so nothing is calibrated. Nothing can be trained afterwards. Dense layers and
    tables of embeddings are turned by Keras' own quantisation; attention, shortcuts, composition and role interaction
    by the same arithmetic. As they were stay vectors, LayerNorm, attention's own products, LSTMs, `LuongAttention`,
    convolutions, the matrix U of contextualised embeddings and full bilinear pooling.

    Args:
        model: A translation model or a multilingual one. It is changed in place; `with_dtype("float32")` makes a copy.
        mode: "int8", the only one.

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
    # Keras collects garbage whenever a layer drops a weight: what there is now need not be looked through each time.
    gc.freeze()
    try:
        for layer in list(model._flatten_layers()):  # each once, those of an ensemble's models too
            if isinstance(layer, (keras.layers.Dense, keras.layers.ReversibleEmbedding, Int8Kernels)):
                layer.quantize(mode)
    finally:
        gc.unfreeze()
