"""The files of a run beside its model: settings, digests of its data, results and translations of the test data."""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NotRequired

import keras
import tensorflow as tf
from pydantic import FiniteFloat, TypeAdapter, ValidationError
from typing_extensions import TypedDict  # of pydantic: before Python 3.12, it takes no other

from keras_nmt import __version__
from keras_nmt.errors import UserError, require
from keras_nmt.experiments.config import ExperimentConfig
from keras_nmt.experiments.data_config import digests_of
from keras_nmt.files.atomic_files import write_json
from keras_nmt.files.file_cache import cached_by_file
from keras_nmt.files.json_file import read_json, with_digest
from keras_nmt.files.process_resources import num_processors
from keras_nmt.files.settings import change_paths, flatten
from keras_nmt.files.weights_file import OTHER_WEIGHTS, scores_are_current
from keras_nmt.models import ModelDirectory

HARMLESS = (  # settings and sections that do not affect the outcome of a run, or whose digests are compared
    *("directory", "data.test", "training.logging", "training.replicas", "training.deterministic"),
    *("training.start.allow_missing", "training.start.ignore_extra"),
    *("training.update.accumulation_steps", "training.update.jit_compile"),
)
TEXT = ("data.train", "data.alignments", "data.dev")  # settings whose files may have moved if they have the same lines
NO_EFFECT = (*HARMLESS, *TEXT)  # what may differ between a finished run and the requested one
MAY_CHANGE = (  # what may change when a run continues, because it does not affect updates
    *(*HARMLESS, "data.test_pairs", "data.dev_pairs", "evaluation", "search"),
    *("training.stop.max_updates", "training.stop.time_limit", "training.saving"),
)
# Settings that determine the subwords. If one changes before the first checkpoint, the run trains new subwords.
SUBWORDS = (
    *("subwords", "data.languages", "data.pairs", "model.architecture"),
    *("training.update.seed", "training.start.init_from", "training.teacher"),
)
START, TEACHER, MODELS = "init_from", "teacher", "subwords.models"  # keys of digests in data.json
FILES = {START: "training.start.init_from", TEACHER: "training.teacher", MODELS: "subwords.models"}  # their settings
SAMPLING = "subword_sampling"  # key of the digests of sampled segmentations in data.json
ROUNDS = 3  # turns in which the decoding speed of each configuration is measured
DIGESTS = TypeAdapter(dict[str, list[str]])


class _Score(TypedDict):
    score: FiniteFloat
    signature: str


class _Scores(TypedDict):
    bleu: _Score
    chrf: NotRequired[_Score]
    ter: NotRequired[_Score]


class _Cell(_Scores):
    trained: bool
    outputs: NotRequired[dict[str, int]]
    sets: NotRequired[dict[str, _Scores]]  # the scores of each test set where there are several


class _Results(TypedDict):
    updates: int
    ended_by: str
    parameters: int
    data: dict[str, list[str]]
    limits: dict[str, FiniteFloat | None]
    dev_greedy: dict[str, FiniteFloat]
    test: NotRequired[dict[str, _Cell]]


class _Speed(TypedDict, total=False):  # earlier runs wrote other entries
    at: str
    rates: list[FiniteFloat]


RESULTS = TypeAdapter(_Results)  # what is read from `results.json`
SPEED = TypeAdapter(_Speed)  # what is read from `speed.json`


def read_results(directory: str | os.PathLike[str]) -> dict[str, Any] | None:
    """Reads `results.json` of a run's folder, or returns None if the run has no results.

    "dev_greedy" has the scores on the development data by name, "test" those on the test data by direction.
    """
    return _read(Path(directory) / "results.json", "the results of a run", RESULTS)


def check_scores(config: ExperimentConfig, results: Mapping[str, Any]) -> None:
    """Checks that the results of an experiment have the scores of all its directions and test sets."""
    dev = {f"dev_greedy.bleu_{s}-{t}" for s, t in config.pair_lists.dev}
    present = {f"dev_greedy.{name}" for name in results["dev_greedy"]}
    missing = {"dev_greedy.bleu", *(dev if dev & present else ())} - present
    for direction in config.directions:
        name, number = f"test.{direction.name}", len(direction.tests)
        cell = results.get("test", {}).get(direction.name)
        if number and cell is None:
            missing.add(name)
        elif number > 1 and len(cell.get("sets", direction.tests)) != number:
            missing.add(f"{name}.sets of {number} test sets")
    where = Path(config.directory) / "results.json"
    require(not missing, f"Damaged: {where} lacks scores: restore it. Received: none of {', '.join(sorted(missing))}")


