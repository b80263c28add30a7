"""The training loop: starts, resumes, stops and finishes a run."""

from __future__ import annotations

import dataclasses
import os
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import keras
import tensorflow as tf

from keras_nmt.errors import UserError, check_backend, require
from keras_nmt.files.atomic_files import directory_lock, remove_leftovers
from keras_nmt.files.checkpoint_files import weights_path
from keras_nmt.files.weights_file import read_weights
from keras_nmt.models import ModelDirectory
from keras_nmt.models.adapters import stored
from keras_nmt.training.callbacks import Rounds, may_end_run
from keras_nmt.training.checkpoints import Checkpoints, Progress, Saving
from keras_nmt.training.distribution import Workers
from keras_nmt.training.evaluation import Evaluation
from keras_nmt.training.final_weights import average_weights, choose_updates, describe_choice
from keras_nmt.training.initial_weights import WarmStart, warm_start
from keras_nmt.training.loss import LabelSmoothedCrossEntropy, TokenLoss, WordDistillation
from keras_nmt.training.optimizers import FusedAdam, averaged_weights, unscaled
from keras_nmt.training.stopping import Interruption, StopCriteria, Stopping
from keras_nmt.training.tasks import DEFAULT_TASK, Batches, Task, TaskSchedule, check_tasks
from keras_nmt.training.training_log import Logging, LogWriter, Measurements
from keras_nmt.training.update import Update, UpdateConfig, UpdateOutput


