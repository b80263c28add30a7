"""Phrases that hypotheses must have, against exhaustive search."""

from __future__ import annotations

from functools import cache, partial

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from table_decoder import Hypothesis, TableDecoder, find, hypotheses
from table_decoder import beam_search as search_in_both_batches

from keras_nmt.decoding import SearchResult, SuppressSequences, beam_search
from keras_nmt.decoding.constraints import met_constraints
from keras_nmt.ids import PAD

LENGTH = 6
WORDS = (1, 4, 5)  # of a vocabulary of 6
Phrase = list[int]
Constraint = list[Phrase]  # alternatives
SLOW, NIGHTLY = pytest.mark.slow, pytest.mark.nightly


def draw_cases(seed: int, count: int) -> list[tuple[int, list[Constraint], list[Phrase]]]:
    """Cases (sentence, constraints, phrases that must not occur); Hypothesis would simplify a failure for minutes."""
    rng = np.random.default_rng(seed)

    def phrase() -> Phrase:
        return rng.choice(WORDS, rng.integers(1, 4)).tolist()

    def constraint() -> Constraint:
        return [phrase() for _ in range(rng.integers(1, 3))]

    def constraints() -> list[Constraint]:
        return [constraint() for _ in range(rng.integers(3))] if rng.integers(4) else [constraint()] * 2

    return [
        (
            int(rng.integers(1000)),
            constraints(),
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


def occurrences(tokens: Phrase, alternatives: Constraint) -> int:
    """The largest number of occurrences that do not overlap."""
    rest = [occurrences(tokens[i + len(x) :], alternatives) for x in alternatives for i in places(tokens, x)]
    return 1 + max(rest) if rest else 0


def places(tokens: Phrase, phrase: Phrase) -> list[int]:
    return [i for i in range(len(tokens)) if tokens[i : i + len(phrase)] == phrase]


def meets(tokens: Phrase, constraints: list[Constraint]) -> bool:
    return all(occurrences(tokens, x) >= constraints.count(x) for x in constraints)


def fits(constraints: list[Constraint]) -> bool:
    return sum(min(map(len, alternatives)) for alternatives in constraints) < LENGTH


DECODER = TableDecoder(6, seed=3)


@cache
def every_hypothesis(sentence: int) -> list[Hypothesis]:
    return DECODER.every_hypothesis(sentence, LENGTH, 0.6)


def run(beam_size, sentences, constraints, never, search=search_in_both_batches) -> SearchResult:
    constants, caches = DECODER.start(sentences, beam_size, LENGTH)
    options = {"batch_size": sentences.shape[0], "beam_size": beam_size, "max_length": LENGTH}
    processors = [SuppressSequences(never)]
    return search(DECODER.step, constants, caches, constraints=constraints, processors=processors, **options)


def check_cases(cases: list[tuple[int, list[Constraint], list[Phrase]]], run=run, other=None) -> None:
    sentences = tf.constant([sentence for sentence, _, _ in cases])
    constraints = packed([found for _, found, _ in cases])
    never = packed([[[phrase] for phrase in found] for _, _, found in cases])[:, :, 0]
    for beam_size in (1, 4, 243):
        plain = run(beam_size, sentences, constraints, never)
        if other is not None:
            scores = other(beam_size, sentences, constraints, never).scores
            np.testing.assert_allclose(plain.scores, scores, rtol=1e-5, atol=1e-5)
        met = met_constraints(constraints, plain.tokens).numpy()
        for i, (sentence, wanted, unwanted) in enumerate(cases):
            right = [
                h
                for h in every_hypothesis(sentence)
                if meets(h.tokens, wanted) and not any(places(h.tokens, x) for x in unwanted)
            ]
            found = [h for h in hypotheses(plain, i) if h.finished]
            for hypothesis in hypotheses(plain, i):
                assert not any(places(hypothesis.tokens, x) for x in unwanted)
            assert all(meets(h.tokens, wanted) for h in found)
            for j, alternatives in enumerate(wanted):
                needed = wanted[: j + 1].count(alternatives)
                numbers = [occurrences(h.tokens, alternatives) for h in hypotheses(plain, i)]
                assert [number >= needed for number in numbers] == met[i, :, j].tolist()
            if beam_size == 243:
                expected = {tuple(h.tokens): h.score for h in right}
                np.testing.assert_allclose([h.score for h in found], [h.score for h in right[:243]], atol=1e-4)
                for hypothesis in found:  # as a set: equal scores but for rounding are in any order
                    assert hypothesis.score == pytest.approx(expected.pop(tuple(hypothesis.tokens)), abs=1e-4)
            elif fits(wanted) and not unwanted:
                assert meets(hypotheses(plain, i)[0].tokens, wanted)


def test_equals_exhaustive_search_and_a_small_beam_meets_what_fits():
    check_cases(draw_cases(0, 12))


@pytest.mark.parametrize("seeds", [pytest.param(range(1, 3), marks=SLOW), pytest.param(range(100, 167), marks=NIGHTLY)])
def test_more_cases_as_graphs_and_with_xla(seeds):
    graph, xla = (tf.function(partial(run, search=beam_search), jit_compile=x, autograph=False) for x in (None, True))
    for seed in seeds:
        check_cases(draw_cases(seed, 30), graph, xla)


@settings(max_examples=2)
@given(
    seed=st.integers(0, 1000),
    beam_size=st.integers(1, 5),
    vocabulary_size=st.sampled_from([6, 16]),
    others=st.integers(0, 1000),
    beam=st.integers(1, 5),
)
def test_a_sentence_without_constraints_is_bit_equal_to_a_search_without_any(
    seed, beam_size, vocabulary_size, others, beam
):
    decoder = TableDecoder(vocabulary_size, seed, end_bias=1.0)
    decoder.table = np.round(decoder.table, 1)  # with ties
    ((_, others, _),) = draw_cases(others, 1)
    options = {"beam_size": beam_size, "max_lengths": tf.constant([8, 4, 8])}
    options["beam_sizes"] = tf.constant([beam_size, min(beam, beam_size), beam_size])
    constraints = packed([[], [], others])
    more = {"constraints": constraints, "processors": [SuppressSequences(constraints[:, :, 0])]}
    free = find(search_in_both_batches, decoder, [0, 1, 2], **options)
    found = find(search_in_both_batches, decoder, [0, 1, 2], **options, **more)
    for name, one, other in zip(free._fields, free, found, strict=True):
        np.testing.assert_array_equal(one[:2], other[:2], err_msg=name)


def test_a_beam_size_of_a_sentence_finds_what_a_search_with_it_finds():
    """Constraints propose tokens, some of which are among the likeliest of the whole beam only."""
    sentences = list(range(12))
    constraints = packed([found for _, found, _ in draw_cases(7, len(sentences))])
    decoder = TableDecoder(seed=2)
    options = {"max_length": LENGTH, "constraints": constraints}
    for own in (1, 3):
        beam_sizes = tf.fill([len(sentences)], own)
        results = [
            find(search_in_both_batches, decoder, sentences, beam_size=4, beam_sizes=beam_sizes, **options),
            find(search_in_both_batches, decoder, sentences, beam_size=own, **options),
        ]
        found, expected = ([hypotheses(result, i)[0] for i in range(len(sentences))] for result in results)
        assert [h.tokens for h in found] == [h.tokens for h in expected]
        np.testing.assert_allclose([h.score for h in found], [h.score for h in expected], atol=1e-4)


def test_a_constraint_goes_with_a_prefix():
    decoder = TableDecoder(seed=1)
    options = {"prefix": tf.constant([[7, 8]]), "constraints": tf.constant([[[[8, 9]], [[12, 13]]]])}
    best = hypotheses(find(search_in_both_batches, decoder, [0], beam_size=2, **options), 0)[0]
    assert best.tokens[:2] == [7, 8]
    assert meets(best.tokens, [[[8, 9]], [[12, 13]]])
    assert best.log_probability == pytest.approx(decoder.score_tokens(0, best.tokens), abs=1e-4)
