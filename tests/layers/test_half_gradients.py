"""Gradients under mixed_bfloat16 are those of float32, also of weights that see many rows."""

import numpy as np
import pytest
import tensorflow as tf

from keras_nmt.layers import AttentionBridge, FeedForward, MultiHeadAttention

ROWS = (16, 64)  # 1,024 rows: in bfloat16, a sum that adds them one by one stops at 256
LAYERS = {
    "feed_forward": lambda dtype: FeedForward(24, 8, dtype=dtype),
    "attention": lambda dtype: MultiHeadAttention(2, 8, use_bias=True, dtype=dtype),
    "bridge": lambda dtype: AttentionBridge(3, 12, penalty_weight=0.0, dtype=dtype),
}


@pytest.mark.parametrize("name", LAYERS)
def test_the_gradients_of_all_weights_are_those_of_float32(name, random):
    inputs = random(*ROWS, 8)
    weights, gradients = None, []
    for dtype in ("float32", "mixed_bfloat16"):
        layer = LAYERS[name](dtype)
        layer.build(inputs.shape)
        layer.set_weights(weights or layer.get_weights())
        weights = layer.get_weights()
        with tf.GradientTape() as tape:
            # All rows pull each output in the same direction, so that nothing cancels.
            loss = tf.reduce_sum(tf.cast(layer(inputs), "float32"))
        variables = [x.value for x in layer.trainable_weights]
        gradients.append([np.asarray(x) for x in tape.gradient(loss, variables)])
    for weight, exact, half in zip(layer.trainable_weights, *gradients, strict=True):
        error = np.linalg.norm(half - exact) / max(np.linalg.norm(exact), 1.0)
        assert error < 0.05, (weight.path, error)
