"""Model directories of untrained models."""

from __future__ import annotations

import shutil

from keras_nmt.models import ModelDirectory


def save(model, folder, subwords, keys):
    directory = ModelDirectory(folder)
    directory.save_config(model, subwords=dict.fromkeys(keys, "subwords.model"))
    directory.save_weights(model)
    shutil.copy(subwords, folder / "subwords.model")
    return folder
