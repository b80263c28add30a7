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
def test_the_differences_are_of_sacrebleus_scores(rates):
    references = corpus(1)
    systems, baselines = ([damaged(references, rate, seed) for seed in (2, 3)] for rate in rates)
    found = paired_bootstrap_of_runs(systems, baselines, references)
    scores = [[BLEU().corpus_score(run, [references]).score for run in runs] for runs in (systems, baselines)]
    assert found.differences == pytest.approx(np.subtract(*scores))
    assert found.difference == pytest.approx(np.mean(found.differences))


def p_value(systems, baselines, references, **options):
    """p of systems with one run each, as of two equal runs: one run has none."""
    return paired_bootstrap_of_runs(twice(systems), twice(baselines), references, **options).p_value


def twice(runs):
    return {name: of * 2 for name, of in runs.items()} if isinstance(runs, dict) else runs * 2


def test_one_run_has_a_difference_and_no_p_value():
    references = corpus(1)
    found = paired_bootstrap_of_runs([references], [damaged(references, 0.5, 2)], references)
    assert found.difference > 20
    assert found[1:] == ((found.difference,), None, None)


def test_the_p_value_is_that_of_two_systems():
    references = corpus(1)
    system, baseline = damaged(references, 0.2, 2), damaged(references, 0.25, 3)
    expected = paired_bootstrap(system, baseline, references, metrics=["bleu"])["bleu"].p_value
    assert p_value([system], [baseline], references) == expected


def test_the_tokenizer_is_that_of_the_scores():
    references = corpus(1)
    system, baseline = ([line.replace(" ", "") for line in damaged(references, 0.2, seed)] for seed in (2, 5))
    joined = [line.replace(" ", "") for line in references]
    expected = paired_bootstrap(system, baseline, joined, metrics=["bleu"], tokenize="char")["bleu"].p_value
    assert p_value([system], [baseline], joined, tokenize="char") == expected
    assert p_value([system], [baseline], joined) != pytest.approx(expected, abs=0.1)
    with pytest.raises(UserError, match="`tokenize` must be one of .* Received: tokenize='words'"):
        p_value([system], [baseline], joined, tokenize="words")


def test_seed_and_number_of_samples_matter():
    references = corpus(1)
    runs = [damaged(references, 0.2, 2)], [damaged(references, 0.25, 3)]
    few = [p_value(*runs, references, samples=50, seed=seed) for seed in range(8)]
    assert len(set(few)) > 1
    assert all(round(p * 51, 6).is_integer() for p in few)
    for samples in (0, -1, 2.5):
        with pytest.raises(UserError, match=f"`samples` must be .* Received: samples={samples}"):
            p_value(*runs, references, samples=samples)


def test_copies_of_a_run_do_not_increase_significance():
    references = corpus(1)
    system, baseline = damaged(references, 0.2, 2), damaged(references, 0.25, 3)
    once = p_value([system], [baseline], references)
    assert p_value([system] * 5, [baseline] * 5, references) == pytest.approx(once)
    # Five times as many sentences, as lines of one long test set, would increase significance.
    together = paired_bootstrap(system * 5, baseline * 5, references * 5, metrics=["bleu"])["bleu"].p_value
    assert together < once / 2


def test_more_runs_increase_significance_if_all_runs_differ():
    references = corpus(1)
    systems = [damaged(references, 0.2, seed) for seed in range(4)]
    baselines = [damaged(references, 0.27, seed) for seed in range(10, 14)]
    singly = [p_value([a], [b], references) for a, b in zip(systems, baselines, strict=True)]
    assert p_value(systems, baselines, references) < np.median(singly)


def test_the_interval_is_that_of_other_sentences_and_other_runs():
    """A transcription of the definition with sacreBLEU's own scores."""
    references, samples = corpus(1, 12), 30
    systems, baselines = ([damaged(references, rate, seed) for seed in (4, 5, 6)] for rate in (0.2, 0.3))

    def score(run, rows):
        return BLEU().corpus_score([run[i] for i in rows], [[references[i] for i in rows]]).score

    rows = np.random.default_rng(7).integers(12, size=(samples, 12))
    chosen = np.random.default_rng(7).integers(3, size=(samples, 3))
    drawn = [
        np.mean([score(systems[run], of) - score(baselines[run], of) for run in runs])
        for of, runs in zip(rows, chosen, strict=True)
    ]
    found = paired_bootstrap_of_runs(systems, baselines, references, samples=samples, seed=7)
    assert found.interval == pytest.approx(np.quantile(drawn, [0.025, 0.975]))


def test_runs_that_differ_widen_the_interval_and_not_p():
    references = corpus(1)
    good, bad = damaged(references, 0.1, 2), damaged(references, 0.5, 3)
    alike, unlike = (paired_bootstrap_of_runs(x, [bad, bad], references) for x in ([good, good], [references, bad]))
    widths = [np.subtract(*x.interval) for x in (unlike, alike)]
    assert widths[0] < 2 * widths[1] < 0
    assert max(alike.p_value, unlike.p_value) < 0.01


def test_equal_scores_have_a_p_value_of_one():
    references = corpus(1)
    assert p_value([references], [references], references) == 1.0


@pytest.mark.parametrize(
    ("systems", "baselines", "references"),
    [
        ([], [], ["a"]),
        ([], [["a"]], ["a"]),
        ([["a"]] * 2, [["a"]], ["a"]),
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
    once = p_value([system], [baseline], references)
    assert p_value(*both([system], [baseline], references)) == once


def test_directions_with_other_test_data_are_independent_evidence():
    references = {name: corpus(seed, size) for name, seed, size in (("a-b", 1, 40), ("b-a", 5, 30), ("b-c", 6, 50))}
    systems = {name: [damaged(lines, 0.2, 2)] for name, lines in references.items()}
    baselines = {name: [damaged(lines, 0.27, 3)] for name, lines in references.items()}
    singly = [p_value(systems[x], baselines[x], references[x]) for x in references]
    assert p_value(systems, baselines, references) < np.median(singly)


def test_the_difference_is_the_mean_over_directions():
    """A gain in one direction and a loss in the other cancel, although the lines of one direction are longer."""
    references = {"a-b": corpus(1), "b-a": [f"{line} {line}" for line in corpus(2)]}
    good, bad = ({name: [damaged(lines, rate, 2)] for name, lines in references.items()} for rate in (0.0, 0.3))
    swapped = [{"a-b": good["a-b"], "b-a": bad["b-a"]}, {"a-b": bad["a-b"], "b-a": good["b-a"]}]
    assert p_value(*swapped, references) > 0.05
    assert p_value(good, bad, references) < 0.01
    with pytest.raises(UserError, match="same directions"):
        paired_bootstrap_of_runs({"a-b": good["a-b"]}, bad, references)


def test_case_matters_by_default():
    references = corpus(1)
    shouted = [line.upper() for line in references]
    assert p_value([references], [shouted], references) < 0.01
    assert p_value([references], [shouted], references, lowercase=True) == 1.0
