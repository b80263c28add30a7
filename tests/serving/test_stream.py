"""Documents, translated sentence by sentence: what is sent, and how the lines come back."""

import itertools
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from raw_servers import sent_by

from keras_nmt.errors import UserError
from keras_nmt.serving import Client
from keras_nmt.text.sentences import sentence_splitter

DOCUMENT = ["A Title", "", "  Dr. Smith came home.  He ate 3.5 apples! Did he?\t", "   "]
DOCUMENT += ["One line, one sentence\r\n", "今日は。明日は。", ""]


@pytest.fixture
def client(server, api):
    with Client(getattr(server, api), "echo", batch_size=2) as client:
        client._xla = False
        yield client


def test_sentences_are_sent_in_bounded_requests_and_lines_come_back_as_they_were(client):
    requests = sent_by(client)
    found = list(client.stream(DOCUMENT, language="en"))
    # A space between sentences.
    assert [x.text for x in found] == [*DOCUMENT[:4], "One line, one sentence", "今日は。 明日は。", ""]
    sent = [inputs["text"] for _, inputs in requests]
    sentences = ["A Title", "Dr. Smith came home.", "He ate 3.5 apples!", "Did he?", "One line, one sentence"]
    assert sorted(itertools.chain.from_iterable(sent)) == sorted([*sentences, "今日は。", "明日は。"])
    assert [len(batch) for batch in sent] == [2, 2, 2, 1]
    # A score is the longest sentence of its request, in bytes.
    assert [x.score for x in found] == [20, 0, 20 + 18 + 18, 0, 22, 22 + 12, 0]
    assert list(client.stream([], language="en")) == []


def test_lines_come_back_before_the_document_is_read(client):
    """No line is read that the next request does not need."""
    read = []

    def document():
        for number in itertools.count():
            read.append(number)
            yield f"Line {number}. It is short."

    lines = client.stream(document(), language="en")
    assert read == []
    for number in range(5):
        assert next(lines).text == f"Line {number}. It is short."
        assert len(read) == number + 1


_lines = st.lists(
    st.lists(
        st.sampled_from(["Mr.", "A.", "It is.", "why?", "\u00a0", "\u3000", "  ", "\t", "e.g.", "(so)", "今日は。"])
        | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n"), max_size=5),
        max_size=9,
    ).map(" ".join),
    max_size=6,
)


@settings(max_examples=40)
@given(lines=_lines, language=st.sampled_from(["en", "de", "ja", "hy", "xx"]))
def test_any_document_keeps_its_lines_words_and_spaces(server, lines, language):
    split = sentence_splitter(language)
    with Client(server.rest_url, "echo", batch_size=3) as client:
        found = [x.text for x in client.stream(lines, language=language)]
    assert len(found) == len(lines)
    for line, text in zip(lines, found, strict=True):
        assert "".join(text.split()) == "".join(line.split())
        sentences, spaces = split(line)
        assert all(sentence and sentence == sentence.strip() for sentence in sentences)
        # Spaces are the line's own, and one between sentences without any.
        parts = zip(spaces, [*sentences, ""], strict=True)
        own = re.fullmatch("".join(f"(?:{re.escape(a)}| ?){re.escape(b)}" for a, b in parts), line)
        assert own, (line, text)


def test_languages_are_those_of_the_model_and_split(server_of_languages):
    with Client(server_of_languages.rest_url, "many") as client:
        (found,) = client.stream(["Das ist z. B. gut. Er kam."], "de", "fr")  # split by the rules of de
        assert found.text == "de fr Das ist z. B. gut. de fr Er kam."
        assert len(found.hypotheses) == 1
        truncated, other = client.stream(["Yes. long", "short"], "de", "fr", language="en")
        assert (truncated.truncated, other.truncated) == (True, False)


def test_a_line_is_cut_off_where_one_of_its_sentences_is(client):
    cut_off, other = client.stream(["We cut. cut.", "We cut."], language="en")
    assert (cut_off.text, cut_off.cut_off, other.cut_off) == ("We cut. cut.", True, False)


def test_what_cannot_be_split_is_refused(client):
    with pytest.raises(UserError, match="the lines of a document, not one string. Received: 'A b.'"):
        client.stream("A b.", language="en")
    with pytest.raises(UserError, match="by the code of a language.* Received: None"):
        client.stream(["a"])
    with pytest.raises(UserError, match="must be strings. Received: 3 as line 2"):
        list(client.stream(["", 3], language="en"))
    with pytest.raises(
        UserError, match="`target` must be a language: sentences are sent one by one.*Received: target=''"
    ):
        client.stream([">>deu<< A cat. A dog."], target="", language="en")


def test_the_command_line_splits_sentences(server, keras_nmt, tmp_path):
    there = ["translate", "--server", server.rest_url, "--model", "echo", "--split-sentences", "en"]
    text = "".join(f"{line.strip(chr(10))}\n" for line in DOCUMENT[:4])
    assert keras_nmt(*there, stdin=text) == (text, "")
    output, _ = keras_nmt(*there, "--scores", "--line-buffered", stdin="A man sleeps. He snores.\n\n")
    assert output == f"{13 + 13:.4f}\tA man sleeps. He snores.\n0.0000\t\n"
    (tmp_path / "in").write_text(text)
    keras_nmt(*there, "--input", tmp_path / "in", "--output", tmp_path / "out")
    assert (tmp_path / "out").read_text() == text
