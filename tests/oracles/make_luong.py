"""Makes luong.npz: random weights and inputs, and the outputs of TensorFlow Addons' attentive decoder.

TensorFlow Addons ended with TensorFlow 2.15, so the script runs in a separate environment:

    python3.11 -m venv addons
    addons/bin/pip install -r tests/oracles/requirements.txt
    addons/bin/python tests/oracles/make_luong.py tests/oracles/luong.npz

`KERAS_NMT_REMAKE_ORACLES=1 python -m pytest tests/oracles` does the same into a temporary folder and compares the
result with the file here.

The decoder is `AttentionWrapper` around two LSTM cells, with `LuongAttention` ("general") over a padded memory, an
`attention_layer` with its tanh, and input feeding. Arrays, B sentences, S positions of the memory, T target positions,
widths d of the memory, e of the embeddings, u of the states, L layers, V ids:

    embedding [V, e], memory [B, S, d] (random at padding, too), memory_lengths [B], targets [B, T],
    initial_state [L, 2, B, u] (h, c)
    cell_{i}_kernel, cell_{i}_recurrent_kernel, cell_{i}_bias, attention_kernel [d, u], attentional_kernel [u + d, u],
    output_kernel [u, V], output_bias [V]
    forced_states [B, T, u], forced_attention [B, T, S], forced_final_state [L, 2, B, u]
    greedy_ids [B, LIMIT], greedy_logits [B, LIMIT, V], greedy_lengths [B]
    penalty_alphas [A], penalty_lengths [N], penalties [A, N]
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow_addons import options, seq2seq
from tensorflow_addons.seq2seq.beam_search_decoder import _length_penalty

BEGIN, END = 2, 3
B, S, T, L, V = 6, 7, 8, 2, 12
D, E, U = 4, 5, 6  # d, e, u
LIMIT = 14


def make_inputs(seed: int = 0) -> dict[str, np.ndarray]:
    generator = np.random.default_rng(seed)

    def random(*shape: int, scale: float = 1.0) -> np.ndarray:
        return (scale * generator.normal(size=shape)).astype("float32")

    inputs = {
        "embedding": random(V, E),
        "memory": random(B, S, D, scale=1.5),
        "memory_lengths": np.array([7, 4, 1, 6, 3, 7], "int32"),
        "targets": generator.integers(0, V, size=(B, T)).astype("int32"),
        "initial_state": random(L, 2, B, U),
        "attention_kernel": random(D, U),
        "attentional_kernel": random(U + D, U, scale=0.7),
        "output_kernel": random(U, V, scale=1.5),
        "output_bias": random(V, scale=0.3),
    }
    inputs["output_bias"][END] += 1.5  # most sentences end, at different lengths; the third never does
    for i, width in enumerate((E + U, U)):
        inputs[f"cell_{i}_kernel"] = random(width, 4 * U, scale=0.8)
        inputs[f"cell_{i}_recurrent_kernel"] = random(U, 4 * U, scale=0.8)
        inputs[f"cell_{i}_bias"] = random(4 * U, scale=0.5)
    return inputs


def make_cell(x: dict[str, np.ndarray]) -> tuple[seq2seq.AttentionWrapper, Any, tf.keras.Model]:
    """The decoder's cell, its initial state and the output layer."""
    cells = [tf.keras.layers.LSTMCell(U) for _ in range(L)]
    for i, cell in enumerate(cells):
        cell.build((None, E + U if i == 0 else U))
        cell.set_weights([x[f"cell_{i}_{name}"] for name in ("kernel", "recurrent_kernel", "bias")])
    attention = seq2seq.LuongAttention(U)
    attention.memory_layer.build((None, None, D))
    attention.memory_layer.set_weights([x["attention_kernel"]])
    attention.setup_memory(tf.constant(x["memory"]), memory_sequence_length=tf.constant(x["memory_lengths"]))
    attentional = tf.keras.layers.Dense(U, activation="tanh", use_bias=False)
    attentional.build((None, U + D))
    attentional.set_weights([x["attentional_kernel"]])
    output = tf.keras.layers.Dense(V)
    output.build((None, U))
    output.set_weights([x["output_kernel"], x["output_bias"]])

    wrapper = seq2seq.AttentionWrapper(
        tf.keras.layers.StackedRNNCells(cells), attention, attention_layer=attentional, alignment_history=True
    )
    state = wrapper.get_initial_state(batch_size=B, dtype=tf.float32)
    layers = tuple([tf.constant(h), tf.constant(c)] for h, c in x["initial_state"])
    return wrapper, state.clone(cell_state=layers), output


def teacher_forced(x: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    cell, state, _ = make_cell(x)
    decoder = seq2seq.BasicDecoder(cell, seq2seq.TrainingSampler())
    embedded = tf.gather(x["embedding"], x["targets"])
    outputs, state, _ = decoder(embedded, initial_state=state, sequence_length=tf.fill([B], T))
    return {
        "forced_states": outputs.rnn_output.numpy(),
        "forced_attention": state.alignment_history.stack().numpy().transpose(1, 0, 2),
        "forced_final_state": np.array([[h.numpy(), c.numpy()] for h, c in state.cell_state]),
    }


def greedy(x: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    cell, state, output = make_cell(x)
    sampler = seq2seq.GreedyEmbeddingSampler(lambda ids: tf.gather(x["embedding"], ids))
    decoder = seq2seq.BasicDecoder(cell, sampler, output_layer=output, maximum_iterations=LIMIT)
    outputs, _, lengths = decoder(None, start_tokens=tf.fill([B], BEGIN), end_token=END, initial_state=state)
    return {
        "greedy_ids": padded(outputs.sample_id.numpy(), axis=1),
        "greedy_logits": padded(outputs.rnn_output.numpy(), axis=1),
        "greedy_lengths": lengths.numpy(),
    }


def penalties() -> dict[str, np.ndarray]:
    alphas, lengths = np.array([0.0, 0.2, 0.6, 1.0, 2.0], "float32"), np.arange(1, 61, dtype="int32")
    values = [np.broadcast_to(_length_penalty(lengths, float(alpha)), lengths.shape) for alpha in alphas]
    return {"penalty_alphas": alphas, "penalty_lengths": lengths, "penalties": np.array(values, "float32")}


def padded(x: np.ndarray, axis: int) -> np.ndarray:
    """Pads an axis with zeros up to LIMIT, because decoding may end earlier."""
    widths = [(0, LIMIT - size if i == axis else 0) for i, size in enumerate(x.shape)]
    return np.pad(x, widths)


def main(path: str) -> None:
    options.disable_custom_kernel()  # the compiled kernels need TensorFlow's build for GPUs
    inputs = make_inputs()
    golden: dict[str, Any] = {**inputs, **teacher_forced(inputs), **greedy(inputs), **penalties()}
    np.savez_compressed(path, **golden)


if __name__ == "__main__":
    main(sys.argv[1])
