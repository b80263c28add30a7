"""Lines of text to blocks of ids: filters, subwords, keys of duplicates."""

from __future__ import annotations

import functools
import hashlib
import importlib
import struct
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import sentencepiece
from sentencepiece.sentencepiece_model_pb2 import ModelProto

from keras_nmt.data.prepared_folder import id_type
from keras_nmt.data.sentence_pairs import PairBlock, RaggedArray, drop_pairs, outside_limits, plain_text
from keras_nmt.data.subword_models import cleans_sources, load_processor, read_subwords
from keras_nmt.data.target_tags import TargetTags
from keras_nmt.errors import UserError, errors_as, needs_extra, require
from keras_nmt.files.paths import import_file
from keras_nmt.preparation.language_file import language_labels
from keras_nmt.preparation.options import File, Filter, Preparation, script_of
from keras_nmt.text.source_cleaning import clean_source
from keras_nmt.text.translation import without_white_ends

SCRIPT_SHARE = 0.5  # least share of letters in a side's script
LABEL = "__label__"  # before each language in fastText's models
Function = Callable[[Sequence[str], Sequence[str]], np.ndarray]
KEYS = {"source": (0, 1), "target": (2, 3), "pair": (0, 1, 2, 3)}  # columns of a block's keys: 128 bits a text


def text_filters(preparation: Preparation, tags: TargetTags | None = None) -> list[tuple[str, Function]]:
    """Returns the filters of a preparation by reason, ready to run in this process.

    A filter maps the lines of both sides to a boolean array `[pairs]`, True for the pairs to drop. Each pair is dropped
    for the first reason that applies. The filters of this package read lines without the `tags` of the source.

    Raises:
        OSError: The model of languages cannot be read.
        UserError: A filter of the user's own does not exist; or the model of languages is no model, is truncated, or
            has none of the languages.
    """
    p = preparation
    own = [(reason, _checked_filter(reason, filter_)) for reason, filter_ in p.filters.items()]
    filters: list[tuple[str, Function]] = []
    if p.drop_identical:
        filters.append(("identical", _are_identical))
    if p.scripts:
        filters.append(
            ("script", functools.partial(_any_side, rules=[_script_rule(p.scripts.get(s)) for s in p.sides]))
        )
    if p.language_model is not None:
        model = _language_model(p.language_model, p.languages)
        rules = [_language_rule(model, p.languages.get(side)) for side in p.sides]
        filters.append(("language", functools.partial(_any_side, rules=rules)))
    if tags:
        filters = [(reason, functools.partial(_without_tags, tags=tags, filter_=x)) for reason, x in filters]
    return own + filters


def _checked_filter(reason: str, filter_: Filter | str) -> Function:
    """Wraps a filter of the user's own, so that its errors name it."""
    function: Any = _imported(filter_) if isinstance(filter_, str) else filter_
    with errors_as(f"The filter {reason!r} raised an error"):
        function = function() if isinstance(function, type) else function
        if hasattr(function, "setup"):
            function.setup()

    def checked(sources: Sequence[str], targets: Sequence[str]) -> np.ndarray:
        with errors_as(f"The filter {reason!r} raised an error"):
            if hasattr(function, "process"):  # a DoFn gives a sequence of results
                (wrong,) = function.process((sources, targets))
            else:
                wrong = function(sources, targets)
        wrong = np.asarray(wrong)
        is_right = wrong.dtype == np.bool_ and wrong.shape == (len(sources),)
        problem = f"The filter {reason!r} gives a boolean array with an element for each pair, {len(sources)} here"
        require(is_right, f"{problem}. Received: an array of {wrong.dtype} with the shape {wrong.shape}")
        return wrong

    return checked


def _imported(reference: str) -> Any:
    """Finds the function or class of a reference, such as "package.module:name" or "folder/file.py:name"."""
    place, _, name = reference.rpartition(":")
    with errors_as(
        "A filter must be named by its module or file, such as package.module:name or file.py:name. "
        f"Received: {reference}"
    ):
        module = import_file(Path(place)) if place.endswith(".py") else importlib.import_module(place)
        return getattr(module, name)


def _are_identical(sources: Sequence[str], targets: Sequence[str]) -> np.ndarray:
    return np.array([plain_text(x) == plain_text(y) for x, y in zip(sources, targets, strict=True)], bool)


def _without_tags(sources: Sequence[str], targets: Sequence[str], tags: TargetTags, filter_: Function) -> np.ndarray:
    """Filters lines without their tags, which are no text of the language; a copy of a line may have its tag, too."""
    return filter_(*([tags.split(line).text for line in lines] for lines in (sources, targets)))


def _any_side(
    sources: Sequence[str], targets: Sequence[str], rules: Sequence[Callable[[str], bool] | None]
) -> np.ndarray:
    """Returns a boolean array `[pairs]`: whether the rule of either side is True for a line of this side."""
    is_wrong = np.zeros(len(sources), bool)
    for rule, lines in zip(rules, (sources, targets), strict=True):
        if rule is not None:
            is_wrong |= np.array([rule(line) for line in lines], bool)
    return is_wrong


def _script_rule(script: str | None) -> Callable[[str], bool] | None:
    return None if script is None else lambda line: _share(line, script) < SCRIPT_SHARE


def _language_rule(model: Any, language: str | None) -> Callable[[str], bool] | None:
    """Returns a side's rule: whether a line is most probably of another language. Empty lines are of any."""
    if language is None:
        return None
    return lambda line: bool(line.strip()) and LABEL + language not in model.predict(line)[0]


