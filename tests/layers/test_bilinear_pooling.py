"""Linear combination and bilinear pooling against their equations; initial weights, parameters and half precision."""

import numpy as np
import pytest
import tensorflow as tf

from keras_nmt.layers import BilinearPooling, LinearCombination, LowRankBilinearPooling

N, WIDTH, UNITS = 3, 2, 5


def _factors(layer):
    """The factors U and V, with the rows for the 1 if there are any, and P."""
    weights = {w.name: np.asarray(w) for w in layer.weights}
    u, v = np.split(weights["factors"], 2, -1)
    if layer.first_order:
        ones_u, ones_v = np.split(weights["ones_row"], 2)
        u, v = np.concatenate([u, ones_u[None]]), np.concatenate([v, ones_v[None]])
    return u, v, weights["projection"]


def _with_one(r, first_order):
    return np.concatenate([r, np.ones_like(r[..., :1])], -1) if first_order else r


def test_sums_the_products_of_representations_and_matrices(random):
    representations = [random(2, 5, 4) for _ in range(3)]
    layer = LinearCombination(7)
    layer(representations)
    matrices = [random(4, 7) for _ in range(3)]
    layer.set_weights([np.concatenate(matrices)])
    expected = sum(h @ w for h, w in zip(representations, matrices, strict=True))  # sum_l H^l W_l
    np.testing.assert_allclose(layer(representations), expected, rtol=1e-4, atol=1e-5)


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


def test_more_weights_than_fit_are_refused():
    with pytest.raises(
        ValueError, match="use low-rank pooling.*Received: 6 x 512 neurons and 512 outputs, 4,831,838,208 weights"
    ):
        BilinearPooling().build([(None, None, 512)] * 6)


@pytest.mark.parametrize("first_order", [False, True])
def test_follows_the_equations(random, randomised, first_order):
    representations = [random(2, 5, WIDTH) for _ in range(N)]
    layer = randomised(LowRankBilinearPooling(UNITS, 7, first_order), (None, N, WIDTH))
    u, v, p = _factors(layer)
    r = _with_one(np.concatenate(representations, -1), first_order)  # R^ or [R^; 1]
    np.testing.assert_allclose(layer(representations), ((r @ u) * (r @ v)) @ p, rtol=1e-3, atol=1e-4)  # Eq. 10, 11


def test_products_without_first_order_start_with_the_variance_of_the_input(random):
    output = np.asarray(LowRankBilinearPooling(64, 256, first_order=False)(random(2000, 4, 16)))
    assert np.var(output) == pytest.approx(1, rel=0.1)


def test_random_factors_have_rows_of_ones_like_their_other_rows():
    layer = LowRankBilinearPooling(64, 500)
    layer.build((None, 4, 16))
    u, v, p = _factors(layer)
    for rows in (u[:-1], u[-1:], v[:-1], v[-1:]):
        assert np.var(rows) == pytest.approx(1 / 65, rel=0.2)
    assert np.var(p) == pytest.approx(1 / 500, rel=0.1)


def test_starts_as_the_last_neurons(random):
    x = random(50, 4, 16)
    for units, rank in ((None, None), (16, 40), (64, 64), (24, 24)):
        output = LowRankBilinearPooling(units, rank, start="identity")(x)
        np.testing.assert_allclose(output, x.reshape(50, 64)[:, -(units or 16) :], rtol=1e-4, atol=1e-5)


def test_a_rank_above_the_number_of_products_is_rejected(random):
    LowRankBilinearPooling(rank=36)(random(2, N, WIDTH))
    assert LowRankBilinearPooling(units=37)(random(2, N, WIDTH)).shape == (2, 37)
    with pytest.raises(ValueError, match="`rank` must be at most 36.*Received: rank=37"):
        LowRankBilinearPooling(rank=37)(random(2, N, WIDTH))


def test_float16_has_gradients_if_its_products_overflow(random, randomised):
    """Products above the range of float16 are computed in float32, and so are their gradients."""
    x, gradients, values = 1e3 * random(3, N, WIDTH), [], None
    for policy in ("float32", "mixed_float16"):
        layer = randomised(LowRankBilinearPooling(UNITS, 4, dtype=policy), x.shape)
        values = values or [0.3 * weight for weight in layer.get_weights()]
        layer.set_weights(values)
        with tf.GradientTape() as tape:
            loss = 1e-3 * tf.reduce_mean(tf.cast(layer(x), "float32"))
        gradients.append([np.asarray(g, "float32") for g in tape.gradient(loss, [w.value for w in layer.weights])])
    for one, other in zip(*gradients, strict=True):
        np.testing.assert_allclose(other, one, rtol=5e-2, atol=2e-2 * np.abs(one).max())


def test_float16_outputs_are_finite_if_sums_overflow(random):
    """R^ U exceeds the range of float16, but the output does not."""
    x = 2e4 * np.tanh(random(3, N, WIDTH))
    factors = random(N * WIDTH, 8) * np.repeat([2.0, 1e-3], 4)  # U | V
    values = [random(8), factors, 1e-3 * random(4, UNITS)]
    assert np.abs(x.reshape(3, -1) @ factors).max() > 65504
    outputs = []
    for policy in ("float32", "mixed_float16"):
        layer = LowRankBilinearPooling(UNITS, 4, dtype=policy)
        layer.build(x.shape)
        layer.set_weights(values)
        outputs.append(np.asarray(layer(x), "float32"))
    full, half = outputs
    assert 100 < np.abs(full).max() < 65504
    np.testing.assert_allclose(half, full, rtol=1e-2, atol=1e-2 * np.abs(full).max())
