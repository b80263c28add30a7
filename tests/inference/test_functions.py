"""Traced functions."""

from __future__ import annotations

import tensorflow as tf

from keras_nmt.inference._functions import NUMBERS, function


def test_functions_of_one_body_cause_no_retracing_warning(caplog):
    tf.get_logger().addHandler(caplog.handler)  # TensorFlow's logger does not propagate
    try:
        for number in range(8):
            traced = function(lambda x, number=number: x + number, NUMBERS)
            assert traced(tf.constant([1])).numpy().tolist() == [1 + number]
    finally:
        tf.get_logger().removeHandler(caplog.handler)
    assert "retracing" not in caplog.text
