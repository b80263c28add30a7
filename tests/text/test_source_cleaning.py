"""Cleaning of source text: in Python and in the graph, on the source side alone, with words as they are given."""

from __future__ import annotations

import sys
import unicodedata
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sentencepiece
from hypothesis import given, settings
from hypothesis import strategies as st
from sentencepiece.sentencepiece_model_pb2 import ModelProto

from keras_nmt.analysis.token_states import open_pair
from keras_nmt.data import SubwordSampling, SubwordTokenizer, read_parallel, train_subwords
from keras_nmt.inference import Translator
from keras_nmt.inference.alignment import copies_of_texts, subword_links, words_of_subwords
from keras_nmt.text import clean_source
from keras_nmt.text.translation import split_words

ASSIGNED = [chr(i) for i in range(sys.maxunicode + 1) if unicodedata.category(chr(i)) not in ("Cn", "Cs")]
CLEAN = "the small cat-like dog sat"
WRITTEN = "the\xa0small\u2003cat\u2011l\xadike d\u200bog sat\ufeff"


@pytest.fixture(scope="module")
def source(source_tokenizer: SubwordTokenizer) -> SubwordTokenizer:
    return source_tokenizer.source


def test_every_character_is_cleaned_in_the_graph_as_in_python(source: SubwordTokenizer) -> None:
    texts = ["a".join(ASSIGNED[i : i + 500]) for i in range(0, len(ASSIGNED), 500)]
    cleaned = [clean_source(text) for text in texts]
    assert [text.decode() for text in source.cleaned(texts).numpy()] == cleaned
    assert list(map(clean_source, cleaned)) == cleaned
    assert clean_source(WRITTEN) == CLEAN
    for kept in ("می\u200cروم", "ක්\u200dෂ", "👩\u200d👩", "❤\ufe0f", "\u0600\u06dd", "\U000e0067", "Ü – “1111½”"):
        assert clean_source(kept) == kept
    assert not [c for c in map(clean_source, ASSIGNED) if c.isspace() and c != " "]


def test_a_source_is_cleaned_and_a_target_is_not(source_tokenizer: SubwordTokenizer, tmp_path: Path) -> None:
    assert source_tokenizer.source.source is source_tokenizer.source
    assert source_tokenizer.tokenize([WRITTEN]).to_list() != source_tokenizer.tokenize([CLEAN]).to_list()
    files = {name: tmp_path / name for name in ("written", "clean")}
    files["written"].write_text(f"{WRITTEN}\nseven cats\n", encoding="utf-8")
    files["clean"].write_text(f"{CLEAN}\nseven cats\n", encoding="utf-8")
    both = [source_tokenizer] * 2
    found, wanted = (
        read_parallel(files[one], files["written"], *both, max_ratio=None, keep_text=True) for one in files
    )
    for side, text in (("source", CLEAN), ("target", WRITTEN)):
        ids = getattr(found, side).to_list()
        assert ids == getattr(wanted, side).to_list()
        assert ids[0] == source_tokenizer.tokenize([text]).to_list()[0]
    sampling = SubwordSampling(*both, alpha=0.3)
    samples = [sampling.segment(one, np.array([0, 0, 1]), seeds=(1,)) for one in (found, wanted)]
    assert samples[0][0].values.tolist() == samples[1][0].values.tolist()
    (links,) = subword_links((source_tokenizer, source_tokenizer), [WRITTEN], ["a"], [[(0, 0)]]).to_list()
    of_word = source_tokenizer.tokenize([clean_source(WRITTEN.split(" ")[0])])[0]
    assert len({link % 2**16 for link in links}) == len(of_word)


def test_a_model_remembers_whether_it_cleans(source_tokenizer: SubwordTokenizer, tmp_path: Path) -> None:
    for name, text in (("written", WRITTEN), ("clean", CLEAN), ("target", WRITTEN)):
        (tmp_path / name).write_text(f"{text} {text}\n" * 3, encoding="utf-8")
    pieces = {}
    for name in ("written", "clean"):
        files = [tmp_path / name, tmp_path / "target"]
        path = train_subwords(files, tmp_path / "m", vocabulary_size=35, sources=files[:1])
        pieces[name] = SubwordTokenizer(path).pieces()
    assert pieces["written"] == pieces["clean"]
    off = train_subwords(files, tmp_path / "m", vocabulary_size=35, sources=files[:1], source_cleaning=False)
    tokenizer = SubwordTokenizer(off)
    assert tokenizer.source is tokenizer
    assert "\xa0" in "".join(pieces["clean"])  # of the target


