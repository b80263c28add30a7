"""The training loop."""

from __future__ import annotations

import collections
import dataclasses
import functools
import math
import os
import signal
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from keras_nmt.errors import UserError, check_backend
from keras_nmt.files.atomic_files import remove_leftovers
from keras_nmt.files.directory_lock import directory_lock
from keras_nmt.files.weights_file import read_weights
from keras_nmt.ids import PAD
from keras_nmt.models import ModelDirectory
from keras_nmt.training.average_checkpoints import average_checkpoints
from keras_nmt.training.checkpoints import Checkpoints, Progress
from keras_nmt.training.interruption import Interruption
from keras_nmt.training.label_smoothed_cross_entropy import LabelSmoothedCrossEntropy
from keras_nmt.training.task import Batches, Task
from keras_nmt.training.task_schedule import TaskSchedule
from keras_nmt.training.training_log import TrainingLog
from keras_nmt.training.warm_start import warm_start
from keras_nmt.training.workers import Workers

# What an update tells of itself, in the order of its vector of measurements. Sums are over the whole update.
MEASUREMENTS = ("loss", "nll", "extra_loss", "tokens", "sentences", "gradient_norm", "learning_rate", "loss_scale")
LOWER_IS_BETTER = ("loss", "nll", "perplexity", "ter")
FINALS = ("last", "best", "average_last", "average_best")
ONLY = "translation"  # the name of the one task where there are no others
# What one worker may want, and all do then. The delay is the number of updates between a wish and the look at it: long
# enough for the device to have got there, so that nobody waits.
WISHES = ("interruption", "time_limit", "callback")
WISH_DELAY = 4


@dataclasses.dataclass
class TrainingResult:
    """How a training run ended.

    Attributes:
        reason: "max_updates", "time_limit", "patience" or "callback".
        update: number of updates done.
        seconds: time spent training, evaluations included, over all starts of the run.
        best_update: the evaluated update with the best score, if there was an evaluation.
        best_score: that score.
        final_updates: the updates whose weights, averaged, are the final ones.
        final_metrics: the final weights' metrics, if there was an evaluation.
        weights: the file with the final weights.
    """

    reason: str
    update: int
    seconds: float
    best_update: int | None
    best_score: float | None
    final_updates: list[int]
    final_metrics: dict[str, float]
    weights: Path


