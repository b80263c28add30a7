"""Learning rate schedules."""

from __future__ import annotations

import keras
import numpy as np
import pytest

from keras_nmt.training import InverseSquareRootSchedule, NoamSchedule


@pytest.mark.parametrize("update", [1, 2, 99, 100, 101, 5000])
def test_noam_formula(update: int) -> None:
    expected = 2.0 * 256**-0.5 * min(update**-0.5, update * 100**-1.5)
    np.testing.assert_allclose(NoamSchedule(256, 100, scale=2.0)(update - 1), expected, rtol=1e-5)


@pytest.mark.parametrize("update", [1, 2, 99, 100, 101, 5000])
def test_inverse_square_root_formula(update: int) -> None:
    expected = 5e-4 * min(update / 100, (100 / update) ** 0.5)
    np.testing.assert_allclose(InverseSquareRootSchedule(5e-4, 100)(update - 1), expected, rtol=1e-5)


@pytest.mark.parametrize("schedule", [NoamSchedule(256, 100, 0.5), InverseSquareRootSchedule(5e-4, 100)])
def test_serialises(schedule: keras.optimizers.schedules.LearningRateSchedule) -> None:
    optimizer = keras.optimizers.deserialize(keras.optimizers.serialize(keras.optimizers.Adam(schedule)))
    assert float(optimizer.learning_rate) == float(schedule(0))
    again = keras.optimizers.schedules.deserialize(keras.optimizers.schedules.serialize(schedule))
    assert type(again) is type(schedule)
    assert again.get_config() == schedule.get_config()


def test_wrong_numbers_of_steps_are_rejected() -> None:
    with pytest.raises(ValueError, match="warmup_steps=0"):
        NoamSchedule(256, 0)
    with pytest.raises(ValueError, match="warmup_steps=0"):
        InverseSquareRootSchedule(1e-3, 0)
