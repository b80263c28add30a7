"""Reordering of caches with the hypotheses of a beam, except caches under the key "not_reordered"."""

from __future__ import annotations

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_nmt.decoding import beam_search, shift_right, token_log_probabilities
from keras_nmt.decoding.search_loop import _take_caches
from keras_nmt.models import Transformer

RANDOM = np.random.default_rng(1)


def test_caches_are_reordered_except_kept_caches():
    x, y = RANDOM.normal(size=(2, 3, 4)), RANDOM.normal(size=(2, 5))
    parents = np.array([[2, 2, 0], [1, 0, 2]], "int32")
    for rows in ([0, 1], [1]):
        found = _take_caches(
            [{"a": x, "not_reordered": {"b": y, "c": [y]}}, (x,)], parents[rows], np.array(rows, "int32")
        )
        expected = np.stack([x[row][parents[row]] for row in rows])
        np.testing.assert_array_equal(found[0]["a"], expected)
        np.testing.assert_array_equal(found[1][0], expected)
        np.testing.assert_array_equal(found[0]["not_reordered"]["b"], y[rows])
        np.testing.assert_array_equal(found[0]["not_reordered"]["c"][0], y[rows])


@pytest.mark.parametrize(("compiled", "grows"), [("xla", False), ("graph", True)], indirect=["compiled"])
def test_reordered_hypotheses_keep_their_past(compiled, grows):
    keras.utils.set_random_seed(1)
    sizes = {"num_encoder_layers": 1, "num_decoder_layers": 2, "hidden_dim": 8, "num_heads": 2, "intermediate_dim": 8}
    model = Transformer(20, **sizes)
    for weight in model.trainable_variables:  # attention that depends on the past
        weight.assign(2 * weight)
    source = tf.constant(RANDOM.integers(4, 20, (3, 5)), "int32")

    def search(source):
        constants, caches = model.prepare(model.encoder(source), 4, None if grows else 8)
        options = {"batch_size": 3, "beam_size": 4, "max_length": 8, "drop_finished": grows}
        return beam_search(model.decoder_step, constants, caches, **options)

    result = compiled(search)(source)
    found = []
    for place in range(4):
        tokens = result.tokens[:, place]
        found.append(tokens.numpy())
        logits = model([source, shift_right(tokens)])
        expected = np.sum(token_log_probabilities(logits, tokens), axis=1)
        np.testing.assert_allclose(result.log_probabilities[:, place], expected, rtol=1e-4, atol=1e-4)
    assert len(np.unique(np.concatenate(found)[:, :2], axis=0)) > 3  # from several hypotheses
