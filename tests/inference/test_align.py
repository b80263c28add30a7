"""Word alignments by attention: coverage of the source, and unknown subwords that copy it."""

from __future__ import annotations

import io
import re
import time

import numpy as np
import pytest
import sentencepiece
import tensorflow as tf
from sentencepiece.sentencepiece_model_pb2 import ModelProto
from small import ONE_SHAPE, FavourUnknown, searched, slow, texts_of

from keras_nmt.data import SubwordTokenizer, train_subwords
from keras_nmt.data.parallel_corpus import LINK_BASE
from keras_nmt.decoding import shift_right
from keras_nmt.ids import EOS, PAD
from keras_nmt.inference import Translator
from keras_nmt.inference.alignment import copies_of_texts, join_with_copies, subword_links, words_of_subwords
from keras_nmt.layers._taps import recording
from keras_nmt.serving import export

SOURCES = ["the small cat  sat", "seven cats sleep in the garden"]
TARGETS = ["die kleine katze drei rote hunde", "drei rote hunde"]


def test_subwords_map_to_words(source_tokenizer):
    # Only spaces and tabs end words, as for the programs that align words.
    no_break = "10\u00a0000 cats\u202f! the\u2009cat\u3000sat"
    for text in ("the small cat", "  the \t small cat ", "zürich ☃ ﬁne", "x\u3000yz the", no_break, "", "   "):
        (found,) = words_of_subwords(source_tokenizer, [text])
        assert len(found) == len(source_tokenizer.tokenize([text]).numpy()[0])
        assert found == sorted(found)
        words = [word for word in text.replace("\t", " ").split(" ") if word]
        assert set(found) == set(range(len(words)))
    for text, expected in (("\ufeff cats", {1}), ("the \x01 cat", {0, 2}), ("the\ufeff \ufeff\x01 cat", {0, 2})):
        assert set(words_of_subwords(source_tokenizer, [text])[0]) == expected  # words without subwords have numbers
    # Joined again, the subwords of a word are the word.
    (of_word,) = words_of_subwords(source_tokenizer, ["three zürich dogs"])
    ids = source_tokenizer.tokenize(["three zürich dogs"]).numpy()[0]
    for number, word in enumerate(["three", "zürich", "dogs"]):
        kept = [[id_ for id_, of in zip(ids, of_word, strict=True) if of == number]]
        assert source_tokenizer.detokenize(kept).numpy()[0].decode() == word


def test_white_space_around_a_text_is_read_by_no_model_and_words_are_those_of_the_line(source_tokenizer):
    """Without normalisation, tabs and line breaks are subwords inside a text."""
    proto = ModelProto.FromString(source_tokenizer.proto)
    proto.normalizer_spec.name, proto.normalizer_spec.precompiled_charsmap = "identity", b""
    tokenizer = SubwordTokenizer(proto.SerializeToString())
    ids, words = (method(tokenizer, ["the cat"]) for method in (SubwordTokenizer.tokenize, words_of_subwords))
    texts = ["the cat\n", "the cat \r\n", " \tthe cat\x0b\x0c", "\n\nthe cat", "\n the cat\n \n", "\t", "\n"]
    found = tokenizer.tokenize(texts).to_list()
    assert found == [*ids.to_list() * 5, [], []]
    assert tokenizer.tokenize(["the\ncat"]).to_list() != ids.to_list()
    drawn, _ = tokenizer.sample([text.encode() for text in texts], 0.1, seed=0)
    again, _ = tokenizer.sample([text.strip().encode() for text in texts], 0.1, seed=0)
    np.testing.assert_array_equal(drawn, again)
    moved = [1 + word for word in words[0]]  # the first word of the line is a line break
    assert words_of_subwords(tokenizer, texts) == [*words * 4, moved, [], []]


