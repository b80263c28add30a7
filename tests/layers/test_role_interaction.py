"""Layers of roles against their equations; gradients, memory, steps, padding and learned roles."""

from __future__ import annotations

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
from keras_nmt.training import RoleTemperature

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


def _randomised(layer, random):
    layer.build((None, None, D))
    for weight in layer.trainable_weights:
        weight.assign(random(*weight.shape))
    return layer


@pytest.mark.parametrize("residual", [False, True])
@pytest.mark.parametrize("assignment", ["dense", "softmax", "one_hot"])
def test_follows_the_equations(random, assignment, residual):
    layer = _randomised(RoleInteraction(HR, assignment, residual=residual), random)
    e = random(B, T, D)
    outputs, r = layer(e, mask=MASK, return_roles=True)
    np.testing.assert_array_equal(r, layer.role_assignment(e, mask=MASK))
    u = layer.kernel.numpy()
    expected = np.stack([np.sum([r[b, t, i] * (e[b, t] @ u[i]) for i in range(HR)], 0) for b, t in np.ndindex(B, T)])
    np.testing.assert_allclose(outputs, expected.reshape(B, T, D) + residual * e, rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(layer(e, mask=MASK), outputs)


@pytest.mark.parametrize("residual", [False, True])
def test_low_rank_follows_the_equation(random, residual):
    layer = _randomised(RoleInteraction(HR, residual=residual, low_rank=True), random)
    e = random(B, T, D)
    outputs, r = layer(e, return_roles=True)
    u_r, u_e, u_o = (w.numpy() for w in (layer.role_kernel, layer.embedding_kernel, layer.output_kernel))
    np.testing.assert_allclose(outputs, ((np.asarray(r) @ u_r) * (e @ u_e)) @ u_o + e, rtol=1e-4, atol=1e-4)


def test_a_contextualized_embedding_follows_the_equation(random):
    layer, e = ContextualizedEmbedding(HR, "bilstm"), random(B, T, D)
    outputs = layer(e, mask=MASK)
    r = layer.role_assignment(e, mask=MASK)
    np.testing.assert_allclose(outputs, np.asarray(r) @ layer.kernel.numpy() + e, rtol=1e-4, atol=1e-5)


@settings(max_examples=25, deadline=None)
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


@pytest.mark.parametrize(
    ("assignment", "context", "low_rank", "weights"), [("softmax", "lstm", False, 7), ("one_hot", "cnn", True, 8)]
)
def test_keeps_the_contract_of_a_layer(check_layer, random, assignment, context, low_rank, weights):
    roles = 7 * D * HR + HR if context == "cnn" else 4 * HR * (D + HR + 1)
    roles += HR * (HR + 1) + HR * HR
    keras.utils.set_random_seed(1)
    check_layer(
        lambda **kwargs: RoleInteraction(HR, assignment, context, low_rank=low_rank, **kwargs),
        {"inputs": random(B, T, D), "mask": MASK},
        weights=weights,
        parameters=roles + (2 * D * D + HR * D if low_rank else HR * D * D),
        thorough=not low_rank,
    )


def test_a_contextualized_embedding_keeps_the_contract_of_a_layer(check_layer, random):
    check_layer(
        lambda **kwargs: ContextualizedEmbedding(HR, "cnn", **kwargs),
        {"inputs": random(B, T, D), "mask": MASK},
        weights=5,
        parameters=7 * D * HR + HR + HR * (HR + 1) + HR * D,
    )


@pytest.mark.parametrize(
    ("options", "parameters"),
    [({"context": "bilstm"}, 2_174_240), ({"causal": True}, 2_136_224), ({"causal": True, "low_rank": True}, 178_336)],
)
def test_has_the_specified_number_of_parameters(options, parameters):
    layer = RoleInteraction(32, "softmax", **options)
    layer.build((None, None, 256))
    assert layer.count_params() == parameters


@pytest.mark.parametrize("assignment", ["softmax", "one_hot"])
@pytest.mark.parametrize("num_roles", [8, 32])
def test_outputs_start_as_large_as_embeddings(random, assignment, num_roles):
    keras.utils.set_random_seed(1)
    inputs = random(4, 16, 64)
    outputs = np.asarray(RoleInteraction(num_roles, assignment, "bilstm")(inputs))
    assert 0.8 < np.sqrt(np.mean(outputs**2) / np.mean(inputs**2)) < 1.2


def test_with_a_residual_softmax_roles_start_as_a_small_addition(random):
    keras.utils.set_random_seed(1)
    inputs = random(4, 16, 64)
    added = np.asarray(RoleInteraction(32, "softmax", "bilstm", residual=True)(inputs)) - inputs
    assert 0.1 < np.sqrt(np.mean(added**2) / np.mean(inputs**2)) < 0.3


@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("context", ["lstm", "cnn"])
def test_step_equals_call(make, random, context, exclusive):
    batch, beam = 2, 3
    layer = make(HR, context=context, causal=True, exclusive=exclusive, kernel_size=3)
    inputs = random(batch, beam, T, D)
    expected = np.asarray(layer(inputs.reshape(batch * beam, T, D))).reshape(batch, beam, T, D)
    cache = layer.empty_cache(batch, beam)
    for t in range(T):
        outputs, cache = layer.step(inputs[:, :, t], t, cache)
        np.testing.assert_allclose(outputs, expected[:, :, t], atol=1e-5)


def test_a_step_computes_all_roles_by_one_product():
    layer = RoleInteraction(32, causal=True)
    layer.build((None, None, 8))

    def step(inputs):
        return layer.step(inputs, 0, layer.empty_cache(2, 3))[0]

    graph = tf.function(step, autograph=False).get_concrete_function(tf.TensorSpec([2, 3, 8])).graph
    products = [operation for operation in graph.get_operations() if operation.type in ("MatMul", "Einsum")]
    assert len(products) == 4  # two of the LSTM, one of the assignment: rows of few numbers, copies of each slice of U


@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("context", ["lstm", "cnn"])
def test_causal_outputs_do_not_depend_on_later_tokens(make, random, context, exclusive):
    layer = make(HR, context=context, causal=True, exclusive=exclusive)
    inputs = random(1, T, D)
    expected = np.asarray(layer(inputs))
    np.testing.assert_allclose(layer(inputs[:, :3]), expected[:, :3], atol=1e-6)


@pytest.mark.parametrize("context", ["lstm", "bilstm", "cnn"])
def test_padding_is_invisible(make, random, context):
    layer = make(HR, context=context)
    inputs = random(B, T, D)
    other = np.where(MASK[..., None], inputs, 100 * random(B, T, D))
    one, two = np.asarray(layer(inputs, mask=MASK)), np.asarray(layer(other, mask=MASK))
    np.testing.assert_allclose(one[MASK], two[MASK], atol=1e-6)
    np.testing.assert_allclose(layer(inputs[1:, :3]), one[1:, :3], atol=1e-5)


@pytest.mark.parametrize("context", ["lstm", "bilstm", "cnn"])
def test_padding_alone_and_single_words_are_finite(make, random, context):
    layer, inputs = make(HR, context=context), random(B, T, D)
    assert np.isfinite(layer(inputs, mask=np.zeros((B, T), bool))).all()
    single = layer(inputs, mask=np.arange(T) < np.ones((B, 1)))[:, :1]
    np.testing.assert_allclose(layer(inputs[:, :1]), single, atol=1e-5)


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


@pytest.mark.parametrize("return_roles", [False, True])
def test_works_in_a_keras_model_and_propagates_the_mask(return_roles):
    ids = np.array([[4, 5, 6, 0], [7, 0, 0, 0]])
    inputs = keras.Input((None,), dtype="int32")
    embedding, layer = keras.layers.Embedding(9, D, mask_zero=True), RoleInteraction(HR, context="bilstm")
    outputs = layer(embedding(inputs), return_roles=return_roles)
    model = keras.Model(inputs, [keras.layers.GlobalAveragePooling1D()(x) for x in keras.tree.flatten(outputs)])
    pooled, padded = (keras.tree.flatten(model(x)) for x in (ids, np.pad(ids, ((0, 0), (0, 2)))))
    expected = keras.tree.flatten(layer(embedding(ids), return_roles=return_roles))
    assert len(expected) == 1 + return_roles
    for one, other, whole in zip(pooled, padded, expected, strict=True):
        np.testing.assert_array_equal(whole._keras_mask, ids != 0)
        np.testing.assert_allclose(one[1], whole[1, 0], atol=1e-6)  # the mean over the only word
        np.testing.assert_allclose(other, one, atol=1e-6)


def test_one_output_has_one_mask():
    assert RoleInteraction(HR).compute_mask(np.ones((B, T, D)), MASK) is MASK


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


@pytest.mark.nightly
def test_roles_distinguish_two_readings_of_a_word():
    # The model labels each word. One word is ambiguous: a cue elsewhere in the sentence determines its label. The
    # classifier reads one position only, so only roles can carry the context to the word. As in the paper, the roles
    # are softmax at first, and one-hot in the end.
    cues, fillers, ambiguous, length, num_roles = 10, 10, 20, 6, 4
    generator = np.random.default_rng(0)
    keras.utils.set_random_seed(0)

    def draw(count):
        words = generator.integers(cues, cues + fillers, size=(count, length))
        places = generator.permuted(np.tile(np.arange(length), (count, 1)), axis=1)
        cue = generator.integers(cues, size=count)
        words[np.arange(count), places[:, 0]] = cue
        words[np.arange(count), places[:, 1]] = ambiguous
        reading = cue % 2
        return words, np.where(words == ambiguous, words + reading[:, None], words), reading

    def make(assignment):
        inputs = keras.Input((length,), dtype="int32")
        embedded = keras.layers.Embedding(21, 16, embeddings_initializer=keras.initializers.RandomNormal(0, 1))(inputs)
        layer = RoleInteraction(num_roles, assignment, "bilstm", units=16)
        outputs, roles = layer(embedded, return_roles=True)
        model = keras.Model(inputs, keras.layers.Dense(22)(outputs))
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model.compile(keras.optimizers.Adam(0.01), loss, jit_compile=False)  # compiling takes longer than training
        return model, keras.Model(inputs, roles)

    def purity(chosen, readings):  # share of right readings if each role stood for its most frequent reading
        counts = np.zeros((num_roles, 2))
        np.add.at(counts, (chosen, readings), 1)
        return counts.max(1).sum() / counts.sum()

    softmax, softmax_roles = make("softmax")
    one_hot, one_hot_roles = make("one_hot")
    words, names, _ = draw(4000)
    softmax.fit(words, names, epochs=2, verbose=0)
    for old, new in zip(softmax.trainable_weights, one_hot.trainable_weights, strict=True):
        new.assign(old)
    one_hot.fit(words, names, epochs=1, verbose=0, callbacks=[RoleTemperature(2.0, 0.98)])

    words, names, readings = draw(500)
    here = words == ambiguous
    for model, roles in ((softmax, softmax_roles), (one_hot, one_hot_roles)):
        chosen = np.asarray(roles(words))[here].argmax(-1)
        assert purity(chosen, readings) > 0.9
        assert purity(chosen, generator.permutation(readings)) < 0.6  # by chance
        assert (np.asarray(model(words)).argmax(-1) == names)[here].mean() > 0.9  # the readings are used


def test_options_reach_the_assignment():
    options = {"context": "cnn", "units": 3, "kernel_size": 5, "activation": "tanh", "causal": True}
    options |= {"exclusive": True, "dropout": 0.25}
    interaction = {"assignment": "one_hot", "straight_through": True, **options}
    for layer, arguments in ((RoleInteraction, interaction), (ContextualizedEmbedding, options)):
        made = layer(HR, **arguments)
        assert made.role_assignment.get_config().items() >= arguments.items()
        assert made.get_config().items() >= arguments.items()
