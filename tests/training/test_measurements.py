"""The measurements of updates: sums between two lines of the log, and the time that counts."""

from __future__ import annotations

import tensorflow as tf

from keras_nmt.training.checkpoints import Progress
from keras_nmt.training.measurements import Measurements


def test_sums_cover_all_updates_of_all_fetches() -> None:
    measurements, progress = Measurements({}, 1, "tokens", is_scaled=False), Progress()
    for numbers in ((1, 2), (3,)):
        for number in numbers:
            measurements.add("task", number, tf.fill([8], float(number)))
        measurements.fetch(progress)
    assert progress.pending["updates"] == 3
    assert progress.pending["loss"] == progress.task_pending["task"]["loss"] == progress.tokens == 6
    assert progress.pending["learning_rate"] == 3