def _language_model(path: File, languages: Mapping[str, str]) -> Any:
    with needs_extra("identification of languages", "prepare"):
        import fasttext
    with errors_as(
        f"The file is not a model of fastText that tells languages, such as lid.176.bin. Received: {path}",
        ValueError,
        MemoryError,
        RuntimeError,
        struct.error,
    ):
        labels = language_labels(path)
        model = fasttext.load_model(str(path))
    for side, language in languages.items():
        if LABEL + language not in labels:
            some = ", ".join(sorted(label.removeprefix(LABEL) for label in labels)[:20])
            raise UserError(
                f"`languages` must be of the model {path}, such as {some}. Received: {language!r} for {side}"
            )
    return model


def _share(text: str, script: str) -> float:
    """Returns the share of a text's letters that are of a script; 1 without letters."""
    letters = [character for character in text if character.isalpha()]
    return sum(script_of(letter) == script for letter in letters) / len(letters) if letters else 1.0


class Segmenter:
    """The work on one block of lines, which needs no other block.

    The `preparation` has `subwords`. For errors, see `read_subwords`, `load_processor` and `text_filters`.
    """

    def __init__(self, preparation: Preparation) -> None:
        self._preparation = preparation
        assert preparation.subwords is not None
        self._models = [load_processor(read_subwords(path), str(path)) for path in preparation.subwords]
        proto = self._models[0].serialized_model_proto()
        self._cleans, self._tags = cleans_sources(proto), TargetTags(proto)
        self._filters = text_filters(preparation, self._tags)
        tag = preparation.source_tag
        pieces = ModelProto.FromString(proto).pieces
        symbols = {piece.piece for piece in pieces if piece.type == ModelProto.SentencePiece.USER_DEFINED}
        if tag is not None and tag not in symbols:  # an ordinary subword would also be in texts without the tag
            raise UserError(f"The subwords have no such user symbol: train them with it. Received: source_tag={tag!r}")

    def segment(
        self, lines: np.ndarray, sources: Sequence[str], targets: Sequence[str]
    ) -> tuple[PairBlock, dict[str, int]]:
        """Returns the block of the pairs that are kept, and the number of dropped pairs by reason.

        `lines` are the numbers of the lines, an int32 array `[pairs]`.
        """
        p = self._preparation
        texts: list[Sequence[str]] = [tuple(sources), tuple(targets)]  # that no filter can change
        keep = np.ones(len(lines), bool)
        dropped = drop_pairs(keep, ((reason, wrong(*texts)) for reason, wrong in self._filters))
        numbers = np.flatnonzero(keep).tolist()
        texts = [[side[i] for i in numbers] for side in texts]
        lines = lines[keep]
        if self._cleans:
            texts[0] = list(map(clean_source, texts[0]))
        texts = [list(map(without_white_ends, side)) for side in texts]
        if self._tags:
            texts[0] = list(map(self._tags.with_space, texts[0]))
        if p.source_tag is not None:
            read = self._models[0].normalize(texts[0])  # a text without subwords stays without, and is dropped
            texts[0] = [f"{p.source_tag} {text}" if plain else text for text, plain in zip(texts[0], read, strict=True)]
        ids = tuple(self._ids(model, side) for model, side in zip(self._models, texts, strict=True))
        keep = np.ones(len(lines), bool)
        dropped |= drop_pairs(keep, outside_limits(ids[0].lengths, ids[1].lengths, p.max_length, p.max_ratio))
        read = [model.normalize(side) for model, side in zip(self._models, texts, strict=True)]
        keys = np.concatenate([_digests(side) for side in read], axis=1)
        text = tuple(RaggedArray.from_bytes([one.encode() for one in side]) for side in texts) if p.keep_text else None
        return PairBlock(lines, ids, text, keys).select(keep), dropped

    @staticmethod
    def _ids(model: sentencepiece.SentencePieceProcessor, texts: Sequence[str]) -> RaggedArray:
        rows = model.encode(list(texts), out_type=int, num_threads=1)
        lengths = np.fromiter(map(len, rows), np.int64, len(rows))
        values = np.fromiter(chain.from_iterable(rows), id_type(model.get_piece_size()), int(lengths.sum()))
        return RaggedArray(values, lengths)


def without_duplicates(block: PairBlock, key: str) -> PairBlock:
    """Removes pairs whose key ("pair", "source" or "target") came earlier from a block with keys."""
    assert block.keys is not None
    columns = block.keys[:, KEYS[key]]
    if len(block) == 0:
        return block
    order = np.lexsort((block.lines, *columns.T))
    is_first = np.append(True, (np.diff(columns[order].astype(np.uint64), axis=0) != 0).any(axis=1))
    kept = order[is_first]
    return block.select(kept[np.argsort(block.lines[kept])])


def bucket_of(block: PairBlock, key: str, num_buckets: int) -> np.ndarray:
    """Returns an int64 array `[pairs]`: a number below `num_buckets` that is equal for equal keys."""
    assert block.keys is not None
    return (block.keys[:, KEYS[key]].sum(axis=1, dtype=np.uint64) % np.uint64(num_buckets)).astype(np.int64)


def _digests(texts: list[str]) -> np.ndarray:
    """Returns a uint64 array `[texts, 2]`: 128 bits of BLAKE2, so that different texts are never taken for equal."""
    digests = b"".join(hashlib.blake2b(text.encode(), digest_size=16).digest() for text in texts)
    return np.frombuffer(digests, "<u8").reshape(-1, 2)
