"""Unknown subwords replaced by text of the source; tests/inference/test_options_by_models.py has all models."""

from __future__ import annotations

import pytest
import tensorflow as tf
from small import ONE_SHAPE, FavourUnknown

from keras_nmt.data import SubwordTokenizer, train_subwords
from keras_nmt.errors import UserError
from keras_nmt.inference import Translator
from keras_nmt.inference.alignment import copies_of_texts, join_with_copies
from keras_nmt.serving import export

LINES = ["the small, ☃ cat!", "", "a møuse", "☃ seven  cats"]
OPTIONS = {**ONE_SHAPE, "processors": [FavourUnknown()], "unknown": "replace"}


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


def test_words_are_copied_without_punctuation_and_unknown_characters_as_they_are(source_tokenizer):
    (found,) = copies_of_texts(source_tokenizer, tf.constant(["cat, -- (the) ☃"]), 99).to_list()
    assert {x.decode() for x in found} == {"cat", ",", "--", "(", "the", ")", "☃"}


def test_only_what_the_model_reads_of_a_long_text_is_copied(model, tokenizers, source_tokenizer, monkeypatch):
    read = []

    def join(tokenizer, tokens, source, copies, attended):
        read.append((source.shape[1], copies.shape[1], int(tf.reduce_max(tf.strings.length(copies)))))
        return join_with_copies(tokenizer, tokens, source, copies, attended)

    monkeypatch.setattr("keras_nmt.inference.graph.join_with_copies", join)
    translator = Translator(model, tokenizers, **OPTIONS)
    most = translator.length_buckets[-1]
    Translator(model, tokenizers, **OPTIONS).translate(["☃ cat " * 999, "☃" + "cat" * 999, "☃"])
    assert [sizes[:2] for sizes in read] == [(most, most)]
    assert read[0][2] <= 3 * most, "a word"
    text = tf.constant(["the small, ☃ cat! a møuse", "", "cat"])
    every = copies_of_texts(source_tokenizer, text, 99)
    for count in range(1, 12):
        found = copies_of_texts(source_tokenizer, text, count).to_list()
        for some, full in zip(found, every.to_list(), strict=True):
            assert len(some) == min(count, len(full))
            assert some[:-1] == full[: len(some)][:-1]
            assert not some or some[-1] in full[max(len(some) - 2, 0) :][:2]  # of a space: a word beside it
    for text in ("the cat ☃ cat", "the cat ☃☃ cat", "  ☃"):  # nothing stands behind the only text
        for count in range(1, 9):
            (found,) = copies_of_texts(source_tokenizer, tf.constant([text]), count).to_list()
            assert {x.decode() for x in found} <= {*text.split(), ""}
            (found, _) = copies_of_texts(source_tokenizer, tf.constant([text, "garden"]), count).to_list()
            assert b"garden" not in found


@pytest.mark.nightly
def test_compiled_and_exported_graphs_replace_alike(model, tokenizers, tmp_path):
    translator = Translator(model, tokenizers, **OPTIONS)
    expected = [x.text for x in translator.translate(LINES)]
    assert "small" in expected[0].split()
    assert [x.text for x in translator.with_options(jit_compile=True).translate(LINES)] == expected
    assert [x.text for x in translator.translate(LINES, word_scores=True)] == expected
    loaded = tf.saved_model.load(str(export(tmp_path, model, tokenizers, **OPTIONS)))
    for name in ("serving_default", "serving_default_xla"):
        answer = loaded.signatures[name](text=tf.constant(LINES))["translation"]
        assert [text.decode() for text in answer.numpy()] == expected


def test_every_hypothesis_and_alternative_replaces_its_own(model, tokenizers):
    """Also where parts are computed together: in a function from the second call on."""
    translator = Translator(model, tokenizers, **{**OPTIONS, "beam_size": 3, "num_hypotheses": 3})
    written = translator.with_options(unknown="write")
    found = [[x.text for x in row.hypotheses] for row in translator.translate(LINES)]
    assert [[x.text for x in row.hypotheses] for row in translator.translate(LINES)] == found
    alone = [[x.text for x in translator.translate([line])[0].hypotheses] for line in LINES]
    assert found == alone
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


def test_unknown_is_one_of_three(translator):
    with pytest.raises(UserError, match="`unknown` must be one of write, forbid, replace. Received: unknown='keep'"):
        translator.with_options(unknown="keep")


def test_subwords_with_bytes_have_no_unknown_ones(tmp_path, source_tokenizer):
    (tmp_path / "text").write_text("the small cat\n" * 20, encoding="utf-8")
    path = train_subwords(tmp_path / "text", tmp_path / "s.model", vocabulary_size=280, byte_fallback=True)
    assert SubwordTokenizer(path).has_bytes
    assert not source_tokenizer.has_bytes
