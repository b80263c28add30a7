"""Noise on source text, alone and in batches."""

from __future__ import annotations

import dataclasses
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small import subwords_of
from updates import corpus_of, join, same, take

from keras_nmt.data import (
    ParallelCorpus,
    PreparedCorpus,
    SourceNoise,
    SubwordSampling,
    SubwordTokenizer,
    TrainingBatches,
    write_prepared,
)
from keras_nmt.errors import UserError

RATES = [field.name for field in dataclasses.fields(SourceNoise) if field.name != "keep"]
LINES = ["the cat sat on the mat.", "a mat.", "<BT> that is that.", "A bat on a rat", "the hat that sat..."]

texts = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\n"), max_size=30)
rates = st.fixed_dictionaries({name: st.floats(0, 0.25) for name in RATES}).filter(lambda x: any(x.values()))


@given(noise=rates, lines=st.lists(st.tuples(texts, st.integers(0, 2**31 - 1)), max_size=4), seed=st.integers(0, 99))
def test_noise_of_a_line_depends_on_its_text_number_and_seeds_alone(noise, lines, seed):
    made = SourceNoise(**noise)
    lines = list({number: (text, number) for text, number in lines}.values())
    together = made.apply([text for text, _ in lines], [number for _, number in lines], (seed, 1))
    assert together == [made.apply([text], [number], (seed, 1))[0] for text, number in lines]
    assert together[::-1] == made.apply(*map(list, zip(*lines[::-1], strict=True)), (seed, 1)) if lines else True
    for (text, _), noisy in zip(lines, together, strict=True):
        assert bool(text.strip(" ")) == bool(noisy.strip(" "))  # never empty
        assert text.count(" ") - noisy.count(" ") in (0, text.rstrip() != text and text.count(" ") - noisy.count(" "))
        assert "\n" not in noisy


@pytest.mark.parametrize("name", RATES)
def test_without_its_rate_no_line_has_a_kind_of_noise_and_with_rate_1_each_has(name):
    """The letters, and what is left when the noise is undone."""
    text = "Häuser sind hier, Katzen dort."
    (other,) = SourceNoise(**{name: 1.0}).apply([text], [5], (1, 2))
    assert other != text
    expected = {
        "lowercase": text.lower(),
        "uppercase": text.upper(),
        "titlecase": "Häuser Sind Hier, Katzen Dort.",
        "final_stop": text[:-1],
        "swap": "äHsure isdn ihre, aKztne odtr.",  # letters only
        "drop": "r d r, n t.",
    }
    if name in expected:
        assert other == expected[name]
    else:
        added = (lambda word: 0) if name == "neighbour" else (lambda word: sum(map(str.isalpha, word)))
        assert [len(word) for word in other.split(" ")] == [len(word) + added(word) for word in text.split(" ")]
        assert ("ä" in other) == (name == "neighbour") or "ää" in other
    tiny = SourceNoise(**{name: 1e-12}).apply([text] * 50, range(50), (1, 2))
    assert tiny == [text] * 50


def test_rates_are_shares_of_letters_and_lines():
    words = ["abcdefgh"] * 2000
    for name in ("drop", "insert", "neighbour"):
        noisy = SourceNoise(**{name: 0.1}).apply(words, range(2000), (3,))
        if name == "neighbour":
            changed = sum(a != b for word in noisy for a, b in zip(word, "abcdefgh", strict=True))
        else:
            changed = sum(abs(len(word) - 8) for word in noisy)
        assert changed / 16000 == pytest.approx(0.1, abs=0.01)
    cased = Counter(SourceNoise(lowercase=0.2, uppercase=0.3).apply(["Ab cd"] * 4000, range(4000), (3,)))
    assert {text: round(number / 4000, 1) for text, number in cased.items()} == {
        "ab cd": 0.2,
        "AB CD": 0.3,
        "Ab cd": 0.5,
    }
    twice = SourceNoise(neighbour=0.5).apply(["abcdefgh"] * 2, [7, 7], (3,))
    assert twice[0] != twice[1]  # a line that an epoch has twice
    assert SourceNoise(neighbour=0.5).apply(["abcdefgh"], [7], (4,)) != twice[:1]


def test_full_stops_and_kept_words():
    noise = SourceNoise(final_stop=1.0, drop=0.9)
    kept = SourceNoise(final_stop=1.0).apply(["a b. ", "...", ".", "!", "猫。", "so..."], range(6), (1,))
    assert kept == ["a b", "...", ".", "!", "猫", "so..."]
    assert noise.apply(["<BT> cats"], [1], (1,), keep={"<BT>"})[0].startswith("<BT> ")


