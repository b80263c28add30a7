"""Weights in int8: the arithmetic, and models whose other parts are unchanged."""

import itertools

import keras
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from keras import ops
from small import noisy

from keras_nmt.errors import UserError
from keras_nmt.ids import BOS
from keras_nmt.layers import KeyValueProjection, RoleInteraction
from keras_nmt.models import AttentionBridgeModel, Ensemble, Transformer, quantize
from keras_nmt.models.adapters import LowRank, add_adapter

IDENTITY = {"kind": "extended", "start": "identity"}
SLOW, NIGHTLY = pytest.mark.slow, pytest.mark.nightly
MECHANISMS = [
    {"layer_composition": "extended", "head_composition": "low_rank"},
    {"roles": {"kind": "dense", "num_roles": 3, "low_rank": True}},
    {"decoder_self_attention": "ssru", "tied_layers": ["encoder", "decoder"]},
    {"shortcuts": "fusion", "layer_composition": "linear", "tie_embeddings": False},
    {"shortcuts": {"kind": "plain", "sites": ("self", "cross")}},
    {"layer_composition": "hierarchical", "head_composition": "hierarchical"},
    {"roles": {"kind": "softmax", "num_roles": 3}},
    {"layer_composition": IDENTITY, "head_composition": IDENTITY},
]


def make(**mechanism):
    model = Transformer(
        **{"source_vocabulary_size": 60, "num_encoder_layers": 2, "num_decoder_layers": 2, **mechanism},
        hidden_dim=32,
        num_heads=2,
        intermediate_dim=64,
    )
    return noisy(model, 2, 0.1)


def steps(model, source, target_input):
    """The logits of a search's steps."""
    constants, caches = model.prepare(model.encoder(source), 1, 5)
    found = []
    for position in range(5):
        step, caches = model.decoder_step(target_input[:, position, None], ops.array(position), constants, caches)
        found.append(ops.convert_to_numpy(step)[:, 0])
    return np.stack(found, 1)


def quantized_product(x, kernel):
    """The product `x W` in integers, with a scale for each column of W and each row of x."""
    x, kernel = np.asarray(x, "float64"), np.asarray(kernel, "float64")
    of_rows, of_columns = np.abs(x).max(-1, keepdims=True) / 127, np.abs(kernel).max(0) / 127
    return np.round(x / of_rows) @ np.round(kernel / of_columns) * of_rows * of_columns


@pytest.fixture(scope="module")
def projection():
    """A quantized layer, and its kernel before."""
    layer = KeyValueProjection(4)
    layer.build((None, None, 8))
    kernel = layer.kernel.numpy()
    layer.quantize("int8")
    return layer, kernel


@settings(max_examples=10)
@given(seed=st.integers(0, 1000), size=st.floats(1e-3, 1e3))
def test_a_product_is_computed_in_integers(projection, seed, size):
    layer, kernel = projection
    states = (np.random.default_rng(seed).normal(size=(2, 3, 8)) * size).astype("float32")
    found = np.concatenate([ops.convert_to_numpy(x) for x in layer(states)], -1)
    expected = quantized_product(states, kernel)
    # A number between two integers may round up or down, by one of 127 steps.
    np.testing.assert_allclose(found, expected, atol=np.abs(expected).max() * 0.02)
    assert np.mean(np.abs(found - expected) > np.abs(expected).max() * 1e-4) < 0.2


def test_the_sum_over_roles_is_one_product():
    layer = RoleInteraction(3, residual=True)
    embeddings = np.random.default_rng(0).normal(size=(2, 4, 8)).astype("float32")
    _, roles = layer(embeddings, return_roles=True)
    kernel = layer.kernel.numpy().reshape(3 * 8, 8)
    layer.quantize("int8")
    products = (ops.convert_to_numpy(roles)[..., None] * embeddings[:, :, None]).reshape(2, 4, -1)
    found = ops.convert_to_numpy(layer.combine(embeddings, roles))
    np.testing.assert_allclose(found, quantized_product(products, kernel) + embeddings, atol=0.02)


@pytest.mark.parametrize(
    "mechanism", [*MECHANISMS[:2], *(pytest.param(x, marks=SLOW) for x in MECHANISMS[2:])], ids=str
)
def test_all_matrices_are_int8_and_search_agrees_with_teacher_forcing(mechanism):
    model = make(**mechanism)
    rng = np.random.default_rng(3)
    source, target_input = rng.integers(4, 60, (2, 7)), rng.integers(4, 60, (2, 5))
    target_input[:, 0] = BOS
    before = ops.convert_to_numpy(model([source, target_input]))
    quantize(model)
    floats = [w.path for w in model.weights if len(w.shape) > 1 and w.dtype != "int8"]
    assert not [path for path in floats if "lstm" not in path]

    logits = ops.convert_to_numpy(model([source, target_input]))
    assert 0 < np.abs(logits - before).mean() < 0.05 * before.std()

    # Only rounding differs: a sum that differs in its last bit may round to the next of 127 steps.
    difference = np.abs(steps(model, source, target_input) - logits)
    assert difference.mean() < 0.01 * logits.std()
    assert np.median(difference) < 1e-4