def read_digests(path: Path) -> dict[str, list[str]]:
    """Reads `data.json`, whose content is that of `digests_of`. It is empty if there is no file."""
    return _read(path, "the digests of a run's data", DIGESTS) or {}


def read_speed(directory: str | os.PathLike[str]) -> dict[str, Any] | None:
    """Reads the measured speed of a model from `speed.json` of a run's folder, or returns None if there is none.

    A speed of other weights or of another search does not count, unless the folder has no weights.
    """
    folder = ModelDirectory(directory)
    speed, weights = _read(folder.path / "speed.json", "the speed of a model", SPEED) or {}, folder.weights_path
    is_current = not weights.is_file() or (
        speed.get("weights") == file_digest(weights)
        and speed.get("search") == read_json(folder.config_path, "a model").get("search")
    )
    return speed if {"at", "rates"} <= speed.keys() and is_current else None


def _read(path: Path, what: str, form: TypeAdapter[Any]) -> dict[str, Any] | None:
    """Reads a file of JSON, and checks its form. Returns None if there is no such file."""
    if not path.exists():
        return None
    value = read_json(path, what)
    with errors_of_form(str(path)):
        form.validate_python(value, strict=True)
    return value


def hypotheses_path(directory: str | os.PathLike[str], direction: str) -> Path:
    """Returns the path, in a run's folder, of the translations of a direction's test data."""
    return Path(directory) / f"test.{direction}.hypotheses.txt"


def describe_machine() -> str:
    """Returns the processors, GPUs and libraries of this process, in one line."""
    info = Path("/proc/cpuinfo")
    models = re.findall(r"^model name\s*: (.+)$", info.read_text(encoding="utf-8"), re.M) if info.is_file() else []
    libraries = f"Python {platform.python_version()}, TensorFlow {tf.__version__}, Keras {keras.__version__}"
    processor = models[0] if models else platform.machine()
    return (
        f"{processor}, {num_processors()} processors, {gpu_names() or 'no GPU'}; {libraries}, keras_nmt {__version__}"
    )


def gpu_names() -> str:
    """Returns the names of the GPUs that TensorFlow sees, "" without one."""
    devices = [tf.config.experimental.get_device_details(gpu) for gpu in tf.config.list_physical_devices("GPU")]
    return ", ".join(device.get("device_name", "GPU") for device in devices)


def subword_names(config: ExperimentConfig) -> dict[str, str]:
    """Returns the name of the subword model of each side, or language, in a run's folder."""
    has_one = config.subwords.joint_vocabulary and not _has_two_models(config)
    return {side: "subwords.model" if has_one else f"subwords.{side}.model" for side in config.sides}


def _has_two_models(config: ExperimentConfig) -> bool:
    """Returns whether the run begins with a joint vocabulary that has a subword model for each side, as OPUS-MT's."""
    starts = [start for start in (config.training.start.init_from, config.training.teacher) if start is not None]
    for folder in map(ModelDirectory, starts):
        if folder.config_path.is_file():
            files = folder.read()
            return files.has_joint_vocabulary and len(set(files.subword_paths().values())) > 1
    own = ModelDirectory(config.directory).path
    return bool(starts) and (own / f"subwords.{config.sides[0]}.model").is_file()  # the start has moved


def start_digest(config: ExperimentConfig) -> dict[str, list[str]]:
    """Returns the digests of the weights of `init_from` and `teacher`, and of `subwords.models`, if there are any."""
    folders = {START: config.training.start.init_from, TEACHER: config.training.teacher}
    paths = {name: [ModelDirectory(folder).weights_path] for name, folder in folders.items() if folder is not None}
    if given := config.subwords.given_models(config.sides):
        paths[MODELS] = [Path(given[side]) for side in config.sides if side in given]
    return {name: [*map(file_digest, of_name)] for name, of_name in paths.items() if all(x.is_file() for x in of_name)}


