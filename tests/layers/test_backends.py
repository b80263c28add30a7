"""The layers run on another Keras backend, in a process that has no TensorFlow."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
import tensorflow as tf
from recurrent_network import make

from keras_nmt.layers import RoleInteraction, TransformerDecoder, TransformerEncoder

pytest.importorskip("jax")

SIZES = {"num_layers": 3, "num_heads": 2, "hidden_dim": 8, "intermediate_dim": 12}
ENCODER = {**SIZES, "shortcut": "plain", "layer_composition": "extended", "head_composition": "extended"}
DECODER = {**SIZES, "shortcut": "fusion", "shortcut_source": "non_lexical", "cross_shortcut": "plain"}
DECODER |= {"layer_composition": "hierarchical", "head_composition": "hierarchical"}

PROGRAM = """
import sys
sys.modules["tensorflow"] = None  # importing it would fail
import keras, numpy as np
from keras_nmt.layers import MultiHeadAttention, TransformerDecoder, TransformerEncoder

assert keras.backend.backend() == "jax"
given = dict(np.load(sys.argv[1]))
encoder, decoder = TransformerEncoder(**ENCODER), TransformerDecoder(**DECODER)

def run():
    memory = encoder(given["source"], mask=given["mask"])
    return decoder(given["target"], memory, memory_lexical=given["source"], memory_mask=given["mask"])

run()
for name, layer in (("encoder", encoder), ("decoder", decoder)):
    layer.set_weights([given[f"{name}{i}"] for i in range(len(layer.get_weights()))])
output = np.asarray(run())

memory = encoder(given["source"], mask=given["mask"])
constants, caches = decoder.prepare(memory, 1, 4, given["source"])
for t in range(4):
    state, caches = decoder.step(given["target"][:, t : t + 1], t, constants, caches, given["mask"])
    np.testing.assert_allclose(np.asarray(state)[:, 0], output[:, t], rtol=1e-4, atol=1e-4)

inputs = keras.Input((4, 8))
model = keras.Model(inputs, keras.layers.Dense(1)(TransformerEncoder(**ENCODER)(inputs)))
model.compile("adam", "mse")
losses = model.fit(given["target"], given["target"][..., :1], epochs=5, verbose=0).history["loss"]
assert losses[-1] < losses[0]
# Masks that Keras hands on are seen inside what JAX compiles, too.
tokens = keras.Input((None,), dtype="int32")
embedded = keras.layers.Embedding(9, 8, mask_zero=True)(tokens)
attention = keras.Model(tokens, MultiHeadAttention(2, 8)(embedded, embedded))
padded, alone = (attention.predict(np.array([ids]), verbose=0) for ids in ([5, 6, 0, 0], [5, 6]))
np.testing.assert_allclose(padded[:, :2], alone, rtol=1e-5, atol=1e-6)
np.save(sys.argv[2], output)
"""


def test_jax_gives_what_tensorflow_gives(random, tmp_path):
    encoder, decoder = TransformerEncoder(**ENCODER), TransformerDecoder(**DECODER)
    source, target = random(2, 5, 8), random(2, 4, 8)
    mask = np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]], bool)

    def run():
        memory = encoder(source, mask=mask)
        return decoder(target, memory, memory_lexical=source, memory_mask=mask)

    run()
    given = {"source": source, "target": target, "mask": mask}
    for name, layer in (("encoder", encoder), ("decoder", decoder)):
        layer.set_weights([random(*w.shape) if w.ndim else w for w in layer.get_weights()])
        given |= {f"{name}{i}": w for i, w in enumerate(layer.get_weights())}
    np.savez(tmp_path / "given.npz", **given)
    program = PROGRAM.replace("**ENCODER", f"**{ENCODER}").replace("**DECODER", f"**{DECODER}")
    ran = subprocess.run(
        [sys.executable, "-c", program, tmp_path / "given.npz", tmp_path / "output.npy"],
        env={**os.environ, "KERAS_BACKEND": "jax", "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    np.testing.assert_allclose(np.load(tmp_path / "output.npy"), run(), rtol=1e-3, atol=1e-4)


ROLES = [
    {"assignment": "softmax", "causal": True, "residual": True},
    {"assignment": "one_hot", "context": "cnn", "causal": True, "exclusive": True, "low_rank": True},
    {"assignment": "dense", "context": "bilstm"},
]

ROLES_PROGRAM = """
import sys
sys.modules["tensorflow"] = None  # importing it would fail
import jax, keras, numpy as np
from keras_nmt.layers import RoleInteraction

assert keras.backend.backend() == "jax"
given = dict(np.load(sys.argv[1]))
results = {}
for number, options in enumerate(ROLES):
    layer = RoleInteraction(3, **options)
    layer.build((None, None, 8))
    for i, weight in enumerate(layer.trainable_weights):
        weight.assign(given[f"layer{number}_{i}"])
    trainable = [variable.value for variable in layer.trainable_variables]
    fixed = [variable.value for variable in layer.non_trainable_variables]

    def loss(trainable):
        outputs, _ = layer.stateless_call(trainable, fixed, given["inputs"], mask=given["mask"])
        return (outputs**2).sum(), outputs

    gradients, outputs = jax.jit(jax.grad(loss, has_aux=True))(trainable)
    results |= {f"gradient{number}_{i}": gradient for i, gradient in enumerate(gradients)}
    results[f"output{number}"] = outputs
    if layer.role_assignment.causal:
        expected = layer(given["inputs"])
        cache = layer.empty_cache(1, 2)
        for t in range(4):
            step, cache = layer.step(given["inputs"][None, :, t], t, cache)
            np.testing.assert_allclose(step[0], expected[:, t], rtol=1e-4, atol=1e-5)
    model = keras.Sequential([keras.Input((4, 8)), RoleInteraction(3, **options)])
    model.compile("adam", "mse")
    losses = model.fit(given["inputs"], given["inputs"][..., ::-1], epochs=5, verbose=0).history["loss"]
    assert options["assignment"] == "one_hot" or losses[-1] < losses[0]
