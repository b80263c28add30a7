"""Inputs and starts of all composition layers: lists and tensors, masks, shapes and half precision."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_nmt.layers import BilinearPooling, HierarchicalAggregation, LinearCombination, LowRankBilinearPooling

N, WIDTH = 3, 4

MAKERS = {
    "linear": LinearCombination,
    "hierarchical": lambda **kwargs: HierarchicalAggregation(N, **kwargs),
    "full": BilinearPooling,
    "low_rank": lambda **kwargs: LowRankBilinearPooling(first_order=False, **kwargs),
    "extended": LowRankBilinearPooling,
}


@pytest.fixture(params=MAKERS)
def make(request):
    return MAKERS[request.param]


def _separate(stacked):
    return [stacked[..., i, :] for i in range(stacked.shape[-2])]


def test_a_list_and_a_stacked_tensor_give_equal_outputs(make, random, randomised):
    for leading in ((2, 5), (5,), (1, 1)):
        stacked = random(*leading, N, WIDTH)
        layer = randomised(make(), stacked.shape)
        expected = layer(stacked)
        assert tuple(expected.shape) == (*leading, WIDTH) == layer.compute_output_shape(stacked.shape)
        assert layer.compute_output_shape([r.shape for r in _separate(stacked)]) == (*leading, WIDTH)
        np.testing.assert_allclose(layer(_separate(stacked)), expected, rtol=1e-5, atol=1e-5)
        built_of_a_tuple = make()
        built_of_a_tuple(tuple(_separate(stacked)))
        built_of_a_tuple.set_weights(layer.get_weights())
        np.testing.assert_allclose(built_of_a_tuple(stacked), expected, rtol=1e-5, atol=1e-5)


def test_any_width_composes_to_units(make):
    for width, units in ((1, None), (2, 5), (4, 1)):
        layer = make(units=np.int64(units) if units else None, **({"rank": 1} if "rank" in make().get_config() else {}))
        assert tuple(layer(np.ones((2, N, width), "float32")).shape) == (2, units or width)
        assert layer.compute_output_shape((2, N, width)) == (2, units or width)


# Kinds whose equation has an identity start.
WITH_IDENTITY = ("linear", "extended")


def _last_neurons(stacked, units):
    return np.reshape(stacked, (*stacked.shape[:-2], N * WIDTH))[..., -units:]


@pytest.mark.parametrize(("units", "residual"), [(None, False), (7, True), (N * WIDTH, False)])
@pytest.mark.parametrize("kind", MAKERS)
def test_the_identity_start_gives_the_last_neurons(random, kind, residual, units):
    if kind not in WITH_IDENTITY and not residual:
        with pytest.raises(ValueError, match="needs residual=True. Received: start='identity', residual=False"):
            MAKERS[kind](units=units, start="identity").build((None, N, WIDTH))
        return
    stacked = random(2, 5, N, WIDTH)
    layer = MAKERS[kind](units=units, start="identity", residual=residual)
    np.testing.assert_allclose(layer(stacked), _last_neurons(stacked, units or WIDTH), rtol=1e-4, atol=1e-5)
    # Nothing is stuck at zero: three updates change every weight.
    before = layer.get_weights()
    targets, optimizer = random(2, 5, units or WIDTH), keras.optimizers.SGD(0.1)
    for _ in range(3):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((layer(stacked) - targets) ** 2)
        variables = layer.trainable_weights
        optimizer.apply(tape.gradient(loss, [variable.value for variable in variables]), variables)
    for old, new, weight in zip(before, layer.get_weights(), layer.weights, strict=True):
        assert not np.array_equal(old, new), weight.path


@pytest.mark.parametrize("kind", WITH_IDENTITY)
def test_the_identity_start_has_weights_of_two_bytes(random, kind):
    stacked = random(2, 5, N, WIDTH)
    layer = MAKERS[kind](start="identity", dtype="bfloat16")
    output = keras.ops.cast(layer(stacked), "float32")
    np.testing.assert_allclose(output, _last_neurons(stacked, WIDTH), atol=0.05)
    assert {weight.dtype for weight in layer.weights} == {"bfloat16"}


def test_the_identity_start_of_a_low_rank_needs_the_residual_path(random):
    with pytest.raises(ValueError, match="Rank 3 gives 3 of 4 dimensions.*Received: start='identity'"):
        LowRankBilinearPooling(rank=3, start="identity").build((None, N, WIDTH))
    stacked = random(2, 5, N, WIDTH)
    layer = LowRankBilinearPooling(rank=3, start="identity", residual=True)
    np.testing.assert_array_equal(layer(stacked), stacked[..., -1, :])


def test_a_residual_is_added_to_the_composition(make, random, randomised):
    stacked = random(2, 5, N, WIDTH)
    plain = randomised(make(), stacked.shape)
    layer = make(residual=True)
    layer(stacked)
    layer.set_weights(plain.get_weights())
    expected = np.asarray(plain(stacked)) + stacked[..., -1, :]
    np.testing.assert_allclose(layer(stacked), expected, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(layer(_separate(stacked)), expected, rtol=1e-5, atol=1e-5)


def test_more_outputs_than_neurons_have_no_residual(make):
    with pytest.raises(ValueError, match="at least `units` neurons.* Received: 12 neurons, units=13"):
        make(units=13, residual=True).build((None, N, WIDTH))


def test_the_mask_passes_through(make):
    tokens = np.array([[4, 5, 0]])
    embedded = [keras.layers.Embedding(9, WIDTH, mask_zero=True)(tokens) for _ in range(N - 1)]
    unmasked = np.zeros((1, 3, WIDTH), "float32")
    np.testing.assert_array_equal(make()([unmasked, *embedded])._keras_mask, [[True, True, False]])
    assert getattr(make()([unmasked] * N), "_keras_mask", None) is None


def test_representations_of_different_shapes_are_rejected(make, random):
    for shapes, match in (
        ([(2, 5, 4)], "at least two representations"),
        ([], "list of N tensors"),
        ((2, None, 4), "known N and d'"),
        ((4,), "list of N tensors"),
        ([(2, 5, 4), (2, 5, 4), (2, 5, 3)], "the same shape"),
        ([(2, 5, 4), (2, 5, 4), (2, 1, 4)], "the same shape"),
        ([(2, 5, 4), (2, 5, 4), (5, 4)], "the same shape"),
    ):
        with pytest.raises(ValueError, match=f"{match}.*Received: "):
            make().build(shapes)
    layer = make()
    layer(random(2, N, WIDTH))
    for other in (random(2, N + 1, WIDTH), _separate(random(2, N, WIDTH + 1))):
        with pytest.raises(ValueError, match="was built for 3 representations of width 4"):
            layer(other)


@pytest.mark.parametrize("policy", ["mixed_float16", "mixed_bfloat16"])
@pytest.mark.parametrize("size", [0.0, 1e-4, 1e3])
def test_half_precision_extremes(make, random, policy, size):
    """Results are right even if products of two neurons, 1e6, overflow float16 and the result does not."""
    stacked = (size * random(2, 5, N, WIDTH)).astype("float16").astype("float32")
    whole = make()
    whole(stacked)
    if not isinstance(whole, HierarchicalAggregation):
        whole.weights[-1].assign(whole.weights[-1] * 1e-3)
    half = make(dtype=policy)
    half(stacked)
    half.set_weights(whole.get_weights())
    expected, output = np.asarray(whole(stacked)), np.asarray(keras.ops.cast(half(stacked), "float32"))
    assert np.isfinite(output).all()
    np.testing.assert_allclose(output, expected, rtol=5e-2, atol=5e-2 * max(np.abs(expected).max(), 1e-6))
