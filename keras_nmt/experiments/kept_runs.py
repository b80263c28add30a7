"""Keeps finished runs without their models, in two files that can be committed beside a recipe.

| file | content |
| --- | --- |
| `TABLE.jsonl` | one JSON object a run, a `KeptRun` |
| `TABLE.translations.tar.xz` | `CONFIGURATION-SEED/test*.txt`, the translations of the run's test data |

All scores can be computed again from the translations. Other files `test*.txt` in the folder of a run, such as n-best
lists in `test.n_best.txt`, are kept as well. The same runs always make the same bytes.
"""

from __future__ import annotations

import dataclasses
import hashlib
import io
import json
import lzma
import os
import re
import statistics
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from keras_nmt.errors import UserError, errors_as, require
from keras_nmt.experiments.comparison_table import Runs
from keras_nmt.experiments.config import BEFORE, ExperimentConfig
from keras_nmt.experiments.results import NO_EFFECT, RESULTS, errors_of_form, hypotheses_path, read_digests, read_speed
from keras_nmt.files.atomic_files import (
    atomic_folder,
    check_writable,
    directory_lock,
    write_bytes,
    write_json,
    write_text,
)
from keras_nmt.files.json_file import read_json, with_digest
from keras_nmt.files.paths import check_regular
from keras_nmt.files.settings import change_paths, flatten
from keras_nmt.files.training_log import TrainingLog
from keras_nmt.models import ModelDirectory

FILES = re.compile(r"test[^/\0]*\.txt")


@dataclasses.dataclass(frozen=True, kw_only=True)
class KeptRun:
    """A finished run without its model.

    Attributes:
        table: Str, the name of the file without its ending.
        configuration: Str, the name of the configuration.
        seed: Int.
        settings: Dict, the content of `settings.json`, with the names of files without their folders.
        results: Dict, the content of `results.json`: scores with signatures, counts of the translations, digests of
            the data, seconds, machine and date.
        log: List of dicts, all evaluations of `training_log.jsonl` and its last line about updates, whose
            "tokens_per_second" is the median of all lines.
        speed: Dict, the content of `speed.json`. Defaults to `None`: decoding was not measured.
        start: Dict, what `data.json` has and `results` has not, such as the digest of the weights of `init_from`.
        files: Dict, the SHA-256 of each file in the archive.
        contents: Dict, the content of each file in the archive, as bytes.
    """

    table: str
    configuration: str
    seed: int
    settings: dict[str, Any]
    results: dict[str, Any]
    log: list[dict[str, Any]]
    speed: dict[str, Any] | None = None
    start: dict[str, list[str]] = dataclasses.field(default_factory=dict)
    files: dict[str, str]
    contents: dict[str, bytes] = dataclasses.field(default_factory=dict, repr=False)

    @property
    def name(self) -> str:
        """The name of the run's folder."""
        return f"{self.configuration}-{self.seed}"

    def translations(self, direction: str) -> list[str]:
        """Returns the lines of the translations of a direction's test data."""
        return self.contents[hypotheses_path("", direction).name].decode().removesuffix("\n").split("\n")


LINE = TypeAdapter(KeptRun)


def archive_path(path: str | os.PathLike[str]) -> Path:
    """Returns the path of the archive with the translations of the runs in `path`."""
    return Path(path).with_suffix(".translations.tar.xz")