np.savez(sys.argv[2], **results)
"""


def test_roles_on_jax_give_what_tensorflow_gives(random, tmp_path):
    given = {"inputs": random(2, 4, 8), "mask": np.array([[1, 1, 1, 1], [1, 1, 0, 0]], bool)}
    expected = {}
    for number, options in enumerate(ROLES):
        layer = RoleInteraction(3, **options)
        layer.build((None, None, 8))
        for i, weight in enumerate(layer.trainable_weights):
            given[f"layer{number}_{i}"] = random(*weight.shape)
            weight.assign(given[f"layer{number}_{i}"])
        with tf.GradientTape() as tape:
            outputs = layer(given["inputs"], mask=given["mask"])
            loss = tf.reduce_sum(outputs**2)
        gradients = tape.gradient(loss, [w.value for w in layer.trainable_weights], unconnected_gradients="zero")
        expected |= {f"gradient{number}_{i}": gradient for i, gradient in enumerate(gradients)}
        expected[f"output{number}"] = outputs
    np.savez(tmp_path / "given.npz", **given)
    ran = subprocess.run(
        [
            sys.executable,
            "-c",
            ROLES_PROGRAM.replace("ROLES", repr(ROLES)),
            tmp_path / "given.npz",
            tmp_path / "out.npz",
        ],
        env={**os.environ, "KERAS_BACKEND": "jax", "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    results = np.load(tmp_path / "out.npz")
    assert set(results) == set(expected)
    for name, value in expected.items():
        np.testing.assert_allclose(results[name], value, rtol=1e-3, atol=1e-3, err_msg=name)


RECURRENT_PROGRAM = """
import sys
sys.modules["tensorflow"] = None  # importing it would fail
import jax, keras, numpy as np
from recurrent_network import make

assert keras.backend.backend() == "jax"
given = dict(np.load(sys.argv[1]))
inputs = [given[name] for name in ("source", "mask", "target")]
results = {}
for score in SCORES:
    model = make(score)
    for i, weight in enumerate(model.trainable_weights):
        weight.assign(given[f"{score}{i}"])
    trainable = [variable.value for variable in model.trainable_variables]
    seeds = [variable.value for variable in model.non_trainable_variables]

    def loss(trainable):
        (outputs, penalties, sentence, final), _ = model.stateless_call(trainable, seeds, inputs)
        return (outputs**2).sum() + penalties.sum(), (outputs, penalties, sentence, final)

    gradients, (outputs, penalties, sentence, final) = jax.jit(jax.grad(loss, has_aux=True))(trainable)
    results |= {f"{score}_gradient{i}": gradient for i, gradient in enumerate(gradients)}
    results |= {f"{score}_outputs": outputs, f"{score}_penalties": penalties}
    decoder = model.get_layer("decoder")
    constants, caches = decoder.prepare(sentence, 1, final)
    for t in range(4):
        state, caches = decoder.step(given["target"][:, t : t + 1], t, constants, caches)
        np.testing.assert_allclose(state[:, 0], outputs[:, t], rtol=1e-4, atol=1e-5)
np.savez(sys.argv[2], **results)
"""


def test_recurrent_layers_and_the_bridge_on_jax_give_what_tensorflow_gives(random, tmp_path):
    given = {"source": random(2, 5, 6), "mask": np.array([[1] * 5, [1] * 2 + [0] * 3], bool), "target": random(2, 4, 5)}
    expected, scores = {}, ["general", "concat"]
    for score in scores:
        model = make(score)
        for i, weight in enumerate(model.trainable_weights):
            given[f"{score}{i}"] = random(*weight.shape)
            weight.assign(given[f"{score}{i}"])
        with tf.GradientTape() as tape:
            outputs, penalties, *_ = model([given[name] for name in ("source", "mask", "target")])
            loss = tf.reduce_sum(outputs**2) + tf.reduce_sum(penalties)
        gradients = tape.gradient(loss, [w.value for w in model.trainable_weights])
        expected |= {f"{score}_gradient{i}": gradient for i, gradient in enumerate(gradients)}
        expected |= {f"{score}_outputs": outputs, f"{score}_penalties": penalties}
    np.savez(tmp_path / "given.npz", **given)
    ran = subprocess.run(
        [
            sys.executable,
            "-c",
            RECURRENT_PROGRAM.replace("SCORES", repr(scores)),
            tmp_path / "given.npz",
            tmp_path / "out.npz",
        ],
        env={**os.environ, "KERAS_BACKEND": "jax", "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    results = np.load(tmp_path / "out.npz")
    assert set(results) == set(expected)
    for name, value in expected.items():
        np.testing.assert_allclose(results[name], value, rtol=1e-3, atol=1e-3, err_msg=name)