@dataclasses.dataclass
class TrainingResult:
    """The outcome of a training run.

    Attributes:
        reason: "max_updates", "time_limit", "patience" or "callback".
        update: Number of updates.
        seconds: Training time, evaluations included, over all starts of the run.
        best_update: The update with the best score, if there was an evaluation.
        best_score: Its score.
        final_updates: The updates whose mean weights are the final weights; see `Saving`.
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
    replicas, divided by their number. It does not depend on how a batch is split over replicas and accumulation steps.
    (Dropout is the same only for the same number of parts, replicas times accumulation steps.) An extra loss that a
    layer adds with `add_loss` must be a mean over the sentences of a batch, or independent of the sentences, like a
    regularizer: each micro-batch's extra loss is weighted by its share of the update's sentences.

    With float16 the optimizer must be a `keras.optimizers.LossScaleOptimizer`: an update whose gradient is not finite
    on some replica is skipped on all replicas, and the scale is halved. The log has the scale and the number of skipped
    updates.

    With several tasks, each update belongs to one task, which `TaskSchedule` chooses, and changes only the variables
    of that task's model. The tasks share the optimizer. Its number of updates, which sets the learning rate, counts the
    updates of all tasks. Adam of `make_optimizer` corrects the bias of moments by the number of a variable's own
    updates, so that each task is trained as by its own optimizer.

    If the optimizer keeps an exponential moving average of the weights (`use_ema` of Keras, `ema` of
    `make_optimizer`), evaluations score the averaged weights, and the saved and the final weights are averages.
    Training and callbacks use the weights themselves. The average changes with each update of any task that is not
    skipped.

    Random numbers depend only on the position in the run: before every micro-batch, the state of every SeedGenerator
    in the model is set from the seed, the update, the micro-batch and the replica. A run that is stopped and started
    again with the same arguments continues as if it had not been stopped.

    On several machines (`make_strategy`), every worker runs the same program and reads the same data and the same
    directory. Only the chief writes, evaluates and reports. A stop request of one worker stops all workers a few
    updates later. If a worker dies, the others end with an error; the run resumes when all are started again.

    `directory` gets `checkpoints/` (see `Checkpoints`), `training_log.jsonl` (one JSON object for every line of the log
    and every evaluation), at the end `model.weights.h5` (or `adapter.weights.h5`, see `keras_nmt.models.add_adapter`),
    and optionally `tensorboard/`. If `directory` has a checkpoint, the run resumes from there. On Ctrl-C, SIGTERM and
    SIGHUP, the run is saved and the program exits with `SystemExit`; an evaluation, whose update is saved before, ends.

    For Keras callbacks, an epoch is the time between two evaluations, or between two saves without evaluations. Its
    logs are the training metrics and, prefixed with `val_`, the evaluation's metrics. `on_train_batch_end` is called
    after every update with the metrics of the last line of the log, so that no update waits for its own metrics, except
    with `Logging(every=1)`. `model.stop_training` ends the run.

    Args:
        model: Model `[source, target_input] -> logits`, made in the strategy's scope. With tasks, a model with the
            layers of all tasks, which is saved and restored, and need not be callable.
        data: The batches, see `keras_nmt.training.Batches`, such as `keras_nmt.data.TrainingBatches`; or a list of
            `Task`.
        directory: Path of the model directory.
        optimizer: Optimizer, made in the strategy's scope; see `make_optimizer`. Its clipping (`clipnorm`,
            `global_clipnorm`, `clipvalue`) applies to the gradient of the whole update.
        loss: Object with a method `terms(targets, logits)`; see `TokenLoss`. Defaults to
            `LabelSmoothedCrossEntropy(0.1)`.
        update_config: `UpdateConfig`, the strategy, accumulation, normalisation, compilation and the seed.
        stop_criteria: `StopCriteria`, the number of updates and the time after which the run ends.
        evaluation: `Evaluation`, the function, when it is called, and early stopping. Defaults to `None`.
        saving: `Saving`, when to save, how many checkpoints to keep, and the final weights.
        warm_start: `WarmStart`, the model to start from if there is no checkpoint.
        logging: `Logging`, how often and where to log.
        callbacks: List of Keras callbacks.
        word_distillation: `WordDistillation`, to learn from a teacher's probabilities, too. Defaults to `None`.

    Raises:
        UserError: The arguments do not fit together.

    Example: three updates on random sentences.

    >>> import tempfile
    >>> from keras_nmt.data import ParallelCorpus, TrainingBatches
    >>> from keras_nmt.models import Transformer
    >>> corpus = ParallelCorpus.from_lists([[4, 5], [6]], [[7], [8, 9]])
    >>> trainer = Trainer(
    ...     Transformer(16, num_encoder_layers=1, num_decoder_layers=1, hidden_dim=8, num_heads=2),
    ...     TrainingBatches(corpus, batch_size=2, batch_unit="sentences", seed=1),
    ...     tempfile.mkdtemp(),
    ...     optimizer=keras.optimizers.Adam(),
    ...     stop_criteria=StopCriteria(max_updates=3),
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
        update_config: UpdateConfig | None = None,
        stop_criteria: StopCriteria | None = None,
        evaluation: Evaluation | None = None,
        saving: Saving | None = None,
        warm_start: WarmStart | None = None,
        logging: Logging | None = None,
        callbacks: Sequence[keras.callbacks.Callback] = (),
        word_distillation: WordDistillation | None = None,
    ) -> None:
        check_backend("Training")
        self.model = model
        self.directory = Path(directory)
        self.optimizer = optimizer
        self.update_config = update_config or UpdateConfig()
        self.stop_criteria = stop_criteria or StopCriteria()
        self.evaluation = evaluation
        self.saving = saving or Saving()
        self.warm_start = warm_start or WarmStart()
        self.callbacks = list(callbacks)
        self._may_be_ended = may_end_run(self.callbacks)
        tasks = list(data) if isinstance(data, Sequence) else [Task(name=DEFAULT_TASK, model=model, data=data)]
        self.tasks = check_tasks(tasks, model)
        loss = LabelSmoothedCrossEntropy(0.1) if loss is None else loss
        logging = logging or Logging()
        is_scaled = isinstance(optimizer, keras.optimizers.LossScaleOptimizer)
        patience = evaluation.patience if evaluation else None
        self._check(loss, is_scaled, may_end=patience is not None or self._may_be_ended)

        self.workers = Workers(self.update_config.strategy or tf.distribute.get_strategy())
        self._stopping = Stopping(self.stop_criteria, patience, model, self.workers.number)
        self.update = Update(
            self.tasks, optimizer, loss, self.update_config, self._stopping.requests, word_distillation
        )
        self.strategy = self.update.strategy
        self.schedule = TaskSchedule({task.name: task.weight for task in tasks})
        self.progress = Progress(task_updates=dict.fromkeys(self.tasks, 0))
        self.checkpoints = Checkpoints(
            self.directory / "checkpoints",
            model,
            optimizer,
            keep_last=self.saving.keep_last,
            keep_best=self.saving.keep_best,
            higher_is_better=evaluation is None or evaluation.higher_is_better,
            read_only=not self.workers.is_chief,
        )
        self._save_every = self.saving.every or (evaluation.every if evaluation else 1000)
        self._rounds = Rounds(model, self.callbacks, evaluation.every if evaluation else self._save_every)
        self.log = LogWriter(self.directory, logging, self.workers.is_chief)
        self._log_every = logging.every
        self._measurements = Measurements(self.tasks, self.update.parts, self.update_config.normalize_by, is_scaled)
        self._clock = self._measurements.clock
        with self.strategy.scope():
            if not optimizer.built:
                optimizer.build(model.trainable_variables)
            if len(self.tasks) > 1 and isinstance(adam := unscaled(optimizer), FusedAdam):
                adam.count_own_updates()
            if not model.compiled:
                model.compile(optimizer=optimizer)  # Keras callbacks look for `model.optimizer`

    def _check(self, loss: TokenLoss, is_scaled: bool, may_end: bool) -> None:
        final = self.saving.final_weights
        has_best = self.evaluation is not None or final not in ("best", "average_best")
        require(has_best, "These {final_weights} need an `evaluation`", final_weights=final)
        uses_ema = unscaled(self.optimizer).use_ema
        problem = f"{'With' if uses_ema else 'Without'} `use_ema` of the optimizer, use other {{final_weights}}"
        require(final != ("last" if uses_ema else "ema"), problem, final_weights=final)
        has_end = self.stop_criteria != StopCriteria() or may_end
        require(has_end, "Missing end of the training: set max_updates, time_limit or patience.")
        layers = [layer for task in self.tasks.values() for layer in task.model.layers]
        fits = is_scaled or not any(layer.compute_dtype == "float16" for layer in layers)
        problem = "Training in float16 needs loss scaling: wrap the optimizer in keras.optimizers.LossScaleOptimizer"
        require(fits, problem, optimizer=type(self.optimizer).__name__)

    @property
    def num_traces(self) -> int:
        """How often an update was traced. More than once for each task slows down the run."""
        return self.update.num_traces

    def make_update(self, batch_spec: Any, name: str = DEFAULT_TASK) -> Callable[[Any], UpdateOutput]:
        """Makes the graph of a task's updates, which `train` runs; see `Update.make`."""
        return self.update.make(batch_spec, name)

    def make_batches(self, name: str = DEFAULT_TASK) -> Any:
        """Makes the iterator of a task's batches from its current update on; see `Update.make_batches`."""
        return self.update.make_batches(name, self.progress.task_updates[name])

    def train(self) -> TrainingResult:
        """Trains until the run ends, and writes the final weights.

        Returns:
            The outcome of the run.

        Raises:
            UserError: The loss or the gradient is not finite (the last checkpoint is unchanged), the data are not as
                `Batches` describes, a checkpoint cannot be restored, `init_from` does not fit, or another process
                trains in the directory.
            SystemExit: After an interruption. The run has been saved.
        """
        if not self.workers.is_chief:
            return self._train()
        with directory_lock(self.directory):
            remove_leftovers(self.directory)
            return self._train()

    def _train(self) -> TrainingResult:
        self._start()
        with self.log, self.workers.errors(), Interruption(self._has_nothing_to_save) as interruption:
            try:
                result = self._finish(self._loop(interruption))
            except SystemExit:
                if interruption.was_at_once and interruption.signal is not None:
                    self.log.report(f"Stopped by {interruption.signal.name} at update {self.progress.update:,}")
                raise
            self.workers.wait()  # a worker that ends earlier would end the others
            if interruption.signal is not None:
                raise SystemExit(128 + interruption.signal)
            return result

    def _has_nothing_to_save(self) -> bool:
        """Tells whether an interruption loses no update, as in an evaluation or while the first update is traced."""
        return self.workers.number == 1 and self.progress.update == self.checkpoints.saved_update

    def _loop(self, interruption: Interruption) -> str:
        """Makes updates until the run ends, and returns the reason for the end."""
        progress, stopping = self.progress, self._stopping
        batches = {name: self.make_batches(name) for name in self.tasks}
        updates = {name: self.make_update(batches[name].element_spec, name) for name in self.tasks}
        self._rounds.begin_run(self.stop_criteria.max_updates)
        self._clock.start(progress, lines=self._rounds.length // self._log_every)
        requests = stopping.own_requests(progress)  # of the checkpoint, equal on all workers
        if self._may_be_ended and progress.ended_by_callback == progress.update:
            requests.append("callback")
        reason = stopping.reason(progress, requests)
        if progress.completed < progress.update:  # the run was stopped before it completed its last update
            reason = self._complete_update(reason)
        while reason is None:
            self._rounds.begin_update(progress.update)
            name = self.schedule.next(progress.task_updates)
            output = updates[name](next(batches[name]))
            self._measurements.add(name, progress.task_updates[name], output.measurements)
            progress.task_updates[name] += 1
            progress.update += 1
            progress.seconds = self._clock.seconds()
            if progress.update % self._log_every == 0:
                self._log()
            self._rounds.end_update(progress.update, progress.metrics)
            requests_here = stopping.own_requests(progress, interruption)
            reason = stopping.reason(progress, stopping.agreed_requests(requests_here, output.stop_requests))
            if reason == "interruption":
                self._interrupt(interruption.signal or signal.SIGTERM)  # or another worker's signal
            reason = self._complete_update(reason)
        if reason == "callback":  # perhaps since the last evaluation
            progress.ended_by_callback = progress.update
            self.checkpoints.save_state(progress)
        self._rounds.end_run(progress.metrics)
        return reason

    def _complete_update(self, reason: str | None) -> str | None:
        """Evaluates, saves and ends an epoch of the callbacks if they are due, or if there is a `reason` to end.

        The evaluation may be another reason to end the run. Returns the reason, or None.
        """
        progress, evaluation = self.progress, self.evaluation
        if reason == "callback":  # nothing else of the progress tells it
            progress.ended_by_callback = progress.update
        metrics: dict[str, float] = {}
        is_evaluated = evaluation is not None and (reason or progress.update % evaluation.every == 0)
        is_saved = is_evaluated or reason or progress.update % self._save_every == 0
        if is_saved:
            self._measurements.fetch(progress)
            if reason and progress.pending:  # the last updates need a line, too
                self._log()
            self._clock.pause()
        if is_evaluated and evaluation is not None:
            self.checkpoints.save_state(progress)  # first: the evaluation may take long and fail
            with averaged_weights(self.optimizer):
                metrics = self._evaluate(evaluation)
            evaluation.record(metrics, progress)
            progress.seconds = self._clock.seconds()
            self.log.write_evaluation(progress, metrics)
        progress.completed = progress.update
        if is_saved:
            self.checkpoints.save(progress, metrics.get(evaluation.best_metric) if evaluation else None)
            self._clock.resume()
        if reason or (progress.update and progress.update % self._rounds.length == 0):
            self._rounds.end_round(progress.update, progress.metrics, metrics)
        progress.seconds = self._clock.seconds()
        # A run with evaluations ends only after one, so that its last weights have a score.
        may_end = is_evaluated or (is_saved and evaluation is None)
        if reason is None and may_end:
            requests = self._stopping.own_requests(progress) if self.workers.number == 1 else ()
            reason = self._stopping.reason(progress, requests)
        return reason

    def _log(self) -> None:
        """Logs the updates since the last line."""
        self._measurements.fetch(self.progress)
        self.progress.metrics, task_losses = self._measurements.metrics(self.progress)
        left = self.stop_criteria.seconds_left(self.progress, self._clock.end_line(self.progress.update))
        self.log.write_training(self.progress, self.progress.metrics, task_losses, self.stop_criteria.max_updates, left)

    def _interrupt(self, number: signal.Signals) -> None:
        """Saves the run and ends the program."""
        self._measurements.fetch(self.progress)
        path = self.checkpoints.save_state(self.progress)
        saved = f"update {self.progress.update:,} is saved in {path}; start the run again to continue it"
        self.log.report(f"Stopped by {number.name}: {saved}")
        self.workers.wait()
        raise SystemExit(128 + number)

    def _start(self) -> None:
        """Resumes from the last checkpoint, or starts the run."""
        with self.workers.chief_first():
            self._restore()
        update = self.workers.from_chief(self.progress.update)
        if update != self.progress.update:
            raise UserError(
                "All workers must share one directory; this one has another than the chief. Received: "
                f"directory={self.directory}, update {self.progress.update} here, update {update} of the chief"
            )
        self.log.truncate(self.progress)
        if self.evaluation is not None:
            self._score_again(self.evaluation)

    def _restore(self) -> None:
        progress = self.checkpoints.restore(self.log.report)
        if progress is not None:
            if set(progress.task_updates) != set(self.tasks):
                raise UserError(
                    "The checkpoint belongs to other tasks: use the tasks it was made with, or another directory. "
                    f"Received: tasks={list(self.tasks)}, of the checkpoint={list(progress.task_updates)}"
                )
            self.progress = progress
            self.log.report(f"Going on from update {progress.update:,} in {self.directory}")
        elif (source := self.warm_start.init_from) is not None:
            if not isinstance(source, keras.Model):
                source = ModelDirectory(source).load_model(dtype="float32")
            allowed = {"allow_missing": self.warm_start.allow_missing, "ignore_extra": self.warm_start.ignore_extra}
            with self.strategy.scope():
                result = warm_start(self.model, source, **allowed)
            self.log.report(result.summary())
            if self.evaluation is not None:  # evaluate and save update 0, too, because it may be the best
                self.progress.completed = -1

    def _score_again(self, evaluation: Evaluation) -> None:
        """Evaluates the kept weights again if their scores were computed in another way."""
        progress, kept = self.progress, sorted(self.progress.scores)
        if kept and progress.scored_by != evaluation.scoring:
            self.log.report(
                f"Evaluating the kept weights of {len(kept)} update(s) again: scores are now {evaluation.scoring}"
            )
            values = self.model.get_weights()
            progress.best_score, progress.best_update, progress.best_metrics = None, None, {}
            for update in kept:
                metrics = self._load(weights_path(self.checkpoints.folder, update))
                evaluation.record(metrics, progress, update)
                progress.scores[update] = metrics[evaluation.best_metric]
            with self.strategy.scope():
                self.model.set_weights(values)
            self.checkpoints.write_index(progress)
        progress.scored_by = evaluation.scoring

    def _evaluate(self, evaluation: Evaluation) -> dict[str, float]:
        """Returns the metrics of the model. The chief evaluates, and sends them to the other workers."""
        metrics = evaluation.evaluate() if self.workers.is_chief else {}
        return dict(self.workers.from_chief({name: float(value) for name, value in metrics.items()}))

    def _finish(self, reason: str) -> TrainingResult:
        """Writes the final weights and loads them into the model."""
        progress, evaluation = self.progress, self.evaluation
        weights = self.directory / getattr(stored(self.model), "file_name", "model.weights.h5")
        best = [] if evaluation is None else progress.by_score(evaluation.higher_is_better)[:1]
        updates, best = self.workers.from_chief((choose_updates(self.saving, progress, evaluation), best))
        problem = "The weights of all saves are missing: restore them, or train further"
        require(updates, f"{problem}. Received: {self.checkpoints.folder}")
        metrics = self._load_mean(updates, weights)
        if evaluation is not None and best and updates != best:
            scores = metrics[evaluation.best_metric], progress.scores[best[0]]
            is_better = evaluation.is_better(scores[1], scores[0])
            line = describe_choice(self.saving, updates, scores, best[0], is_better)
            self.log.report(f"{evaluation.best_metric} on the development data: {line}")
            if is_better and self.saving.final_weights.startswith("average"):
                updates, metrics = best, self._load_mean(best, weights)
        if evaluation is not None:
            self.log.write_evaluation(progress, metrics, final=updates)
        self.log.report(f"Final weights ({reason}): updates {', '.join(map(str, updates))}, in {weights}")
        best_one = progress.best_update, progress.best_score
        return TrainingResult(reason, progress.update, progress.seconds, *best_one, updates, metrics, weights)

    def _load_mean(self, updates: list[int], weights: Path) -> dict[str, float]:
        """Writes the mean of kept weights to the file `weights`, loads it, and returns its metrics."""
        if self.workers.is_chief:
            average_weights([weights_path(self.checkpoints.folder, update) for update in updates], weights)
        self.workers.wait()
        return self._load(weights)

    def _load(self, weights: Path) -> dict[str, float]:
        """Loads weights into the model, and returns their metrics, if there is an evaluation."""
        with self.strategy.scope():
            read_weights(weights, stored(self.model))
        return {} if self.evaluation is None else self._evaluate(self.evaluation)
