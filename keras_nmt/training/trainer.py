"""The training loop: start, resume, stop and finish a run."""

from __future__ import annotations

import collections
import dataclasses
import os
import signal
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import keras
import tensorflow as tf

from keras_nmt.errors import UserError, check_backend
from keras_nmt.files.atomic_files import remove_leftovers
from keras_nmt.files.directory_lock import directory_lock
from keras_nmt.files.weights_file import read_weights
from keras_nmt.models import ModelDirectory
from keras_nmt.training._fused_adam import FusedAdam
from keras_nmt.training.average_checkpoints import average_weights
from keras_nmt.training.averaged_weights import averaged_weights, keeps_average
from keras_nmt.training.checkpoints import Checkpoints, Progress, Saving, weights_path
from keras_nmt.training.evaluation import Evaluation
from keras_nmt.training.final_weights import by_score, chosen_updates, comparison
from keras_nmt.training.interruption import Interruption
from keras_nmt.training.label_smoothed_cross_entropy import LabelSmoothedCrossEntropy, TokenLoss
from keras_nmt.training.measurements import Measurements
from keras_nmt.training.stopping import Budget, Stopping
from keras_nmt.training.task import ONLY, Batches, Task
from keras_nmt.training.task_schedule import TaskSchedule
from keras_nmt.training.training_log import Logging, LogWriter
from keras_nmt.training.update import Computation, Update, UpdateOutput
from keras_nmt.training.warm_start import Start, warm_start
from keras_nmt.training.workers import Workers


