"""Trackers of experiments: a run of an experiment as a run of MLflow, trackio or Weights & Biases."""

from __future__ import annotations

import contextlib
import importlib.util
from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Literal, NamedTuple

import keras

from keras_nmt.errors import UserError
from keras_nmt.files.atomic_files import write_json
from keras_nmt.files.json_file import read_json

TrackerName = Literal["mlflow", "trackio", "wandb"]


class Tracked(NamedTuple):
    """A tracked run.

    Args:
        id: Str, the tracker's name of the run, by which a continued run is found.
        callback: Keras callback that writes the values of each epoch.
        log: Callable, writes values that belong to no epoch, such as scores of the test data.
    """

    id: str
    callback: keras.callbacks.Callback
    log: Callable[[dict[str, float]], Any]


Open = Callable[[str, str, dict[str, Any], str | None], AbstractContextManager[Tracked]]


@contextlib.contextmanager
def tracker(
    name: TrackerName, project: str, directory: Path, settings: Mapping[str, Any]
) -> Generator[Tracked, None, None]:
    """A block that the run of a tracker covers. An exception in the block marks the run as failed.

    The model directory keeps the name of the run in `tracker.json`: a run that continues is the same run of the
    tracker.

    Args:
        name: "mlflow", "trackio" or "wandb".
        project: Str, the tracker's group of runs.
        directory: Path of the model directory, whose last part is the title of the run.
        settings: Mapping, the settings of the experiment, which the tracker shows.

    Yields:
        `Tracked`.

    Raises:
        UserError: The tracker is not installed.
    """
    check_tracker(name)
    path = directory / "tracker.json"
    known = read_json(path, "the run of a tracker").get(name) if path.exists() else None
    with _TRACKERS[name](project, directory.name, dict(settings), known) as tracked:
        write_json(path, {name: tracked.id})
        yield tracked


def check_tracker(name: TrackerName) -> None:
    """Raises a `UserError` unless the tracker is installed."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:  # no origin: a folder of data, such as wandb's own, is no module
        raise UserError(f"The tracker is not installed: pip install {name}. Received: tracker={name!r}")


@contextlib.contextmanager
def _mlflow(project: str, title: str, settings: dict[str, Any], known: str | None) -> Generator[Tracked, None, None]:
    import mlflow

    mlflow.set_experiment(project)
    with mlflow.start_run(run_id=known, run_name=title) as run:
        if known is None:  # MLflow refuses another value of a parameter, such as a larger `max_updates`
            mlflow.log_params(settings)
        yield Tracked(run.info.run_id, mlflow.keras.MlflowCallback(), mlflow.log_metrics)


@contextlib.contextmanager
def _trackio(project: str, title: str, settings: dict[str, Any], known: str | None) -> Generator[Tracked, None, None]:
    import trackio

    run = trackio.init(project=project, name=known or title, config=settings, resume="allow" if known else "never")
    callback = keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: trackio.log(dict(logs), step=epoch))
    try:
        yield Tracked(run.name, callback, trackio.log)
    finally:
        trackio.finish()


@contextlib.contextmanager
def _wandb(project: str, title: str, settings: dict[str, Any], known: str | None) -> Generator[Tracked, None, None]:
    import wandb
    from wandb.integration.keras import WandbMetricsLogger

    with wandb.init(project=project, name=title, config=settings, id=known, resume="allow") as run:
        yield Tracked(run.id, WandbMetricsLogger(), run.log)


_TRACKERS: dict[TrackerName, Open] = {"mlflow": _mlflow, "trackio": _trackio, "wandb": _wandb}
