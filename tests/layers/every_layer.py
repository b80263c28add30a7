"""Every layer with small inputs, computed by Keras' current backend.

`python every_layer.py FILE` writes `results()` to FILE, in a process that can import TensorFlow only if TensorFlow is
the backend. The tests compare the file with `results()` of a process whose backend is TensorFlow, and
`benchmarks/layer_results.py` compares two devices.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

if __name__ == "__main__" and os.environ["KERAS_BACKEND"] != "tensorflow":
    sys.modules["tensorflow"] = None  # type: ignore[assignment]  # importing TensorFlow fails

import keras
import numpy as np
from keras import ops, tree
from transformer_layers import make_decoder, make_encoder

from keras_nmt import layers

B, T, S, D = 2, 4, 5, 8
MASK = np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]], bool)


class Case(NamedTuple):
    """A layer, its call arguments and, for layers with steps, a function that returns the step and its first cache."""

    layer: keras.layers.Layer
    arguments: dict[str, Any]
    start: Callable[[Any], tuple[Callable[..., Any], Any]] | None = None


def _cases(random: Callable[..., np.ndarray]) -> dict[str, Case]:
    states, memory, many = random(B, T, D), random(B, S, D), random(B, T, 3, D)
    initial = [[random(B, D), random(B, D)] for _ in range(2)]
    encoder = {"shortcut": "plain", "layer_composition": "extended", "head_composition": "extended"}
    decoder = {"shortcut": "fusion", "shortcut_source": "non_lexical", "cross_shortcut": "plain"}
    decoder |= {"layer_composition": "hierarchical", "head_composition": "hierarchical"}
    modern = {"norm": "rms", "feed_forward": "swiglu", "positions": "rotary", "num_key_value_heads": 1}
    roles = {
        "softmax": {"causal": True, "residual": True},
        "one_hot": {"context": "cnn", "causal": True, "exclusive": True, "low_rank": True},
        "dense": {"context": "bilstm"},
    }

    def decoder_steps(layer: Any, shortcut_states: Any = memory) -> tuple[Callable[..., Any], Any]:
        constants, caches = layer.prepare(memory, 1, T, shortcut_states)
        return lambda x, position, caches: layer.step(x, position, constants, caches, MASK), caches

    def recurrent_steps(layer: Any) -> tuple[Callable[..., Any], Any]:
        constants, caches = layer.prepare(memory, 1, initial)
        return lambda x, position, caches: layer.step(x, position, constants, caches, MASK), caches

    def causal_steps(layer: Any) -> tuple[Callable[..., Any], Any]:
        return layer.step, layer.empty_cache(B, 1)

    cases = {
        "attention": Case(layers.MultiHeadAttention(2, D), {"query": states, "memory": memory}),
        "encoder": Case(make_encoder(2, 2, D, 12, **encoder), {"inputs": memory, "padding_mask": MASK}),
        "decoder": Case(
            make_decoder(3, 2, D, 12, **decoder),
            {"inputs": states, "memory": memory, "memory_shortcut_states": memory, "memory_mask": MASK},
            decoder_steps,
        ),
        "modern decoder": Case(
            make_decoder(2, 2, D, 12, shortcut="plain", cross_shortcut="plain", **modern),
            {"inputs": states, "memory": memory, "memory_shortcut_states": memory, "memory_mask": MASK},
            decoder_steps,
        ),
        # Random numbers differ between backends; what is dropped of zeros does not.
        "dropout": Case(layers.Dropout(0.25), {"inputs": 0 * states, "training": True}),
        "ssru": Case(layers.SSRU(D), {"inputs": memory, "mask": MASK}),
        "decoder of SSRUs": Case(
            make_decoder(2, 2, D, 12, decoder_self_attention="ssru"),
            {"inputs": states, "memory": memory, "memory_mask": MASK},
            lambda layer: decoder_steps(layer, None),
        ),
        "linear combination": Case(layers.LinearCombination(5), {"representations": many}),
        "bilinear pooling": Case(layers.BilinearPooling(5), {"representations": many}),
        "contextualized embedding": Case(
            layers.ContextualizedEmbedding(3, "cnn", causal=True), {"inputs": states}, causal_steps
        ),
        "bridge": Case(
            layers.AttentionBridge(3, 7, penalty="root"),
            {"inputs": memory, "mask": MASK, "return_attention_scores": True, "return_penalty": True},
        ),
        "recurrent encoder": Case(
            layers.RecurrentEncoder(1, D), {"inputs": memory, "mask": MASK, "return_state": True}
        ),
        "recurrent encoder, cuDNN on a GPU": Case(
            layers.RecurrentEncoder(1, D, use_cudnn="auto"), {"inputs": memory, "mask": MASK, "return_state": True}
        ),
    }
    for assignment, options in roles.items():
        layer = layers.RoleInteraction(3, assignment, **options)
        steps = Case(layer, {"inputs": memory}, causal_steps) if layer.role_assignment.causal else None
        cases[f"{assignment} roles"] = steps or Case(layer, {"inputs": memory, "mask": MASK})
    for score in ("general", "concat"):
        cases[f"recurrent decoder, {score}"] = Case(
            layers.AttentiveRecurrentDecoder(2, D, score),
            {"inputs": states, "memory": memory, "initial_state": initial, "memory_mask": MASK},
            recurrent_steps,
        )
    return cases


def _randomise(layer: keras.layers.Layer, random: Callable[..., np.ndarray]) -> None:
    for weight in layer.trainable_weights:
        weight.assign(random(*weight.shape) / 2)


def _symbolic(argument: Any) -> Any:
    return keras.KerasTensor(argument.shape, argument.dtype.name) if isinstance(argument, np.ndarray) else argument


def _total(outputs: Any) -> Any:
    """A scalar that depends on every output."""
    return sum(ops.sum(ops.sin(i + ops.cast(x, "float32"))) for i, x in enumerate(tree.flatten(outputs)))


def _outputs_and_gradients(layer: keras.layers.Layer, arguments: dict[str, Any]) -> tuple[Any, list[Any]]:
    """The outputs, and the gradients of their total with respect to all trainable weights."""
    variables = layer.trainable_variables
    if keras.backend.backend() == "jax":
        import jax

        fixed = [variable.value for variable in layer.non_trainable_variables]

        def total(values: list[Any]) -> tuple[Any, Any]:
            outputs, _ = layer.stateless_call(values, fixed, **arguments)
            return _total(outputs), outputs

        gradients, outputs = jax.jit(jax.grad(total, has_aux=True))([variable.value for variable in variables])
    elif keras.backend.backend() == "torch":
        outputs = layer(**arguments)
        _total(outputs).backward()
        gradients = [variable.value.grad for variable in variables]
    else:
        import tensorflow as tf

        with tf.GradientTape() as tape:
            outputs = layer(**arguments)
            total_of_outputs = _total(outputs)
        gradients = tape.gradient(total_of_outputs, [variable.value for variable in variables])
    zeros = [np.zeros(variable.shape, "float32") for variable in variables]
    return outputs, [zero if found is None else found for found, zero in zip(gradients, zeros, strict=True)]


def _by_steps(case: Case) -> Any:
    """The outputs `[B, T, d]`, computed one position after the other."""
    assert case.start is not None
    step, caches = case.start(case.layer)
    if keras.backend.backend() == "jax":
        import jax

        step = jax.jit(step)
    outputs = []
    for position in range(case.arguments["inputs"].shape[1]):
        x = ops.convert_to_tensor(case.arguments["inputs"][:, position, None])  # one hypothesis per sentence
        output, caches = step(x, ops.convert_to_tensor(position), caches)
        outputs.append(output)
    return ops.concatenate(outputs, 1)


def _training(random: Callable[..., np.ndarray]) -> dict[str, Any]:
    """The losses of `fit`, and predictions for sentences with and without padding."""
    ids = keras.Input((None,), dtype="int32")
    states = layers.RoleInteraction(3, context="cnn")(keras.layers.Embedding(9, D, mask_zero=True)(ids))
    sentence = layers.AttentionBridge(3, 7)(make_encoder(1, 2, D, 12)(states))
    model = keras.Model(ids, keras.layers.Dense(1)(keras.layers.Flatten()(sentence)))
    _randomise(model, random)
    padded, short = np.array([[5, 6, 0, 0], [7, 8, 0, 0]]), np.array([[5, 6], [7, 8]])
    # On JAX, `fit` compiles, and must respect masks, too; on TensorFlow, other tests call `fit` in a graph.
    model.compile(keras.optimizers.SGD(0.001), "mse", run_eagerly=keras.backend.backend() == "tensorflow")
    predictions = {"padded": model.predict(padded, verbose=0), "short": model.predict(short, verbose=0)}
    return {**predictions, "losses": model.fit(padded, np.ones((2, 1)), epochs=5, verbose=0).history["loss"]}


def results() -> dict[str, np.ndarray]:
    """Outputs, gradients and stepwise outputs of each case by name, then losses and predictions."""
    found: dict[str, Any] = {}
    generator = np.random.default_rng(0)

    def random(*shape: int) -> np.ndarray:
        return generator.normal(size=shape).astype("float32")

    for name, case in _cases(random).items():
        case.layer(**tree.map_structure(_symbolic, case.arguments))
        _randomise(case.layer, random)
        outputs, gradients = _outputs_and_gradients(case.layer, case.arguments)
        found |= {
            f"{name}/gradient of {w.path.split('/', 1)[1]}": x
            for w, x in zip(case.layer.trainable_weights, gradients, strict=True)
        }
        found |= {f"{name}/output {i}": x for i, x in enumerate(tree.flatten(outputs))}
        if case.start:
            found[f"{name}/by steps"] = _by_steps(case)
    found |= {f"training/{name}": x for name, x in _training(random).items()}
    return {name: np.asarray(ops.convert_to_numpy(x)) for name, x in found.items()}


def classes() -> set[type]:
    """The classes of all layers of the cases, nested layers included."""
    cases = _cases(lambda *shape: np.zeros(shape, "float32"))
    return {type(layer) for case in cases.values() for layer in case.layer._flatten_layers()}


if __name__ == "__main__":
    assert keras.backend.backend() == os.environ["KERAS_BACKEND"]
    np.savez(sys.argv[1], **results())
