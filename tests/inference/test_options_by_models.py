"""Every option of a translator works for every model: a table without holes, walked."""

from __future__ import annotations

import html
import re
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import tensorflow as tf
from one_in import these
from small import FavourUnknown

from keras_nmt.decoding import length_penalty
from keras_nmt.errors import UserError
from keras_nmt.ids import BOS, EOS, UNK
from keras_nmt.inference import Translator
from keras_nmt.inference.alignment import words_of_subwords
from keras_nmt.models import Ensemble

OPTIONS: dict[str, Any] = {"beam_size": 3, "length_buckets": (24,), "batch_buckets": (2,), "max_length": 7}
LINES = ["the small cat sat", "a mouse", "", "seven cats sleep", "zürich"]
KINDS = ("transformer_model", "recurrent", "label", "transformer", "without_bridge")
COLUMNS = {"transformer_model": "`Transformer`", "label": "`LanguageLabelModel`", "without_bridge": "without a bridge"}
USUALLY = (0, 1, 2)  # each class of models, with a bridge and without; compiling the same decoders again takes minutes
# For options that trace a search anew. Models of many languages usually search with prefixes and beam sizes in
# tests/serving/test_search_and_align.py.
with_searches = pytest.mark.parametrize("case", these((0,), KINDS, str), indirect=True, scope="module")


def read_table() -> dict[str, dict[str, str]]:
    """The cells of the table of options by models: by the first word of the row, and by column."""
    text = (Path(__file__).parents[2] / "docs" / "translation.md").read_text(encoding="utf-8")
    section = text.split("## Options by models\n")[1].split("\n## ")[0]
    lines = re.findall(r"^\|.*\|$", section, re.MULTILINE)
    header, _, *rows = ([cell.strip() for cell in line.split("|")[1:-1]] for line in lines)
    return {row[0].split(",")[0]: dict(zip(header[1:], row[1:], strict=True)) for row in rows}


TABLE = read_table()


class Case(NamedTuple):
    """A model with the languages of `LINES`."""

    model: Any
    tokenizers: dict[str, Any]
    languages: list[list[str]]  # arguments of a translator's methods
    column: str  # of the table in docs/translation.md

    def rows(self, texts):
        """Of each text the model of its direction, and the tokenizers of its source and target."""
        for i, text in enumerate(texts):
            source, target = (names[i] for names in self.languages) if self.languages else ("source", "target")
            yield text, self.model.pair(source, target), self.tokenizers[source], self.tokenizers[target]

    def can(self, option: str) -> bool:
        """The text of the cell of the table in docs/translation.md."""
        return not TABLE[option][self.column].startswith("no")


@pytest.fixture(scope="module", params=these(USUALLY, KINDS, str))
def case(request, make_model, make_multilingual, tokenizers) -> Case:
    if request.param == "transformer_model":
        return Case(make_model(target_vocabulary_size=100, hidden_dim=8), tokenizers, [], COLUMNS[request.param])
    languages = [["de", "fr", "de", "de", "fr"], ["fr", "de", "fr", "de", "de"]]
    column = COLUMNS.get(request.param, "`AttentionBridgeModel`")
    return Case(*make_multilingual(request.param, ("de", "fr")), languages, column)


def in_graph(translator: Translator, case: Case, **inputs: Any) -> dict[str, np.ndarray]:
    """The answers of the graph that an export holds."""
    languages = dict(zip(("source_language", "target_language"), case.languages, strict=False))
    given = {name: tf.constant(x) for name, x in {**inputs, **languages}.items()}
    return {name: x.numpy() for name, x in translator.graph.answer("translate", given, False).items()}


def texts_of(translations) -> list[list[str]]:
    return [[hypothesis.text for hypothesis in translation.hypotheses] for translation in translations]


def decoded(texts: np.ndarray) -> list[list[str]]:
    return [[text.decode() for text in row] for row in texts]


def ids_of(tokenizer, text) -> list[int]:
    return tokenizer.tokenize([text]).numpy()[0].tolist()


@pytest.fixture(scope="module")
def translator(case) -> Translator:
    return Translator(case.model, case.tokenizers, **OPTIONS, num_hypotheses=3)


def test_several_hypotheses(case, translator):
    found = translator.translate(LINES, *case.languages)
    for line, translation in zip(LINES, found, strict=True):
        scores = [hypothesis.score for hypothesis in translation.hypotheses]
        # Best first: finished hypotheses, then unfinished hypotheses, whose scores may be higher.
        assert sum(before < after for before, after in pairwise(scores)) <= 1
        assert len(scores) == 3
        assert len({hypothesis.text for hypothesis in translation.hypotheses}) > 1 or not line
    answers = in_graph(translator, case, text=LINES)
    assert decoded(answers["translation"]) == texts_of(found)
    np.testing.assert_allclose(answers["score"], [[x.score for x in one.hypotheses] for one in found], atol=1e-4)


