"""A sweep over learning rates on the model and the data of an experiment."""

from __future__ import annotations

import dataclasses
import importlib.util
import math
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import numpy as np

from keras_nmt.errors import UserError, check_backend
from keras_nmt.experiments.experiment import Experiment
from keras_nmt.experiments.learning_rates import peak_rate
from keras_nmt.experiments.run_experiment import build, make_tokenizers, make_trainer
from keras_nmt.files.atomic_files import check_writable, write_text
from keras_nmt.files.figures import new_figure, save_figure
from keras_nmt.models import ModelDirectory
from keras_nmt.training import Logging, make_strategy
from keras_nmt.training.measurements import NotFiniteError
from keras_nmt.training.workers import Workers

LOWEST, HIGHEST = 1e-7, 10.0
SMOOTHING = 0.9  # momentum of the smoothed loss
DIVERGED = 2.0  # a smoothed loss of this many times the lowest one ends the sweep


TABLE = "learning_rates.tsv"


class Sweep(keras.callbacks.Callback):
    """Multiplies the learning rate by the same factor before each update, and ends the run when the loss diverges."""

    def __init__(self, updates: int) -> None:
        super().__init__()
        self.all_rates = np.geomspace(LOWEST, HIGHEST, updates)
        self.losses: list[float] = []

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        self.model.optimizer.learning_rate = float(self.all_rates[batch])

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self.losses.append(logs["loss"])
        smoothed = smooth(self.losses)
        if smoothed[-1] > DIVERGED * min(smoothed):
            self.model.stop_training = True


def find_learning_rate(
    experiment: Experiment,
    output: str | os.PathLike[str],
    *,
    updates: int = 100,
    report: Callable[[str], None] = lambda line: print(line, flush=True),
) -> float:
    """Trains with rising learning rates, and suggests the rate at which the loss falls fastest.

    The rate rises exponentially from 1e-7 to 10, over `updates` updates on the experiment's model, data and optimizer.
    The sweep ends early when the loss diverges. The run lies in a temporary folder: the experiment's directory is
    neither read nor written.

    Args:
        experiment: `Experiment`; the schedule serves for the suggestion alone.
        output: Path of a folder, which gets `learning_rates.tsv` (learning rate, loss, smoothed loss) and, where
            Matplotlib is installed, `learning_rates.svg`.
        updates: Integer, number of updates, at least 10. Defaults to 100.
        report: Callable, gets each line of progress. Defaults to printing.

    Returns:
        The suggested peak of the learning rate.

    Raises:
        UserError: `updates` is too small, a file is missing or a setting is wrong, the loss falls nowhere, or
            `TF_CONFIG` describes several workers.

    Reference:
        [Smith, 2017](https://arxiv.org/abs/1506.01186), section 3.3.
    """
    check_backend("Training")
    if updates < 10:
        raise UserError(f"A sweep over learning rates takes at least 10 updates. Received: {updates}")
    check_writable(Path(output) / TABLE)
    experiment.check()
    strategy = make_strategy(experiment.replicas)
    if Workers(strategy).number > 1:
        raise UserError("A sweep over learning rates runs on one machine: unset TF_CONFIG. Received: several workers")
    keras.utils.set_random_seed(experiment.seed)
    sweep = Sweep(updates)
    with tempfile.TemporaryDirectory() as folder:
        e = dataclasses.replace(
            experiment,
            directory=folder,
            schedule="constant",
            learning_rate=LOWEST,
            warmup_steps=0,
            max_updates=updates,
            save_every=updates,
            final="last",
            keep_last=1,
            ema=None,
            time_limit=None,
            patience=None,
        )
        model, batches = build(e, make_tokenizers(e, ModelDirectory(folder), report), strategy, report)
        logging = Logging(every=1, report=lambda line: None)
        trainer = make_trainer(e, model, batches, strategy, folder, logging=logging, callbacks=[sweep])
        report(f"Training up to {updates} updates with learning rates from {LOWEST:g} to {HIGHEST:g}")
        try:
            trainer.train()
        except NotFiniteError:
            report("The loss is not finite: the sweep ends")
    losses, smoothed = sweep.losses, smooth(sweep.losses)
    rates = sweep.all_rates[: len(losses)]
    lines = ["learning_rate\tloss\tsmoothed_loss"]
    lines += [f"{row[0]:.6g}\t{row[1]:.6g}\t{row[2]:.6g}" for row in zip(rates, losses, smoothed, strict=True)]
    output = Path(output)
    write_text(output / TABLE, "".join(f"{line}\n" for line in lines))
    suggestion = steepest(rates, smoothed)
    if importlib.util.find_spec("matplotlib") is not None:
        figure = new_figure(6, 4)
        axes = figure.add_subplot(xscale="log", xlabel="learning rate", ylabel="smoothed loss")
        axes.plot(rates, smoothed)
        axes.axvline(suggestion, linestyle="--")
        save_figure(output / "learning_rates.svg", figure)
    peak = peak_rate(dataclasses.replace(experiment, learning_rate=1.0), model.get_config()["hidden_dim"])
    report(
        f"Suggested peak of the learning rate: {suggestion:.3g}, by --set learning_rate={suggestion / peak:.3g} with "
        f"the schedule {experiment.schedule!r}; the curve is in {output}"
    )
    return suggestion


def smooth(losses: list[float]) -> np.ndarray:
    """The exponential moving average of losses, without the bias of the first ones; infinite from a NaN on."""
    average, smoothed = 0.0, []
    for number, loss in enumerate(losses, 1):
        average = SMOOTHING * average + (1 - SMOOTHING) * loss
        smoothed.append(average / (1 - SMOOTHING**number) if math.isfinite(average) else math.inf)
    return np.asarray(smoothed)


def steepest(rates: np.ndarray, losses: np.ndarray) -> float:
    """The rate, before that of the lowest loss, at which the loss falls fastest over the logarithm of the rate.

    Example:

    >>> rates = np.geomspace(1e-4, 1, 5)
    >>> round(steepest(rates, np.array([5.0, 4.9, 3.0, 2.9, 9.0])), 4)
    0.001
    """
    end = int(np.argmin(losses)) + 1
    if end < 3:
        raise UserError(
            f"The loss falls at no learning rate: check the data and the model. Received: losses {losses[:3].tolist()}"
        )
    return float(rates[:end][np.argmin(np.gradient(losses[:end], np.log(rates[:end])))])
