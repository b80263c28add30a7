"""Low-rank adapters: they begin at the model, merge into its weights, and belong to one model."""

from __future__ import annotations

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import ops

from keras_nmt.errors import UserError
from keras_nmt.files.weights_file import read_weights, weights_digest, write_weights
from keras_nmt.models import AttentionBridgeModel, LowRank, Transformer, add_adapter, merge_adapter, quantize
from keras_nmt.testing import check_steps

SIZES = {"source_vocabulary_size": 40, "hidden_dim": 16, "num_heads": 2, "intermediate_dim": 24}
SLOW = pytest.mark.slow
SOFTMAX = {"kind": "softmax", "num_roles": 3}
MECHANISMS = [
    {"shortcuts": {"kind": "fusion", "sites": ("self", "cross")}, "roles": SOFTMAX},
    {"head_composition": "low_rank", "layer_composition": "linear", "num_encoder_layers": 2, "num_decoder_layers": 2},
    {"roles": {**SOFTMAX, "context": "cnn"}},
]
IDS = np.array([[7, 8, 9, 3], [5, 3, 0, 0]]), np.array([[2, 6, 7], [2, 9, 0]])


def make(**mechanism) -> Transformer:
    return Transformer(**{**SIZES, "num_encoder_layers": 1, "num_decoder_layers": 1, **mechanism})


def logits(model) -> np.ndarray:
    return ops.convert_to_numpy(model(list(map(ops.array, IDS))))


def randomize(adapter, seed=0) -> None:
    rng = np.random.default_rng(seed)
    for weight in adapter.weights:
        weight.assign(rng.normal(0, 0.2, weight.shape))


def gradients(model) -> dict[str, np.ndarray]:
    variables = model.trainable_variables
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.square(model(list(map(ops.array, IDS)))))
    found = tape.gradient(loss, [variable.value for variable in variables])
    return {variable.path: np.asarray(tf.convert_to_tensor(x)) for variable, x in zip(variables, found, strict=True)}


@pytest.mark.parametrize("mechanism", [MECHANISMS[0], *(pytest.param(x, marks=SLOW) for x in MECHANISMS[1:])], ids=str)
def test_an_adapter_begins_at_the_model_and_merges_into_its_weights(mechanism, tmp_path):
    model = make(**mechanism)
    write_weights(tmp_path / "model.weights.h5", model)
    base, before, start = weights_digest(tmp_path / "model.weights.h5"), model.get_weights(), logits(model)
    config = model.get_config()
    adapter = add_adapter(model, LowRank(rank=2, alpha=3.0, patterns=["*"]), base)
    # With roles, one product stands for a sum of products, and the last bits differ.
    np.testing.assert_allclose(logits(model), start, rtol=0, atol=2e-6 if "roles" in mechanism else 0)
    assert {weight.path for weight in model.trainable_weights} == {weight.path for weight in adapter.weights}
    names = [weight.path for weight in adapter.weights]
    assert [name for name in names if "/key_value/" in name]
    assert "embedding/table/lora_embeddings_a" in names
    randomize(adapter)
    adapted = logits(model)
    assert np.abs(adapted - start).max() > 0.1
    write_weights(tmp_path / "adapter.weights.h5", adapter)
    merged = Transformer.from_config(config)
    read_weights(tmp_path / "model.weights.h5", merged)
    merge_adapter(merged, tmp_path / "adapter.weights.h5", base)
    np.testing.assert_allclose(logits(merged), adapted, atol=1e-5)

    check_steps(model, IDS, adapted)  # as a search calls the model
    for weight in adapter.weights:
        weight.assign(ops.zeros(weight.shape))
    read_weights(tmp_path / "adapter.weights.h5", adapter)
    np.testing.assert_array_equal(logits(model), adapted)
    for weight, value in zip([w for w in model.weights if not w.name.startswith("lora_")], before, strict=True):
        np.testing.assert_array_equal(weight.numpy(), value)


def test_an_adapter_of_a_bfloat16_model_is_written_and_read(tmp_path):
    adapter = add_adapter(make(dtype="bfloat16"), LowRank(rank=2), "")
    randomize(adapter)
    values = [ops.convert_to_numpy(ops.cast(weight, "float32")) for weight in adapter.weights]
    write_weights(tmp_path / "adapter.weights.h5", adapter)
    randomize(other := add_adapter(make(dtype="bfloat16"), LowRank(rank=2), ""), seed=1)
    read_weights(tmp_path / "adapter.weights.h5", other)
    for weight, value in zip(other.weights, values, strict=True):
        np.testing.assert_array_equal(ops.convert_to_numpy(ops.cast(weight, "float32")), value)


@pytest.mark.parametrize("is_trained", [False, True])
def test_an_adapter_that_was_saved_and_loaded_goes_on_learning(is_trained, tmp_path):
    """Without its optimizer, too: one factor may be zero, but never both."""
    adapter = add_adapter(make(), LowRank(rank=2), "")
    if is_trained:
        randomize(adapter)
    write_weights(tmp_path / "adapter.weights.h5", adapter)
    model = make()
    again = add_adapter(model, LowRank(rank=2), "")
    for weight in again.weights:
        weight.assign(ops.zeros(weight.shape))
    read_weights(tmp_path / "adapter.weights.h5", again)
    found = gradients(model)
    learning = [path for path, gradient in found.items() if np.abs(gradient).max() > 0]
    assert learning == (list(found) if is_trained else [path for path in found if path.endswith("_b")])


