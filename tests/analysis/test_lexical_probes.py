"""Lexical probes of the states of layers."""

import sys

import pytest
import tensorflow as tf
from planted import changed

from keras_nmt.analysis import TaggedSentence, by_frequency, by_tag, hidden_states, lexical
from keras_nmt.analysis.lexical_probes import _Probe
from keras_nmt.errors import UserError


@pytest.mark.slow
def test_the_decoders_probe_by_tag(plain, lines):
    text = [line for line in lines[2:] if line]
    tagged = [
        TaggedSentence(
            line,
            tuple(i for i in range(len(line)) if i == 0 or line[i - 1] == " "),
            tuple("NOUN" if word in ("cat", "houses") else "X" for word in line.split()),
        )
        for line in text
    ]
    options = {"test_source": text, "test_target": text, "epochs": 1, "hidden_dim": 8}
    found = lexical(plain, text, text, groups=by_tag(target=tagged), **options)
    assert {item for group, item in found.values if group == "decoder, layer 1"} == {"NOUN", "X"}
    assert not [group for group, _ in found.values if group.startswith("encoder, layer")]
    nouns = sum(of.split().count(word) for of in text for word in ("cat", "houses"))
    assert found.samples["decoder, layer 1", "NOUN"][:, 1].sum() >= nouns > 0


def test_a_probe_reads_embeddings_and_no_noise(plain, lines):
    text = lines[2:] * 4
    options = {"epochs": 40, "hidden_dim": 64, "dropout": 0.0, "learning_rate": 0.01}
    found = lexical(plain, text, test_source=lines[2:], **options)
    assert found.values["encoder", "0"] > 0.99
    assert found.values["encoder", "1"] > 0.99
    noise = changed(plain, "embedding/", 0.0)
    found = lexical(noise, text, test_source=lines[2:], **options)
    assert found.values["encoder", "1"] < found.references["encoder", "1"] + 0.25
    with pytest.raises(UserError, match="no lines with tokens to measure for lexical"):
        lexical(noise, text, test_source=["", ""], **{**options, "epochs": 1})


def test_a_probe_is_trained_with_dropout_and_asked_without():
    probe = _Probe(4, 64, 0.5)
    probe.build((None, 8))
    states = tf.random.stateless_normal([6, 8], [1, 2])
    classes, others = tf.range(6, dtype=tf.int64) % 4, tf.range(4, dtype=tf.int64)
    assert len({float(probe.loss(states, classes, others)) for _ in range(3)}) == 3
    assert len({tuple(probe(states).numpy()) for _ in range(3)}) == 1


@pytest.mark.slow
def test_a_probe_that_tells_few_classes_apart_in_an_update_finds_the_one_of_all(plain, lines, monkeypatch):
    monkeypatch.setattr(sys.modules[lexical.__module__], "OTHERS", 5)
    options = {"epochs": 60, "hidden_dim": 64, "dropout": 0.0, "learning_rate": 0.01}
    found = lexical(plain, lines[2:] * 4, test_source=lines[2:], **options)
    assert found.values["encoder", "0"] > 0.99


def test_the_probe_withholds_every_tenth_sentence(plain, lines, monkeypatch):
    groups = by_frequency(plain, lines, lines)
    found = lexical(plain, lines, lines, epochs=1, groups=groups)
    assert set(found.values) >= {("encoder", "0"), ("decoder", "1")}
    assert all(group.startswith(("encoder", "decoder")) and "frequent" not in group for group, _ in found.values)
    bins = {item for group, item in found.values if group == "decoder, layer 1"}
    assert bins <= {str(i) for i in range(1, 11)}
    assert len(bins) > 3
    held = found.samples["encoder", "0"][:, 1].sum()
    assert held == sum(len(plain.tokenizers["source"].tokenize([line])[0]) for line in lines[9::10])
    with pytest.raises(UserError, match="ten sentences"):
        lexical(plain, lines[:5])
    monkeypatch.setattr(sys.modules[lexical.__module__], "_trained", pytest.fail)
    with pytest.raises(UserError, match="Received: 3 and 2 lines"):
        lexical(plain, lines, lines, test_source=lines[:3], test_target=lines[:2])
    with pytest.raises(UserError, match="`test_target` needs a `test_source`"):
        lexical(plain, lines, lines, test_target=lines[:3])
    for seeds, told in (([], "seeds=0"), ([1, -1], "seed=-1")):
        with pytest.raises(UserError, match=f"Received: {told}$"):
            lexical(plain, lines, seeds=seeds)


@pytest.mark.slow
def test_the_probe_sees_texts_of_all_lengths_until_the_end(plain, lines, monkeypatch):
    module, sizes = sys.modules[lexical.__module__], []

    def recorded(*arguments, **options):
        for batch in hidden_states(*arguments, **options):
            sizes.append(int(batch.source.lengths.max()))
            yield batch

    monkeypatch.setattr(module, "hidden_states", recorded)
    monkeypatch.setattr(module, "TOKENS_AT_ONCE", 20)

    def trained():
        sizes.clear()
        values = lexical(plain, lines, test_source=lines, epochs=2, seeds=(3,)).values
        return values, sizes[:-1]  # without the batch of the test

    values, order = trained()
    first, second = order[: len(order) // 2], order[len(order) // 2 :]
    assert len(first) > 4
    for of_epoch in (first, second):
        assert of_epoch != sorted(of_epoch, reverse=True)
    assert first != second
    assert trained() == (values, order), "the seed decides"
