"""Phrases that hypotheses must have, against exhaustive search."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from table_decoder import TableDecoder, hypotheses
from table_decoder import beam_search as search_in_both_batches

from keras_nmt.decoding import SearchResult, SuppressSequences, beam_search
from keras_nmt.decoding.constraints import met_constraints
from keras_nmt.ids import EOS, PAD

LENGTH = 6
WORDS = (1, 4, 5)  # of a vocabulary of 6
Phrase = list[int]
Constraint = list[Phrase]  # alternatives


def draw_cases(seed: int, count: int) -> list[tuple[int, list[Constraint], list[Phrase]]]:
    """Cases (sentence, constraints, phrases that must not occur); Hypothesis would simplify a failure for minutes."""
    rng = np.random.default_rng(seed)

    def phrase() -> Phrase:
        return rng.choice(WORDS, rng.integers(1, 4)).tolist()

    def constraint() -> Constraint:
        return [phrase() for _ in range(rng.integers(1, 3))]

    return [
        (
            int(rng.integers(1000)),
            [constraint() for _ in range(rng.integers(3))],
            [phrase() for _ in range(max(rng.integers(-1, 3), 0))],
        )
        for _ in range(count)
    ]


def packed(sentences: list[list[Constraint]]) -> tf.Tensor:
    """Padded to one shape, whatever the phrases, so that a graph is traced once."""
    found = np.full((len(sentences), 2, 2, 3), PAD, "int32")
    for i, constraints in enumerate(sentences):
        for j, alternatives in enumerate(constraints):
            for k, phrase in enumerate(alternatives):
                found[i, j, k, : len(phrase)] = phrase
    return tf.constant(found)


def has(tokens: Phrase, phrase: Phrase) -> bool:
    return any(tokens[i : i + len(phrase)] == phrase for i in range(len(tokens)))


def meets(tokens: Phrase, constraints: list[Constraint]) -> bool:
    return all(any(has(tokens, phrase) for phrase in alternatives) for alternatives in constraints)


def fits(constraints: list[Constraint]) -> bool:
    return sum(min(map(len, alternatives)) for alternatives in constraints) < LENGTH


def run(beam_size: int, jit_compile: bool | None = None) -> Callable[..., SearchResult]:
    """The search of tables `[B]`, eagerly if `jit_compile` is None, with one trace for all cases of a beam size."""

    def search(table, sentences, constraints, never):
        decoder = TableDecoder(6)
        decoder.table = table
        shape = (sentences.shape[0], beam_size)
        caches = {"hash": tf.zeros(shape, tf.int32), "prefix": [tf.zeros((*shape, LENGTH), tf.int32)]}
        options = {"batch_size": shape[0], "beam_size": beam_size, "max_length": LENGTH}
        return beam_search(
            decoder.step,
            {"sentence": sentences},
            caches,
            constraints=constraints,
            processors=[SuppressSequences(never)],
            **options,
        )

    return tf.function(search, jit_compile=jit_compile, autograph=False)


SEARCHES = {size: [run(size), run(size, jit_compile=True)] for size in (1, 4, 243)}


def check_cases(cases: list[tuple[int, list[Constraint], list[Phrase]]]) -> None:
    decoder = TableDecoder(6, seed=3)
    table = tf.constant(decoder.table)
    sentences = tf.constant([sentence for sentence, _, _ in cases])
    constraints = packed([found for _, found, _ in cases])
    never = packed([[[phrase] for phrase in found] for _, _, found in cases])[:, :, 0]
    for beam_size, searches in SEARCHES.items():
        plain, compiled = (search(table, sentences, constraints, never) for search in searches)
        np.testing.assert_allclose(plain.scores, compiled.scores, rtol=1e-5, atol=1e-5)
        met = met_constraints(constraints, plain.tokens).numpy()
        for i, (sentence, wanted, unwanted) in enumerate(cases):
            every = decoder.every_hypothesis(sentence, LENGTH, 0.6)
            right = [h for h in every if meets(h.tokens, wanted) and not any(has(h.tokens, x) for x in unwanted)]
            found = [h for h in hypotheses(plain, i) if h.finished]
            for hypothesis in hypotheses(plain, i):
                assert not any(has(hypothesis.tokens, x) for x in unwanted)
            assert all(meets(h.tokens, wanted) for h in found)
            for j, alternatives in enumerate(wanted):
                assert [meets(h.tokens, [alternatives]) for h in hypotheses(plain, i)] == met[i, :, j].tolist()
            if beam_size == 243:
                expected = {tuple(h.tokens): h.score for h in right}
                np.testing.assert_allclose([h.score for h in found], [h.score for h in right[:243]], atol=1e-4)
                for hypothesis in found:  # as a set: equal scores but for rounding are in any order
                    assert hypothesis.score == pytest.approx(expected.pop(tuple(hypothesis.tokens)), abs=1e-4)
            elif fits(wanted) and not unwanted:
                assert meets(hypotheses(plain, i)[0].tokens, wanted)


def test_equals_exhaustive_search_and_a_small_beam_meets_what_fits():
    for seed in range(10):
        check_cases(draw_cases(seed, 30))


@pytest.mark.nightly
def test_2000_cases():
    for seed in range(100, 167):
        check_cases(draw_cases(seed, 30))


@settings(max_examples=5, deadline=None)
@given(
    seed=st.integers(0, 1000),
    beam_size=st.integers(1, 5),
    vocabulary_size=st.sampled_from([6, 40, 700]),
    others=st.integers(0, 1000),
    beam=st.integers(1, 5),
)
def test_a_sentence_without_constraints_is_bit_equal_to_a_search_without_any(
    seed, beam_size, vocabulary_size, others, beam
):
    decoder = TableDecoder(vocabulary_size, seed, end_bias=1.0)
    decoder.table = np.round(decoder.table, 1)  # with ties
    ((_, others, _),) = draw_cases(others, 1)
    constants, caches = decoder.start([0, 1, 2], beam_size, 8)
    options = {"batch_size": 3, "beam_size": beam_size, "max_length": 8, "max_lengths": tf.constant([8, 4, 8])}
    options["beam_sizes"] = tf.constant([beam_size, min(beam, beam_size), beam_size])
    free = search_in_both_batches(decoder.step, constants, caches, **options)
    never = SuppressSequences(packed([[], [], others])[:, :, 0])
    found = search_in_both_batches(
        decoder.step, constants, caches, constraints=packed([[], [], others]), processors=[never], **options
    )
    for name, one, other in zip(free._fields, free, found, strict=True):
        np.testing.assert_array_equal(one[:2], other[:2], err_msg=name)


@pytest.mark.parametrize("vocabulary_size", [6, 40])
def test_a_beam_size_of_a_sentence_finds_what_a_search_with_it_finds(vocabulary_size):
    """Constraints propose tokens, some of which are among the likeliest of the whole beam only."""
    sentences, size = list(range(30)), 4
    constraints = packed([found for _, found, _ in draw_cases(7, len(sentences))])
    decoder = TableDecoder(vocabulary_size, seed=2)

    def search(beam_size, **options):
        constants, caches = decoder.start(sentences, beam_size, LENGTH)
        options |= {"batch_size": len(sentences), "max_length": LENGTH, "constraints": constraints}
        result = search_in_both_batches(decoder.step, constants, caches, beam_size=beam_size, **options)
        return [hypotheses(result, i)[0] for i in range(len(sentences))]

    for own in (1, 2, 3):
        found, expected = search(size, beam_sizes=tf.fill([len(sentences)], own)), search(own)
        assert [h.tokens for h in found] == [h.tokens for h in expected]
        np.testing.assert_allclose([h.score for h in found], [h.score for h in expected], atol=1e-4)


def test_a_constraint_goes_with_a_prefix():
    decoder = TableDecoder(40, seed=1)
    constants, caches = decoder.start([0], 2, 9)
    options = {"prefix": tf.constant([[7, 8]]), "constraints": tf.constant([[[[8, 9]], [[20, 21]]]])}
    result = search_in_both_batches(decoder.step, constants, caches, batch_size=1, beam_size=2, max_length=9, **options)
    (best, _) = hypotheses(result, 0)
    assert best.tokens[:2] == [7, 8]
    assert meets(best.tokens, [[[8, 9]], [[20, 21]]])
    assert best.log_probability == pytest.approx(decoder.score_tokens(0, best.tokens), abs=1e-4)


@pytest.mark.parametrize("compiled", ["graph", "xla"], indirect=True)
def test_a_large_beam_is_shared_too(compiled):
    """It has 32,896 continuations, whose number times itself needs more than 31 bits."""
    decoder, size = TableDecoder(300, seed=1), 128
    constants, caches = decoder.start([0], size, 3)
    options = {"batch_size": 1, "beam_size": size, "max_length": 3, "constraints": tf.constant([[[[7, 8]]]])}
    found = hypotheses(compiled(lambda *x: beam_search(decoder.step, *x, **options))(constants, caches), 0)
    assert found[0].tokens == [7, 8, EOS]
    assert found[0].log_probability == pytest.approx(decoder.score_tokens(0, found[0].tokens), abs=1e-4)
