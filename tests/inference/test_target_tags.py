"""Target-language tags are languages wherever languages are taken."""

import re

import numpy as np
import pytest
import tensorflow as tf
from small import FavourUnknown, make_shortlist, running_eagerly, save_model

from keras_nmt.analysis import ContrastItem, contrast, demo_systems, hidden_states, lexical, look_inside
from keras_nmt.data import SubwordTokenizer, train_subwords
from keras_nmt.errors import UserError
from keras_nmt.formats import export_argos
from keras_nmt.hub import BeamSampler, TranslationSeq2SeqLM, TranslationTokenizer
from keras_nmt.inference import Glossary, Translator
from keras_nmt.inference.alignment import subword_links, words_of_subwords
from keras_nmt.inference.load import load
from keras_nmt.serving import Client, DevelopmentServer, export
from keras_nmt.serving.warmup import warmup_records

TEXTS = ["the small cat sat. a mouse ran. three red dogs", "", "seven cats sleep in the garden", "zürich"]
OPTIONS = {"beam_size": 2, "length_buckets": (16,), "batch_buckets": (4,), "min_length": 1, "max_length": 4}


@pytest.fixture(scope="session")
def tagged(make_model, made_once):
    """A model directory whose source has the tags of German and French."""

    def make(folder):
        (folder / "text").write_text("\n".join(TEXTS * 9))
        symbols = ["\u2581>>deu<<", "<2fra>", "<BT>"]
        path = train_subwords(folder / "text", folder / "subwords.model", vocabulary_size=60, user_symbols=symbols)
        size = SubwordTokenizer(path).vocabulary_size
        model = make_model(0.5, source_vocabulary_size=size, shortcuts=None)
        search = {name: list(x) if isinstance(x, tuple) else x for name, x in OPTIONS.items()}
        save_model(folder, model, SubwordTokenizer(path), **search)

    return made_once("tagged", make)


@pytest.fixture(scope="session")
def translator(tagged):
    return Translator.from_directory(tagged)


def test_a_language_is_the_tag_in_front(translator, eager):
    for language, tag in (("deu", ">>deu<<"), ("fra", "<2fra>")):
        lines = [f"{tag} {line}" if line else line for line in TEXTS[1:]]
        found = translator.translate(TEXTS[1:], target=language)
        assert found == translator.translate(lines, target="")
        # Words count from 0 in the line as it is given, and no word aligns to a tag.
        targets = [x.text for x in found]
        aligned = translator.align(TEXTS[1:], targets, target=language)
        assert any(aligned)
        assert translator.align(lines, targets, target="") == [[(a + 1, b) for a, b in pairs] for pairs in aligned]
        # So is a tag without a space behind it.
        joined = [line.replace(f"{tag} ", tag) for line in lines]
        assert translator.score(joined, targets, target="") == translator.score(lines, targets, target="")
        aligned = [[(max(a - 1, 0), b) for a, b in pairs] for pairs in translator.align(lines, targets, target="")]
        assert translator.align(joined, targets, target="") == aligned
        for target in ("", language):  # a tag alone is a line without text, also beside what normalisation removes
            empty = [f"{tag} ", f"\u00a0{tag}\t", f"{tag} \x01", f"\x01{tag}", *(["\x01"] if target else [])]
            assert all(x == found[0] for x in translator.translate(empty, target=target))
    assert (found[0].text, found[0].hypotheses[0].score) == ("", 0.0)
    scores = [translator.score(["the cat"], ["a mouse"], target=x) for x in translator.tags.texts]
    assert len(set(map(str, scores))) == 2


