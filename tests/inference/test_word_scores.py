"""Log-probabilities of the subwords and words of translations, and alternatives after a prefix."""

import numpy as np
import pytest
import sentencepiece
from hypothesis import given
from hypothesis import strategies as st
from small import LINES, ONE_SHAPE, OPTIONS, SAMPLING, make_shortlist, nightly, slow
from word_by_word import marked

from keras_nmt.decoding import length_penalty
from keras_nmt.errors import UserError
from keras_nmt.ids import BOS, EOS
from keras_nmt.inference import Translator
from keras_nmt.models import Ensemble, quantize
from keras_nmt.text.translation import Hypothesis, Piece, Translation, words_of_pieces

PREFIXES = ["die kleine katze", "", "drei", "sieben v", "", "die", "ka"]
SEARCHES = {
    "beam": {"num_hypotheses": 3},
    "samples": {**SAMPLING, "num_hypotheses": 2},
    "coverage": {"num_hypotheses": 2, "coverage_penalty": 1.0},
    "cut off": {"num_hypotheses": 2, "max_length": 3},
}


def make_table(tokenizers):
    table = make_shortlist(tokenizers, ["a mouse"], ["drei rote"], [[(0, 0), (1, 1)]], num_candidates=3)
    return {"shortlist": table, "shortlist_size": 30}


def log_probabilities(model, tokenizers, line, ids):
    """Those of each target id, by softmax over the logits of one pass in NumPy."""
    source = [*tokenizers["source"].tokenize([line]).numpy()[0], EOS]
    logits = model([np.array([source]), np.array([[BOS, *ids[:-1]]])])[0].numpy().astype("float64")
    found = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
    return found[np.arange(len(ids)), ids]


def assert_sums(translations, options):
    """The log-probabilities sum to the scores before the length penalty, and the words are those of the texts."""
    assert any(x.pieces for translation in translations for x in translation.hypotheses)
    for translation in translations:
        for x in translation.hypotheses:
            if not x.pieces:
                assert (x.text, x.score, x.words) == ("", 0, ())
                continue
            assert (x.pieces[-1].text == "</s>") != x.cut_off
            total = sum(piece.log_probability for piece in x.pieces)
            if not options.coverage_penalty:
                penalty = float(length_penalty(len(x.pieces), options.length_penalty))
                assert total / penalty == pytest.approx(x.score, abs=2e-3)
            end = 0 if x.cut_off else x.pieces[-1].log_probability
            assert sum(word.log_probability for word in x.words) == pytest.approx(total - end, abs=1e-4)
            assert " ".join(word.text for word in x.words).split() == x.text.split()
            for word in x.words:
                assert word.mean == pytest.approx(np.mean([piece.log_probability for piece in word.pieces]))


@pytest.mark.parametrize("name", [slow("beam"), nightly("samples"), nightly("coverage"), "cut off"])
def test_log_probabilities_sum_to_the_score_before_the_length_penalty(translator, name, eager):
    searcher = translator.with_options(**{"max_length": 8, **SEARCHES[name]})
    prefixes = PREFIXES if name in ("beam", "cut off") else None
    plain = searcher.translate(LINES, prefixes=prefixes)
    found = searcher.translate(LINES, prefixes=prefixes, word_scores=True)
    assert [[x[:3] for x in row.hypotheses] for row in found] == [[x[:3] for x in row.hypotheses] for row in plain]
    assert not any(x.pieces for row in plain for x in row.hypotheses)
    assert_sums(found, searcher.options)


OTHERS = ("shortlist", "ensemble, shortlist", "int8", "ensemble", "compiled")


@pytest.mark.nightly
@pytest.mark.parametrize("kind", OTHERS)
def test_log_probabilities_of_other_models_and_graphs_sum_to_their_scores(kind, model, tokenizers, make_model):
    options = {**(ONE_SHAPE if kind == "compiled" else OPTIONS), "num_hypotheses": 2}
    if kind == "int8":
        model = model.with_dtype("float32")
        quantize(model)
    if "ensemble" in kind:
        model = Ensemble([model, make_model(noise=0.2, target_vocabulary_size=100)])
    if "shortlist" in kind:
        options |= make_table(tokenizers)
    translator = Translator(model, tokenizers, **options, jit_compile=kind == "compiled")
    assert_sums(translator.translate(LINES, word_scores=True), translator.options)


