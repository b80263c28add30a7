"""Significance of differences: paired bootstrap, false alarms, transcriptions of the tests."""

import random
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU
from scipy import stats

from keras_nmt.errors import UserError
from keras_nmt.evaluation import corpus_scores, holm, paired_bootstrap, paired_bootstrap_of_runs, significance
from keras_nmt.evaluation.bootstrap import bleu_counts, bleu_of_counts, drawn_sums, two_sided_p
from keras_nmt.evaluation.metrics import METRICS, MetricKind

WORDS = ["a", "cat", "dog", "sits", "runs", "on", "under", "the", "mat", "snow", "tree", "and", "sleeps"]
module = sys.modules[two_sided_p.__module__]


def corpus(seed, size=40):
    draw = random.Random(seed)
    return [" ".join(draw.choices(WORDS, k=draw.randint(5, 12))) for _ in range(size)]


def damaged(lines, rate, seed):
    draw = random.Random(seed)
    return [" ".join(draw.choice(WORDS) if draw.random() < rate else word for word in line.split()) for line in lines]


REFERENCES = corpus(0, 60)
GOOD, AS_GOOD, BAD = (damaged(REFERENCES, rate, seed) for rate, seed in ((0.1, 1), (0.1, 2), (0.3, 3)))


def test_a_real_difference_is_significant_and_no_difference_is_not():
    for comparison in paired_bootstrap(GOOD, BAD, REFERENCES, samples=200).values():
        assert comparison.p_value < 0.01
        assert (comparison.delta < 0) == (comparison.name == "TER")
    for comparison in paired_bootstrap(GOOD, AS_GOOD, REFERENCES, samples=200, metrics=["bleu", "chrf"]).values():
        assert comparison.p_value > 0.05
    for comparison in paired_bootstrap(GOOD, GOOD, REFERENCES, samples=20).values():
        assert (comparison.delta, comparison.p_value) == (0.0, 1.0)


def test_scores_equal_corpus_scores():
    options = {"lowercase": True, "tokenize": "char", "metrics": ["bleu", "chrf++", "ter"]}
    comparisons = paired_bootstrap(GOOD, BAD, [REFERENCES], samples=5, **options)
    good, bad = (corpus_scores(system, REFERENCES, **options) for system in (GOOD, BAD))
    assert list(comparisons) == list(good)
    for name, comparison in comparisons.items():
        assert comparison.name == good[name].name
        assert comparison.system == pytest.approx(good[name].score)
        assert comparison.baseline == pytest.approx(bad[name].score)
        assert comparison.delta == pytest.approx(good[name].score - bad[name].score)
        assert good[name].signature.split("|")[1] in comparison.signature


def test_an_entry_of_metrics_is_all_that_a_new_metric_needs(monkeypatch):
    monkeypatch.setitem(METRICS, "chrf3", MetricKind(lambda sacrebleu, *_: sacrebleu.CHRF(char_order=3)))
    score = corpus_scores(GOOD, REFERENCES, metrics=["chrf3"])["chrf3"]
    comparison = paired_bootstrap(GOOD, BAD, REFERENCES, samples=50, metrics=["chrf3"])["chrf3"]
    assert "nc:3" in score.signature
    assert comparison.system == pytest.approx(score.score)
    assert comparison.p_value < 0.05


def test_the_seed_determines_the_samples_and_is_in_the_signature():
    options = {"samples": 30, "metrics": ["bleu"]}
    first, again, other = (paired_bootstrap(GOOD, BAD, REFERENCES, seed=seed, **options)["bleu"] for seed in (1, 1, 2))
    assert first == again
    assert first.system_interval != other.system_interval
    assert "seed:1" in first.signature
    assert "bs:30" in first.signature
    assert str(first).startswith(f"BLEU|{first.signature} = ")
    assert f"(p = {first.p_value:.4f})" in str(first)


