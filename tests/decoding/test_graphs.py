"""Searches in graphs of TensorFlow, with and without XLA: they find what eager searches find, and are traced once."""

from __future__ import annotations

import itertools
from collections import Counter
from functools import partial

import keras
import numpy as np
import pytest
import tensorflow as tf
from table_decoder import TableDecoder, assert_equal, beam_search, find, greedy_search, hypotheses, sampling_search

from keras_nmt import decoding
from keras_nmt.decoding import (
    BiasedPrefix,
    NoRepeatNGram,
    RepetitionPenalty,
    SuppressSequences,
    shift_right,
    token_log_probabilities,
)
from keras_nmt.ids import EOS, PAD
from keras_nmt.models import Transformer

graph = partial(tf.function, autograph=False)
xla = partial(graph, jit_compile=True)
SLOW = pytest.mark.slow
LIMITS = {"max_length": 12, "max_lengths": [12, 1, 3, 50, 0, 12]}
EVERYTHING = {  # of a beam search for two sentences
    "max_lengths": [8, 6],
    "prefix": tf.constant([[5, PAD], [PAD, PAD]]),
    "beam_sizes": tf.constant([3, 2]),
    "constraints": tf.constant([[[[7, 8], [9, PAD]]], [[[PAD, PAD]] * 2]]),
    "processors": [
        NoRepeatNGram(2),
        SuppressSequences([[4, 5], [6]]),
        RepetitionPenalty(1.5),
        BiasedPrefix(tf.constant([[5, 11], [10, 11]]), 0.6),
    ],
}
MASKED = {"processors": [NoRepeatNGram(1), SuppressSequences([[4, 5]])]}
CASES = {
    "everything": (beam_search, {}, {**EVERYTHING}),
    "limits": (beam_search, {"end_bias": 4.0}, {"sentences": range(6), **LIMITS}),
    "two stages": (beam_search, {"vocabulary_size": 2000, "scale": 3.0}, {"beam_size": 4}),
    "masked": (beam_search, {"vocabulary_size": 9}, MASKED),
    "greedy": (greedy_search, {"vocabulary_size": 600, "end_bias": 3.0}, {"sentences": range(6), **LIMITS}),
    "greedy with processors": (greedy_search, {}, {"processors": EVERYTHING["processors"]}),
    "samples": (sampling_search, {}, {"num_samples": 2, **MASKED}),
    "top p": (sampling_search, {"vocabulary_size": 700}, {"temperature": 0.3, "top_p": 0.9}),
    "top k": (sampling_search, {"vocabulary_size": 700}, {"temperature": 2.0, "top_k": 5, "top_p": 0.6}),
}
DAILY = [("everything", graph), ("top k", graph)]


@pytest.mark.parametrize(
    ("name", "compiled"),
    [
        pytest.param(name, compiled, id=f"{name}-{mode}", marks=[SLOW] * ((name, compiled) not in DAILY))
        for name, (mode, compiled) in itertools.product(CASES, {"graph": graph, "xla": xla}.items())
    ],
)
def test_equals_the_eager_search(name, compiled):
    search, sizes, options = CASES[name]
    decoder = TableDecoder(seed=8, **sizes)
    assert_equal(find(search, decoder, **options, compiled=compiled), find(search, decoder, **options))


@pytest.mark.parametrize(("compiled", "size"), [(graph, 16), pytest.param(xla, 2000, marks=SLOW)], ids=["graph", "xla"])
def test_ties_and_minus_infinity_are_as_in_an_eager_search(compiled, size):
    decoder = TableDecoder(size, seed=2)
    decoder.table = np.floor(decoder.table).clip(0, 2)
    decoder.table[:, 10:12] = -np.inf
    results = [find(beam_search, decoder, length_penalty=0.0, compiled=each) for each in (compiled, None)]
    np.testing.assert_array_equal(results[0].tokens, results[1].tokens)
    assert not np.isnan(results[0].scores).any()


@pytest.mark.parametrize("search", [beam_search, pytest.param(greedy_search, marks=SLOW)])
def test_is_traced_once_for_the_same_shapes(search):
    decoder, traces = TableDecoder(vocabulary_size=8), []
    size, more = (2, {"beam_size": 2}) if search is beam_search else (1, {})

    @graph
    def run(constants, caches, max_lengths):
        traces.append(1)
        options = {"batch_size": 2, "max_length": 5, "max_lengths": max_lengths, **more}
        return search(decoder.step, constants, caches, **options)

    for limits in ([5, 5], [2, 3], [1, 1]):
        result = run(*decoder.start([0, limits[0]], size, 5), tf.constant(limits))
        assert result.tokens.shape == (2, size, 5)
    assert len(traces) == 1


