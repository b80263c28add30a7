"""Significance: the share of false alarms, and transcriptions of the tests."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU
from scipy import stats

from keras_nmt.errors import UserError
from keras_nmt.evaluation import holm, significance
from keras_nmt.evaluation.significance import bleu_counts, bleu_of_counts, drawn_sums, two_sided_p

module = sys.modules[two_sided_p.__module__]
WORDS = ["a", "cat", "dog", "sits", "runs", "on", "under", "the", "mat", "snow", "tree", "and", "sleeps"]


def two_systems(size, shares, seed=0):
    """BLEU's counts of two systems that replace a share of the words."""
    rng = np.random.default_rng(seed)
    references = [" ".join(rng.choice(WORDS, rng.integers(6, 14))) for _ in range(size)]
    systems = (
        [" ".join("x" if rng.random() < share else word for word in line.split()) for line in references]
        for share in shares
    )
    return [bleu_counts(system, references) for system in systems]


def false_alarms(swaps, size, **options):
    """The share of p below 0.05 where each sentence of two systems changes sides by chance: there is no difference."""
    a, b = two_systems(size, (0.25, 0.3))
    rng = np.random.default_rng(1)
    found = []
    for seed in range(swaps):
        swapped = rng.random((size, 1)) < 0.5
        found.append(significance(np.where(swapped, a, b), np.where(swapped, b, a), seed=seed, **options))
    return np.mean(np.array(found) < 0.05)


def test_without_a_difference_few_tests_are_significant():
    assert false_alarms(200, 150, samples=200) < 0.08  # the statistic of one side has 0.105 to 0.12


@pytest.mark.nightly
def test_without_a_difference_one_test_in_twenty_is_significant():
    assert 0.03 <= false_alarms(2000, 1000, samples=300) <= 0.07


def test_a_tenth_of_a_point_is_far_from_significant():
    a, b = two_systems(1000, (0.3, 0.3))
    # As many sentences of `b` as bring `b` within 0.1 of `a`.
    for first in range(1000):
        mixed = np.concatenate([a[:first], b[first:]])
        difference = abs(bleu_of_counts(a.sum(0)) - bleu_of_counts(mixed.sum(0)))
        if 0.05 < difference < 0.1 and first < 700:
            break
    assert difference < 0.1
    assert significance(a, mixed) > 0.3


def test_p_counts_both_directions_about_the_mean():
    drawn = np.array([-3.0, -1.0, 0.0, 1.0, 3.0]) + 2  # mean 2
    assert two_sided_p(2.0, drawn) == 3 / 6
    assert two_sided_p(-1.0, drawn) == 5 / 6
    assert two_sided_p(3.1, drawn) == 1 / 6
    assert two_sided_p(0.0, drawn) == 1


def test_holm_is_the_definition():
    p_values = {"a": 0.03, "b": 0.01, "c": 0.04, "d": 0.2}
    # 4 * 0.01; 3 * 0.03; not below the one before, 2 * 0.04; 0.2.
    assert holm(p_values) == pytest.approx({"b": 0.04, "a": 0.09, "c": 0.09, "d": 0.2})
    assert holm({"a": 0.9, "b": 0.8}) == {"b": 1.0, "a": 1.0}
    assert holm({}) == {}


@settings(max_examples=50)
@given(st.lists(st.lists(st.sampled_from(["a", "b", "c"]), max_size=6), min_size=1, max_size=5), st.integers(0, 3))
def test_bleu_of_counts_is_sacrebleus(words, seed):
    """Empty lines, no matches and texts without four words in a row among them."""
    rng = np.random.default_rng(seed)
    hypotheses = [" ".join(line) for line in words]
    references = [" ".join(rng.choice(["a", "b", "c"], 5)) for _ in words]
    expected = BLEU().corpus_score(hypotheses, [references]).score
    assert bleu_of_counts(bleu_counts(hypotheses, references).sum(0)) == pytest.approx(expected)


