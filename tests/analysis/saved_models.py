"""Model directories of untrained models."""

from __future__ import annotations

import shutil

from keras_nmt.models import ModelDirectory


def save(model, folder, subwords, keys):
    directory = ModelDirectory(folder)
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(subwords, folder / "subwords.model")
    directory.save_config(model, subwords=dict.fromkeys(keys, "subwords.model"))
    directory.save_weights(model)
    return folder
