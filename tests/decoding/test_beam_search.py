"""Beam search against exhaustive search and a search over lists; caches, batches, limits, early stop and options."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from keras import ops
from table_decoder import TableDecoder, assert_equal, assert_same, beam_search, greedy_search, hypotheses, penalty

from keras_nmt.decoding import SearchResult
from keras_nmt.ids import BOS, EOS, PAD


def search(decoder: TableDecoder, sentences: list[int], compiled=lambda f: f, **options) -> SearchResult:
    constants, caches = decoder.start(sentences, options["beam_size"], options["max_length"])

    def run(constants, caches):
        return beam_search(decoder.step, constants, caches, batch_size=len(sentences), **options)

    return compiled(run)(constants, caches)


def fixed_step(probabilities: dict[int, float], vocabulary_size: int = 6):
    """A step that gives the same distribution after every prefix, and the list of its calls."""
    logits = np.full(vocabulary_size, -30.0, "float32")
    for token, probability in probabilities.items():
        logits[token] = np.log(probability)
    calls: list[int] = []

    def step(tokens, position, constants, caches):
        calls.append(int(position))
        return ops.broadcast_to(logits, (*tokens.shape, vocabulary_size)), caches

    step.calls = calls
    return step, calls


# --- results ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [-1.0, 0.0, 0.6, 2.5])
@pytest.mark.parametrize("beam_size", [27, 40])  # the longest open prefixes; all open prefixes
@pytest.mark.parametrize("min_length", [0, 1, 3])
def test_a_beam_of_all_prefixes_equals_exhaustive_search(alpha, beam_size, min_length):
    decoder = TableDecoder(vocabulary_size=6, seed=3)
    options = {"beam_size": beam_size, "max_length": 4, "length_penalty": alpha}
    result = search(decoder, [0, 1], min_length=min_length, **options)
    for sentence in (0, 1):
        expected = decoder.every_hypothesis(sentence, 4, alpha, min_length)
        found = hypotheses(result, sentence)[: len(expected)]
        assert_same(found, expected[:beam_size])


@settings(max_examples=20, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    beam_size=st.integers(1, 5),
    max_length=st.integers(1, 9),
    alpha=st.sampled_from([-0.7, 0.0, 0.6, 1.0, 3.0]),
    end_bias=st.sampled_from([-3.0, 0.0, 2.0]),
    vocabulary_size=st.sampled_from([5, 7, 40]),
    min_length=st.integers(0, 4),
)
def test_equals_a_search_over_lists_without_early_stop(
    seed, beam_size, max_length, alpha, end_bias, vocabulary_size, min_length
):
    decoder = TableDecoder(vocabulary_size, seed, end_bias=end_bias)
    for count in {1, beam_size}:
        options = {"beam_size": beam_size, "max_length": max_length, "length_penalty": alpha, "num_hypotheses": count}
        result = search(decoder, [4], min_length=min_length, **options)
        expected, _ = decoder.beam(4, beam_size, max_length, alpha, min_length)
        found = [hypothesis for hypothesis in hypotheses(result, 0) if hypothesis.tokens]
        assert_same(found, expected[:count])


@settings(max_examples=12, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    sizes=st.lists(st.integers(1, 5), min_size=2, max_size=3),
    max_length=st.integers(1, 6),
    alpha=st.sampled_from([-0.7, 0.0, 0.6, 3.0]),
    end_bias=st.sampled_from([-3.0, 0.0, 2.0]),
    vocabulary_size=st.sampled_from([5, 7, 40]),
    count=st.integers(1, 5),
    has_prefix=st.booleans(),
)
def test_a_sentence_with_a_beam_size_of_its_own_equals_a_search_with_this_beam_size(
    seed, sizes, max_length, alpha, end_bias, vocabulary_size, count, has_prefix
):
    decoder = TableDecoder(vocabulary_size, seed, end_bias=end_bias)
    sentences = list(range(len(sizes)))
    options = {"max_length": max_length, "length_penalty": alpha}
    prefix = tf.constant([[4, 0]] * (len(sizes) - 1) + [[0, 0]]) if has_prefix else None
    beams = tf.constant(sizes)
    found = search(decoder, sentences, beam_size=5, num_hypotheses=count, beam_sizes=beams, prefix=prefix, **options)
    for sentence, size in enumerate(sizes):
        one = None if prefix is None else prefix[sentence : sentence + 1]
        expected = search(decoder, [sentence], beam_size=size, num_hypotheses=min(size, count), prefix=one, **options)
        assert_same(hypotheses(found, sentence)[:size], hypotheses(expected, 0))
        assert not any(hypothesis.tokens for hypothesis in hypotheses(found, sentence)[size:])


# The second vocabulary takes its candidates in two stages.
@pytest.mark.parametrize(("compiled", "vocabulary_size"), [("graph", 7), ("xla", 2000)], indirect=["compiled"])
def test_scores_equal_teacher_forcing(compiled, vocabulary_size):
    decoder = TableDecoder(vocabulary_size, seed=5, scale=3.0)
    result = search(decoder, [0, 1, 2], compiled, beam_size=4, max_length=12, length_penalty=0.8)
    for sentence in range(3):
        found = hypotheses(result, sentence)
        assert len({tuple(hypothesis.tokens) for hypothesis in found}) == 4
        for hypothesis in found:
            expected = decoder.score_tokens(sentence, hypothesis.tokens)
            assert hypothesis.log_probability == pytest.approx(expected, abs=1e-4)
            assert hypothesis.score == pytest.approx(expected / penalty(len(hypothesis.tokens), 0.8), abs=1e-4)


def test_results_are_equal_with_and_without_xla():
    decoder = TableDecoder(vocabulary_size=300, seed=8, end_bias=4.0)
    sentences = list(range(8))
    options = {"beam_size": 5, "max_length": 12, "max_lengths": [12, 1, 3, 50, 0, 12, 12, 12]}
    eager = search(decoder, sentences, **options)
    for compiled in (tf.function, partial(tf.function, jit_compile=True, autograph=False)):
        result = search(decoder, sentences, compiled, **options)
        for sentence in sentences:
            assert_same(hypotheses(result, sentence), hypotheses(eager, sentence), tolerance=1e-5)


@pytest.mark.parametrize(
    ("compiled", "vocabulary_size", "levels"),
    [("graph", 7, 1), ("graph", 7, 3), ("graph", 2000, 3), ("xla", 2000, 3)],
    indirect=["compiled"],
)
def test_ties_are_resolved_alike_in_every_mode(compiled, vocabulary_size, levels):
    decoder = TableDecoder(vocabulary_size, seed=2)
    decoder.table = np.floor(decoder.table).clip(0, levels - 1)
    result = search(decoder, [0, 1], compiled, beam_size=4, max_length=6, length_penalty=0.0)
    eager = search(decoder, [0, 1], beam_size=4, max_length=6, length_penalty=0.0)
    np.testing.assert_array_equal(result.tokens, eager.tokens)
    if levels == 1:  # all logits are equal: the lowest allowed id
        assert hypotheses(result, 0)[0].tokens == [1, EOS]


# --- caches ----------------------------------------------------------------------------------------------------------


def test_caches_follow_their_hypotheses():
    decoder = TableDecoder(vocabulary_size=9, seed=11, end_bias=-2.0)
    search(decoder, [0, 6], beam_size=3, max_length=8)
    moved = 0
    for row, sentence in enumerate([0, 6]):
        _, trace = decoder.beam(sentence, beam_size=3, max_length=8, alpha=0.6)
        for (tokens, prefixes), expected in list(zip(decoder.steps, trace, strict=False))[1:]:
            assert prefixes[row, : len(expected)].tolist() == [[BOS, *prefix] for prefix in expected]
            assert tokens[row, : len(expected)].tolist() == [prefix[-1] for prefix in expected]
        moved += sum([prefix[:-1] for prefix in after] != before for before, after in pairwise(trace))
    assert moved > 4, "nothing was reordered, so nothing was tested"


def test_caches_of_any_structure_shape_and_dtype_are_reordered_and_constants_are_not():
    decoder = TableDecoder(vocabulary_size=9, seed=11, end_bias=-2.0)
    constants, caches = decoder.start([5, 1], beam_size=3, max_length=8)
    plain = beam_search(decoder.step, constants, caches, batch_size=2, beam_size=3, max_length=8)

    def step(tokens, position, constants, caches):
        (state, (wide, flags)) = caches
        expected = ops.cast(state["hash"], "float16")
        agreed = ops.all(wide == expected[:, :, None, None]) & ops.all(flags == (state["hash"] % 2 == 0))
        logits, state = decoder.step(tokens, position, constants, state)
        filled = ops.broadcast_to(ops.cast(state["hash"], "float16")[:, :, None, None], wide.shape)
        return ops.where(agreed, logits, 0.0), (state, (filled, state["hash"] % 2 == 0))

    caches = (caches, (ops.zeros((2, 3, 2, 4), dtype="float16"), ops.ones((2, 3), dtype="bool")))
    result = beam_search(step, constants, caches, batch_size=2, beam_size=3, max_length=8)
    np.testing.assert_array_equal(result.tokens, plain.tokens)
    np.testing.assert_array_equal(result.scores, plain.scores)


# --- batches ---------------------------------------------------------------------------------------------------------


@settings(max_examples=12, deadline=None)
@given(
    others=st.lists(st.tuples(st.integers(10, 40), st.integers(0, 12)), min_size=1, max_size=4),
    place=st.integers(0, 4),
    limit=st.integers(1, 12),
    count=st.integers(1, 3),
)
def test_other_sentences_of_the_batch_change_nothing(others, place, limit, count):
    decoder = TableDecoder(vocabulary_size=8, seed=1, end_bias=-0.5)
    options = {"beam_size": 3, "max_length": 12, "num_hypotheses": count}
    alone = search(decoder, [3], max_lengths=[limit], **options)
    place = min(place, len(others))
    others.insert(place, (3, limit))
    batch = search(decoder, [s for s, _ in others], max_lengths=[n for _, n in others], **options)
    assert_equal(SearchResult(*(x[0] for x in alone)), SearchResult(*(x[place] for x in batch)))


def test_an_unfinished_hypothesis_stays_as_it_was_at_its_limit():
    decoder = TableDecoder(vocabulary_size=300, seed=4, end_bias=-20.0)
    result = search(decoder, [0, 1], beam_size=3, max_length=7, max_lengths=[3, 7])
    for sentence, limit in enumerate([3, 7]):
        alone = search(decoder, [sentence], beam_size=3, max_length=7, max_lengths=[limit])
        assert_same(hypotheses(result, sentence), hypotheses(alone, 0), tolerance=0)
        assert [len(hypothesis.tokens) for hypothesis in hypotheses(result, sentence)] == [limit] * 3


def test_a_larger_static_length_changes_nothing():
    decoder = TableDecoder(vocabulary_size=8, seed=1)
    short = search(decoder, [0, 1], beam_size=3, max_length=6)
    long = search(decoder, [0, 1], beam_size=3, max_length=20, max_lengths=[6, 6])
    assert long.tokens.shape == (2, 3, 20)
    for sentence in (0, 1):
        assert_same(hypotheses(long, sentence), hypotheses(short, sentence), tolerance=0)


# --- limits ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("compiled", ["graph"], indirect=True)
def test_each_sentence_has_its_limit(compiled):
    decoder = TableDecoder(vocabulary_size=8, seed=1, end_bias=-1.0)
    limits = [1, 3, 50, 0, -7]
    result = search(decoder, [0, 1, 2, 3, 3], compiled, beam_size=2, max_length=9, max_lengths=limits)
    for sentence, limit in enumerate(limits[:3]):
        expected, _ = decoder.beam(sentence, 2, min(limit, 9), 0.6)
        assert_same(hypotheses(result, sentence), expected)
    for nothing in (hypotheses(result, 3), hypotheses(result, 4)):
        assert [hypothesis.tokens for hypothesis in nothing] == [[], []]
    assert np.isfinite(result.scores).all()


def test_unfinished_hypotheses_only_if_finished_ones_are_missing():
    decoder = TableDecoder(vocabulary_size=300, seed=4, end_bias=-20.0)
    result = search(decoder, [0], beam_size=3, max_length=5)
    found = hypotheses(result, 0)
    assert [hypothesis.finished for hypothesis in found] == [False] * 3
    assert [len(hypothesis.tokens) for hypothesis in found] == [5] * 3
    assert found == sorted(found, key=lambda hypothesis: -hypothesis.score)
    for hypothesis in found:
        assert hypothesis.log_probability == pytest.approx(decoder.score_tokens(0, hypothesis.tokens), abs=1e-4)


def test_of_equal_scores_the_earlier_finished_hypothesis_comes_first():
    even, end = fixed_step({EOS: 0.5, 4: 0.5})[0], fixed_step({EOS: 1.0})[0]

    def step(tokens, position, constants, caches):
        return (end if int(position) else even)(tokens, position, constants, caches)

    options = {"beam_size": 2, "max_length": 3, "length_penalty": 0.0, "min_length": 0}
    result = beam_search(step, {}, {}, batch_size=1, **options)
    assert float(result.scores[0, 0]) == float(result.scores[0, 1])
    assert [hypothesis.tokens for hypothesis in hypotheses(result, 0)] == [[EOS], [4, EOS]]


def test_a_finished_hypothesis_comes_before_a_likelier_unfinished_one():
    # The limit is one token. EOS is much less likely than token 4, but finishes the hypothesis.
    step, _ = fixed_step({4: 0.9, 5: 0.09, EOS: 0.01})
    result = beam_search(step, {}, {}, batch_size=1, beam_size=2, max_length=1, min_length=0)
    assert [(h.tokens, h.finished) for h in hypotheses(result, 0)] == [([EOS], True), ([4], False)]


def test_fewer_hypotheses_than_requested():
    step, _ = fixed_step({EOS: 0.5, 4: 0.5}, vocabulary_size=5)
    options = {"beam_size": 6, "max_length": 2, "suppress": (PAD, 1, BOS), "min_length": 0}
    result = beam_search(step, {}, {}, batch_size=1, **options)
    found = hypotheses(result, 0)
    assert [hypothesis.tokens for hypothesis in found] == [[EOS], [4, EOS], [4, 4], [], [], []]
    assert [hypothesis.score for hypothesis in found[3:]] == [-1e9] * 3


# --- early stop ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("alpha", "steps"),
    [
        (0.0, 1),  # EOS has 0.6, more than any continuation of the other 0.4
        (1.0, 2),  # log 0.4 over the penalty 2.5 of ten tokens could win; log 0.16 could not
        (-1.0, 1),
    ],
)
def test_stops_when_no_open_hypothesis_can_win(alpha, steps):
    step, calls = fixed_step({EOS: 0.6, 4: 0.4})
    options = {"batch_size": 2, "beam_size": 3, "max_length": 10, "num_hypotheses": 1, "min_length": 0}
    beam_search(step, {}, {}, length_penalty=alpha, **options)
    assert calls == list(range(steps))


def test_goes_on_until_the_whole_n_best_list_is_safe():
    step, calls = fixed_step({EOS: 0.6, 4: 0.4})
    options = {"beam_size": 3, "max_length": 10, "length_penalty": 0.0, "num_hypotheses": 3, "min_length": 0}
    result = beam_search(step, {}, {}, batch_size=1, **options)
    assert calls == [0, 1, 2]
    assert [hypothesis.tokens for hypothesis in hypotheses(result, 0)] == [[EOS], [4, EOS], [4, 4, EOS]]


def test_stops_without_open_hypotheses():
    step, calls = fixed_step({EOS: 0.5, 4: 0.5}, vocabulary_size=5)
    options = {"beam_size": 3, "max_length": 9, "suppress": (PAD, 1, BOS, 4), "min_length": 0}
    result = beam_search(step, {}, {}, batch_size=1, **options)
    assert [hypothesis.tokens for hypothesis in hypotheses(result, 0)] == [[EOS], [], []]
    assert calls == [0]


def test_the_longest_sentence_decides_when_the_search_stops():
    decoder = TableDecoder(vocabulary_size=8, seed=1)
    search(decoder, [0, 1, 2], beam_size=1, max_length=10, max_lengths=[2, 4, 3])
    assert len(decoder.steps) <= 4


def test_a_negative_penalty_does_not_stop_too_early():
    # First EOS is unlikely, then almost certain. With a negative alpha the *next* token is the best end.
    first, second = ({EOS: 0.3, 4: 0.7}, {EOS: 0.99, 4: 0.01})
    steps = [fixed_step(first)[0], fixed_step(second)[0]]

    def step(tokens, position, constants, caches):
        return steps[min(int(position), 1)](tokens, position, constants, caches)

    options = {"batch_size": 1, "beam_size": 2, "max_length": 50, "num_hypotheses": 1}
    result = beam_search(step, {}, {}, length_penalty=-1.0, **options)
    assert hypotheses(result, 0)[0].tokens == [4, EOS]


# --- tokens that are never generated ---------------------------------------------------------------------------------


def test_padding_and_begin_are_never_generated_and_keep_their_probability():
    decoder = TableDecoder(vocabulary_size=7, seed=9)
    decoder.table[:, [PAD, BOS]] += 5.0
    result = search(decoder, [0], beam_size=4, max_length=5)
    for hypothesis in hypotheses(result, 0):
        assert not {PAD, BOS} & set(hypothesis.tokens)
        assert hypothesis.log_probability == pytest.approx(decoder.score_tokens(0, hypothesis.tokens), abs=1e-4)


def test_suppressed_tokens_are_never_generated():
    decoder = TableDecoder(vocabulary_size=9, seed=9)
    result = search(decoder, [0, 1], beam_size=3, max_length=6, suppress=(PAD, BOS, 1, 5, EOS))
    assert set(np.unique(result.tokens)) == {4, 6, 7, 8}
    assert not result.finished.numpy().any()
    nothing = search(decoder, [0], beam_size=1, max_length=6, suppress=())
    assert nothing.tokens[0, 0, 0] == np.argmax(decoder.logits(0, []))


@pytest.mark.parametrize("constant", [-500.0, 500.0])  # exponentials would vanish, or overflow
@pytest.mark.parametrize("search_of", [partial(beam_search, beam_size=2), greedy_search])
def test_a_constant_added_to_all_logits_changes_nothing(constant, search_of):
    step, _ = fixed_step({EOS: 0.3, 4: 0.6, 5: 0.1})

    def shifted(*arguments):
        logits, caches = step(*arguments)
        return logits + constant, caches

    results = [search_of(each, {}, {}, batch_size=1, max_length=3) for each in (step, shifted)]
    found, expected = (hypotheses(result, 0) for result in reversed(results))
    assert [x.tokens for x in found] == [x.tokens for x in expected]
    np.testing.assert_allclose([x.score for x in found], [x.score for x in expected], atol=1e-3)


def test_minus_infinity_in_the_logits_is_harmless(compiled):
    decoder = TableDecoder(vocabulary_size=8, seed=9)
    decoder.table[:, 5:] = -np.inf
    result = search(decoder, [0, 1], compiled, beam_size=4, max_length=6)
    assert not np.isnan(result.scores).any()
    assert set(np.unique(result.tokens)) <= {PAD, 1, EOS, 4}


# --- execution -------------------------------------------------------------------------------------------------------


def test_is_traced_once_for_the_same_shapes():
    decoder, traces = TableDecoder(vocabulary_size=8), []

    @tf.function
    def run(constants, caches, max_lengths):
        traces.append(1)
        options = {"batch_size": 2, "beam_size": 2, "max_length": 5}
        return beam_search(decoder.step, constants, caches, max_lengths=max_lengths, **options)

    for limits in ([5, 5], [2, 3], [1, 1]):
        result = run(*decoder.start([0, limits[0]], 2, 5), tf.constant(limits))
        assert result.tokens.shape == (2, 2, 5)
    assert len(traces) == 1


@pytest.mark.parametrize("beam_size", [1, 2])
def test_batch_and_length_of_unknown_size_without_xla(beam_size):
    decoder = TableDecoder(vocabulary_size=8)

    @tf.function(
        input_signature=[
            tf.TensorSpec([None], "int32"),
            tf.TensorSpec([None, beam_size], "int32"),
            tf.TensorSpec([None, beam_size, None], "int32"),
        ]
    )
    def run(sentence, state, prefix):
        caches = {"hash": state, "prefix": [prefix]}
        options = {"batch_size": tf.shape(sentence)[0], "max_length": tf.shape(prefix)[2]}
        beam = beam_search(decoder.step, {"sentence": sentence}, caches, beam_size=beam_size, **options)
        if beam_size > 1:
            return beam
        greedy = greedy_search(decoder.step, {"sentence": sentence}, caches, **options)
        tf.debugging.assert_equal(greedy.tokens, beam.tokens)
        return greedy

    for sentences, max_length in (([0], 5), ([2, 1, 0], 8)):
        constants, caches = decoder.start(sentences, beam_size, max_length)
        result = run(constants["sentence"], caches["hash"], *caches["prefix"])
        expected = search(decoder, sentences, beam_size=beam_size, max_length=max_length)
        np.testing.assert_array_equal(result.tokens, expected.tokens)


def test_half_precision_logits_give_float32_scores():
    decoder = TableDecoder(vocabulary_size=8)
    decoder.table = decoder.table.astype("float16")
    result = search(decoder, [0], beam_size=2, max_length=5)
    assert result.scores.dtype == result.log_probabilities.dtype == tf.float32


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"beam_size": 0}, "beam_size=0"),
        ({"max_length": 0}, "max_length=0"),
        ({"num_hypotheses": 5}, "num_hypotheses=5, beam_size=2"),
        ({"num_hypotheses": 0}, "num_hypotheses=0"),
        ({"min_length": -1}, "`min_length` must be at least 0. Received: min_length=-1"),
        ({"length_penalty": float("inf")}, "length_penalty=inf"),
        ({"length_penalty": np.float32("nan")}, "length_penalty=nan"),
        ({"suppress": (0, 99)}, r"Tokens to suppress must be ids of a vocabulary of \d+. Received: \[99\]"),
        ({"prefix": np.array([[4, -2]])}, r"`prefix` must have ids from 0 to below \d+. Received: \[\[4, -2\]\]"),
        ({"prefix": np.array([[4], [4]])}, r"`prefix` must be \[B, P\], with B = 1"),
        ({"max_lengths": np.array([2, 2])}, r"`max_lengths` must be \[B\], with B = 1"),
        ({"beam_sizes": np.array([0], "int32")}, r"`beam_sizes` must be from 1 to 2. Received: \[0\]"),
        ({"beam_sizes": np.array([3], "int32")}, r"`beam_sizes` must be from 1 to 2. Received: \[3\]"),
    ],
)
def test_impossible_options(options, message):
    step, _ = fixed_step({EOS: 1.0})
    with pytest.raises(ValueError, match=message):
        beam_search(step, {}, {}, batch_size=1, **{"beam_size": 2, "max_length": 3, **options})


@pytest.mark.parametrize("vocabulary", [[0, 1, 2, 3, 50], np.array([0, 1, 2, 3, 50], "int32")])
def test_a_prefix_has_ids_of_the_vocabulary_that_is_given(vocabulary):
    step, _ = fixed_step({EOS: 1.0}, 5)
    options = {"batch_size": 1, "beam_size": 2, "max_length": 3, "vocabulary": vocabulary}
    found = beam_search(step, {}, {}, prefix=np.array([[50, PAD]]), beam_sizes=np.array([1]), **options)
    assert hypotheses(found, 0)[0].tokens == [50, EOS]
    with pytest.raises(ValueError, match=r"`prefix` must have ids of `vocabulary` only. Received: \[\[4\]\]"):
        beam_search(step, {}, {}, prefix=np.array([[4]]), **options)
