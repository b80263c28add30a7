"""The input of training from prepared corpora: start, memory and speed; and the speed of preparation.

    python benchmarks/input.py --millions 10,50 --output input.md
    python benchmarks/input.py --millions 0 --data-dir DATA --subwords MODEL --scaling 1,2

Each figure of training is of a separate process. The corpora are made of random ids, with sentences of 29 subwords on
average, and deleted afterwards. See README.md beside this file.
"""

from __future__ import annotations

import itertools
import json
import os
import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from support import measured_in_a_process, print_table, write_table

from keras_nmt.cli.run_app import run_app
from keras_nmt.data.prepared_folder import SHARD_PAIRS, write_manifest, write_shard
from keras_nmt.data.sentence_pairs import PairBlock, RaggedArray
from keras_nmt.errors import UserError
from keras_nmt.files.process_resources import peak_memory
from keras_nmt.text.text_files import read_paired_blocks

COLUMNS = ("what", "million pairs", "figure")
SIDES = ("source", "target")
VOCABULARY_SIZE = 32_000
MEAN_LENGTH = 29
LONGEST = 200
TEXT_PAIRS = 200_000  # pairs of the measurement of preparation
SCALING_FILES = 8  # pairs of files of the measurement of several processes


def make_corpus(folder: Path, num_pairs: int) -> None:
    """Writes a prepared corpus of random ids, a shard at a time."""
    shards = []
    for number, begin in enumerate(range(0, num_pairs, SHARD_PAIRS)):
        size = min(SHARD_PAIRS, num_pairs - begin)
        random = np.random.default_rng(number)
        source_lengths = np.clip(random.gamma(3, MEAN_LENGTH / 3, size), 1, LONGEST).astype(np.int64)
        target_lengths = np.clip(source_lengths + random.integers(-3, 4, size), 1, LONGEST)
        ids = tuple(
            RaggedArray(random.integers(4, VOCABULARY_SIZE, lengths.sum(), np.uint16), lengths)
            for lengths in (source_lengths, target_lengths)
        )
        lines = np.arange(begin + 1, begin + size + 1, dtype=np.int32)
        shards.append(write_shard(folder, number, SIDES, PairBlock(lines, ids)))
    write_manifest(
        folder, shards, sides=SIDES, subwords=[b""] * 2, has_text=False, num_read=num_pairs, dropped={}, max_ratio=None
    )


def read_training(folder: Path, batch_size: int, num_pairs: int) -> dict[str, float]:
    """Starts the input pipeline, and takes batches with `num_pairs` pairs, without a model."""
    from keras_nmt.data import PreparedCorpus, TrainingBatches

    start, begun = time.perf_counter(), time.process_time()
    corpus = PreparedCorpus(*(folder / side for side in SIDES))
    batches = TrainingBatches(corpus, batch_size=batch_size, seed=1).dataset().as_numpy_iterator()
    next(batches)
    first, started = time.perf_counter(), time.process_time()
    pairs = tokens = 0
    while pairs < num_pairs:
        batch = next(batches)
        pairs += int((batch["line_numbers"] > 0).sum())
        tokens += int(np.count_nonzero(batch["source"]) + np.count_nonzero(batch["target_output"]))
    seconds, processor = time.perf_counter() - first, time.process_time() - started
    return {
        "start": first - start,
        "start processor": started - begun,
        "tokens": tokens / seconds,
        "processor": tokens / processor,
        "pairs": pairs / seconds,
        "peak": peak_memory(),
    }


def import_only() -> dict[str, float]:
    """The memory of TensorFlow and of a dataset without data."""
    import tensorflow as tf

    import keras_nmt.data  # noqa: F401

    next(iter(tf.data.Dataset.range(3).map(lambda x: x + 1).prefetch(1)))
    return {"peak": peak_memory()}


