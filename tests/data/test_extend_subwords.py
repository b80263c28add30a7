"""More subwords: each is spelled by old ones, and text without them is segmented as before."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from small import LINES, subwords_of

from keras_nmt.data import SubwordTokenizer, extend_subwords
from keras_nmt.data.subword_sampler import SPACE
from keras_nmt.errors import UserError

WORDS = LINES[2].split()
NEW = ["bicycle", "bicycles", "helmet", "helmets", "cyclist", "catwalk", "dogs", "字体", "ünder"]


def text(words: list[str], seed: int) -> list[str]:
    rng = np.random.default_rng(seed)
    return [" ".join(rng.choice(words, rng.integers(2, 9))) for _ in range(200)]


@pytest.fixture(scope="module", params=["bpe", "unigram", "bytes"])
def tokenizer(request, tmp_path_factory) -> SubwordTokenizer:
    kind, size = ("bpe", 320) if request.param == "bytes" else (request.param, 42)
    options = {"control_symbols": ["<2a>", "<2b>"], "user_symbols": ["<x>"], "byte_fallback": size == 320}
    folder = tmp_path_factory.mktemp(request.param)
    return subwords_of(folder, "\n".join(text(WORDS, 1)), model_type=kind, vocabulary_size=size, **options)


def letters(seed: int) -> list[str]:
    """Words of random letters, in which new pieces compete with old ones."""
    rng = np.random.default_rng(seed)
    return ["".join(rng.choice(list("adeghnorst"), rng.integers(3, 9))) for _ in range(300)]


def ids(tokenizer: SubwordTokenizer, lines: list[str]) -> list[list[int]]:
    return tokenizer.tokenize(lines).to_list()


def test_new_pieces_stand_for_the_old_ones_that_spelled_them(tokenizer):
    extended = extend_subwords(
        tokenizer.proto, text=[*text(NEW, 2), *letters(5)], number=60, words=["garden-chair", "mat"]
    )
    larger = SubwordTokenizer(extended.proto)
    size = tokenizer.vocabulary_size
    assert extended.origins[:size] == [[i] for i in range(size)]
    assert larger.vocabulary_size > size + 60
    assert larger.pieces(0, size) == tokenizer.pieces(0, size)
    lines = [*text([*WORDS, *NEW], 3), *text(WORDS, 4), "the <x> mat", "garden-chair", *letters(6)]
    before, after = ids(tokenizer, lines), ids(larger, lines)
    assert any(max(row) >= size for row in after)
    assert any(max(row) < size for row in after)
    for old, new in zip(before, after, strict=True):
        spelled = [i for new_id in new for i in extended.origins[new_id]]
        if 1 in old:  # a run of unknown characters was one id
            spelled = [i for i, left in zip(spelled, [0, *spelled], strict=False) if (i, left) != (1, 1)]
        assert spelled == old
    assert [len(row) for row in ids(larger, ["garden-chair", "mat"])] == [1, 1]
    assert [line.decode() for line in larger.detokenize(larger.tokenize(lines)).numpy()] == lines
    assert larger.sample([b"bicycle helmets"], 0.5, seed=1)[0].max() < larger.vocabulary_size


def learnt(pieces: list[str], text: list[str], number: int) -> list[str]:
    """The merges of the words of single letters in a text, by the definition: all pairs are counted for each."""
    words = Counter(word for line in text for word in line.split())
    split = {word: [SPACE, *word] for word in words}
    found = list(pieces)
    while len(found) < len(pieces) + number:
        counts: Counter[tuple[str, str]] = Counter()
        for word, count in words.items():
            for pair in pairwise(split[word]):
                counts[pair] += count
        left, right = min(counts, key=lambda pair: (-counts[pair], pair))
        if counts[left, right] < 2:
            break
        if left + right not in found:
            found.append(left + right)
        for word, parts in split.items():
            merged: list[str] = []
            for part in parts:
                if merged and (merged[-1], part) == (left, right):
                    merged[-1] += part
                else:
                    merged.append(part)
            split[word] = merged
    return found[len(pieces) :]


@pytest.mark.parametrize("number", [40, 1000])
def test_pieces_are_those_of_the_algorithm(tmp_path, number):
    model = subwords_of(tmp_path, "a b c d\n", model_type="bpe", vocabulary_size=9)  # of letters
    rng = np.random.default_rng(number)
    lines = [" ".join("".join(rng.choice(list("aabcd"), rng.integers(1, 12))) for _ in range(5)) for _ in range(60)]
    extended = extend_subwords(model.proto, text=lines, number=number)
    expected = learnt(model.pieces(), lines, number)
    assert len(expected) == number or number == 1000
    assert SubwordTokenizer(extended.proto).pieces(model.vocabulary_size) == expected


def test_text_that_spells_symbols_or_has_nul_gives_no_pieces_of_them(tokenizer):
    symbols = ["<unk>", "<s>", "</s>", "<2a>", "<2b>", "<0x41>", "<2c>"]
    text = [f"{symbol}cat {symbol} <new>dog ★ x\0y α" for symbol in symbols for _ in range(3)]
    options = {"labels": ["<2c>"], "first_label": 6, "user_symbols": ["<new>", "★"]}
    larger = SubwordTokenizer(extend_subwords(tokenizer.proto, text=text, number=200, **options).proto)
    pieces = larger.pieces()
    assert len(set(pieces)) == len(pieces)
    new = pieces[tokenizer.vocabulary_size + 1 : -2]
    assert "α" in "".join(new)
    assert "\0" not in "".join(pieces)
    used = {pieces[i] for row in ids(larger, [*text, *new]) for i in row}
    assert not [piece for piece in new if len(piece) > 1 and (piece not in used or "<new>" in piece)]


def test_labels_follow_the_labels_and_symbols_are_never_split(tokenizer):
    extended = extend_subwords(tokenizer.proto, labels=["<2c>"], first_label=6, user_symbols=["<new>"])
    larger = SubwordTokenizer(extended.proto)
    assert larger.pieces(4, 7) == ["<2a>", "<2b>", "<2c>"]
    larger.check_control_symbols(4, 7)
    assert extended.origins[6] == [4, 5]
    assert extended.origins[7:-1] == [[i] for i in range(6, tokenizer.vocabulary_size)]
    (row,) = ids(larger, ["cat<new>cat"])
    assert row.count(larger.vocabulary_size - 1) == 1
    assert row[-1] == ids(larger, ["the<new>cat"])[0][-1]


def test_wrong_pieces_are_one_line(tokenizer):
    for options, message in (
        ({"user_symbols": ["<x>"]}, "Symbols must be new.*'<x>'"),
        ({"user_symbols": ["<y>", "<y>"]}, "Symbols must be distinct"),
        ({"labels": ["a b"]}, "must not contain spaces"),
        ({"user_symbols": ["<\0>"]}, r"spaces or NUL.*'<\\x00>'"),
        ({"words": ["two words"]}, "one word.*'two words'"),
        ({"words": ["a<x>b"]}, "must not contain a symbol"),
    ):
        with pytest.raises(UserError, match=rf"^[^\n]*{message}[^\n]*$"):
            extend_subwords(tokenizer.proto, **options)
