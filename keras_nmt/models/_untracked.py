"""Objects that a Keras model refers to but must not track."""

from __future__ import annotations

import types


class Untracked(types.SimpleNamespace):
    """A namespace that Keras does not track.

    Keras tracks layers, models and their containers that are attributes of a model, and would count and save weights
    twice if two attributes held them. Keras does not track attributes of this object. A sub-class may annotate the
    attributes.

    Example:

    >>> import keras
    >>> from keras_nmt.layers._keras_private import all_layers
    >>> model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(3)])
    >>> model.views = Untracked(inner=keras.Model(model.inputs, model.outputs))
    >>> model.views.inner in all_layers(model)
    False
    """
