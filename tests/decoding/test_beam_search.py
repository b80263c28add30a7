"""Beam search against exhaustive search and a search over lists; caches, batches, limits, early stop and options."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import example, given, settings
from hypothesis import strategies as st
from keras import ops
from table_decoder import TableDecoder, assert_equal, assert_same, beam_search, find, greedy_search, hypotheses

from keras_nmt.decoding import SearchResult
from keras_nmt.decoding.search_loop import _take_caches
from keras_nmt.ids import BOS, EOS, PAD

search = partial(find, beam_search)


def fixed_step(probabilities: dict[int, float], vocabulary_size: int = 6):
    """A step that gives the same distribution after every prefix, with a list of its `calls`."""
    logits = np.full(vocabulary_size, -30.0, "float32")
    for token, probability in probabilities.items():
        logits[token] = np.log(probability)

    def step(tokens, position, constants, caches):
        step.calls.append(int(position))
        return ops.broadcast_to(logits, (*tokens.shape, vocabulary_size)), caches

    step.calls = []
    return step


# --- results ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("beam_size", "alpha", "min_length", "form", "patience"),
    [
        (27, 0.6, 1, "gnmt", None),
        (27, -1.0, 3, "power", None),
        (40, 2.5, 0, "gnmt", None),
        (40, 0.0, 1, "gnmt", None),
        (108, 1.2, 0, "power", 1.0),
    ],
)
def test_a_beam_of_all_prefixes_equals_exhaustive_search(beam_size, alpha, min_length, form, patience):
    """27 are the longest open prefixes, 40 all open prefixes, 108 the continuations of 27, which may all be ends."""
    decoder = TableDecoder(vocabulary_size=6, seed=3)
    options = {"beam_size": beam_size, "max_length": 4, "length_penalty": alpha, "length_penalty_form": form}
    result = search(decoder, min_length=min_length, patience=patience, **options)
    for sentence in (0, 1):
        expected = decoder.every_hypothesis(sentence, 4, alpha, min_length, form)
        assert_same(hypotheses(result, sentence)[: len(expected)], expected[:beam_size])


# Without the end by patience, or with another number of finished hypotheses, the search finds others.
@example(33, 3, 8, 1.5, "power", 1.5, 1.0, 16, 1)
@settings(max_examples=7)
@given(
    seed=st.integers(0, 10_000),
    beam_size=st.integers(1, 4),
    max_length=st.integers(1, 9),
    alpha=st.sampled_from([-0.7, 0.0, 0.6, 3.0]),
    form=st.sampled_from(["gnmt", "power"]),
    patience=st.sampled_from([None, 0.3, 1.0, 1.5]),
    end_bias=st.sampled_from([-3.0, 0.0, 2.0]),
    vocabulary_size=st.sampled_from([5, 16]),
    min_length=st.integers(0, 4),
)
def test_equals_a_search_over_lists_without_early_stop(
    seed, beam_size, max_length, alpha, form, patience, end_bias, vocabulary_size, min_length
):
    decoder = TableDecoder(vocabulary_size, seed, end_bias=end_bias)
    expected, _ = decoder.beam(4, beam_size, max_length, alpha, min_length, form, patience)
    for count in {1, beam_size}:
        options = {"beam_size": beam_size, "max_length": max_length, "length_penalty": alpha, "num_hypotheses": count}
        options |= {"length_penalty_form": form, "patience": patience}
        result = search(decoder, [4], min_length=min_length, **options)
        assert_same([hypothesis for hypothesis in hypotheses(result, 0) if hypothesis.tokens], expected[:count])


@settings(max_examples=4)
@given(
    seed=st.integers(0, 10_000),
    sizes=st.lists(st.integers(1, 4), min_size=2, max_size=3),
    max_length=st.integers(1, 6),
    alpha=st.sampled_from([-0.7, 0.6, 3.0]),
    end_bias=st.sampled_from([-3.0, 0.0, 2.0]),
    vocabulary_size=st.sampled_from([5, 16]),
    count=st.integers(1, 4),
    has_prefix=st.booleans(),
    patience=st.sampled_from([None, 0.5, 1.0]),
)
def test_a_sentence_with_a_beam_size_of_its_own_equals_a_search_with_this_beam_size(
    seed, sizes, max_length, alpha, end_bias, vocabulary_size, count, has_prefix, patience
):
    decoder = TableDecoder(vocabulary_size, seed, end_bias=end_bias)
    options = {"max_length": max_length, "length_penalty": alpha, "patience": patience}
    prefix = tf.constant([[4, 0]] * (len(sizes) - 1) + [[0, 0]]) if has_prefix else None
    own = {"beam_sizes": tf.constant(sizes), "num_hypotheses": count, "prefix": prefix}
    found = search(decoder, range(len(sizes)), beam_size=4, **own, **options)
    for sentence, size in enumerate(sizes):
        one = None if prefix is None else prefix[sentence : sentence + 1]
        expected = search(decoder, [sentence], beam_size=size, num_hypotheses=min(size, count), prefix=one, **options)
        assert_same(hypotheses(found, sentence)[:size], hypotheses(expected, 0))
        assert not any(hypothesis.tokens for hypothesis in hypotheses(found, sentence)[size:])


# --- caches ----------------------------------------------------------------------------------------------------------


def test_caches_follow_their_hypotheses():
    decoder = TableDecoder(vocabulary_size=9, seed=11, end_bias=-2.0)
    search(decoder, [0, 6])
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


def test_caches_are_reordered_except_kept_caches():
    random = np.random.default_rng(1)
    x, y = random.normal(size=(2, 3, 4)), random.normal(size=(2, 5))
    parents = np.array([[2, 2, 0], [1, 0, 2]], "int32")
    for rows in ([0, 1], [1]):
        found = _take_caches(
            [{"a": x, "not_reordered": {"b": y, "c": [y]}}, (x,)], parents[rows], np.array(rows, "int32")
        )
        expected = np.stack([x[row][parents[row]] for row in rows])
        np.testing.assert_array_equal(found[0]["a"], expected)
        np.testing.assert_array_equal(found[1][0], expected)
        np.testing.assert_array_equal(found[0]["not_reordered"]["b"], y[rows])
        np.testing.assert_array_equal(found[0]["not_reordered"]["c"][0], y[rows])


# --- batches and limits ----------------------------------------------------------------------------------------------


@settings(max_examples=4)
@given(
    others=st.lists(st.tuples(st.integers(10, 40), st.integers(0, 9)), min_size=1, max_size=4),
    place=st.integers(0, 4),
    limit=st.integers(1, 9),
    count=st.integers(1, 3),
    end_bias=st.sampled_from([-0.5, -20.0]),
)
def test_other_sentences_of_the_batch_change_nothing(others, place, limit, count, end_bias):
    decoder = TableDecoder(seed=1, end_bias=end_bias)
    options = {"max_length": 9, "num_hypotheses": count}
    alone = search(decoder, [3], max_lengths=[limit], **options)
    place = min(place, len(others))
    others.insert(place, (3, limit))
    batch = search(decoder, [s for s, _ in others], max_lengths=[n for _, n in others], **options)
    assert_equal(SearchResult(*(x[0] for x in alone)), SearchResult(*(x[place] for x in batch)))


def test_each_sentence_has_its_limit():
    decoder = TableDecoder(vocabulary_size=8, seed=1, end_bias=-1.0)
    limits = [1, 3, 50, 0, -7]
    result = search(decoder, [0, 1, 2, 3, 3], max_length=9, max_lengths=limits)
    assert result.tokens.shape == (5, 3, 9)
    for sentence, limit in enumerate(limits[:3]):
        assert_same(hypotheses(result, sentence), decoder.beam(sentence, 3, min(limit, 9), 0.6)[0])
    for nothing in (hypotheses(result, 3), hypotheses(result, 4)):
        assert [hypothesis.tokens for hypothesis in nothing] == [[]] * 3
    assert np.isfinite(result.scores).all()


def test_of_equal_scores_the_earlier_finished_hypothesis_comes_first():
    even, end = fixed_step({EOS: 0.5, 4: 0.5}), fixed_step({EOS: 1.0})

    def step(tokens, position, constants, caches):
        return (end if int(position) else even)(tokens, position, constants, caches)

    options = {"beam_size": 2, "max_length": 3, "length_penalty": 0.0, "min_length": 0}
    result = beam_search(step, {}, {}, batch_size=1, **options)
    assert float(result.scores[0, 0]) == float(result.scores[0, 1])
    assert [hypothesis.tokens for hypothesis in hypotheses(result, 0)] == [[EOS], [4, EOS]]


def test_of_equal_logits_the_lower_id_comes_first():
    decoder = TableDecoder()
    decoder.table = np.zeros_like(decoder.table)
    assert hypotheses(search(decoder), 0)[0].tokens == [1, EOS]
    decoder.table[:, [5, 12]] = 1.0
    assert hypotheses(find(greedy_search, decoder, max_length=4), 0)[0].tokens == [5, 5, 5, 5]


def test_a_finished_hypothesis_comes_before_a_likelier_unfinished_one():
    # The limit is one token. EOS is much less likely than token 4, but finishes the hypothesis.
    step = fixed_step({4: 0.9, 5: 0.09, EOS: 0.01})
    result = beam_search(step, {}, {}, batch_size=1, beam_size=2, max_length=1, min_length=0)
    assert [(h.tokens, h.finished) for h in hypotheses(result, 0)] == [([EOS], True), ([4], False)]


def test_fewer_hypotheses_than_requested():
    step = fixed_step({EOS: 0.5, 4: 0.5}, vocabulary_size=5)
    options = {"beam_size": 6, "max_length": 2, "suppress": (PAD, 1, BOS), "min_length": 0}
    found = hypotheses(beam_search(step, {}, {}, batch_size=1, **options), 0)
    assert [hypothesis.tokens for hypothesis in found] == [[EOS], [4, EOS], [4, 4], [], [], []]
    assert [hypothesis.score for hypothesis in found[3:]] == [-1e9] * 3


# --- early stop ------------------------------------------------------------------------------------------------------


def test_stops_when_no_open_hypothesis_can_win():
    for options, steps, tokens in (
        ({"length_penalty": 0.0, "num_hypotheses": 1}, 1, [[EOS]]),  # 0.6: more than any continuation of the other 0.4
        ({"length_penalty": -1.0, "num_hypotheses": 1}, 1, [[EOS]]),
        # log 0.4 over the penalty 2.5 of ten tokens could win; log 0.16 could not
        ({"length_penalty": 1.0, "num_hypotheses": 1}, 2, [[EOS]]),
        ({"length_penalty": 0.0}, 3, [[EOS], [4, EOS], [4, 4, EOS]]),  # until the whole n-best list is safe
        ({"length_penalty": 0.0, "suppress": (PAD, 1, BOS, 4)}, 1, [[EOS], [], []]),  # nothing is open
    ):
        step = fixed_step({EOS: 0.6, 4: 0.4}, vocabulary_size=5)
        result = beam_search(step, {}, {}, batch_size=2, beam_size=3, max_length=10, min_length=0, **options)
        assert step.calls == list(range(steps)), options
        assert [hypothesis.tokens for hypothesis in hypotheses(result, 1)] == tokens, options


def test_a_negative_penalty_does_not_stop_too_early():
    # First EOS is unlikely, then almost certain. With a negative alpha the *next* token is the best end.
    steps = [fixed_step({EOS: 0.3, 4: 0.7}), fixed_step({EOS: 0.99, 4: 0.01})]

    def step(tokens, position, constants, caches):
        return steps[min(int(position), 1)](tokens, position, constants, caches)

    options = {"batch_size": 1, "beam_size": 2, "max_length": 50, "num_hypotheses": 1}
    result = beam_search(step, {}, {}, length_penalty=-1.0, **options)
    assert hypotheses(result, 0)[0].tokens == [4, EOS]


# --- logits and options ----------------------------------------------------------------------------------------------


def test_suppressed_tokens_are_never_generated_and_keep_their_probability():
    decoder = TableDecoder(vocabulary_size=9, seed=9)
    decoder.table[:, [PAD, BOS]] += 5.0
    result = search(decoder)
    for hypothesis in hypotheses(result, 0):
        assert not {PAD, BOS} & set(hypothesis.tokens)
        assert hypothesis.log_probability == pytest.approx(decoder.score_tokens(0, hypothesis.tokens), abs=1e-4)
    result = search(decoder, max_length=6, suppress=(PAD, BOS, 1, 5, EOS))
    assert set(np.unique(result.tokens)) == {4, 6, 7, 8}
    assert not result.finished.numpy().any()
    nothing = search(decoder, [0], beam_size=1, suppress=())
    assert nothing.tokens[0, 0, 0] == np.argmax(decoder.logits(0, []))


@pytest.mark.parametrize("search_of", [partial(beam_search, beam_size=2), greedy_search])
def test_a_constant_added_to_all_logits_changes_nothing(search_of):
    for constant in (-500.0, 500.0):  # exponentials would vanish, or overflow
        step = fixed_step({EOS: 0.3, 4: 0.6, 5: 0.1})

        def shifted(*arguments, step=step, constant=constant):
            logits, caches = step(*arguments)
            return logits + constant, caches

        results = [search_of(each, {}, {}, batch_size=1, max_length=3) for each in (step, shifted)]
        found, expected = (hypotheses(result, 0) for result in reversed(results))
        assert [x.tokens for x in found] == [x.tokens for x in expected]
        np.testing.assert_allclose([x.score for x in found], [x.score for x in expected], atol=1e-3)


def test_minus_infinity_is_harmless_and_scores_are_float32():
    decoder = TableDecoder(vocabulary_size=8, seed=9)
    decoder.table = decoder.table.astype("float16")
    decoder.table[:, 5:] = -np.inf
    result = search(decoder, beam_size=4)
    assert result.scores.dtype == result.log_probabilities.dtype == tf.float32
    assert not np.isnan(result.scores).any()
    assert set(np.unique(result.tokens)) <= {PAD, 1, EOS, 4}


def test_impossible_options_are_named():
    step = fixed_step({EOS: 1.0})
    for options, message in (
        ({"beam_size": 0}, "beam_size=0"),
        ({"num_hypotheses": 5}, "num_hypotheses=5, beam_size=2"),
        ({"max_length": 0}, "max_length=0"),
        ({"length_penalty": np.float32("nan")}, "length_penalty=nan"),
        ({"length_penalty_form": "wu"}, "length_penalty_form='wu'"),
        ({"patience": 0.0}, "patience=0.0"),
        ({"suppress": (0, 99)}, r"ids of a vocabulary of \d+. Received: \[99\]"),
        ({"suppress": (4, True)}, "must be ids, integers. Received: True"),
        ({"prefix": np.array([[4, -2]])}, r"ids from 0 to below \d+. Received: \[\[4, -2\]\]"),
        ({"prefix": np.array([[4], [4]])}, r"`prefix` must be \[B, P\], with B = 1"),
        ({"max_lengths": np.array([2, 2])}, r"`max_lengths` must be \[B\], with B = 1"),
        ({"beam_sizes": np.array([3], "int32")}, r"`beam_sizes` must be from 1 to 2. Received: \[3\]"),
    ):
        with pytest.raises(ValueError, match=message):
            beam_search(step, {}, {}, batch_size=1, **{"beam_size": 2, "max_length": 3, **options})


def test_a_prefix_has_ids_of_the_vocabulary_that_is_given():
    step = fixed_step({EOS: 1.0}, 5)
    for vocabulary in ([0, 1, 2, 3, 50], np.array([0, 1, 2, 3, 50], "int32")):
        options = {"batch_size": 1, "beam_size": 2, "max_length": 3, "vocabulary": vocabulary}
        found = beam_search(step, {}, {}, prefix=np.array([[50, PAD]]), beam_sizes=np.array([1]), **options)
        assert hypotheses(found, 0)[0].tokens == [50, EOS]
        with pytest.raises(ValueError, match=r"`prefix` must have ids of `vocabulary` only. Received: \[\[4\]\]"):
            beam_search(step, {}, {}, prefix=np.array([[4]]), **options)