def test_a_model_that_was_trained_before_trains_its_adapter_or_nothing():
    model, targets = make(), np.array([[6, 7, 3], [9, 3, 0]])
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("sgd", loss, run_eagerly=True)
    model.fit(list(IDS), targets, verbose=0)
    adapter = add_adapter(model, LowRank(rank=2, patterns=["decoder/*/query"]), "")
    of_adapter = {weight.path for weight in adapter.weights}
    before = {weight.path: weight.numpy() for weight in model.weights}
    with pytest.raises(ValueError, match="(?s)Unknown variable.*recreate a new optimizer"):  # without a new `compile`
        model.fit(list(IDS), targets, verbose=0)
    assert all(np.array_equal(x.numpy(), before[x.path]) for x in model.weights)
    model.compile("sgd", loss, run_eagerly=True)
    model.fit(list(IDS), targets, verbose=0)
    changed = {x.path for x in model.weights if not np.array_equal(x.numpy(), before[x.path])}
    assert {path for path in of_adapter if path.endswith("_b")} <= changed <= of_adapter


def test_models_of_many_directions_have_adapters(tmp_path):
    def make_pair():
        sizes = {"hidden_dim": 16, "num_encoder_layers": 1, "num_decoder_layers": 1, "bridge_heads": 3}
        transformer = {"encoder": "transformer", "transformer": {"num_heads": 2, "intermediate_dim": 24}}
        return AttentionBridgeModel({"de": 40, "fr": 40}, **transformer, **sizes)

    model = make_pair()
    write_weights(tmp_path / "model.weights.h5", model)
    start = logits(model.pair("de", "fr"))
    adapter = add_adapter(model, LowRank(rank=2, patterns=["*"]), "")
    np.testing.assert_array_equal(logits(model.pair("de", "fr")), start)
    assert len(model.pair("de", "fr").trainable_weights) < len(adapter.weights)  # without those of fr to de
    randomize(adapter)
    write_weights(tmp_path / "adapter.weights.h5", adapter)
    merged = make_pair()
    read_weights(tmp_path / "model.weights.h5", merged)
    merge_adapter(merged, tmp_path / "adapter.weights.h5", "")
    np.testing.assert_allclose(logits(merged.pair("de", "fr")), logits(model.pair("de", "fr")), atol=1e-5)


def test_an_adapter_trains_on_an_int8_model():
    """Every factor has a gradient, close to that beside float weights."""
    found = []
    for mode in (None, "int8"):
        keras.utils.set_random_seed(3)
        model = make()
        quantized = make()
        quantized.set_weights(model.get_weights())
        low_rank = LowRank(rank=2, patterns=["*attention/*", "*/feed_forward/*"], quantize=mode)
        start = logits(model)
        adapter = add_adapter(model, low_rank, "")
        if mode is None:
            np.testing.assert_array_equal(logits(model), start)
        else:
            quantize(quantized, "int8", embeddings=False)
            np.testing.assert_array_equal(logits(model), logits(quantized))
            assert sum(weight.dtype == "int8" for weight in model.weights) == 5 + 8
        randomize(adapter)
        found.append(gradients(model))
    for path, expected in found[0].items():
        assert np.abs(expected).max() > 0
        error = np.linalg.norm(found[1][path] - expected) / np.linalg.norm(expected)
        assert error < 0.2, path


def test_files_of_other_models_and_no_adapters_are_refused(tmp_path):
    model = make()
    write_weights(tmp_path / "model.weights.h5", model)
    adapter = add_adapter(model, LowRank(rank=2), weights_digest(tmp_path / "model.weights.h5"))
    write_weights(tmp_path / "adapter.weights.h5", adapter)
    with pytest.raises(ValueError, match="once"):
        add_adapter(model, LowRank(rank=2), "")
    other = make()
    write_weights(tmp_path / "other.weights.h5", other)
    with pytest.raises(UserError, match="belongs to other weights"):
        merge_adapter(other, tmp_path / "adapter.weights.h5", weights_digest(tmp_path / "other.weights.h5"))
    with pytest.raises(UserError, match="must hold an adapter"):
        merge_adapter(other, tmp_path / "other.weights.h5", "")
    bigger = make(hidden_dim=32)
    with pytest.raises(UserError, match="does not match the model"):
        merge_adapter(bigger, tmp_path / "adapter.weights.h5", adapter.description["base"])
    with pytest.raises(UserError, match="adapter with these settings"):
        read_weights(tmp_path / "adapter.weights.h5", add_adapter(bigger, LowRank(rank=2), ""))


def test_wrong_settings_are_named():
    model = make()
    for settings, message in (
        ({"rank": 0}, "`rank` must be an integer from 1 to 4096. Received: rank=0"),
        ({"alpha": "x"}, "`alpha` must be a positive number"),
        ({"patterns": "*"}, "`patterns` must be a list"),
        ({"quantize": "int3"}, "`quantize` must be one of int8"),
        ({"ranks": 3}, "no such settings of `lora`; known are rank, alpha, patterns, quantize. Received: ranks"),
        ({"patterns": ["*/query", "tower/*"]}, r"match a layer with a matrix.*Received: 'tower/\*' in `patterns`"),
    ):
        with pytest.raises(UserError, match=message):
            LowRank.from_settings(settings).layers(model)
