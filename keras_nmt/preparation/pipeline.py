"""The Apache Beam pipelines that prepare a corpus."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import hashlib
import logging
import os
import random
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import apache_beam as beam
import numpy as np
from apache_beam.options.pipeline_options import PipelineOptions

from keras_nmt.data.prepared_folder import BLOCKS, MANIFEST, SHARD_PAIRS, read_manifest, write_manifest, write_shard
from keras_nmt.data.sentence_pairs import PairBlock
from keras_nmt.data.subword_models import train_subwords
from keras_nmt.errors import UserError
from keras_nmt.files.atomic_files import atomic_folder, check_new_folder, errors_that_name
from keras_nmt.files.paths import address_of, check_regular
from keras_nmt.files.process_resources import num_processors, without_standard_error
from keras_nmt.preparation.options import DUPLICATES, Preparation, check_name
from keras_nmt.preparation.pipeline_runs import failures_as_results, pipeline_options, run_pipeline
from keras_nmt.preparation.segmenter import Segmenter, bucket_of, text_filters, without_duplicates
from keras_nmt.preparation.worker_files import Position, add_worker_steps, read_blocks, worker_steps, write_blocks
from keras_nmt.text.source_cleaning import clean_source
from keras_nmt.text.text_files import read_paired_blocks

MAX_LINES = 2**31 - 1  # line numbers are int32
STORED_PAIRS = 2**17  # pairs that a process segments before it writes them
Report = Callable[[str], None]
Split = Callable[[PairBlock], np.ndarray]  # to the bucket of each pair
MODEL = "sample.model"  # in the folder
GOLDEN_RATIO = np.uint64(0x9E3779B97F4A7C15)  # in 64 bits: a product with it spreads differences of low bits
Task = tuple[str, str, np.ndarray, str]


def prepare(
    preparation: Preparation,
    output: str | os.PathLike[str],
    *,
    workers: int | None = None,
    beam_options: Sequence[str] = (),
    report: Report = lambda line: None,
) -> dict[str, Any]:
    """Prepares a corpus: text files to a folder of shards, see `keras_nmt.data.prepared_folder`.

    Two pipelines run: the first reads all files, and so finds wrong files early; the second segments and filters blocks
    of lines, brings the pairs of a shard together, and writes shards. One in between samples the text of subwords that
    are to be trained. The folder has its name when it is complete. The same files and options give the same bytes, with
    any number of workers.

    Args:
        preparation: Preparation.
        output: String or path of the folder to make; for several machines, on a file system that all of them share.
        workers: Integer, the number of processes. Defaults to the processors that this process may use, by its affinity
            and its container's quota.
        beam_options: Sequence of options of Apache Beam, such as "--runner=FlinkRunner". Defaults to Beam's local
            runner with `workers` processes.
        report: Callable, gets each line of progress. Defaults to no reports.

    Returns:
        The manifest.

    Raises:
        OSError: The folder cannot be made, or a file is missing or out of reach.
        UserError: The folder exists, a file is unusable, no pair is left, or the disk is full.
    """
    p, workers = preparation, workers or num_processors()
    check_new_folder(output)
    local = [path for path in (*p.sources, *p.targets) if address_of(path) is None]
    for path in (*local, *(p.subwords or ()), *filter(None, [p.language_model])):
        check_regular(path, ", which several processes read")
    check_name(Path(output).absolute())
    described = p.as_json()
    text_filters(p)  # wrong filters and subwords are errors before the work
    if p.subwords is not None:
        Segmenter(p)
    package_options = [
        "--runner=FnApiRunner",
        "--direct_running_mode=multi_processing",
        f"--direct_num_workers={workers}",
        "--default_sdk_harness_log_level=ERROR",
    ]
    with _quiet():
        options = pipeline_options(package_options, beam_options)
    with atomic_folder(output) as folder, _quiet():
        files = [(os.fspath(source), os.fspath(target)) for source, target in zip(p.sources, p.targets, strict=True)]
        report(f"Reading {len(files)} pair(s) of files")
        with worker_steps(folder / "lines.steps", None, "lines") as counted:
            numbered, scan = list(enumerate(files)), beam.FlatMap(_scanned, counted=counted)
            scanned = run_pipeline(options, folder, lambda pipe: _spread(pipe, "files", numbered) | "Scan" >> scan)
        ends = np.cumsum([file["lines"] for file in scanned]).tolist()
        num_read = ends[-1]
        if num_read > MAX_LINES:
            raise UserError(f"Prepare corpora of at most {MAX_LINES:,} lines each. Received: {num_read:,} lines")
        if p.subwords is None:
            report(f"Training {p.vocabulary_size:,} subwords")
            model = _train_on_sample(p, files, [file["lines"] for file in scanned], folder, options)
            p = dataclasses.replace(p, subwords=(model, model), vocabulary_size=None)
        assert p.subwords is not None
        num_shards, parts = -(-num_read // SHARD_PAIRS), -(-2 * workers // len(files))
        tasks = [
            (*pair, begin, part, parts) for pair, begin in zip(files, [0, *ends], strict=False) for part in range(parts)
        ]
        report(f"Preparing {num_read:,} pairs")
        with (
            worker_steps(folder / "pairs.steps", num_read, "pairs") as counted,
            worker_steps(folder / "shards.steps", num_shards, "shards") as counted_shards,
        ):
            steps = counted, counted_shards
            results = run_pipeline(
                options, folder, lambda pipe: _segment_stage(pipe, tasks, p, folder, num_read, num_shards, steps)
            )
        shards = _numbered(folder, [result for result in results if "shard" in result])
        dropped: Counter[str] = Counter()
        for result in results:
            dropped.update(result.get("dropped", {}))
        if p.duplicates != "keep":
            dropped["duplicate"] = num_read - sum(dropped.values()) - sum(shard["pairs"] for shard in shards)
        shutil.rmtree(folder / BLOCKS, ignore_errors=True)
        if not shards:
            counts = ", ".join(f"{number} {reason}" for reason, number in dropped.items() if number)
            raise UserError(f"No pair is left of {num_read}: relax the limits. Received: dropped {counts}")
        write_manifest(
            folder,
            shards,
            sides=p.sides,
            subwords=[Path(path).read_bytes() for path in p.subwords],
            has_text=p.keep_text,
            num_read=num_read,
            dropped=dict(sorted(dropped.items())),
            max_ratio=p.max_ratio,
            sources=scanned,
            options=described,
        )
        (folder / MODEL).unlink(missing_ok=True)  # each side has a copy
        manifest = read_manifest(folder / MANIFEST)
    shown = ", ".join(f"{count:,} {reason}" for reason, count in manifest["dropped"].items())
    report(f"{num_read:,} pairs read, {manifest['pairs']:,} kept; dropped: {shown}; {len(shards)} shard(s) in {output}")
    return manifest


def _spread(pipeline: beam.Pipeline, name: str, elements: Sequence[Any]) -> beam.PCollection:
    """Returns elements, each of which goes to any worker."""
    return pipeline | name.capitalize() >> beam.Create(elements) | f"Spread {name}" >> beam.Reshuffle()


def _scanned(numbered: tuple[int, tuple[str, str]], counted: str | None) -> Iterator[dict[str, Any]]:
    """Reads a pair of files: their names, the number of lines, and digests as of `keras_nmt.data.text_digest`."""
    number, files = numbered
    digests, num_lines = (hashlib.sha256(), hashlib.sha256()), 0
    with failures_as_results() as failures:
        for block in read_paired_blocks(*files):
            num_lines += len(block[0])
            for digest, lines in zip(digests, block, strict=True):
                digest.update("".join(f"{line}\n" for line in lines).encode())
            add_worker_steps(counted, len(block[0]))
        names = [file.rpartition("/")[2] for file in files]
        sha256 = [digest.hexdigest() for digest in digests]
        yield {"number": number, "files": names, "lines": num_lines, "sha256": sha256}
    yield from failures


def _segment_stage(
    pipeline: beam.Pipeline,
    tasks: Sequence[tuple[str, str, int, int, int]],
    preparation: Preparation,
    folder: Path,
    num_read: int,
    num_shards: int,
    counted: tuple[str | None, str | None],
) -> beam.PCollection:
    """Reads, filters and segments blocks of lines, drops duplicates, and writes shards.

    Between the stages, the pairs are in files, and the runner groups their positions.
    """
    p, blocks, keys = preparation, folder / BLOCKS, DUPLICATES[preparation.duplicates]
    # How each stage distributes its pairs for the next stage.
    splits: list[Split] = [functools.partial(bucket_of, key=key, num_buckets=num_shards) for key in keys]
    splits.append(
        functools.partial(_shard_by_line, num_read=num_read, num_shards=num_shards)
        if p.order == "lines"
        else functools.partial(bucket_of, key="pair", num_buckets=num_shards)
    )
    segment = SegmentLines(p, blocks, splits[0], counted[0])
    elements = _spread(pipeline, "parts", tasks) | "Segment" >> beam.ParDo(segment)
    results = [elements | "Counts" >> beam.Filter(_is_result)]
    for key, split in zip(keys, splits[1:], strict=True):
        elements = _grouped(elements, key) | f"Drop duplicates by {key}" >> beam.FlatMap(
            _drop_duplicates, key=key, folder=blocks, split=split
        )
        results.append(elements | f"Failures by {key}" >> beam.Filter(_is_result))
    shards = _grouped(elements, "shard") | "Write shards" >> beam.FlatMap(
        _write, folder=folder, sides=p.sides, order=p.order, counted=counted[1]
    )
    return (*results, shards) | "All results" >> beam.Flatten()


def _is_result(element: Any) -> bool:
    # One output with two kinds of elements, positions and results: Beam's runner for Dask knows no second output.
    return isinstance(element, dict)


def _grouped(elements: beam.PCollection, name: str) -> beam.PCollection:
    """Returns the positions of each bucket together."""
    return (
        elements
        | f"Positions by {name}" >> beam.Filter(lambda element: not _is_result(element))
        | f"Group by {name}" >> beam.GroupByKey()
    )


class SegmentLines(beam.DoFn):
    """Reads parts of files as blocks of ids. Each part is every n-th block of lines of a pair of files.

    After the positions of its pairs, each part gives a dictionary of the numbers of dropped pairs, which are also
    Beam's counters.
    """

    def __init__(self, preparation: Preparation, folder: Path, split: Split, counted: str | None) -> None:
        self._preparation, self._folder, self._split, self._counted = preparation, folder, split, counted

    def setup(self) -> None:
        self._segmenter = Segmenter(self._preparation)

    def process(self, task: tuple[str, str, int, int, int]) -> Iterator[Any]:
        totals: Counter[str] = Counter()
        with failures_as_results() as failures:
            blocks: list[PairBlock] = []
            for block in self._segmented(task, totals):
                blocks.append(block)
                if sum(map(len, blocks)) >= STORED_PAIRS:
                    yield from self._stored(blocks)
                    blocks = []
            if blocks:
                yield from self._stored(blocks)
        yield from (*failures, {"dropped": totals})

    def _segmented(self, task: tuple[str, str, int, int, int], totals: Counter[str]) -> Iterator[PairBlock]:
        source, target, line, part, parts = task
        for number, (sources, targets) in enumerate(read_paired_blocks(source, target)):
            lines = np.arange(line + 1, line + 1 + len(sources), dtype=np.int32)
            line += len(sources)
            if number % parts != part:
                continue
            block, dropped = self._segmenter.segment(lines, sources, targets)
            totals.update(dropped)
            for reason, count in dropped.items():
                beam.metrics.Metrics.counter("keras_nmt", reason).inc(count)
            add_worker_steps(self._counted, len(sources))
            yield block

    def _stored(self, blocks: Sequence[PairBlock]) -> Iterator[tuple[int, Position]]:
        block = PairBlock.concatenate(blocks)
        return write_blocks(self._folder, block, self._split(block))


def _shard_by_line(block: PairBlock, num_read: int, num_shards: int) -> np.ndarray:
    shards: np.ndarray = (block.lines.astype(np.int64) - 1) * num_shards // num_read
    return shards


def _drop_duplicates(
    bucket: tuple[int, Iterable[Position]], key: str, folder: Path, split: Split
) -> Iterator[tuple[int, Position] | dict[str, str]]:
    with failures_as_results() as failures:
        block = without_duplicates(read_blocks(bucket[1]), key)
        yield from write_blocks(folder, block, split(block))
    yield from failures


def _write(
    bucket: tuple[int, Iterable[Position]], folder: Path, sides: tuple[str, str], order: str, counted: str | None
) -> Iterator[dict[str, Any]]:
    number, positions = bucket
    with failures_as_results() as failures:
        block = read_blocks(positions)
        assert block.keys is not None
        block = block.select(np.argsort(block.lines if order == "lines" else _digests_of_lines(block), kind="stable"))
        yield {"shard": number, **write_shard(folder, number, sides, block)}
        add_worker_steps(counted, 1)
    yield from failures


def _digests_of_lines(block: PairBlock) -> np.ndarray:
    """Returns a uint64 array `[pairs]`, random numbers from text and line: copies of a pair are not side by side."""
    assert block.keys is not None
    mixed: np.ndarray = (block.keys.sum(axis=1, dtype=np.uint64) ^ block.lines.astype(np.uint64)) * GOLDEN_RATIO
    return mixed


def _numbered(folder: Path, shards: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Numbers shards from 0 without a gap: a shard all of whose pairs were dropped is not written."""
    numbered = []
    for number, shard in enumerate(sorted(shards, key=lambda shard: shard["shard"])):
        files = {}
        for name, file in shard["files"].items():
            new = name.replace(f"/{shard['shard']:05d}.", f"/{number:05d}.")
            os.rename(folder / name, folder / new)
            files[new] = file
        numbered.append({**shard, "files": files})
    return numbered


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keeps Beam's routine messages out of a block: of this process, and of its workers on standard error."""
    logger = logging.getLogger()
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with without_standard_error():
            yield
    finally:
        logger.setLevel(level)