def test_wrong_arguments_are_named():
    def refused(message, *arguments, **options):
        with pytest.raises(UserError, match=message):
            paired_bootstrap(*arguments, **options)

    refused("`system` and `baseline` .* 3 and 60 lines", GOOD[:3], BAD, REFERENCES)
    refused("`system` and `references` .* 60 and 7 lines", GOOD, BAD, REFERENCES[:7])
    refused("samples=0", GOOD, BAD, REFERENCES, samples=0)
    refused("seed=-1", GOOD, BAD, REFERENCES, seed=-1)
    with pytest.raises(UserError, match="seed=-1"):
        paired_bootstrap_of_runs([GOOD], [BAD], REFERENCES, seed=-1)
    with pytest.raises(UserError, match="seed=-1"):
        significance(np.ones([20, 2]), np.ones([20, 2]), seed=-1)


def test_each_system_has_a_confidence_interval():
    found = paired_bootstrap(GOOD, REFERENCES, REFERENCES, samples=30, metrics=["bleu"])["bleu"]
    assert found.baseline_interval == pytest.approx(0, abs=1e-6)  # each sample of the baseline is perfect
    assert 0.1 < found.system_interval < 20
    # sacreBLEU draws other sentences: its intervals differ by some hundredths. Those of 90% are a sixth narrower.
    found = paired_bootstrap(BAD, GOOD, REFERENCES, samples=4000, metrics=["bleu"])["bleu"]
    for lines, interval in ((BAD, found.system_interval), (GOOD, found.baseline_interval)):
        expected = BLEU().corpus_score(lines, [REFERENCES], n_bootstrap=4000)._ci
        assert interval == pytest.approx(expected, rel=0.07)


@pytest.mark.parametrize("options", [{}, {"tokenize": "char"}, {"lowercase": True}], ids=str)
def test_the_p_value_of_equal_runs_is_that_of_two_systems_with_any_tokenizer_and_case(options):
    references = corpus(1)
    system, baseline = damaged(references, 0.25, 4), damaged(references, 0.2, 6)
    for i in range(0, len(baseline), 10):
        baseline[i], baseline[i + 1] = baseline[i].upper(), baseline[i + 1].replace(" ", "")
    expected = paired_bootstrap(system, baseline, references, metrics=["bleu"], **options)["bleu"]
    found = paired_bootstrap_of_runs([system] * 2, [baseline] * 2, references, **options)
    assert (found.p_value, found.difference) == (expected.p_value, pytest.approx(expected.delta))


def test_few_lines_have_no_p():
    """Directions with the same number of lines share their draws, so these lines count once."""
    for sizes, has_p in (((29,), False), ((30,), True), ((29, 29), False), ((14, 15), False), ((14, 16), True)):
        good, fair, bad, lines = (
            {f"{i}": x[:n] for i, n in enumerate(sizes)} for x in (GOOD, AS_GOOD, BAD, REFERENCES)
        )
        pairs = (good, fair), (bad, good)
        twice = ({name: [of, other[name]] for name, of in system.items()} for system, other in pairs)
        runs = paired_bootstrap_of_runs(*twice, lines, samples=30)
        assert [x is not None for x in (runs.p_value, runs.interval, runs.p_value_of_runs)] == [has_p] * 3
        assert len(runs.differences) == 2
        if len(sizes) == 1:
            one = paired_bootstrap(good["0"], bad["0"], lines["0"], samples=30, metrics=["bleu"])["bleu"]
            assert (one.p_value is not None) == has_p
            assert ("(too few sentences for p)" in str(one)) != has_p


def test_lines_without_a_reference_do_not_count():
    good, bad, lines = ([*x[:29], *[""] * 11] for x in (GOOD, BAD, REFERENCES))
    assert paired_bootstrap(good, bad, lines, samples=30, metrics=["bleu"])["bleu"].p_value is None
    assert paired_bootstrap_of_runs([good, bad], [bad, bad], lines, samples=30).p_value is None
    lines[29] = good[29] = bad[29] = "a cat"
    assert paired_bootstrap(good, bad, lines, samples=30, metrics=["bleu"])["bleu"].p_value is not None
    assert paired_bootstrap_of_runs([good, bad], [bad, bad], lines, samples=30).p_value is not None


