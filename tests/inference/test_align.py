"""Word alignments by attention, and translations reranked by coverage of the source."""

from __future__ import annotations

import io
import re
import time

import numpy as np
import pytest
import sentencepiece
import tensorflow as tf

from keras_nmt.decoding import shift_right
from keras_nmt.errors import UserError
from keras_nmt.ids import END, PAD
from keras_nmt.inference import Translator
from keras_nmt.inference.alignment import words_of_subwords
from keras_nmt.text import SubwordTokenizer

SOURCES = ["the small cat  sat", "a mouse", "", "seven cats sleep in the garden"]
TARGETS = ["die kleine katze", "drei rote hunde", "die", ""]


def test_subwords_map_to_words(source_tokenizer):
    # Only spaces and tabs end words, as for the programs that align words.
    no_break = "10\u00a0000 cats\u202f! the\u2009cat\u3000sat"
    for text in ("the small cat", "  the \t small cat ", "zürich ☃ ﬁne", "x\u3000yz the", no_break, "", "   "):
        (found,) = words_of_subwords(source_tokenizer, [text])
        assert len(found) == len(source_tokenizer.tokenize([text]).numpy()[0])
        assert found == sorted(found)
        words = [word for word in text.replace("\t", " ").split(" ") if word]
        assert set(found) == set(range(len(words)))
    # Joined again, the subwords of a word are the word.
    (of_word,) = words_of_subwords(source_tokenizer, ["three zürich dogs"])
    ids = source_tokenizer.tokenize(["three zürich dogs"]).numpy()[0]
    for number, word in enumerate(["three", "zürich", "dogs"]):
        kept = [[id_ for id_, of in zip(ids, of_word, strict=True) if of == number]]
        assert source_tokenizer.detokenize(kept).numpy()[0].decode() == word


def test_words_without_subwords_have_numbers(source_tokenizer):
    for text, expected in (("\ufeff cats", {1}), ("the \x01 cat", {0, 2}), ("the\ufeff \ufeff\x01 cat", {0, 2})):
        assert set(words_of_subwords(source_tokenizer, [text])[0]) == expected


@pytest.mark.parametrize(
    "options",
    [
        {"normalization_rule_name": "identity", "remove_extra_whitespaces": False},
        {"normalization_rule_name": "identity", "remove_extra_whitespaces": False, "split_by_whitespace": False},
        {"treat_whitespace_as_suffix": True},
    ],
    ids=["keeps spaces", "across spaces", "spaces as suffixes"],
)
def test_words_of_texts_do_not_depend_on_the_other_texts(options):
    written, ids = io.BytesIO(), {"pad_id": 0, "unk_id": 1, "bos_id": 2, "eos_id": 3}
    rng = np.random.default_rng(2)
    texts = ["".join(rng.choice(["the", "cat", "a", " ", " ", "  "], rng.integers(0, 7))) for _ in range(60)]
    sentencepiece.SentencePieceTrainer.train(
        **ids,
        **options,
        sentence_iterator=iter([*texts, "the cat"]),
        model_writer=written,
        vocab_size=16,
        minloglevel=2,
    )
    tokenizer = SubwordTokenizer(written.getvalue())
    found = words_of_subwords(tokenizer, texts)
    assert found == [words_of_subwords(tokenizer, [text])[0] for text in texts]
    _, starts, limits = (x.to_list() for x in tokenizer.tokenize_with_offsets(texts))
    at_end = 0
    for text, words, *offsets in zip(texts, found, starts, limits, strict=True):
        begins = [match.start() for match in re.finditer(r"\S+", text)]
        for word, start, limit in zip(words, *offsets, strict=True):
            letters = [place for place in range(start, len(text)) if text[place] != " "]
            first = min([*letters, limit])  # of the subword, or where it ends
            assert word == max(sum(begin <= min(first, limit) for begin in begins) - 1, 0)
            at_end += limit == len(text) and text[start:].isspace()
    assert at_end > 5 or "treat_whitespace_as_suffix" in options, "a subword of spaces before the next text"


