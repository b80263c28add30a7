"""Shortlists: the table, its file, the candidates of a batch, and searches over candidates."""

from __future__ import annotations

import sys
import tracemalloc
from collections import Counter

import h5py
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from small import make_shortlist

from keras_nmt.data.word_alignments import parse_pharaoh_alignments
from keras_nmt.errors import UserError
from keras_nmt.files.weights_file import write_digest
from keras_nmt.ids import BOS, EOS, PAD
from keras_nmt.inference import Shortlist, Translator
from keras_nmt.inference.aligned_subwords import AlignedSubwords
from keras_nmt.inference.alignment import words_of_subwords
from keras_nmt.inference.shortlist import ALWAYS, Candidates

SOURCES = ["the small cat sat", "a mouse", "", "seven cats sleep"]
TARGETS = ["die kleine katze saß", "drei rote hundekatzen", "die", "sieben schlafen"]
ALIGNMENTS = [[(0, 0), (1, 1), (2, 2), (3, 3)], [(0, 0), (1, 0), (1, 2)], [], [(0, 0), (2, 1)]]
WHOLE = 100  # the target vocabulary
ARRAYS = ("candidates", "probabilities", "frequent")


@pytest.fixture(scope="module")
def shortlist(tokenizers):
    return make_shortlist(tokenizers, SOURCES, TARGETS, ALIGNMENTS, num_candidates=3)


@pytest.fixture(scope="module")
def short(translator, shortlist):
    return translator.with_options(shortlist=shortlist, shortlist_size=30, max_length=8)


def hypotheses(translations):
    return [[(x.text, pytest.approx(x.score, abs=1e-4)) for x in found.hypotheses] for found in translations]


def test_the_table_counts_subwords_of_aligned_words(tokenizers, shortlist):
    counts: Counter[tuple[int, int]] = Counter()
    for source, target, pairs in zip(SOURCES, TARGETS, ALIGNMENTS, strict=True):
        of_source, of_target = (
            list(
                zip(
                    tokenizers[side].tokenize([text]).to_list()[0],
                    words_of_subwords(tokenizers[side], [text])[0],
                    strict=True,
                )
            )
            for side, text in (("source", source), ("target", target))
        )
        counts.update(
            (x, y) for i, j in pairs for x, of_x in of_source for y, of_y in of_target if (of_x, of_y) == (i, j)
        )
    assert len(counts) > 10
    for source in range(120):
        row = sorted(((-n, y) for (x, y), n in counts.items() if x == source))[:3]
        total = sum(n for (x, _), n in counts.items() if x == source)
        used = shortlist.probabilities[source] > 0
        assert shortlist.candidates[source][used].tolist() == [y for _, y in row]
        np.testing.assert_allclose(shortlist.probabilities[source][used], [-n / total for n, _ in row], rtol=1e-6)
    occurrences = Counter(y for ids in tokenizers["target"].tokenize(TARGETS).to_list() for y in ids)
    ranked = [occurrences[y] for y in shortlist.frequent.tolist()]
    assert ranked == sorted(ranked, reverse=True)
    assert sorted(shortlist.frequent) == list(range(WHOLE))
    assert shortlist.vocabulary_sizes == (120, WHOLE)


def test_joint_subwords_are_candidates_of_their_own(source_tokenizer):
    joint = {"source": source_tokenizer, "target": source_tokenizer}
    table = make_shortlist(joint, ["a mouse"], ["the cat"], [[(0, 0)]], num_candidates=4)
    (a,), (the,) = source_tokenizer.tokenize(["a", "the"]).to_list()
    assert sorted(table.candidates[a][:2]) == sorted([a, the])
    np.testing.assert_allclose(table.probabilities[a], [0.5, 0.5, 0, 0])
    assert table.candidates[the][0] == the
    assert table.probabilities[the][0] == 1


def test_alignments_of_other_programs():
    assert parse_pharaoh_alignments(["0-0 1-2 10-3", "", "  "]) == [[(0, 0), (1, 2), (10, 3)], [], []]
    for wrong in ("0", "0-", "a-b", "0--1", "0-1-2", "-1-0", "0-" + 5000 * "9"):
        with pytest.raises(UserError, match="Line 2 of the alignments must have pairs"):
            parse_pharaoh_alignments(["0-0", wrong])


def test_alignments_of_other_sentences_are_refused(tokenizers):
    for pair in ((4, 0), (0, 4), (-1, 0), (0, -1)):
        with pytest.raises(UserError, match=f"Line 1 .* of 4 and 4 words. Received: {pair[0]}-{pair[1]}"):
            make_shortlist(tokenizers, SOURCES, TARGETS, [[pair], [], [], []])
    for count in (3, 5):
        with pytest.raises(ValueError, match="zip"):
            make_shortlist(tokenizers, SOURCES, TARGETS, [[]] * count)