def _train_on_sample(
    preparation: Preparation,
    files: Sequence[tuple[str, str]],
    counts: Sequence[int],
    folder: Path,
    options: PipelineOptions,
) -> Path:
    """Trains a subword model on both sides of a random sample of pairs, each pair of the corpus equally likely.

    The numbers of the sampled lines are drawn first, so memory grows with the sample alone. The same files, sample size
    and seed give the same model, with any number of processes. `counts` are the numbers of lines of the files.
    """
    ends = np.cumsum(counts)
    size = min(preparation.subword_sample, int(ends[-1]))
    chosen = np.sort(np.array(random.Random(preparation.seed).sample(range(int(ends[-1])), size), np.int64))
    bounds = [0, *np.searchsorted(chosen, ends).tolist()]
    tasks: list[Task] = [
        (*pair, chosen[begin:end] - (last - count), str(folder / f"{number:05d}.sample"))
        for number, (pair, begin, end, last, count) in enumerate(
            zip(files, bounds, bounds[1:], ends.tolist(), counts, strict=False)
        )
        if end > begin
    ]
    sample = beam.FlatMap(_sampled, cleans=preparation.source_cleaning)
    run_pipeline(options, folder, lambda pipe: _spread(pipe, "samples", tasks) | "Sample" >> sample)
    samples = [Path(task[-1]) for task in tasks]
    assert preparation.vocabulary_size is not None
    model = train_subwords(
        samples,
        folder / MODEL,
        vocabulary_size=preparation.vocabulary_size,
        max_sentences=2 * size,
        **preparation.subword_settings,
    )
    for path in samples:
        path.unlink()
    return model


def _sampled(task: Task, cleans: bool) -> Iterator[dict[str, Any]]:
    """Writes the chosen lines of both files to one file, those of the first file cleaned if `cleans`."""
    source, target, chosen, path = task
    with failures_as_results() as failures:
        first = 0
        with errors_that_name(path), open(path, "w", encoding="utf-8") as sample:
            for block in read_paired_blocks(source, target):
                here = chosen[(chosen >= first) & (chosen < first + len(block[0]))] - first
                for i in here.tolist():
                    sample.write(f"{clean_source(block[0][i]) if cleans else block[0][i]}\n{block[1][i]}\n")
                first += len(block[0])
                if first > chosen[-1]:
                    break
        yield {"sampled": path}
    yield from failures
