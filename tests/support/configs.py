"""Configurations of experiments, and the weights that runs write."""

from __future__ import annotations

import os
from typing import Any

import h5py
import numpy as np

from keras_nmt.experiments import ExperimentConfig
from keras_nmt.files.weights_file import arrays

NOISE = {"noise": {"swap": 0.2, "uppercase": 0.1}}
LORA = {"lora": {"rank": 2, "alpha": 4, "patterns": ["*attention/*", "embedding/table"]}, "max_updates": 6}


def mixed(one: dict[str, Any]) -> dict[str, Any]:
    """Old and new data: a third of the first corpus with all of the second, twice, in an epoch."""
    corpora = [{side: one[f"data.{part}.{side}"] for side in ("source", "target")} for part in ("train", "dev")]
    return {"data.train": corpora, "corpus_weights": [1 / 3, 2]}


def config(directory: str | os.PathLike[str], *settings: dict[str, Any]) -> ExperimentConfig:
    return ExperimentConfig.from_settings({"directory": directory}, *settings)


def stored_weights(path: str | os.PathLike[str]) -> dict[str, np.ndarray]:
    """The arrays in a file of weights by name."""
    with h5py.File(path) as file:
        return {name: array[()] for name, array in arrays(file).items()}
