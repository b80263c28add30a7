"""Reads and writes the folder of a prepared corpus: shards of subword ids as NumPy arrays, and a manifest.

    FOLDER/manifest.json
    FOLDER/pairs/00000.lines.npy                        line numbers
    FOLDER/pairs/00000.lines_checksums.npy              CRC-32 of every 1,024 line numbers
    FOLDER/SIDE/subwords.model                          the subword model of a side, such as "de"
    FOLDER/SIDE/00000.ids.npy, 00000.ids_offsets.npy    ids of all sentences of a shard; where each sentence begins
    FOLDER/SIDE/00000.ids_checksums.npy                 CRC-32 of type, lengths and ids of every 1,024 sentences
    FOLDER/SIDE/00000.text.npy, ...                     the same for UTF-8 text, if the corpus keeps its text

FOLDER/SIDE can be given wherever a training run takes the path of a text file.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import zlib
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from keras_nmt.data.sentence_pairs import PairBlock, RaggedArray
from keras_nmt.errors import UserError, errors_as, require
from keras_nmt.files.atomic_files import errors_that_name, flush, write_bytes, write_json
from keras_nmt.files.file_cache import cached_by_file
from keras_nmt.files.json_file import check_digest, read_json, with_digest

FORMAT = "keras_nmt prepared corpus"
VERSION = 2
MANIFEST = "manifest.json"
LONGER = "longer side"
PAIRS = "pairs"  # folder of the arrays that belong to both sides
BLOCKS = "blocks"  # folder of temporary files during a preparation
RESERVED = (PAIRS, BLOCKS)
SUBWORDS = "subwords.model"
# Types of arrays: ids are uint16, or int32 for large vocabularies.
LINES, OFFSETS, CHECKSUMS, IDS, TEXT = "<i4", "<i8", "<u4", ("<u2", "<i4"), ("|u1",)
BLOCK = 1024  # pairs that are read at once; the random order of an epoch keeps blocks together
SHARD_PAIRS = 2**20
MANIFEST_BYTES = 2**30  # largest manifest: a kilobyte for each shard, and 300 bytes for each source file
REMEDY = "prepare the corpus again, or restore the folder"


class PreparedFolder:
    """A prepared corpus, which is read block by block, so that memory does not grow with the corpus.

    The constructor checks the manifest and the sizes of all files. Types, shapes and checksums are checked when a block
    is read.

    Raises:
        OSError: There is no manifest.
        UserError: The manifest is damaged or has another version, or a file is missing or truncated.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        manifest = read_manifest(self.path / MANIFEST)
        shards = manifest.pop("shards")
        for shard in shards:
            for name, file in shard["files"].items():
                _check_size(os.path.join(path, name), file["bytes"])  # `Path` objects would stay in memory
        self.manifest = manifest  # without the files of shards, so that memory does not grow with their number
        self.sides: list[str] = manifest["sides"]
        self.has_text: bool = manifest["text"]
        self._sizes = np.array([shard["pairs"] for shard in shards])
        self._ends = np.cumsum(self._sizes)

    def __len__(self) -> int:
        return int(self._ends[-1])

    @functools.cached_property
    def block_starts(self) -> np.ndarray:
        """int64 array `[blocks + 1]`, the first pair of each block, and the number of pairs."""
        starts = [np.arange(end - size, end, BLOCK) for size, end in zip(self._sizes, self._ends, strict=True)]
        return np.concatenate([*starts, [len(self)]])

    def length_counts(self, source: str, target: str) -> np.ndarray:
        """Returns the number of pairs by the length of the longer of two sides, int64 array `[longest + 1]`."""
        return np.array(self.manifest["length_counts"][source if source == target else LONGER])

    def digest(self, side: str) -> str:
        """Returns the SHA-256 of the manifest, which contains the digests of all files, and the name of a side."""
        return hashlib.sha256((self.path / MANIFEST).read_bytes() + side.encode()).hexdigest()

    def subwords_path(self, side: str) -> Path:
        """Returns the path of the subword model of a side."""
        return self.path / side / SUBWORDS

    def read(self, pairs: np.ndarray, sides: Sequence[str], with_text: bool) -> PairBlock:
        """Reads pairs by number, an int64 array `[n]`; the result has the sides in the given order.

        Successive pairs of one block are read at once. A missing or damaged file is a `UserError`.
        """
        if not len(pairs):  # a portion may contain no pair of a small corpus
            return self.read(np.zeros(1, np.int64), sides, with_text).select(pairs)
        once, places = np.unique(pairs, return_inverse=True)
        if len(once) < len(pairs):  # a corpus with a weight above 1 may occur several times in a portion
            return self.read(once, sides, with_text).select(places)
        shards = np.searchsorted(self._ends, pairs, side="right")
        inside = pairs - (self._ends - self._sizes)[shards]
        blocks = inside // BLOCK
        is_new = (np.diff(pairs) != 1) | (np.diff(shards) != 0) | (np.diff(blocks) != 0)
        begins = np.append(0, np.flatnonzero(is_new) + 1)
        read, shard = [], None
        for begin, end in zip(begins.tolist(), [*begins[1:].tolist(), len(pairs)], strict=True):
            if shard is None or shard.number != shards[begin]:
                number = int(shards[begin])
                shard = _Shard(self.path, number, int(self._sizes[number]), sides, with_text)  # unmaps the last shard
            first = int(inside[begin])
            read.append(shard.read(int(blocks[begin]), first % BLOCK, first % BLOCK + end - begin))
        return PairBlock.concatenate(read)


