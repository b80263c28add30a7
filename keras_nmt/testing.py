"""Checks of layers and mechanisms, for the tests of your own."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

import keras
import numpy as np
import tensorflow as tf
from keras import ops, tree

from keras_nmt.errors import check_backend, one_line
from keras_nmt.ids import BOS, EOS, PAD
from keras_nmt.layers import LayerSpec
from keras_nmt.layers._keras_private import all_layers
from keras_nmt.models import Transformer, TranslationModel

__all__ = ["check_layer", "check_mechanism"]

Make = Callable[..., keras.layers.Layer]
Inputs = Mapping[str, np.ndarray]
Batch = tuple[np.ndarray, np.ndarray]
SMALL = {
    "source_vocabulary_size": 23,
    "num_encoder_layers": 3,
    "num_decoder_layers": 3,
    "hidden_dim": 8,
    "num_heads": 2,
    "intermediate_dim": 12,
}


def check_mechanism(**options: Any) -> None:
    """Checks a mechanism of your own as part of a small Transformer.

    It checks that the configuration can be saved as JSON and the model in a file; that batches and padding change
    nothing; that the decoder does not see later tokens, and its steps give the logits of the whole sequence; that XLA
    and half precision compute the same; that every weight of the mechanism has a gradient; and that deeper stacks, of
    two more layers, compute and take steps. A mechanism that passes can be trained, searched with and exported.

    Args:
        **options: Arguments of `Transformer`: those that choose the mechanism, such as `roles=LayerSpec(MyRoles)`, and
            others, such as sizes. Sizes default to three layers of two heads and width 8.

    Raises:
        AssertionError: The mechanism violates a property. The message says which one, and what happens instead.
        UserError: Keras' backend is not TensorFlow.

    Example:

    >>> from keras_nmt.layers import Composition, LayerSpec, LinearCombination
    >>> mixing = Composition(LayerSpec(LinearCombination), sides=["encoder"])
    >>> check_mechanism(layer_composition=mixing, num_encoder_layers=2, num_decoder_layers=1)
    """
    check_backend("`check_mechanism`")
    checked: tuple[tuple[str, Callable[[Transformer, Batch, np.ndarray], None]], ...] = (
        ("its configuration must make an equal model, without randomness", _check_configuration),
        ("a saved model must equal the loaded model", _check_file),
        ("the decoder must not see later tokens", _check_causality),
        ("batches and padding must change nothing", check_batches_and_padding),
        ("decoder steps must give the logits of the whole sequence", check_steps),
        ("XLA must compute the same", check_compiled),
        ("half precision must compute nearly the same", _check_policies),
        ("every weight of the mechanism must have a gradient", _check_gradients),
        ("stacks of other depths must compute", _check_depths),
    )
    if not options:
        raise ValueError("Give the mechanism to check, such as roles=LayerSpec(MyRoles).")
    task = "the model cannot be made"
    try:
        model = randomise(Transformer(**{**SMALL, **options}))
        task, batch = "the model must compute finite logits [B, T, V]", make_batch(model)
        logits = np.asarray(model(batch))
        _require(logits.shape == (*batch[1].shape, model.target_vocabulary_size), f"they are {logits.shape}")
        _require(bool(np.isfinite(logits).all()), "some are not finite")
        for task, check in checked:  # noqa: B007  the message names the task
            check(model, batch, logits)
    except Exception as error:  # the code of the mechanism may raise anything
        shown = ", ".join(f"{name}={value!r}" for name, value in options.items())
        reason = one_line(error) if isinstance(error, AssertionError) else f"{type(error).__name__}: {one_line(error)}"
        raise AssertionError(f"With {shown}, {task}: {reason}") from error


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise AssertionError(message)


def _require_near(found: Any, expected: Any, rtol: float = 1e-4, atol: float = 1e-4, what: str = "outputs") -> None:
    found, expected = (np.asarray(ops.cast(x, "float32")) for x in (found, expected))
    _require(found.shape == expected.shape, f"{what} have the shape {found.shape} instead of {expected.shape}")
    wrong = ~np.isclose(found, expected, rtol=rtol, atol=atol)
    if wrong.any():
        first = tuple(map(int, np.argwhere(wrong)[0]))
        message = f"{what} differ by up to {np.abs(found - expected).max():.2g}, first at {first}"
        raise AssertionError(f"{message}: {found[first]:.6g} instead of {expected[first]:.6g}")


# Properties of a translation model


def randomise(model: Any, scale: float = 0.2) -> Any:
    """Adds noise to all weights, because initial gates, biases and norms of 0 or 1 hide errors. Returns the model."""
    generator = np.random.default_rng(5)
    for weight in model.trainable_weights:
        weight.assign(weight + generator.normal(scale=scale, size=weight.shape))
    return model


def make_batch(
    model: TranslationModel, rows: int = 3, source_length: int = 6, target_length: int = 5, seed: int = 0
) -> Batch:
    """Makes source ids, with padded rows of different lengths, and target-input ids."""
    generator = np.random.default_rng(seed)
    source = generator.integers(4, model.source_vocabulary_size, (rows, source_length)).astype("int32")
    for row in range(rows):
        length = source_length - row % source_length
        source[row, length - 1 :] = PAD
        source[row, length - 1] = EOS
    target = generator.integers(4, model.target_vocabulary_size, (rows, target_length)).astype("int32")
    target[:, 0] = BOS
    return source, target


def stepwise(
    model: TranslationModel,
    source: np.ndarray,
    target: np.ndarray,
    beam_size: int = 2,
    jit_compile: bool | None = None,
    grows: bool = False,
) -> np.ndarray:
    """Returns the logits `[B, T, V]` of decoder steps over given prefixes; all hypotheses of the beam are equal."""
    step = model.decoder_step
    if jit_compile is not None:
        step = tf.function(step, jit_compile=jit_compile, autograph=False)
    constants, caches = model.prepare(model.encoder(source), beam_size, None if grows else target.shape[1])
    logits = []
    for position in range(target.shape[1]):
        tokens = np.repeat(target[:, position : position + 1], beam_size, 1)
        out, caches = step(tf.constant(tokens), tf.constant(position), constants, caches)
        # The keys of the hypotheses are at different positions, so sums can have another order.
        _require_near(out[:, 0], out[:, 1], atol=1e-5, what="logits of equal hypotheses")
        logits.append(out[:, 0])
    return np.stack(logits, 1)


def check_steps(model: TranslationModel, batch: Batch, logits: np.ndarray) -> None:
    """Checks that decoder steps, with either kind of cache, give the logits of the whole sequence."""
    for grows in (False, True):
        found = stepwise(model, *batch, grows=grows)
        _require_near(found, logits, what=f"logits of steps with caches {'that grow' if grows else 'of fixed shapes'}")


def check_compiled(model: TranslationModel, batch: Batch, logits: np.ndarray) -> None:
    """Checks that the model and its steps give the same logits under XLA."""
    whole = tf.function(model, jit_compile=True, autograph=False)
    _require_near(whole([tf.constant(ids) for ids in batch]), logits, what="logits of the compiled model")
    one = batch[0][:1], batch[1][:1]
    _require_near(stepwise(model, *one, jit_compile=True), logits[:1], what="logits of compiled steps")


def check_batches_and_padding(model: TranslationModel, batch: Batch, logits: np.ndarray) -> None:
    """Checks that a sentence has the same logits alone, and with more padding."""
    source, target = batch
    for row in range(len(source)):
        length = int((source[row] != PAD).sum())
        for more, what in ((0, "without padding"), (4, "with more padding")):
            alone = source[row : row + 1, :length], target[row : row + 1]
            found = model([np.pad(ids, ((0, 0), (0, more))) for ids in alone])[:, : target.shape[1]]
            _require_near(found, logits[row : row + 1], atol=1e-5, what=f"logits of sentence {row} alone, {what},")


def _check_causality(model: Transformer, batch: Batch, logits: np.ndarray) -> None:
    source, target = batch
    for t in range(1, target.shape[1]):
        changed = target.copy()
        changed[:, t:] = np.where(changed[:, t:] == 4, 5, 4)
        found = model([source, changed])
        _require_near(found[:, :t], logits[:, :t], atol=1e-5, what=f"logits before position {t}, whose token changed,")


def _again(model: Transformer, dtype: str = "float32") -> Transformer:
    """Makes an equal model from the JSON form of the configuration."""
    config = {**json.loads(json.dumps(model.get_config())), "dtype": dtype}
    again = Transformer.from_config(config)
    _require(again.get_config() == config, f"it comes back as {again.get_config()}")
    for one, other in zip(model.weights, again.weights, strict=True):
        _require(one.shape == other.shape, f"{one.path} has the shape {other.shape} instead of {one.shape}")
        message = "give the layer a name, because training finds the weights of other models by their names"
        _require(one.path == other.path, f"{one.path} becomes {other.path}: {message}")
    again.set_weights(model.get_weights())
    return again


def _check_configuration(model: Transformer, batch: Batch, logits: np.ndarray) -> None:
    _require_near(_again(model)(batch), logits, atol=1e-6)


def _check_file(model: Transformer, batch: Batch, logits: np.ndarray) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.keras"
        model.save(path)
        _require_near(keras.models.load_model(path)(batch), logits, atol=1e-6)


def _check_weights(half: keras.layers.Layer, policy: str) -> None:
    if policy.startswith("mixed"):
        _require(all(w.dtype == "float32" for w in half.trainable_weights), f"{policy}: weights must be float32")


def _check_policies(model: Transformer, batch: Batch, logits: np.ndarray) -> None:
    for policy in ("mixed_float16", "mixed_bfloat16", "bfloat16"):  # the last: an export's weights of two bytes
        half = _again(model, policy)
        _check_weights(half, policy)
        tolerance = (0.05 if policy == "mixed_float16" else 0.4) * np.std(logits)
        _require_near(half(batch), logits, rtol=0, atol=tolerance, what=f"{policy}: logits")
        constants, caches = half.prepare(half.encoder(batch[0]), 1, batch[1].shape[1])
        _, new_caches = half.decoder_step(tf.constant(batch[1][:, :1]), tf.constant(0), constants, caches)
        dtypes = [[keras.backend.standardize_dtype(x.dtype) for x in tree.flatten(c)] for c in (caches, new_caches)]
        _require(dtypes[0] == dtypes[1], f"{policy}: a step changes the dtypes of caches {dtypes[0]} to {dtypes[1]}")


def _check_gradients(model: Transformer, batch: Batch, logits: np.ndarray) -> None:
    values = [value.get("kind", value) for value in model.get_config().values() if isinstance(value, dict)]
    own = tuple(LayerSpec.from_config(value).layer for value in values if isinstance(value, dict))
    # Only weights of the own layers are checked: a tree need not read all states, whose norms belong to the stack.
    weights = {w.path: w for layer in all_layers(model) if isinstance(layer, own) for w in layer.trainable_weights}
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.sin(model(batch, training=True)))
    gradients = tape.gradient(loss, [weight.value for weight in weights.values()])
    for path, gradient in zip(weights, gradients, strict=True):
        _require(gradient is not None, f"{path} has none")
        gradient = np.asarray(tf.convert_to_tensor(gradient))  # also converts the sparse gradient of a table
        _require(bool(np.isfinite(gradient).all()), f"that of {path} is not finite")
        _require(bool(np.any(gradient)), f"that of {path} is zero")


def _check_depths(model: Transformer, batch: Batch, logits: np.ndarray) -> None:
    config = model.get_config()
    depths = {name: config[name] + 2 for name in ("num_encoder_layers", "num_decoder_layers")}
    deeper = randomise(Transformer.from_config({**config, **depths}))
    one = batch[0][:1], batch[1][:1]
    _require_near(stepwise(deeper, *one), deeper(one), what=f"logits of steps with {depths}")


# Properties of a layer


def check_layer(
    make: Make,
    inputs: Inputs,
    *,
    weights: int | None = None,
    parameters: int | None = None,
    thorough: bool = True,
    float32: Collection[int] = (),
    **options: Any,
) -> None:
    """Checks the weights, configuration, shapes and saving of a layer, and also training, XLA and half precision.

    Args:
        make: Function that takes `dtype` and returns the layer.
        inputs: Dictionary of arrays, the call arguments by name, in the order of `call`. Boolean arrays are masks.
        weights: Integer, the expected number of trainable weight tensors. Defaults to None: not checked.
        parameters: Integer, the expected number of trainable parameters. Defaults to None: not checked.
        thorough: Boolean, whether training, XLA and half precision are checked, which needs TensorFlow. Defaults to
            True.
        float32: Collection of the indices of outputs that are float32 under every policy. Defaults to none.
        **options: Further call arguments for the comparison with XLA.

    Raises:
        AssertionError: The layer violates a property.

    Example:

    >>> from keras_nmt.layers import LinearCombination
    >>> states = np.random.rand(2, 4, 3, 8).astype("float32")
    >>> check_layer(lambda **kwargs: LinearCombination(5, **kwargs), {"representations": states}, weights=1)
    """
    if thorough:
        check_backend("`check_layer` with `thorough=True`")
    layer = make()
    outputs = tree.flatten(layer(**inputs))
    counts = len(layer.trainable_weights), sum(int(np.prod(w.shape)) for w in layer.trainable_weights)
    for found, expected, what in zip(counts, (weights, parameters), ("weights", "parameters"), strict=True):
        _require(expected in (None, found), f"the layer has {found} {what} instead of {expected}")
    config = layer.get_config()
    again = type(layer).from_config(config).get_config()
    _require(json.loads(json.dumps(config)) == again, f"the configuration {config} makes a layer with {again}")
    symbolic, symbolic_outputs = _check_shapes(layer, inputs)
    _check_saving(keras.Model(symbolic, symbolic_outputs), inputs, outputs)
    if thorough:
        _check_training(layer, inputs, symbolic, symbolic_outputs)
        _check_xla(layer, inputs, **options)
        _check_half_precision(make, layer, inputs, float32)


def _check_shapes(layer: keras.layers.Layer, inputs: Inputs) -> tuple[dict[str, keras.KerasTensor], Any]:
    """Checks that computed, symbolic and eager shapes agree, and returns the symbolic inputs and outputs."""
    outputs = layer(**inputs)
    computed = layer.compute_output_shape(*(value.shape for value in inputs.values() if value.dtype != bool))
    shapes = tree.map_structure(lambda x: tuple(x.shape), outputs)
    _require(computed == shapes, f"`compute_output_shape` gives {computed} for outputs {shapes}")
    symbolic = {name: keras.Input(x.shape[1:], dtype=str(x.dtype), name=name) for name, x in inputs.items()}
    symbolic_outputs = layer(**symbolic)
    for one, other in zip(tree.flatten(symbolic_outputs), tree.flatten(outputs), strict=True):
        forms = [(tuple(x.shape)[1:], keras.backend.standardize_dtype(x.dtype)) for x in (one, other)]
        _require(forms[0] == forms[1], f"shape and dtype of a symbolic output are {forms[0]} instead of {forms[1]}")
    return symbolic, symbolic_outputs


def _check_saving(model: keras.Model, inputs: Inputs, outputs: list[Any]) -> None:
    """Checks that a saved functional model equals the loaded model."""
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder) / "model.keras")
        loaded = keras.models.load_model(Path(folder) / "model.keras")
    for one, other in zip(tree.flatten(loaded(inputs)), outputs, strict=True):
        _require_near(one, other, rtol=1e-6, atol=1e-6, what="outputs of the loaded layer")


def _check_training(layer: keras.layers.Layer, inputs: Inputs, symbolic: Any, symbolic_outputs: Any) -> None:
    """Checks that an update by `fit` changes every trainable weight. `_check_xla` checks gradients in graphs."""
    before = [w.numpy().copy() for w in layer.trainable_weights]
    # The loss has a sigmoid, because the mean square of the outputs of a LayerNorm is constant.
    pooled = sum(ops.mean(ops.sigmoid(3 * x), tuple(range(1, len(x.shape)))) for x in tree.flatten(symbolic_outputs))
    trained = keras.Model(symbolic, pooled)
    trained.compile(optimizer=keras.optimizers.Adam(0.1), loss="mse", run_eagerly=True)
    trained.fit(inputs, np.ones(len(next(iter(inputs.values())))), epochs=1, verbose=0)
    for old, new in zip(before, layer.trainable_weights, strict=True):
        _require(not np.array_equal(old, new.numpy()), f"{new.path} was not trained")


def _check_xla(layer: keras.layers.Layer, inputs: Inputs, **options: Any) -> None:
    """Checks that outputs and gradients are equal eagerly, in a graph of unknown batch size and length, and in XLA."""

    def run(*values: tf.Tensor) -> Any:
        with tf.GradientTape() as tape:
            given = [x for x in values if x.dtype != tf.bool]
            tape.watch(given)
            outputs = tree.flatten(layer(**dict(zip(inputs, values, strict=True)), **options))
            loss = tf.add_n([tf.reduce_sum(tf.sin(i + tf.cast(x, "float32"))) for i, x in enumerate(outputs)])
        sources = [*given, *(w.value for w in layer.trainable_weights)]
        return outputs, tape.gradient(loss, sources, unconnected_gradients="zero")

    signature = [
        tf.TensorSpec([None if axis < 2 else size for axis, size in enumerate(x.shape)], x.dtype)
        for x in inputs.values()
    ]
    values = [tf.constant(x) for x in inputs.values()]
    eager, plain, compiled = (
        tree.flatten(function(*values))
        for function in (
            run,
            tf.function(run, input_signature=signature, autograph=False),
            tf.function(run, input_signature=signature, autograph=False, jit_compile=True),
        )
    )
    for expected, one, other in zip(eager, plain, compiled, strict=True):
        atol = 1e-5 * max(1.0, np.abs(expected).max(initial=0))  # allows for rounding of the largest terms
        _require_near(one, expected, atol=atol, what="outputs or gradients in a graph")
        _require_near(other, expected, atol=atol, what="outputs or gradients with XLA")


def _check_half_precision(make: Make, layer: keras.layers.Layer, inputs: Inputs, float32: Collection[int]) -> None:
    """Checks that outputs have the dtype of the policy and are near the float32 outputs."""
    outputs = tree.flatten(layer(**inputs))
    for policy, tolerance in (("mixed_float16", 2e-2), ("mixed_bfloat16", 1e-1), ("bfloat16", 1e-1)):
        half = make(dtype=policy)
        half(**inputs)
        half.set_weights(layer.get_weights())
        _check_weights(half, policy)
        for index, (one, other) in enumerate(zip(tree.flatten(half(**inputs)), outputs, strict=True)):
            expected = "float32" if index in float32 else half.compute_dtype
            dtype = keras.backend.standardize_dtype(one.dtype)
            _require(dtype == expected, f"{policy}: output {index} is {dtype} instead of {expected}")
            _require_near(one, other, rtol=tolerance, atol=tolerance, what=f"{policy}: outputs")
