"""Lines of several sentences: how they are split, and how the answers are composed."""

import itertools
import math
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small import OPTIONS, SAMPLING, save_model
from word_by_word import by_words

from keras_nmt.errors import UserError
from keras_nmt.inference import Glossary, Translator
from keras_nmt.text.front import translate_lines
from keras_nmt.text.lines import make_request
from keras_nmt.text.sentences import (
    Parts,
    align_hypotheses,
    compose,
    count_sentences,
    sentence_splitter,
    split_at_end_marks,
    translate_sentences,
)
from keras_nmt.text.translation import Hypothesis, Translation, split_words

SENTENCES = ["the small cat sat.", "A mouse!", "Seven cats sleep."]
LINE = "  the small cat sat. A mouse!  Seven cats sleep."


@pytest.fixture(scope="module")
def many(translator):
    return translator.with_options(num_hypotheses=3)


def test_a_line_is_composed_of_its_sentences(many):
    apart = many.translate(SENTENCES, word_scores=True)
    (whole, other) = many.translate([LINE, ""], split_sentences="en", word_scores=True)
    a, b, c = (x.text for x in apart)
    assert whole.text == f"  {a} {b}  {c}"
    assert whole.score == pytest.approx(sum(x.score for x in apart), abs=1e-4)
    assert [x.text for x in whole.hypotheses[0].pieces] == [y.text for x in apart for y in x.hypotheses[0].pieces]
    assert other.text == ""
    assert many.translate([LINE], split_sentences="none") == many.translate([LINE])


def test_the_best_combinations_come_first():
    """Against all combinations."""
    found = [
        Translation(tuple(Hypothesis(f"{i}{j}", score, j == 2) for j, score in enumerate(scores)), False)
        for i, scores in enumerate([(-1.0, -1.5, -0.1), (-2.0, -2.2, -9.0), (0.0, -3.0)])
    ]
    rows = itertools.product(*(x.hypotheses for x in found))
    best = sorted(rows, key=lambda row: (any(x.cut_off for x in row), -sum(x.score for x in row)))[:3]
    composed = compose(["", " ", "-", "!"], Parts(found, [], False)).hypotheses
    assert [x.text for x in composed] == [f"{a.text} {b.text}-{c.text}!" for a, b, c in best]
    assert [x.score for x in composed] == pytest.approx([sum(x.score for x in row) for row in best])
    drawn = compose(["", " ", "-", "!"], Parts(found, [], True)).hypotheses
    assert [x.text for x in drawn] == ["00 10-20!", "01 11-21!"]


def test_combinations_of_one_text_are_one_hypothesis():
    first, second = (
        Translation(tuple(map(Hypothesis, texts, (0.0, -1.0, -8.0, -9.0))), False)
        for texts in (("a", "a b"), ("b c", "c", "x", "y"))
    )
    drawn, best = (compose(["", " ", ""], Parts([first, second], [], x)).hypotheses for x in (True, False))
    assert [x.text for x in drawn] == ["a b c", "a b c"]
    assert [(x.text, x.score) for x in best] == [("a b c", 0.0), ("a c", -1.0), ("a b b c", -1.0)]


def test_samples_of_equal_sentences_differ_and_depend_on_the_seed_of_the_line_alone(many):
    sampler = many.with_options(**SAMPLING, beam_size=1, num_hypotheses=1)
    line = "A mouse. A mouse. A mouse."
    one, two, three = sampler.translate([line, line, line], seeds=[5, 6, 5], split_sentences="en")
    assert one.text == three.text != two.text
    first, *others = sampler.translate(["A mouse."] * 2, seeds=[5, 6])
    assert one.text.startswith(first.text)
    assert len({x.target for x in one.hypotheses[0].sentences}) > 1


