"""The layers run on another Keras backend, in a process that has no TensorFlow."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from keras_nmt.layers import TransformerDecoder, TransformerEncoder

pytest.importorskip("jax")

ENCODER = {"num_layers": 3, "num_heads": 2, "hidden_dim": 8, "intermediate_dim": 12, "shortcut": "plain"}
DECODER = {**ENCODER, "shortcut": "fusion", "shortcut_source": "non_lexical", "cross_shortcut": "plain"}

PROGRAM = """
import sys
sys.modules["tensorflow"] = None  # importing it would fail
import keras, numpy as np
from keras_nmt.layers import TransformerDecoder, TransformerEncoder

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