def read_kept_runs(path: str | os.PathLike[str]) -> dict[tuple[str, int], KeptRun]:
    """Reads the runs in `TABLE.jsonl` and the archive beside it, by configuration and seed in the order of the file.

    Raises:
        OSError: There is no such file, or no archive.
        UserError: A file is damaged, or the files do not belong together.
    """
    path, archive = Path(path), archive_path(path)
    for one in (path, archive):
        check_regular(one)
    contents = _unpack(archive)
    runs: dict[tuple[str, int], KeptRun] = {}
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        where = f"line {number} of {path}"
        with errors_of_form(where):
            run = LINE.validate_json(line, strict=True)
            RESULTS.validate_python(run.results, strict=True)
        if "/" in run.name or not all(map(FILES.fullmatch, run.files)):
            raise UserError(f"Names of kept runs and files must not have folders. Received: {run.name!r} in {where}")
        problem = f"Each run must be kept once: remove all lines of it but one, in {path}"
        require((run.configuration, run.seed) not in runs, f"{problem}. Received: {run.name} again in line {number}")
        run_contents = {}
        for name, digest in run.files.items():
            content = contents.get(f"{run.name}/{name}")
            if content is None or _digest(content) != digest:
                raise UserError(
                    f"{path} and {archive.name} must belong together; restore both. "
                    f"Received: {run.name}/{name} {'is missing' if content is None else 'is another text'}"
                )
            run_contents[name] = content
        runs[run.configuration, run.seed] = dataclasses.replace(run, contents=run_contents)
    return runs


def keep_runs(path: str | os.PathLike[str], folders: Mapping[tuple[str, int], str | os.PathLike[str]]) -> None:
    """Writes finished runs to `path` and its archive. Other runs that are kept there stay.

    `folders` has the folders of the runs by configuration and seed. A kept run is replaced only by one with the same
    settings and data, or the table would compare unlike runs.

    Raises:
        OSError, UserError: A file cannot be read or written, or is damaged, or a run of the same name with other
            settings or data is kept there.
    """
    path = Path(path)
    with directory_lock(path.parent, wait=True):  # two comparisons may end at the same time
        runs = read_kept_runs(path) if path.exists() else {}
        for key, folder in folders.items():
            run = _read_run(path.stem, *key, Path(folder))
            if key in runs:
                _check_same(path, runs[key], run.settings, run.results["data"])
            runs[key] = run
        fields = [field.name for field in dataclasses.fields(KeptRun) if field.name != "contents"]
        rows = ({name: getattr(run, name) for name in fields} for run in runs.values())
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        if path.exists() and path.read_text(encoding="utf-8") == text:
            return  # the digests show that the archive would be the same, too
        with io.BytesIO() as packed:
            with tarfile.open(fileobj=packed, mode="w:xz", format=tarfile.PAX_FORMAT) as archive:
                for run in runs.values():
                    for name, content in run.contents.items():
                        member = tarfile.TarInfo(f"{run.name}/{name}")  # no time and no owner
                        member.size = len(content)
                        archive.addfile(member, io.BytesIO(content))
            write_bytes(archive_path(path), packed.getvalue())
        write_text(path, text)


def restore_runs(path: str | os.PathLike[str], directory: str | os.PathLike[str]) -> None:
    """Makes the folders of kept runs that a comparison's folder lacks, with the results and without the models.

    For errors, see `read_kept_runs`.
    """
    for run in read_kept_runs(path).values():
        folder = Path(directory) / run.name
        if folder.exists():
            continue
        with atomic_folder(folder) as temporary:
            for name, content in run.contents.items():
                (temporary / name).write_bytes(content)
            made = ModelDirectory(temporary)
            for line in run.log:
                TrainingLog(made.log_path).append(line)
            write_json(made.settings_path, run.settings)
            write_json(made.data_path, with_digest({**run.results["data"], **run.start}))
            if run.speed is not None:
                write_json(temporary / "speed.json", run.speed)
            write_json(temporary / "results.json", run.results)


def check_keeping(path: str | os.PathLike[str], runs: Runs) -> None:
    """Checks, before runs are trained, that they can be kept in `path`; for errors, see `keep_runs`."""
    require(Path(path).suffix == ".jsonl", f"The file of kept runs must end with .jsonl. Received: {os.fspath(path)}")
    for one in (path, archive_path(path)):
        check_writable(one)
    for (name, seed), kept in (read_kept_runs(path) if Path(path).exists() else {}).items():
        if seed in runs.get(name, {}):
            _check_same(path, kept, _kept_settings(runs[name][seed].settings()), {})  # their texts: when they are kept