def test_the_sentences_of_paragraphs_have_different_seeds():
    asked = []
    translate, align = by_words()

    def answer(request):
        asked.extend(request.seeds)
        return translate(request.lines)

    document = "<p>A mouse. A cat. A dog.</p>" * 3
    translate_lines(answer, align, make_request([document], seeds=[5]), markup="html")
    assert asked[0] == 5
    assert len(set(asked)) == len(asked) == 9


def test_words_are_counted_in_the_line(many):
    """An aligner that aligns each word of a sentence to the word at its place gives the places in the line."""

    def align(sources, targets, *languages):
        return [
            [(i, i) for i in range(min(len(split_words(x)), len(split_words(y))))]
            for x, y in zip(sources, targets, strict=True)
        ]

    (whole,) = many.translate([LINE], split_sentences="en")
    for hypothesis, pairs in zip(whole.hypotheses, align_hypotheses([LINE], [whole], align), strict=True):
        words, others, place = split_words(LINE), split_words(hypothesis.text), {}
        for one, other in pairs:
            place[words[one]] = others[other]
        expected = {}
        for x in hypothesis.sentences:
            expected |= dict(zip(split_words(x.source), split_words(x.target), strict=False))
        assert place == expected
    (plain,) = many.translate(["a mouse"])
    assert align_hypotheses(["a mouse"], [plain], align)[0][0] == (0, 0)


@pytest.mark.parametrize("line", ["我 是。你 是。 好 吧。", "今日は。明日は。雨 です。", "Stop. Go  on.", "是。"])
def test_a_space_between_sentences_that_the_line_lacks_counts_in_the_translation_only(line):
    translate, align = by_words(split=split_words)
    (found,) = translate_sentences(make_request([line]), "zh", lambda request: translate(request.lines))
    words, others = split_words(line), split_words(found.text)
    (pairs,) = align_hypotheses([line], [found], align)
    sentences = [part.strip() for part in split_at_end_marks(line)]
    assert others == split_words(" ".join(sentences).upper())
    assert sorted({place for _, place in pairs}) == list(range(len(others)))
    assert all(others[other] in words[one].upper() for one, other in pairs)


@pytest.mark.slow
def test_a_constraint_goes_where_it_costs_least(many):
    phrases = [["katze", "blaue"], []]
    whole, other = many.translate([LINE, "A mouse. A mouse."], split_sentences="en", constraints=phrases)
    assert whole.hypotheses[0].met == (True, True)
    assert other.hypotheses[0].met == ()
    free = many.translate(SENTENCES)
    for phrase in phrases[0]:
        assert phrase in whole.text
        bound = many.translate(SENTENCES, constraints=[[phrase]] * 3)
        losses = [x.score - y.score for x, y in zip(free, bound, strict=True)]
        cheapest = losses.index(min(losses))
        (alone,) = many.translate([LINE], split_sentences="en", constraints=[[phrase]])
        assert alone.hypotheses[0].sentences[cheapest].target == bound[cheapest].text
    assert "rote" in whole.text.split()
    (avoiding,) = many.translate([LINE], split_sentences="en", avoid=[["rote"]])
    assert "rote" not in avoiding.text.split()


def test_a_phrase_without_room_in_a_short_sentence_goes_to_another(model, tokenizers):
    short = Translator(model, tokenizers, **OPTIONS, max_length_factor=2, max_length_offset=0)
    phrase = "drei rote hunde vier blaue"
    (found,) = short.translate(["A."], constraints=[[phrase]])
    assert found.hypotheses[0].met == (False,)
    (found,) = short.translate(["A. seven cats sleep in the garden"], split_sentences="en", constraints=[[phrase]])
    assert phrase in found.text
    assert found.hypotheses[0].met == (True,)


def test_a_prefix_begins_the_first_sentence_and_a_glossary_counts_in_each(many):
    glossary = Glossary({"mouse": "rote", "cats": "hunde"})
    (found,) = many.translate([LINE], split_sentences="en", prefixes=["vier"], glossary=glossary)
    one, two, three = (x.target for x in found.hypotheses[0].sentences)
    assert one.startswith("vier")
    assert not two.startswith("vier")
    assert "rote" in two.split()
    assert "hunde" in three.split()
    assert found.hypotheses[0].met == (True, True)


