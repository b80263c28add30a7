"""Training of subword models."""

from __future__ import annotations

import gzip
import os
import re
from pathlib import Path

import pytest
import sentencepiece
from sentencepiece.sentencepiece_model_pb2 import ModelProto

from keras_nmt.data import SubwordTokenizer, train_subwords
from keras_nmt.errors import UserError

MODEL_TYPES = ("bpe", "unigram")
WORDS = "red green blue cat dog mouse house garden sees likes finds old new small ein eine der die das Haus".split()  # noqa: SIM905


def sentences(number: int) -> str:
    return "".join(f"{WORDS[i % 7]} {WORDS[i * i % 19]} {WORDS[i * 3 % 11]} {i * 7}\n" for i in range(number))


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text(sentences(200), encoding="utf-8")
    return path


def load(path: Path) -> sentencepiece.SentencePieceProcessor:
    return sentencepiece.SentencePieceProcessor(model_file=str(path))


@pytest.mark.parametrize("model_type", MODEL_TYPES)
def test_ids_size_and_user_symbols(text: Path, tmp_path: Path, model_type: str) -> None:
    symbols = ["<2de>", "<2fr>", "<a,b>"]
    path = train_subwords(
        text, tmp_path / "new" / "m.model", vocabulary_size=60, model_type=model_type, user_symbols=symbols
    )
    model = load(path)
    assert path == tmp_path / "new" / "m.model"
    assert [entry.name for entry in path.parent.iterdir()] == ["m.model"]  # no temporary file is left
    assert model.get_piece_size() == 60
    assert (model.pad_id(), model.unk_id(), model.bos_id(), model.eos_id()) == (0, 1, 2, 3)
    assert [model.id_to_piece(i) for i in (4, 5, 6)] == symbols
    assert "<2de>" in model.encode("<2de> cat", out_type=str)
    assert model.decode(model.encode("small cat 12")) == "small cat 12"
    assert model.unk_id() not in model.encode("".join(sorted(set(text.read_text()) - {"\n"})))


@pytest.mark.parametrize("model_type", MODEL_TYPES)
def test_no_text_has_a_control_symbol(text: Path, tmp_path: Path, model_type: str) -> None:
    """A text that has its letters, also at full width, is ordinary text; user symbols match as ever."""
    text.write_text(text.read_text() + "<2de> is it, 3 > 2 < 4\n" * 9)
    symbols = {"control_symbols": ["<2de>", "<2fr>"], "user_symbols": ["<x>"]}
    path = train_subwords(text, tmp_path / "m", vocabulary_size=90, model_type=model_type, **symbols)
    tokenizer = SubwordTokenizer(path)
    assert tokenizer.pieces(4, 7) == ["<2de>", "<2fr>", "<x>"]
    tokenizer.check_control_symbols(4, 6)
    with pytest.raises(UserError, match=r"labels as `control_symbols`. Received: subwords <x>$"):
        tokenizer.check_control_symbols(4, 7)
    texts = ["<2de>", "<2fr> the cat", "a<2de>", "<2de><2fr>", "a <x> <2de>", "cat ＜2de＞ dog"]
    rows = tokenizer.tokenize(texts)
    drawn, _ = tokenizer.sample([text.encode() for text in texts], alpha=0.5, seed=1)
    assert not {4, 5} & {*rows.flat_values.numpy().tolist(), *drawn.tolist()}
    assert 6 in rows[4].numpy()
    shown = [text.decode() for text in tokenizer.detokenize(rows).numpy()]
    assert shown[:5] == texts[:5]


TRAIN = """
import sys
from keras_nmt.data import train_subwords
def train(text, folder, seed):
    options = {"vocabulary_size": 60, "max_sentences": 90, "seed": seed}  # of 200 sentences
    return [train_subwords(text, f"{folder}/{kind}", model_type=kind, **options) for kind in ("bpe", "unigram")]
"""


@pytest.mark.slow
def test_models_are_equal_in_another_process(text, tmp_path, run_python):
    scope: dict = {}
    exec(TRAIN, scope)
    here, other = ([x.read_bytes() for x in scope["train"](text, tmp_path / str(seed), seed)] for seed in (0, 1))
    result = run_python("-c", f"{TRAIN}\ntrain(*sys.argv[1:], 0)", text, tmp_path / "there", cwd=tmp_path)
    assert (result.returncode, result.stdout, result.stderr) == (0, b"", b"")  # the library prints nothing
    assert here == [(tmp_path / "there" / kind).read_bytes() for kind in MODEL_TYPES]
    assert all(a != b for a, b in zip(here, other, strict=True))


def test_the_number_of_threads_is_that_of_every_machine(text, tmp_path, monkeypatch):
    for cores in (1, 64):
        monkeypatch.setattr(os, "cpu_count", lambda cores=cores: cores)
        path = train_subwords(text, tmp_path / str(cores), vocabulary_size=60, model_type="unigram")
        assert ModelProto.FromString(path.read_bytes()).trainer_spec.num_threads == 16


