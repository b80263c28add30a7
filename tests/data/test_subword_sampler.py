"""Random segmentation of text into subwords."""

from __future__ import annotations

import collections
import io
import itertools
import math

import numpy as np
import pytest
import sentencepiece
from hypothesis import given, settings
from hypothesis import strategies as st
from sentencepiece.sentencepiece_model_pb2 import ModelProto, TrainerSpec

from keras_nmt.data import subword_sampler
from keras_nmt.data.subword_sampler import SubwordSampler
from keras_nmt.errors import UserError

SENTENCES = [
    "the cat sat on the mat",
    "a mat is on the cat",
    "that is that: a bat",
    "dass das haus da ist, 12 Äpfel",
] * 3
SYMBOLS = ["<2de>", "<2", "at", "x\u2581y"]  # a prefix of another symbol, a part of words, a symbol with a space
IDS = {"pad_id": 0, "unk_id": 1, "bos_id": 2, "eos_id": 3}
MODELS = {
    "plain": {},
    "symbols": {"user_defined_symbols": SYMBOLS},
    "bytes": {"byte_fallback": True, "vocab_size": 330},
    "across spaces": {"split_by_whitespace": False},
    "spaces as suffixes": {"treat_whitespace_as_suffix": True},
    "identity": {"normalization_rule_name": "identity", "add_dummy_prefix": False, "remove_extra_whitespaces": False},
}
ALMOST_NEVER = 1e-300
TEXTS = st.lists(
    st.sampled_from([*"thecatsondmi ABÄ é猫\u0301\u2581\0", " ", " ", " the", " mat", "hat", *SYMBOLS, "x y", "ﬁ"]),
    max_size=25,
).map("".join)


def train(model_type: str, sentences: list[str] = SENTENCES, **options) -> sentencepiece.SentencePieceProcessor:
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        **IDS | {"vocab_size": 60} | options,
        sentence_iterator=iter(sentences),
        model_writer=model,
        model_type=model_type,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    return sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())


@pytest.fixture(scope="module", params=MODELS)
def libraries(request: pytest.FixtureRequest) -> list[sentencepiece.SentencePieceProcessor]:
    """A BPE model and a unigram model."""
    return [train(model_type, **MODELS[request.param]) for model_type in ("bpe", "unigram")]


def sample(library, texts, alpha, seed=1):
    ids, lengths = SubwordSampler(library, alpha).sample([text.encode() for text in texts], seed)
    assert ids.dtype == np.int32
    assert lengths.dtype == np.int64
    assert lengths.sum() == len(ids)
    return [row.tolist() for row in np.split(ids, np.cumsum(lengths)[:-1])] if texts else []


@settings(max_examples=60)
@given(texts=st.lists(TEXTS, max_size=3), alpha=st.floats(0.05, 1), seed=st.integers(0, 2**70))
def test_samples_are_the_same_text_and_at_the_limits_those_of_the_library(libraries, texts, alpha, seed) -> None:
    for library in libraries:
        for ids, expected in zip(sample(library, texts, alpha, seed), library.encode(texts), strict=True):
            assert library.decode(ids) == library.decode(expected)
    bpe, unigram = libraries
    assert sample(bpe, texts, ALMOST_NEVER) == bpe.encode(texts)  # without dropout
    symbols = set(SYMBOLS) & {bpe.id_to_piece(i) for i in range(4, 8)}
    for ids in sample(bpe, texts, alpha=1.0):  # all merges are dropped: characters
        pieces = [(i, bpe.id_to_piece(i)) for i in ids if i > 1]
        assert all(len(piece) == 1 or piece in symbols or bpe.is_byte(i) for i, piece in pieces)
    # A large exponent draws only the likeliest segmentation. Several segmentations may be equally likely.
    fixed = {i for i in range(unigram.get_piece_size()) if unigram.id_to_piece(i) in SYMBOLS or unigram.is_byte(i)}
    for ids, expected in zip(sample(unigram, texts, alpha=3000.0), unigram.encode(texts), strict=True):
        assert [i for i in ids if i in {1, *fixed}] == [i for i in expected if i in {1, *fixed}]
        assert sum(map(unigram.get_score, ids)) == pytest.approx(sum(map(unigram.get_score, expected)), abs=1e-2)


def dropout(library: sentencepiece.SentencePieceProcessor, pieces: tuple[str, ...], drop: float) -> dict:
    """The distribution of BPE-dropout's results, computed over all subsets of dropped merges at each step."""
    merges = []
    for i, pair in enumerate(map("".join, itertools.pairwise(pieces))):
        if library.piece_to_id(pair) != library.unk_id():
            merges.append((-library.get_score(library.piece_to_id(pair)), i))
    found: dict[tuple[str, ...], float] = collections.defaultdict(float)
    for kept in itertools.product([False, True], repeat=len(merges)):
        probability = math.prod(1 - drop if one else drop for one in kept)
        if any(kept):
            _, i = min(itertools.compress(merges, kept))
            after = dropout(library, (*pieces[:i], pieces[i] + pieces[i + 1], *pieces[i + 2 :]), drop)
        else:
            after = {pieces: 1.0}
        for result, share in after.items():
            found[result] += probability * share
    return found


