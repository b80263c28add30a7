"""Layers of roles against their equations; gradients, memory, padding and learned roles."""

import functools
import os
import sys
from pathlib import Path

import keras
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from keras import ops

from keras_nmt.layers import ContextualizedEmbedding, RoleInteraction
from keras_nmt.layers.role_interaction import CHUNKS, _mix_roles

B, T, D, HR = 2, 5, 6, 4
MASK = np.array([[1] * 5, [1] * 3 + [0] * 2], bool)
LAYERS = {
    "full": functools.partial(RoleInteraction, assignment="softmax", residual=True),
    "low rank": functools.partial(RoleInteraction, assignment="softmax", low_rank=True),
    "contextualized": ContextualizedEmbedding,
}


@pytest.fixture(params=LAYERS)
def make(request):
    return LAYERS[request.param]


@pytest.mark.parametrize(("assignment", "residual"), [("dense", False), ("softmax", True), ("one_hot", False)])
def test_follows_the_equations(random, randomised, assignment, residual):
    layer = randomised(RoleInteraction(HR, assignment, residual=residual), (None, None, D))
    e = random(B, T, D)
    outputs, r = layer(e, mask=MASK, return_roles=True)
    np.testing.assert_array_equal(r, layer.role_assignment(e, mask=MASK))
    u = layer.kernel.numpy()
    expected = np.stack([np.sum([r[b, t, i] * (e[b, t] @ u[i]) for i in range(HR)], 0) for b, t in np.ndindex(B, T)])
    np.testing.assert_allclose(outputs, expected.reshape(B, T, D) + residual * e, rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(layer(e, mask=MASK), outputs)


def test_low_rank_follows_the_equation(random, randomised):
    layer = randomised(RoleInteraction(HR, low_rank=True), (None, None, D))
    e = random(B, T, D)
    outputs, r = layer(e, return_roles=True)
    u_r, u_e, u_o = (w.numpy() for w in (layer.role_kernel, layer.embedding_kernel, layer.output_kernel))
    np.testing.assert_allclose(outputs, ((np.asarray(r) @ u_r) * (e @ u_e)) @ u_o + e, rtol=1e-4, atol=1e-4)


def test_a_contextualized_embedding_follows_the_equation(random):
    layer, e = ContextualizedEmbedding(HR, "bilstm"), random(B, T, D)
    outputs = layer(e, mask=MASK)
    r = layer.role_assignment(e, mask=MASK)
    np.testing.assert_allclose(outputs, np.asarray(r) @ layer.kernel.numpy() + e, rtol=1e-4, atol=1e-5)


@settings(max_examples=12)
@given(rows=st.integers(0, 7), roles=st.integers(1, 40), width=st.integers(1, 5), seed=st.integers(0, 99))
def test_the_gradient_equals_the_plain_sums_gradient(rows, roles, width, seed):
    generator = np.random.default_rng(seed)
    shapes = ((rows, roles), (rows, width), (roles, width, width))
    tensors = [tf.constant(generator.normal(size=shape), "float32") for shape in shapes]
    upstream = generator.normal(size=(rows, width)).astype("float32")

    def run(function):
        with tf.GradientTape() as tape:
            tape.watch(tensors)
            outputs = function(*tensors)
            loss = tf.reduce_sum(outputs * upstream)
        return [outputs, *tape.gradient(loss, tensors)]

    for one, other in zip(run(_mix_roles), run(lambda r, e, u: tf.einsum("ni,nk,ikd->nd", r, e, u)), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-4)


def test_outputs_start_as_large_as_embeddings_or_as_a_small_addition(random):
    inputs = random(4, 16, 64)
    for assignment, num_roles in (("softmax", 8), ("softmax", 32), ("one_hot", 32)):
        outputs = np.asarray(RoleInteraction(num_roles, assignment, "bilstm")(inputs))
        assert 0.8 < np.sqrt(np.mean(outputs**2) / np.mean(inputs**2)) < 1.2
    added = np.asarray(RoleInteraction(32, "softmax", "bilstm", residual=True)(inputs)) - inputs
    assert 0.1 < np.sqrt(np.mean(added**2) / np.mean(inputs**2)) < 0.3


def test_a_step_computes_all_roles_by_one_product():
    layer = RoleInteraction(32, causal=True)
    layer.build((None, None, 8))

    def step(inputs):
        return layer.step(inputs, 0, layer.empty_cache(2, 3))[0]

    graph = tf.function(step, autograph=False).get_concrete_function(tf.TensorSpec([2, 3, 8])).graph
    products = [operation for operation in graph.get_operations() if operation.type in ("MatMul", "Einsum")]
    assert len(products) == 4  # two of the LSTM, one of the assignment: rows of few numbers, copies of each slice of U


@pytest.mark.parametrize("context", ["bilstm", "cnn"])
def test_padding_is_invisible(make, random, context):
    layer = make(HR, context=context)
    inputs = random(B, T, D)
    other = np.where(MASK[..., None], inputs, 100 * random(B, T, D))
    one, two = np.asarray(layer(inputs, mask=MASK)), np.asarray(layer(other, mask=MASK))
    np.testing.assert_allclose(one[MASK], two[MASK], atol=1e-6)
    np.testing.assert_allclose(layer(inputs[1:, :3]), one[1:, :3], atol=1e-5)
    assert np.isfinite(layer(inputs, mask=np.zeros((B, T), bool))).all()


@pytest.mark.parametrize("policy", ["mixed_float16", "mixed_bfloat16"])
@pytest.mark.parametrize("scale", [1e-4, 1e4])
def test_half_precision_extremes_are_finite_and_right(make, random, policy, scale):
    keras.utils.set_random_seed(1)
    layer = make(20)
    inputs = np.asarray(tf.cast(scale * random(B, T, D), policy.removeprefix("mixed_")), "float32")
    expected = np.asarray(layer(inputs))
    half = type(layer).from_config({**layer.get_config(), "dtype": policy})
    half.build((None, None, D))
    half.set_weights(layer.get_weights())
    with tf.GradientTape() as tape:
        outputs = tf.cast(half(inputs), "float32")
        loss = tf.reduce_mean(outputs / scale)
    assert np.abs(outputs - expected).max() < 2e-2 * np.abs(expected).max()
    gradients = tape.gradient(loss, [w.value for w in half.trainable_weights])
    assert all(np.isfinite(gradient).all() for gradient in gradients)


def test_roles_are_summed_in_float32():
    # In bfloat16, 256 + 1 is 256: with the large role first, all others would vanish. Roles of the same chunk may
    # vanish, if the processor sums a product in bfloat16.
    roles, inputs = np.ones((1, 257)), np.ones((1, 1))
    kernel = np.ones((257, 1, 1))
    kernel[0] = 256
    outputs = _mix_roles(*(ops.cast(x, "bfloat16") for x in (roles, inputs, kernel)))
    assert 512 - 257 // CHUNKS - 1 < float(outputs[0, 0]) <= 512


MEMORY_PROGRAM = """
import re
from pathlib import Path
import numpy as np, tensorflow as tf
from keras_nmt.layers import RoleInteraction

tf.config.threading.set_inter_op_parallelism_threads(4)  # room to start things at once
B, T, D, HR = 64, 64, 512, 32
LIMIT = 4 * B * T * HR * D / 2**20  # MiB: what holding B x T x hr x d floats would take

def memory(name):  # VmRSS: now; VmHWM: the most since it was last reset, in MiB
    return int(re.search(name + r":\\s*(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024

def peak_of(function):
    before = memory("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # reset VmHWM
    function()
    return memory("VmHWM") - before

layer = RoleInteraction(HR)
layer.build((None, None, D))
weights = [w.value for w in layer.trainable_weights]

@tf.function(input_signature=[tf.TensorSpec([None, None, D])], autograph=False)
def gradients(inputs):
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        loss = tf.reduce_sum(layer(inputs, training=True))
    return tape.gradient(loss, [inputs, *weights])

gradients(tf.ones([2, 3, D]))
inputs = tf.ones([B, T, D])
assert peak_of(lambda: np.ones(int(LIMIT) * 2**18, "float32")) > 0.99 * LIMIT  # the measurement sees such a tensor
peak = peak_of(lambda: [gradient.numpy() for gradient in gradients(inputs)])
print(f"{peak:.0f} MiB, limit {LIMIT:.0f}")
assert 4 * HR * D * D / 2**20 < peak < LIMIT, f"{peak:.0f} MiB, limit {LIMIT:.0f}"
"""


@pytest.mark.nightly
@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="needs Linux")
def test_never_holds_every_role_of_every_token(run_python):
    ran = run_python("-c", MEMORY_PROGRAM, PYTHONPATH=os.pathsep.join(sys.path))
    print(ran.stdout.decode())  # for `pytest -s`
    assert ran.returncode == 0, ran.stderr.decode()


def test_options_reach_the_assignment():
    options = {"context": "cnn", "units": 3, "kernel_size": 5, "activation": "tanh", "causal": True}
    options |= {"exclusive": True, "dropout": 0.25}
    interaction = {"assignment": "one_hot", "straight_through": True, **options}
    for layer, arguments in ((RoleInteraction, interaction), (ContextualizedEmbedding, options)):
        made = layer(HR, **arguments)
        assert made.role_assignment.get_config().items() >= arguments.items()
        assert made.get_config().items() >= arguments.items()
