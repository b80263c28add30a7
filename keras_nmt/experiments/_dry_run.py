"""A few updates of an experiment: shapes, time and memory before the training."""

from __future__ import annotations

import dataclasses
import datetime
import tempfile
import time
from collections.abc import Callable

import keras
import tensorflow as tf

from keras_nmt.data import TrainingBatches
from keras_nmt.errors import check_backend
from keras_nmt.experiments.experiment import Experiment
from keras_nmt.experiments.learning_rates import warnings_of_learning_rate
from keras_nmt.experiments.results import subword_names
from keras_nmt.experiments.run_experiment import build, make_tokenizers, make_trainer, sides_of
from keras_nmt.files.process_resources import peak_memory
from keras_nmt.ids import END
from keras_nmt.models import ModelDirectory
from keras_nmt.training import Logging, make_strategy

UPDATES = 3  # measured, after the first one, whose graph is traced


def dry_run(experiment: Experiment, report: Callable[[str], None] = lambda line: print(line, flush=True)) -> None:
    """Prepares all that `run` prepares, and measures the largest updates and a few others; leaves nothing.

    Subwords, model and batches are those of the run; subwords that the run would train are trained, and forgotten. The
    first two updates have the batches of all directions with the most logits, and with the most pairs of positions, for
    attention; the others are updates of the run.

    Args:
        experiment: `Experiment`.
        report: Callable, gets each line: sentence pairs, parameters, shapes, time and memory. Defaults to printing.

    Raises:
        UserError: A file is missing or does not fit, or a setting is wrong.
    """
    check_backend("Training")
    experiment.check()
    e = experiment
    strategy = make_strategy(e.replicas)
    keras.utils.set_random_seed(e.seed)
    with tempfile.TemporaryDirectory() as temporary:
        own = ModelDirectory(e.directory)
        has_subwords = all((own.path / name).is_file() for name in subword_names(e).values())
        tokenizers = make_tokenizers(e, own if has_subwords else ModelDirectory(temporary), report)
        model, batches = build(e, tokenizers, strategy, report)
        for line in warnings_of_learning_rate(e, model.get_config()["hidden_dim"]):
            report(line)
        for layer in model.layers:
            if layer.count_params():
                report(f"  {layer.name:32}{layer.count_params():>14,} parameters")

        # The graphs of all directions are alike. The largest tensors are logits, or attentions of long sentences.
        largest = {}
        for direction in e.directions:
            if direction.name in batches:
                size = tokenizers[sides_of(e, direction)[1]].vocabulary_size
                largest[direction.name] = (*batches[direction.name].largest_shapes, size)
        name, ((rows, source, target), _, size) = max(
            largest.items(), key=lambda item: item[1][0][0] * item[1][0][2] * item[1][2]
        )
        longest = max((shapes[1] for shapes in largest.values()), key=lambda shape: shape[0] * max(shape[1:]) ** 2)
        report(
            f"Largest update, of {name}: source [{rows}, {source}], target [{rows}, {target}], "
            f"logits [{rows}, {target}, {size}]; longest: [{longest[0]}, {max(longest[1:])}]"
        )
        first_largest = _LargestFirst(batches[name], ((rows, source, target), longest))
        logging = Logging(every=e.log_every, report=lambda line: None)
        trainer = make_trainer(e, model, {name: first_largest}, strategy, temporary, evaluate=dict, logging=logging)
        (task,) = trainer.tasks
        iterator = trainer.make_batches(task)
        update = trainer.make_update(iterator.element_spec, task)
        report(f"Measuring the largest updates, whose graph is traced first, and {UPDATES} updates of the run")
        first = _seconds(update, iterator, 1)
        _seconds(update, iterator, 1)
        seconds = _seconds(update, iterator, UPDATES) / UPDATES
    report(f"{first:.1f} s for the first update, {seconds:.3g} s for each further update")
    if e.max_updates is not None:
        whole = datetime.timedelta(seconds=round(seconds * e.max_updates))
        report(f"{e.max_updates:,} updates take about {whole}, without evaluations and saves")
    if e.time_limit is not None:
        report(f"{e.time_limit:g} minutes are about {int(60 * e.time_limit / seconds):,} updates, without evaluations")
    report(f"Peak memory: {_peak() / 2**30:.2f} GiB")


@dataclasses.dataclass
class _LargestFirst:
    """The batches of a direction after batches of full rows of shapes (rows, source positions, target positions)."""

    batches: TrainingBatches
    shapes: tuple[tuple[int, int, int], ...]

    @property
    def num_pairs(self) -> int:
        return self.batches.num_pairs

    def dataset(
        self, start: int = 0, parts: int = 1, shard_index: int = 0, num_shards: int = 1
    ) -> tf.data.Dataset[dict[str, tf.Tensor]]:
        found = self.batches.dataset(start, parts, shard_index, num_shards)
        for all_rows, source, target in reversed(self.shapes):
            rows = -(-all_rows // parts)
            shapes = {"source": [rows, source], "target_input": [rows, target], "target_output": [rows, target]}
            part = {key: tf.fill(shape, END + 1) for key, shape in {**shapes, "line_numbers": [rows]}.items()}
            found = tf.data.Dataset.from_tensors(part).repeat(parts // num_shards).concatenate(found)
        return found


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
