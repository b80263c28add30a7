"""What all tests share: two logical CPU devices, seeds, a place for real data."""

from __future__ import annotations

import os
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import keras
import pytest
import tensorflow as tf

# Two devices, so that every test may use two replicas; set before TensorFlow starts.
tf.config.set_logical_device_configuration(
    tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2
)


@pytest.fixture(autouse=True)
def _same_every_time():
    keras.utils.set_random_seed(1)
    yield
    keras.config.set_dtype_policy("float32")


@pytest.fixture(scope="session")
def multi30k() -> Path:
    """The Multi30k corpus, which is not part of the project."""
    default = Path(__file__).parents[2] / "shared" / "data" / "multi30k"
    folder = Path(os.environ.get("KERAS_NMT_MULTI30K", default))
    if not (folder / "train.en.gz").is_file():
        pytest.skip(f"Multi30k is not at {folder}; set KERAS_NMT_MULTI30K to its folder")
    return folder