def prepare_text(data_dir: Path, subwords: Path) -> dict[str, float]:
    """Reads, filters and segments text, the work of one process of a preparation."""
    from keras_nmt.preparation import Preparation
    from keras_nmt.preparation.segmenter import Segmenter

    files = training_files(data_dir)
    preparation = Preparation(
        sides=("de", "en"), sources=files[:1], targets=files[1:], subwords=(subwords, subwords), drop_identical=True
    )
    segmenter = Segmenter(preparation)
    start, pairs = time.process_time(), 0
    for source, target in itertools.chain.from_iterable(_repeated(*files)):
        segmenter.segment(np.arange(len(source), dtype=np.int32), source, target)
        pairs += len(source)
        if pairs >= TEXT_PAIRS:
            break
    return {"pairs": pairs / (time.process_time() - start)}


def prepare_files(subwords: Path, folder: Path, workers: int) -> dict[str, float]:
    """Prepares text in `folder`, the whole of `keras-nmt prepare`, by a number of processes on as many cores."""
    from keras_nmt.preparation import Preparation
    from keras_nmt.preparation.pipeline import prepare

    files = [[folder / f"{number}.{side}" for number in range(SCALING_FILES)] for side in ("de", "en")]
    preparation = Preparation(
        sides=("de", "en"), sources=files[0], targets=files[1], subwords=(subwords, subwords), drop_identical=True
    )
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:workers])
    start, started = time.perf_counter(), _processor_time()
    manifest = prepare(preparation, folder / f"prepared {workers}", workers=workers)
    return {
        "pairs": manifest["read"] / (time.perf_counter() - start),
        "processor": manifest["read"] / (_processor_time() - started),
        "peak": peak_memory(),
    }


