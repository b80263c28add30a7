"""The files that a run leaves beside its model: `results.json`, `data.json` and the translations of the test data."""

from __future__ import annotations

import hashlib
import os
import platform
import re
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, NotRequired

import keras
import tensorflow as tf
from pydantic import TypeAdapter, ValidationError
from typing_extensions import TypedDict  # of pydantic: before Python 3.12, it takes no other

from keras_nmt import __version__
from keras_nmt.errors import UserError
from keras_nmt.experiments.directions import BY_FILES, BY_PATTERNS, ONE, digests_of
from keras_nmt.experiments.experiment import Experiment
from keras_nmt.experiments.experiment_settings import LIMITS
from keras_nmt.files.json_file import read_json
from keras_nmt.files.process_resources import num_processors
from keras_nmt.models import ModelDirectory

OF_MACHINE = ("accumulation_steps", "replicas", "jit_compile", "deterministic")  # of the computation of an update
SEARCH = ("beam_size", "length_penalty", "min_length")  # settings of the test, and of the final model
# Settings that may differ between a finished run and the requested run, because they do not affect the outcome.
OF_NO_EFFECT = (
    *("directory", "log_every", "tensorboard", "allow_new", "allow_unused"),
    *OF_MACHINE,
    *(*BY_FILES, *BY_PATTERNS),  # digests compare the data
)
ONLY = "-".join(ONE)
START = "init_from"  # the key in data.json of the digest of the weights that a run started from
DIGESTS = TypeAdapter(dict[str, list[str]])


class _Score(TypedDict):
    score: float
    signature: str


class _Cell(TypedDict):
    trained: bool
    bleu: _Score
    chrf: NotRequired[_Score]
    ter: NotRequired[_Score]


class _Results(TypedDict):
    updates: int
    ended_by: str
    data: dict[str, list[str]]
    limits: dict[str, float | None]
    dev_greedy: dict[str, float]
    test: NotRequired[dict[str, _Cell]]


RESULTS = TypeAdapter(_Results)  # the parts of `results.json` that are read again


def read_results(directory: str | os.PathLike[str]) -> dict[str, Any] | None:
    """Reads `results.json` of a run's folder.

    Returns:
        The results: scores on the development data by name in "dev_greedy", and on the test data by direction in
        "test". `None`: the run has no results.
    """
    path = Path(directory) / "results.json"
    if not path.exists():
        return None
    results = read_json(path, "the results of a run")
    check_results(results, str(path))
    return results


def check_results(results: Mapping[str, Any], where: str) -> None:
    """Raises a `UserError` that names the place `where`, unless the results have what is read of them."""
    _check(RESULTS, results, where)


def read_digests(path: Path) -> dict[str, list[str]]:
    """Reads `data.json`: a dict as `digests_of` returns it, empty if there is no file."""
    if not path.exists():
        return {}
    digests = read_json(path, "the digests of a run's data")
    _check(DIGESTS, digests, str(path))
    return digests


def read_speed(directory: str | os.PathLike[str]) -> dict[str, Any] | None:
    """Reads `speed.json` of a run's folder: the measured speed of its model. None: there is none.

    A speed of other weights does not count. Without weights, the speed is taken to be theirs.
    """
    folder = ModelDirectory(directory)
    path, weights = folder.path / "speed.json", folder.weights_path
    speed = read_json(path, "the speed of a model") if path.exists() else {}
    is_current = not weights.is_file() or speed.get("weights") == file_digest(weights)
    return speed if is_current and isinstance(speed.get("rates"), list) else None


def hypotheses_path(directory: str | os.PathLike[str], direction: str) -> Path:
    """Returns the path, in a run's folder, of the translations of a direction's test data."""
    return Path(directory) / ("test.hypotheses.txt" if direction == ONLY else f"test.{direction}.hypotheses.txt")


def describe_machine() -> str:
    """Returns the processors, GPUs and libraries of this process, in one line."""
    info = Path("/proc/cpuinfo")
    models = re.findall(r"^model name\s*: (.+)$", info.read_text(encoding="utf-8"), re.M) if info.is_file() else []
    devices = [tf.config.experimental.get_device_details(gpu) for gpu in tf.config.list_physical_devices("GPU")]
    gpus = ", ".join(device.get("device_name", "GPU") for device in devices) or "no GPU"
    libraries = f"Python {platform.python_version()}, TensorFlow {tf.__version__}, Keras {keras.__version__}"
    processor = models[0] if models else platform.machine()
    return f"{processor}, {num_processors()} processors, {gpus}; {libraries}, keras_nmt {__version__}"


