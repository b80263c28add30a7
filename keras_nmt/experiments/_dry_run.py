"""Dry runs: shapes, time and memory of an experiment, measured in a few updates before the training."""

from __future__ import annotations

import dataclasses
import tempfile
import time
from collections.abc import Callable

import keras
import tensorflow as tf

from keras_nmt.data import TrainingBatches
from keras_nmt.errors import check_backend
from keras_nmt.experiments.config import ExperimentConfig
from keras_nmt.experiments.results import has_other_subwords, subword_names
from keras_nmt.experiments.run_experiment import build, make_tokenizers, make_trainer
from keras_nmt.files.process_resources import peak_memory
from keras_nmt.ids import EOS
from keras_nmt.models import ModelDirectory
from keras_nmt.training import make_strategy
from keras_nmt.training.tasks import LINKS
from keras_nmt.training.training_log import show_duration

UPDATES = 3  # measured, after the first one, whose graph is traced


def dry_run(config: ExperimentConfig, report: Callable[[str], None] = lambda line: print(line, flush=True)) -> None:
    """Prepares everything that `run` prepares, and measures the largest updates and a few others. It leaves no files.

    Subwords, model and batches are those of the run. Subwords that the run would train are trained, and deleted at the
    end. The first update has the batch with the most logits, the second the batch with the most pairs of positions, on
    which attention depends. The others are updates of the run.

    Args:
        config: `ExperimentConfig`.
        report: Callable that gets each line: sentence pairs, parameters, shapes, time and memory. Defaults to printing.

    Raises:
        UserError: A file is missing or does not fit, or a setting is wrong.
    """
    check_backend("Training")
    training = config.training
    strategy = make_strategy(training.replicas)  # first, as in a run
    config.check()
    keras.utils.set_random_seed(training.update.seed)
    with tempfile.TemporaryDirectory() as temporary:
        folder = ModelDirectory(config.directory)
        has_subwords = all((folder.path / name).is_file() for name in subword_names(config).values())
        has_subwords = has_subwords and not has_other_subwords(config)
        tokenizers = make_tokenizers(config, folder if has_subwords else ModelDirectory(temporary), report)
        model, batches = build(config, tokenizers, strategy, report)
        for line in training.warnings(model.get_config()["hidden_dim"]):
            report(line)
        for layer in model.layers:
            if layer.count_params():
                report(f"  {layer.name:32}{layer.count_params():>14,} parameters")

        # All directions have the same graph. Its largest tensors are the logits, or the attention of long sentences.
        shapes = {name: of_direction.largest_shapes for name, of_direction in batches.items()}
        sizes = {d.name: tokenizers[d.sides[1]].vocabulary_size for d in config.directions}
        name = max(shapes, key=lambda name: shapes[name][0][0] * shapes[name][0][2] * sizes[name])
        (rows, source, target), size = shapes[name][0], sizes[name]
        longest = max((by_pairs for _, by_pairs in shapes.values()), key=lambda x: x[0] * max(x[1:]) ** 2)
        report(
            f"Largest update, of {name}: source [{rows}, {source}], target [{rows}, {target}], "
            f"logits [{rows}, {target}, {size}]; longest: [{longest[0]}, {max(longest[1:])}]"
        )
        first_largest = _LargestFirst(batches[name], ((rows, source, target), longest))
        logging = dataclasses.replace(training.logging, tensorboard=False, report=lambda line: None)
        trainer = make_trainer(
            config, model, {name: first_largest}, strategy, temporary, evaluate=dict, logging=logging
        )
        (task,) = trainer.tasks
        iterator = trainer.make_batches(task)
        update = trainer.make_update(iterator.element_spec, task)
        report(f"Measuring the largest updates, whose graph is traced first, and {UPDATES} updates of the run")
        first = _seconds(update, iterator, 1)
        _seconds(update, iterator, 1)
        seconds = _seconds(update, iterator, UPDATES) / UPDATES
    report(f"{first:.1f} s for the first update, {seconds:.3g} s for each further update")
    max_updates, time_limit = training.stop.max_updates, training.stop.time_limit
    if max_updates is not None:
        report(
            f"{max_updates:,} updates take about {show_duration(seconds * max_updates)}, without evaluations and saves"
        )
    if time_limit is not None:
        report(f"{time_limit:g} minutes are about {int(60 * time_limit / seconds):,} updates, without evaluations")
    if tf.config.list_physical_devices("GPU"):
        peak = int(tf.config.experimental.get_memory_info("GPU:0")["peak"])
    else:
        peak = peak_memory()  # of this process
    report(f"Peak memory: {peak / 2**30:.2f} GiB")


@dataclasses.dataclass
class _LargestFirst:
    """The batches of a direction, after one batch of full rows for each of `shapes`: rows, source and target length."""

    batches: TrainingBatches
    shapes: tuple[tuple[int, int, int], ...]

    @property
    def num_pairs(self) -> int:
        return self.batches.num_pairs

    def dataset(
        self, start: int = 0, parts: int = 1, shard_index: int = 0, num_shards: int = 1
    ) -> tf.data.Dataset[dict[str, tf.Tensor]]:
        batches = self.batches.dataset(start, parts, shard_index, num_shards)
        for all_rows, source, target in reversed(self.shapes):
            rows = -(-all_rows // parts)
            shapes = {"source": [rows, source], "target_input": [rows, target], "target_output": [rows, target]}
            part = {key: tf.fill(shape, EOS + 1) for key, shape in {**shapes, "line_numbers": [rows]}.items()}
            if LINKS in batches.element_spec:
                part[LINKS] = tf.zeros([rows, source], tf.int32)
            batches = tf.data.Dataset.from_tensors(part).repeat(parts // num_shards).concatenate(batches)
        return batches


def _seconds(update: Callable, iterator: object, number: int) -> float:
    """Returns the seconds that a number of updates take."""
    start = time.monotonic()
    for _ in range(number):
        measurements = update(next(iterator)).measurements  # type: ignore[call-overload]
    measurements.numpy()
    return time.monotonic() - start