def test_subwords_of_aligned_words_are_linked(source_tokenizer, target_tokenizer):
    tokenizers = source_tokenizer, target_tokenizer
    texts = ["the catmouse cats", "", "a"], ["dievögel die", "die", "a"]
    pairs = [[(1, 0), (2, 1), (1, 1)], [], [(0, 0)]]
    found = subword_links(tokenizers, *texts, pairs).to_list()
    words = [words_of_subwords(tokenizer, side) for tokenizer, side in zip(tokenizers, texts, strict=True)]
    for of_source, of_target, of_pairs, links in zip(*words, pairs, found, strict=True):
        assert links == [
            t * LINK_BASE + s for t, b in enumerate(of_target) for s, a in enumerate(of_source) if (a, b) in of_pairs
        ]
    assert len(found[0]) > 3  # words of several subwords
    assert subword_links(tokenizers, [], [], []).to_list() == []


@pytest.mark.parametrize("tied", [[], slow(["decoder"])])
def test_a_trained_head_aligns(tied, make_model, tokenizers, eager):
    """By default; a layer that is named aligns by the mean over its heads."""
    options = {"num_decoder_layers": 3, "target_vocabulary_size": 100, "tie_embeddings": False}
    model = make_model(**options, tied_layers=tied, alignment_head=2)
    mean = type(model).from_config({**model.get_config(), "alignment_head": None})
    mean.set_weights(model.get_weights())
    texts = {"source": SOURCES, "target": TARGETS}
    by_head, by_mean = (Translator(x, tokenizers).align(*texts.values()) for x in (model, mean))
    assert by_mean == Translator(model, tokenizers).align(*texts.values(), layer=2)
    assert by_head != by_mean
    source, target = (tokenizers[side].tokenize(x[:1]) for side, x in texts.items())
    inputs = tf.constant(np.append(source.numpy(), [[EOS]], axis=1)), shift_right(target.to_tensor())
    with recording() as records:
        model(inputs)
    (attention,) = model.recorded_alignment(records).numpy()
    np.testing.assert_allclose(attention, model.attention(model.encoder(inputs[0]), inputs[1])[0], atol=1e-6)
    words = [words_of_subwords(tokenizers[side], x[:1])[0] for side, x in texts.items()]
    best = attention[:, :-1].argmax(-1)
    assert by_head[0] == sorted({(words[0][s], words[1][t]) for t, s in enumerate(best)})


KEEPS_SPACES = {"normalization_rule_name": "identity", "remove_extra_whitespaces": False}
ACROSS_SPACES, AS_SUFFIXES = {**KEEPS_SPACES, "split_by_whitespace": False}, {"treat_whitespace_as_suffix": True}


@pytest.mark.parametrize("options", [KEEPS_SPACES, slow(ACROSS_SPACES), slow(AS_SUFFIXES)])
def test_words_of_texts_do_not_depend_on_the_other_texts(options):
    written, ids = io.BytesIO(), {"pad_id": 0, "unk_id": 1, "bos_id": 2, "eos_id": 3}
    rng = np.random.default_rng(2)
    texts = ["".join(rng.choice(["the", "cat", "a", " ", " ", "  "], rng.integers(0, 7))) for _ in range(60)]
    sentences = {"sentence_iterator": iter([*texts, "the cat"]), "model_writer": written}
    sentencepiece.SentencePieceTrainer.train(**ids, **options, **sentences, vocab_size=16, minloglevel=2)
    tokenizer = SubwordTokenizer(written.getvalue())
    found = words_of_subwords(tokenizer, texts)
    assert found == [words_of_subwords(tokenizer, [text])[0] for text in texts]
    texts = [text.strip() for text in texts]
    assert found == words_of_subwords(tokenizer, texts)
    _, starts, limits = (x.to_list() for x in tokenizer.tokenize_with_offsets(texts))
    for text, words, *offsets in zip(texts, found, starts, limits, strict=True):
        begins = [match.start() for match in re.finditer(r"\S+", text)]
        for word, start, limit in zip(words, *offsets, strict=True):
            letters = [place for place in range(start, len(text)) if text[place] != " "]
            first = min([*letters, limit])  # of the subword, or where it ends
            assert word == max(sum(begin <= min(first, limit) for begin in begins) - 1, 0)


def test_translations_that_cover_the_source_are_preferred(model, tokenizers, options, eager):
    def make(**more) -> Translator:
        return Translator(model, tokenizers, **options, max_length=4, **more)

    texts, beta = ["seven cats sleep", "", "the small cat"], 2.0
    plain, covering = make(num_hypotheses=3), make(num_hypotheses=2, coverage_penalty=beta)
    ids, scores, _ = (x[:, :3] for x in searched(plain, texts))
    new_ids, new_scores, _ = (x[:, :2] for x in searched(covering, texts))
    changed = False
    for row in (0, 2):
        real = np.append(tokenizers["source"].tokenize(texts[row : row + 1]).numpy(), [[EOS]], axis=1)
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