def test_words_are_those_of_the_line_as_it_is_given(translator):
    source, target = translator.tokenizers["source"], translator.tokenizers["target"]
    line, spaced = " >>deu<<the small cat", " >>deu<< the small cat"
    of_spaced, of_line = (words_of_subwords(source, [text])[0] for text in (spaced, line))
    assert of_line == [max(word - 1, 0) for word in of_spaced]
    assert sorted(set(of_line)) == [0, 1, 2]
    # Words may begin anywhere, such as behind the tag.
    assert words_of_subwords(source, [line], [[1, 8, 12, 18]]) == [of_spaced]
    links, of_spaced = (
        subword_links((source, target), [text], ["a mouse"], [pairs]).to_list()
        for text, pairs in ((line, [(0, 0), (1, 1)]), (spaced, [(0, 0), (1, 0), (2, 1)]))
    )
    assert links == of_spaced
    counted = make_shortlist(translator.tokenizers, [line], ["a mouse"], [[(1, 1)]], num_candidates=2)
    expected = make_shortlist(translator.tokenizers, [spaced], ["a mouse"], [[(2, 1)]], num_candidates=2)
    np.testing.assert_array_equal(counted.candidates, expected.candidates)


def test_states_are_those_of_the_text_with_the_tag_in_front(translator, tagged, eager):
    lines, targets = TEXTS[2:], ["a mouse", "cats"]
    for language, tag in (("deu", ">>deu<<"), ("fra", "<2fra>")):
        (found,) = hidden_states(translator, lines, targets, target_language=language)
        written = [f"{tag} {lines[0]}", f"{tag}{lines[1]}"]
        (expected,) = hidden_states(translator, written, targets, target_language=language)
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_array_equal(one.ids, other.ids)
            np.testing.assert_array_equal(one.states, other.states)
        assert sorted(set(found.source.words)) == [-1, *range(6)]
        assert (found.source.words[found.source.positions < 1] == -1).all()
        assert sorted(set(expected.source.words[expected.source.sentences == 1])) == [-1, 0]  # of the line as it is
    with pytest.warns(UserWarning, match="1 line.s., the first of them line 2, do not begin with a tag of the model"):
        list(hidden_states(translator, [">>deu<< the cat", "the cat"], ["a", "a"]))
    with pytest.raises(UserError, match="did you mean deu"):
        hidden_states(tagged, TEXTS, target_language="de")
    with pytest.raises(UserError, match="Line 3 begins with the tag of another language"):
        list(hidden_states(translator, ["the cat", "", "<2fra> a"], ["a"] * 3, target_language="deu"))
    assert list(demo_systems({"one": translator}, 9)) == ["one, to deu", "one, to fra"]


def test_the_insides_of_a_line_have_its_words(translator, eager):
    alignment = look_inside(translator, "<2fra>the cat sat").alignment
    assert alignment.source == ("<2fra>the", "cat", "sat")
    assert alignment.attention.shape == (len(alignment.target), 3)
    assert (alignment.attention.sum(0) > 0).all()  # each word has subwords


@pytest.mark.slow
def test_the_insides_are_those_of_the_text_with_the_tag_in_front(translator, tagged):
    insides = look_inside(tagged, TEXTS[2], target_language="fra")
    (expected,) = translator.translate(TEXTS[2:3], target="fra")
    assert insides.translation.text == expected.text
    assert insides.alignment.source == tuple(TEXTS[2].split())
    written = look_inside(translator, f"<2fra> {TEXTS[2]}").alignment
    np.testing.assert_allclose(insides.alignment.attention, written.attention[:, 1:], atol=1e-6)
    assert [(a + 1, b) for a, b in insides.alignment.pairs] == list(written.pairs)
    probed = lexical(translator, TEXTS[2:], test_source=TEXTS[2:], epochs=1, target_language="fra")
    lines = [f"<2fra> {line}" for line in TEXTS[2:]]
    assert probed.values == lexical(translator, lines, test_source=lines, epochs=1, target_language="fra").values


def test_analyses_of_a_translator_take_the_language(translator, tagged, eager):
    items = [ContrastItem(TEXTS[2], TEXTS[3], (TEXTS[2],), ("all",))]
    of_model, of_directory = (contrast(model, items, target_language="fra") for model in (translator, tagged))
    assert of_model.numbers() == of_directory.numbers()