@pytest.mark.parametrize("normalization", [{}, {"lowercase": True}, {"normalization": "nfkc"}])
def test_what_is_written_for_other_programs_cleans_by_itself(normalization: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "text").write_text("the cat sat on -\n" * 3, encoding="utf-8")
    path = train_subwords(tmp_path / "text", tmp_path / "m", vocabulary_size=20, **normalization)
    plain, cleaning = SubwordTokenizer(path), sentencepiece.SentencePieceProcessor()
    plain.source.save(tmp_path / "source.model")
    cleaning.Load(str(tmp_path / "source.model"))
    texts = ["a".join(ASSIGNED[i : i + 500]) for i in range(0, len(ASSIGNED), 500)]
    processor = sentencepiece.SentencePieceProcessor(model_proto=plain.proto)
    assert cleaning.normalize(texts) == processor.normalize([clean_source(text) for text in texts])
    assert SubwordTokenizer(plain.save(tmp_path / "target.model")).proto == plain.proto


@settings(max_examples=20)
@given(st.lists(st.text("abt \t\xa0\xad\u200b\u2011\u2003", max_size=30), min_size=1, max_size=9))
def test_words_are_those_of_the_text_as_it_is_given(source: SubwordTokenizer, texts: list[str]) -> None:
    processor = sentencepiece.SentencePieceProcessor(model_proto=source.proto)
    expected = []
    for text in texts:
        words = split_words(text)
        letters = [i for i, word in enumerate(words) for letter in clean_source(word) if letter != " "]
        sizes = [len(piece.replace("▁", "")) for piece in processor.encode(clean_source(text), out_type=str)]
        expected.append([letters[place] for place in np.cumsum([0, *sizes])[:-1]])
    assert words_of_subwords(source, texts) == expected


def test_what_a_model_answers_is_that_of_the_clean_text(
    model, tokenizers, translator, make_multilingual, eager
) -> None:
    written, clean = "seven\xa0cats sl\xadeep", "seven cats sleep"
    first, second = translator.translate([written, clean])
    assert (first.text, pytest.approx(first.score, abs=1e-4)) == (second.text, second.score)
    assert copies_of_texts(tokenizers["source"].source, [written], 9).to_list()[0] == [b"seven", b"cats", b"sleep"]
    assert translator.align(["seven cats sl\xadeep"], ["die katze"]) == translator.align([clean], ["die katze"])
    targets = "die kleine\xa0katze", "die kleine katze"
    first, second, other = translator.score([written, clean, clean], [targets[0], *targets])
    assert first == pytest.approx(second, abs=1e-4) != pytest.approx(other, abs=1e-2)
    proto = ModelProto.FromString(tokenizers["source"].proto)
    proto.normalizer_spec.name = "nfc"  # of a model without cleaning
    plain = Translator(model, {**tokenizers, "source": SubwordTokenizer(proto.SerializeToString())})
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        translator.score([written], [targets[0]])
        plain.score(["\u200b", "seven\tcats"], [targets[0]] * 2)  # SentencePiece reads a tab as a space
        first, other = plain.score([clean, written], [targets[0]] * 2)
        plain.score([written], [targets[0]])
    texts = [text for x in told if "`source_cleaning`" in (text := str(x.message))]
    assert [text.partition(" Received: ")[2] for text in texts] == [repr(written)]
    assert first == pytest.approx(second, abs=1e-4) != pytest.approx(other, abs=1e-2)
    many = Translator(*make_multilingual("label"))
    assert many.lengths([written], "de", is_source=True) == many.lengths([clean], "de") != many.lengths([written], "de")
    first, second, other = many.score([written, clean, clean], [written, written, clean], "de", "fr")
    assert first == pytest.approx(second, abs=1e-4) != pytest.approx(other, abs=1e-2)
    for analysed in (
        open_pair(many, "de", "fr"),
        open_pair(translator),
        open_pair((model, tuple(tokenizers.values()))),
    ):
        assert [tokenizer.cleans for tokenizer in analysed[1]] == [True, False]