def check_shares(library: sentencepiece.SentencePieceProcessor, words: list[str], alpha: float, expected: list) -> None:
    """Compares shares of segmentations with their distributions. By Hoeffding, one in 1e9 seeds fails."""
    number = 20_000
    text = " ".join(words)
    rows = sample(library, [text] * number, alpha, seed=3)
    split = [" ".join(map(library.id_to_piece, ids)).replace(" \u2581", "\n\u2581").split("\n") for ids in rows]
    for position, distribution in enumerate(expected):
        shares = collections.Counter(words[position] for words in split)
        assert {tuple(result.split()) for result in shares} <= set(distribution)
        bound = math.sqrt(math.log(2 * len(distribution) * len(words) / 1e-9) / (2 * number))
        for result, probability in distribution.items():
            assert abs(shares[" ".join(result)] / number - probability) < bound
    independent = collections.Counter((one[0], one[-1]) for one in split)
    for (first, second), count in independent.items():
        probability = expected[0][tuple(first.split())] * expected[-1][tuple(second.split())]
        assert abs(count / number - probability) < 2 * bound


@pytest.mark.parametrize("drop", [0.1, 0.5])
def test_bpe_segmentations_have_the_probabilities_of_the_paper(drop: float) -> None:
    library = train("bpe", ["ab ba aab abb abab bab a b abba baab"] * 3, vocab_size=16)
    words = ["abab", "ba", "aabab"]
    expected = [dropout(library, tuple("\u2581" + word), drop) for word in words]
    assert [len(one) > 3 for one in expected] == [True, False, True]
    check_shares(library, words, drop, expected)


@pytest.mark.parametrize("alpha", [0.2, 1.0])
def test_unigram_segmentations_have_their_smoothed_probabilities(alpha: float) -> None:
    library = train("unigram", ["ab ba aab abb abab bab a b", "abba baab ab ab ba"] * 3, vocab_size=14)
    pieces = {library.id_to_piece(i): library.get_score(i) for i in range(4, library.get_piece_size())}

    def segmentations(rest: str) -> dict[tuple[str, ...], float]:
        if not rest:
            return {(): 0.0}
        return {
            (piece, *others): score + more
            for piece, score in pieces.items()
            if rest.startswith(piece)
            for others, more in segmentations(rest.removeprefix(piece)).items()
        }

    words, expected = ["abab", "ba"], []
    for word in words:
        weights = {result: math.exp(alpha * score) for result, score in segmentations("\u2581" + word).items()}
        expected.append({result: weight / sum(weights.values()) for result, weight in weights.items()})
    assert len(expected[0]) > 5
    check_shares(library, words, alpha, expected)


@pytest.mark.parametrize("model_type", ["bpe", "unigram"])
def test_the_cache_changes_nothing(monkeypatch: pytest.MonkeyPatch, model_type: str) -> None:
    library = train(model_type, user_defined_symbols=["<2de>"])
    texts = [*SENTENCES, "<2de> the cat" * 3, "a" * 300]
    expected = [sample(library, texts, alpha, 2) for alpha in (0.1, 0.6)]
    cached = SubwordSampler(library, 0.6)
    cached.sample([text.encode() for text in texts], 7)
    ids, _ = cached.sample([text.encode() for text in texts], 2)
    assert ids.tolist() == list(itertools.chain.from_iterable(expected[1]))
    for constant in ("CACHE_SIZE", "CACHED_LENGTH", "CACHED_DROPS"):
        with monkeypatch.context() as patch:
            patch.setattr(subword_sampler, constant, 3)
            assert [sample(library, texts, alpha, 2) for alpha in (0.1, 0.6)] == expected


def handmade(model_type: int) -> bytes:
    """A model that is not trained, so that it is equal for all versions of the library."""
    model = ModelProto()
    kinds = ModelProto.SentencePiece
    for piece in ("<pad>", "<unk>", "<s>", "</s>", "<2de>"):
        kind = {"<unk>": kinds.UNKNOWN, "<2de>": kinds.USER_DEFINED}.get(piece, kinds.CONTROL)
        model.pieces.add(piece=piece, type=kind)
    for i, piece in enumerate(["ab", "ba", "\u2581a", "abb", "\u2581ab", "bab", "\u2581", "a", "b"]):
        model.pieces.add(piece=piece, score=-i / 2)
    model.trainer_spec.model_type = model_type
    for name, value in IDS.items():
        setattr(model.trainer_spec, name, value)
    model.normalizer_spec.name = "identity"
    return model.SerializeToString()


def test_samples_are_equal_in_every_version_and_on_every_machine() -> None:
    for model_type, expected in (
        (TrainerSpec.BPE, "7 6 13 6 11 4 11 10 11 1|11 5 5 6 11 4 11 13 5 11 1|9 5 6 11 4 11 10 11 1"),
        (TrainerSpec.UNIGRAM, "9 5 6 11 4 11 6 13 11 1|9 5 6 11 4 11 6 13 11 1|7 13 8 12 11 4 11 10 11 1"),
    ):
        library = sentencepiece.SentencePieceProcessor(model_proto=handmade(model_type))
        rows = sample(library, ["ababba <2de> bab x"] * 3, 0.4, seed=5)
        assert "|".join(" ".join(map(str, row)) for row in rows) == expected


def test_only_bpe_and_unigram_models_sample() -> None:
    with pytest.raises(UserError, match="BPE and unigram .* Received: model_type=char$"):
        SubwordSampler(train("char"), 0.1)
