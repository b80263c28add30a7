"""Constraints, those of a glossary, phrases to avoid and options of processors, from text to text."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import keras
import pytest
import tensorflow as tf
from small import MANY, ONE_SHAPE, FavourUnknown, nightly, slow

from keras_nmt.decoding import LogitProcessor
from keras_nmt.errors import UserError
from keras_nmt.inference import Glossary, Translator
from keras_nmt.inference._phrases import NEVER, fitting_constraints
from keras_nmt.serving import export

pytestmark = pytest.mark.usefixtures("eager")

DOCS = Path(__file__).parents[2] / "docs"
LINES = ["the small cat", "", "a mouse and three dogs", "the cat"]
CONSTRAINTS = [["kleine katze", "drei|vier hunde"], ["drei"], [], ["vögel"]]
AVOID = [["die"], [], ["katze|drei"], []]


def pieces(translator: Translator, text: str, language: str = "target") -> list[int]:
    return translator.tokenizers[language].tokenize([text]).to_list()[0]


def check(translator: Translator, languages: tuple = (), constraints: list = CONSTRAINTS) -> list:
    found = translator.translate(LINES, *languages, constraints=constraints, avoid=AVOID)
    free = translator.translate(LINES, *languages)
    for line, translation, required, avoided in zip(LINES, found, constraints, AVOID, strict=True):
        best = translation.hypotheses[0]
        assert best.met == (bool(line),) * len(required)
        for phrase in required if line else []:
            assert any(" " + one in " " + best.text for one in phrase.split("|")), (phrase, best.text)
        for phrase in "|".join(avoided).split("|") if avoided else []:
            assert phrase not in best.text.split()
    assert [x.text for x in found[3].hypotheses] != [x.text for x in free[3].hypotheses]
    of_one = [names[2:3] for names in languages]
    (alone,) = translator.translate(LINES[2:3], *of_one, constraints=[[]], avoid=[[]])
    (plain,) = translator.translate(LINES[2:3], *of_one)
    assert [(x.text, x.score) for x in alone.hypotheses] == [(x.text, x.score) for x in plain.hypotheses]
    return [[(x.text, x.met) for x in translation.hypotheses] for translation in found]


@pytest.mark.parametrize("beam_size", [slow(1), 3])
def test_translations_have_their_phrases(translator, beam_size):
    check(translator.with_options(beam_size=beam_size, max_length=12))


@pytest.mark.nightly
def test_xla_changes_nothing(translator, compiled_translator, trained):
    assert check(translator) == check(compiled_translator)
    translator, lines = trained
    used = translator.with_options(jit_compile=True, batch_buckets=(4,), length_buckets=(32,))
    (found,) = used.translate(lines[:1], constraints=[["Haus"]], avoid=[["Haus"]])
    assert found.text == translator.translate(lines[:1], avoid=[["Haus"]])[0].text
    assert found.hypotheses[0].met == (False,)


def test_the_longest_constraints_that_do_not_fit_are_left_out():
    phrases = [[[7, 8, 9], [4, 5, 0]], [[5, 0, 0]], [[NEVER, 0, 0]], [[]], [[6, 0, 0]], [[6, 0, 0]]]
    constraints = tf.ragged.constant([phrases], tf.int32).to_tensor(shape=[1, 6, 2, 3])
    for room, kept in ((6, [0, 1, 4, 5]), (5, [1, 4, 5]), (3, [1, 4]), (1, [])):
        found = fitting_constraints(constraints, tf.constant([room]))
        assert tf.where(tf.reduce_any(found != 0, [0, 2, 3])).numpy().ravel().tolist() == kept
        assert tf.reduce_all((found == constraints) | (found == 0))


@pytest.mark.parametrize("jit_compile", [slow(True), nightly(False)])
def test_phrases_that_do_not_fit_are_left_out(translator, jit_compile):
    """The line has the shorter ones, other lines have theirs. One is above all sizes of compiled programs."""
    one, prefix = translator.with_options(max_length=5, jit_compile=jit_compile, beam_size=2), "vier blaue"
    fitting, long = ["drei", "katze"], ["vögel " * 3, "vögel " * 4100]
    given = [[long[0], fitting[0], long[1], fitting[1]], ["hunde"], [long[0], prefix]]
    lines = ["a cat", "a dog", "a mouse"]
    assert len(pieces(one, " ".join([*fitting, long[0]]))) >= 5 > len(pieces(one, " ".join(fitting)))
    found = one.translate(lines, constraints=given, prefixes=["", "", prefix])
    assert [x.hypotheses[0].met for x in found] == [(False, True, False, True), (True,), (False, True)]
    expected = one.translate(lines, constraints=[fitting, ["hunde"], [prefix]], prefixes=["", "", prefix])
    assert [x.text for x in found] == [x.text for x in expected]


@pytest.fixture(scope="module")
def trained():
    """A model that ends its translations, and lines that it knows."""
    lines = ["Nina buys an old house.", "", "Nina buys an old car."]
    return Translator.from_directory(DOCS / "decoding_model", max_length=12), lines


def test_phrases_must_fit_before_the_limit_of_their_line(trained):
    translator, lines = trained[0].with_options(max_length=40), trained[1]
    constraints = [["einen alten Wagen", "Gebäude"]]
    for limit in (7, 9):
        (found,) = translator.translate(lines[:1], constraints=constraints, max_lengths=[limit])
        (expected,) = translator.with_options(max_length=limit).translate(lines[:1], constraints=constraints)
        assert found.hypotheses[0].met == expected.hypotheses[0].met == (False, True)
        assert found.text == expected.text


AVOIDED, GREEDY = {"avoid": [["Haus"], [], []]}, {"no_repeat_ngram_size": 1, "beam_size": 1}
SUPPRESSED = {"suppress_sequences": ["Haus"]}


@pytest.mark.parametrize("forbids", [slow(AVOIDED), nightly(SUPPRESSED), nightly(GREEDY)], ids=min)
def test_a_constraint_that_another_option_forbids_is_left_out(trained, forbids):
    """The line gets the translation without it, and other lines keep theirs."""
    translator, lines = trained
    options = {name: x for name, x in forbids.items() if name != "avoid"}
    given = {name: x for name, x in forbids.items() if name == "avoid"}
    impossible = "Haus Haus" if "no_repeat_ngram_size" in forbids else "Haus"
    used = translator.with_options(**options)
    found = used.translate(lines, constraints=[[impossible], [], ["Wagen"]], **given)
    expected = used.translate(lines, constraints=[[], [], ["Wagen"]], **given)
    assert [x.hypotheses[0].met for x in found] == [(False,), (), (True,)]
    assert [x.text for x in found] == [x.text for x in expected]
    assert [x.score for x in found] == pytest.approx([x.score for x in expected], abs=1e-5)
    assert not found[0].cut_off
    both = used.translate(lines[:1], constraints=[["Auto", impossible]], **{name: x[:1] for name, x in given.items()})
    assert both[0].hypotheses[0].met in ((True, False), (False, False))
    assert both[0].score > -100


def test_each_occurrence_of_an_entry_is_bound_and_what_is_avoided_is_told(trained):
    translator = trained[0].with_options(max_length=24)
    glossary = Glossary({"house": "Gebäude"})
    found = translator.translate(["Nina buys an old house and an old house."], glossary=glossary)[0].hypotheses[0]
    assert (found.text.count("Gebäude"), found.met) == (2, (True, True))
    with pytest.raises(UserError, match="`glossary` must be a `keras_nmt.text.Glossary`.* Received: {'house'"):
        translator.translate(["a house"], glossary={"house": "Gebäude"})
    lines = ["Nina buys a house. Nina buys a car."]
    (found,) = translator.translate(lines, avoid=[["nina", "Haus", "zug"]], split_sentences="en")
    assert found.text.count("Nina") == 2
    assert found.hypotheses[0].avoided == (False, "Haus" not in found.text.split(), True)


@pytest.mark.slow
def test_all_directions_of_a_multilingual_model_have_constraints(make_multilingual):
    translator = Translator(*make_multilingual("label"), **MANY)
    sources, targets = ["de", "fr", "fr", "de"], ["fr", "de", "de", "fr"]
    check(translator, (sources, targets), [["katze"], ["drei"], [], ["hunde|katze"]])


def test_phrases_with_unknown_characters_are_left_out_and_told_once(translator):
    one = translator.with_options(max_length=5, beam_size=2)
    lines, given = ["a cat", "a dog", ""], [["☃", "drei"], ["v☃gel| hunde", "☃"], ["☃☃ "]]
    expected = one.translate(lines, constraints=[["drei"], ["hunde"], []])
    with pytest.warns(UserWarning, match=r"^2 phrase\(s\) have characters that .* left out. Received: '☃', '☃☃ '$"):
        found = one.translate(lines, constraints=given)
    assert [x.text for x in found] == [x.text for x in expected]
    assert [x.hypotheses[0].met for x in found] == [(False, True), (True, False), (False,)]
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "[0-9]+ phrase")
        assert one.translate(lines, constraints=given) == found
        avoid = [["☃"], ["hunde☃|hunde"], []]  # no translation has the first
        assert one.translate(lines, constraints=given, avoid=avoid)[1].hypotheses[0].met == (False, False)


def test_phrases_that_cannot_be_met_are_refused(translator):
    for constraints, told in (
        (["katze", []], "`constraints` must be a list of phrases for each line. Received: line 1, 'katze'"),
        ([["katze"]], r"`constraints` must have a list for each line. Received: 2 line\(s\), 1 list\(s\)"),
    ):
        with pytest.raises(UserError, match=told):
            translator.translate(["a cat", "a dog"], constraints=constraints)
    with pytest.raises(UserError, match="`avoid` must be a list"):
        translator.translate(["ab"], avoid=["a"])


@pytest.mark.nightly
@pytest.mark.parametrize("is_compiled", [False, True])
def test_phrases_that_no_translation_can_have_take_no_memory(translator, compiled_translator, is_compiled, monkeypatch):
    """Nor do empty phrases: tables of constraints have the square of their sizes."""
    read: list[tf.Tensor] = []
    one = compiled_translator if is_compiled else translator.with_options(max_length=8)
    long = "katze " * 2000
    few = {"constraints": [["drei"], [], [], ["vögel"]], "avoid": [["die"], [], ["katze"], []]}
    expected = one.translate(LINES, **few)
    more = [["drei|" + long, ""], [""], [], ["vögel", "", ""]]
    never = [["die", long], [long], ["katze", ""], []]
    segment = one.graph._phrases
    monkeypatch.setattr(one.graph, "_phrases", lambda *args: read.append(segment(*args)) or read[-1])
    found = one.translate(LINES, constraints=more, avoid=never)
    for line, row, other in zip(LINES, found, expected, strict=True):
        assert [(x.text, x.score) for x in row.hypotheses] == [(x.text, x.score) for x in other.hypotheses]
        assert not line or all(row.hypotheses[0].met)
    one.translate(LINES, **few)
    assert [x.shape for x in read[:2]] == [x.shape for x in read[2:]]


@pytest.mark.nightly
def test_more_phrases_than_memory_are_refused(translator):
    alternatives = "|".join(f"{a} {b}" for a in ["katze"] * 40 for b in ["drei"] * 40)
    message = "too many alternatives and subwords together: .*; leave out some. Received: C=1, A=1600, L=.*'a cat'$"
    with pytest.raises(UserError, match=message):
        translator.translate(["a mouse", "a cat"], constraints=[[], [alternatives]])
    with pytest.raises(UserError, match="leave out some. Received: P=50000, L=.*, for the sentence 'a cat'"):
        translator.translate(["a cat"], avoid=[["|".join(["katze drei"] * 50_000)]])
    inputs = {"text": tf.constant(["a cat"]), "constraints": tf.constant([[alternatives]])}
    tf.config.run_functions_eagerly(False)
    with pytest.raises(tf.errors.InvalidArgumentError, match="too many alternatives and subwords together"):
        translator.graph.traced(translator.graph.translate, inputs, False)


@pytest.mark.slow
def test_the_phrases_of_one_line_do_not_limit_those_of_others(translator, monkeypatch):
    monkeypatch.setattr("keras_nmt.inference._phrases.MOST_PLACES", 100)
    translator = translator.with_options(max_length=9)
    lines, constraints = ["a cat", "the mouse", "seven"], [["katze"] * 8, ["katze|die|drei"], ["drei vier"]]
    alone = [translator.translate([x], constraints=[y])[0] for x, y in zip(lines, constraints, strict=True)]
    found = translator.translate(iter(lines), constraints=constraints, prefixes=iter([""] * 3), word_scores=True)
    assert [x.text for x in found] == [x.text for x in alone]
    assert [x.hypotheses[0].met for x in found] == [x.hypotheses[0].met for x in alone]


def test_a_translator_that_samples_has_phrases_to_avoid_and_no_constraints(translator):
    sampler = translator.with_options(sample=True, num_hypotheses=3, max_length=6)
    with pytest.raises(UserError, match="leave them out when sampling. Received: sample=True"):
        sampler.translate(["a cat"], constraints=[["katze"]])
    # The model is untrained: it needs to be told to write words.
    favoured = sampler.with_options(processors=[_Add(pieces(translator, "drei")[0], 100.0)])
    assert "drei" in favoured.translate(["a cat"])[0].text
    for hypothesis in favoured.translate(["a cat"], avoid=[["drei"]])[0].hypotheses:
        assert "drei" not in hypothesis.text


@pytest.mark.slow
def test_options_of_processors(translator):
    translator = translator.with_options(max_length=6)
    drei = pieces(translator, "drei")[0]
    favoured = translator.with_options(processors=[_Add(drei, 100.0)])
    assert "drei" in favoured.translate(["the cat"])[0].text
    for options in ({"suppress_sequences": ["drei"]}, {"processors": [_Add(drei, -1e9)]}):
        assert "drei" not in favoured.with_options(**options).translate(["the cat"])[0].text
    for text in (x.text for x in translator.with_options(no_repeat_ngram_size=1).translate(LINES)):
        ids = pieces(translator, text)
        assert len(set(ids)) == len(ids) or text == ""
    for unknown, is_written in (("write", True), ("forbid", False), ("replace", False)):
        favoured = translator.with_options(processors=[FavourUnknown()], unknown=unknown)
        assert ("⁇" in favoured.translate(["the cat"])[0].text) == is_written
    with pytest.raises(UserError, match="the target's subwords have. Received: '☃'"):
        translator.with_options(suppress_sequences=["☃"])
    biased = translator.with_options(prefix_bias_beta=0.999)
    (forced,) = translator.translate(["the cat"], prefixes=["drei rote"])
    assert forced.text.startswith(biased.translate(["the cat"], prefixes=["drei rote"])[0].text)  # of another limit
    weak = translator.with_options(prefix_bias_beta=1e-6)
    assert weak.translate(["the cat"], prefixes=["drei rote"])[0].text == translator.translate(["the cat"])[0].text


@pytest.mark.slow
def test_a_processor_of_ones_own_works_in_the_export(model, tokenizers, translator, tmp_path):
    """The example of the documentation."""
    page = Path(__file__).parents[2] / "docs" / "decoding.md"
    (program,) = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    found: dict[str, Any] = {}
    exec(program, found)
    katze = pieces(translator, "katze")
    options = {**ONE_SHAPE, "processors": [found["FavourTokens"](katze[:1], bonus=100.0, times=2)]}
    folder = export(tmp_path, model, tokenizers, **options)
    answer = tf.saved_model.load(str(folder)).signatures["serving_default"](text=tf.constant(["the cat"]))
    (text,) = answer["translation"].numpy()
    (expected,) = Translator(model, tokenizers, **options).translate(["the cat"])
    assert text.decode() == expected.text
    assert pieces(translator, expected.text)[:3].count(katze[0]) == 2


class _Add(LogitProcessor):
    def __init__(self, token: int, number: float) -> None:
        self.token, self.number = token, number

    def __call__(self, log_probabilities, step, state):
        return keras.ops.where(step.ids == self.token, log_probabilities + self.number, log_probabilities), state