def prepared_side(path: str | os.PathLike[str]) -> tuple[PreparedFolder, str] | None:
    """Returns the prepared corpus to which a path belongs, and the name of the side; None for any other path.

    Raises:
        UserError: The corpus is damaged, or the path is the whole folder or not a side.
    """
    path = Path(path)
    if not path.is_dir():
        return None
    whole = (path / MANIFEST).exists()
    manifest = path / MANIFEST if whole else path.parent / MANIFEST
    if not manifest.exists():
        return None
    folder = _opened(manifest)
    if whole or path.name not in folder.sides:
        shown = " and ".join(str(manifest.parent / side) for side in folder.sides)
        raise UserError(f"Give the two sides of a prepared corpus, {shown}. Received: {path}")
    return folder, path.name


@cached_by_file(64)
def _opened(manifest: str) -> PreparedFolder:
    return PreparedFolder(Path(manifest).parent)


def check_sides(sides: Sequence[str]) -> None:
    """Checks the names of the sides of a prepared corpus, which become names of folders; raises a `UserError`."""
    if len(set(sides)) != len(sides) or len(sides) != 2:
        raise UserError(f"A corpus must have two sides with different names. Received: sides={tuple(sides)}")
    for side in sides:
        if not re.fullmatch(r"[\w-]+", side) or side in RESERVED:
            raise UserError(
                "The name of a side must be like that of a language, such as 'de', 'zh_CN' or 'sr-Latn', and not "
                f"{' or '.join(RESERVED)}. Received: sides={tuple(sides)}"
            )


def id_type(vocabulary_size: int) -> type[np.integer]:
    """Returns the smallest type of a prepared corpus for the ids of a vocabulary."""
    return np.uint16 if vocabulary_size <= 2**16 else np.int32


def write_shard(folder: Path, number: int, sides: Sequence[str], block: PairBlock) -> dict[str, Any]:
    """Writes shard `number`, from 0, of a prepared corpus, and returns its description for `write_manifest`."""
    lines = block.lines.astype(LINES)
    files = {f"{PAIRS}/{number:05d}.lines.npy": lines}
    files[f"{PAIRS}/{number:05d}.lines_checksums.npy"] = _checksums(lines)
    for side, rows in zip(sides, block.ids, strict=True):
        files |= _arrays(f"{side}/{number:05d}.ids", rows)
    for side, rows in zip(sides, block.text or (), strict=False):
        files |= _arrays(f"{side}/{number:05d}.text", rows)
    lengths = [rows.lengths for rows in block.ids]
    counted = dict(zip((*sides, LONGER), (*lengths, np.maximum(*lengths)), strict=True))
    return {
        "pairs": len(block),
        "files": {name: _write_array(folder / name, array) for name, array in files.items()},
        "length_counts": {name: np.bincount(side).tolist() for name, side in counted.items()},
    }


