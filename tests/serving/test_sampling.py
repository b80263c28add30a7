"""Translators and exports that draw translations."""

import numpy as np
import pytest
import tensorflow as tf
from small import SAMPLING, texts_of

from keras_nmt.errors import UserError
from keras_nmt.inference import Translator


@pytest.fixture(scope="module")
def sampler(model, tokenizers, options):
    return Translator(model, tokenizers, **options, **SAMPLING, num_hypotheses=2)


def test_a_sample_depends_on_its_seed_and_not_on_the_batch(sampler, lines):
    seeds = list(range(10, 10 + len(lines)))
    found = sampler.translate(lines, seeds=seeds)
    assert texts_of(sampler.translate(lines[::-1], seeds=seeds[::-1])) == texts_of(found)[::-1]
    (alone,) = sampler.translate([lines[3]], seeds=[seeds[3]])
    assert texts_of([alone]) == texts_of(found[3:4])
    np.testing.assert_allclose([h.score for h in alone.hypotheses], [h.score for h in found[3].hypotheses], 1e-4)
    assert texts_of(sampler.translate(lines, seeds=7)) == texts_of(sampler.translate(lines, seeds=7))
    assert texts_of(sampler.translate(lines, seeds=7)) != texts_of(sampler.translate(lines, seeds=8))
    many = sampler.translate([lines[0]] * 8)
    assert len({translation.text for translation in many}) > 4, "each line has a seed of its own"


def test_a_sample_attends_to_its_own_tokens_only(sampler, model, lines):
    """Caches of one hypothesis each: what a step reads grows with the number of samples, not with its square."""
    memory = model.encoder(sampler.tokenizers["source"].tokenize(lines).to_tensor())
    _, caches = sampler.graph._searches[0]._prepare_search(memory, 9)
    _, of_one = model.prepare(memory, 1, 9)
    for several, one in zip(tf.nest.flatten(caches), tf.nest.flatten(of_one), strict=True):
        assert several.shape == (2 * one.shape[0], *one.shape[1:])


@pytest.mark.slow
def test_an_export_samples_by_the_seeds_of_a_request(exported_sampler, sampler, translator, exported):
    lines = ["the small cat", "", "a mouse"]
    loaded = tf.saved_model.load(str(exported_sampler))
    assert b"sample_xla" not in (exported / "saved_model.pb").read_bytes()
    seeds = list(range(len(lines)))
    expected = sampler.translate(lines, seeds=seeds)
    for name in ("sample", "sample_xla"):
        found = loaded.signatures[name](text=tf.constant(lines), seed=tf.constant(seeds))
        assert [[text.decode() for text in row] for row in found["translation"].numpy()] == texts_of(expected)
        scores = [[hypothesis.score for hypothesis in translation.hypotheses] for translation in expected]
        np.testing.assert_allclose(found["score"], scores, atol=1e-4)
    # The other signature searches, as ever. It gives the translation of an empty text as often as there are others.
    found = loaded.signatures["serving_default"](text=tf.constant(lines))
    expected = translator.with_options(num_hypotheses=2).translate(lines)
    texts = [[text.decode() for text in row] for row in found["translation"].numpy()]
    assert texts == [(of_line * 2)[:2] for of_line in texts_of(expected)]


def test_seeds_that_do_not_fit_are_refused(sampler):
    of_all = ((seed, f"seeds={seed}") for seed in (-1, 2**32, 1.5))
    for seeds, told in (*of_all, ([5, 2**31], str(2**31)), ([5, "7"], "'7'")):
        with pytest.raises(UserError, match=f"Received: {told}$"):
            sampler.translate(["a", "b"], seeds=seeds)
    with pytest.raises(UserError, match=r"Received: 2 line\(s\), 3 seed\(s\)"):
        sampler.translate(["a", "b"], seeds=range(3))
