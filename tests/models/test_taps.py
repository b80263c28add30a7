"""Taps of a model's inner tensors: replaced by themselves, cut, and as they were after the block."""

import sys
import threading

import numpy as np
import pytest
import tensorflow as tf

from keras_nmt.layers import intervening, recording
from keras_nmt.models import AttentionBridgeModel, Transformer
from keras_nmt.testing import SMALL, make_batch, randomise, stepwise

LAYERS = {"num_encoder_layers": 2, "num_decoder_layers": 2}
WHOLE = {
    "shortcuts": {"kind": "fusion", "sites": ("self", "cross")},
    "layer_composition": {"kind": "extended", "residual": True},
    "head_composition": {"kind": "low_rank", "residual": True},
    "roles": "softmax",
}


def _make(**options):
    return randomise(Transformer(**{**SMALL, **LAYERS, **options}), 0.3)


def _cut(model, batch, **replacements):
    """The logits of the whole sequence and those of steps, with constants in some places."""
    constants = {place: (lambda record, x=x: x) for place, x in replacements.items()}
    with intervening(constants):
        return np.asarray(model(batch)), stepwise(model, *batch)


def test_tensors_replaced_by_themselves_change_no_bit():
    trees = {"kind": "hierarchical", "residual": True}
    for model in (
        _make(**WHOLE),
        _make(layer_composition=trees, head_composition=trees, roles="contextualized", tied_layers=["encoder"]),
    ):
        batch = make_batch(model)
        whole, steps = np.asarray(model(batch)), stepwise(model, *batch)
        seen = []
        with intervening({"*": lambda record, seen=seen: seen.append(record.place) or record.value}):
            np.testing.assert_array_equal(model(batch), whole)
            np.testing.assert_array_equal(stepwise(model, *batch), steps)
        with recording() as records:
            model(batch)
        tapped = {record.place for record in records if record.name != "states"}
        assert set(seen) == tapped
        parts = {place: lambda record: record.value for place in (f"{x}:1" for x in tapped if "/layer_" not in x)}
        parts = {x: y for x, y in parts.items() if x.split(":")[1] in ("roles", "representations")}
        heads = {f"*:{name}:2": lambda record: record.value for name in ("heads", "attention")}
        with intervening({**parts, **heads}):
            np.testing.assert_array_equal(model(batch), whole)


def test_closed_gates_are_a_model_without_shortcuts():
    plain = _make()
    model = _make(shortcuts={"kind": "plain", "sites": ("self", "cross")})
    weights = {weight.path: weight for weight in model.weights}
    for weight in plain.weights:
        weight.assign(weights[weight.path.replace("key_value/kernel", "key_value/hidden_kernel")])
    batch = make_batch(model)
    full, steps = _cut(model, batch, **{"*:gates": 0})
    np.testing.assert_allclose(full, plain(batch), atol=1e-6, rtol=1e-6)
    np.testing.assert_allclose(steps, stepwise(plain, *batch), atol=1e-6, rtol=1e-6)
    assert np.abs(full - model(batch)).max() > 1e-2


def test_a_head_that_is_off_is_a_model_with_zeros_in_its_rows_of_the_output_projection():
    model = _make()
    batch, off = make_batch(model), "decoder/layer_2/cross_attention"
    whole = np.asarray(model(batch))
    found = [_cut(model, batch, **{f"{off}:{name}:2": 0}) for name in ("heads", "attention")]
    (kernel,) = (weight for weight in model.weights if weight.path == f"{off}/output/kernel")
    value, half = kernel.numpy(), kernel.shape[0] // 2
    kernel.assign(np.concatenate([value[:half], 0 * value[half:]]))
    for full, steps in found:
        np.testing.assert_allclose(full, model(batch), atol=1e-6, rtol=1e-6)
        np.testing.assert_allclose(steps, stepwise(model, *batch), atol=1e-6, rtol=1e-6)
    assert np.abs(found[0][0] - whole).max() > 1e-3


def test_without_compositions_of_heads_and_roles_the_residual_paths_are_a_plain_model():
    plain, model = _make(), _make(head_composition=WHOLE["head_composition"], roles="contextualized")
    weights = {weight.path: weight for weight in model.weights}
    for weight in plain.weights:
        weight.assign(weights[weight.path])
    batch = make_batch(model)
    full, steps = _cut(model, batch, **{"*:composed": 0, "*:roles": 0})
    np.testing.assert_allclose(full, plain(batch), atol=1e-6, rtol=1e-6)
    np.testing.assert_allclose(steps, stepwise(plain, *batch), atol=1e-6, rtol=1e-6)


def test_a_head_of_a_bridge_that_is_off_has_no_effect():
    options = {"num_encoder_layers": 1, "num_decoder_layers": 1, "bridge_heads": 3, "bridge_hidden_dim": 6}
    model = randomise(AttentionBridgeModel({"de": 30, "en": 30}, hidden_dim=8, **options)).pair("de", "en")
    batch = make_batch(model)
    without, _ = _cut(model, batch, **{"*:bridge:2": 0})
    again, _ = _cut(model, batch, **{"*:bridge_attention:2": 0})
    np.testing.assert_allclose(without, again, atol=1e-6)
    assert np.abs(without - model(batch)).max() > 1e-3


def test_nothing_stays_behind_and_other_threads_see_nothing():
    model = _make(shortcuts="plain")
    batch = make_batch(model)
    whole, elsewhere = np.asarray(model(batch)), []
    traced = tf.function(lambda source, target: model([source, target]), autograph=False)
    before = traced(*map(tf.constant, batch))
    with pytest.raises(KeyError), intervening({"*:gates": lambda record: {}[record.name]}):
        model(batch)
    with intervening({"*:gates": lambda record: 0}):
        thread = threading.Thread(target=lambda: elsewhere.append(np.asarray(model(batch))))
        thread.start()
        thread.join()
        cut = np.asarray(model(batch))
    assert np.abs(cut - whole).max() > 1e-3
    for found in (elsewhere[0], model(batch)):
        np.testing.assert_array_equal(found, whole)
    np.testing.assert_array_equal(traced(*map(tf.constant, batch)), before)
    assert traced.experimental_get_tracing_count() == 1  # a block costs other functions no trace


def _operations(model, batch):
    """The operations of a new graph of the model."""
    traced = tf.function(lambda source, target: model([source, target]), autograph=False)
    graph = traced.get_concrete_function(*map(tf.constant, batch)).graph
    return [operation.type for operation in graph.get_operations()]


def test_taps_that_nothing_replaces_are_no_operations(monkeypatch):
    model = _make(**{**WHOLE, "layer_composition": None}, num_encoder_layers=1, num_decoder_layers=1)
    batch = make_batch(model)
    operations = _operations(model, batch)
    for name, module in list(sys.modules.items()):
        if name.startswith("keras_nmt.layers.") and hasattr(module, "tap"):
            monkeypatch.setattr(module, "tap", lambda layer, name, value, **options: value)
    assert _operations(model, batch) == operations


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("encoder/layer_9*:gates", "No tensor .*matches 'encoder/layer_9\\*:gates'. There were: .*heads"),
        ("*:heads:3", "has the parts 1 to 2. Received: part 3"),
        ("*:gates:1", "no parts that can be replaced alone. Received: part 1"),
    ],
)
def test_wrong_places(pattern, message):
    model = _make(shortcuts="plain")
    with pytest.raises(ValueError, match=message), intervening({pattern: lambda record: 0}):
        model(make_batch(model))
