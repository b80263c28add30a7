"""Training of subwords on a random sample of a corpus."""

from __future__ import annotations

import functools
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import apache_beam as beam
import numpy as np
from apache_beam.options.pipeline_options import PipelineOptions

from keras_nmt.files.atomic_files import errors_that_name
from keras_nmt.files.read_paired_blocks import read_paired_blocks
from keras_nmt.preparation.run_pipeline import failures_as_results, run_pipeline

MODEL = "sample.model"  # in the folder
Task = tuple[str, str, np.ndarray, str]


def train_on_sample(
    files: Sequence[tuple[str, str]],
    counts: Sequence[int],
    folder: Path,
    *,
    pairs: int,
    seed: int,
    options: PipelineOptions,
    **training: Any,
) -> Path:
    """Trains a subword model on both sides of a random sample of pairs, each pair of the corpus equally likely.

    The numbers of the sampled lines are drawn first, so memory grows with the sample alone. The same files, sample size
    and seed give the same model, with any number of processes.

    Args:
        files: Sequence of pairs of files, as `read_paired_blocks` reads them.
        counts: Sequence of integers, the number of lines of each pair of files.
        folder: Path, a folder that all workers share, for temporary files and the model.
        pairs: Integer, the number of pairs to sample.
        seed: Integer, seed of the sample.
        options: PipelineOptions.
        **training: Arguments of `train_subwords`.

    Returns:
        The path of the model, in `folder`.

    Raises:
        UserError: A file is unusable, or as `train_subwords`.
    """
    from keras_nmt.text import train_subwords  # imports TensorFlow

    ends = np.cumsum(counts)
    size = min(pairs, int(ends[-1]))
    chosen = np.sort(np.array(random.Random(seed).sample(range(int(ends[-1])), size), np.int64))
    bounds = [0, *np.searchsorted(chosen, ends).tolist()]
    tasks: list[Task] = [
        (*pair, chosen[begin:end] - (last - count), str(folder / f"{number:05d}.sample"))
        for number, (pair, begin, end, last, count) in enumerate(
            zip(files, bounds, bounds[1:], ends.tolist(), counts, strict=False)
        )
        if end > begin
    ]
    run_pipeline(options, folder, functools.partial(_sample_stage, tasks=tasks))
    samples = [Path(task[-1]) for task in tasks]
    model = train_subwords(samples, folder / MODEL, max_sentences=2 * size, **training)
    for path in samples:
        path.unlink()
    return model


def _sample_stage(pipeline: beam.Pipeline, tasks: Sequence[Task]) -> beam.PCollection:
    return (
        pipeline
        | "Samples" >> beam.Create(tasks)
        | "Spread samples" >> beam.Reshuffle()
        | "Sample" >> beam.FlatMap(_sampled)
    )


def _sampled(task: Task) -> Iterator[dict[str, Any]]:
    """Writes the chosen lines of both files to one file."""
    source, target, chosen, path = task
    with failures_as_results() as failures:
        first = 0
        with errors_that_name(path), open(path, "w", encoding="utf-8") as sample:
            for block in read_paired_blocks(source, target):
                here = chosen[(chosen >= first) & (chosen < first + len(block[0]))] - first
                sample.writelines(f"{side[i]}\n" for i in here.tolist() for side in block)
                first += len(block[0])
                if first > chosen[-1]:
                    break
        yield {"sampled": path}
    yield from failures
