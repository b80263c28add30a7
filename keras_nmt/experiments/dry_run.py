"""A few updates of an experiment on random sentences: shapes, time and memory before the training."""

from __future__ import annotations

import datetime
import itertools
import tempfile
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import keras
import numpy as np
import tensorflow as tf

from keras_nmt.data import ParallelCorpus, PreparedCorpus, TrainingBatches
from keras_nmt.experiments.directions import Direction, Sides, number_of_pairs
from keras_nmt.experiments.run_experiment import make_trainer
from keras_nmt.experiments.settings import as_user_errors
from keras_nmt.files.prepared_folder import prepared_side
from keras_nmt.files.process_resources import peak_memory
from keras_nmt.files.read_blocks import read_blocks
from keras_nmt.ids import END
from keras_nmt.training import Logging, make_strategy

if TYPE_CHECKING:
    from keras_nmt.experiments.experiment import Experiment

PAIRS = 1000  # pairs of the data whose lengths the random sentences have
CHARACTERS = 4  # of a subword, roughly
UPDATES = 3  # measured, after the first one, whose graph is traced


def dry_run(experiment: Experiment, report: Callable[[str], None]) -> None:
    """Runs a few updates of an experiment that has been checked. For arguments, see `Experiment.dry_run`.

    The model has the vocabulary sizes of the settings. The sentences are random ids, about as long as the first
    sentences of the data.
    """
    e = experiment
    strategy = make_strategy(e.replicas)
    keras.utils.set_random_seed(e.seed)
    trained = [direction for direction in e.directions if direction.corpora]
    for direction in trained:
        report(f"{direction.name}: {number_of_pairs(direction):,} pairs, {len(direction.corpora)} file pair(s)")
    with as_user_errors(), strategy.scope():
        model = e.make_model(e.vocabulary_sizes)
    for layer in model.layers:
        if layer.count_params():
            report(f"  {layer.name:32}{layer.count_params():>14,} parameters")
    report(f"{model.count_params():,} parameters, {strategy.num_replicas_in_sync} replica(s), {e.dtype}")

    direction = trained[0]  # the graphs of all directions are alike
    batches = _random_batches(e, direction)
    rows, source, target = max(batches.shapes, key=lambda shape: shape[0] * max(shape[1:]))
    size = e.vocabulary_sizes[e.sides[1] if e.architecture == "transformer" else direction.target]
    report(f"Largest update: source [{rows}, {source}], target [{rows}, {target}], logits [{rows}, {target}, {size}]")
    with tempfile.TemporaryDirectory() as folder:
        logging = Logging(every=e.log_every, report=lambda line: None)
        of_direction = {direction.name: batches}
        trainer = make_trainer(e, model, of_direction, strategy, folder, evaluate=dict, logging=logging)
        (name,) = trainer.tasks
        iterator = trainer.make_batches(name)
        update = trainer.make_update(iterator.element_spec, name)
        report(f"Measuring {UPDATES} updates; the first update is traced and takes longer")
        first = _seconds(update, iterator, 1)
        seconds = _seconds(update, iterator, UPDATES) / UPDATES
    report(f"{first:.1f} s for the first update, {seconds:.3g} s for each further update")
    if e.max_updates is not None:
        whole = datetime.timedelta(seconds=round(seconds * e.max_updates))
        report(f"{e.max_updates:,} updates take about {whole}, without evaluations and saves")
    if e.time_limit is not None:
        report(f"{e.time_limit:g} minutes are about {int(60 * e.time_limit / seconds):,} updates, without evaluations")
    report(f"Peak memory: {_peak() / 2**30:.2f} GiB")


def _random_batches(e: Experiment, direction: Direction) -> TrainingBatches:
    """Batches of random ids, with the lengths of the first sentences of a direction's first corpus."""
    generator = np.random.default_rng(e.seed)
    sides = e.sides if e.architecture == "transformer" else (direction.source, direction.target)
    longest = min(e.max_length, max(e.length_buckets or [e.max_length])) - 1  # without END
    columns = []
    for side, lengths in zip(sides, _first_lengths(direction.corpora[0]), strict=True):
        cut = np.minimum(lengths, longest)
        columns.append([generator.integers(END + 1, e.vocabulary_sizes[side], n).tolist() for n in cut])
    with as_user_errors():
        return TrainingBatches(
            ParallelCorpus.from_lists(*columns),
            batch_size=e.batch_size,
            batch_unit=e.batch_unit,
            length_buckets=e.length_buckets,
            seed=e.seed,
        )


def _first_lengths(files: Sides) -> list[Any]:
    """The numbers of subwords of each side's first sentences: of a text, an estimate; of a prepared corpus, exact."""
    if prepared_side(files[0]) is None:
        first = (itertools.islice(itertools.chain.from_iterable(read_blocks(path)), PAIRS) for path in files)
        return [[1 + len(line) // CHARACTERS for line in lines] for lines in first]
    corpus = PreparedCorpus(*files)
    pairs = corpus.select(np.arange(min(PAIRS, len(corpus))))
    return [pairs.source_lengths, pairs.target_lengths]


def _seconds(update: Callable, iterator: object, number: int) -> float:
    """The seconds of a number of updates."""
    start = time.monotonic()
    for _ in range(number):
        measurements = update(next(iterator)).measurements  # type: ignore[call-overload]
    measurements.numpy()
    return time.monotonic() - start


def _peak() -> int:
    """Peak memory in bytes: of the first GPU, or of this process where there is no GPU."""
    if tf.config.list_physical_devices("GPU"):
        return int(tf.config.experimental.get_memory_info("GPU:0")["peak"])
    return peak_memory()