@pytest.mark.slow
@pytest.mark.parametrize("has_shortlist", [nightly(False), True])
def test_constrained_hypotheses_have_their_own_log_probabilities(translator, tokenizers, has_shortlist, eager):
    options = make_table(tokenizers) if has_shortlist else {}
    searcher = translator.with_options(num_hypotheses=3, max_length=9, unknown="forbid", **options)
    phrases = {"constraints": [["kleine katze|drei", "hunde"], *[[]] * 4, ["garten"], ["vier"]], "avoid": [["die"]] * 7}
    plain = searcher.translate(LINES, prefixes=PREFIXES, **phrases)
    found = searcher.translate(LINES, prefixes=PREFIXES, **phrases, word_scores=True)
    without = [[x._replace(pieces=(), words=()) for x in row.hypotheses] for row in found]
    assert without == [list(row.hypotheses) for row in plain]
    assert len(found[0].hypotheses[0].met) == 2
    assert any(all(x.met) for x in found[0].hypotheses)
    assert_sums(found, searcher.options)


def test_log_probabilities_are_the_models(translator, model, tokenizers, eager):
    """With subwords that SentencePiece numbers."""
    processor = sentencepiece.SentencePieceProcessor(model_proto=tokenizers["target"].proto)
    checked = 0
    found = translator.with_options(num_hypotheses=3, max_length=8).translate(LINES, word_scores=True)
    for line, row in zip(LINES, found, strict=True):
        for x in row.hypotheses if not row.truncated else ():
            if not x.pieces:
                continue
            ids = [processor.piece_to_id(piece.text) for piece in x.pieces]
            expected = log_probabilities(model, tokenizers, line, ids)
            np.testing.assert_allclose([piece.log_probability for piece in x.pieces], expected, atol=1e-4)
            checked += 1
    assert checked > 5


def test_given_translations_have_their_subwords_and_log_probabilities(translator, model, tokenizers, eager):
    processor = sentencepiece.SentencePieceProcessor(model_proto=tokenizers["target"].proto)
    targets = ["drei  rote hunde", "", "☃ katze", "die", "v☃gel", "sieben", "die kleine katze saß " * 5]
    given, longest = (LINES, targets), OPTIONS["length_buckets"][-1]
    with pytest.warns(UserWarning, match="2 pair.s. of 12 subwords or more were truncated"):
        found = translator.score(*given, word_scores=True)
    for line, target, x in zip(*given, found, strict=True):
        pieces = [*processor.encode(target, out_type=str)[: longest - 1], "</s>"]
        ids = [processor.piece_to_id(piece) for piece in pieces]
        assert (x.text, x.cut_off, x.met) == (target, False, ())
        assert [piece.text for piece in x.pieces] == [processor.id_to_piece(i) for i in ids]
        values = [piece.log_probability for piece in x.pieces]
        assert sum(values) == pytest.approx(x.score, rel=1e-5)
        assert sum(word.log_probability for word in x.words) == pytest.approx(x.score - values[-1], rel=1e-5)
        if line != LINES[2]:  # truncated
            np.testing.assert_allclose(values, log_probabilities(model, tokenizers, line, ids), atol=1e-4)
    assert [word.text for word in found[4].words] == ["v☃gel"]  # as in the target


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ("▁a <0x0A> b", ["a", "b"]),
        ("▁a <0x0A> ▁b", ["a", "b"]),
        ("▁a <0x0D> <0x0A> b", ["a", "b"]),
        ("<0x0A> ▁a <0x0A> </s>", ["a"]),
        ("▁the <0x0A> ▁ <unk> ▁cat", ["the", "⁇", "cat"]),
    ],
)
def test_line_breaks_part_words_and_are_none(pieces, expected):
    words = words_of_pieces([Piece(piece, -1.0) for piece in pieces.split(" ")], unknown_is_word=False)
    assert [word.text for word in words] == expected


@given(st.lists(st.text("ab é😀☃", max_size=6), max_size=5))
def test_the_words_of_pieces_are_the_words_of_the_text(words):
    """The snowman is an unknown subword, which has spaces around in the text."""
    words = " ".join(words).split()
    pieces, text = [], ""
    for word in words:
        if "é" in word:
            pieces += ["▁", *(f"<0x{byte:02X}>" for byte in word.encode())]
        else:
            pieces += ["▁" + word[0], *word[1:]] if word[0] != "☃" else ["▁", *word]
        text += " " + (word if "é" in word else word.replace("☃", " ⁇ "))
    pieces = ["<unk>" if piece == "☃" else piece for piece in pieces]
    found = words_of_pieces([Piece(piece, -1.0) for piece in [*pieces, "</s>"]])
    assert [word.text for word in found] == text.split()
    assert sum(len(word.pieces) for word in found) == len(pieces)


