"""The significance of differences between systems with several runs."""

from __future__ import annotations

import random

import numpy as np
import pytest
from sacrebleu.metrics import BLEU

from keras_nmt.errors import UserError
from keras_nmt.evaluation import paired_bootstrap, paired_bootstrap_of_runs

WORDS = ["a", "cat", "dog", "sits", "runs", "on", "under", "the", "mat", "snow", "tree", "and", "sleeps"]


def corpus(seed, size=40):
    draw = random.Random(seed)
    return [" ".join(draw.choices(WORDS, k=draw.randint(5, 12))) for _ in range(size)]


def damaged(lines, rate, seed):
    draw = random.Random(seed)
    return [" ".join(draw.choice(WORDS) if draw.random() < rate else word for word in line.split()) for line in lines]


@pytest.mark.parametrize("rates", [(0.2, 0.25), (0.2, 0.4), (0.3, 0.3)])
def test_with_one_run_each_the_p_value_is_sacrebleus(rates):
    references = corpus(1)
    system, baseline = damaged(references, rates[0], 2), damaged(references, rates[1], 3)
    expected = paired_bootstrap(system, baseline, references, metrics=["bleu"])["bleu"].p_value
    assert paired_bootstrap_of_runs([system], [baseline], references) == pytest.approx(expected, abs=2e-3)


def test_the_tokenizer_is_that_of_the_scores():
    references = corpus(1)
    system, baseline = ([line.replace(" ", "") for line in damaged(references, 0.3, seed)] for seed in (2, 3))
    joined = [line.replace(" ", "") for line in references]
    expected = paired_bootstrap(system, baseline, joined, metrics=["bleu"], tokenize="char")["bleu"].p_value
    assert paired_bootstrap_of_runs([system], [baseline], joined, tokenize="char") == pytest.approx(expected, abs=2e-3)
    assert paired_bootstrap_of_runs([system], [baseline], joined) != pytest.approx(expected, abs=0.1)
    with pytest.raises(UserError, match="`tokenize` must be one of .* Received: tokenize='words'"):
        paired_bootstrap_of_runs([system], [baseline], joined, tokenize="words")


def test_corpora_without_long_matches_are_smoothed_as_by_sacrebleu():
    references = corpus(1)
    system, baseline = damaged(references, 0.9, 2), damaged(references, 1.0, 3)
    system = [" ".join(line.split()[:3]) for line in system]  # no four words in a row
    assert not sum(BLEU().corpus_score(system, [references]).counts[3:])
    expected = paired_bootstrap(system, baseline, references, metrics=["bleu"])["bleu"].p_value
    assert paired_bootstrap_of_runs([system], [baseline], references) == pytest.approx(expected, abs=2e-2)
    assert expected < 1


def test_seed_and_number_of_samples_matter():
    references = corpus(1)
    runs = [damaged(references, 0.2, 2)], [damaged(references, 0.25, 3)]
    few = [paired_bootstrap_of_runs(*runs, references, samples=50, seed=seed) for seed in range(8)]
    assert len(set(few)) > 1
    assert all(round(p * 51, 6).is_integer() for p in few)
    for samples in (0, -1, 2.5):
        with pytest.raises(UserError, match=f"`samples` must be .* Received: samples={samples}"):
            paired_bootstrap_of_runs(*runs, references, samples=samples)


def test_copies_of_a_run_do_not_increase_significance():
    references = corpus(1)
    system, baseline = damaged(references, 0.2, 2), damaged(references, 0.25, 3)
    once = paired_bootstrap_of_runs([system], [baseline], references)
    assert paired_bootstrap_of_runs([system] * 5, [baseline] * 5, references) == once
    # Five times as many sentences, as lines of one long test set, would increase significance.
    together = paired_bootstrap(system * 5, baseline * 5, references * 5, metrics=["bleu"])["bleu"].p_value
    assert together < once / 2


def test_more_runs_increase_significance_if_all_runs_differ():
    references = corpus(1)
    systems = [damaged(references, 0.2, seed) for seed in range(4)]
    baselines = [damaged(references, 0.27, seed) for seed in range(10, 14)]
    singly = [paired_bootstrap_of_runs([a], [b], references) for a, b in zip(systems, baselines, strict=True)]
    assert paired_bootstrap_of_runs(systems, baselines, references) < np.median(singly)


def test_equal_scores_have_a_p_value_of_one():
    references = corpus(1)
    assert paired_bootstrap_of_runs([references], [references], references) == 1.0


@pytest.mark.parametrize(
    ("systems", "baselines", "references"),
    [
        ([], [["a"]], ["a"]),
        ([["a"]], [], ["a"]),
        ([["a"]], [["a", "b"]], ["a"]),
        ([["a"], ["a", "b"]], [["a"]], ["a"]),
        ([[]], [[]], []),
    ],
)
def test_incomparable_outputs_are_an_error(systems, baselines, references):
    with pytest.raises(UserError, match="Received: "):
        paired_bootstrap_of_runs(systems, baselines, references)


def both(system, baseline, references):
    """Copies of the arguments in two directions."""
    return [{"a-b": one, "b-a": one} for one in (system, baseline, references)]


def test_a_copied_direction_does_not_increase_significance():
    """Lines of several directions are drawn together, because they are translations of each other."""
    references = corpus(1)
    system, baseline = damaged(references, 0.2, 2), damaged(references, 0.25, 3)
    once = paired_bootstrap_of_runs([system], [baseline], references)
    assert paired_bootstrap_of_runs(*both([system], [baseline], references)) == once


def test_directions_with_other_test_data_are_independent_evidence():
    references = {name: corpus(seed, size) for name, seed, size in (("a-b", 1, 40), ("b-a", 5, 30), ("b-c", 6, 50))}
    systems = {name: [damaged(lines, 0.2, 2)] for name, lines in references.items()}
    baselines = {name: [damaged(lines, 0.27, 3)] for name, lines in references.items()}
    singly = [paired_bootstrap_of_runs(systems[x], baselines[x], references[x]) for x in references]
    assert paired_bootstrap_of_runs(systems, baselines, references) < np.median(singly)


def test_the_difference_is_the_mean_over_directions():
    """A gain in one direction and a loss in the other cancel, although the lines of one direction are longer."""
    references = {"a-b": corpus(1), "b-a": [f"{line} {line}" for line in corpus(2)]}
    good, bad = ({name: [damaged(lines, rate, 2)] for name, lines in references.items()} for rate in (0.0, 0.3))
    swapped = [{"a-b": good["a-b"], "b-a": bad["b-a"]}, {"a-b": bad["a-b"], "b-a": good["b-a"]}]
    assert paired_bootstrap_of_runs(*swapped, references) > 0.05
    assert paired_bootstrap_of_runs(good, bad, references) < 0.01
    with pytest.raises(UserError, match="same directions"):
        paired_bootstrap_of_runs({"a-b": good["a-b"]}, bad, references)


def test_case_matters_by_default():
    references = corpus(1)
    shouted = [line.upper() for line in references]
    assert paired_bootstrap_of_runs([references], [shouted], references) < 0.01
    assert paired_bootstrap_of_runs([references], [shouted], references, lowercase=True) == 1.0
