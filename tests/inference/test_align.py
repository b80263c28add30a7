"""Word alignments by attention, and translations reranked by coverage of the source."""

from __future__ import annotations

import io
import re
import time

import numpy as np
import pytest
import sentencepiece
import tensorflow as tf
from sentencepiece.sentencepiece_model_pb2 import ModelProto

from keras_nmt.data import SubwordTokenizer
from keras_nmt.data.parallel_corpus import LINK_BASE
from keras_nmt.decoding import shift_right
from keras_nmt.errors import UserError
from keras_nmt.ids import EOS, PAD
from keras_nmt.inference import Translator
from keras_nmt.inference.alignment import subword_links, words_of_subwords
from keras_nmt.inference.shortlist import _ids_by_word
from keras_nmt.layers._recording import recording

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


def test_a_text_of_tabs_has_no_words(model, source_tokenizer, target_tokenizer, tmp_path):
    """Without normalisation, tabs are subwords."""
    proto = ModelProto.FromString(source_tokenizer.proto)
    proto.normalizer_spec.name, proto.normalizer_spec.precompiled_charsmap = "identity", b""
    (tmp_path / "tabs.model").write_bytes(proto.SerializeToString())
    tabs = SubwordTokenizer(tmp_path / "tabs.model")
    assert len(tabs.tokenize(["\t"]).to_list()[0]) > 0
    assert _ids_by_word(tabs, ["\t", "cat"])[0] == []
    translator = Translator(model, {"source": tabs, "target": target_tokenizer})
    assert translator.align(["\t", "the cat"], ["die katze"] * 2)[0] == []
    with pytest.raises(UserError, match="must be one of source, target. Received: 'de'"):
        translator.lengths(["a"], "de")


def test_subwords_of_aligned_words_are_linked(source_tokenizer, target_tokenizer):
    tokenizers, texts = (
        (source_tokenizer, target_tokenizer),
        (["the catmouse cats", "", "a"], ["dievögel die", "die", "a"]),
    )
    pairs = [[(1, 0), (2, 1), (1, 1)], [], [(0, 0)]]
    found = subword_links(tokenizers, *texts, pairs).to_list()
    words = [words_of_subwords(tokenizer, side) for tokenizer, side in zip(tokenizers, texts, strict=True)]
    for of_source, of_target, of_pairs, links in zip(*words, pairs, found, strict=True):
        assert links == [
            t * LINK_BASE + s for t, b in enumerate(of_target) for s, a in enumerate(of_source) if (a, b) in of_pairs
        ]
    assert len(found[0]) > 3  # words of several subwords
    assert subword_links(tokenizers, [], [], []).to_list() == []


@pytest.mark.parametrize("tied", [[], ["decoder"]], ids=["layers of their own", "tied layers"])
def test_a_trained_head_aligns(tied, make_model, source_tokenizer, target_tokenizer):
    """By default; a layer that is named aligns by the mean over its heads."""
    options = {"num_decoder_layers": 3, "target_vocabulary_size": 100, "tie_embeddings": False}
    model = make_model(**options, tied_layers=tied, alignment_head=2)
    tokenizers = {"source": source_tokenizer, "target": target_tokenizer}
    mean = type(model).from_config({**model.get_config(), "alignment_head": None})
    mean.set_weights(model.get_weights())
    texts = [SOURCES[0], SOURCES[3]], [" ".join(TARGETS[:2]), TARGETS[1]]
    by_head, by_mean = (Translator(x, tokenizers).align(*texts) for x in (model, mean))
    assert by_mean == Translator(mean, tokenizers).align(*texts, layer=2)
    assert by_mean == Translator(model, tokenizers).align(*texts, layer=2)
    assert by_head != by_mean
    source = source_tokenizer.tokenize(texts[0][:1]).numpy()
    target = target_tokenizer.tokenize(texts[1][:1])
    inputs = tf.constant(np.append(source, [[EOS]], axis=1)), shift_right(target.to_tensor())
    with recording() as records:
        model(inputs)
    (attention,) = model.recorded_alignment(records).numpy()
    np.testing.assert_allclose(attention, model.attention(model.encoder(inputs[0]), inputs[1])[0], atol=1e-6)
    words = [words_of_subwords(*x)[0] for x in ((source_tokenizer, texts[0][:1]), (target_tokenizer, texts[1][:1]))]
    best = attention[:, :-1].argmax(-1)
    assert by_head[0] == sorted({(words[0][s], words[1][t]) for t, s in enumerate(best)})


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
        target_ids = np.array([[*target_tokenizer.tokenize([target]).numpy()[0], EOS]])
        memory = translator.model.encoder(np.array([[*source_ids, EOS]]))
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
    for layer in (2, 0, "1", True):
        with pytest.raises(UserError, match=rf"layers 1 to 1\. Received: layer={layer!r}"):
            translator.align(["a"], ["b"], layer=layer)


def searched(translator, source, compiled=False):
    """Tokens [B, n, T] and scores [B, n] of source ids."""
    memory = translator.graph._encoders[0](source, compiled)
    found = translator.graph._searches[0](memory, source, seeds=None, prefix=None, compiled=compiled)
    return [x.numpy() for x in found]


@pytest.mark.parametrize("jit_compile", [False, pytest.param(True, marks=pytest.mark.nightly)])
def test_translations_that_cover_the_source_are_preferred(model, tokenizers, options, jit_compile):
    def make(**more) -> Translator:
        return Translator(model, tokenizers, **options, max_length=4, **more)

    text, beta = tf.constant(["seven cats sleep", "", "the small cat"]), 2.0
    plain, covering = make(num_hypotheses=3), make(num_hypotheses=2, coverage_penalty=beta)
    source = tokenizers["source"].tokenize(text)
    source = tf.concat([source, tf.fill([3, 1], EOS)], 1).to_tensor(PAD)
    ids, scores, _ = (x[:, :3] for x in searched(plain, source, jit_compile))
    new_ids, new_scores, _ = (x[:, :2] for x in searched(covering, source, jit_compile))
    changed = False
    for row in (0, 2):
        real = source.numpy()[row : row + 1]
        real = real[real != PAD][None]
        expected = []
        for tokens, score in zip(ids[row], scores[row], strict=True):
            attention = model.attention(model.encoder(real), shift_right(tokens[None]))[0].numpy()
            covered = attention[tokens != PAD, :-1].sum(0)  # not the EOS of the source
            expected.append((score + beta * np.log(np.minimum(covered, 1.0)).sum(), tokens.tolist()))
        ends = [EOS in tokens for _, tokens in expected]
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
