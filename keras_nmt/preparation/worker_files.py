"""Files that workers share: blocks of pairs between two stages of a pipeline, and counts of finished steps."""

from __future__ import annotations

import contextlib
import io
import threading
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from keras_nmt.data.sentence_pairs import PairBlock, RaggedArray
from keras_nmt.files.atomic_files import errors_that_name
from keras_nmt.progress import are_shown, count_steps

Position = tuple[str, int]  # a file, and where a block begins in the file
SECONDS = 0.5  # between two looks at the file


def write_blocks(folder: Path, block: PairBlock, buckets: np.ndarray) -> Iterator[tuple[int, Position]]:
    """Writes the pairs of a block to a temporary file in a folder that all workers share, each bucket together.

    A runner then groups positions in the files, not pairs, so its memory is small. `buckets` is the bucket of each
    pair, an int64 array `[pairs]`. Yields tuples of a bucket and the position of its pairs.
    """
    folder.mkdir(exist_ok=True)
    path = folder / uuid.uuid4().hex  # a stage that is tried again writes another file
    positions = []
    with errors_that_name(path), open(path, "wb") as file:
        for bucket in np.unique(buckets).tolist():
            positions.append((bucket, (str(path), file.tell())))
            for array in _arrays(block.select(buckets == bucket)):
                # NumPy's own writing to a file says of a full disk "2803 requested and 96 written", and not which file.
                content = io.BytesIO()
                np.save(content, array, allow_pickle=False)
                file.write(content.getbuffer())
    yield from positions


def read_blocks(positions: Iterable[Position]) -> PairBlock:
    """Returns the pairs at one or more positions. Raises an `OSError` if a file cannot be read."""
    return PairBlock.concatenate(_read(*position) for position in positions)


def _arrays(block: PairBlock) -> Iterator[np.ndarray]:
    sides = (*block.ids, *(block.text or ()))
    yield np.array([len(block.ids), len(sides), block.keys is not None])
    yield block.lines
    for rows in sides:
        yield from (rows.values, rows.lengths)
    if block.keys is not None:
        yield block.keys


def _read(path: str, begin: int) -> PairBlock:
    with errors_that_name(path), open(path, "rb") as file:
        file.seek(begin)

        def array() -> np.ndarray:
            loaded: np.ndarray = np.load(file, allow_pickle=False)
            return loaded

        num_ids, num_sides, has_keys = array().tolist()
        lines = array()
        sides = tuple(RaggedArray(array(), array()) for _ in range(num_sides))
        return PairBlock(lines, sides[:num_ids], sides[num_ids:] or None, array() if has_keys else None)


@contextlib.contextmanager
def worker_steps(path: Path, total: int | None, unit: str) -> Iterator[str | None]:
    """Counts the steps that workers add to a file in their shared folder; the file is removed at the end.

    Yields the path for `add_worker_steps`, or None where nothing is shown. For `total` and `unit`, see `count_steps`.
    """
    if not are_shown():
        yield None
        return
    path.touch()
    finished = threading.Event()
    with count_steps(total, unit) as advance:

        def watch() -> None:
            shown, is_last = 0, False
            while not is_last:
                is_last = finished.wait(SECONDS)
                counted = int(np.fromfile(path, np.int64).sum())
                advance(counted - shown)
                shown = counted

        thread = threading.Thread(target=watch, daemon=True)
        thread.start()
        try:
            yield str(path)
        finally:
            finished.set()
            thread.join()
            path.unlink()


def add_worker_steps(path: str | None, number: int) -> None:
    """Adds finished steps, in a worker."""
    if path is not None:
        with open(path, "ab", buffering=0) as file:
            file.write(np.int64(number).tobytes())
