"""The attentive recurrent decoder against its equations; steps, padding and dropout."""

import numpy as np
import pytest
import tensorflow as tf
from numpy_oracles import lstm_position, softmax

from keras_nmt.layers import AttentiveRecurrentDecoder, LuongAttention

B, T, S, E, U, D = 3, 4, 5, 3, 6, 7
MASK = np.array([[1] * 5, [1] * 3 + [0] * 2, [1] + [0] * 4], bool)
VARIANTS = [
    {"score": score, "input_feeding": input_feeding}
    for score in ("general", "dot", "concat")
    for input_feeding in (True, False)
]


def _width(score):
    return U if score == "dot" else D  # of the memory


def _decoder(randomised, num_layers=2, score="general", **options):
    decoder = AttentiveRecurrentDecoder(num_layers, U, score=score, **options)
    return randomised(decoder, (None, None, E), (None, None, _width(score)))


def _state(random, num_layers=2, batch=B):
    """An initial state: [h, c] of each layer."""
    return [[random(batch, U), random(batch, U)] for _ in range(num_layers)]


def _oracle(decoder, inputs, memory, state, factors=None):
    """The states h~ `[T, u]` and the weights `[T, S]` of one sentence, from [h, c] of each layer.

    `factors` are of dropout in the loop, `[L, T, u]`: of the inputs of all LSTMs but the first, then of h~.
    """
    factors = np.ones((len(decoder.cells), len(inputs), U)) if factors is None else factors
    attention, w_c = decoder.attention, decoder.attentional.kernel.numpy().T
    state, attentional, outputs, all_weights = [list(x) for x in state], np.zeros(U), [], []
    for t, e in enumerate(inputs):
        h = np.concatenate([e, attentional]) if decoder.input_feeding else e
        for i, cell in enumerate(decoder.cells):
            h = h * factors[i - 1][t] if i else h
            state[i] = lstm_position(h, *state[i], *(w.numpy() for w in cell.weights))
            h = state[i][0]
        if attention.score == "concat":
            inner = np.tanh(h @ attention.query_kernel.numpy() + memory @ attention.kernel.numpy())  # [S, u]
            scores = inner @ attention.vector.numpy()
        else:
            scores = memory @ (h if attention.score == "dot" else attention.kernel.numpy() @ h)
        weights = softmax(scores)
        attentional = np.tanh(w_c @ np.concatenate([h, weights @ memory])) * factors[-1][t]
        outputs.append(attentional)
        all_weights.append(weights)
    return np.array(outputs), np.array(all_weights)


@pytest.mark.parametrize("options", VARIANTS)
def test_follows_the_equations_with_any_padding(random, randomised, options):
    decoder, inputs, memory = _decoder(randomised, **options), random(B, T, E), random(B, S, _width(options["score"]))
    memory[~MASK] = np.nan
    for state in (_state(random), None) if options["input_feeding"] else (_state(random),):
        outputs, weights = decoder(inputs, memory, state, memory_mask=MASK, return_attention_scores=True)
        assert (outputs.shape, weights.shape) == ((B, T, U), (B, T, S))
        for b, length in enumerate(MASK.sum(1)):
            start = [[x[b] for x in layer] for layer in state or [[np.zeros((B, U))] * 2] * 2]
            expected = _oracle(decoder, inputs[b], memory[b, :length], start)
            np.testing.assert_allclose(outputs[b], expected[0], rtol=1e-4, atol=1e-5)
            np.testing.assert_allclose(weights[b, :, :length], expected[1], rtol=1e-4, atol=1e-5)
            np.testing.assert_array_equal(weights[b, :, length:], 0)


def _parameters(score, input_feeding, num_layers=2):
    """The parameters of four gates of each LSTM, W_a (and v_a), W_c."""
    first = E + (U if input_feeding else 0)
    cells = sum(4 * U * (width + U + 1) for width in (first, *[U] * (num_layers - 1)))
    attention = {"dot": 0, "general": D * U, "concat": (U + D) * U + U}[score]
    return cells + attention + (U + _width(score)) * U