class Trainer:
    """Trains a translation model, or one of several translation tasks, on one device or on several replicas.

    The loss of an update is exact over its whole batch: summed over all real target tokens of all micro-batches and
    replicas, divided by their number. However a batch is split over replicas and accumulation steps, the update is the
    same (dropout aside; with the same number of parts, that is replicas times accumulation steps, with dropout too).
    Extra losses that layers add with `add_loss` are taken as means over a batch's real sentences, or as independent of
    them, such as a regularizer's: a micro-batch's counts as many times as it has sentences of the whole update's.

    Under float16 the optimizer has to be a `keras.optimizers.LossScaleOptimizer`: an update whose gradient is not
    finite on any one replica is skipped on all, and the scale is halved. The log tells the scale and the skipped ones.

    With several tasks, each update is of one of them, which `TaskSchedule` chooses, and changes the variables of that
    task's model alone. The optimizer is shared: its number of updates is that of all tasks.

    Random numbers depend on where the run is, not on how it came there: before every micro-batch, the state of every
    SeedGenerator in the model is set from `seed`, the update, the micro-batch and the replica. A run that is stopped
    and started again with the same command goes on as if it had not been stopped.

    On several machines (`make_strategy`) every worker runs the same program and reads the same data and the same
    directory, and the chief alone writes, evaluates and reports. A worker that wants to stop takes the others with
    it, a few updates later; one that dies ends the others with an error. Started again, the run goes on.

    `directory` gets `checkpoints/` (see `Checkpoints`), `training_log.jsonl` (one JSON object every `log_every` updates
    and one an evaluation), at the end `model.weights.h5`, and, if wanted, `tensorboard/`. If it has a checkpoint, the
    run goes on from there. On Ctrl-C and SIGTERM the run is saved and the program exits (`SystemExit`).

    Keras callbacks see an evaluation round (`evaluate_every` updates, without an evaluation `save_every`) as an epoch,
    whose logs are the training metrics and, prefixed with `val_`, the evaluation's. `on_train_batch_end` is called
    after every update, with the logs of the last line of the log, so that no update waits for its numbers:
    `log_every=1` makes them those of the update. `model.stop_training` ends the run.

    Args:
        model: model `[source, target_input] -> logits`, made in the strategy's scope. With tasks, the model that has
            all their layers, which need not be callable: it is what is saved and restored.
        data: the batches; see `keras_nmt.data.TrainingBatches`. Or several tasks, with their models and batches.
        directory: the model directory.
        optimizer: the optimizer, made in the strategy's scope; see `make_optimizer`. What it clips (`clipnorm`,
            `global_clipnorm`, `clipvalue`) is the gradient of the whole update.
        strategy: the distribution strategy; see `make_strategy`. None: one device.
        accumulation_steps: number of micro-batches an update's batch is cut into on each replica.
        label_smoothing: probability spread over the whole vocabulary.
        normalize_by: "tokens" or "sentences": what the summed token loss is divided by.
        jit_compile: whether XLA compiles forward and backward pass, once a batch shape, which takes
            some seconds each. Made for GPUs; on several cores of a CPU about a fifth faster, on one no faster.
        seed: the seed of everything random in the model while it trains.
        evaluate: evaluates the model as it is, and returns metrics by name.
        evaluate_every: number of updates between evaluations; needed with `evaluate`. The run is saved at each.
        save_every: number of updates between saves; by default `evaluate_every`, else 1000.
        keep_last: number of last saves whose weights are kept.
        keep_best: number of best saves whose weights are kept.
        best_metric: the metric of `evaluate` that tells which weights are best. Higher is better, but for "loss",
            "nll", "perplexity" and "ter".
        patience: number of evaluations without a new best after which the run ends. None: never.
        callbacks: Keras callbacks.
        tensorboard: whether to write what the log says for TensorBoard too.
        max_updates: number of updates after which the run ends.
        time_limit: seconds after which the run ends: time in this loop, saves and evaluations of the development set
            included, over all starts of the run; the last evaluation and the averaging come after it.
        init_from: a model, or a model directory, whose weights to start from, where there is no checkpoint to go on
            from; see `warm_start`.
        allow_new: see `warm_start`.
        allow_unused: see `warm_start`.
        final: the final weights: "last", "best", or the mean of the `average` last or best: "average_last",
            "average_best".
        average: number of checkpoints averaged; by default all that are kept.
        log_every: number of updates between lines of the log.
        report: gets each line of progress.

    Raises:
        UserError: if the arguments do not go together.

    Example: training on random sentences for three updates.

    >>> import tempfile
    >>> from keras_nmt.data import ParallelCorpus, TrainingBatches
    >>> from keras_nmt.models import Transformer
    >>> corpus = ParallelCorpus.from_lists([[4, 5], [6]], [[7], [8, 9]])
    >>> trainer = Trainer(
    ...     Transformer.from_preset("transformer_tiny", source_vocabulary_size=16),
    ...     TrainingBatches(corpus, batch_size=2, batch_unit="sentences", seed=1),
    ...     tempfile.mkdtemp(),
    ...     optimizer=keras.optimizers.Adam(),
    ...     max_updates=3,
    ...     report=lambda line: None,
    ... )
    >>> trainer.train().update
    3
    """

    def __init__(
        self,
        model: keras.Model,
        data: Batches | Sequence[Task],
        directory: str | os.PathLike[str],
        *,
        optimizer: keras.optimizers.Optimizer,
        strategy: tf.distribute.Strategy | None = None,
        accumulation_steps: int = 1,
        label_smoothing: float = 0.1,
        normalize_by: str = "tokens",
        jit_compile: bool = False,
        seed: int = 0,
        evaluate: Callable[[], dict[str, float]] | None = None,
        evaluate_every: int | None = None,
        save_every: int | None = None,
        keep_last: int = 5,
        keep_best: int = 1,
        best_metric: str = "bleu",
        patience: int | None = None,
        callbacks: Sequence[keras.callbacks.Callback] = (),
        tensorboard: bool = False,
        max_updates: int | None = None,
        time_limit: float | None = None,
        init_from: keras.Model | str | os.PathLike[str] | None = None,
        allow_new: Sequence[str] = (),
        allow_unused: Sequence[str] = (),
        final: str = "average_last",
        average: int | None = None,
        log_every: int = 100,
        report: Callable[[str], None] = lambda line: print(line, flush=True),
    ) -> None:
        check_backend("Training")
        if normalize_by not in ("tokens", "sentences"):
            raise UserError(
                f'The loss is normalised by "tokens" or "sentences". Received: normalize_by={normalize_by!r}'
            )
        if final not in FINALS:
            raise UserError(f"The final weights are one of {FINALS}. Received: final={final!r}")
        if (evaluate is None) != (evaluate_every is None):
            raise UserError(f"evaluate and evaluate_every go together. Received: evaluate_every={evaluate_every}")
        if evaluate is None and (patience is not None or final in ("best", "average_best")):
            raise UserError(f"The best weights need evaluate. Received: patience={patience}, final={final!r}")
        if max_updates is None and time_limit is None and patience is None and not callbacks:
            raise UserError("Nothing would end the training: give max_updates, time_limit or patience. Received: none")
        if (keep_last if final.endswith("last") else keep_best) < 1:
            raise UserError(
                "The checkpoints for the final weights are not kept. "
                f"Received: final={final!r}, keep_last={keep_last}, keep_best={keep_best}"
            )
        for name, number in {
            "accumulation_steps": accumulation_steps,
            "log_every": log_every,
            "evaluate_every": evaluate_every,
            "save_every": save_every,
            "average": average,
        }.items():
            if number is not None and number < 1:
                raise UserError(f"It must be at least 1. Received: {name}={number}")
        tasks = list(data) if isinstance(data, Sequence) else [Task(name=ONLY, model=model, data=data)]
        is_scaled = isinstance(optimizer, keras.optimizers.LossScaleOptimizer)
        if not is_scaled and any(layer.compute_dtype == "float16" for task in tasks for layer in task.model.layers):
            raise UserError(
                "Gradients of float16 vanish without loss scaling: wrap the optimizer in "
                f"keras.optimizers.LossScaleOptimizer. Received: optimizer={type(optimizer).__name__}"
            )

        self.model = model
        self.data = data
        self.tasks = {task.name: task for task in tasks}
        self.directory = Path(directory)
        self.optimizer = optimizer
        self._scaler = optimizer if is_scaled else None
        self.strategy = strategy or tf.distribute.get_strategy()
        self.workers = Workers(self.strategy)
        self.accumulation_steps = accumulation_steps
        self.loss = LabelSmoothedCrossEntropy(label_smoothing)
        self.normalize_by = normalize_by
        self.jit_compile = jit_compile
        self.seed = seed
        self.evaluate = evaluate
        self.evaluate_every = evaluate_every
        self.save_every = save_every or evaluate_every or 1000
        self.keep_last = keep_last
        self.keep_best = keep_best
        self.best_metric = best_metric
        self.patience = patience
        self.callbacks = list(callbacks)
        self.tensorboard = tensorboard
        self.max_updates = max_updates
        self.time_limit = time_limit
        self.init_from = init_from
        self.allow_new = allow_new
        self.allow_unused = allow_unused
        self.final = final
        self.average = average
        self.log_every = log_every
        self.report = report if self.workers.is_chief else lambda line: None

        self.num_replicas: int = self.strategy.num_replicas_in_sync
        self.parts = self.num_replicas * accumulation_steps
        self.num_traces = 0  # of updates, one a task; every new one costs seconds
        self.schedule = TaskSchedule({task.name: task.weight for task in tasks})
        self.progress = Progress(task_updates=dict.fromkeys(self.tasks, 0))
        self.log = TrainingLog(self.directory / "training_log.jsonl")

        # By task: what it trains, and the states of what is random in it.
        self._variables = {task.name: list(task.model.trainable_variables) for task in tasks}
        self._seed_states = {
            task.name: [v for v in task.model.variables if v.path.endswith("seed_generator_state")] for task in tasks
        }
        self._check_tasks(tasks)
        with self.strategy.scope():
            if not optimizer.built:
                optimizer.build(model.trainable_variables)
            if not model.compiled:
                model.compile(optimizer=optimizer)  # Keras callbacks look for `model.optimizer`
        self._forward_backward = (
            tf.function(self._micro_batch, jit_compile=True, autograph=False) if jit_compile else self._micro_batch
        )
        # Updates whose measurements have not been fetched yet: the task, the number of its updates before, and these.
        self._pending: list[tuple[str, int, tf.Tensor]] = []
        # What this worker wants, and the measurements whose wishes have not been looked at.
        self._wishes = tf.Variable(tf.zeros([len(WISHES)]), trainable=False)
        self._wished: collections.deque[tf.Tensor] = collections.deque()
        self._logs: dict[str, float] = {}
        self._interval = _Stopwatch()
        self._round_length = self.evaluate_every or self.save_every  # of the callbacks' epochs, in updates
        self._in_round = False
        self._began = 0.0  # what the clock would have said when the run began, had it never been stopped
        self._writer: tf.summary.SummaryWriter | None = None

    def _check_tasks(self, tasks: list[Task]) -> None:
        if not self.model.built:
            raise UserError(f"A model that is not built cannot be saved. Received: model={self.model.name!r}")
        if len(self.tasks) < len(tasks):
            raise UserError(f"The names of the tasks must differ. Received: {[task.name for task in tasks]}")
        known = {id(variable) for variable in self.model.trainable_variables}
        for name, variables in self._variables.items():
            foreign = [variable.path for variable in variables if id(variable) not in known]
            if foreign:
                raise UserError(
                    f"The model lacks {len(foreign)} of the variables that task {name!r} trains. "
                    f"Received: {', '.join(foreign[:5])}"
                )
            if not variables:
                raise UserError(f"A task has nothing to train. Received: task={name!r}")

    # One update, in the graph.

    def _micro_batch(
        self,
        name: str,
        source: tf.Tensor,
        target_input: tf.Tensor,
        target_output: tf.Tensor,
        normalizer: tf.Tensor,
        sentences: tf.Tensor,
    ) -> tuple[list[tf.Tensor], tf.Tensor]:
        """Forward and backward pass of a task's micro-batch, [n, S] and [n, T].

        `normalizer` and `sentences` are of the whole update, so that gradients only have to be summed.

        Returns:
            The gradients, float32, times the loss scale where there is one, and the sums [3] of loss, negative
            log-probability and extra loss.
        """
        model = self.tasks[name].model
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            values = [variable.value for variable in self._variables[name]]
            tape.watch(values)
            logits = model([source, target_input], training=True)  # [n, T, V]
            losses, nlls = self.loss.terms(target_output, logits)  # [n, T] each
            loss = tf.reduce_sum(losses)
            here = tf.reduce_sum(tf.cast(target_output[:, 0] != PAD, "float32"))  # sentences of the micro-batch
            extra_loss = here * tf.add_n([tf.zeros([])] + [tf.cast(x, "float32") for x in model.losses])
            objective = loss / normalizer + extra_loss / sentences
            if self._scaler is not None:
                objective = self._scaler.scale_loss(objective)
        gradients = tape.gradient(objective, values, unconnected_gradients=tf.UnconnectedGradients.ZERO)
        gradients = [tf.cast(tf.convert_to_tensor(gradient), "float32") for gradient in gradients]
        return gradients, tf.stack([loss, tf.reduce_sum(nlls), extra_loss])

    def _set_seeds(self, update: tf.Tensor, part: tf.Tensor, name: str = ONLY) -> None:
        """Sets a task's SeedGenerators from the update and the part of its batch; different for each of them."""
        seed_states = self._seed_states[name]
        if not seed_states:
            return
        key = tf.stack([tf.constant(self.seed, "int64"), tf.cast(update, "int64")])
        key = tf.random.experimental.stateless_fold_in(key, tf.cast(part, "int64"), alg="philox")
        states = tf.random.stateless_uniform(
            [len(seed_states), 2], key, minval=None, maxval=None, dtype=tf.uint32, alg="philox"
        )
        for variable, state in zip(seed_states, tf.unstack(states), strict=True):
            variable.value.assign(tf.cast(state, variable.value.dtype))

    def _all_reduce(self, tensors: list[tf.Tensor]) -> list[tf.Tensor]:
        """Sums over replicas."""
        if self.num_replicas == 1:
            return tensors
        context = tf.distribute.get_replica_context()
        return list(context.all_reduce(tf.distribute.ReduceOp.SUM, tensors))

    def _replica_update(self, name: str, batch: dict[str, tf.Tensor]) -> tf.Tensor:
        """One replica's share of a task's update: micro-batches [accumulation, n, S] and [accumulation, n, T]."""
        context = tf.distribute.get_replica_context()
        update = tf.convert_to_tensor(self.optimizer.iterations)
        first_part = tf.cast(context.replica_id_in_sync_group, "int64") * self.accumulation_steps
        real = tf.cast(batch["target_output"] != PAD, "float32")  # [accumulation, n, T]
        tokens, sentences = self._all_reduce([tf.reduce_sum(real), tf.reduce_sum(real[..., 0])])
        normalizer = tokens if self.normalize_by == "tokens" else sentences

        def micro_batch(index: tf.Tensor | int) -> tuple[list[tf.Tensor], tf.Tensor]:
            self._set_seeds(update, first_part + tf.cast(index, "int64"), name)
            source, target_input, target_output = (
                batch[key][index] for key in ("source", "target_input", "target_output")
            )
            return self._forward_backward(name, source, target_input, target_output, normalizer, sentences)

        if self.accumulation_steps == 1:
            gradients, sums = micro_batch(0)
        else:
            # A loop, not a Python one: TensorFlow would run unrolled micro-batches at once and need all their memory.
            def accumulate(index: tf.Tensor, gradients: list[tf.Tensor], sums: tf.Tensor) -> tuple[Any, ...]:
                more_gradients, more_sums = micro_batch(index)
                return index + 1, [a + b for a, b in zip(gradients, more_gradients, strict=True)], sums + more_sums

            zeros = [tf.zeros(variable.shape) for variable in self._variables[name]]
            _, gradients, sums = tf.while_loop(
                lambda index, *_: index < self.accumulation_steps,
                accumulate,
                (tf.constant(0), zeros, tf.zeros([3])),
                parallel_iterations=1,
            )
        sums, *gradients = self._all_reduce([sums, *gradients])
        scale = tf.ones([])
        if self._scaler is not None:
            scale = tf.convert_to_tensor(self._scaler.dynamic_scale)
        norm = tf.linalg.global_norm(gradients) / scale
        learning_rate = tf.cast(tf.convert_to_tensor(self.optimizer.learning_rate), "float32")
        if self.num_replicas > 1:
            # Keras' optimizer clips each replica's gradients and then sums them over replicas: the wrong way round.
            # So they come to it summed and clipped; shared out evenly, its sum gives them back, and its own clipping
            # finds nothing to do. Also, whether they are finite is the same on all replicas, which loss scaling needs.
            if self._scaler is not None:
                gradients = [gradient / scale for gradient in gradients]
            gradients = [gradient * (scale / self.num_replicas) for gradient in self._clip(gradients, norm)]
        self.optimizer.apply(gradients, self._variables[name])
        measurements = tf.stack([*tf.unstack(sums), tokens, sentences, norm, learning_rate, scale])
        if self.workers.number > 1:
            measurements = tf.concat([measurements, *self._all_reduce([tf.identity(self._wishes)])], 0)
        return measurements

    def _clip(self, gradients: list[tf.Tensor], norm: tf.Tensor) -> list[tf.Tensor]:
        """Clips as the optimizer says."""
        optimizer = self.optimizer if self._scaler is None else self._scaler.inner_optimizer
        if optimizer.global_clipnorm:
            return list(tf.clip_by_global_norm(gradients, optimizer.global_clipnorm, use_norm=norm)[0])
        if optimizer.clipnorm:
            return [tf.clip_by_norm(gradient, optimizer.clipnorm) for gradient in gradients]
        if optimizer.clipvalue:
            limit = optimizer.clipvalue
            return [tf.clip_by_value(gradient, -limit, limit) for gradient in gradients]
        return gradients

    def make_update(self, batch_spec: Any, name: str = ONLY) -> Callable[[Any], tf.Tensor]:
        """One update as a graph, which `train` runs batch after batch.

        Args:
            batch_spec: Specifications of a batch's tensors by name, as `TrainingBatches.dataset` gives them.
            name: the name of the task; only where the trainer has been given tasks.

        Returns:
            A function of such a batch, or of one of each replica, that gives the update's `MEASUREMENTS`.
        """

        # Lengths and rows are unknown in the signature, so that one trace serves all batch shapes. A partial, since
        # TensorFlow takes several functions of the same code for one that is traced again and again, and warns.
        return tf.function(functools.partial(self._update, name), input_signature=[batch_spec], autograph=False)

    def _update(self, name: str, batch: Any) -> tf.Tensor:
        self.num_traces += 1
        measurements = self.strategy.run(self._replica_update, args=(name, batch))
        return self.strategy.experimental_local_results(measurements)[0]

    def make_batches(self, name: str = ONLY) -> Any:
        """The batches that `train` feeds to a task's updates, from its present one on.

        Args:
            name: the name of the task; only where the trainer has been given tasks.

        Returns:
            An iterator whose elements are of [accumulation, n, length] on each replica.
        """
        data, start = self.tasks[name].data, self.progress.task_updates[name]

        def shard(context: tf.distribute.InputContext) -> tf.data.Dataset:
            dataset = data.dataset(
                start, parts=self.parts, shard_index=context.input_pipeline_id, num_shards=context.num_input_pipelines
            )
            dataset = dataset.map(lambda element: {key: element[key] for key in element if key != "line_numbers"})
            return dataset.batch(self.accumulation_steps, drop_remainder=True).prefetch(2)

        return iter(self.strategy.distribute_datasets_from_function(shard))

    # The run.

    def train(self) -> TrainingResult:
        """Trains until something ends the run, and writes the final weights.

        Returns:
            How it ended.

        Raises:
            UserError: if the loss or the gradient is not finite; the last checkpoint is left as it is. Also, if a
                checkpoint cannot be restored, `init_from` does not fit, or another process trains in the folder.
            SystemExit: after an interruption; the run has been saved.
        """
        if not self.workers.is_chief:
            return self._train()
        with directory_lock(self.directory):
            remove_leftovers(self.directory)
            return self._train()

    def _train(self) -> TrainingResult:
        checkpoints = self._start()
        if self.tensorboard and self.workers.is_chief:
            self._writer = tf.summary.create_file_writer(str(self.directory / "tensorboard"))
        try:
            with self.workers.errors(), Interruption() as interruption:
                reason = self._loop(checkpoints, interruption)
                result = self._finish(reason)
                self.workers.wait()  # a worker that leaves ends the others
                if interruption.signal is not None:
                    raise SystemExit(128 + interruption.signal)
                return result
        finally:
            if self._writer is not None:
                self._writer.close()

    def _start(self) -> Checkpoints:
        """Goes on from the last checkpoint, or starts the run."""
        with self.workers.chief_first():
            checkpoints = self._restore()
        update = self.workers.from_chief(self.progress.update)
        if update != self.progress.update:
            raise UserError(
                "The workers have to share one directory, and this one does not see the chief's. Received: "
                f"directory={self.directory}, update {self.progress.update} here, update {update} there"
            )
        if self.workers.is_chief:
            self.log.truncate(self.progress.update, self.progress.settled)
        return checkpoints

    def _restore(self) -> Checkpoints:
        checkpoints = Checkpoints(
            self.directory / "checkpoints",
            self.model,
            self.optimizer,
            keep_last=self.keep_last,
            keep_best=self.keep_best,
            higher_is_better=self.best_metric not in LOWER_IS_BETTER,
            read_only=not self.workers.is_chief,
        )
        progress = checkpoints.restore(self.report)
        if progress is not None:
            # Without tasks it is from before they were counted: of the only one.
            progress.task_updates = progress.task_updates or {ONLY: progress.update}
            if set(progress.task_updates) != set(self.tasks):
                raise UserError(
                    "The checkpoint is that of other tasks: give the tasks it was made with, or another directory. "
                    f"Received: tasks={list(self.tasks)}, of the checkpoint={list(progress.task_updates)}"
                )
            self.progress = progress
            self.report(f"Going on from update {progress.update:,} in {self.directory}")
        elif self.init_from is not None:
            source = self.init_from
            if not isinstance(source, keras.Model):
                source = ModelDirectory(source).load_model(dtype="float32")
            with self.strategy.scope():
                result = warm_start(self.model, source, allow_new=self.allow_new, allow_unused=self.allow_unused)
            self.report(result.summary())
        return checkpoints

    def _loop(self, checkpoints: Checkpoints, interruption: Interruption) -> str:
        progress = self.progress
        iterators = {name: self.make_batches(name) for name in self.tasks}
        update_functions = {name: self.make_update(iterators[name].element_spec, name) for name in self.tasks}
        callbacks = keras.callbacks.CallbackList(
            self.callbacks,
            model=self.model,
            epochs=-(-self.max_updates // self._round_length) if self.max_updates else 1,
            steps=self._round_length,
            verbose=0,
        )
        self.model.stop_training = False
        self._interval = _Stopwatch()
        callbacks.on_train_begin()
        self._began = time.monotonic() - progress.seconds
        self._in_round = False
        reason = self._reason_to_stop(self._own_wishes())  # what the checkpoint says, to all workers
        if progress.settled < progress.update:  # the run ended before it had done what was due
            reason = self._settle(checkpoints, callbacks, reason)
        while reason is None:
            if not self._in_round:
                callbacks.on_epoch_begin(progress.update // self._round_length)
                self._in_round = True
            if self.callbacks:
                callbacks.on_train_batch_begin(progress.update)
            name = self.schedule.next(progress.task_updates)
            measurements = update_functions[name](next(iterators[name]))
            if self.workers.number > 1:
                self._wished.append(measurements)
            self._pending.append((name, progress.task_updates[name], measurements))
            progress.task_updates[name] += 1
            progress.update += 1
            progress.seconds = time.monotonic() - self._began
            if progress.update % self.log_every == 0:
                self._log()
            if self.callbacks:
                callbacks.on_train_batch_end(progress.update - 1, self._logs)

            reason = self._reason_to_stop(self._agreed_wishes(self._own_wishes(interruption)))
            if reason == "interruption":
                self._fetch()
                path = checkpoints.save_state(progress)
                number = interruption.signal or signal.SIGTERM  # or another worker's
                self.report(f"Stopped by {number.name}: update {progress.update:,} is saved in {path}")
                self.workers.wait()
                raise SystemExit(128 + number)
            reason = self._settle(checkpoints, callbacks, reason)
        callbacks.on_train_end(self._logs)
        return reason

    def _settle(
        self, checkpoints: Checkpoints, callbacks: keras.callbacks.CallbackList, reason: str | None
    ) -> str | None:
        """What is due after an update, all of it where the run ends: evaluate, save, end a round of the callbacks.

        Returns:
            Why the run ends now, if it does: what is due may give a reason, too.
        """
        progress = self.progress
        metrics: dict[str, float] = {}
        is_evaluated = self.evaluate_every is not None and (reason or progress.update % self.evaluate_every == 0)
        is_saved = is_evaluated or reason or progress.update % self.save_every == 0
        if is_saved:
            self._fetch()
            self._interval.pause()
        if is_evaluated:
            checkpoints.save_state(progress)  # whatever happens in the evaluation, which may take long
            metrics = self._evaluate()
            progress.seconds = time.monotonic() - self._began
            self._log_metrics(metrics)
        progress.settled = progress.update
        if is_saved:
            checkpoints.save(progress, metrics.get(self.best_metric))
            self._interval.resume()
        if reason or progress.update % self._round_length == 0:
            if not self._in_round:
                callbacks.on_epoch_begin((progress.update - 1) // self._round_length)
            logs = {**self._logs, **{f"val_{name}": value for name, value in metrics.items()}}
            callbacks.on_epoch_end((progress.update - 1) // self._round_length, logs)
            self._in_round = False
        progress.seconds = time.monotonic() - self._began
        # Weights that the run ends with have been evaluated, if any are.
        may_end = is_evaluated or (is_saved and self.evaluate_every is None)
        if reason is None and may_end:
            reason = self._reason_to_stop(self._own_wishes() if self.workers.number == 1 else ())
        return reason

    def _reason_to_stop(self, wishes: Sequence[str]) -> str | None:
        """Why the run ends now, if it does; given wishes, all workers come to the same."""
        progress = self.progress
        if "interruption" in wishes:
            return "interruption"
        if self.max_updates is not None and progress.update >= self.max_updates:
            return "max_updates"
        if self.patience is not None and progress.evaluations_since_best >= self.patience:
            return "patience"
        return wishes[0] if wishes else None

    def _own_wishes(self, interruption: Interruption | None = None) -> list[str]:
        """Reasons to stop, of `WISHES`, that another worker does not know of."""
        is_wished = {
            "interruption": interruption is not None and interruption.signal is not None,
            "time_limit": self.time_limit is not None and self.progress.seconds >= self.time_limit,
            "callback": bool(self.model.stop_training),
        }
        return [name for name in WISHES if is_wished[name]]

    def _agreed_wishes(self, own: list[str]) -> list[str]:
        """What any worker wanted some updates ago: all hear of it after the same update."""
        if self.workers.number == 1:
            return own
        self._wishes.assign([float(name in own) for name in WISHES])
        if len(self._wished) < WISH_DELAY:
            return []
        sums = self._wished.popleft()[len(MEASUREMENTS) :].numpy()
        return [name for name, number in zip(WISHES, sums, strict=True) if number > 0]

    def _evaluate(self) -> dict[str, float]:
        """Evaluates the model as it is and keeps account of the best."""
        assert self.evaluate is not None
        metrics = self._metrics()
        if self.best_metric not in metrics:
            raise UserError(
                "The evaluation does not give the metric that tells the best weights. "
                f"Received: best_metric={self.best_metric!r}, metrics={sorted(metrics)}"
            )
        progress, score = self.progress, metrics[self.best_metric]
        sign = -1 if self.best_metric in LOWER_IS_BETTER else 1
        if progress.best_score is None or sign * score > sign * progress.best_score:
            progress.best_score, progress.best_update = score, progress.update
            progress.evaluations_since_best = 0
        else:
            progress.evaluations_since_best += 1
        return metrics

    def _metrics(self) -> dict[str, float]:
        """The metrics of the model as it is: the chief evaluates, the others hear of it."""
        assert self.evaluate is not None
        metrics = self.evaluate() if self.workers.is_chief else {}
        told = self.workers.from_chief({name: float(value) for name, value in metrics.items()})
        return dict(told)

    def _finish(self, reason: str) -> TrainingResult:
        """Writes the final weights and leaves them in the model."""
        weights = self.directory / "model.weights.h5"
        which = "last" if self.final.endswith("last") else "best"
        kept = self.keep_last if which == "last" else self.keep_best
        number = min(self.average or kept, kept) if self.final.startswith("average") else 1
        updates = None
        if self.workers.is_chief:
            updates = average_checkpoints(self.directory, which=which, number=number, output=weights)
        updates = self.workers.from_chief(updates)
        with self.strategy.scope():
            read_weights(weights, self.model)
        metrics: dict[str, float] = {}
        if self.evaluate is not None:
            metrics = self._metrics()
            self._log_metrics(metrics, final=updates)
        self.report(f"Final weights ({reason}): updates {', '.join(map(str, updates))}, in {weights}")
        progress = self.progress
        return TrainingResult(
            reason,
            progress.update,
            progress.seconds,
            progress.best_update,
            progress.best_score,
            updates,
            metrics,
            weights,
        )

    # Measurements.

    def _fetch(self) -> None:
        """Fetches the measurements of the updates since the last time, and adds them up.

        The one place where the loop waits for the device. Nothing is saved without it, so nothing is saved after an
        update that was not finite.
        """
        first = self.progress.update - len(self._pending)
        rows = [
            (name, number, dict(zip(MEASUREMENTS, map(float, vector.numpy()), strict=False)))
            for name, number, vector in self._pending
        ]
        self._pending.clear()
        sums = self.progress.pending
        for update, (name, number, row) in enumerate(rows, first):
            skipped = self._scaler is not None and not math.isfinite(row["gradient_norm"]) and row["loss_scale"] >= 1
            if skipped:  # the scale was too large for float16: the optimizer halved it and changed nothing else
                sums["skipped"] = sums.get("skipped", 0) + 1
                row["gradient_norm"] = sums.get("gradient_norm", 0.0)
            if not all(math.isfinite(value) for value in row.values()):
                self._refuse(update, name, number, row)
            task_sums = self.progress.task_pending.setdefault(name, {})
            for key in ("loss", "nll", "extra_loss", "tokens", "sentences"):
                sums[key] = sums.get(key, 0.0) + row[key]
                task_sums[key] = task_sums.get(key, 0.0) + row[key]
            sums["updates"] = sums.get("updates", 0) + 1
            for key in ("gradient_norm", "learning_rate", "loss_scale"):
                sums[key] = row[key]
            self.progress.tokens += int(row["tokens"])
            self._interval.tokens += row["tokens"]

    def _refuse(self, update: int, name: str, number: int, row: dict[str, float]) -> None:
        """Ends the run at an update that is not finite, telling which lines the task's batch `number` holds."""
        parts = self.tasks[name].data.dataset(number, parts=self.parts).take(self.parts)
        lines = np.concatenate([part["line_numbers"].numpy() for part in parts])
        lines = np.sort(lines[lines >= 0])
        shown = ", ".join(map(str, lines[:20])) + (f" and {len(lines) - 20} more" if len(lines) > 20 else "")
        numbers = ", ".join(f"{key}={row[key]:g}" for key in ("loss", "extra_loss", "gradient_norm", "learning_rate"))
        of_task = f" of task {name!r}" if len(self.tasks) > 1 else ""
        raise UserError(
            f"The loss or the gradient is not finite at update {update + 1}{of_task}, whose batch holds line numbers "
            f"{shown}, counted through all files of its data. The last checkpoint is left as it was; a lower learning "
            "rate or clipping may help. "
            f"Received: {numbers}"
        )

    def _mean_loss(self, sums: dict[str, float]) -> float:
        """The loss, extra losses included, of sums over updates."""
        return sums["loss"] / sums[self.normalize_by] + sums["extra_loss"] / sums["sentences"]

    def _log(self) -> None:
        """Writes and prints the means since the last line."""
        self._fetch()
        progress, sums = self.progress, self.progress.pending
        self._logs = {
            "loss": self._mean_loss(sums),
            "perplexity": math.exp(min(sums["nll"] / sums["tokens"], 100.0)),
            "learning_rate": sums["learning_rate"],
            "gradient_norm": sums["gradient_norm"],
            "tokens_per_second": self._interval.rate(),
        }
        if self._scaler is not None:
            self._logs |= {"loss_scale": sums["loss_scale"], "skipped_updates": sums.get("skipped", 0)}
        if sums["extra_loss"]:
            self._logs["extra_loss"] = sums["extra_loss"] / sums["sentences"]
        task_losses: dict[str, float] = {}  # of the tasks that had an update
        if len(self.tasks) > 1:
            pending = progress.task_pending
            task_losses = {name: self._mean_loss(pending[name]) for name in self.tasks if name in pending}
        left = self._seconds_left(sums["updates"])
        progress.pending, progress.task_pending = {}, {}
        self._interval.restart()
        self._append(
            {
                "update": progress.update,
                **self._logs,
                **({"task_loss": task_losses} if task_losses else {}),
                "tokens": progress.tokens,
                "seconds": round(progress.seconds, 3),
            }
        )
        self._write_summary({**self._logs, **{f"task_loss/{name}": loss for name, loss in task_losses.items()}})
        total = f"/{self.max_updates:,}" if self.max_updates else ""
        self.report(
            f"update {progress.update:,}{total}  loss {self._logs['loss']:.4f}  "
            f"perplexity {self._logs['perplexity']:.2f}  {self._logs['tokens_per_second']:,.0f} tokens/s  "
            f"learning rate {self._logs['learning_rate']:.3g}  "
            f"gradient {self._logs['gradient_norm']:.3f}" + (f"  {_clock(left)} left" if left is not None else "")
        )

    def _log_metrics(self, metrics: dict[str, float], final: list[int] | None = None) -> None:
        """Writes and prints an evaluation: of the present update, or of the `final` weights."""
        named = {f"val_{name}": value for name, value in metrics.items()}
        self._append(
            {
                "update": self.progress.update,
                **({"final": final} if final else {}),
                **named,
                "seconds": round(self.progress.seconds, 3),
            }
        )
        if final is None:
            self._write_summary(named)
        text = "  ".join(f"{name} {value:.4f}" for name, value in metrics.items())
        of = "final weights" if final else f"update {self.progress.update:,}"
        best = "  (best so far)" if not final and self.progress.best_update == self.progress.update else ""
        self.report(f"evaluation of {of}  {text}{best}")

    def _append(self, line: dict[str, Any]) -> None:
        if self.workers.is_chief:
            self.log.append(line)

    def _write_summary(self, values: dict[str, float]) -> None:
        if self._writer is not None:
            with self._writer.as_default(step=self.progress.update):
                for name, value in values.items():
                    tf.summary.scalar(name, value)
            self._writer.flush()

    def _seconds_left(self, updates: float) -> float | None:
        """Until `max_updates` at the present pace, or until the time limit, whichever is sooner."""
        progress = self.progress
        left: list[float] = []
        if self.max_updates is not None:
            # Evaluations and saves are in the mean pace of the run, and not in that of the last updates.
            pace = max(progress.seconds / progress.update, self._interval.seconds() / max(updates, 1))
            left.append((self.max_updates - progress.update) * pace)
        if self.time_limit is not None:
            left.append(max(0.0, self.time_limit - progress.seconds))
        return min(left, default=None)


class _Stopwatch:
    """Tokens and seconds since the last line of the log, without the time for evaluations and saves."""

    def __init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        self.tokens = 0.0
        self._before = 0.0  # seconds before the last pause
        self._since: float | None = time.monotonic()

    def pause(self) -> None:
        self._before, self._since = self.seconds(), None

    def resume(self) -> None:
        self._since = time.monotonic()

    def seconds(self) -> float:
        return self._before + (0.0 if self._since is None else time.monotonic() - self._since)

    def rate(self) -> float:
        return self.tokens / max(self.seconds(), 1e-9)


def _clock(seconds: float) -> str:
    """Seconds as hours:minutes:seconds."""
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}"