@with_searches
def test_prefixes(case, translator):
    free = translator.translate(LINES, *case.languages)
    prefixes = ["a", "", "a", "cat", "a"]
    found = translator.translate(LINES, *case.languages, prefixes=prefixes)
    assert texts_of(found)[1] == texts_of(free)[1]
    assert texts_of(found)[2] == [""] * 3
    for row, (_, _, _, tokenizer) in enumerate(case.rows(LINES)):
        if prefixes[row] and LINES[row]:
            start = tokenizer.detokenize([ids_of(tokenizer, prefixes[row])]).numpy()[0].decode()
            assert all(text.startswith(start) for text in texts_of(found)[row])
    assert decoded(in_graph(translator, case, text=LINES, prefix=prefixes)["translation"]) == texts_of(found)


@with_searches
def test_a_beam_size_of_each_text(case, translator):
    sizes, prefixes = [0, 1, 2, 2, 1], ["a", "", "a", "", "cat"]
    answers = in_graph(translator, case, text=LINES, prefix=prefixes, beam_size=sizes)
    for size in (1, 2, 3):
        one = translator if size == 3 else translator.with_options(beam_size=size, num_hypotheses=size)
        expected = texts_of(one.translate(LINES, *case.languages, prefixes=prefixes))
        for row, asked in enumerate(sizes):
            if (asked or 3) == size and LINES[row]:
                assert decoded(answers["translation"])[row] == expected[row] + [""] * (3 - size)


@with_searches
def test_sampling(case, translator):
    sampler = translator.with_options(sample=True, num_hypotheses=2, top_k=20)
    seeds = [3, 1, 4, 1, 5]
    found = sampler.translate(LINES, *case.languages, seeds=seeds)
    assert texts_of(sampler.translate(LINES, *case.languages, seeds=[x + 1 for x in seeds])) != texts_of(found)
    for row in (0, 4):
        alone = sampler.translate([LINES[row]], *([names[row]] for names in case.languages), seeds=[seeds[row]])
        assert texts_of(alone) == texts_of(found[row : row + 1])
    assert decoded(in_graph(sampler, case, text=LINES, seed=seeds)["translation"]) == texts_of(found)


def test_coverage_penalty(case, translator):
    covering = translator.with_options(coverage_penalty=1.5)
    if not case.can("alignments"):
        with pytest.raises(UserError, match=r"^`coverage_penalty` needs.*Received: .*bridge") as raised:
            covering.translate(LINES, *case.languages)
        assert "\n" not in str(raised.value)
        return
    plain, found = (x.translate(LINES, *case.languages) for x in (translator, covering))
    assert [x.score for x in found] != [x.score for x in plain]
    for before, after in zip(plain, found, strict=True):
        assert sorted(x.text for x in before.hypotheses) == sorted(x.text for x in after.hypotheses)
        lower = {x.text: x.score for x in before.hypotheses}
        assert all(x.score <= lower[x.text] + 1e-4 for x in after.hypotheses)


def test_alignments(case, translator):
    lines = ["sat the small cat", "zürich mouse cat", "", "seven cats sleep", "cat seven the mouse"]
    targets = ["cat", "mouse", "", "cats sleep", "a"]
    if not case.can("alignments"):
        with pytest.raises(UserError, match="attends to the vectors of the attention bridge.*Received") as raised:
            translator.align(lines, targets, *case.languages)
        assert "\n" not in str(raised.value)
        return
    alignments = translator.align(lines, targets, *case.languages)
    for pairs, (text, model, source_tokenizer, target_tokenizer), target in zip(
        alignments, case.rows(lines), targets, strict=True
    ):
        assert {word for _, word in pairs} == set(range(len(target.split()) if text else 0))
        if text and len(target.split()) == 1:  # its subwords, aligned by hand
            source, subwords = ids_of(source_tokenizer, text), ids_of(target_tokenizer, target)
            attention = model.attention(model.encoder(np.array([[*source, EOS]])), np.array([[BOS, *subwords]]))
            looked_at = np.argmax(attention[0, : len(subwords), : len(source)], -1)
            (words,) = words_of_subwords(source_tokenizer, [text])
            assert {word for word, _ in pairs} == {words[position] for position in looked_at}
    # A random model looks at few positions: of these lines, not always at the first one.
    assert any(word for pairs in alignments for word, _ in pairs)


