"""Full bilinear pooling against its equation."""

from __future__ import annotations

import numpy as np
import pytest

from keras_nmt.layers import BilinearPooling


def test_sums_all_products_of_two_neurons(random):
    representations = [random(2, 5, 2) for _ in range(3)]
    layer = BilinearPooling(4)
    layer(representations)
    kernel = random(36, 4)
    layer.set_weights([kernel])
    r = np.concatenate(representations, -1)
    w = kernel.reshape(6, 6, 4)
    # Eq. 8: R_o = sum_j sum_k w_{jk,o} R^_j R^_k
    expected = sum(w[j, k] * r[..., j, None] * r[..., k, None] for j in range(6) for k in range(6))
    np.testing.assert_allclose(layer(representations), expected, rtol=1e-4, atol=1e-4)


def test_keeps_the_contract_of_a_layer(check_layer, random):
    check_layer(
        lambda **kwargs: BilinearPooling(5, **kwargs),
        {"representations": random(2, 6, 3, 2)},
        weights=1,
        parameters=36 * 5,
    )


def test_is_of_second_order(random):
    x = random(2, 5, 3, 2)
    layer = BilinearPooling()
    np.testing.assert_allclose(layer(-3 * x), 9 * np.asarray(layer(x)), rtol=1e-4, atol=1e-5)


def test_more_weights_than_fit_are_refused():
    with pytest.raises(
        ValueError, match="use low-rank pooling.*Received: 6 x 512 neurons and 512 outputs, 4,831,838,208 weights"
    ):
        BilinearPooling().build([(None, None, 512)] * 6)