def test_a_p_below_the_digits_shown_is_not_zero():
    found = paired_bootstrap(GOOD, BAD, REFERENCES, samples=20001, metrics=["bleu"])["bleu"]
    assert "(p < 0.0001)" in str(found._replace(p_value=1 / 20002))
    assert "(p = 0.0001)" in str(found._replace(p_value=0.0001))


def test_one_run_has_a_difference_and_no_p_value():
    references = corpus(1)
    found = paired_bootstrap_of_runs([references], [damaged(references, 0.5, 2)], references)
    assert found.difference > 20
    assert found[1:] == ((found.difference,), None, None, None)


def test_p_is_that_of_other_sentences_and_the_interval_also_of_other_runs():
    """A transcription of the definitions with sacreBLEU's own scores, which are means over directions.

    The first two directions have the same number of lines, which are drawn together: they may be translations.
    """
    references, samples = {"a-b": corpus(1, 18), "b-a": corpus(2, 18), "b-c": corpus(3, 12)}, 30
    systems, baselines = (
        {name: [damaged(lines, rate, seed) for seed in (4, 5, 6)] for name, lines in references.items()}
        for rate in (0.2, 0.3)
    )

    def score(name, run, rows):
        return BLEU().corpus_score([run[i] for i in rows], [[references[name][i] for i in rows]]).score

    generator = np.random.default_rng(7)
    rows = {size: generator.integers(size, size=(samples, size)) for size in (18, 12)}
    chosen = np.random.default_rng(7).integers(3, size=(samples, 3))
    drawn = np.mean(
        [
            [
                [score(name, a, of) - score(name, b, of) for a, b in zip(systems[name], baselines[name], strict=True)]
                for of in (range(len(lines)), *rows[len(lines)])
            ]
            for name, lines in references.items()
        ],
        axis=0,
    )
    found = paired_bootstrap_of_runs(systems, baselines, references, samples=samples, seed=7)
    means = np.take_along_axis(drawn[1:], chosen, axis=1).mean(axis=1)
    assert found.interval == pytest.approx(np.quantile(means, [0.025, 0.975]))
    assert found.differences == pytest.approx(drawn[0])
    difference = drawn[0].mean()
    assert found.difference == pytest.approx(difference)
    of_sentences = drawn[1:].mean(axis=1)
    as_far = np.sum(np.abs(of_sentences - of_sentences.mean()) >= abs(difference))
    assert found.p_value == pytest.approx((as_far + 1) / (samples + 1))


def test_incomparable_outputs_are_an_error():
    for systems, baselines, references in (
        ([], [], ["a"]),
        ([["a"]] * 2, [["a"]], ["a"]),
        ([["a"]], [["a", "b"]], ["a"]),
        ([["a"], ["a", "b"]], [["a"]] * 2, ["a"]),
        ([[]], [[]], []),
        (["a"], ["b"], ["a"]),
        ([["a"]], [["b"]], "a"),
        ({"a-b": [["a"]]}, {"b-a": [["a"]]}, {"a-b": ["a"]}),
    ):
        with pytest.raises(UserError, match="Received: "):
            paired_bootstrap_of_runs(systems, baselines, references)


def two_systems(size, rates):
    """BLEU's counts of two systems that replace a share of the words."""
    references = corpus(0, size)
    return [bleu_counts(damaged(references, rate, seed), references) for seed, rate in enumerate(rates)]


