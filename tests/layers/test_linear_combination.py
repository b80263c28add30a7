"""The linear combination against its equation."""

from __future__ import annotations

import numpy as np

from keras_nmt.layers import LinearCombination


def test_sums_the_products_of_representations_and_matrices(random):
    representations = [random(2, 5, 4) for _ in range(3)]
    layer = LinearCombination(7)
    layer(representations)
    matrices = [random(4, 7) for _ in range(3)]
    layer.set_weights([np.concatenate(matrices)])
    expected = sum(h @ w for h, w in zip(representations, matrices, strict=True))  # sum_l H^l W_l
    np.testing.assert_allclose(layer(representations), expected, rtol=1e-4, atol=1e-5)


def test_keeps_the_contract_of_a_layer(check_layer, random):
    check_layer(
        lambda **kwargs: LinearCombination(5, **kwargs),
        {"representations": random(2, 6, 3, 4)},
        weights=1,
        parameters=3 * 4 * 5,
    )


def test_parameters_of_six_layers_in_two_stacks():
    layer = LinearCombination()
    layer.build([(None, None, 512)] * 6)
    assert 2 * layer.count_params() == 3_145_728