@pytest.mark.parametrize("beam_size", [3, pytest.param(1, marks=SLOW)])
def test_batch_and_length_of_unknown_size_also_in_a_batch_that_shrinks(beam_size):
    decoder = TableDecoder()
    shapes = [[None], [None, beam_size], [None, beam_size, None]]

    @graph(input_signature=[tf.TensorSpec(shape, "int32") for shape in shapes])
    def run(sentence, state, prefix):
        model = decoder.step, {"sentence": sentence}, {"hash": state, "prefix": [prefix]}
        options = {"batch_size": tf.shape(sentence)[0], "max_length": tf.shape(prefix)[2]}
        found = [beam_search(*model, beam_size=beam_size, drop_finished=drop, **options) for drop in (False, True)]
        return [*found, greedy_search(*model, **options)] if beam_size == 1 else found

    for sentences, max_length in (([0], 5), ([2, 1, 0], 8)):
        constants, caches = decoder.start(sentences, beam_size, max_length)
        expected = find(beam_search, decoder, sentences, beam_size=beam_size, max_length=max_length)
        for found in run(constants["sentence"], caches["hash"], *caches["prefix"]):
            assert_equal(found, expected)


@SLOW
@pytest.mark.parametrize("search", [decoding.beam_search, decoding.greedy_search, decoding.sampling_search])
def test_empty_lists_add_no_operations(search):
    decoder = TableDecoder(7)

    def counts(**more) -> tuple[Counter, int]:
        """The operations of the graph, and how many XLA makes of them."""
        seeds = {"seeds": [1, 2]} if search is decoding.sampling_search else {}
        size = {"beam_size": 3} if search is decoding.beam_search else {}
        constants, caches = decoder.start([0, 1], size.get("beam_size", 1), 9)
        options = {"batch_size": 2, "max_length": 9, **seeds, **size, **more}
        function = xla(lambda: search(decoder.step, constants, caches, **options))
        nodes = function.get_concrete_function().graph.as_graph_def()
        nodes = itertools.chain(nodes.node, *(called.node_def for called in nodes.library.function))
        return Counter(node.op for node in nodes), function.experimental_get_compiler_ir()().count(" = ")

    plain = counts()
    assert counts(processors=[]) == plain
    if search is decoding.beam_search:
        assert counts(processors=[], constraints=None) == plain
        assert counts(constraints=tf.fill([2, 1, 1, 1], PAD))[0].total() > plain[0].total()
    found = counts(processors=[SuppressSequences([])])
    assert found[0].total() > plain[0].total()
    assert found[1] > plain[1], "the test counts something"


@SLOW
@pytest.mark.parametrize("compiled", [graph, xla], ids=["graph", "xla"])
def test_constraints_share_a_large_beam_too(compiled):
    """It has 32,896 continuations, whose number times itself needs more than 31 bits."""
    decoder = TableDecoder(300, seed=1)
    options = {"beam_size": 128, "max_length": 3, "constraints": tf.constant([[[[7, 8]]]])}
    found = hypotheses(find(beam_search, decoder, [0], compiled=compiled, **options), 0)
    assert found[0].tokens == [7, 8, EOS]
    assert found[0].log_probability == pytest.approx(decoder.score_tokens(0, found[0].tokens), abs=1e-4)


@pytest.mark.parametrize(
    ("compiled", "grows", "options"),
    [
        pytest.param(graph, True, {}, id="graph", marks=SLOW),
        pytest.param(xla, False, {}, id="xla", marks=SLOW),
        pytest.param(None, False, {"decoder_self_attention": "ssru"}, id="ssru"),
    ],
)
def test_reordered_hypotheses_of_a_model_keep_their_past(compiled, grows, options):
    keras.utils.set_random_seed(1)
    sizes = {"num_encoder_layers": 1, "num_decoder_layers": 1, "hidden_dim": 8, "num_heads": 2, "intermediate_dim": 8}
    model = Transformer(20, **sizes, **options)
    for weight in model.trainable_variables:  # attention that depends on the past
        weight.assign(2 * weight)
    source = tf.constant(np.random.default_rng(1).integers(4, 20, (3, 5)), "int32")

    def search(source):
        constants, caches = model.prepare(model.encoder(source), 4, None if grows else 8)
        options = {"batch_size": 3, "beam_size": 4, "max_length": 8, "drop_finished": grows}
        return decoding.beam_search(model.decoder_step, constants, caches, **options)

    result = (compiled(search) if compiled else search)(source)
    for place in range(4):
        tokens = result.tokens[:, place]
        logits = model([source, shift_right(tokens)])
        expected = np.sum(token_log_probabilities(logits, tokens), axis=1)
        np.testing.assert_allclose(result.log_probabilities[:, place], expected, rtol=1e-4, atol=1e-4)
    assert len(np.unique(np.concatenate(result.tokens)[:, :2], axis=0)) > 3  # from several hypotheses
