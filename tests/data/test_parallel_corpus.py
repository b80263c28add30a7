"""A parallel corpus in memory, and its reader."""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

import numpy as np
import pytest
from small import subwords_of

from keras_nmt.data import ParallelCorpus, SubwordTokenizer, read_parallel
from keras_nmt.errors import UserError


def test_from_lists() -> None:
    corpus = ParallelCorpus.from_lists([[4, 5], [6], [7, 8, 9]], [[5], [6, 7], [8]])
    assert len(corpus) == corpus.num_read == 3
    assert corpus.source.to_list() == [[4, 5], [6], [7, 8, 9]]
    assert corpus.target.to_list() == [[5], [6, 7], [8]]
    assert corpus.source.dtype == corpus.target.dtype == "int32"
    assert corpus.source_lengths.tolist() == [2, 1, 3]
    assert corpus.target_lengths.tolist() == [1, 2, 1]
    assert corpus.line_numbers.tolist() == [1, 2, 3]
    assert corpus.summary() == "3 pairs read, 3 kept; dropped: none; subwords per sentence: source 2.0, target 1.3"


def test_line_numbers_continue_in_concatenated_corpora() -> None:
    one = ParallelCorpus.from_lists([[4], [5]], [[6], [7]])
    read = ParallelCorpus(one.source, one.target, np.array([2, 5], np.int32), 6, {"empty": 4})
    both = ParallelCorpus.concatenate([read, one, read])
    assert both.line_numbers.tolist() == [2, 5, 7, 8, 10, 13]
    assert both.line_numbers.dtype == np.int32
    assert (both.num_read, both.dropped, both.text) == (14, {"empty": 8}, None)


def test_unusable_lists() -> None:
    for source, target in (
        ([], []),
        ([[4]], []),
        ([[4]], [[]]),
        ([[-1]], [[4]]),
        ([[4]], [[5.7]]),
        ([[2**40]], [[4]]),
        ([["a"]], [[4]]),
        ([[True]], [[4]]),
    ):
        with pytest.raises(UserError, match="Received: "):
            ParallelCorpus.from_lists(source, target)


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> SubwordTokenizer:
    """A tokenizer for which every word "a" to "e" is one subword."""
    return subwords_of(tmp_path_factory.mktemp("subwords"), "a b c d e\n" * 9, vocabulary_size=15)


def write(folder: Path, source: bytes, target: bytes) -> tuple[Path, Path]:
    (folder / "text.en").write_bytes(source)
    (folder / "text.de").write_bytes(target)
    return folder / "text.en", folder / "text.de"


def test_reads_pairs_in_order(tokenizer: SubwordTokenizer, tmp_path: Path) -> None:
    files = write(tmp_path, b"a b\r\nc\n\nd e", gzip.compress(b"a\nb b\nc\na b c\n"))
    corpus = read_parallel(*files, tokenizer, tokenizer)
    assert corpus.source.to_list() == tokenizer.tokenize(["a b", "c", "d e"]).to_list()
    assert corpus.target.to_list() == tokenizer.tokenize(["a", "b b", "a b c"]).to_list()
    assert corpus.source.dtype == "int32"
    assert corpus.line_numbers.tolist() == [1, 2, 4]
    assert (corpus.num_read, corpus.dropped) == (4, {"empty": 1, "too long": 0, "badly matched": 0})
    assert corpus.summary().startswith("4 pairs read, 3 kept; dropped: 1 empty, 0 too long, 0 badly matched; ")


def test_drops_and_counts(tokenizer: SubwordTokenizer, tmp_path: Path) -> None:
    pairs = [
        ("a", "b"),  # 1: kept
        ("", "a"),  # 2: empty
        ("a", "   "),  # 3: empty
        ("", ""),  # 4: empty, counted once
        ("a " * 20, "b " * 19),  # 5: too long
        ("a " * 19, "b " * 19),  # 6: kept, 20 with the end
        ("a b", "b " * 12),  # 7: kept, two count as four
        ("a b", "b " * 13),  # 8: badly matched
        ("a " * 16, "b " * 5),  # 9: badly matched
        ("a " * 15, "b " * 5),  # 10: kept
        ("a\0", "b\0"),  # 11: kept
        ("a " * 10_000, "b"),  # 12: too long
    ]
    files = write(tmp_path, *("\n".join(side).encode() for side in zip(*pairs, strict=True)))
    corpus = read_parallel(*files, tokenizer, tokenizer, max_length=20, max_ratio=3)
    assert corpus.dropped == {"empty": 3, "too long": 2, "badly matched": 2}
    assert corpus.line_numbers.tolist() == [1, 6, 7, 10, 11]
    assert corpus.source_lengths.tolist()[:4] == [1, 19, 2, 15]
    assert corpus.source.to_list() == tokenizer.tokenize([pairs[n - 1][0] for n in corpus.line_numbers]).to_list()
    everything = read_parallel(*files, tokenizer, tokenizer, max_length=None, max_ratio=None)
    assert everything.dropped == {"empty": 3, "too long": 0, "badly matched": 0}
    assert everything.source_lengths.max() == 10_000


@pytest.mark.parametrize(("constant", "limit"), [("BLOCK_PAIRS", 3), ("BLOCK_CHARACTERS", 10)])
def test_the_size_of_blocks_changes_nothing(tokenizer, tmp_path, monkeypatch, constant, limit) -> None:
    module = sys.modules["keras_nmt.text.text_files"]
    monkeypatch.setattr(module, constant, limit)
    lines = ["a b c d e"[: 2 * (n % 6)] for n in range(31)]
    text = "\n".join([*lines, "e"]).encode()
    files = write(tmp_path, text, text)
    assert len(list(module.read_paired_blocks(*files))) > 8
    corpus = read_parallel(*files, tokenizer, tokenizer)
    assert corpus.line_numbers.tolist() == [n + 1 for n, line in enumerate([*lines, "e"]) if line]
    expected = tokenizer.tokenize([line for line in [*lines, "e"] if line]).to_list()
    assert corpus.source.to_list() == corpus.target.to_list() == expected
    with pytest.raises(UserError, match="with 31, .* with 32$"):
        read_parallel(*write(tmp_path, "".join(f"{line}\n" for line in lines).encode(), text), tokenizer, tokenizer)


def test_unusable_files(tokenizer: SubwordTokenizer, tmp_path: Path) -> None:
    for source, target, message in (
        (b"a\nb\n", b"a\nb\nc\n", r"lines.*text\.en' with 2, .*text\.de' with 3"),
        (b"a\n" * 9_000, b"a\n" * 20_000, r"text\.en' with 9000, .*text\.de' with 20000"),
        (b"a\n", b"", r"empty.*text\.de"),
        (b"a\n", b"x" * (2**20 + 1), r"Line 1 is longer than 1,048,576 bytes.*text\.de"),
        (b"a\nb\n", b"a\nb\xff\n", r"Line 2 is not UTF-8.*text\.de"),
        (b"\n \n", b"a\nb\n", r"No pair is left of 2.*'empty': 2.*text\.en"),
    ):
        with pytest.raises(UserError, match=rf"^[^\n]*{message}[^\n]*$"):
            read_parallel(*write(tmp_path, source, target), tokenizer, tokenizer)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        read_parallel(tmp_path / "text.en", tmp_path / "nowhere", tokenizer, tokenizer)
    for arguments in ({"max_length": 1}, {"max_ratio": 0.5}):
        with pytest.raises(UserError, match="Received: max_"):
            read_parallel(*write(tmp_path, b"a\n", b"a\n"), tokenizer, tokenizer, **arguments)