@pytest.mark.slow
@pytest.mark.filterwarnings("error:.*do not begin")
def test_every_method_takes_the_language_and_every_sentence_has_its_tag(translator, tagged, eager):
    assert list(translator.tags.texts) == ["deu", "fra"]
    unknown = translator.with_options(unknown="replace", processors=[FavourUnknown()])
    language, tag = "fra", "<2fra>"
    lines = [f"{tag} {line}" if line else line for line in TEXTS]
    found = translator.translate(TEXTS, target=language, word_scores=True)
    assert found == translator.translate(lines, target="", word_scores=True)
    assert translator.translate(lines, target=language) == translator.translate(TEXTS, target=language)
    with_default = Translator.from_directory(tagged, target=language)
    assert [x.text for x in with_default.translate(TEXTS)] == [x.text for x in found]
    assert unknown.translate(TEXTS, target=language) == unknown.translate(lines, target="")
    targets = [x.text for x in found]
    scores = translator.score(TEXTS, targets, target=language)
    assert scores == translator.score([f"{tag} {line}" for line in TEXTS], targets, target="")
    prefixes = ["the"] * len(TEXTS)
    alternatives = translator.alternatives(TEXTS, prefixes, target=language)
    assert alternatives == translator.alternatives(lines, prefixes, target="")
    sentences = TEXTS[0].replace(". ", ".\n").split("\n")
    parts = [x.text for x in translator.translate(sentences, target=language)]
    for line, target in ((TEXTS[0], language), (lines[0], None), (lines[0], language)):
        (split,) = translator.translate([line], target=target, split_sentences="xx")
        assert split.text == " ".join(parts)
    (split,) = translator.translate([lines[0]], split_sentences="xx")
    assert [pair.source.split()[0] for pair in split.hypotheses[0].sentences] == [tag] * 3
    (kept,) = translator.translate([f"{tag} <p>{TEXTS[2]}</p><p>{TEXTS[3]}</p>"], markup="html")
    assert kept.text == f"<p>{targets[2]}</p><p>{targets[3]}</p>"


def test_a_tokenizer_of_keras_hub_reads_tags_alike(translator):
    texts = [">>deu<<the cat", " <2fra>a", ">>deu<< the cat", "the >>deu<<cat", ""]
    found = TranslationTokenizer(translator.tokenizers["source"].proto).cleaned(texts)
    assert [x.decode() for x in found.numpy()] == list(map(translator.tags.with_space, texts))


def test_the_coverage_of_tasks_of_keras_hub_leaves_tags_out(translator, tagged, eager):
    task = TranslationSeq2SeqLM.from_directory(tagged)
    options = {"beam_size": 4, "min_length": 1, "max_length": 4, "coverage_penalty": 1.0}
    task.compile(sampler=BeamSampler(**options), run_eagerly=True)
    lines = [">>deu<< dogs", "<2fra> red", ">>deu<< seven sleep", "<2fra> the seven sat a", "<2fra> ran in", ">>deu<<"]
    expected = translator.with_options(**options).translate(lines, target="")
    assert task.generate(lines) == [x.text for x in expected]


def test_a_glossary_reads_lines_without_their_tags(translator, eager):
    class Told(Glossary):
        def constraints(self, lines):
            told.extend(lines)
            return super().constraints(lines)

    told: list[str] = []
    (found,) = translator.translate(["<2fra> the cat sat"], glossary=Told({"the cat": "a mouse"}))
    assert told == ["the cat sat"]
    (expected,) = translator.translate(["the cat sat"], target="fra", glossary=Glossary({"the cat": "a mouse"}))
    assert found == expected


