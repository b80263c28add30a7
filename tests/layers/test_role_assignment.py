"""Role assignment against its equations; causality, noise and dropout."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from numpy_oracles import lstm, softmax

from keras_nmt.layers import RoleAssignment

B, T, D, HR = 3, 6, 5, 4
MASK = np.array([[1] * 6, [1] * 3 + [0] * 3, [1] + [0] * 5], bool)
CAUSAL = [{"context": context, "exclusive": exclusive} for context in ("lstm", "cnn") for exclusive in (False, True)]


def _context(layer, sentence):
    """The context h of one sentence without padding, `[T, units]`."""
    weights = [w.numpy() for w in layer.context_layer.weights]
    if layer.context == "lstm":
        context = lstm(sentence, *weights)[0]
    elif layer.context == "bilstm":
        forward, backward = lstm(sentence, *weights[:3])[0], lstm(sentence[::-1], *weights[3:])[0][::-1]
        context = np.concatenate([forward, backward], -1)
    else:
        kernel, bias = weights
        before = layer.kernel_size - 1 if layer.causal else (layer.kernel_size - 1) // 2
        padded = np.pad(sentence, ((before, layer.kernel_size - 1 - before), (0, 0)))
        windows = [padded[t : t + layer.kernel_size] for t in range(len(sentence))]
        activation = {"relu": lambda x: np.maximum(x, 0), "tanh": np.tanh}[layer.activation]
        context = np.array([activation(np.einsum("kd,kdu->u", window, kernel) + bias) for window in windows])
    return np.concatenate([0 * context[:1], context[:-1]]) if layer.exclusive else context


def _roles(layer, sentence):
    roles = np.tanh(_context(layer, sentence) @ layer.projection.kernel.numpy() + layer.projection.bias.numpy())
    if layer.assignment == "dense":
        return roles
    logits = roles @ layer.logits.kernel.numpy()
    return softmax(logits) if layer.assignment == "softmax" else np.eye(HR)[logits.argmax(-1)]


@pytest.mark.parametrize(
    ("assignment", "options"),
    [
        ("dense", {"context": "bilstm"}),
        ("softmax", {}),
        *((("softmax", "one_hot")[i % 2], {"causal": True, **options}) for i, options in enumerate(CAUSAL)),
    ],
)
def test_follows_the_equations_with_any_padding(random, randomised, assignment, options):
    layer = randomised(RoleAssignment(HR, assignment, units=3, kernel_size=3, **options), (None, None, D))
    inputs = random(B, T, D)
    roles = layer(inputs, mask=MASK)
    for b, length in enumerate(MASK.sum(1)):
        np.testing.assert_allclose(roles[b, :length], _roles(layer, inputs[b, :length]), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("kernel_size", "activation"), [(1, "relu"), (3, "relu"), (4, "tanh")])
def test_a_convolution_that_is_not_causal_sees_both_sides(random, randomised, kernel_size, activation):
    made = RoleAssignment(HR, context="cnn", kernel_size=kernel_size, activation=activation)
    layer = randomised(RoleAssignment.from_config(made.get_config()), (None, None, D))
    inputs = random(1, T, D)
    np.testing.assert_allclose(layer(inputs)[0], _roles(layer, inputs[0]), rtol=1e-4, atol=1e-5)


def test_a_layer_that_is_not_causal_has_no_steps(random):
    layer = RoleAssignment(HR)
    layer(random(B, T, D))
    with pytest.raises(ValueError, match="Received: causal=False"):
        layer.empty_cache(1, 1)
    with pytest.raises(ValueError, match="Received: causal=False"):
        layer.step(random(1, 1, D), 0, {})


def test_noise_draws_the_role_of_each_token_by_its_probabilities(randomised):
    # The sampled role has the largest sum of logit and Gumbel noise, at every temperature (Eq. 6).
    layer = randomised(RoleAssignment(HR, "one_hot", "cnn", kernel_size=1), (None, None, D))
    inputs = np.zeros((2500, 2, D), "float32")  # equal logits at all positions
    roles_of_zero = np.tanh(
        _context(layer, inputs[0]) @ layer.projection.kernel.numpy() + layer.projection.bias.numpy()
    )
    probabilities = softmax(roles_of_zero @ layer.logits.kernel.numpy())[0]
    roles = np.asarray(layer(inputs, training=True))
    np.testing.assert_allclose(np.bincount(roles.argmax(-1).ravel(), minlength=HR) / 5000, probabilities, atol=0.03)
    np.testing.assert_allclose(roles.sum(-1), 1, rtol=1e-5)
    assert not np.allclose(roles[:, 0], roles[:, 1])
    assert not np.array_equal(roles, layer(inputs, training=True)), "the noise was the same again"


def test_hard_roles_bring_no_operator_that_other_runtimes_lack(randomised):
    """`keras.ops.argmax` reads the sign of zeros from their bits."""
    layer = randomised(RoleAssignment(HR, "one_hot", "cnn"), (None, None, D))
    graph = tf.function(layer, autograph=False).get_concrete_function(tf.TensorSpec([B, T, D])).graph
    assert "Bitcast" not in {operation.type for operation in graph.get_operations()}


def test_temperature_makes_roles_hard(random, randomised):
    layer = randomised(RoleAssignment(HR, "one_hot"), (None, None, D))
    assert float(layer.temperature) == 5
    largest = []
    for temperature in (5.0, 0.5, 0.01):
        layer.temperature.assign(temperature)
        largest.append(np.asarray(layer(random(50, T, D), training=True)).max(-1).mean())
    assert largest[0] < 0.5 < largest[1] < 0.95 < largest[2]


def test_straight_through_is_hard_forward_and_soft_backward(random):
    def run(straight_through):
        keras.utils.set_random_seed(7)
        layer = RoleAssignment(HR, "one_hot", straight_through=straight_through)
        with tf.GradientTape() as tape:
            roles = layer(inputs, training=True)
            loss = tf.reduce_sum(roles * weights)
        return np.asarray(roles), tape.gradient(loss, layer.logits.kernel.value)

    inputs, weights = random(B, T, D), random(HR)
    (soft, soft_gradient), (hard, hard_gradient) = run(False), run(True)
    np.testing.assert_allclose(hard, np.eye(HR)[soft.argmax(-1)], atol=1e-6)
    assert np.abs(soft - hard).max() > 0.1
    np.testing.assert_allclose(soft_gradient, hard_gradient, rtol=1e-5, atol=1e-6)


def test_dropout_of_the_vector_keeps_the_role_and_dropout_of_the_logits_changes_it(random):
    """Roles whose logits are far apart, at a temperature near zero, so that noise does not matter."""
    inputs, kept = random(200, T, D), {}
    for dropout_on in ("vector", "logits"):
        keras.utils.set_random_seed(3)
        layer = RoleAssignment(HR, "one_hot", dropout=0.3, dropout_on=dropout_on)
        layer.build(inputs.shape)
        layer.logits.kernel.assign(1000 * np.eye(HR))
        layer.temperature.assign(1e-3)
        right, roles = np.asarray(layer(inputs)), np.asarray(layer(inputs, training=True))
        assigned = roles.any(-1)
        kept[dropout_on] = np.mean((right * roles).any(-1)[assigned])
        if dropout_on == "vector":  # each entry is dropped or divided by 1 - 0.3
            assert assigned.mean() == pytest.approx(0.7, abs=0.05)
            np.testing.assert_allclose(roles[assigned].max(-1), 1 / 0.7, rtol=1e-3)
        else:
            assert assigned.all()
    assert kept["vector"] > 0.97
    assert kept["logits"] < 0.85


def test_dropout_is_active_in_training_only(random):
    layer, inputs = RoleAssignment(HR, "dense", dropout=0.5), random(20, T, D)
    plain, dropped = np.asarray(layer(inputs)), np.asarray(layer(inputs, training=True))
    kept = dropped != 0
    assert 0.4 < kept.mean() < 0.6
    np.testing.assert_allclose(dropped[kept], 2 * plain[kept], rtol=1e-5)


@pytest.mark.parametrize(("assignment", "context"), [("softmax", "bilstm"), ("one_hot", "cnn")])
def test_padding_alone_and_single_words_are_finite(random, assignment, context):
    layer = RoleAssignment(HR, assignment, context)
    for inputs, mask in ((random(B, T, D), np.zeros((B, T), bool)), (random(B, 1, D), None)):
        with tf.GradientTape() as tape:
            roles = layer(inputs, mask=mask, training=True)
            loss = tf.reduce_sum(roles**2)
        assert np.isfinite(roles).all()
        assert all(np.isfinite(x).all() for x in tape.gradient(loss, [w.value for w in layer.trainable_weights]))


def test_all_layers_that_keras_keeps_are_built():
    """Keras quantises all layers of a model, and refuses one that is not built."""
    for context in ("lstm", "bilstm", "cnn"):
        layer = RoleAssignment(HR, assignment="softmax", context=context)
        layer.build((B, T, D))
        assert [x.path for x in layer._flatten_layers(include_self=False) if not (x.built or "dropout" in x.name)] == []
