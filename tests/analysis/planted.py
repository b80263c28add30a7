"""Models with other weights, to plant what an analysis must find."""

import numpy as np

from keras_nmt.inference import Translator


def changed(translator, part, value):
    """A translator whose weights with a part of their path have another value."""
    model = type(translator.model).from_config(translator.model.get_config())
    model.set_weights(translator.model.get_weights())
    for weight in model.weights:
        if part in weight.path:
            weight.assign(np.full(weight.shape, value))
    return Translator(model, translator.tokenizers)