def unchanged_files(config: ExperimentConfig) -> set[str]:
    """Returns the settings, of `subwords.models`, `init_from` and `teacher`, whose files are as when the run began.

    The files, or the run, may have moved since then. Of missing files, and of a run that was kept without weights, only
    the names are compared.
    """
    folder = ModelDirectory(config.directory)
    if read_results(folder.path) is not None and not folder.weights_path.is_file():
        written = read_json(folder.settings_path, "the settings of a run")
        old, new = (
            flatten(ExperimentConfig, change_paths(ExperimentConfig, one, lambda path: Path(path).name))
            for one in (written, config.settings())
        )
        return {name for name in FILES.values() if old.get(name) == new.get(name)}  # `other_starts` compares digests
    before = read_digests(folder.data_path)
    return {FILES[name] for name, digest in start_digest(config).items() if before.get(name) == digest}


@cached_by_file(1024)  # each table of a comparison asks for it
def file_digest(path: str) -> str:
    """Returns the SHA-256 of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def differences(
    config: ExperimentConfig, results: Mapping[str, Any], may_change: Collection[str] = NO_EFFECT
) -> list[str]:
    """Returns, as text, the settings and data in which an experiment differs from the finished run with `results`.

    Settings of `may_change` are not compared.
    """
    changed = config.changed_settings({*may_change, *unchanged_files(config)})
    before, now = results["data"], digests_of(config.directions)
    return changed + [f"{name} (was another text)" for name in {**now, **before} if now.get(name) != before.get(name)]


def other_starts(config: ExperimentConfig) -> list[str]:
    """Returns, as text, which of `init_from`, `teacher` and `subwords.models` are other files than when a run began."""
    began, start = read_digests(ModelDirectory(config.directory).data_path), start_digest(config)
    return [f"{name} (was another file)" for name in start if name in began and start[name] != began[name]]


def record(config: ExperimentConfig) -> None:
    """Writes `data.json` and `settings.json` of an experiment.

    If the run in the folder began with other data or settings, it raises a `UserError` and writes nothing.
    """
    folder = ModelDirectory(config.directory)
    before = read_digests(folder.data_path)
    of_start = {name: before[name] for name in (SAMPLING, *FILES) if name in before}
    of_data, start = digests_of(config.directions), start_digest(config)
    other_text, changed = _changes(config, of_data)
    digests = {**of_data, **start}
    if folder.checkpoints_path.exists():
        is_other_base = config.model.lora is not None and of_start.get(START) != start.get(START)
        is_other_teacher = of_start.get(TEACHER) != start.get(TEACHER)
        for is_other, problem, received in (
            (other_text, "a run that began with other text: use the same data", ", ".join(other_text)),
            (
                is_other_base,
                "an adapter of other weights: restore those of `init_from`",
                config.training.start.init_from,
            ),
            (is_other_teacher, "a run with a teacher of other weights: restore them", config.training.teacher),
            (changed, "a run with other settings: use the same settings", ", ".join(changed)),
        ):
            require(not is_other, f"{folder.path} holds {problem}, or another folder. Received: {received}")
        digests = {**of_data, **of_start}
    elif folder.weights_path.exists():
        raise UserError(
            f"{folder.path} holds a model without checkpoints, which cannot continue: use another folder, and set "
            f"`init_from` to start from this model. Received: directory={os.fspath(config.directory)}"
        )
    elif _are_other_subwords(config, other_text, changed):
        for path in (folder.config_path, *folder.path.glob("subwords*.model")):  # digests of subwords go first
            path.unlink(missing_ok=True)
    folder.path.mkdir(parents=True, exist_ok=True)
    results = read_results(folder.path)
    length = {"training.stop", "evaluation.patience"}
    if results is not None and differences(config, results, {*NO_EFFECT, *length}):
        # The old results must not stand beside the new settings, also if this process is killed.
        (folder.path / "results.json").unlink()
    write_json(folder.data_path, with_digest(digests))
    write_json(folder.settings_path, config.settings())


def has_other_subwords(config: ExperimentConfig) -> bool:
    """Returns whether a run would replace the folder's subwords: it began otherwise, and made no checkpoint."""
    folder = ModelDirectory(config.directory)
    if folder.checkpoints_path.exists() or folder.weights_path.exists():
        return False
    return _are_other_subwords(config, *_changes(config, digests_of(config.directions)))


