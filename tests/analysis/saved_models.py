"""Model directories of untrained models, and models with other weights, to plant what an analysis must find."""

import shutil

import numpy as np

from keras_nmt.inference import Translator
from keras_nmt.models import ModelDirectory


def save(model, folder, subwords, keys=None):
    directory = ModelDirectory(folder)
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(subwords, folder / "subwords.model")
    directory.save_config(model, subwords=dict.fromkeys(keys or model.languages, "subwords.model"))
    directory.save_weights(model)
    return folder


def noisy(model, seed, noise=0.3):
    """The model with weights that are large enough for tokens to differ."""
    rng = np.random.default_rng(seed)
    model.set_weights([weight + rng.normal(0, noise, weight.shape) for weight in model.get_weights()])
    return model


def changed(translator, part, value):
    """A translator whose weights with a part of their path have another value."""
    model = type(translator.model).from_config(translator.model.get_config())
    model.set_weights(translator.model.get_weights())
    for weight in model.weights:
        if part in weight.path:
            weight.assign(np.full(weight.shape, value))
    return Translator(model, translator.tokenizers)
