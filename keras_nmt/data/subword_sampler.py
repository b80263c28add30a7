"""Samples random segmentations of text into subwords."""

from __future__ import annotations

import math
import re
from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, chain, pairwise
from typing import Any

import numpy as np
import sentencepiece
from sentencepiece.sentencepiece_model_pb2 import ModelProto, TrainerSpec

from keras_nmt.errors import UserError
from keras_nmt.ids import UNK

SPACE = "\u2581"  # stands for a space in SentencePiece's normalised text
UNKNOWN_PENALTY = 10.0  # SentencePiece scores an unknown character this far below the worst piece
DRAWS = 4096  # random numbers that are drawn at once
CACHE_SIZE = 2**18  # entries, about 60 MB for BPE models and 120 MB for unigram models
CACHED_LENGTH = 40  # characters; longer words are rarely repeated
CACHED_DROPS = 1  # segmentations with more dropped merges are not cached
NEVER = 2**53  # larger than any number of merges


class SubwordSampler:
    """Segments text at random: by BPE-dropout for BPE models, by smoothed probabilities for unigram models.

    The SentencePiece library is used only to normalise the text: in some versions, its samples differ between
    processes. Random numbers are made from the raw output of NumPy's PCG64, which is the same everywhere.

    Words are segmented independently of each other, because no subword contains a space. (If a model has such subwords,
    a text counts as one word.) Results are cached by word.

    Args:
        processor: SentencePieceProcessor, holds a BPE or unigram model.
        alpha: Float above 0 and at most 1, see `keras_nmt.data.SubwordTokenizer.sample`.

    Raises:
        UserError: The model is neither BPE nor unigram, or has unused pieces.
    """

    def __init__(self, processor: sentencepiece.SentencePieceProcessor, alpha: float) -> None:
        model = ModelProto.FromString(processor.serialized_model_proto())
        kind = model.trainer_spec.model_type
        if kind not in (TrainerSpec.BPE, TrainerSpec.UNIGRAM) or any(
            piece.type == ModelProto.SentencePiece.UNUSED for piece in model.pieces
        ):
            raise UserError(
                "Only BPE and unigram models without unused pieces can sample. Train one with "
                f"keras_nmt.data.train_subwords. Received: model_type={TrainerSpec.ModelType.Name(kind).lower()}"
            )
        pieces = _Pieces(model)
        self._processor = processor
        segmentation: _BPEDropout | _UnigramSampling
        segmentation = _BPEDropout(pieces, alpha) if kind == TrainerSpec.BPE else _UnigramSampling(pieces, alpha)
        self._segmenter = segmentation.segmenter
        longest_first = sorted(pieces.symbols, key=len, reverse=True)
        self._symbol = re.compile(f"({'|'.join(map(re.escape, longest_first))})") if longest_first else None
        splits_at_spaces = not any(SPACE in piece[1:] for piece in pieces.scores)
        self._word = re.compile(f"{SPACE}[^{SPACE}]*|[^{SPACE}]+" if splits_at_spaces else "(?s:.+)")

    def sample(self, texts: Sequence[bytes], seed: int | np.random.SeedSequence) -> tuple[np.ndarray, np.ndarray]:
        """Segments texts; see `keras_nmt.data.SubwordTokenizer.sample`."""
        segment = self._segmenter(_uniform(seed))
        ids: list[int] = []
        ends = [0]
        for text in texts:
            for word in self._words(self._processor.normalize(text).decode()):
                ids += segment(word)
            ends.append(len(ids))
        return _join_unknown(np.array(ids, np.int32), np.diff(ends))

    def _words(self, normalized: str) -> list[str]:
        """Returns the parts of a text that are segmented independently: user-defined symbols, and other words."""
        if self._symbol is None:
            return self._word.findall(normalized)
        words: list[str] = []
        for number, part in enumerate(self._symbol.split(normalized)):
            words += [part] if number % 2 else self._word.findall(part)
        return words