TWO_BYTES = list(itertools.product(MECHANISMS, ["bfloat16", "float16"]))


@pytest.mark.parametrize(
    ("mechanism", "dtype"),
    [pytest.param(*TWO_BYTES[0], marks=SLOW), *(pytest.param(*x, marks=NIGHTLY) for x in TWO_BYTES[1:])],
)
def test_weights_of_two_bytes_compute_nearly_the_same(mechanism, dtype):
    model = make(**mechanism)
    half = model.with_dtype(dtype)
    rng = np.random.default_rng(3)
    source, target_input = rng.integers(4, 60, (2, 7)), rng.integers(4, 60, (2, 5))
    logits = ops.convert_to_numpy(half([source, target_input]))
    expected = ops.convert_to_numpy(model([source, target_input]))
    assert logits.dtype == "float32"
    # Processors with AVX2 alone cut products in bfloat16 off: the mean difference is 0.036 of the deviation there.
    assert 0 < np.abs(logits - expected).mean() < 0.05 * expected.std()
    # Steps of a search round as the whole sequence does, but for the products of roles.
    assert np.abs(steps(half, source, target_input) - logits).mean(axis=(0, 2)).max() < 0.01 * logits.std()


def test_ensembles_are_quantized_and_a_copied_model_is_unchanged():
    sizes = {"num_encoder_layers": 1, "num_decoder_layers": 1}
    original = make(**sizes)
    ensemble = Ensemble([original.with_dtype("float32"), make(**sizes, shortcuts="plain")])
    inputs = [np.array([[7, 8, 3]]), np.array([[BOS, 9]])]
    before = ops.convert_to_numpy(ensemble(inputs))
    quantize(ensemble)
    after = ops.convert_to_numpy(ensemble(inputs))
    assert 0 < np.abs(after - before).max() < 0.1 * before.std()
    assert {w.dtype for w in ensemble.weights if len(w.shape) > 1} == {"int8"}
    assert {w.dtype for w in original.weights} == {"float32"}


@pytest.mark.parametrize("has_directions", [False, pytest.param(True, marks=SLOW)])
def test_predictions_evaluations_and_views_are_those_of_the_converted_model(has_directions):
    batch, targets = [np.array([[5, 6, 7, 3]]), np.array([[2, 8]])], np.array([[9, 3]])
    if has_directions:
        model = AttentionBridgeModel({"de": 30, "fr": 30}, hidden_dim=16, bridge_heads=3, bridge_hidden_dim=8)
        other = model.pair("de", "fr")
        views = [(other, batch), (model.bridge_outputs("de"), batch[0])]
    else:
        other = model = make(num_encoder_layers=1, num_decoder_layers=1)
        views = [(model, batch)]
    other.compile(loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    before = [keras.tree.flatten(view.predict(inputs, verbose=0))[-1] for view, inputs in views]
    loss = has_directions and other.evaluate(batch, targets, verbose=0)
    quantize(model)
    for (view, inputs), old in zip(views, before, strict=True):
        found = keras.tree.flatten(view.predict(inputs, verbose=0))[-1]
        np.testing.assert_allclose(found, keras.tree.flatten(view(inputs))[-1], atol=1e-5)
        assert not np.array_equal(found, old)
    assert not has_directions or other.evaluate(batch, targets, verbose=0) != loss


def test_what_cannot_be_quantized_is_named_and_zeros_stay_zeros():
    model = make(num_encoder_layers=1, num_decoder_layers=1)
    with pytest.raises(UserError, match="int8. Received: mode='int4'"):
        quantize(model, "int4")
    foreign = keras.Sequential([keras.Input((4,)), keras.layers.Dense(4, name="dense")])
    for change in (quantize, lambda model: add_adapter(model, LowRank(rank=2, patterns=["dense"]), base="")):
        with pytest.raises(UserError, match="of keras_nmt. Received: Sequential"):
            change(foreign)
    layer, half = KeyValueProjection(4), KeyValueProjection(4, dtype="mixed_float16")
    for one in (layer, half):
        one.build((None, None, 8))
    with pytest.raises(NotImplementedError, match="Received: mode='int4'"):
        layer.quantize("int4")
    layer.quantize("int8")
    for x in layer(np.zeros((1, 2, 8), "float32")):
        assert not ops.convert_to_numpy(x).any()
    for wrong, told in (
        (layer, "already quantized. Received: layer="),
        (half, "float16"),
        (KeyValueProjection(4), "built"),
    ):
        with pytest.raises(ValueError, match=told):
            wrong.quantize("int8")
    quantize(model)
    with pytest.raises(ValueError, match="already quantized"):
        quantize(model)