@dataclasses.dataclass
class TrainingResult:
    """The outcome of a training run.

    Attributes:
        reason: "max_updates", "time_limit", "patience" or "callback".
        update: Number of updates.
        seconds: Training time, evaluations included, over all starts of the run.
        best_update: The evaluated update with the best score, if there was an evaluation.
        best_score: That score.
        final_updates: The updates whose mean weights are the final weights, see `Saving`.
        final_metrics: Metrics of the final weights, if there was an evaluation.
        weights: The file of the final weights.
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
    """Trains a translation model on one or several tasks, on one device or on several replicas.

    The loss of an update is exact over the whole batch: the sum over all target tokens of all micro-batches and
    replicas, divided by their number. The update does not depend on how a batch is split over replicas and
    accumulation steps (dropout aside; with the same number of parts, replicas times accumulation steps, dropout is the
    same too). An extra loss that a layer adds with `add_loss` counts as a mean over the sentences of a batch, or as
    independent of the sentences, like a regularizer: each micro-batch's extra loss is weighted by its share of the
    update's sentences.

    Under float16 the optimizer must be a `keras.optimizers.LossScaleOptimizer`: an update whose gradient is not
    finite on any replica is skipped on all replicas, and the scale is halved. The log has the scale and the number of
    skipped updates.

    With several tasks, each update belongs to one task, which `TaskSchedule` chooses, and changes only the variables
    of that task's model. The tasks share the optimizer, whose number of updates counts the updates of all tasks: it
    sets the learning rate. Adam of `make_optimizer` corrects the bias of moments by the number of a variable's own
    updates, so that a task trains as with an optimizer of its own.

    Where the optimizer keeps an exponential moving average of the weights (`use_ema` of Keras, `ema` of
    `make_optimizer`), evaluations score the averaged weights, and the saved and the final weights are averages;
    training and callbacks have the weights as they are. The average advances with each update of any task, and not
    with a skipped update.

    Random numbers depend on the position in the run alone: before every micro-batch, the state of every SeedGenerator
    in the model is set from the seed, the update, the micro-batch and the replica. A run that is stopped and started
    again with the same arguments continues as if it had not been stopped.

    On several machines (`make_strategy`) every worker runs the same program and reads the same data and the same
    directory; only the chief writes, evaluates and reports. A stop request of one worker stops all workers a few
    updates later; when one worker dies, the others end with an error. The run resumes when all are started again.

    `directory` gets `checkpoints/` (see `Checkpoints`), `training_log.jsonl` (one JSON object for every line of the
    log and every evaluation), at the end `model.weights.h5`, and optionally `tensorboard/`. If `directory` has a
    checkpoint, the run resumes from there. On Ctrl-C, SIGTERM and SIGHUP the run is saved and the program exits with
    `SystemExit`.

    For Keras callbacks, an epoch is the time between two evaluations, or without evaluation between two saves. Its
    logs are the training metrics and, prefixed with `val_`, the evaluation's metrics. `on_train_batch_end` is called
    after every update with the metrics of the last line of the log, so no update waits for its own metrics, except
    with `Logging(every=1)`. `model.stop_training` ends the run.

    Args:
        model: Model `[source, target_input] -> logits`, made in the strategy's scope. With tasks, the model that has
            the layers of all tasks; this model is saved and restored, and need not be callable.
        data: The batches, an object as `keras_nmt.training.Batches` describes, such as
            `keras_nmt.data.TrainingBatches`. Or a list of `Task`.
        directory: Path of the model directory.
        optimizer: Optimizer, made in the strategy's scope; see `make_optimizer`. Its clipping (`clipnorm`,
            `global_clipnorm`, `clipvalue`) applies to the gradient of the whole update.
        loss: Object with a method `terms(targets, logits)`; see `TokenLoss`. Defaults to
            `LabelSmoothedCrossEntropy(0.1)`.
        computation: `Computation`, the strategy, accumulation, normalisation, compilation and the seed.
        budget: `Budget`, the number of updates and the time after which the run ends.
        evaluation: `Evaluation`, the function, when it is called, and early stopping. Defaults to `None`.
        saving: `Saving`, when to save, how many checkpoints to keep, and the final weights.
        start: `Start`, the model to start from where there is no checkpoint.
        logging: `Logging`, how often and where to log.
        callbacks: List of Keras callbacks.

    Raises:
        UserError: The arguments do not fit together.

    Example: three updates on random sentences.

    >>> import tempfile
    >>> from keras_nmt.data import ParallelCorpus, TrainingBatches
    >>> from keras_nmt.models import Transformer
    >>> corpus = ParallelCorpus.from_lists([[4, 5], [6]], [[7], [8, 9]])
    >>> trainer = Trainer(
    ...     Transformer.from_preset("transformer_tiny", source_vocabulary_size=16),
    ...     TrainingBatches(corpus, batch_size=2, batch_unit="sentences", seed=1),
    ...     tempfile.mkdtemp(),
    ...     optimizer=keras.optimizers.Adam(),
    ...     budget=Budget(max_updates=3),
    ...     logging=Logging(report=lambda line: None),
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
        loss: TokenLoss | None = None,
        computation: Computation | None = None,
        budget: Budget | None = None,
        evaluation: Evaluation | None = None,
        saving: Saving | None = None,
        start: Start | None = None,
        logging: Logging | None = None,
        callbacks: Sequence[keras.callbacks.Callback] = (),
    ) -> None:
        check_backend("Training")
        loss = LabelSmoothedCrossEntropy(0.1) if loss is None else loss
        computation, logging = computation or Computation(), logging or Logging()
        self.model = model
        self.directory = Path(directory)
        self.optimizer = optimizer
        self.computation = computation
        self.budget = budget or Budget()
        self.evaluation = evaluation
        self.saving = saving or Saving()
        self.start = start or Start()
        self.callbacks = list(callbacks)
        tasks = list(data) if isinstance(data, Sequence) else [Task(name=ONLY, model=model, data=data)]
        self.tasks = {task.name: task for task in tasks}
        self._patience = evaluation.patience if evaluation else None
        self._is_scaled = isinstance(optimizer, keras.optimizers.LossScaleOptimizer)
        self._check(tasks, loss)

        self.workers = Workers(computation.strategy or tf.distribute.get_strategy())
        self._stopping = Stopping(self.budget, self._patience, model, self.workers.number)
        self.update = Update(self.tasks, optimizer, loss, computation, self._stopping.requests)
        self.strategy = self.update.strategy
        self.schedule = TaskSchedule({task.name: task.weight for task in tasks})
        self.progress = Progress(task_updates=dict.fromkeys(self.tasks, 0))
        self._measurements = Measurements(self.tasks, self.update.parts, computation.normalize_by, self._is_scaled)
        self.log = LogWriter(self.directory, logging, self.workers.is_chief)
        self._log_every = logging.every
        self._save_every = self.saving.every or (evaluation.every if evaluation else 1000)
        self._round_length = evaluation.every if evaluation else self._save_every  # the callbacks' epochs, in updates
        with self.strategy.scope():
            if not optimizer.built:
                optimizer.build(model.trainable_variables)
            if len(self.tasks) > 1 and isinstance(adam := getattr(optimizer, "inner_optimizer", optimizer), FusedAdam):
                adam.count_own_updates()
            if not model.compiled:
                model.compile(optimizer=optimizer)  # Keras callbacks look for `model.optimizer`
        self._metrics: dict[str, float] = {}  # of the last line of the log
        self._in_round = False
        self._began = 0.0  # the clock at the start of the run, had the run never been stopped
        # Update and seconds at the lines of the log of one round, whose pace includes an evaluation or a save.
        self._recent_lines: collections.deque[tuple[int, float]] = collections.deque(
            maxlen=max(1, self._round_length // self._log_every)
        )

    def _check(self, tasks: list[Task], loss: TokenLoss) -> None:
        if self.evaluation is None and self.saving.final in ("best", "average_best"):
            raise UserError(f"The best weights need an evaluation. Received: final={self.saving.final!r}")
        if (self.saving.final == "ema") != keeps_average(self.optimizer) and self.saving.final in ("ema", "last"):
            raise UserError(
                'The last weights are final="ema" where the optimizer keeps an average (`use_ema`), else final="last". '
                f"Received: final={self.saving.final!r}"
            )
        if self.budget == Budget() and self._patience is None and not self.callbacks:
            raise UserError("Say when the training ends: set max_updates, time_limit or patience.")
        if not callable(getattr(loss, "terms", None)):
            raise UserError(f"The loss needs a method `terms(targets, logits)`. Received: loss={loss!r}")
        has_float16 = any(layer.compute_dtype == "float16" for task in tasks for layer in task.model.layers)
        if has_float16 and not self._is_scaled:
            raise UserError(
                "Gradients of float16 vanish without loss scaling: wrap the optimizer in "
                f"keras.optimizers.LossScaleOptimizer. Received: optimizer={type(self.optimizer).__name__}"
            )
        if not self.model.built:
            raise UserError(f"A model that is not built cannot be saved. Received: model={self.model.name!r}")
        if len(self.tasks) < len(tasks):
            raise UserError(f"The names of the tasks must differ. Received: {[task.name for task in tasks]}")
        known = {id(variable) for variable in self.model.trainable_variables}
        for name, task in self.tasks.items():
            variables = task.model.trainable_variables
            foreign = [variable.path for variable in variables if id(variable) not in known]
            if foreign:
                raise UserError(
                    f"The model lacks {len(foreign)} of the variables that task {name!r} trains. "
                    f"Received: {', '.join(foreign[:5])}"
                )
            if not variables:
                raise UserError(f"A task has nothing to train. Received: task={name!r}")

    @property
    def num_traces(self) -> int:
        """Number of times that an update was traced: once for each task, or the run is slowed down."""
        return self.update.num_traces

    def make_update(self, batch_spec: Any, name: str = ONLY) -> Callable[[Any], UpdateOutput]:
        """Makes the graph of a task's updates, which `train` runs; see `Update.make`."""
        return self.update.make(batch_spec, name)

    def make_batches(self, name: str = ONLY) -> Any:
        """Makes the iterator of a task's batches from its present update on; see `Update.make_batches`."""
        return self.update.make_batches(name, self.progress.task_updates[name])

    def train(self) -> TrainingResult:
        """Trains until the run ends, and writes the final weights.

        Returns:
            The outcome of the run.

        Raises:
            UserError: The loss or the gradient is not finite; the last checkpoint is unchanged. Or: the data are not
                as `Batches` describes, a checkpoint cannot be restored, `init_from` does not fit, or another process
                trains in the directory.
            SystemExit: After an interruption; the run has been saved.
        """
        if not self.workers.is_chief:
            return self._train()
        with directory_lock(self.directory):
            remove_leftovers(self.directory)
            return self._train()

    def _train(self) -> TrainingResult:
        checkpoints = self._start()
        with self.log, self.workers.errors(), Interruption() as interruption:
            result = self._finish(self._loop(checkpoints, interruption))
            self.workers.wait()  # a worker that leaves ends the others
            if interruption.signal is not None:
                raise SystemExit(128 + interruption.signal)
            return result

    def _start(self) -> Checkpoints:
        """Resumes from the last checkpoint, or starts the run."""
        with self.workers.chief_first():
            checkpoints = self._restore()
        update = self.workers.from_chief(self.progress.update)
        if update != self.progress.update:
            raise UserError(
                "The workers have to share one directory, and this one does not see the chief's. Received: "
                f"directory={self.directory}, update {self.progress.update} here, update {update} there"
            )
        self.log.truncate(self.progress)
        if self.evaluation is not None:
            self._score_again(self.evaluation)
        return checkpoints

    def _score_again(self, evaluation: Evaluation) -> None:
        """Evaluates the kept weights again where their scores are by another evaluation than this one."""
        progress, kept = self.progress, sorted(self.progress.scores)
        if kept and progress.scored_by != evaluation.scoring:
            self.log.report(
                f"Evaluating the kept weights of {len(kept)} updates again: scores are now {evaluation.scoring}"
            )
            values = self.model.get_weights()
            progress.best_score, progress.best_update, progress.best_metrics = None, None, {}
            for update in kept:
                with self.strategy.scope():
                    read_weights(weights_path(self.directory / "checkpoints", update), self.model)
                metrics = self._evaluate(evaluation)
                evaluation.record(metrics, progress, update)
                progress.scores[update] = metrics[evaluation.best_metric]
            with self.strategy.scope():
                self.model.set_weights(values)
        progress.scored_by = evaluation.scoring

    def _restore(self) -> Checkpoints:
        checkpoints = Checkpoints(
            self.directory / "checkpoints",
            self.model,
            self.optimizer,
            keep_last=self.saving.keep_last,
            keep_best=self.saving.keep_best,
            higher_is_better=self.evaluation is None or self.evaluation.higher_is_better,
            read_only=not self.workers.is_chief,
        )
        progress = checkpoints.restore(self.log.report)
        if progress is not None:
            if set(progress.task_updates) != set(self.tasks):
                raise UserError(
                    "The checkpoint is that of other tasks: give the tasks it was made with, or another directory. "
                    f"Received: tasks={list(self.tasks)}, of the checkpoint={list(progress.task_updates)}"
                )
            self.progress = progress
            self.log.report(f"Going on from update {progress.update:,} in {self.directory}")
        elif self.start.init_from is not None:
            source = self.start.init_from
            if not isinstance(source, keras.Model):
                source = ModelDirectory(source).load_model(dtype="float32")
            with self.strategy.scope():
                result = warm_start(
                    self.model, source, allow_new=self.start.allow_new, allow_unused=self.start.allow_unused
                )
            self.log.report(result.summary())
            if self.evaluation is not None:  # update 0 is evaluated and saved, because the start may be the best
                self.progress.completed = -1
        return checkpoints

    def _loop(self, checkpoints: Checkpoints, interruption: Interruption) -> str:
        """Makes updates until the run ends, and returns the reason for the end."""
        progress, stopping = self.progress, self._stopping
        iterators = {name: self.make_batches(name) for name in self.tasks}
        update_functions = {name: self.make_update(iterators[name].element_spec, name) for name in self.tasks}
        max_updates = self.budget.max_updates
        callbacks = keras.callbacks.CallbackList(
            self.callbacks,
            model=self.model,
            epochs=-(-max_updates // self._round_length) if max_updates else 1,
            steps=self._round_length,
            verbose=0,
        )
        self.model.stop_training = False
        self._measurements.stopwatch.restart()
        callbacks.on_train_begin()
        self._began = time.monotonic() - progress.seconds
        self._recent_lines.clear()
        self._recent_lines.append((progress.update, progress.seconds))
        self._in_round = False
        reason = stopping.reason(progress, stopping.own_requests(progress))  # from the checkpoint: same on all workers
        if progress.completed < progress.update:  # the run was stopped before it completed its last update
            reason = self._complete_update(checkpoints, callbacks, reason)
        while reason is None:
            if not self._in_round:
                callbacks.on_epoch_begin(progress.update // self._round_length)
                self._in_round = True
            if self.callbacks:
                callbacks.on_train_batch_begin(progress.update)
            name = self.schedule.next(progress.task_updates)
            output = update_functions[name](next(iterators[name]))
            self._measurements.add(name, progress.task_updates[name], output.measurements)
            progress.task_updates[name] += 1
            progress.update += 1
            progress.seconds = time.monotonic() - self._began
            if progress.update % self._log_every == 0:
                self._log()
            if self.callbacks:
                callbacks.on_train_batch_end(progress.update - 1, self._metrics)

            own = stopping.own_requests(progress, interruption)
            reason = stopping.reason(progress, stopping.agreed_requests(own, output.stop_requests))
            if reason == "interruption":
                self._measurements.fetch(progress)
                path = checkpoints.save_state(progress)
                number = interruption.signal or signal.SIGTERM  # or another worker's
                self.log.report(f"Stopped by {number.name}: update {progress.update:,} is saved in {path}")
                self.workers.wait()
                raise SystemExit(128 + number)
            reason = self._complete_update(checkpoints, callbacks, reason)
        callbacks.on_train_end(self._metrics)
        return reason

    def _complete_update(
        self, checkpoints: Checkpoints, callbacks: keras.callbacks.CallbackList, reason: str | None
    ) -> str | None:
        """Evaluates, saves and ends an epoch of the callbacks where they are due; all three where the run ends.

        The evaluation may be a reason to end the run. Returns the reason, or None.
        """
        progress = self.progress
        metrics: dict[str, float] = {}
        is_evaluated = self.evaluation is not None and (reason or progress.update % self.evaluation.every == 0)
        is_saved = is_evaluated or reason or progress.update % self._save_every == 0
        if is_saved:
            self._measurements.fetch(progress)
            if reason and progress.pending:  # the last updates have a line, too
                self._log()
            self._measurements.stopwatch.pause()
        if is_evaluated and self.evaluation is not None:
            checkpoints.save_state(progress)  # before the evaluation, which may take long and fail
            with averaged_weights(self.optimizer):
                metrics = self._evaluate(self.evaluation)
            self.evaluation.record(metrics, progress)
            progress.seconds = time.monotonic() - self._began
            self.log.write_evaluation(progress, metrics)
        progress.completed = progress.update
        if is_saved:
            checkpoints.save(progress, metrics.get(self.evaluation.best_metric) if self.evaluation else None)
            self._measurements.stopwatch.resume()
        if reason or (progress.update and progress.update % self._round_length == 0):
            if not self._in_round:
                callbacks.on_epoch_begin((progress.update - 1) // self._round_length)
            logs = {**self._metrics, **{f"val_{name}": value for name, value in metrics.items()}}
            callbacks.on_epoch_end((progress.update - 1) // self._round_length, logs)
            self._in_round = False
        progress.seconds = time.monotonic() - self._began
        # With an evaluation, the run ends only after one, so its last weights have a score.
        may_end = is_evaluated or (is_saved and self.evaluation is None)
        if reason is None and may_end:
            requests = self._stopping.own_requests(progress) if self.workers.number == 1 else ()
            reason = self._stopping.reason(progress, requests)
        return reason

    def _evaluate(self, evaluation: Evaluation) -> dict[str, float]:
        """The metrics of the model as it is: the chief evaluates and sends them to the other workers."""
        metrics = evaluation.evaluate() if self.workers.is_chief else {}
        return dict(self.workers.from_chief({name: float(value) for name, value in metrics.items()}))

    def _finish(self, reason: str) -> TrainingResult:
        """Writes the final weights and loads them into the model."""
        progress, evaluation, weights = self.progress, self.evaluation, self.directory / "model.weights.h5"
        best = [] if evaluation is None else by_score(progress, evaluation)[:1]
        updates, best = self.workers.from_chief((chosen_updates(self.saving, progress, evaluation), best))
        metrics = self._load_mean(updates, weights)
        if evaluation is not None and best and updates != best:
            scores = metrics[evaluation.best_metric], progress.scores[best[0]]
            is_better = evaluation.is_better(scores[1], scores[0])
            line = comparison(self.saving, updates, scores, best[0], is_better)
            self.log.report(f"{evaluation.best_metric} on the development data: {line}")
            if is_better and self.saving.final.startswith("average"):
                updates, metrics = best, self._load_mean(best, weights)
        if evaluation is not None:
            self.log.write_evaluation(progress, metrics, final=updates)
        self.log.report(f"Final weights ({reason}): updates {', '.join(map(str, updates))}, in {weights}")
        best_one = progress.best_update, progress.best_score
        return TrainingResult(reason, progress.update, progress.seconds, *best_one, updates, metrics, weights)

    def _load_mean(self, updates: list[int], weights: Path) -> dict[str, float]:
        """Writes the mean of kept weights into the file `weights`, and loads and evaluates it."""
        if self.workers.is_chief:
            average_weights([weights_path(self.directory / "checkpoints", update) for update in updates], weights)
        self.workers.wait()
        with self.strategy.scope():
            read_weights(weights, self.model)
        return {} if self.evaluation is None else self._evaluate(self.evaluation)

    def _log(self) -> None:
        """Logs the updates since the last line."""
        progress = self.progress
        self._measurements.fetch(progress)
        self._metrics, task_losses = self._measurements.metrics(progress)
        self._measurements.stopwatch.restart()
        seconds = time.monotonic() - self._began  # with the wait for the device
        first_update, first_seconds = self._recent_lines[0]
        pace = (seconds - first_seconds) / max(1, progress.update - first_update)
        self._recent_lines.append((progress.update, seconds))
        left = self.budget.seconds_left(progress, pace)
        self.log.write_training(progress, self._metrics, task_losses, self.budget.max_updates, left)