def test_words_with_replaced_unknown_subwords_are_those_of_the_text():
    pieces = Piece.row(["▁die", "▁v", "<unk>", "gel", ".", "</s>"], [-1.0] * 6)
    for text, words in (("die Vögel.", ["die", "Vögel."]), ("die v ⁇ gel.", ["die", "v", "⁇", "gel."])):
        found = Hypothesis.of(text, -6.0, False, pieces).words
        assert [word.text for word in found] == words
        assert sum(len(word.pieces) for word in found) == 5
    answer = Translation.of(["die Vögel."], [-1.0], [False], False, pieces=[pieces])
    pairs = [(0, 0), (1, 1)]
    (tagged,) = marked(['the <a href="x y">birds.</a>'], "html", lambda texts: [answer], lambda *_: [pairs])
    assert tagged.text == 'die <a href="x y">Vögel.</a>'
    assert [word.text for word in tagged.hypotheses[0].words] == ["die", "Vögel."], "without tags"


def test_the_end_of_a_scored_line_is_in_none_of_its_words():
    outputs = {"token": [["▁die", "▁v", "<unk>", "gel", ".", "</s>"]], "token_log_probability": [[-1.0] * 6]}
    for text in ("die Vögel.\n", "\r\n die Vögel. \r\n"):
        found = Hypothesis.of_target(text, -6.0, outputs)
        assert (found.text, [word.text for word in found.words]) == (text, ["die", "Vögel."])


def test_an_end_divides_words():
    """The texts of a line with markup follow each other."""
    pieces = Piece.row(["▁two", "s", "</s>", "dog", "</s>", "▁cat", "</s>"], [-1.0] * 7)
    assert [word.text for word in words_of_pieces(pieces)] == ["twos", "dog", "cat"]


def test_alternatives_are_the_likeliest_pieces_and_their_best_translations(translator, model, tokenizers, eager):
    processor = sentencepiece.SentencePieceProcessor(model_proto=tokenizers["target"].proto)
    lines, prefixes = [LINES[0], LINES[3], "", LINES[5]], ["die kleine", "", "die", "sie"]
    found = translator.alternatives(lines, prefixes, count=4, word_scores=True)
    assert [len(row) for row in found] == [4, 4, 0, 4]
    assert_sums([Translation((x.hypothesis,), False) for row in found for x in row], translator.options)
    for line, prefix, row in zip(lines, prefixes, found, strict=True):
        if not line:
            continue
        ids = processor.encode(prefix)
        source = [*tokenizers["source"].tokenize([line]).numpy()[0], EOS]
        logits = model([np.array([source]), np.array([[BOS, *ids]])])[0, -1].numpy().astype("float64")
        probabilities = np.exp(logits) / np.exp(logits).sum()
        probabilities[[0, 1, 2]] = 0  # padding, unknown, begin
        best = np.argsort(-probabilities)[:4]
        assert [x.piece for x in row] == [processor.id_to_piece(int(i)) for i in best]
        np.testing.assert_allclose([x.probability for x in row], probabilities[best], rtol=1e-3)
        for x, i in zip(row, best, strict=True):
            assert x.hypothesis.text.startswith(processor.decode([*ids, *([int(i)] if i != EOS else [])]))
            if i == EOS:
                assert x.hypothesis.text == prefix
    # The continuation is that of a prefix which has the piece.
    first = found[1][0]
    if first.piece.startswith("▁") and processor.encode(first.piece[1:]) == [processor.piece_to_id(first.piece)]:
        (expected,) = translator.translate([lines[1]], prefixes=[first.piece[1:]])
        assert expected.text == first.hypothesis.text


def test_labels_are_no_alternatives(make_multilingual, eager):
    model, tokenizers = make_multilingual("label")
    pieces = tokenizers["de"].pieces()
    most = len(pieces) - 3 - len(model.languages)
    translator = Translator(model, tokenizers, beam_size=1, min_length=0, max_length=1, length_buckets=(6,))
    with pytest.raises(UserError, match=f"integer from 1 to {most}. Received: count={most + 1}"):
        translator.alternatives(["a"], [""], "de", "fr", count=most + 1)
    (found,) = translator.alternatives(["a"], [""], "de", "fr", count=most)
    assert {x.piece for x in found} == {"</s>", *pieces[4 + len(model.languages) :]}


def test_impossible_alternatives_are_refused(translator):
    for name, value in {"sample": True, "suppress_sequences": ["drei"], "no_repeat_ngram_size": 2}.items():
        with pytest.raises(UserError, match=f"leave out `{name}`"):
            translator.with_options(**{name: value}).alternatives(["a"], [""])
    for count in (0, 98, True):
        with pytest.raises(UserError, match=rf"integer from 1 to 97. Received: count={count}"):
            translator.alternatives(["a"], [""], count=count)
    with pytest.raises(UserError, match=r"Received: 1 line\(s\), 2 prefix\(es\)"):
        translator.alternatives(["a"], ["", ""])
    with pytest.raises(UserError, match="Received: prefix='☃'"):
        translator.alternatives(["the cat"], ["☃"])
