"""Sampling: distributions, independence, seeds, filters and options; greedy search."""

from __future__ import annotations

import itertools
from collections import Counter
from functools import partial

import numpy as np
import pytest
import tensorflow as tf
from keras import ops
from table_decoder import (
    TableDecoder,
    assert_same,
    beam_search,
    find,
    greedy_search,
    hypotheses,
    penalty,
    sampling_search,
)

from keras_nmt.decoding.greedy_and_sampling import gumbel_noise
from keras_nmt.ids import BOS, EOS, PAD

sample = partial(find, sampling_search)


def distribution(
    logits: np.ndarray, may_end: bool, temperature: float = 1.0, top_k: int = 0, top_p: float = 1.0
) -> np.ndarray:
    """The distribution of one token, by the definitions."""
    logits = logits.copy()
    logits[[PAD, BOS] + [EOS] * (not may_end)] = -np.inf
    probabilities = np.exp(logits / temperature - np.max(logits / temperature))
    order = np.argsort(-probabilities, kind="stable")
    probabilities[order[top_k or len(order) :]] = 0.0
    probabilities /= probabilities.sum()
    for size in range(1, len(order)):
        if probabilities[order[:size]].sum() >= top_p:
            probabilities[order[size:]] = 0.0
            break
    return probabilities / probabilities.sum()


def exact(
    decoder: TableDecoder, sentence: int, max_length: int, min_length: int = 1, **options
) -> dict[tuple[int, ...], float]:
    """The probability of every hypothesis, finished or truncated at `max_length`."""
    found: dict[tuple[int, ...], float] = {}
    waiting: list[tuple[tuple[int, ...], float]] = [((), 1.0)]
    while waiting:
        tokens, probability = waiting.pop()
        if len(tokens) == max_length or EOS in tokens:
            found[tokens] = probability
            continue
        may_end = len(tokens) >= min_length
        for token, conditional in enumerate(distribution(decoder.logits(sentence, list(tokens)), may_end, **options)):
            if conditional > 0:
                waiting.append(((*tokens, token), probability * conditional))
    return found


@pytest.mark.parametrize(
    "options",
    [
        {"min_length": 0},
        {"temperature": 0.5, "min_length": 2},
        pytest.param({"temperature": 2.0, "top_k": 3}, marks=pytest.mark.slow),
        pytest.param({"top_p": 0.7}, marks=pytest.mark.slow),
        {"temperature": 1.3, "top_k": 4, "top_p": 0.8},
    ],
)
def test_hypotheses_have_their_probabilities(options):
    decoder, count, samples = TableDecoder(vocabulary_size=7, seed=3, scale=1.0), 2048, 4
    result = sample(decoder, [5] * count, num_samples=samples, max_length=3, **options)
    tokens = result.tokens.numpy().reshape(-1, 3)
    counts = Counter(tuple(int(token) for token in row if token != PAD) for row in tokens)
    expected = exact(decoder, 5, 3, **options)
    assert sum(expected.values()) == pytest.approx(1.0)
    assert set(counts) <= set(expected), "something was drawn that must not be"
    # Pearson's statistic has mean m and variance 2 m or slightly more: one seed in millions exceeds six deviations.
    often = [tokens for tokens, probability in expected.items() if probability * count * samples >= 5]
    rest = 1.0 - sum(expected[tokens] for tokens in often)
    observed = np.array([counts[tokens] for tokens in often] + [count * samples - sum(counts[t] for t in often)])
    wanted = np.array([expected[tokens] for tokens in often] + [rest]) * count * samples
    observed, wanted = observed[wanted > 1e-6], wanted[wanted > 1e-6]
    statistic = np.sum((observed - wanted) ** 2 / wanted)
    assert statistic < len(wanted) + 6 * np.sqrt(2 * len(wanted)), (statistic, len(wanted))


def test_samples_of_a_sentence_are_independent():
    decoder, count = TableDecoder(vocabulary_size=6, seed=3, scale=0.5), 4000
    options = {"num_samples": 2, "max_length": 1, "length_penalty": 0.0, "min_length": 0}
    result = sample(decoder, [1] * count, **options)
    # Samples are sorted, so a pair is a set: twice the product of the probabilities if the two differ.
    probabilities = distribution(decoder.logits(1, []), may_end=True)
    pairs = Counter(tuple(sorted(row)) for row in result.tokens.numpy()[:, :, 0].tolist())
    for pair in itertools.combinations_with_replacement(range(3, 6), 2):
        expected = probabilities[pair[0]] * probabilities[pair[1]] * (1 + (pair[0] != pair[1]))
        assert abs(pairs[pair] / count - expected) < 5 * np.sqrt(expected / count)