def test_decoders_may_share_their_attention(random):
    attention = LuongAttention(U, "concat", dtype="float32")
    one, other = (AttentiveRecurrentDecoder(2, U, attention=attention) for _ in range(2))
    inputs = random(B, T, E), random(B, S, D)
    for decoder in (one, other):
        decoder(*inputs)
    assert one.attention is other.attention
    assert {id(w) for w in one.weights} & {id(w) for w in other.weights} == {id(w) for w in attention.weights}
    assert one.count_params() == _parameters("concat", True)
    with pytest.raises(ValueError, match=f"reads memories of width {D}. Received: shape"):
        AttentiveRecurrentDecoder(2, U, attention=attention)(inputs[0], random(B, S, D + 2))
    # A decoder with its own attention computes the same.
    config = one.get_config()
    copy = AttentiveRecurrentDecoder.from_config(config)
    assert copy.get_config() == config
    assert copy.score == "concat"
    copy(*inputs)
    copy.set_weights(one.get_weights())
    np.testing.assert_array_equal(copy(*inputs), one(*inputs))


# A warm start finds weights by these names.
def test_weights_have_fixed_names(randomised):
    names = {w.path.split("/", 1)[1] for w in _decoder(randomised).weights}
    cells = {f"cell_{i}/{name}" for i in range(2) for name in ("kernel", "recurrent_kernel", "bias")}
    assert names == {*cells, "attention/kernel", "attentional/kernel"}


@pytest.mark.parametrize(
    ("options", "policy"), [*((options, "float32") for options in VARIANTS), (VARIANTS[0], "mixed_bfloat16")]
)
def test_step_equals_call(random, randomised, options, policy):
    batch, beam = 2, 3
    decoder, state = _decoder(randomised, dtype=policy, **options), _state(random, batch=batch)
    inputs, memory = random(batch, beam, T, E), random(batch, S, _width(options["score"]))

    def repeated(x):  # one sentence per hypothesis
        return np.repeat(x, beam, 0)

    expected = decoder(
        inputs.reshape(-1, T, E),
        repeated(memory),
        [[repeated(x) for x in layer] for layer in state],
        memory_mask=repeated(MASK[:batch]),
    )
    expected = np.asarray(expected, "float32").reshape(batch, beam, T, U)
    constants, caches = decoder.prepare(memory, beam, state)
    shapes = tf.nest.map_structure(lambda x: (tuple(x.shape), x.dtype), caches)
    assert {tuple(x.shape) for x in tf.nest.flatten(caches)} == {(batch, beam, U)}
    for t in range(T):
        states, caches = decoder.step(tf.constant(inputs[:, :, t]), t, constants, caches, MASK[:batch])
        assert tf.nest.map_structure(lambda x: (tuple(x.shape), x.dtype), caches) == shapes
        np.testing.assert_allclose(np.asarray(states, "float32"), expected[:, :, t], rtol=1e-4, atol=1e-5)


def test_a_memory_of_only_padding_is_finite(random, randomised):
    decoder, memory = _decoder(randomised), np.full((B, S, D), np.nan, "float32")
    with tf.GradientTape() as tape:
        outputs, weights = decoder(
            random(B, T, E), memory, memory_mask=np.zeros((B, S), bool), return_attention_scores=True
        )
        loss = tf.reduce_sum(outputs**2)
    assert np.isfinite(outputs).all()
    np.testing.assert_array_equal(weights, 0)
    assert all(np.isfinite(x).all() for x in tape.gradient(loss, [w.value for w in decoder.trainable_weights]))


