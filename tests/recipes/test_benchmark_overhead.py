"""The benchmark of overheads: counted operations, turns of measurements."""

import keras
import pytest
import tensorflow as tf
from scripts import load_script

from keras_nmt.models import Transformer

pytestmark = pytest.mark.nightly
SCRIPT = "benchmarks/overhead.py"
D, VOCABULARY = 8, 11  # sizes of the counted model, of one layer
SIZES = {"num_encoder_layers": 1, "num_decoder_layers": 1, "hidden_dim": D, "intermediate_dim": 2 * D}


@pytest.fixture(scope="module")
def counter():
    return load_script("benchmarks/multiply_adds.py")


def graph(function, *shapes):
    return tf.function(function, autograph=False).get_concrete_function(*map(tf.TensorSpec, shapes)).graph


def gradients_of_a_convolution(x, y):
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = tf.reduce_sum(tf.nn.conv1d(x, y, 1, "SAME") ** 2)
    return tape.gradient(z, [x, y])


@pytest.mark.parametrize(
    ("function", "shapes", "expected"),
    [
        (lambda x, y: tf.matmul(x, y, transpose_b=True), ([7, 2, 3], [7, 5, 3]), 7 * 2 * 3 * 5),
        (lambda x, y: tf.matmul(x, y, transpose_a=True), ([7, 1, 3, 2], [1, 4, 3, 5]), 7 * 4 * 2 * 3 * 5),
        (lambda x, y: tf.einsum("nck,ckd->nd", x, y), ([2, 3, 5], [3, 5, 7]), 2 * 3 * 5 * 7),
        (lambda x, y: tf.einsum("n,k->nk", x, y), ([2], [3]), 0),  # no additions
        (lambda x, y: (x @ y, tf.nn.softmax(x * x))[1], ([2, 3], [3, 5]), 0),  # the product is not needed
        (lambda x: tf.function(lambda y: y @ y)(x) @ x, ([3, 3],), 2 * 27),
        (gradients_of_a_convolution, ([2, 5, 3], [7, 3, 4]), 3 * 2 * 5 * 7 * 3 * 4),
    ],
)
def test_counts_the_multiply_adds_of_products(counter, function, shapes, expected):
    assert counter.multiply_adds(graph(function, *shapes)) == expected


def test_counts_the_body_of_a_loop_as_often_as_it_runs(counter):
    def loop(x, most=None):
        return tf.while_loop(lambda y: tf.reduce_sum(y) < 9, lambda y: (y @ y,), (x,), maximum_iterations=most)

    assert counter.multiply_adds(graph(lambda x: loop(x, 4), [3, 3])) == 4 * 27
    assert counter.multiply_adds(graph(loop, [3, 3]), trips=6) == 6 * 27
    with pytest.raises(ValueError, match="How often a loop runs is not known. Received: while"):
        counter.multiply_adds(graph(loop, [3, 3]))

    layer = keras.layers.LSTM(4, use_cudnn=False)
    layer.build((2, 5, 3))
    assert counter.multiply_adds(graph(layer, [2, 5, 3])) == 5 * 2 * 16 * (3 + 4)


@pytest.fixture(scope="module")
def works(script):
    sizes = script.Sizes(batch=2, length=5, sentences=3, steps=4, beam=2)
    common = {"source_vocabulary_size": VOCABULARY, "num_heads": 2, **SIZES}
    return {
        name: script.Work(Transformer(**common, **script.MECHANISMS[name].arguments), sizes)
        for name in ("plain", "ni_heads")
    }


def test_counts_the_transformer(works):
    # A layer: attention 4 d^2 a position, of which cross-attention projects 2 d^2 from the source; feed-forward 4 d^2.
    # Scores and sums: 2 d for each pair of positions; in search, for the positions of all hypotheses of a sentence.
    def encoder(rows):
        return rows * 5 * (8 * D**2 + 2 * 5 * D)

    def decoder(rows, steps, positions):
        of_a_step = (4 + 2 + 4) * D**2 + 2 * D * (positions + 5) + D * VOCABULARY
        return rows * steps * of_a_step

    forward = encoder(2) + 2 * 5 * 2 * D**2 + decoder(2, 5, 5)
    assert works["plain"].operations["training"] == 3 * forward
    flops = load_script("benchmarks/training.py").training_flops
    assert flops(SIZES, VOCABULARY, rows=2, source=5, target=5) == 2 * 3 * forward
    assert works["plain"].operations["decoding"] == encoder(3) + 3 * 5 * 2 * D**2 + decoder(3 * 2, 4, 4 * 2)


def test_counts_the_operations_that_a_mechanism_adds(works):
    plain, heads = works["plain"].operations, works["ni_heads"].operations
    sites = {"training": 2 * 5 * 3, "decoding": 3 * 5 + 3 * 2 * 4 * 2}  # positions times attentions
    assert heads["training"] - plain["training"] == 3 * sites["training"] * 3 * D**2
    assert heads["decoding"] - plain["decoding"] == sites["decoding"] * 3 * D**2


class FakeWork:
    """Work with its own clock, on a machine that becomes slower and slower."""

    now, calls = 0.0, []

    def __init__(self, model, sizes):
        self.speed = 2.0 if model is None or not model["arguments"] else 1.0
        self.operations = {"training": 300 / self.speed, "decoding": 600 / self.speed}

    def measure(self, what, clock=None):
        type(self).calls.append((self.speed, what, clock is not None))
        return (100 + len(self.calls)) / self.speed


def test_plain_and_variant_take_turns(script):
    FakeWork.calls = []
    plain, variant = FakeWork(None, None), FakeWork({"arguments": {"roles": "dense"}}, None)
    ratios = script.compare(plain, variant, 3, lambda: 0.0)
    # Each measurement is compared with the mean of its neighbours, so an even slow-down has no effect.
    assert ratios == {"training": (0.5, 0.5), "decoding": (0.5, 0.5)}
    measured = [speed for speed, what, is_measured in FakeWork.calls if is_measured and what == "training"]
    assert measured == [2, 1, 2, 1, 2, 1, 2]