def _check_same(
    path: str | os.PathLike[str], kept: KeptRun, settings: Mapping[str, Any], data: Mapping[str, list[str]]
) -> None:
    """Checks that a run has the settings and data of the kept run of its name."""
    old, new = ({**BEFORE, **flatten(ExperimentConfig, one)} for one in (kept.settings, settings))
    # A setting that only one has is of another version of the package, unless it is an argument of the model.
    names = [x for x in {**old, **new} if (x in old and x in new) or x.startswith("model.")]
    names = [name for name in names if not any(f"{name}.".startswith(f"{x}.") for x in NO_EFFECT)]
    changed = [f"{name}={new.get(name)} (was {old.get(name)})" for name in names if old.get(name) != new.get(name)]
    before = kept.results["data"]
    changed += [f"{name} (was another text)" for name in data if before.get(name, data[name]) != data[name]]
    problem = f"{path} keeps {kept.name} with other settings: keep these runs in another file"
    require(not changed, f"{problem}. Received: {', '.join(changed)}")


def _kept_settings(settings: dict[str, Any]) -> dict[str, Any]:
    """Returns the settings of a run without its folder, and with the names of files without theirs."""
    kept = change_paths(ExperimentConfig, settings, _kept_path)
    return {key: x for key, x in kept.items() if key != "directory"}


def _read_run(table: str, configuration: str, seed: int, folder: Path) -> KeptRun:
    made = ModelDirectory(folder)
    settings = read_json(made.settings_path, "the settings of a run")
    results = read_json(folder / "results.json", "the results of a run")
    contents = {file.name: file.read_bytes() for file in sorted(folder.iterdir()) if FILES.fullmatch(file.name)}
    if missing := [name for name in results.get("test", {}) if hypotheses_path(folder, name).name not in contents]:
        raise UserError(f"A run can be kept with its translations only. Received: {folder}, none of {missing[0]}")
    path = folder / "speed.json"
    if made.weights_path.is_file():
        speed = read_speed(folder)  # none of other weights
    else:  # of a kept run, in the form of its time
        speed = read_json(path, "the speed of a model") if path.is_file() else None
    return KeptRun(
        table=table,
        configuration=configuration,
        seed=seed,
        settings=_kept_settings(settings),
        results=results,
        log=_summary(TrainingLog(made.log_path).read()),
        speed=speed,
        start={key: x for key, x in read_digests(made.data_path).items() if key not in results["data"]},
        files={name: _digest(content) for name, content in contents.items()},
        contents=contents,
    )


def _kept_path(path: str) -> str:
    """Returns the name of a file; of a pattern, the part from the first folder with a place for a language on."""
    parts = Path(path).parts
    first = next((number for number, part in enumerate(parts) if "{" in part), len(parts) - 1)
    return str(Path(*parts[first:])) if parts else path


def _summary(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns all evaluations, and the last line about updates with the median speed."""
    of_updates = [line for line in lines if "tokens_per_second" in line]
    if not of_updates:
        return lines
    rates = [line["tokens_per_second"] for line in of_updates if line["tokens_per_second"]]
    last = of_updates[-1]
    of_run = {**last, "tokens_per_second": statistics.median(rates) if rates else None}
    return [of_run if line is last else line for line in lines if line is last or "tokens_per_second" not in line]


def _unpack(path: Path) -> dict[str, bytes]:
    """Reads the files of an archive into memory."""
    errors = tarfile.TarError, lzma.LZMAError, EOFError
    with errors_as(f"Damaged: {path} must be a tar.xz archive", *errors), tarfile.open(path, "r:xz") as archive:
        files = ((member.name, archive.extractfile(member)) for member in archive)
        return {name: file.read() for name, file in files if file is not None}


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
