"""Optimizers by name."""

from __future__ import annotations

import keras
import pytest

from keras_nmt.errors import UserError
from keras_nmt.training import NoamSchedule, make_optimizer


def test_adam_has_the_settings_of_the_transformer() -> None:
    config = make_optimizer("adam", NoamSchedule(256, 100)).get_config()
    assert (config["beta_1"], config["beta_2"], config["epsilon"], config["global_clipnorm"]) == (0.9, 0.98, 1e-9, None)


def test_settings_reach_the_optimizer() -> None:
    adamw = make_optimizer("adamw", 1e-3, beta_2=0.9, epsilon=1e-6, weight_decay=0.1, clip=2.0)
    assert isinstance(adamw, keras.optimizers.AdamW)
    assert (adamw.beta_2, adamw.epsilon, adamw.weight_decay, adamw.global_clipnorm) == (0.9, 1e-6, 0.1, 2.0)
    sgd = make_optimizer("sgd", 0.5, momentum=0.9)
    assert isinstance(sgd, keras.optimizers.SGD)
    assert sgd.momentum == 0.9
    assert float(sgd.learning_rate) == 0.5


@pytest.mark.parametrize("arguments", [{"name": "adamw"}, {"name": "adam", "weight_decay": 0.1}, {"name": "rmsprop"}])
def test_contradicting_settings_are_rejected(arguments: dict) -> None:
    with pytest.raises(UserError, match=f"name='{arguments['name']}'"):
        make_optimizer(**arguments)
