"""Translations as they are made: their pieces are the text of `translate`."""

import numpy as np
import pytest
import tensorflow as tf
from small import FavourUnknown, subwords_of

from keras_nmt.decoding import LogitProcessor
from keras_nmt.errors import UserError
from keras_nmt.ids import EOS
from keras_nmt.inference import Translator, _streams, _traced_search


def streamed(translator, line, *languages, **options):
    """The pieces, and the translation."""
    pieces = []
    stream = translator.stream_line(line, *languages, **options)
    while True:
        try:
            pieces.append(next(stream))
        except StopIteration as end:
            return pieces, end.value


@pytest.mark.parametrize(
    "options",
    [
        {"beam_size": 1},
        {"sample": True, "temperature": 1.5},
        {"beam_size": 1, "processors": [FavourUnknown()], "max_length": 5},
        {"beam_size": 1, "processors": [FavourUnknown()], "max_length": 5, "unknown": "replace"},
    ],
    ids=["greedy", "sample", "unknown", "replaced"],
)
def test_pieces_joined_are_the_translation(options, translator, lines, eager):
    greedy, counts = translator.with_options(**{"max_length": 8, **options}), []
    lines = lines[1:6:2]
    for seed, line in enumerate(lines):
        of_line = {"seeds": [seed]} if greedy.options.sample else {}
        (expected,) = greedy.translate([line], **of_line)
        pieces, found = streamed(greedy, line, seed=seed if of_line else 0)
        assert ("".join(pieces), found) == (expected.text, expected)
        counts.append(len(pieces))
    assert max(counts) > 1 or "unknown" in options, "the word of an unknown subword comes as a whole"
    if not greedy.options.sample:
        (expected,) = greedy.translate(lines[1:2], prefixes=["die vö"])
        assert "".join(streamed(greedy, lines[1], prefix="die vö")[0]) == expected.text
    assert not _streams._streams


def test_a_line_break_of_single_bytes_is_a_space_in_pieces_and_words(make_model, tmp_path, eager):
    tokenizer = subwords_of(tmp_path, "a mouse\n" * 9, vocabulary_size=270, byte_fallback=True)
    written = [tokenizer.pieces().index(piece) for piece in ("<0x61>", "<0x0A>", "<0x62>", "<0x0D>", "<0x63>")]

    class Written(LogitProcessor):
        def __call__(self, log_probabilities, step, state):
            token = tf.gather([*written, EOS], tf.minimum(step.position, len(written)))
            return tf.where(step.ids == token, 0.0, log_probabilities - 100), state

    model = make_model(source_vocabulary_size=tokenizer.vocabulary_size, shortcuts=None)
    for unknown in ("write", "replace"):
        greedy = Translator(model, tokenizer, beam_size=1, max_length=8, processors=[Written()], unknown=unknown)
        (expected,) = greedy.translate(["a mouse"], word_scores=True)
        assert expected.text == "a b c"
        assert "".join(streamed(greedy, "a mouse")[0]) == expected.text
        assert [word.text for word in expected.hypotheses[0].words] == ["a", "b", "c"]


def test_models_of_many_languages_stream(make_multilingual, eager):
    translator = Translator(*make_multilingual("label"), beam_size=1, max_length=8)
    for target in ("de", "fr"):
        (expected,) = translator.translate(["a mouse"], "de", target)
        assert "".join(streamed(translator, "a mouse", "de", target)[0]) == expected.text
    with pytest.raises(UserError, match="xx"):
        translator.stream_line("a mouse", "de", "xx")


def test_a_search_is_traced_once_and_ends_when_its_stream_is_closed(translator, monkeypatch):
    traces = []
    real = _traced_search.greedy_search
    monkeypatch.setattr(_traced_search, "greedy_search", lambda *args, **more: traces.append(1) or real(*args, **more))
    greedy = translator.with_options(beam_size=1)
    for line in ("the small cat sat", "a mouse"):
        stream = greedy.stream_line(line)
        next(stream)
        stream.close()
        assert "".join(greedy.stream_line(line)) == greedy.translate([line])[0].text
    assert len(traces) == 2, "with a stream, and without"
    assert _streams._send(np.array([10**6]), np.array([[7]], "int32")).tolist() == [[EOS]]


def test_what_cannot_be_streamed_is_refused(translator):
    greedy = translator.with_options(beam_size=1)
    for wrong, line, options, told in (
        (translator, "a mouse", {}, "Received: beam_size=3, num_hypotheses=1"),
        (translator.with_options(sample=True, num_hypotheses=2), "a mouse", {}, "num_hypotheses=2"),
        (greedy, "a mouse", {"seed": 3}, "seeds=3"),
    ):
        with pytest.raises(UserError, match=told):
            wrong.stream_line(line, **options)
    with pytest.raises(UserError, match="☃"):
        list(greedy.stream_line("a mouse", prefix="☃"))
