"""The inner layers of a model, by path."""

from __future__ import annotations

import keras

from keras_nmt.errors import require
from keras_nmt.layers._keras_private import child_layers


def inner_layers(model: keras.Model) -> dict[str, keras.layers.Layer]:
    """Returns all layers of a model by their paths, including layers inside layers, in the order they were made.

    The path of a layer is the beginning of the paths of its weights, for example `encoder/layer_1/self_attention`. The
    path of a layer without weights, such as dropout, is its name after the path of the layer that contains it. Each
    layer occurs once, even if several layers share it. Inputs and inner models are left out.

    Args:
        model: Translation model or multilingual model, or any Keras model.

    Returns:
        Dictionary from paths to layers.

    Raises:
        ValueError: Two layers have the same path, as in an ensemble.

    Example:

    >>> from keras_nmt.models import Transformer
    >>> model = Transformer.from_preset("transformer_tiny", source_vocabulary_size=50)
    >>> [path for path in inner_layers(model) if path.count("/") == 1 and path.startswith("encoder/")]
    ['encoder/final_norm', 'encoder/layer_1', 'encoder/layer_2']
    >>> inner_layers(model)["encoder/layer_1/feed_forward"].intermediate_dim
    256
    """
    layers: dict[str, keras.layers.Layer] = {}
    seen: set[int] = set()

    def add(parent: keras.layers.Layer, prefix: str) -> None:
        for layer in child_layers(parent):
            if id(layer) in seen or isinstance(layer, keras.layers.InputLayer):
                continue
            seen.add(id(layer))
            if isinstance(layer, keras.Model):  # its name is not part of the paths of weights
                add(layer, prefix)
                continue
            path = layer.path or prefix + layer.name
            problem = f"Layers must have different paths: name them, or give a single model. Received: {path} twice"
            require(path not in layers, problem)
            layers[path] = layer
            add(layer, f"{path}/")

    add(model, "")
    return layers