def test_each_target_word_is_aligned_to_the_source_word_with_most_attention(
    translator, source_tokenizer, target_tokenizer
):
    alignments = translator.align(SOURCES, TARGETS)
    for source, target, pairs in zip(SOURCES, TARGETS, alignments, strict=True):
        if not source or not target:
            assert pairs == []
            continue
        source_ids = source_tokenizer.tokenize([source]).numpy()[0]
        target_ids = np.array([[*target_tokenizer.tokenize([target]).numpy()[0], END]])
        memory = translator.model.encoder(np.array([[*source_ids, END]]))
        attention = translator.model.attention(memory, shift_right(target_ids))[0].numpy()
        looked_at = attention[:-1, :-1].argmax(-1)
        source_words = np.array(words_of_subwords(source_tokenizer, [source])[0])
        expected = set(zip(source_words[looked_at], words_of_subwords(target_tokenizer, [target])[0], strict=True))
        assert set(pairs) == expected
        assert pairs == sorted(pairs)
        assert {word for _, word in pairs} == set(range(len(target.split())))
    assert len({word for word, _ in alignments[0]} | {word for word, _ in alignments[1]}) > 1
    with pytest.raises(UserError, match="Received: 1 sources, 2 targets"):
        translator.align(["a"], ["b", "c"])
    with pytest.raises(UserError, match=r"layers 1 to 1\. Received: layer=2"):
        translator.align(["a"], ["b"], layer=2)


def searched(translator, source, compiled=False):
    """Tokens [B, n, T] and scores [B, n] of source ids."""
    memory = translator.graph._encoders[0](source, compiled)
    found = translator.graph._searches[0](memory, source, seeds=None, prefix=None, compiled=compiled)
    return [x.numpy() for x in found]


@pytest.mark.parametrize("jit_compile", [False, pytest.param(True, marks=pytest.mark.exhaustive)])
def test_translations_that_cover_the_source_are_preferred(model, tokenizers, options, jit_compile):
    def make(**more) -> Translator:
        return Translator(model, tokenizers, **options, max_length=4, **more)

    text, beta = tf.constant(["seven cats sleep", "", "the small cat"]), 2.0
    plain, covering = make(num_hypotheses=3), make(num_hypotheses=2, coverage_penalty=beta)
    source = tokenizers["source"].tokenize(text)
    source = tf.concat([source, tf.fill([3, 1], END)], 1).to_tensor(PAD)
    ids, scores, _ = (x[:, :3] for x in searched(plain, source, jit_compile))
    new_ids, new_scores, _ = (x[:, :2] for x in searched(covering, source, jit_compile))
    changed = False
    for row in (0, 2):
        real = source.numpy()[row : row + 1]
        real = real[real != PAD][None]
        expected = []
        for tokens, score in zip(ids[row], scores[row], strict=True):
            attention = model.attention(model.encoder(real), shift_right(tokens[None]))[0].numpy()
            covered = attention[tokens != PAD, :-1].sum(0)  # not the END of the source
            expected.append((score + beta * np.log(np.minimum(covered, 1.0)).sum(), tokens.tolist()))
        ends = [END in tokens for _, tokens in expected]
        order = sorted(range(3), key=lambda i: (not ends[i], -expected[i][0]))
        assert new_ids[row].tolist() == [expected[i][1] for i in order[:2]]
        np.testing.assert_allclose(new_scores[row], [expected[i][0] for i in order[:2]], atol=1e-3)
        assert (new_scores[row] < scores[row].max()).all()
        changed |= new_ids[row].tolist() != ids[row, :2].tolist()
    assert changed
    assert covering.translate([""])[0].score == 0.0


def test_penalties_out_of_range_are_refused(model, tokenizers):
    for options in ({"coverage_penalty": -1.0}, {"coverage_penalty": 0.2, "sample": True}):
        with pytest.raises(UserError, match=f"Received: coverage_penalty={options['coverage_penalty']}"):
            Translator(model, tokenizers, **options)


def test_the_coverage_penalty_needs_attention_to_the_source(make_multilingual):
    model, tokenizers = make_multilingual("recurrent")
    pair = model.pair("de", "fr")
    translator = Translator(
        pair, {"source": tokenizers["de"], "target": tokenizers["fr"]}, coverage_penalty=0.2, max_length=4
    )
    with pytest.raises(UserError, match="`coverage_penalty` needs .* with a bridge$"):
        translator.translate(["the small cat"])


def test_the_words_of_a_very_long_line_take_linear_time(source_tokenizer):
    text = "the\u3000small cat häuser " * 5000
    start = time.monotonic()
    (words,) = words_of_subwords(source_tokenizer, [text])
    assert time.monotonic() - start < 10  # by counting for each subword it was minutes
    assert words == sorted(words)
    assert words[-1] == len(text.strip().split(" ")) - 1