def test_wrong_rates():
    for rates, message in (
        ({}, "Missing rate of noise"),
        ({"swap": 1.5}, r"from 0 to 1\. Received: swap=1\.5"),
        ({"swap": "much"}, "a number from 0 to 1"),
        ({"swap": 0.6, "drop": 0.6}, "The sum of swap, drop, insert, neighbour must be at most 1"),
        ({"swop": 0.1}, "known are swap, "),
    ):
        with pytest.raises(UserError, match=message):
            SourceNoise.from_settings(rates)
    assert SourceNoise(swap=np.float32(0.5)).swap == 0.5


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> tuple[ParallelCorpus, SubwordTokenizer, Path]:
    folder = tmp_path_factory.mktemp("texts")
    tokenizer = subwords_of(folder, "\n".join(LINES * 30), vocabulary_size=40, user_symbols=["<BT>"])
    read = corpus_of(folder, LINES * 30, LINES * 30, tokenizer)
    write_prepared(read, folder / "prepared", tokenizer, tokenizer)
    return read, tokenizer, folder / "prepared"


@pytest.mark.parametrize("alpha", [pytest.param(None, marks=pytest.mark.slow), 0.2])
def test_batches_have_noisy_sources_and_clean_targets(corpus, alpha):
    read, tokenizer, prepared = corpus
    noise = SourceNoise(neighbour=0.2, titlecase=0.2, final_stop=0.5)
    sampling = SubwordSampling(tokenizer, tokenizer, alpha=alpha, noise=noise)
    batches = TrainingBatches(read, batch_size=200, seed=4, sampling=sampling)
    updates = batches.updates_per_epoch
    elements = take(batches.dataset(), 2 * updates)
    texts = [text.decode() for text in read.text[0].tolist()]
    lines = read.line_numbers.tolist()
    for epoch in (0, 1):
        found = {}
        for batch in elements[epoch * updates : (epoch + 1) * updates]:
            sides = [tokenizer.detokenize(batch[key]).numpy().tolist() for key in ("source", "target_output")]
            found |= {int(line): pair for line, *pair in zip(batch["line_numbers"], *sides, strict=True) if line > 0}
        assert sorted(found) == list(range(1, len(LINES) * 30 + 1))
        assert all(target.decode() == (LINES * 30)[line - 1] for line, (_, target) in found.items())
        expected = noise.apply(texts, lines, (4, epoch, 0), {"<BT>"})
        read_again = tokenizer.detokenize(tokenizer.tokenize(expected)).numpy()
        assert [found[line][0].decode().replace(" ⁇ ", "?") for line in lines] == [
            text.decode().replace(" ⁇ ", "?") for text in read_again
        ]
        assert sum(found[line][0] != found[line][1] for line in lines) > 100
    # The noise depends neither on the workers nor on the place to go on from, nor on whether a corpus is prepared.
    assert same(take(batches.dataset(updates + 2), 3), elements[updates + 2 : updates + 5])
    shards = [take(batches.dataset(3, 2, shard, 2), 4) for shard in range(2)]
    assert same(join([part for pair in zip(*shards, strict=True) for part in pair], 2), elements[3:7])
    on_disk = PreparedCorpus(prepared / "source", prepared / "target", text=True)
    other = TrainingBatches(on_disk, batch_size=200, seed=4, sampling=sampling)
    assert same(take(other.dataset(), updates), elements[:updates])


def test_tags_of_imported_models_stay(tmp_path):
    # Their subwords begin with SentencePiece's sign of a space.
    symbols = ["\u2581>>fra<<"]
    tokenizer = subwords_of(tmp_path, "\n".join(LINES * 30), vocabulary_size=60, user_symbols=symbols)
    read = corpus_of(tmp_path, [f">>fra<< {line}" for line in LINES * 30], LINES * 30, tokenizer)
    sampling = SubwordSampling(tokenizer, tokenizer, noise=SourceNoise(swap=0.5, uppercase=1))
    source, _ = sampling.segment(read, np.arange(30), (1, 0, 0))
    starts = np.cumsum([0, *source.lengths[:-1]])
    assert source.values[starts].tolist() == [tokenizer.pieces().index(symbols[0])] * 30


def test_a_source_without_subwords_stays_as_it_is(corpus, monkeypatch):
    read, tokenizer, _ = corpus
    monkeypatch.setattr(SourceNoise, "apply", lambda self, texts, *others: [" "] * len(texts))
    sampling = SubwordSampling(tokenizer, tokenizer, noise=SourceNoise(drop=0.1))
    source, _ = sampling.segment(read, np.arange(5), (1, 0))
    assert source.lengths.tolist() == read.source_lengths[:5].tolist()
    assert source.values.tolist() == read.source[:5].flat_values.numpy().tolist()


def test_other_letters_are_beside_theirs_on_a_qwerty_keyboard():
    """Each row of the keyboard is shifted by half a key, and the case is that of the letter."""
    for letter, beside in (("a", "qwsz"), ("g", "tyfhvb"), ("m", "jkn"), ("G", "TYFHVB")):
        words = [2 * letter] * 200
        replaced = SourceNoise(neighbour=1.0).apply(words, range(200), (1,))
        assert set("".join(replaced)) == set(beside)
        inserted = SourceNoise(insert=1.0).apply(words, range(200), (1,))
        assert {word[::2] for word in inserted} == {2 * letter}
        assert set("".join(word[1::2] for word in inserted)) == set(beside)