def test_scores_of_words_and_alternatives(case, translator):
    found = translator.translate(LINES, *case.languages, word_scores=True)
    assert texts_of(found) == texts_of(translator.translate(LINES, *case.languages))
    for translation in found:
        for x in translation.hypotheses if translation.score else ():
            total = sum(piece.log_probability for piece in x.pieces)
            penalty = float(length_penalty(len(x.pieces), translator.options.length_penalty))
            assert total / penalty == pytest.approx(x.score, abs=2e-3)
            assert " ".join(word.text for word in x.words).split() == x.text.split()
    prefixes = ["a", "", "a", "cat", "a"]
    for row, prefix, line in zip(
        translator.alternatives(LINES, prefixes, *case.languages, count=3), prefixes, LINES, strict=True
    ):
        assert len(row) == (3 if line else 0)
        assert [x.probability for x in row] == sorted((x.probability for x in row), reverse=True)
        assert all(x.hypothesis.text.startswith(prefix) for x in row)


def with_copies(pieces: list[str], looked_at: list[int], characters: list[str], words: list[str]) -> str:
    """Pieces as text, with what each unknown one looks at: by words of a translation, in Python."""
    groups: list[list[tuple[str, int]]] = []
    for piece, position in zip(pieces, looked_at, strict=True):
        if not groups or piece.startswith("▁"):
            groups.append([])
        groups[-1].append((piece, position))
    texts = []
    for group in groups:
        whole = [words[place] for piece, place in group if piece == "<unk>" and not characters[place]]
        if whole:
            texts.append(" " * group[0][0].startswith("▁") + whole[0].strip(",.!"))
        else:
            texts.append("".join(characters[place] if piece == "<unk>" else piece for piece, place in group))
    return "".join(texts).replace("▁", " ").strip()


@with_searches
def test_unknown_subwords(case, translator):
    options = {"processors": [FavourUnknown()], "unknown": "replace"}
    if not case.can("unknown subwords replaced by the source"):
        with pytest.raises(UserError, match=r'^unknown="replace" needs .*Received: .*bridge') as raised:
            translator.with_options(**options)
        assert "\n" not in str(raised.value)
        return
    lines = ["the small, ☃ cat!", "a møuse", "", "☃ seven cats", " the  cat,  "]
    written = translator.with_options(processors=[FavourUnknown()])
    found = translator.with_options(**options).translate(lines, *case.languages)
    kinds = set()
    for translation, before, (text, model, source_tokenizer, target_tokenizer) in zip(
        found, written.translate(lines, *case.languages, word_scores=True), case.rows(lines), strict=True
    ):
        if not text:
            continue
        ids, starts, limits = (x.numpy()[0].tolist() for x in source_tokenizer.tokenize_with_offsets([text]))
        characters = [
            text.encode()[start:limit].decode().strip() if id_ == UNK else ""
            for id_, start, limit in zip(ids, starts, limits, strict=True)
        ]
        words = [text.split()[number] for number in words_of_subwords(source_tokenizer, [text])[0]]
        memory = model.encoder(np.array([[*ids, EOS]]))
        by_id = {piece: i for i, piece in enumerate(target_tokenizer.pieces(0, 200))}
        expected = {}  # by score: hypotheses whose texts are equal with an unknown subword are one
        for hypothesis in before.hypotheses:
            pieces = [piece.text for piece in hypothesis.pieces if piece.text != "</s>"]
            attention = model.attention(memory, np.array([[BOS, *(by_id[piece] for piece in pieces)]]))
            looked_at = np.argmax(attention[0, : len(pieces), : len(ids)], -1)
            expected[round(hypothesis.score, 3)] = with_copies(pieces, looked_at, characters, words)
            kinds |= {characters[i] == "" for i, x in zip(looked_at, pieces, strict=True) if x == "<unk>"}
        texts = {round(x.score, 3): x.text for x in translation.hypotheses}
        assert round(before.score, 3) in texts
        common = texts.keys() & expected
        assert {x: texts[x] for x in common} == {x: expected[x] for x in common}
    assert kinds
    answers = in_graph(translator.with_options(**options), case, text=lines)
    assert [[x for x in row if x] for row in decoded(answers["translation"])] == [
        [x for x in row if x] for row in texts_of(found)
    ]
    forbidden = translator.with_options(processors=[FavourUnknown()], unknown="forbid")
    for translation in forbidden.translate(lines, *case.languages, word_scores=True):
        assert all(piece.text != "<unk>" for x in translation.hypotheses for piece in x.pieces)


def test_markup(case, translator):
    lines = ["<p>the <b>small</b> cat</p>", "<i>a mouse</i>", "<br>", "seven <x/>cats", "zürich"]
    if not case.can("markup"):
        with pytest.raises(UserError, match="attends to the vectors of the attention bridge.*Received"):
            translator.translate(lines, *case.languages, markup="html")
        lines = ["<p>the small cat</p>", "<p>a mouse</p>", "<br>", "seven cats", "zürich"]
    plain = translator.translate([re.sub("<.*?>", "", line) for line in lines], *case.languages)
    for line, marked, text in zip(
        lines, translator.translate(lines, *case.languages, markup="html"), plain, strict=True
    ):
        tags = re.findall("<[a-z/]+>", line)
        assert all(
            sorted(re.findall("<[a-z/]+>", x.text)) == sorted(tags) or "<" in html.unescape(text.hypotheses[0].text)
            for x in marked.hypotheses
        )
        assert html.unescape(re.sub("<[a-z/]+>", "", marked.text)) == text.text