def test_lines_without_a_tag_and_unknown_languages_are_told(translator, tagged, keras_nmt, eager):
    for line, told in (
        ("the cat", "1 line(s), the first of them line 2, do not begin with a tag of the model, such as >>deu<<"),
        (">>de<< the cat", "The model has deu, fra, such as deu for >>de<<."),
        ("<BT> the cat", "The model has deu, fra."),
    ):
        with pytest.warns(UserWarning, match=re.escape(told)):
            translator.score([">>deu<< the cat", line], ["a", "a"])
    for target, told in (
        ("de", "Unknown target language: did you mean deu? The model has deu, fra. Received: 'de'"),
        ("French", "Unknown target language. The model has deu, fra. Received: 'French'"),
        ("fra", "Line 1 begins with the tag of another language"),
    ):
        with pytest.raises(UserError, match=re.escape(told)):
            translator.translate([">>deu<< the cat"], target=target)
    with pytest.raises(UserError, match="leave out the source language"):
        translator.translate(["the cat"], source="en", target="deu")
    with pytest.raises(UserError, match="cannot put the tag"):
        export_argos("a.argosmodel", translator.model, translator.tokenizers, source="en", target="de")
    assert "target languages        deu, fra (by tags, such as >>deu<<)" in keras_nmt("info", tagged).output
    for arguments, told in ((["-t", "de"], "did you mean deu?"), (["-s", "en", "-t", "deu"], "source: leave it out")):
        assert told in keras_nmt("translate", tagged, *arguments, stdin="the cat\n", code=2).error
    written = keras_nmt("translate", tagged, stdin="the cat\n<2fra> the cat\n")
    assert written.error.count("1 line(s), the first of them line 1, do not begin with a tag") == 1
    of_language = keras_nmt("translate", tagged, "-t", "fra", stdin="the cat\n")
    assert "tag" not in of_language.error
    assert of_language.output.splitlines() == written.output.splitlines()[1:]


def test_lines_to_warm_up_with_are_as_long_as_with_their_tag(translator):
    lines = ["a", "a mouse and the cat"]
    short, long = translator.lengths(lines, "source", is_source=True)
    buckets = translator.with_options(length_buckets=(long, 64), batch_buckets=(1,))
    tagged = buckets.lengths([f">>deu<< {line}" for line in lines], "source", is_source=True)
    assert short < tagged[0] <= long < tagged[1]
    records = warmup_records(lines, False, buckets, "model")
    assert len(records) == 2
    # Each request names its language: a line with a tag of another one would fail.
    assert warmup_records(["<2fra> a", "<2fra>", ">>deu<<a mouse and the cat"], False, buckets, "model") == records


@pytest.mark.slow
def test_an_export_takes_the_language_too(translator, tagged, tmp_path, keras_nmt):
    model, tokenizers, *_ = load(tagged)
    export(tmp_path / "all", model, tokenizers, **OPTIONS, signatures=["align", "search"], warmup=TEXTS)
    export(tmp_path / "one", model, tokenizers, **OPTIONS, target="fra")
    texts = tf.constant(TEXTS)
    with running_eagerly():
        expected = [x.text for x in translator.translate(TEXTS, target="fra")]
        aligned = translator.align(TEXTS, expected, target="fra")
        split = translator.translate([TEXTS[0]], target="fra", split_sentences="xx")[0].text
    one = tf.saved_model.load(str(tmp_path / "one" / "1")).signatures["serving_default"]
    assert [x.decode() for x in one(text=texts)["translation"].numpy()] == expected
    with DevelopmentServer(tmp_path / "all") as server, Client(server.rest_url) as client:
        assert [x.text for x in client.translate(TEXTS, target="fra")] == expected
        lines = [f"<2fra> {line}" if line else line for line in TEXTS]
        assert [x.text for x in client.translate(lines, target="")] == expected
        assert client.align(TEXTS, expected, target="fra") == aligned
        assert client.translate([TEXTS[0]], target="fra", split_sentences="xx")[0].text == split
        for target in ("", "fra"):
            (own,) = client.translate([lines[0]], target=target, split_sentences="xx")
            assert own.text == split
        assert [pair.source.split()[0] for pair in own.hypotheses[0].sentences] == ["<2fra>"] * 3
        for text, target in (("the cat", ""), ("<2fra> the cat", "deu")):
            with pytest.raises(UserError, match="A text must have one tag of a target language, of deu, fra"):
                client.translate([text], target=target)
        tagged_file = tmp_path / "lines"
        tagged_file.write_text("".join(f"{line}\n" for line in lines))
        options = ["--server", server.rest_url, "--input", tagged_file, "--target-language"]
        assert keras_nmt("translate", *options, "none").output.splitlines() == expected
        with pytest.raises(UserError, match="Unknown language. The model has deu, fra"):
            client.translate(["the cat"], target="de")
        with pytest.raises(UserError, match="target_language.* --target-language none"):
            client.translate(["the cat"])