def test_coverage_copies_and_alignments_do_not_depend_on_the_batch(model, tokenizers, options, eager):
    """The first words included: in a beam, their attention could be that of another sentence."""
    more = {"coverage_penalty": 2.0, "unknown": "replace", "processors": [FavourUnknown()], "max_length": 5}
    translator = Translator(model, tokenizers, **{**options, **more})
    lines = ["seven cats sleep", "zürich", "the small cat"]
    found = translator.translate(lines)
    alone = [translator.translate([line])[0] for line in lines]
    assert texts_of(found) == texts_of(alone)
    np.testing.assert_allclose([x.score for x in found], [x.score for x in alone], atol=1e-4)
    texts = [x.text for x in found]
    pairs = zip(lines, texts, strict=True)
    assert translator.align(lines, texts) == [translator.align([a], [b])[0] for a, b in pairs]


@pytest.mark.slow
def test_the_words_of_a_very_long_line_take_linear_time(source_tokenizer):
    text = "the\u3000small cat häuser " * 5000
    start = time.process_time()
    (words,) = words_of_subwords(source_tokenizer, [text])
    assert time.process_time() - start < 10  # by counting for each subword it was minutes
    assert words == sorted(words)
    assert words[-1] == len(text.strip().split(" ")) - 1


# Unknown subwords replaced by text of the source; test_options_by_models.py has all models.
LINES = ["the small, ☃ cat!", "", "a møuse", "☃ seven  cats"]
UNKNOWN = {**ONE_SHAPE, "processors": [FavourUnknown()], "unknown": "replace"}


@pytest.mark.parametrize(
    ("source", "pieces", "attended", "expected"),
    [
        ("the ☃ cat", "▁die ▁ <unk> ▁katze", "☃", "die ☃ katze"),
        ("a møuse sat", "▁saß <unk> v", "ø", "saßøv"),
        ('the "cat",', "▁die <unk> v", "cat", "cat"),  # a part of a word that the source has in known subwords
        ("the cat", "▁die ▁ v <unk> <unk> ▁hunde", "cat", "die cat hunde"),  # once for a word
        ("the cat ☃", "<unk> ▁die", "☃", "☃ die"),
        ("cat", "▁ v <unk> </s>", "cat", "cat"),
    ],
)
def test_an_unknown_subword_becomes_what_it_attends_to(
    source_tokenizer, target_tokenizer, source, pieces, attended, expected
):
    known = {piece: i for i, piece in enumerate(target_tokenizer.pieces(0, 200))}
    tokens = tf.constant([[known[piece] for piece in pieces.split()]])
    ids, starts, _ = source_tokenizer.tokenize_with_offsets([source])
    place = source.encode().index(attended.encode())
    position = sum(start <= place for start in starts.to_list()[0]) - 1
    copies = copies_of_texts(source_tokenizer, tf.constant([source]), 99).to_tensor("")
    (text,) = join_with_copies(
        target_tokenizer, tokens, ids.to_tensor(), copies, tf.fill(tokens.shape, position)
    ).numpy()
    assert text.decode() == expected


def test_in_a_script_without_spaces_the_unknown_subword_alone_is_replaced(target_tokenizer, tmp_path):
    (tmp_path / "text").write_text("我喜欢大学。\n你喜欢学校。\nnina likes it\n")
    chinese = SubwordTokenizer(train_subwords(tmp_path / "text", tmp_path / "m", vocabulary_size=40))
    tokens = chinese.tokenize(["我喜欢桂的大学。"])
    assert 1 in tokens.to_list()[0]
    copies = tf.constant([["Guilin"]])
    tokens = tokens.to_tensor()
    (text,) = join_with_copies(chinese, tokens, tf.constant([[9]]), copies, tf.zeros_like(tokens))
    assert text.numpy().decode().startswith("我喜欢Guilin")
    assert text.numpy().decode().endswith("大学。")
    (found,) = copies_of_texts(chinese, tf.constant(["我喜欢大学。 nina"]), 99).to_list()
    assert max(len(x.decode()) for x in found[:-1]) < 6, "no whole sentence"
    assert "nina" in [x.decode() for x in found]