@pytest.mark.parametrize("options", [{}, {"temperature": 0.3, "top_k": 5, "top_p": 0.6}])
def test_a_seed_gives_the_same_samples_alone_and_in_a_batch(options):
    seed, decoder = -7, TableDecoder(seed=1, end_bias=2.0)
    options = {"max_length": 5, "length_penalty": 0.9, **options}
    alone = hypotheses(sample(decoder, [3], seeds=[seed], num_samples=2, **options), 0)
    batch = sample(decoder, [8, 3, 3], seeds=[seed, seed, 12], num_samples=2, **options)
    assert_same(hypotheses(batch, 1), alone)
    # The number of samples does not change a sample: two samples are among the three samples.
    more = hypotheses(sample(decoder, [3], seeds=[seed], num_samples=3, **options), 0)
    assert not Counter(tuple(h.tokens) for h in alone) - Counter(tuple(h.tokens) for h in more)
    for hypothesis in more:
        log_probability = decoder.score_tokens(3, hypothesis.tokens)
        assert hypothesis.log_probability == pytest.approx(log_probability, abs=1e-4)
        assert hypothesis.score == pytest.approx(log_probability / penalty(len(hypothesis.tokens), 0.9), abs=1e-4)
    assert [(not h.finished, -h.score) for h in more] == sorted((not h.finished, -h.score) for h in more)


def test_the_gumbel_numbers_of_all_bits_are_exact(monkeypatch):
    bits = np.array([0, 1, 1000, 40_000_000, 50_000_000, 2**31, 2**32 - 2**24, 2**32 - 1], "uint32")
    monkeypatch.setitem(gumbel_noise.__globals__, "_mix", lambda _: tf.constant(bits))
    fractions = np.minimum((bits.astype("float64") + 0.5) / 2**32, 1 - 2.0**-24)
    found = gumbel_noise(*(tf.constant(0) for _ in range(4)))
    np.testing.assert_allclose(found, -np.log(-np.log1p(-fractions)), atol=1e-5)


def test_the_nucleus_ends_where_the_probabilities_sum_to_exactly_top_p():
    logits = tf.broadcast_to([-1e9, -1.0, -1e9, -1.0, 0.0, -1.0], [40, 1, 6])
    options = {"batch_size": 40, "max_length": 1, "min_length": 0, "top_p": float(ops.softmax(logits)[0, 0, 4])}
    result = sampling_search(lambda *arguments: (logits, {}), {}, {}, seeds=tf.range(40), **options)
    np.testing.assert_array_equal(result.tokens[:, 0], [[4]] * 40)


@pytest.mark.parametrize("level", [0.0, -50.0, 1e6])
def test_suppressed_tokens_are_never_drawn_at_any_temperature(level):
    def step(tokens, position, constants, caches):
        logits = np.array([level + 2, level, level + 2, level - 1, level + 1], "float32")  # PAD and BOS are likeliest
        return tf.broadcast_to(logits, [4, 1, 5]), caches

    result = sampling_search(step, {}, {}, batch_size=4, max_length=3, seeds=tf.range(4), temperature=1e-10)
    np.testing.assert_array_equal(result.tokens[:, 0], [[4, 4, 4]] * 4)


def test_filters_that_keep_all_change_nothing_and_seeds_differ():
    decoder = TableDecoder(vocabulary_size=9, seed=2, scale=0.5)
    plain = sample(decoder, [0] * 20).tokens.numpy()
    np.testing.assert_array_equal(sample(decoder, [0] * 20, top_k=9).tokens, plain)
    assert len({tuple(row) for row in plain[:, 0].tolist()}) > 15


@pytest.mark.parametrize("options", [{"top_k": 1}, {"top_p": 1e-6}, {"temperature": 1e-45}])
def test_sampling_the_likeliest_token_only_is_greedy_search(options):
    decoder = TableDecoder(vocabulary_size=7, seed=21, end_bias=1.0)
    shared = {"max_length": 12, "max_lengths": [9, 1, 3, 12, 0]}
    greedy = find(greedy_search, decoder, range(5), **shared)
    for one, other in zip(sample(decoder, range(5), **shared, **options), greedy, strict=True):
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        np.testing.assert_allclose(one, other, atol=1e-5)


def test_options_out_of_range_are_named():
    for options, message in (
        ({"max_length": 0}, "max_length=0"),
        ({"temperature": 0.0}, r"temperature=0\.0"),
        ({"max_length": np.int64(0)}, "max_length=0"),
        ({"num_samples": 0}, "num_samples=0"),
        ({"top_k": -1}, "top_k=-1"),
        ({"top_p": 0.0}, r"top_p=0\.0"),
        ({"top_p": 1.5}, r"top_p=1\.5"),
        ({"seeds": [1, 2]}, r"`seeds` must be \[B\], with B = 1. Received: shape \(2,\)"),
    ):
        with pytest.raises(ValueError, match=message):
            sampling_search(TableDecoder(5).step, {}, {}, batch_size=1, **{"seeds": [0], "max_length": 3, **options})