def test_sentences_are_drawn_in_parts_of_any_size(monkeypatch):
    x = np.arange(24.0).reshape(2, 6, 2)
    whole = drawn_sums([x, x[0]], 9, 3)
    assert [sums.shape for sums in whole] == [(9, 2, 2), (9, 2)]
    np.testing.assert_array_equal(whole[0][:, 0], whole[1])
    monkeypatch.setattr(module, "AT_ONCE", 13)
    for sums, again in zip(whole, drawn_sums([x, x[0]], 9, 3), strict=True):
        np.testing.assert_array_equal(sums, again)


@settings(max_examples=20)
@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60))
def test_mcnemar_is_the_binomial_test_of_the_pairs_that_differ(pairs):
    system, baseline = (np.array(x) for x in zip(*pairs, strict=True))
    better, worse = np.sum(system & ~baseline), np.sum(~system & baseline)
    # The sign test: twice the smaller tail, at most 1.
    tail = stats.binom.cdf(min(better, worse), better + worse, 0.5)
    assert significance(system, baseline) == pytest.approx(min(1.0, 2 * tail))


def test_bootstrap_over_sentences():
    rng = np.random.default_rng(0)
    counts = rng.integers(5, 20, 200).astype(float)
    baseline = np.stack([rng.binomial(counts.astype(int), 0.6), counts], 1)
    same = np.stack([rng.binomial(counts.astype(int), 0.6), counts], 1)
    better = np.stack([rng.binomial(counts.astype(int), 0.7), counts], 1)
    assert significance(baseline, baseline) == 1
    assert significance(same, baseline) > 0.05
    assert significance(better, baseline) < 0.01
    assert significance(better[:10], baseline) is None
    with pytest.raises(UserError, match="one kind"):
        significance(np.array([True]), baseline)


def test_few_sentences_that_count_have_no_p():
    def quotients(ratio, counted):
        counts = (np.arange(400) < counted).astype(float)
        return np.stack([ratio * counts, counts], 1)

    few, none, enough = quotients(1, 9), quotients(1, 0), quotients(1, 400)
    for system, baseline in ((few, 0.5 * enough), (enough, few), (none, enough), (none, none), (few, few)):
        assert significance(system, baseline) is None
    assert significance(bleu_counts(["a b"] * 9, ["a b"] * 9), bleu_counts(["a c"] * 9, ["a b"] * 9)) is None


def test_draws_without_a_sentence_that_counts_are_left_out(monkeypatch):
    monkeypatch.setattr(module, "FEWEST", 3)
    counts = (np.arange(400) < 3).astype(float)
    system, baseline = (np.stack([right * counts, counts], 1) for right in (1.0, np.arange(400) < 1))
    rows = np.random.default_rng(12345).integers(400, size=(1000, 400))
    both = [x[rows].sum(axis=1) for x in (system, baseline)]
    drawn = np.subtract(*(x[x[:, 1] > 0] @ [1, 0] / x[x[:, 1] > 0, 1] for x in both))
    assert 900 < len(drawn) < 1000
    expected = (np.sum(abs(drawn - drawn.mean()) >= 2 / 3 - 1e-9) + 1) / (len(drawn) + 1)
    assert significance(system, baseline) == pytest.approx(expected)


def test_bootstrap_of_bleu_draws_sentences():
    references = [f"a b c d e f {i} g h" for i in range(30)]
    systems = [[line.replace("c", "x") if i % n else line for i, line in enumerate(references)] for n in (2, 3)]

    def difference(rows):
        scores = [BLEU().corpus_score([x[i] for i in rows], [[references[i] for i in rows]]).score for x in systems]
        return scores[0] - scores[1]

    drawn = np.array([difference(rows) for rows in np.random.default_rng(5).integers(30, size=(40, 30))])
    expected = (np.sum(np.abs(drawn - drawn.mean()) >= abs(difference(range(30)))) + 1) / 41
    counts = [bleu_counts(x, references) for x in systems]
    assert significance(*counts, samples=40, seed=5) == pytest.approx(expected)