def _are_other_subwords(config: ExperimentConfig, other_text: Sequence[str], changed: Sequence[str]) -> bool:
    """Returns whether these changes, which are those of `_changes`, or given models ask for other subwords."""
    is_other_text = any(name.startswith("train") for name in other_text)
    names = [f"{text.partition('=')[0]}." for text in changed]  # "training.teacher=other (was one)"
    is_other = any(name.startswith(f"{one}.") for name in names for one in SUBWORDS)
    return is_other_text or is_other or _are_other_models(config)


def _are_other_models(config: ExperimentConfig) -> bool:
    """Returns whether `subwords.models` has files, and the folder has copies of others."""
    copies = [ModelDirectory(config.directory).path / name for name in subword_names(config).values()]
    given = config.subwords.given_models(config.sides).values()
    is_whole = bool(given) and all(Path(path).is_file() for path in (*given, *copies))
    return is_whole and "subwords.models" not in unchanged_files(config)


def _changes(config: ExperimentConfig, of_data: Mapping[str, list[str]]) -> tuple[list[str], list[str]]:
    """Returns the uses with other text, and the settings with other values, than when the run in the folder began."""
    folder = ModelDirectory(config.directory)

    def of_training(data: Mapping[str, list[str]]) -> dict[str, list[str]]:
        return {name: data[name] for name in data if name.startswith(("train ", "dev "))}

    before = of_training(read_digests(folder.data_path))
    other_text = [name for name in before if name in of_data and of_data[name] != before[name]]
    may_change = {*MAY_CHANGE, *unchanged_files(config)}
    if config.training.schedule == "cosine":
        may_change.remove("training.stop.max_updates")
    if before == of_training(of_data):
        may_change |= {*TEXT}
    return other_text, config.changed_settings(may_change) if folder.settings_path.exists() else []


def finished_results(
    config: ExperimentConfig, report: Callable[[str], None], *, may_be_ended: bool = False
) -> dict[str, Any] | None:
    """Reports and returns the results of a complete run with the same settings and data, or returns None.

    A run that a callback ended is complete if one may end it again (`may_be_ended`), and goes on without.

    Raises:
        UserError: The run began with other weights of `init_from` or `teacher`, or other `subwords.models`.
    """
    results = read_results(config.directory)
    folder = ModelDirectory(config.directory)
    if results is None or not folder.weights_path.is_file() or not folder.settings_path.is_file():
        return None
    goes_on = results["ended_by"] == "callback" and not may_be_ended
    if goes_on or results["limits"] != config.limits or differences(config, results):
        return None
    other = ", ".join(other_starts(config))
    problem = (
        f"{folder.path} holds a finished run of other files: restore them, or use another folder. Received: {other}"
    )
    require(not other, problem)
    report(f"Finished before, at update {results['updates']:,} ({results['ended_by']}): {folder.path / 'results.json'}")
    if not scores_are_current(results, folder.path):
        report(f"scores {OTHER_WEIGHTS}")
        return results
    for name, score in results["dev_greedy"].items():
        report(f"dev {name} {score:.2f}  (greedy)")
    for name, cell in results.get("test", {}).items():
        report(test_line(name, cell))
    return results


def test_line(name: str, cell: Mapping[str, Any]) -> str:
    """Returns a line with the scores of a direction's test data, which are in `cell` of the results."""
    names = {"bleu": "BLEU", "chrf": "chrF2", "ter": "TER"}
    scores = "  ".join(f"{names[metric]} {cell[metric]['score']:.2f}" for metric in names if metric in cell)
    return f"test {name}  {scores}{'' if cell['trained'] else '  (never trained)'}  {cell['bleu']['signature']}"


@contextlib.contextmanager
def errors_of_form(where: str) -> Iterator[None]:
    """Turns the first error of pydantic about a value in a block into a `UserError`, which names the place `where`."""
    try:
        yield
    except ValidationError as error:
        wrong = error.errors(include_url=False)[0]
        part = ".".join(map(str, wrong["loc"]))
        where = f"{part} in {where}" if part else where
        raise UserError(f"Damaged: {where}: {wrong['msg']}. Received: {wrong['input']!r:.80}") from None
