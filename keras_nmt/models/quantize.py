"""Quantisation of models to int8."""

from __future__ import annotations

import gc
from typing import Any

import keras

from keras_nmt.errors import UserError, check_choice, require
from keras_nmt.layers._keras_private import all_layers, forget_graphs
from keras_nmt.layers._projection import Int8Kernels

MODES = ("int8",)


def quantize(model: Any, mode: str = "int8", embeddings: bool = True) -> None:
    """Converts a model's matrices to int8 for serving, which takes a quarter of the memory and uses integer products.

    Each column of a matrix and each row of a table of embeddings has a scale. The scale of each position of the other
    factor is computed at run time, so there is no calibration. The matrices cannot be trained afterwards. Keras' own
    quantisation converts dense layers and tables of embeddings; attention, shortcuts, composition and role interaction
    use the same arithmetic. Not converted are vectors, LayerNorm, the products inside attention, LSTMs,
    `LuongAttention`, convolutions, the matrix U of contextualized embeddings, and full bilinear pooling.

    Args:
        model: Translation model or multilingual model, changed in place. `model.with_dtype("float32")` makes a copy.
        mode: String, "int8". Defaults to "int8".
        embeddings: Boolean, whether tables of embeddings are also converted. If not, gradients pass through the model,
            and low-rank adapters can be trained on it (`keras_nmt.models.add_adapter`). Defaults to True.

    Raises:
        UserError: The mode is unknown, or the model is none of the package's.
        ValueError: The model is already quantised, or computes in float16.

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
    check_choice("mode", mode, MODES)
    check_ours(model)
    # Keras collects garbage for each weight that a layer drops, which would scan all objects without `freeze`.
    gc.freeze()
    try:
        kinds = (keras.layers.Dense, Int8Kernels, *([keras.layers.ReversibleEmbedding] if embeddings else []))
        for layer in all_layers(model):  # including the layers of an ensemble's models
            if isinstance(layer, kinds):
                layer.quantize(mode, type_check=False)  # the check would reject sub-classes of `Dense`
    finally:
        gc.unfreeze()
    forget_graphs(model, *model.views())


def check_ours(model: Any) -> None:
    """Raises a `UserError` if the model is none of the package's, which know the models made of their layers."""
    problem = "The model must be a translation model, multilingual model or ensemble of keras_nmt"
    require(hasattr(model, "views"), f"{problem}. Received: {type(model).__name__}")


def check_copyable(model: Any) -> None:
    """Raises a `UserError` if the model cannot be copied or exported: its matrices are int8, or have adapters."""
    if any(weight.dtype == "int8" for weight in model.weights):
        raise UserError(
            'The model is quantised already: copy it, or export it with quantize="int8", as it was before. '
            f"Received: {type(model).__name__} with weights of int8"
        )
    is_right = not any(weight.name.startswith("lora_") for weight in model.weights)
    problem = "The model has an adapter: load the model directory, whose weights are merged"
    require(is_right, f"{problem}. Received: {type(model).__name__} with LoRA")
