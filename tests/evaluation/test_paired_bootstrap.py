"""Paired bootstrap resampling of two systems' outputs."""

from __future__ import annotations

import os

import numpy as np
import pytest
from sacrebleu.metrics import BLEU

from keras_nmt.errors import UserError
from keras_nmt.evaluation import corpus_scores, paired_bootstrap

RNG = np.random.default_rng(0)
WORDS = ["a", "dog", "cat", "man", "runs", "plays", "sits", "sees", "the", "on", "in", "snow", "beach", "street", "red"]
REFERENCES = [" ".join(RNG.choice(WORDS, 12)) for _ in range(60)]


def damaged(share: float, seed: int) -> list[str]:
    rng = np.random.default_rng(seed)
    return [" ".join("x" if rng.random() < share else word for word in line.split()) for line in REFERENCES]


GOOD, AS_GOOD, BAD = damaged(0.1, 1), damaged(0.1, 2), damaged(0.3, 3)


def test_a_real_difference_is_significant_and_no_difference_is_not():
    for comparison in paired_bootstrap(GOOD, BAD, REFERENCES, samples=200).values():
        assert comparison.p_value < 0.01
        assert (comparison.delta < 0) == (comparison.name == "TER")
    for comparison in paired_bootstrap(GOOD, AS_GOOD, REFERENCES, samples=200, metrics=["bleu", "chrf"]).values():
        assert comparison.p_value > 0.05


def test_scores_equal_corpus_scores():
    options = {"lowercase": True, "tokenize": "char", "chrf_word_order": 2}
    comparisons = paired_bootstrap(GOOD, BAD, [REFERENCES], samples=5, **options)
    good, bad = (corpus_scores(system, REFERENCES, **options) for system in (GOOD, BAD))
    assert list(comparisons) == list(good)
    for name, comparison in comparisons.items():
        assert comparison.name == good[name].name
        assert comparison.system == pytest.approx(good[name].score)
        assert comparison.baseline == pytest.approx(bad[name].score)
        assert comparison.delta == pytest.approx(good[name].score - bad[name].score)
        assert good[name].signature.split("|")[1] in comparison.signature


def test_the_seed_determines_the_samples_and_is_in_the_signature(monkeypatch):
    monkeypatch.setenv("SACREBLEU_SEED", "99")
    options = {"samples": 30, "metrics": ["bleu"]}
    first, again, other = (paired_bootstrap(GOOD, BAD, REFERENCES, seed=seed, **options)["bleu"] for seed in (1, 1, 2))
    assert first == again
    assert first.system_interval != other.system_interval
    assert "seed:1" in first.signature
    assert "bs:30" in first.signature
    assert os.environ["SACREBLEU_SEED"] == "99"
    monkeypatch.delenv("SACREBLEU_SEED")
    paired_bootstrap(GOOD, BAD, REFERENCES, **options)
    assert "SACREBLEU_SEED" not in os.environ


def test_a_comparison_prints_as_one_line():
    line = str(paired_bootstrap(GOOD, BAD, REFERENCES, samples=30, metrics=["bleu"])["bleu"])
    assert line.startswith("BLEU|nrefs:1|bs:30|seed:12345")
    assert "p = " in line
    assert "\n" not in line


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((GOOD[:3], BAD, REFERENCES), {}, "`system` and `baseline` .* 3 and 60 lines"),
        ((GOOD, BAD, REFERENCES[:7]), {}, "`system` and `references` .* 60 and 7 lines"),
        (([], [], []), {}, "`references` is empty"),
        ((GOOD, BAD, REFERENCES), {"samples": 0}, "samples=0"),
        ((GOOD, BAD, REFERENCES), {"seed": 0}, "seed=0"),
    ],
)
def test_wrong_arguments_are_named(arguments, options, message):
    with pytest.raises(UserError, match=message):
        paired_bootstrap(*arguments, **options)


def test_a_system_equals_itself() -> None:
    lines = ["a small cat sleeps", "two dogs run fast"]
    for comparison in paired_bootstrap(lines, lines, lines, samples=20).values():
        assert (comparison.delta, comparison.p_value) == (0.0, 1.0)


def test_each_system_has_a_confidence_interval():
    found = paired_bootstrap(GOOD, REFERENCES, REFERENCES, samples=30, metrics=["bleu"])["bleu"]
    assert found.baseline_interval == pytest.approx(0, abs=1e-6)  # each sample of the baseline is perfect
    assert 0.1 < found.system_interval < 20
    # sacreBLEU draws other sentences: its intervals differ by some hundredths. Those of 90% are a sixth narrower.
    found = paired_bootstrap(BAD, GOOD, REFERENCES, samples=4000, metrics=["bleu"])["bleu"]
    for lines, interval in ((BAD, found.system_interval), (GOOD, found.baseline_interval)):
        expected = BLEU().corpus_score(lines, [REFERENCES], n_bootstrap=4000)._ci
        assert interval == pytest.approx(expected, rel=0.07)