def test_words_without_subwords_are_passed_over(tokenizers):
    counts = AlignedSubwords(tokenizers)
    counts.add(["", "cats"], ["", "katzen"], [[], []])
    with pytest.raises(UserError, match=r"needs sentences with aligned words.* Received: 2 pair\(s\) of sentences "):
        counts.shortlist(50)
    counts = AlignedSubwords(tokenizers)
    counts.add(["\ufeff cats \ufeff"], ["die \ufeff katzen"], [[(0, 0), (1, 1), (1, 2), (2, 0)]])
    assert counts.passed_over == 3
    expected = make_shortlist(tokenizers, ["cats"], ["die katzen"], [[(0, 1)]])
    np.testing.assert_array_equal(counts.shortlist(50).candidates, expected.candidates)
    with pytest.raises(UserError, match=r"Line 2 .* of 1 and 1 words\. Received: 1-0"):
        counts.add(["cats"], ["katzen"], [[(1, 0)]])


@pytest.mark.parametrize(("part", "least"), [(1, 0), (2, 5), (3, 10**6)])
def test_parts_change_nothing(tokenizers, shortlist, monkeypatch, part, least):
    module = sys.modules["keras_nmt.inference.aligned_subwords"]
    monkeypatch.setattr(module, "PART", part)
    monkeypatch.setattr(module, "LEAST_COUNTED", least)
    counts = AlignedSubwords(tokenizers)
    for sentences in (slice(0, 3), slice(3, 4)):
        counts.add(SOURCES[sentences], TARGETS[sentences], ALIGNMENTS[sentences])
    found = counts.shortlist(3)
    assert all(np.array_equal(getattr(found, name), getattr(shortlist, name)) for name in ARRAYS)


@pytest.mark.nightly
def test_memory_does_not_grow_with_the_text(tokenizers, monkeypatch):
    monkeypatch.setattr(sys.modules["keras_nmt.inference.aligned_subwords"], "LEAST_COUNTED", 1000)

    def peak_of(repetitions):
        counts = AlignedSubwords(tokenizers)
        tracemalloc.start()
        for _ in range(repetitions):
            counts.add(SOURCES * 20, TARGETS * 20, ALIGNMENTS * 20)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak

    peak_of(1)
    assert peak_of(60) - peak_of(6) < 54 * 80 * 100  # 100 bytes a sentence; once, it was several kB


def test_the_file_holds_the_table_and_damaged_files_are_refused(shortlist, tmp_path):
    path, told = tmp_path / "table", r"must be a file of `keras-nmt shortlist`; make it again\. Received: "
    for name, change in (
        ("candidates", lambda x: np.full_like(x, WHOLE)),
        ("candidates", lambda x: np.full_like(x, -1)),
        ("candidates", lambda x: x[:, :2]),
        ("candidates", lambda x: x.astype("int64")),
        ("frequent", lambda x: x * 0),
        ("probabilities", lambda x: x * np.nan),
        ("probabilities", None),
    ):
        shortlist.write(path)
        with h5py.File(path, "r+") as file:
            values = file.pop(name)[()]
            if change is not None:
                file[name] = change(values)
            write_digest(file)
        with pytest.raises(UserError, match=told):
            Shortlist.read(path)
        path.unlink()
    shortlist.write(path)
    read = Shortlist.read(path)
    assert all(np.array_equal(getattr(read, name), getattr(shortlist, name)) for name in ARRAYS)
    assert read.subwords == shortlist.subwords
    with h5py.File(path, "r+") as file:
        file["frequent"][:2] = file["frequent"][:2][::-1]
    with pytest.raises(UserError, match="damaged"):
        Shortlist.read(path)
    path.write_bytes(b"0-0\n")
    with pytest.raises(UserError, match=f"{path} must be a file of `keras-nmt shortlist`"):
        Shortlist.read(path)
    with pytest.raises(FileNotFoundError):
        Shortlist.read(tmp_path / "nothing")


def expected_candidates(shortlist, size, source, prefix):
    """The candidates by their definition, one after the other."""
    table: Counter[int] = Counter()
    for word in [word for sentence in {tuple(row) for row in source} for word in sentence]:
        for y, p in zip(shortlist.candidates[word].tolist(), shortlist.probabilities[word].tolist(), strict=True):
            if p > 0:
                table[y] += p
    frequent = shortlist.frequent.tolist()
    order = [0, 1, 2, 3, *np.ravel(prefix).tolist(), *frequent[:ALWAYS]]
    order += [y for y, _ in sorted(table.items(), key=lambda entry: (-entry[1], entry[0]))] + frequent
    return sorted(list(dict.fromkeys(order))[:size])


