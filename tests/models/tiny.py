"""A tiny Transformer, a batch for it, and the logits of its steps."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from keras_nmt.ids import BEGIN, END, PAD

V = 23
TINY = {
    "source_vocabulary_size": V,
    "num_encoder_layers": 3,
    "num_decoder_layers": 3,
    "hidden_dim": 8,
    "num_heads": 2,
    "intermediate_dim": 12,
}


def randomise(model, scale=0.2):
    """Sets weights that make every part matter: the initial gates, biases and norms are 0 or 1."""
    generator = np.random.default_rng(5)
    for weight in model.trainable_weights:
        noise = generator.normal(scale=scale, size=weight.shape)
        weight.assign(weight + noise)
    return model


def make_batch(model, rows=3, source_length=6, target_length=5, seed=0):
    generator = np.random.default_rng(seed)
    source = generator.integers(4, model.source_vocabulary_size, (rows, source_length)).astype("int32")
    for row in range(rows):  # rows of different lengths
        length = source_length - row % source_length
        source[row, length - 1 :] = PAD
        source[row, length - 1] = END
    target = generator.integers(4, model.target_vocabulary_size, (rows, target_length)).astype("int32")
    target[:, 0] = BEGIN
    return source, target


def stepwise(model, source, target, beam_size=2, jit_compile=None, grows=False):
    """Logits `[B, T, V]` of decoder steps over given prefixes, equal for each hypothesis of the beam."""
    step = model.decoder_step
    if jit_compile is not None:
        step = tf.function(step, jit_compile=jit_compile, autograph=False)
    constants, caches = model.prepare(model.encoder(source), beam_size, None if grows else target.shape[1])
    logits = []
    for position in range(target.shape[1]):
        tokens = np.repeat(target[:, position : position + 1], beam_size, 1)
        out, caches = step(tf.constant(tokens), tf.constant(position), constants, caches)
        # The keys of the hypotheses are at different positions, so sums may have another order.
        np.testing.assert_allclose(out[:, 0], out[:, 1], atol=1e-5)
        logits.append(out[:, 0])
    return np.stack(logits, 1)