def test_texts_with_markup_are_split_unless_none_is_asked_for(many):
    line = "<p>the small <b>cat</b> sat. A mouse!</p>"
    (found,) = many.translate([line], markup="html", glossary=Glossary({"cat": "katze"}), constraints=[["vier"]])
    apart = many.translate(["the small cat sat.", "A mouse!"], markup="html", split_sentences="none")
    (whole,) = many.translate([line], markup="html", split_sentences="none")
    assert "katze" in found.text
    assert "vier" in found.text
    assert found.hypotheses[0].met == (True, True)
    (plain,) = many.translate([line], markup="html")
    assert plain.score == pytest.approx(sum(x.score for x in apart), abs=1e-4)
    assert not math.isclose(whole.score, plain.score, abs_tol=1e-4)


def test_a_model_of_one_direction_splits_texts_with_markup_by_its_source(make_multilingual, tmp_path, monkeypatch):
    asked = []
    translate, _ = by_words(read=asked)
    monkeypatch.setattr(Translator, "_answer", lambda translator, request: translate(request.lines))
    save_model(tmp_path, *make_multilingual("without_bridge", ["de", "fr"]), length_buckets=[16])
    translator = Translator.from_directory(tmp_path, source="de", target="fr").with_options(max_length=4)
    translator.translate(["<p>Er kam am 3. Mai. Gut.</p>"], markup="html")
    assert asked == ["Er kam am 3. Mai.", "Gut."]


@given(st.text('aB.!?。 \n\u00a0"”()1z', max_size=30))
def test_sentences_and_spaces_are_the_line(line):
    assert "".join(split_at_end_marks(line)) == line
    assert count_sentences(line) == sum(bool(x.strip()) for x in split_at_end_marks(line))


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("A dog runs. A man sleeps. Two women walk.", 3),
        ("Dr. Smith sleeps", 2),  # a rule, not knowledge
        ("J. R. R. Tolkien wrote z. B. this.", 1),
        ("It is 3.5 m. high.", 1),
        ("“Run!” “Why?” (So.) «Да.» ¿Qué? ¡Ya!", 6),
        ("今日は。明日は！", 2),
        ("यह है। वह है।", 2),
        ("\u202bשלום.\u200f שלום.\u202c \u202bשלום\u202c", 3),
        ("A dog runs.\u200b \u200ea man sleeps.", 1),
        ("", 0),
        ("...", 1),
    ],
)
def test_sentences_of_a_line_by_the_rule(line, count):
    assert count_sentences(line) == count


def test_lines_of_the_largest_size_take_linear_time():
    """In quadratic time, each would take more than an hour."""
    assert [count_sentences(x * 2**19) for x in (".", "a.", "…»")] == [1, 1, 1]


def test_the_rules_of_a_language_are_found_by_any_form_of_its_code():
    """Models name languages as ISO 639 does, some with a script; the library knows codes of two letters alone."""
    line = "Er kam am 3. Mai bzw. im Juni. Sie nicht."
    for code in ("de", "deu", "deu_Latn", "de-AT", "DE"):
        assert sentence_splitter(code)(line).sentences == ["Er kam am 3. Mai bzw. im Juni.", "Sie nicht."], code
    assert len(sentence_splitter("en")(line).sentences) > 2
    line = "She came at 5 p.m. today."  # Asturian has the rules of Spanish
    assert sentence_splitter("ast_Latn")(line) == sentence_splitter("es")(line) != sentence_splitter("en")(line)