@pytest.mark.parametrize(
    ("swaps", "size", "samples"), [(200, 150, 200), pytest.param(2000, 1000, 300, marks=pytest.mark.nightly)]
)
def test_without_a_difference_one_test_in_twenty_is_significant(swaps, size, samples):
    """Each sentence of two systems changes sides by chance: there is no difference."""
    a, b = two_systems(size, (0.25, 0.3))
    rng = np.random.default_rng(1)
    found = []
    for seed in range(swaps):
        swapped = rng.random((size, 1)) < 0.5
        found.append(significance(np.where(swapped, a, b), np.where(swapped, b, a), seed=seed, samples=samples))
    share = np.mean(np.array(found) < 0.05)
    assert share < 0.08  # the statistic of one side has 0.105 to 0.12
    assert swaps < 2000 or 0.03 <= share <= 0.07


def test_p_counts_both_directions_about_the_mean():
    drawn = np.array([-3.0, -1.0, 0.0, 1.0, 3.0]) + 2  # mean 2
    assert two_sided_p(2.0, drawn) == 3 / 6
    assert two_sided_p(-1.0, drawn) == 5 / 6
    assert two_sided_p(3.1, drawn) == 1 / 6
    assert two_sided_p(0.0, drawn) == 1


def test_holm_is_the_definition():
    # 4 * 0.01; 3 * 0.03; not below the one before, 2 * 0.04; 0.2.
    p_values = {"a": 0.03, "b": 0.01, "c": 0.04, "d": 0.2}
    assert holm(p_values) == pytest.approx({"b": 0.04, "a": 0.09, "c": 0.09, "d": 0.2})
    assert holm({"a": 0.9, "b": 0.8}) == {"b": 1.0, "a": 1.0}
    assert holm({}) == {}
    for wrong in (np.nan, -0.1, 1.1):
        with pytest.raises(UserError, match=f"Received: b={wrong}"):
            holm({"a": 0.01, "b": wrong})


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
    monkeypatch.setattr(module, "MAX_DRAWN", 13)
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


def test_few_sentences_that_count_have_no_p():
    def quotients(ratio, counted):
        counts = (np.arange(400) < counted).astype(float)
        return np.stack([ratio * counts, counts], 1)

    few, none, enough = quotients(1, 29), quotients(1, 0), quotients(1, 400)
    for system, baseline in ((few, 0.5 * enough), (enough, few), (none, enough), (none, none), (few, few)):
        assert significance(system, baseline) is None
    assert significance(enough[:20], enough) is None
    wrong = enough.copy()
    wrong[0, 0] = np.nan  # of a diverged model: draws without this sentence have numbers
    assert significance(wrong, enough) is None
    with pytest.raises(UserError, match="same kind"):
        significance(np.array([True]), enough)
    assert significance(bleu_counts(["a b"] * 29, ["a b"] * 29), bleu_counts(["a c"] * 29, ["a b"] * 29)) is None


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


@pytest.mark.filterwarnings("error")  # also where only one of the systems has no deviation
def test_the_p_of_runs_is_that_of_their_scores():
    references = corpus(1)
    systems, baselines = ([damaged(references, share, seed) for seed in (2, 3, 4)] for share in (0.1, 0.3))
    found = paired_bootstrap_of_runs(systems, baselines, references, samples=30)
    bleus = [[corpus_scores(run, references)["bleu"].score for run in runs] for runs in (systems, baselines)]
    assert found.p_value_of_runs == pytest.approx(stats.ttest_ind(*bleus, equal_var=False).pvalue, rel=1e-4)
    assert paired_bootstrap_of_runs(systems, systems, references, samples=30).p_value_of_runs == 1
    alike = [references] * 2, [baselines[0]] * 2
    assert paired_bootstrap_of_runs(*alike, references, samples=30).p_value_of_runs is None  # copies do not vary
    found = paired_bootstrap_of_runs(systems, [baselines[0]] * 3, references, samples=30)
    assert found.p_value_of_runs == pytest.approx(stats.ttest_1samp(bleus[0], bleus[1][0]).pvalue, rel=1e-4)