@pytest.mark.parametrize("model_type", MODEL_TYPES)
def test_too_large_or_small_a_vocabulary_names_the_limit(text: Path, tmp_path: Path, model_type: str) -> None:
    options = {"model_type": model_type}
    with pytest.raises(UserError, match=r"^[^\n]*is too large[^\n]*$") as error:
        train_subwords(text, tmp_path / "m", vocabulary_size=50_000, **options)
    assert not (tmp_path / "m").exists()
    largest = int(re.search(r"to at most (\d+)", str(error.value))[1])
    path = train_subwords(text, tmp_path / "m", vocabulary_size=largest, **options)
    assert load(path).get_piece_size() == largest
    with pytest.raises(UserError, match=f"lower `vocabulary_size` to at most {largest}"):
        train_subwords(text, tmp_path / "m", vocabulary_size=largest + 1, **options)
    assert load(path).get_piece_size() == largest  # a failure leaves the existing file
    with pytest.raises(UserError, match="is too small") as error:
        train_subwords(text, tmp_path / "m", vocabulary_size=10, **options)
    smallest = int(re.search(r"to at least (\d+)", str(error.value))[1])
    train_subwords(text, tmp_path / "m", vocabulary_size=smallest, **options)


def test_byte_fallback_digits_and_lower_case(text: Path, tmp_path: Path) -> None:
    options = {"byte_fallback": True, "split_digits": True, "lowercase": True}
    model = load(train_subwords(text, tmp_path / "m", vocabulary_size=320, **options))
    assert model.decode(model.encode("CAT 猫 A\u0308 123")) == "cat 猫 ä 123"
    assert {"1", "2", "3"} <= set(model.encode("cat 123", out_type=str))


def test_unusable_text(text: Path, tmp_path: Path) -> None:
    for content, message in (
        (b"", r"empty.*odd\.txt"),
        (b"\n \n", "must have characters"),
        (b"x" * 10_000 + b"\n", "must have characters to train on, in lines of at most 4,192 bytes"),
        (b"a b\n" * 9, "too large for the text: lower `vocabulary_size` to at most"),
        (b"fine\nfine\nnot \xff fine\n", r"Line 3 is not UTF-8.*odd\.txt"),
    ):
        (tmp_path / "odd.txt").write_bytes(content)
        with pytest.raises(UserError, match=rf"^[^\n]*{message}[^\n]*$"):
            train_subwords(tmp_path / "odd.txt", tmp_path / "m", vocabulary_size=20)
        assert not (tmp_path / "m").exists()
    with pytest.raises(UserError, match="cannot train on the text.*Received: vocabulary_size=10000000000"):
        train_subwords(text, tmp_path / "m", vocabulary_size=10**10)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        train_subwords([text, tmp_path / "nowhere"], tmp_path / "m", vocabulary_size=60)


def test_a_line_of_10_000_tokens_and_a_nul_are_accepted_in_one_text_of_several_files(text: Path, tmp_path: Path):
    content = text.read_bytes() + b"word " * 10_000 + b"\na\0b\n"
    (tmp_path / "whole").write_bytes(content)
    path = train_subwords(tmp_path / "whole", tmp_path / "m", vocabulary_size=60)
    model = load(path)
    assert "word" not in "".join(model.id_to_piece(list(range(60))))
    assert len(model.encode("cat " * 10_000)) >= 10_000
    end = content.index(b"\n", 2000) + 1
    (tmp_path / "a.txt").write_bytes(content[:end])
    (tmp_path / "b.gz").write_bytes(gzip.compress(content[end:]))
    parts = train_subwords([tmp_path / "a.txt", tmp_path / "b.gz"], tmp_path / "parts", vocabulary_size=60)
    assert path.read_bytes() == parts.read_bytes()


def test_wrong_arguments(text: Path, tmp_path: Path) -> None:
    wrong = {
        "files": ([],),
        "vocabulary_size": (4,),
        "model_type": ("word",),
        "character_coverage": (1.5,),
        "normalization": ("NFC",),
        "lowercase": (True,),  # with the normalization "identity"
        "byte_fallback": (True,),  # 260 subwords for 256 bytes
        "max_sentences": (0,),
        "seed": (-1, 2**32),
        "user_symbols": ("<2de>", ["<2 de>"], [""], ["</s>"]),
        "control_symbols": (["<2de>", "<2de>"], ["<2fr>"]),  # twice; also a user symbol
    }
    given = {"lowercase": {"normalization": "identity"}, "byte_fallback": {"vocabulary_size": 260}}
    for name, values in wrong.items():
        for value in values:
            options = {"files": [text], "vocabulary_size": 60, **given.get(name, {"user_symbols": ["<2fr>"]})}
            with pytest.raises(UserError, match=f"{name}.*Received: |Received: .*{name}"):
                train_subwords(path=tmp_path / "m", **{**options, name: value})
    link = tmp_path / "link"
    link.symlink_to(text)
    before = text.read_bytes()
    for path in (text, link):
        with pytest.raises(UserError, match="would replace its training text"):
            train_subwords([text], path, vocabulary_size=60)
    assert text.read_bytes() == before