@pytest.mark.parametrize(
    ("language", "sentences"),
    [
        ("amh_Ethi", ["እኔ ተማሪ ነኝ።", "አንተ ማን ነህ፧", "እሷ መምህር ናት።"]),
        ("hy", ["Ես ուսանող եմ։", "Նա ուսուցիչ է։"]),
        ("khm_Khmr", ["ខ្ញុំជាសិស្ស។", "គាត់ជាគ្រូ។"]),
        ("mya_Mymr", ["ကျွန်တော် ကျောင်းသား ဖြစ်သည်။", "သူ ဆရာမ ဖြစ်သည်။"]),
        ("sat", ["ᱤᱧ ᱫᱚ ᱥᱮᱪᱮᱫ᱾", "ᱩᱱᱤ ᱫᱚ ᱢᱟᱪᱮᱛ᱾"]),
        ("urd_Arab", ["میں طالب علم ہوں۔", "وہ استاد ہے۔"]),
    ],
)
def test_end_marks_of_other_scripts_end_sentences(language, sentences):
    line = " ".join(sentences)
    assert sentence_splitter(language)(line).sentences == sentences
    assert count_sentences(line) == len(sentences)


@pytest.mark.parametrize("word", ["ASP.NET", "System.Out.println", "Vue.JS", "www.Example.COM", "What?No", "U.S.A."])
@pytest.mark.parametrize("language", ["en", "de", "fr", "ja"])
def test_no_mark_inside_a_word_ends_a_sentence(language, word):
    sentences = [f"Wir haben {word} hier.", f"Das ist {word}, ja."]
    assert sentence_splitter(language)("  ".join(sentences)) == (sentences, ["", "  ", ""])


def test_no_word_is_cut_in_a_text_with_markup():
    translate, align = by_words()
    asked = []

    def answer(request):
        asked.extend(request.constraints)
        return translate(request.lines)

    request = make_request(["We use <b>ASP.NET</b> here."])
    (found,) = translate_lines(answer, align, request, markup="html", glossary=Glossary({"ASP.NET": "ASP.NET"}))
    assert found.text == "WE USE <b>ASP.NET</b> HERE."
    assert asked == [["ASP.NET"]]


@pytest.mark.parametrize(
    ("language", "sentences"),
    [
        ("am", ["ሰላም።", "ነው፧", "ሰላም።"]),
        ("hi", ["यह है।", "वह है।"]),
        ("ja", ["今日は。", "「明日は！」", "雨?", "また!", "雨。", "ASP.NETです。", "OK。", "はい｡"]),
        ("my", ["ကခ။", "ဂဃ။"]),
        ("th", ["ไป?", "มา!", "ดี"]),
        ("zh", ["今天。", "“明天！”", "后天？", "好!", "再见。"]),
    ],
)
def test_sentences_without_spaces_between(language, sentences):
    split = sentence_splitter(language)("".join(sentences))
    assert split == (sentences, [""] * (len(sentences) + 1))


def test_without_sentencex_a_rule_splits_and_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentencex", None)
    with pytest.warns(UserWarning, match=r"simple rule.*pip install 'keras_nmt\[split\]'"):
        split = sentence_splitter("en")
    assert split("A dog.  C man. ") == (["A dog.", "C man."], ["", "  ", " "])


def test_rules_are_named_by_the_code_of_a_language():
    """sentencex would split by the rules of English, without a word."""
    for name in ("German", "", 5):
        with pytest.raises(UserError, match="by the code of a language, such as en, deu or pt-BR"):
            sentence_splitter(name)


def test_lines_with_more_sentences_than_the_training_lines_are_told_of(model, tokenizers, recwarn):
    translator = Translator(model, tokenizers, **OPTIONS)
    translator.translate([LINE])
    translator.sentences_per_line = 2
    translator.translate(["a mouse", "A mouse. A cat."])
    translator.translate([LINE], split_sentences="en")
    translator.translate([LINE], markup="html")
    assert not recwarn.list
    with pytest.warns(UserWarning, match="1 line.*the first of them line 2, .* at most 2: .*--split-sentences"):
        translator.translate(["a mouse", LINE])