def write_manifest(
    folder: Path,
    shards: Sequence[Mapping[str, Any]],
    *,
    sides: Sequence[str],
    subwords: Sequence[bytes],
    has_text: bool,
    num_read: int,
    dropped: Mapping[str, int],
    max_ratio: float | None,
    sources: Sequence[Mapping[str, Any]] = (),
    options: Mapping[str, Any] | None = None,
) -> None:
    """Writes the manifest and the subword models, as the last step of writing a prepared corpus.

    `shards` are the results of `write_shard`, by number; `sides` and `subwords` the names and subword models of both
    sides; `num_read`, `dropped` and `max_ratio` as in `ParallelCorpus` and `read_parallel`. `sources` describe the
    files of the corpus, and `options` are those of its preparation.
    """
    counts = {
        name: [
            sum(numbers) for numbers in zip_longest(*(shard["length_counts"][name] for shard in shards), fillvalue=0)
        ]
        for name in (*sides, LONGER)
    }
    for side, model in zip(sides, subwords, strict=True):
        write_bytes(folder / side / SUBWORDS, model)
    write_json(
        folder / MANIFEST,
        with_digest(
            {
                "format": FORMAT,
                "version": VERSION,
                "sides": list(sides),
                "subwords": {s: hashlib.sha256(model).hexdigest() for s, model in zip(sides, subwords, strict=True)},
                "pairs": sum(shard["pairs"] for shard in shards),
                "read": num_read,
                "dropped": dict(dropped),
                "tokens": {side: sum(length * number for length, number in enumerate(counts[side])) for side in sides},
                "length_counts": counts,
                "max_ratio": max_ratio,
                "text": has_text,
                "sources": list(sources),
                "options": dict(options or {}),
                "shards": [{name: shard[name] for name in ("pairs", "files")} for shard in shards],
            }
        ),
    )


def read_manifest(path: Path) -> dict[str, Any]:
    """Reads the manifest of a prepared corpus. Raises a `UserError` if it is damaged or has another version."""
    manifest = read_json(path, "the manifest of a prepared corpus", MANIFEST_BYTES, keep_digest=True)
    if manifest.get("format") != FORMAT or manifest.get("version") != VERSION:
        raise UserError(
            f"{path} must be the manifest of a prepared corpus of version {VERSION}: prepare the corpus again. "
            f"Received: format={manifest.get('format')!r}, version={manifest.get('version')!r}"
        )
    require(_is_whole(manifest), f"The manifest of a prepared corpus is damaged: {REMEDY}. Received: {path}")
    return check_digest(manifest, path)


def _is_whole(manifest: Mapping[str, Any]) -> bool:
    """Returns whether a manifest has all entries that readers use, and the numbers in it agree."""
    try:
        sides, counts, shards = manifest["sides"], manifest["length_counts"], manifest["shards"]
        sizes = [shard["pairs"] for shard in shards]
        numbers = [manifest["read"], *manifest["dropped"].values()]
        numbers += [file["bytes"] for shard in shards for file in shard["files"].values()]
        return (
            len(set(sides)) == len(sides) == 2
            and all(isinstance(manifest["subwords"][side], str) for side in sides)
            and isinstance(manifest["text"], bool)
            and isinstance(manifest["options"], dict)
            and (manifest["max_ratio"] is None or manifest["max_ratio"] >= 1)
            and manifest["read"] >= manifest["pairs"]
            and all(isinstance(number, int) for number in numbers)
            and min(sizes) > 0
            and {sum(sizes), *(sum(counts[name]) for name in (*sides, LONGER))} == {manifest["pairs"]}
            and all(sum(i * n for i, n in enumerate(counts[side])) == manifest["tokens"][side] for side in sides)
        )
    except (KeyError, TypeError, AttributeError, ValueError):
        return False