@settings(max_examples=30)
@given(st.data())
def test_candidates_are_the_likeliest_of_a_batch(data):
    source_size, target_size, k = 30, 900, 20
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    candidates = np.array([rng.permutation(target_size)[:k] for _ in range(source_size)], "int32")
    probabilities = rng.integers(0, 5, (source_size, k)).astype("float32") / 4  # with ties, and entries not used
    shortlist = Shortlist(candidates, probabilities, rng.permutation(target_size).astype("int32"), ("", ""))
    size = data.draw(st.integers(ALWAYS + 20, target_size + 1))
    source = rng.integers(0, source_size, (data.draw(st.integers(1, 3)), 4)).astype("int32")
    source = source[[*range(len(source)), 0]]  # a copy, which does not count
    prefix = rng.integers(0, target_size, (len(source), data.draw(st.integers(0, 3)))).astype("int32")
    found, forced = Candidates(shortlist, size).select(tf.constant(source), tf.constant(prefix))
    assert int(forced) == len({0, 1, 2, 3, *np.ravel(prefix).tolist()})
    assert found.numpy().tolist() == expected_candidates(shortlist, size, source, prefix)


PENALTY, GREEDY = {"num_hypotheses": 3, "coverage_penalty": 0.3}, {"beam_size": 1}
SAMPLES = {"sample": True, "num_hypotheses": 2, "top_k": 5, "top_p": 0.9}


@pytest.mark.slow
@pytest.mark.parametrize("options", [PENALTY, GREEDY, SAMPLES])
def test_with_the_whole_vocabulary_nothing_changes(translator, shortlist, lines, options, eager):
    plain = translator.with_options(**options, max_length=6)
    whole = plain.with_options(shortlist=shortlist, shortlist_size=WHOLE)
    assert hypotheses(whole.translate(lines)) == hypotheses(plain.translate(lines))


@pytest.mark.nightly
def test_other_models_with_the_whole_vocabulary(make_multilingual, lines):
    model, tokenizers = make_multilingual("recurrent")
    sides = {"source": tokenizers["de"], "target": tokenizers["fr"]}
    plain = Translator(model.pair("de", "fr"), sides, beam_size=2, max_length=8)
    table = make_shortlist(sides, SOURCES, TARGETS, ALIGNMENTS)
    whole = plain.with_options(shortlist=table, shortlist_size=WHOLE)
    assert hypotheses(whole.translate(lines)) == hypotheses(plain.translate(lines))
    with pytest.raises(UserError, match="for a model of one direction.* Received: 9 directions"):
        Translator(model, tokenizers, shortlist=table)


def test_the_search_is_over_candidates_alone(short, model, tokenizers, shortlist, translator, eager):
    source = tf.concat([tokenizers["source"].tokenize(["seven cats sleep"]), [[EOS]]], 1).to_tensor()
    memory = model.encoder(source)
    flat = tf.nest.flatten(memory)
    (search,) = short.graph._searches
    chosen, _ = search.candidates_of(source, None, None)
    tokens, scores, _ = search(flat, source, seeds=None, prefix=None, candidates=chosen, compiled=False)
    candidates = expected_candidates(shortlist, 30, source.numpy(), [])
    tokens = tokens.numpy()[0, 0]
    tokens = tokens[tokens != PAD]
    assert set(tokens) <= set(candidates)
    unlimited, *_ = translator.graph._searches[0](flat, source, seeds=None, prefix=None, compiled=False)
    assert not set(np.ravel(unlimited)) <= set(candidates)  # the shortlist has an effect
    logits = model([source, tf.constant([[BOS, *tokens[:-1]]])], training=False).numpy()[0][:, candidates]
    log_probabilities = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
    total = sum(log_probabilities[t, candidates.index(token)] for t, token in enumerate(tokens))
    penalty = ((5 + len(tokens)) / 6) ** short.options.length_penalty
    assert float(scores[0, 0]) == pytest.approx(total / penalty, abs=1e-4)


@pytest.mark.nightly
def test_xla_changes_nothing(short, lines):
    compiled, prefixes = short.with_options(jit_compile=True), ["vögel", "", "", "vier"]
    assert hypotheses(compiled.translate(lines[3:], prefixes=prefixes)) == hypotheses(
        short.translate(lines[3:], prefixes=prefixes)
    )


def test_prefixes_are_candidates(short, shortlist, tokenizers, eager):
    lines, prefixes = ["the small cat", "a mouse"], ["vögel vier", ""]
    source = tokenizers["source"].tokenize(lines).to_tensor().numpy()
    forced = set(tokenizers["target"].tokenize(prefixes).to_list()[0])
    assert not forced <= set(expected_candidates(shortlist, 30, source, []))
    first, second = short.translate(lines, prefixes=prefixes)
    assert first.text.startswith("vögel vier")
    assert not second.text.startswith("vögel vier")
    with pytest.raises(UserError, match="more subwords than `shortlist_size`: raise it. Received: shortlist_size=5"):
        short.with_options(shortlist_size=5).translate(lines, prefixes=prefixes)


def test_a_shortlist_of_other_subwords_is_refused(make_model, source_tokenizer, shortlist):
    with pytest.raises(UserError, match="other subword models.* Received: a shortlist of 120 source and 100 target"):
        Translator(make_model(), source_tokenizer, shortlist=shortlist)