def test_scores_and_ensembles(case):
    targets = ["a cat", "mouse", "a", "", "cats"]
    other, rng = case.model.with_dtype("float32"), np.random.default_rng(0)
    other.set_weights([weight + rng.normal(0, 0.3, weight.shape) for weight in other.get_weights()])
    models = [case.model, other]
    scores = Translator(Ensemble(models), case.tokenizers, **OPTIONS).score(LINES, targets, *case.languages)
    for row, (text, _, source_tokenizer, target_tokenizer) in enumerate(case.rows(LINES)):
        ids = [*ids_of(target_tokenizer, targets[row]), EOS]
        direction = [names[row] for names in case.languages] or ["source", "target"]
        inputs = [np.array([[*ids_of(source_tokenizer, text), EOS]]), np.array([[BOS, *ids[:-1]]])]
        probabilities = np.mean([tf.nn.softmax(model.pair(*direction)(inputs))[0] for model in models], 0)
        assert scores[row] == pytest.approx(np.log(probabilities[np.arange(len(ids)), ids]).sum(), abs=1e-3)


@pytest.fixture(scope="module")
def twice(case) -> Translator:
    """A translator of an ensemble that has the model twice."""
    return Translator(Ensemble([case.model] * 2), case.tokenizers, **OPTIONS, num_hypotheses=3)


@with_searches
def test_an_ensemble_of_one_model_twice_translates_as_the_model(case, translator, twice):
    assert twice.directions == case.model.directions
    found = twice.translate(LINES, *case.languages)
    assert texts_of(found) == texts_of(translator.translate(LINES, *case.languages))


@pytest.mark.nightly  # each option traces the decoders of the ensemble anew
@pytest.mark.parametrize(
    "options",
    [
        {"beam_size": 1, "num_hypotheses": 1},
        {"num_hypotheses": 3, "length_penalty": 2.0},
        {"sample": True, "num_hypotheses": 2, "top_k": 20, "temperature": 0.5},
        {"coverage_penalty": 1.5, "num_hypotheses": 3},
    ],
    ids=lambda options: min(options),
)
def test_an_ensemble_has_every_option_of_its_models(case, options):
    if "coverage_penalty" in options and not case.can("alignments"):
        return
    prefixes = {"prefixes": ["a", "", "a", "cat", "a"]}
    inputs = {**prefixes, "seeds": [3, 1, 4, 1, 5]} if "sample" in options else prefixes
    models = case.model, Ensemble([case.model] * 2)
    alone, twice = (Translator(model, case.tokenizers, **{**OPTIONS, **options}) for model in models)
    found = twice.translate(LINES, *case.languages, **inputs)
    assert texts_of(found) == texts_of(alone.translate(LINES, *case.languages, **inputs))
    of_graph = {"text": LINES, "prefix": inputs["prefixes"], **({"seed": inputs["seeds"]} if "seeds" in inputs else {})}
    assert decoded(np.reshape(in_graph(twice, case, **of_graph)["translation"], [len(LINES), -1])) == texts_of(found)


def test_an_ensemble_aligns_as_its_models(case, translator, twice):
    targets = ["a cat", "mouse", "", "cats sleep", "a"]
    if not case.can("alignments"):
        with pytest.raises(UserError, match="attends to the vectors of the attention bridge.*Received"):
            twice.align(LINES, targets, *case.languages)
        return
    expected = translator.align(LINES, targets, *case.languages)
    assert twice.align(LINES, targets, *case.languages) == expected


def test_sentence_vectors(case, translator, twice):
    language = case.languages[0] if case.languages else "source"
    for one, column in ((translator, case.column), (twice, "`Ensemble`")):
        if not TABLE["sentence vectors"][column].startswith("no"):
            mean, vectors = one.embed(LINES, language)
            np.testing.assert_allclose(mean, vectors.mean(axis=1), atol=1e-5)
            np.testing.assert_allclose(mean[:1], one.embed(LINES[:1], language[:1])[0], atol=1e-5)
        else:
            with pytest.raises(UserError, match="model with an attention bridge.*Received"):
                one.embed(LINES, language)


def test_errors_name_the_option(case):
    with pytest.raises(UserError, match=re.escape("Received: num_hypotheses=4, beam_size=3")):
        Translator(case.model, case.tokenizers, **OPTIONS, num_hypotheses=4)