@pytest.mark.nightly
def test_only_what_the_model_reads_of_a_long_text_is_copied(model, tokenizers, source_tokenizer, monkeypatch, eager):
    read = []

    def join(tokenizer, tokens, source, copies, attended):
        read.append((source.shape[1], copies.shape[1], int(tf.reduce_max(tf.strings.length(copies)))))
        return join_with_copies(tokenizer, tokens, source, copies, attended)

    monkeypatch.setattr("keras_nmt.inference.segmentation.join_with_copies", join)
    translator = Translator(model, tokenizers, **UNKNOWN)
    most = translator.length_buckets[-1]
    Translator(model, tokenizers, **UNKNOWN).translate(["☃ cat " * 999, "☃" + "cat" * 999, "☃"])
    assert [sizes[:2] for sizes in read] == [(most, most)]
    assert read[0][2] <= 3 * most, "a word"
    text = tf.constant(["the small, ☃ cat! a møuse", "", "cat"])
    every = copies_of_texts(source_tokenizer, text, 99)
    # Words are copied without punctuation, and unknown characters as they are.
    (found,) = copies_of_texts(source_tokenizer, tf.constant(["cat, -- (the) ☃"]), 99).to_list()
    assert {x.decode() for x in found} == {"cat", ",", "--", "(", "the", ")", "☃"}
    for count in range(1, 12):
        found = copies_of_texts(source_tokenizer, text, count).to_list()
        for some, full in zip(found, every.to_list(), strict=True):
            assert len(some) == min(count, len(full))
            assert some[:-1] == full[: len(some)][:-1]
            assert not some or some[-1] in full[max(len(some) - 2, 0) :][:2]  # of a space: a word beside it


@pytest.mark.nightly
def test_compiled_and_exported_graphs_replace_alike(model, tokenizers, tmp_path):
    translator = Translator(model, tokenizers, **UNKNOWN)
    expected = [x.text for x in translator.translate(LINES)]
    assert "small" in expected[0].split()
    assert [x.text for x in translator.with_options(jit_compile=True).translate(LINES)] == expected
    assert [x.text for x in translator.translate(LINES, word_scores=True)] == expected
    loaded = tf.saved_model.load(str(export(tmp_path, model, tokenizers, **UNKNOWN)))
    for name in ("serving_default", "serving_default_xla"):
        answer = loaded.signatures[name](text=tf.constant(LINES))["translation"]
        assert [text.decode() for text in answer.numpy()] == expected


@pytest.mark.slow
def test_every_hypothesis_and_alternative_replaces_its_own(model, tokenizers):
    """Also where parts are computed together: in a function from the second call on."""
    translator = Translator(model, tokenizers, **{**UNKNOWN, "beam_size": 3, "num_hypotheses": 3})
    written = translator.with_options(unknown="write")
    scored = translator.translate(LINES, word_scores=True)
    found = texts_of(scored)
    assert [[" ".join(word.text for word in x.words) for x in row.hypotheses] for row in scored] == found
    assert texts_of(translator.translate(LINES)) == found
    assert [texts_of(translator.translate([line]))[0] for line in LINES] == found
    assert all(len(set(row)) == len(row) for row in found if any(row))
    assert any("⁇" in x.text for row in written.translate(LINES) for x in row.hypotheses)
    assert not any("⁇" in text for row in found for text in row)
    rows = translator.alternatives(LINES, [""] * len(LINES), count=5)
    of_words = [(line, x) for line, row in zip(LINES, rows, strict=True) for x in row if x.piece.startswith("▁")]
    lines, alternatives = zip(*((line, x) for line, x in of_words if x.piece != "▁"), strict=True)
    begun = translator.translate(lines, prefixes=[x.piece[1:] for x in alternatives])
    for row, alternative in zip(begun, alternatives, strict=True):
        by_score = {round(x.score, 3): x.text for x in row.hypotheses}
        assert by_score[round(alternative.hypothesis.score, 3)] == alternative.hypothesis.text