def _processor_time() -> float:
    """Processor time of this process, and of its worker processes that have ended, in seconds."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def training_files(data_dir: Path) -> tuple[Path, Path]:
    """German and English of Multi30k, plain or compressed."""
    plain = data_dir / "train.de", data_dir / "train.en"
    return plain if plain[0].exists() else (data_dir / "train.de.gz", data_dir / "train.en.gz")


def make_texts(data_dir: Path, folder: Path, num_pairs: int) -> None:
    """Writes different pairs of real sentences as several files: sentences of Multi30k, with the pair's number."""
    pairs = itertools.chain.from_iterable(
        zip(*block, strict=True) for blocks in _repeated(*training_files(data_dir)) for block in blocks
    )
    for number in range(SCALING_FILES):
        with open(folder / f"{number}.de", "w") as source, open(folder / f"{number}.en", "w") as target:
            for index, (de, en) in enumerate(itertools.islice(pairs, num_pairs // SCALING_FILES)):
                source.write(f"{de} {number}-{index}\n")
                target.write(f"{en} {number}-{index}\n")


def _repeated(source: Path, target: Path) -> Iterator[Iterator[tuple[list[str], ...]]]:
    while True:
        yield read_paired_blocks(source, target)


def drop_from_page_cache(folder: Path) -> None:
    """Asks the system to forget the content of files, so that they are read from the disk."""
    for path in folder.rglob("*.npy"):
        with open(path, "rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def main(
    millions: Annotated[str, typer.Option(help="Sizes of the corpora in million pairs; 0 for none.")] = "10,50",
    batch_size: Annotated[int, typer.Option(min=1, help="Tokens of a batch.")] = 25_000,
    num_pairs: Annotated[int, typer.Option(min=1, help="Pairs to take after the first batch.")] = 500_000,
    folder: Annotated[Path | None, typer.Option(help="Where to make corpora. Default: the temporary folder.")] = None,
    data_dir: Annotated[Path | None, typer.Option(help="Folder of Multi30k, to measure preparation.")] = None,
    subwords: Annotated[Path | None, typer.Option(help="SentencePiece model for --data-dir.")] = None,
    scaling: Annotated[
        str | None, typer.Option(help="Numbers of processes, such as 1,2, to measure the whole of preparation with.")
    ] = None,
    scaling_pairs: Annotated[int, typer.Option(min=SCALING_FILES, help="Pairs to prepare for --scaling.")] = 2_000_000,
    output: Annotated[Path | None, typer.Option(help="Markdown file to write.")] = None,
    workers: Annotated[int, typer.Option(hidden=True)] = 1,
    one: Annotated[str | None, typer.Option(hidden=True)] = None,
) -> None:
    """Measures the input of training."""
    if one is not None:
        stages = {
            "import": import_only,
            "train": lambda: read_training(folder or Path(), batch_size, num_pairs),
            "prepare": lambda: prepare_text(data_dir or Path(), subwords or Path()),
            "files": lambda: prepare_files(subwords or Path(), folder or Path(), workers),
        }
        print(json.dumps(stages[one]()))
        return
    if (data_dir is None) != (subwords is None):
        raise UserError(f"--data-dir and --subwords go together. Received: {data_dir} and {subwords}")
    if scaling is not None and data_dir is None:
        raise UserError(f"--scaling goes with --data-dir and --subwords. Received: --scaling {scaling}")
    sizes = [size for text in millions.split(",") if (size := float(text))]
    rows = []
    if data_dir is not None:
        found = measured_in_a_process(
            __file__, "--one", "prepare", "--data-dir", str(data_dir), "--subwords", str(subwords)
        )
        rows.append(("preparation: pairs a second of processor time, one process", "", f"{found['pairs']:,.0f}"))
    if scaling is not None and data_dir is not None:
        with tempfile.TemporaryDirectory(dir=folder) as name:
            make_texts(data_dir, Path(name), scaling_pairs)
            shown = f"{scaling_pairs / 1e6:g}"
            numbers = [int(text) for text in scaling.split(",")]
            of = {}
            for number in numbers:
                options = ("--data-dir", str(data_dir), "--subwords", str(subwords), "--folder", name)
                of[number] = measured_in_a_process(__file__, "--one", "files", *options, "--workers", str(number))
                who = f"preparation by {number} process(es) on as many cores"
                rows += [
                    (f"{who}: pairs a second and core", shown, f"{of[number]['pairs'] / number:,.0f}"),
                    (f"{who}: pairs a second of processor time", shown, f"{of[number]['processor']:,.0f}"),
                    (f"{who}: peak memory of the runner, MiB", shown, f"{of[number]['peak'] / 2**20:,.0f}"),
                ]
            first, last = min(numbers), max(numbers)
            rates = {number: found["pairs"] / number for number, found in of.items()}
            what = f"a core of {last}, relative to {first}"
            rows += [
                (f"preparation: pairs a second, {what}", shown, f"{rates[last] / rates[first]:.0%}"),
                (
                    f"preparation: pairs a second of processor time, {what}",
                    shown,
                    f"{of[last]['processor'] / of[first]['processor']:.0%}",
                ),
            ]
    alone = measured_in_a_process(__file__, "--one", "import")["peak"]
    rows.append(("peak memory of TensorFlow alone, MiB", "", f"{alone / 2**20:,.0f}"))
    for size in sizes:
        with tempfile.TemporaryDirectory(dir=folder) as name:
            make_corpus(Path(name), int(size * 1e6))
            drop_from_page_cache(Path(name))
            found = measured_in_a_process(
                __file__,
                *("--one", "train", "--folder", name),
                *("--batch-size", str(batch_size), "--num-pairs", str(num_pairs)),
            )
        shown = f"{size:g}"
        rows += [
            ("start to the first batch, seconds", shown, f"{found['start']:.2f}"),
            ("start to the first batch, seconds of processor time", shown, f"{found['start processor']:.2f}"),
            ("peak memory beyond TensorFlow, MiB", shown, f"{(found['peak'] - alone) / 2**20:,.0f}"),
            ("tokens a second", shown, f"{found['tokens']:,.0f}"),
            ("tokens a second of processor time", shown, f"{found['processor']:,.0f}"),
            ("pairs a second", shown, f"{found['pairs']:,.0f}"),
        ]
    rows.append(("load of the machine over the last 15 minutes", "", f"{os.getloadavg()[2]:.1f}"))
    print_table(Console(), COLUMNS, rows)
    write_table(output, COLUMNS, rows)


if __name__ == "__main__":
    run_app(main)