def test_dropout_is_active_in_training_only(random, randomised):
    decoder, inputs, memory = _decoder(randomised, num_layers=1, dropout=0.5), random(20, T, E), random(20, S, D)
    plain, dropped = decoder(inputs, memory).numpy(), decoder(inputs, memory, training=True).numpy()
    np.testing.assert_array_equal(decoder(inputs, memory, training=False), plain)
    kept = dropped != 0  # with one LSTM, only the outputs are dropped, not the inputs of the next position
    assert 0.4 < kept.mean() < 0.6
    np.testing.assert_allclose(dropped[kept], 2 * plain[kept], rtol=1e-5)


def test_dropout_between_layers_is_the_same_at_all_positions(random, randomised):
    decoder = _decoder(randomised, input_feeding=False, dropout=0.5)
    inputs, memory = np.repeat(random(50, 1, E), T, 1), random(50, S, D)
    weights = [decoder(inputs, memory, training=True, return_attention_scores=True)[1].numpy() for _ in range(2)]
    assert not np.array_equal(*weights)
    # With a second LSTM that forgets its state, a position depends on its own input only.
    first, second = decoder.cells
    for cell in (first, second):
        cell.recurrent_kernel.assign(0 * cell.recurrent_kernel)
        cell.bias.assign(np.repeat([9.0, -99.0, 0.0, 9.0], U))
    weights = decoder(inputs, memory, training=True, return_attention_scores=True)[1].numpy()
    np.testing.assert_allclose(weights, np.repeat(weights[:, :1], T, 1), rtol=1e-5)


@pytest.mark.parametrize("num_layers", [1, 3])
def test_dropout_in_the_loop_follows_the_equations(random, randomised, num_layers):
    decoder = _decoder(randomised, num_layers, dropout=0.5, dropout_in_loop=True)
    inputs, memory, state = random(B, T, E), random(B, S, D), _state(random, num_layers)
    dropouts = [*decoder.layer_dropouts, decoder.output_dropout]
    seeds = [dropout.seed_generator.state.numpy() for dropout in dropouts]
    outputs, weights = decoder(inputs, memory, state, memory_mask=MASK, training=True, return_attention_scores=True)
    for dropout, seed in zip(dropouts, seeds, strict=True):
        dropout.seed_generator.state.assign(seed)
    factors = np.array([dropout(np.ones((B, T, U), "float32"), training=True) for dropout in dropouts])
    assert len(np.unique(factors.swapaxes(0, 2).reshape(T, -1), axis=0)) == T  # every position drops other units
    for b, length in enumerate(MASK.sum(1)):
        start = [[x[b] for x in layer] for layer in state]
        expected = _oracle(decoder, inputs[b], memory[b, :length], start, factors[:, b])
        np.testing.assert_allclose(outputs[b], expected[0], rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(weights[b, :, :length], expected[1], rtol=1e-4, atol=1e-5)
    plain = decoder(inputs, memory, state, memory_mask=MASK)
    decoder.dropout_in_loop = False
    np.testing.assert_allclose(plain, decoder(inputs, memory, state, memory_mask=MASK), rtol=1e-6, atol=1e-7)


def test_half_precision_leaves_the_recurrence_in_float32(random, randomised):
    decoder, half = _decoder(randomised), _decoder(randomised, dtype="mixed_float16")
    half.set_weights(decoder.get_weights())
    inputs, memory = random(B, T, E), random(B, S, D)
    expected = decoder(inputs, memory, memory_mask=MASK, return_attention_scores=True)
    # Half precision rounds only the inputs and outputs.
    rounded = tf.cast(inputs, half.compute_dtype), tf.cast(memory, half.compute_dtype)
    outputs, weights = half(*rounded, memory_mask=MASK, return_attention_scores=True)
    assert (outputs.dtype, weights.dtype) == (half.compute_dtype, "float32")
    again = decoder(*(tf.cast(x, "float32") for x in rounded), memory_mask=MASK, return_attention_scores=True)
    np.testing.assert_array_equal(outputs, tf.cast(again[0], half.compute_dtype))
    np.testing.assert_allclose(weights, expected[1], atol=0.1)
    _, caches = half.prepare(memory, 2)
    assert {x.dtype for x in tf.nest.flatten(caches)} == {tf.float32}
