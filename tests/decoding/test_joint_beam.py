"""Beam search with `ranking="score"`; against TensorFlow Addons itself in tests/oracles."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from keras import ops
from table_decoder import TableDecoder, assert_equal, assert_same, beam_search, hypotheses

from keras_nmt.decoding import SearchResult
from keras_nmt.ids import BEGIN, END, PAD


def search(decoder: TableDecoder, sentences: list[int], compiled=lambda f: f, **options) -> SearchResult:
    constants, caches = decoder.start(sentences, options["beam_size"], options["max_length"])

    def run(constants, caches):
        return beam_search(decoder.step, constants, caches, batch_size=len(sentences), ranking="score", **options)

    return compiled(run)(constants, caches)


@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    beam_size=st.integers(1, 6),
    max_length=st.integers(1, 9),
    alpha=st.sampled_from([-1.5, 0.0, 0.6, 1.0, 3.0]),
    end_bias=st.sampled_from([-3.0, 0.0, 2.0]),
    vocabulary_size=st.sampled_from([5, 7, 40]),
    min_length=st.integers(0, 4),
)
def test_equals_a_search_over_lists(seed, beam_size, max_length, alpha, end_bias, vocabulary_size, min_length):
    decoder = TableDecoder(vocabulary_size, seed, end_bias=end_bias)
    expected, trace = decoder.joint_beam(4, beam_size, max_length, alpha, min_length)
    options = {"beam_size": beam_size, "max_length": max_length, "length_penalty": alpha, "min_length": min_length}
    result = search(decoder, [4], **options)
    assert_same([hypothesis for hypothesis in hypotheses(result, 0) if hypothesis.tokens], expected)
    assert len(decoder.steps) == len(trace), "stops when all are finished"
    fewer = search(decoder, [4], **options, num_hypotheses=1)
    assert_same(hypotheses(fewer, 0), expected[:1])


# The second vocabulary takes its candidates in two stages.
@pytest.mark.parametrize(("compiled", "vocabulary_size"), [("graph", 7), ("xla", 2000)], indirect=["compiled"])
def test_results_are_equal_in_every_mode(compiled, vocabulary_size):
    decoder = TableDecoder(vocabulary_size, seed=5, scale=3.0, end_bias=1.0)
    options = {"beam_size": 4, "max_length": 12, "max_lengths": [12, 3, 0, 12], "length_penalty": 0.8}
    result = search(decoder, [0, 1, 2, 3], compiled, **options)
    eager = search(decoder, [0, 1, 2, 3], **options)
    for sentence, limit in enumerate([12, 3, 0, 12]):
        assert_same(hypotheses(result, sentence), hypotheses(eager, sentence), tolerance=1e-5)
        if limit:
            assert_same(hypotheses(result, sentence), decoder.joint_beam(sentence, 4, limit, 0.8)[0])
    assert [hypothesis.tokens for hypothesis in hypotheses(result, 2)] == [[]] * 4


def test_a_finished_hypothesis_takes_the_entry_of_an_open_one():
    # Ranked by log-probability, 4 4 4 .. continues beside the finished [END]; here both entries finish in step two.
    probabilities = np.log([1e-9, 1e-9, 1e-9, 0.5, 0.4, 0.1]).astype("float32")

    def step(tokens, position, constants, caches):
        return ops.broadcast_to(probabilities, (1, 2, 6)), caches

    options = {"batch_size": 1, "beam_size": 2, "max_length": 9, "length_penalty": 0.0, "min_length": 0}
    result = beam_search(step, {}, {}, ranking="score", **options)
    found = hypotheses(result, 0)
    assert [hypothesis.tokens for hypothesis in found] == [[END], [4, END]]
    np.testing.assert_allclose([hypothesis.log_probability for hypothesis in found], np.log([0.5, 0.2]), rtol=1e-5)


def test_end_counts_in_the_result_but_not_in_the_step_that_gives_it():
    # After token 4, END is more probable, but the other continuation is one token longer, which counts with alpha 1.
    steps = [np.log([1e-9, 1e-9, 1e-9, 1e-9, 1.0]), np.log([1e-9, 1e-9, 1e-9, 0.55, 0.45])]
    steps += [np.log([1e-9, 1e-9, 1e-9, 1.0, 1e-9])]

    def step(tokens, position, constants, caches):
        logits = ops.take(np.array(steps, "float32"), ops.minimum(position, 2), axis=0)
        return ops.broadcast_to(logits, (1, 1, 5)), caches

    def best(alpha):
        options = {"batch_size": 1, "beam_size": 1, "max_length": 9, "length_penalty": alpha}
        return hypotheses(beam_search(step, {}, {}, ranking="score", **options), 0)[0]

    assert best(0.0).tokens == [4, END]
    assert best(1.0).tokens == [4, END]  # log 0.55 / (6/6) > log 0.45 / (7/6)
    assert best(3.0).tokens == [4, 4, END]  # log 0.55 / (6/6)^3 < log 0.45 / (7/6)^3
    assert best(3.0).score == pytest.approx(np.log(0.45) / (8 / 6) ** 3, rel=1e-5)


def test_caches_follow_their_hypotheses():
    decoder = TableDecoder(vocabulary_size=9, seed=11, end_bias=-2.0)
    search(decoder, [0, 6], beam_size=3, max_length=8)
    moved = 0
    for row, sentence in enumerate([0, 6]):
        _, trace = decoder.joint_beam(sentence, beam_size=3, max_length=8, alpha=0.6)
        for (tokens, prefixes), expected in list(zip(decoder.steps, trace, strict=False))[1:]:
            for place, prefix in enumerate(expected):
                if END not in prefix:
                    assert prefixes[row, place].tolist() == [BEGIN, *prefix]
                    assert tokens[row, place] == prefix[-1]
        moved += sum([prefix[:-1] for prefix in after] != before for before, after in pairwise(trace))
    assert moved > 4, "nothing was reordered, so nothing was tested"


@settings(max_examples=8, deadline=None)
@given(
    others=st.lists(st.tuples(st.integers(10, 40), st.integers(0, 12)), min_size=1, max_size=4),
    place=st.integers(0, 4),
    limit=st.integers(1, 12),
)
def test_other_sentences_of_the_batch_change_nothing(others, place, limit):
    decoder = TableDecoder(vocabulary_size=8, seed=1, end_bias=-0.5)
    options = {"beam_size": 3, "max_length": 12}
    alone = search(decoder, [3], max_lengths=[limit], **options)
    place = min(place, len(others))
    others.insert(place, (3, limit))
    batch = search(decoder, [s for s, _ in others], max_lengths=[n for _, n in others], **options)
    assert_equal(SearchResult(*(x[0] for x in alone)), SearchResult(*(x[place] for x in batch)))


def test_unfinished_hypotheses_come_last():
    decoder = TableDecoder(vocabulary_size=8, seed=3, end_bias=0.5)
    mixed = 0
    for sentence in range(20):
        found = hypotheses(search(decoder, [sentence], beam_size=4, max_length=3), 0)
        assert found == sorted(found, key=lambda hypothesis: (not hypothesis.finished, -hypothesis.score))
        mixed += found != sorted(found, key=lambda hypothesis: -hypothesis.score)
    assert mixed > 4, "the order by score alone was right each time, so nothing was tested"


def test_suppressed_tokens_are_never_generated():
    decoder = TableDecoder(vocabulary_size=9, seed=9)
    result = search(decoder, [0, 1], beam_size=3, max_length=6, suppress=(PAD, BEGIN, 1, 5, END))
    assert set(np.unique(result.tokens)) == {4, 6, 7, 8}
    assert not result.finished.numpy().any()
    assert (result.lengths.numpy() == 6).all()


def test_fewer_hypotheses_than_requested():
    decoder = TableDecoder(vocabulary_size=5, seed=1)
    options = {"length_penalty": 0.0, "suppress": (PAD, 1, BEGIN), "min_length": 0}
    result = search(decoder, [0], beam_size=6, max_length=2, **options)
    found = hypotheses(result, 0)
    assert sorted(hypothesis.tokens for hypothesis in found) == [[], [], [], [3], [4, 3], [4, 4]]
    assert [hypothesis.tokens for hypothesis in found[2:]] == [[4, 4], [], [], []]
    assert [hypothesis.score for hypothesis in found[3:]] == [-1e9] * 3


def test_batch_and_length_of_unknown_size_without_xla():
    decoder = TableDecoder(vocabulary_size=8)

    @tf.function(
        input_signature=[
            tf.TensorSpec([None], "int32"),
            tf.TensorSpec([None, 2], "int32"),
            tf.TensorSpec([None, 2, None], "int32"),
        ]
    )
    def run(sentence, state, prefix):
        caches = {"hash": state, "prefix": [prefix]}
        options = {"batch_size": tf.shape(sentence)[0], "max_length": tf.shape(prefix)[2], "ranking": "score"}
        return beam_search(decoder.step, {"sentence": sentence}, caches, beam_size=2, **options)

    for sentences, max_length in (([0], 5), ([2, 1, 0], 8)):
        constants, caches = decoder.start(sentences, 2, max_length)
        result = run(constants["sentence"], caches["hash"], *caches["prefix"])
        expected = search(decoder, sentences, beam_size=2, max_length=max_length)
        np.testing.assert_array_equal(result.tokens, expected.tokens)


def test_an_unknown_ranking():
    with pytest.raises(ValueError, match="'log_probability', 'score'.* Received: ranking='length'"):
        beam_search(lambda *_: None, {}, {}, batch_size=1, beam_size=2, max_length=3, ranking="length")


def test_among_equal_scores_finished_hypotheses_come_first():
    options = {"beam_size": 2, "max_length": 3, "length_penalty": 0.0, "ranking": "score", "min_length": 0}
    options["batch_size"] = 1
    result = beam_search(lambda tokens, position, constants, caches: (ops.zeros((1, 2, 6)), caches), {}, {}, **options)
    assert [hypothesis.tokens for hypothesis in hypotheses(result, 0)] == [[END], [1, END]]