class _Shard:
    """The arrays of one shard, mapped into memory."""

    def __init__(self, folder: Path, number: int, size: int, sides: Sequence[str], with_text: bool) -> None:
        self.number = number
        self._lines_path = folder / PAIRS / f"{number:05d}.lines"
        self._lines = _mapped(f"{self._lines_path}.npy", [LINES], size)
        self._checksums = _mapped(f"{self._lines_path}_checksums.npy", [CHECKSUMS], -(-size // BLOCK))
        types = {"ids": IDS, "text": TEXT} if with_text else {"ids": IDS}
        self._rows = {
            kind: [_MappedRows(folder / side / f"{number:05d}.{kind}", size, types[kind]) for side in sides]
            for kind in types
        }

    def read(self, block: int, begin: int, end: int) -> PairBlock:
        """Reads the pairs of a block from `begin` to below `end`, counted from the block's first pair."""
        rows = {kind: tuple(side.read(block, begin, end) for side in sides) for kind, sides in self._rows.items()}
        lines = np.array(self._lines[block * BLOCK : (block + 1) * BLOCK])
        _compare(self._checksums[block], lines, path=self._lines_path, block=block)
        return PairBlock(lines[begin:end], rows["ids"], rows.get("text"))


class _MappedRows:
    """The ids, or the text, of one side of a shard."""

    def __init__(self, path: Path, size: int, types: Sequence[str]) -> None:
        self._path = path
        self._values = _mapped(f"{path}.npy", types)
        self._offsets = _mapped(f"{path}_offsets.npy", [OFFSETS], size + 1)
        self._checksums = _mapped(f"{path}_checksums.npy", [CHECKSUMS], -(-size // BLOCK))

    def read(self, block: int, begin: int, end: int) -> RaggedArray:
        offsets = np.array(self._offsets[block * BLOCK : (block + 1) * BLOCK + 1])
        values = np.array(self._values[offsets[0] : offsets[-1]])  # a copy, so that the mapped memory is released
        lengths = np.diff(offsets)
        _compare(self._checksums[block], lengths, values, path=self._path, block=block)
        begins = offsets - offsets[0]
        return RaggedArray(values[begins[begin] : begins[end]], lengths[begin:end])


def _arrays(name: str, rows: RaggedArray) -> dict[str, np.ndarray]:
    """Returns the arrays of a side by file name."""
    offsets = np.append(0, np.cumsum(rows.lengths)).astype(OFFSETS)
    values = rows.values.astype(rows.values.dtype.newbyteorder("<"))
    return {
        f"{name}.npy": values,
        f"{name}_offsets.npy": offsets,
        f"{name}_checksums.npy": _checksums(np.diff(offsets), values, offsets),
    }


def _checksums(numbers: np.ndarray, values: np.ndarray | None = None, offsets: np.ndarray | None = None) -> np.ndarray:
    """Returns the checksums of all blocks: of `numbers`, and of the values that begin at `offsets`."""
    checksums = []
    for i in range(0, len(numbers), BLOCK):
        block = [numbers[i : i + BLOCK]]
        if values is not None and offsets is not None:
            block.append(values[offsets[i] : offsets[min(i + BLOCK, len(numbers))]])
        checksums.append(_checksum(*block))
    return np.array(checksums, CHECKSUMS)


def _checksum(*arrays: np.ndarray) -> int:
    checksum = 0
    for array in arrays:
        checksum = zlib.crc32(np.ascontiguousarray(array).data, zlib.crc32(array.dtype.str.encode(), checksum))
    return checksum


def _compare(checksum: int, *arrays: np.ndarray, path: Path, block: int) -> None:
    if checksum != _checksum(*arrays):
        raise UserError(
            f"A file of a prepared corpus is damaged: {REMEDY}. "
            f"Received: {path}.npy, or the files beside it, with another checksum in block {block}"
        )


def _mapped(path: str, types: Sequence[str], length: int | None = None) -> np.ndarray:
    """Maps an array into memory, and checks its type and length."""
    with errors_as(f"A file of a prepared corpus is damaged: {REMEDY}. Received: {path}"):
        array: np.ndarray = np.load(path, mmap_mode="r", allow_pickle=False)
        if array.dtype.str not in types or array.shape != (length if length is not None else len(array),):
            raise ValueError(f"type {array.dtype.str} and shape {array.shape}")
    return array


def _write_array(path: Path, array: np.ndarray) -> dict[str, Any]:
    """Writes an array, and returns the file's description for the manifest."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with errors_that_name(path), open(path, "wb+") as file:
        np.save(file, array, allow_pickle=False)
        file.flush()
        flush(file.fileno())
        file.seek(0)
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        return {"bytes": file.seek(0, os.SEEK_END), "sha256": digest}


def _check_size(path: str, size: int) -> None:
    try:
        actual = os.stat(path).st_size
    except FileNotFoundError:
        raise UserError(f"A file of a prepared corpus is missing: {REMEDY}. Received: {path}") from None
    problem = f"A file of a prepared corpus has another size than in its manifest: {REMEDY}"
    require(actual == size, f"{problem}. Received: {path} with {actual:,} bytes instead of {size:,}")
