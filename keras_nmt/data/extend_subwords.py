"""Adds subwords to a trained subword model."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import sentencepiece
from sentencepiece.sentencepiece_model_pb2 import ModelProto, TrainerSpec

from keras_nmt.data.subword_sampler import SPACE
from keras_nmt.errors import UserError
from keras_nmt.ids import EOS

NUL = "\0"  # cannot be in a piece
GAIN = 1e-3  # added to the log-probability of a new unigram piece, so that it is preferred to its two parts
LEAST_COUNT = 2  # occurrences that a pair must have to become a subword


class ExtendedSubwords(NamedTuple):
    """A larger subword model.

    Attributes:
        proto: Bytes, the SentencePiece model.
        origins: List of lists of integers: for each id, the ids of the old model that spelled its piece.
    """

    proto: bytes
    origins: list[list[int]]


def extend_subwords(
    proto: bytes,
    *,
    text: Sequence[str] = (),
    number: int = 0,
    words: Sequence[str] = (),
    user_symbols: Sequence[str] = (),
    labels: Sequence[str] = (),
    first_label: int = 0,
) -> ExtendedSubwords:
    """Adds pieces to a BPE or unigram model. Text without the new pieces is segmented as before.

    Training continues where it ended: the most frequent pair of neighbouring pieces within a word becomes a piece, and
    so on, but for pairs that spell a symbol. Before that, each character without a piece gets one. New BPE pieces are
    merged last, and new unigram pieces are only slightly more probable than their two parts, so that the choice between
    old pieces stays the same.

    Args:
        proto: Bytes, the SentencePiece model.
        text: Sequence of strings, the text from which `number` pieces are learnt.
        number: Integer, the largest number of pieces learnt from `text`, not counting those of characters. Pairs that
            occur once are ignored. Defaults to 0.
        words: Sequence of strings, each of which becomes one piece. The pairs that lead to it become pieces, too.
            Defaults to none.
        user_symbols: Sequence of strings that become pieces which are never split. Defaults to none.
        labels: Sequence of strings, control symbols, which never occur in text. Defaults to none.
        first_label: Integer, the id of the first of `labels`; the ids of later pieces increase.

    Returns:
        `ExtendedSubwords`. The origins of each new label are the old labels.

    Raises:
        UserError: The model is neither BPE nor unigram, a symbol exists already or has spaces or U+0000, or a word
            cannot become one piece.

    Example:

    >>> import pathlib, tempfile
    >>> from keras_nmt.data import SubwordTokenizer, train_subwords
    >>> text = pathlib.Path(tempfile.mkdtemp()) / "text.txt"
    >>> _ = text.write_text("the cat sat\\nthe mat sat\\n")
    >>> proto = train_subwords(text, text.with_suffix(".model"), vocabulary_size=20).read_bytes()
    >>> larger = extend_subwords(proto, words=["hats"])
    >>> SubwordTokenizer(larger.proto).tokenize(["hats"]).to_list() == [[len(larger.origins) - 1]]
    True

    Reference:
        [Sennrich et al., 2016](https://arxiv.org/abs/1508.07909), algorithm 1.
    """
    model = ModelProto.FromString(proto)
    kind = model.trainer_spec.model_type
    if kind not in (TrainerSpec.BPE, TrainerSpec.UNIGRAM):
        raise UserError(
            "Only BPE and unigram models can be extended. "
            f"Received: model_type={TrainerSpec.ModelType.Name(kind).lower()}"
        )
    kinds, before = ModelProto.SentencePiece, sentencepiece.SentencePieceProcessor(model_proto=proto)
    known = {piece.piece for piece in model.pieces}
    if wrong := [s for s in (*user_symbols, *labels) if s in known or not s or any(c.isspace() or c == NUL for c in s)]:
        raise UserError(f"Symbols must be new, and must not contain spaces or NUL. Received: {wrong[0]!r}")
    if len({*user_symbols, *labels}) < len(user_symbols) + len(labels):
        raise UserError(f"Symbols must be distinct. Received: {', '.join((*user_symbols, *labels))}")
    origins = {piece.piece: [i] for i, piece in enumerate(model.pieces)}
    scores = {piece.piece: piece.score for piece in model.pieces if piece.type == kinds.NORMAL}

    def add(piece: str, score: float, old: list[int], type_: int = kinds.NORMAL) -> None:
        model.pieces.add(piece=piece, score=score, type=type_)
        origins[piece] = old
        if type_ == kinds.NORMAL:
            scores[piece] = score

    reserved = {piece.piece for piece in model.pieces if piece.type != kinds.NORMAL} | {*user_symbols, *labels}
    lines = [before.normalize(line) for line in (*text, *words)]
    for character in sorted(set("".join(lines)) - known - reserved - {SPACE, NUL}):
        add(character, min(scores.values()) - 1, _ids(before, character))

    def learn(text: Iterable[str], max_pieces: int | None, least: int) -> None:
        split = ModelProto.FromString(model.SerializeToString())  # the new symbols split words already
        split.pieces.extend(kinds(piece=symbol, type=kinds.USER_DEFINED) for symbol in user_symbols)
        current = sentencepiece.SentencePieceProcessor(model_proto=split.SerializeToString())
        segmented = [
            (list(pieces), count) for pieces, count in _words(current, text, scores).items() if len(pieces) > 1
        ]
        counts: Counter[tuple[str, str]] = Counter()
        places: dict[tuple[str, str], set[int]] = {}
        for i, (pieces, count) in enumerate(segmented):
            _count(pieces, count, i, counts, places)
        added, queue = 0, [(-count, pair) for pair, count in counts.items()]  # the most frequent pair first
        heapq.heapify(queue)
        while queue and (max_pieces is None or added < max_pieces):
            negative, (left, right) = heapq.heappop(queue)
            if counts[left, right] != -negative:  # has changed since
                continue
            if -negative < least:
                return
            if left + right in reserved:
                continue  # text is never segmented into this piece
            if left + right not in origins:
                bpe = min(scores.values()) - 1
                score = bpe if kind == TrainerSpec.BPE else scores[left] + scores[right] + GAIN
                add(left + right, score, origins[left] + origins[right])
                added += 1
            changed: set[tuple[str, str]] = set()
            for i in places[left, right]:
                pieces, count = segmented[i]
                changed.update(pairwise(pieces))
                _count(pieces, -count, i, counts, places)
                pieces[:] = _merge(pieces, left, right)
                changed.update(pairwise(pieces))
                _count(pieces, count, i, counts, places)
            for pair in changed:
                if counts[pair] > 0:
                    heapq.heappush(queue, (-counts[pair], pair))

    learn(text, number, LEAST_COUNT)
    learn(words, None, 1)
    for symbol in user_symbols:
        add(symbol, 0.0, _ids(before, symbol), kinds.USER_DEFINED)
        model.trainer_spec.user_defined_symbols.append(symbol)
    pieces = list(model.pieces)
    old_labels = [i for i, piece in enumerate(pieces[:first_label]) if piece.type == kinds.CONTROL and i > EOS]
    new_labels = [kinds(piece=label, score=0.0, type=kinds.CONTROL) for label in labels]
    origins |= dict.fromkeys(labels, old_labels)
    model.trainer_spec.control_symbols.extend(labels)
    del model.pieces[:]
    model.pieces.extend([*pieces[:first_label], *new_labels, *pieces[first_label:]])
    model.trainer_spec.vocab_size = len(model.pieces)
    extended = ExtendedSubwords(model.SerializeToString(), [origins[piece.piece] for piece in model.pieces])
    after = sentencepiece.SentencePieceProcessor(model_proto=extended.proto)
    if wrong := [word for word in words if len(after.encode(word)) != 1]:
        raise UserError(f"A new subword must be one word, and must not contain a symbol. Received: {wrong[0]!r}")
    return extended


def _ids(processor: sentencepiece.SentencePieceProcessor, piece: str) -> list[int]:
    """Returns the ids that spell a piece inside a word, without the space that SentencePiece adds before a text."""
    ids: list[int] = processor.encode(piece)
    space = processor.piece_to_id(SPACE)
    return ids[1:] if len(ids) > 1 and ids[0] == space else ids


def _words(
    processor: sentencepiece.SentencePieceProcessor, text: Iterable[str], scores: dict[str, float]
) -> Counter[tuple[str, ...]]:
    """Counts the words of a text, as tuples of pieces. User symbols and bytes end a word."""
    counts: Counter[tuple[str, ...]] = Counter()
    for line in text:
        word: list[str] = []
        for piece in processor.encode(line, out_type=str):
            if piece.startswith(SPACE) or piece not in scores:
                counts[tuple(word)] += 1
                word = []
            if piece in scores:
                word.append(piece)
        counts[tuple(word)] += 1
    return counts


def _count(
    pieces: Sequence[str], count: int, place: int, counts: Counter[tuple[str, str]], places: dict[Any, set[int]]
) -> None:
    """Adds a word's pairs to the counts of all pairs, and the word's number to the places of its pairs."""
    for pair in pairwise(pieces):
        counts[pair] += count
        places.setdefault(pair, set()).add(place)


def _merge(pieces: Sequence[str], left: str, right: str) -> list[str]:
    """Joins each `left` with the `right` that follows it."""
    merged: list[str] = []
    for piece in pieces:
        if merged and (merged[-1], piece) == (left, right):
            merged[-1] += piece
        else:
            merged.append(piece)
    return merged