def test_suppressed_tokens_occur_in_the_prefix_only():
    decoder = TableDecoder(vocabulary_size=9, seed=9)
    options = {"max_length": 6, "suppress": (PAD, BOS, 1, 5, EOS)}
    found = sample(decoder, [0] * 50, prefix=np.array([[5]] * 50), **options).tokens.numpy()[:, 0]
    assert (found[:, 0] == 5).all()
    assert set(np.unique(found[:, 1:])) == {4, 6, 7, 8}
    greedy = find(greedy_search, decoder, [0], prefix=np.array([[5]]), **options)
    assert int(greedy.tokens[0, 0, 0]) == 5


@pytest.mark.parametrize("top_k", [0, 5])
def test_a_sample_depends_on_tokens_and_not_on_their_places_among_candidates(top_k):
    """The candidates of a shortlist are those of a batch; a sentence has the same samples in any batch."""
    logits = np.array([-1e9, -1e9, -1e9, 0.0, -1e9, 1.0, 0.5, -1e9, 1.5], "float32")
    ids = [0, 1, 2, 3, 5, 6, 8]  # all that are possible

    def run(logits, vocabulary):
        def step(tokens, position, constants, caches):
            return ops.broadcast_to(logits, (*tokens.shape, len(logits))), caches

        options = {"batch_size": 40, "max_length": 6, "seeds": tf.range(40), "top_k": top_k}
        return sampling_search(step, {}, {}, vocabulary=vocabulary, **options).tokens

    np.testing.assert_array_equal(run(logits[ids], tf.constant(ids)), run(logits, None))


def expected_tokens(decoder: TableDecoder, sentence: int, limit: int, min_length: int) -> list[int]:
    tokens: list[int] = []
    while len(tokens) < limit and EOS not in tokens:
        logits = decoder.logits(sentence, tokens)
        logits[[PAD, BOS] + [EOS] * (len(tokens) < min_length)] = -np.inf
        tokens.append(int(np.argmax(logits)))
    return tokens


@pytest.mark.parametrize("min_length", [0, 1, 4])
def test_takes_the_likeliest_token_and_a_beam_of_one_does_the_same(min_length):
    decoder = TableDecoder(seed=21, end_bias=1.0)
    limits = [9, 1, 3, 20, 12, 12, 2, 12, 0]
    options = {"max_length": 12, "max_lengths": limits, "length_penalty": 0.9, "length_penalty_form": "power"}
    options["min_length"] = min_length
    greedy = find(greedy_search, decoder, range(9), **options)
    beam = find(beam_search, decoder, range(9), beam_size=1, **options)
    endings = set()
    for sentence, limit in enumerate(limits):
        (found,) = hypotheses(greedy, sentence)
        assert found.tokens == expected_tokens(decoder, sentence, min(limit, 12), min_length)
        log_probability = decoder.score_tokens(sentence, found.tokens)
        assert found.log_probability == pytest.approx(log_probability, abs=1e-4)
        expected = log_probability / penalty(max(len(found.tokens), 1), 0.9, "power")
        assert found.score == pytest.approx(expected, abs=1e-4)
        endings.add(found.finished)
    assert endings == {True, False}, "both endings are to be seen"
    for one, other in zip(greedy, beam, strict=True):
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        np.testing.assert_allclose(one, other, atol=1e-5)


def test_stops_with_the_last_sentence_or_at_the_largest_limit():
    decoder = TableDecoder(seed=21, end_bias=9.0)
    result = find(greedy_search, decoder, [0, 1, 2], max_length=40)
    assert len(decoder.steps) == result.lengths.numpy().max() < 40
    endless = TableDecoder(end_bias=-50.0)
    result = find(greedy_search, endless, [0, 1, 2], max_length=9, max_lengths=[2, 4, 3])
    assert result.lengths.numpy().tolist() == [[2], [4], [3]]
    assert len(endless.steps) == 4


def test_a_token_that_must_not_follow_is_impossible_even_alone():
    def step(tokens, position, constants, caches):  # only PAD and EOS are possible
        return tf.constant([[[0.0, -np.inf, -np.inf, 1.0, -np.inf, -np.inf]]]), caches

    result = greedy_search(step, {}, {}, batch_size=1, max_length=2, suppress=(PAD, BOS, EOS))
    assert result.log_probabilities[0, 0] < -1e8
