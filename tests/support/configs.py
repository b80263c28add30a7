"""Configurations of experiments."""

from __future__ import annotations

import os
from typing import Any

from keras_nmt.experiments import ExperimentConfig

NOISE = {"noise": {"swap": 0.2, "uppercase": 0.1}}


def config(directory: str | os.PathLike[str], *settings: dict[str, Any]) -> ExperimentConfig:
    return ExperimentConfig.from_settings({"directory": directory}, *settings)
