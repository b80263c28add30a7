"""Lines of text to blocks of ids: filters, subwords, keys of duplicates."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import chain

import numpy as np
import sentencepiece

from keras_nmt.errors import UserError, one_line
from keras_nmt.files.length_limits import drop_pairs, outside_limits
from keras_nmt.files.pair_block import PairBlock, Rows
from keras_nmt.files.prepared_folder import id_type
from keras_nmt.files.subwords import read_subwords
from keras_nmt.ids import BEGIN, END, PAD, UNKNOWN
from keras_nmt.preparation.options import File, Preparation
from keras_nmt.preparation.text_filters import text_filters

KEYS = {"source": (0, 1), "target": (2, 3), "pair": (0, 1, 2, 3)}  # columns of a block's keys: 128 bits a text


class Segmenter:
    """The work on one block of lines, which needs no other block.

    Args:
        preparation: Preparation with `subwords`.

    Raises:
        OSError: A subword model cannot be read.
        UserError: A file is not a SentencePiece model, or has other ids; or as `text_filters`.
    """

    def __init__(self, preparation: Preparation) -> None:
        self._preparation = preparation
        assert preparation.subwords is not None
        self._models = [load_subwords(path) for path in preparation.subwords]
        self._filters = text_filters(preparation)
        tag = preparation.source_tag
        number = UNKNOWN if tag is None else self._models[0].piece_to_id(tag)
        if tag is not None and (number == UNKNOWN or number not in self._models[0].encode(tag)):
            raise UserError(f"The subwords have no such user symbol: train them with it. Received: source_tag={tag!r}")

    def segment(
        self, lines: np.ndarray, sources: Sequence[str], targets: Sequence[str]
    ) -> tuple[PairBlock, dict[str, int]]:
        """Filters and segments a block of lines.

        Args:
            lines: int32 array `[pairs]`, the numbers of the lines.
            sources: Sequence of strings, the source lines.
            targets: Sequence of strings, the target lines.

        Returns:
            The block of the pairs that are kept, and the number of dropped pairs by reason.
        """
        p = self._preparation
        texts = [list(sources), list(targets)]
        keep = np.ones(len(lines), bool)
        dropped = drop_pairs(keep, ((reason, wrong(*texts)) for reason, wrong in self._filters))
        numbers = np.flatnonzero(keep).tolist()
        texts = [[side[i] for i in numbers] for side in texts]
        lines = lines[keep]
        if p.source_tag is not None:
            texts[0] = [f"{p.source_tag} {text}" if text.strip() else text for text in texts[0]]
        ids = tuple(self._ids(model, side) for model, side in zip(self._models, texts, strict=True))
        keep = np.ones(len(lines), bool)
        dropped |= drop_pairs(keep, outside_limits(ids[0].lengths, ids[1].lengths, p.max_length, p.max_ratio))
        read = [model.normalize(side) for model, side in zip(self._models, texts, strict=True)]
        keys = np.concatenate([_digests(side) for side in read], axis=1)
        text = tuple(Rows.from_bytes([one.encode() for one in side]) for side in texts) if p.keep_text else None
        return PairBlock(lines, ids, text, keys).select(keep), dropped

    @staticmethod
    def _ids(model: sentencepiece.SentencePieceProcessor, texts: list[str]) -> Rows:
        rows = model.encode(texts, out_type=int, num_threads=1)
        lengths = np.fromiter(map(len, rows), np.int64, len(rows))
        values = np.fromiter(chain.from_iterable(rows), id_type(model.get_piece_size()), int(lengths.sum()))
        return Rows(values, lengths)


def load_subwords(path: File) -> sentencepiece.SentencePieceProcessor:
    """Loads a SentencePiece model without TensorFlow.

    Raises:
        OSError: The file cannot be read.
        UserError: The file is not a SentencePiece model, or has other ids than pad 0, unknown 1, begin 2, end 3.
    """
    model = sentencepiece.SentencePieceProcessor()
    try:
        model.LoadFromSerializedProto(read_subwords(path))
    except RuntimeError as error:
        raise UserError(f"The file is not a SentencePiece model ({one_line(error)}). Received: {path}") from None
    ids = model.pad_id(), model.unk_id(), model.bos_id(), model.eos_id()
    if ids != (PAD, UNKNOWN, BEGIN, END):
        raise UserError(f"Subwords have the ids pad 0, unknown 1, begin 2, end 3. Received: {path} with {ids}")
    return model


def without_duplicates(block: PairBlock, key: str) -> PairBlock:
    """Drops pairs whose key an earlier line has.

    Args:
        block: PairBlock with keys.
        key: "pair", "source" or "target".

    Returns:
        The block of the pairs that are kept, by line.
    """
    assert block.keys is not None
    columns = block.keys[:, KEYS[key]]
    if len(block) == 0:
        return block
    order = np.lexsort((block.lines, *columns.T))
    is_first = np.append(True, (np.diff(columns[order].astype(np.uint64), axis=0) != 0).any(axis=1))
    kept = order[is_first]
    return block.select(kept[np.argsort(block.lines[kept])])


def bucket_of(block: PairBlock, key: str, num_buckets: int) -> np.ndarray:
    """int64 array `[pairs]`, a number below `num_buckets` that is equal for equal keys."""
    assert block.keys is not None
    return (block.keys[:, KEYS[key]].sum(axis=1, dtype=np.uint64) % np.uint64(num_buckets)).astype(np.int64)


def _digests(texts: list[str]) -> np.ndarray:
    """uint64 array `[texts, 2]`: 128 bits of BLAKE2, so that different texts are never taken for equal."""
    digests = b"".join(hashlib.blake2b(text.encode(), digest_size=16).digest() for text in texts)
    return np.frombuffer(digests, "<u8").reshape(-1, 2)