def _uniform(seed: int | np.random.SeedSequence) -> Iterator[np.ndarray]:
    """Yields arrays of random numbers above 0 and up to 1, which are the same in every version of NumPy."""
    bits = np.random.PCG64(seed)
    while True:
        yield ((bits.random_raw(DRAWS) >> np.uint64(11)) + np.uint64(1)) * 2.0**-53


def _join_unknown(ids: np.ndarray, lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Replaces each run of unknown ids in a text by one id, as SentencePiece does."""
    rows = np.repeat(np.arange(len(lengths)), lengths)
    keep = np.ones(len(ids), bool)
    keep[1:] = (ids[1:] != UNK) | (ids[:-1] != UNK) | (rows[1:] != rows[:-1])
    return ids[keep], np.bincount(rows[keep], minlength=len(lengths))


class _Pieces:
    """The scores of a model's normal pieces, its user-defined symbols, and the ids of any string."""

    def __init__(self, model: ModelProto) -> None:
        kinds = ModelProto.SentencePiece
        self.scores = {piece.piece: piece.score for piece in model.pieces if piece.type == kinds.NORMAL}
        self.symbols = {piece.piece for piece in model.pieces if piece.type == kinds.USER_DEFINED}
        ids = {piece.piece: i for i, piece in enumerate(model.pieces)}
        self._ids = {piece: (ids[piece],) for piece in (*self.scores, *self.symbols)}
        self._bytes = [ids[f"<0x{i:02X}>"] for i in range(256)] if model.trainer_spec.byte_fallback else None

    def ids(self, pieces: Iterable[str]) -> tuple[int, ...]:
        """Returns the ids of pieces. An unknown character has the ids of its bytes, or the unknown id."""
        return tuple(chain.from_iterable(self._ids.get(piece) or self._unknown(piece) for piece in pieces))

    def _unknown(self, piece: str) -> tuple[int, ...]:
        return tuple(self._bytes[byte] for byte in piece.encode()) if self._bytes else (UNK,)


class _BPEDropout:
    """BPE-dropout (Provilkov et al., 2020, algorithm 1): each possible merge is dropped with probability alpha.

    At each step, the best merge that is not dropped is applied; when all are dropped, the segmentation is final. Merges
    are visited from the best to the worst, because the rest does not matter after a merge is applied. Random numbers
    are drawn for the gaps between drops: how many merges are applied before the next one is dropped. So most words need
    no random number.

    For each word, the cache has the ids without drops, and the number of merges; for each word and gap, the ids with
    this drop only, and the number of merges after it. Segmentations with more drops are computed.
    """

    def __init__(self, pieces: _Pieces, alpha: float) -> None:
        self._pieces = pieces
        self._costs = {piece: -score for piece, score in pieces.scores.items()}
        self._log_applied = math.log1p(-alpha) if alpha < 1 else -math.inf
        self._cache: dict[Any, tuple[int, Sequence[int]]] = {}

    def segmenter(self, uniform: Iterator[np.ndarray]) -> Callable[[str], Sequence[int]]:
        """Returns a function that segments one word after the other by these random numbers."""
        gaps = chain.from_iterable(
            np.minimum(np.log(numbers) / self._log_applied, NEVER).astype(np.int64).tolist() for numbers in uniform
        )
        cache, gap = self._cache, next(gaps)

        def segment(word: str) -> Sequence[int]:
            nonlocal gap
            key: tuple[Any, ...] = (word,)
            while len(key) <= CACHED_DROPS + 1 and len(word) <= CACHED_LENGTH:
                applied, ids = cache.get(key) or self._keep(key)
                if gap >= applied:
                    gap -= applied
                    return ids
                key, gap = (*key, gap), next(gaps)
            ids, gap = self._segment(word, chain((*key[1:], gap), gaps))
            return ids

        return segment

    def _keep(self, key: tuple[Any, ...]) -> tuple[int, Sequence[int]]:
        if len(self._cache) >= CACHE_SIZE:
            self._cache.clear()
        ids, gap = self._segment(key[0], iter((*key[1:], NEVER)))
        self._cache[key] = NEVER - gap, ids
        return self._cache[key]

    def _segment(self, word: str, gaps: Iterator[int]) -> tuple[Sequence[int], int]:
        """Returns the ids of a word, and the number of merges from its end to the next drop."""
        costs = self._costs
        bounds = [0, len(word)] if word in self._pieces.symbols else list(range(len(word) + 1))  # of pieces
        # In order: the best merge has the lowest cost, and is the leftmost of several with this cost.
        merges = sorted([(costs[word[i : i + 2]], i, i + 2) for i in bounds[:-2] if word[i : i + 2] in costs])
        gap = next(gaps)
        while True:
            for _, begin, end in merges:  # noqa: B007 (used below)
                if gap:
                    gap -= 1
                    break
                gap = next(gaps)
            else:
                return self._pieces.ids([word[begin:end] for begin, end in pairwise(bounds)]), gap
            at = bounds.index(begin)
            del bounds[at + 1]
            merges = [other for other in merges if other[2] <= begin or other[1] >= end]
            if at > 0 and (cost := costs.get(word[bounds[at - 1] : end])) is not None:
                insort(merges, (cost, bounds[at - 1], end))
            if at + 2 < len(bounds) and (cost := costs.get(word[begin : bounds[at + 2]])) is not None:
                insort(merges, (cost, begin, bounds[at + 2]))


class _UnigramSampling:
    """Draws from all segmentations by their probabilities to the power of alpha (Kudo, 2018, section 3.3).

    At each position of a word, the next piece is drawn. The weight of a piece is a sum over all segmentations of the
    rest of the word; it is known, because positions are computed from the end of the word.
    """

    def __init__(self, pieces: _Pieces, alpha: float) -> None:
        self._pieces = pieces
        self._alpha = alpha
        self._unknown = min(pieces.scores.values()) - UNKNOWN_PENALTY
        self._longest = max(map(len, pieces.scores))
        # By word: cumulative probabilities, and for each piece its ids and the next choice.
        self._cache: dict[str, Any] = {}
        self._cache_size = 0

    def segmenter(self, uniform: Iterator[np.ndarray]) -> Callable[[str], Sequence[int]]:
        """Returns a function that segments one word after the other by these random numbers."""
        draw = chain.from_iterable(numbers.tolist() for numbers in uniform).__next__

        def segment(word: str) -> Sequence[int]:
            choice = self._cache.get(word) or self._first(word)
            ids: list[int] = []
            while choice:
                probabilities, outcomes = choice
                emitted, choice = outcomes[bisect_left(probabilities, draw())]
                ids += emitted
            return ids

        return segment

    def _first(self, word: str) -> Any:
        scores, size = self._pieces.scores, len(word)
        choices: list[Any] = [None] * (size + 1)
        sums = [0.0] * (size + 1)  # log of the sum over all segmentations of the rest, by position
        for begin in reversed(range(size)):
            ends = [end for end in range(begin + 2, min(begin + self._longest, size) + 1) if word[begin:end] in scores]
            ends = [size] if word in self._pieces.symbols else [begin + 1, *ends]
            logs = [self._alpha * scores.get(word[begin:end], self._unknown) + sums[end] for end in ends]
            largest = max(logs)
            *below, total = accumulate(math.exp(log - largest) for log in logs)
            sums[begin] = largest + math.log(total)
            outcomes = tuple((self._pieces.ids([word[begin:end]]), choices[end]) for end in ends)
            choices[begin] = tuple(weight / total for weight in below), outcomes
        if size <= CACHED_LENGTH:
            self._cache_size += size
            if self._cache_size > CACHE_SIZE:
                self._cache.clear()
                self._cache_size = size
            self._cache[word] = choices[0]
        return choices[0]