def subword_names(experiment: Experiment) -> dict[str, str]:
    """Returns the name of the subword model of each side, or language, in a run's folder."""
    e = experiment
    return {side: "subwords.model" if e.joint_vocabulary else f"subwords.{side}.model" for side in e.sides}


def start_digest(experiment: Experiment) -> dict[str, list[str]]:
    """Returns the digest of the weights of `init_from`, as data.json holds it; empty where there are none."""
    path = None if experiment.init_from is None else ModelDirectory(experiment.init_from).weights_path
    return {} if path is None or not path.is_file() else {START: [file_digest(path)]}


def unchanged_files(experiment: Experiment) -> set[str]:
    """Returns which of the settings `subwords` and `init_from` name files with what the run in the folder began with.

    The files, or the run, may have moved since.
    """
    e, folder = experiment, ModelDirectory(experiment.directory)
    unchanged, start = set(), start_digest(experiment)
    if start and read_digests(folder.data_path).get(START) == start[START]:
        unchanged.add("init_from")
    given = e.subwords if isinstance(e.subwords, dict) else dict.fromkeys(e.sides if e.subwords else (), e.subwords)
    pairs = [(Path(path), folder.path / subword_names(e)[side]) for side, path in given.items() if path is not None]
    whole = bool(pairs) and all(path.is_file() for pair in pairs for path in pair)
    if whole and all(file_digest(path) == file_digest(copy) for path, copy in pairs):
        unchanged.add("subwords")
    return unchanged


def file_digest(path: Path) -> str:
    """Returns the SHA-256 of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def differences(
    experiment: Experiment,
    results: Mapping[str, Any],
    may_change: Collection[str] = OF_NO_EFFECT,
    digests: Mapping[str, list[str]] | None = None,
) -> list[str]:
    """Returns the settings and data, as text, in which an experiment differs from the finished run with `results`.

    Settings of `may_change` are not compared. `digests` are those of the experiment's data, if they are known: to make
    digests, all data are read.
    """
    before = results["data"]
    changed = experiment.changed_settings({*may_change, *unchanged_files(experiment)})
    now = digests_of(experiment.directions) if digests is None else digests
    return changed + [f"{name} (was another text)" for name in {**now, **before} if now.get(name) != before.get(name)]


def is_complete(experiment: Experiment, results: Mapping[str, Any]) -> bool:
    """Tells whether the results are of the whole run: results of a shorter run stay while a longer run continues."""
    is_same: bool = results["limits"] == {name: getattr(experiment, name) for name in LIMITS}
    return is_same


def finished_results(experiment: Experiment, report: Callable[[str], None]) -> dict[str, Any] | None:
    """Reports and returns the results of an experiment that has been run to its end with the same settings and data.

    The function returns `None` if there is something to do.
    """
    results = read_results(experiment.directory)
    folder = ModelDirectory(experiment.directory)
    if results is None or not folder.weights_path.is_file() or not folder.settings_path.is_file():
        return None
    if not is_complete(experiment, results) or differences(experiment, results):
        return None
    report(f"Finished before, at update {results['updates']:,} ({results['ended_by']}): {folder.path / 'results.json'}")
    for name, score in results["dev_greedy"].items():
        report(f"dev {name} {score:.2f}  (greedy)")
    for name, cell in results.get("test", {}).items():
        report(test_line(name, cell))
    return results


def test_line(name: str, cell: Mapping[str, Any]) -> str:
    """Returns the scores of a direction's test data, its entry `cell` in the results, as a line."""
    names = {"bleu": "BLEU", "chrf": "chrF2", "ter": "TER"}
    scores = "  ".join(f"{names[metric]} {cell[metric]['score']:.2f}" for metric in names if metric in cell)
    shown = "test" if name == ONLY else f"test {name} "
    return f"{shown} {scores}{'' if cell['trained'] else '  (never trained)'}  {cell['bleu']['signature']}"


def _check(adapter: TypeAdapter[Any], value: Any, where: str) -> None:
    try:
        adapter.validate_python(value, strict=True)
    except ValidationError as error:
        wrong = error.errors(include_url=False)[0]
        part = ".".join(map(str, wrong["loc"]))
        where = f"{part} in {where}" if part else where
        raise UserError(f"Damaged: {where}: {wrong['msg']}. Received: {wrong['input']!r:.80}") from None
