"""Comparisons: trains several configurations with several seeds each, and writes their scores to one table."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from keras_nmt.errors import UserError, check_choice, require
from keras_nmt.experiments.comparison_table import (
    SEARCH,
    Differences,
    Runs,
    budget_names,
    common_directions,
    comparison_markdown,
    is_started,
    summarize,
)
from keras_nmt.experiments.config import ExperimentConfig
from keras_nmt.experiments.data_config import Direction
from keras_nmt.experiments.results import ROUNDS, check_scores, differences, other_starts, read_results, read_speed
from keras_nmt.experiments.run_experiment import Report
from keras_nmt.experiments.run_process import MEASURE, TRAIN, run_in_process
from keras_nmt.files.atomic_files import write_json, write_text
from keras_nmt.files.paths import check_local
from keras_nmt.files.settings import value_at
from keras_nmt.models import ModelDirectory

SCORING = ("subwords.lowercase", "evaluation.bleu_tokenizer")


@dataclasses.dataclass(kw_only=True)
class Comparison:
    """Several configurations, each to be trained with the same seeds, and the folder of the runs and of their table.

    The run of a configuration and a seed goes to `DIRECTORY/NAME-SEED`.

    Args:
        experiments: Dict from the names of the configurations, in the order of their training, to functions that make
            an `ExperimentConfig` from a seed and a model directory.
        baseline: Str, the configuration to compare with.
        seeds: List of ints, the seeds.
        directory: Path of the folder of the runs and of the table.
        unequal: Bool, whether configurations may differ in how long they train (`max_updates`, `time_limit`,
            `batch_size`, `batch_unit`, and whether they continue a training by `init_from`), in how they translate the
            test data (`beam_size`, `length_penalty`, `min_length`) and in how much of the development data they
            translate (`dev_sentences`). Defaults to `False`.
        decoding_speed: Bool, whether to measure the decoding speed of the runs of the first seed at the end: three
            times in turn, every configuration translates the test data. Speeds are measured again only if one is
            missing, or of other weights. Defaults to `False`.
        imports: Paths of Python files that register layers of the configurations. Each run's process imports them
            first. Defaults to none.

    Attributes:
        runs: Dict from a configuration and a seed to the `ExperimentConfig` of the run.

    Raises:
        UserError: The baseline is not one of the experiments, a name has a "/" or begins with a dot, there are no
            seeds, or a seed occurs twice.
    """

    experiments: dict[str, Callable[[int, Path], ExperimentConfig]]
    baseline: str
    seeds: Sequence[int]
    directory: str | os.PathLike[str]
    unequal: bool = False
    decoding_speed: bool = False
    imports: Sequence[str | os.PathLike[str]] = ()
    runs: dict[str, dict[int, ExperimentConfig]] = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        check_local(self.directory)
        check_choice("baseline", self.baseline, self.experiments)
        are_right = len(set(self.seeds)) == len(self.seeds) > 0
        require(are_right, "{seeds} must have at least one seed, and no seed twice", seeds=list(self.seeds))
        for name in self.experiments:
            is_folder = name and "/" not in name and not name.startswith(".") and name.isprintable()
            problem = "Names of configurations are names of folders: not empty, no /, no dot first, and printable"
            require(is_folder, problem, configuration=name)
        self.directory, self.runs = Path(self.directory), {}
        for name, make in self.experiments.items():
            with _named(name):
                self.runs[name] = {seed: make(seed, self.directory / f"{name}-{seed}") for seed in self.seeds}


def compare(comparison: Comparison, report: Report = lambda line: print(line, flush=True)) -> dict[str, Any]:
    """Trains the runs of a comparison that are missing, one after the other, and writes their scores to one table.

    Each run has a process of its own, so that memory and device settings of one run do not affect the next. All
    configurations are trained with one seed before the next seed. A comparison may be started again, with more
    configurations and seeds: finished runs are kept, and a stopped run continues. A comparison can be kept without
    weights (see `keep_runs`) and continued elsewhere: the lines of its data must be the same, their files may be in
    other places.

    After every run, `DIRECTORY/comparison.md` (the tables) and `DIRECTORY/comparison.json` (the same, with every single
    score) are written. Cells of unfinished runs are empty.

    | column | content |
    | --- | --- |
    | parameters | of the model |
    | training tokens/s | target tokens without padding: median and range over runs, of the median of each log |
    | decoding sentences/s | with `decoding_speed`: the test data by beam search, median and range of three turns |
    | runs | number of finished runs |
    | dev BLEU | of the final weights by greedy search: mean ± standard deviation (n - 1) over seeds |
    | test BLEU | the same by beam search |
    | difference | mean of test BLEU minus the baseline's, over the seeds that both have finished |
    | each seed | the difference for each of these seeds |
    | 95% interval | of the difference, over sentences and seeds; see `paired_bootstrap_of_runs` |
    | p | two-sided, over sentences; one seed, or fewer than 30 sentences, has no p |
    | p (Holm) | corrected for the number of tests in the table |
    | p (seeds) | two-sided, of Welch's t test over the scores of the runs, not corrected |

    Runs with empty translations of the test data, or with fewer than half as many distinct translations as lines, are
    named below the tables: the score of such a system means little.

    With several test sets, a second table has the columns from test BLEU on for each of them. Its p-values are
    corrected for the number of tests in it.

    With several directions, the BLEU of a run is the mean over the directions that all configurations have, on
    development and on test data, and the table of test sets has those that all of these directions have, by name. A
    last table has the test BLEU of each direction.

    Args:
        comparison: `Comparison`.
        report: Callable that gets each line of progress. Defaults to printing. The runs themselves report to standard
            output.

    Returns:
        The content of `comparison.json`.

    Raises:
        UserError: Budgets or searches are unequal, a file of the corpus is missing, a finished run had other
            settings, or a run failed.
    """
    check_comparison(comparison)
    known: Differences = {}  # a run that has finished does not change the differences of others
    write_table(comparison, known)
    for seed in comparison.seeds:
        for name, runs in comparison.runs.items():
            with _named(f"{name}, seed {seed}"):
                if _read_finished(runs[seed]):
                    report(f"{name}, seed {seed}: finished before")
                    continue
                report(f"{name}, seed {seed}: training in {runs[seed].directory}")
                run_in_process(TRAIN, runs[seed], imports=comparison.imports)
            write_table(comparison, known)
    if comparison.decoding_speed:
        _measure_speeds(comparison, report)
    return write_table(comparison, known)


def check_comparison(comparison: Comparison) -> list[str]:
    """Checks everything about all configurations that can be checked before the training, and writes nothing.

    Returns a line about each configuration: the number of parameters and the seeds of the runs that are missing. The
    number may become smaller: a corpus may give fewer subwords than the settings ask for.

    Raises:
        UserError: Budgets or searches are unequal, a setting is wrong, a file of the corpus is missing, or a finished
            run had other settings.
    """
    _check_fair(comparison)
    finished, lines = _finished_results(comparison.runs), []
    to_be_made = {
        Path(config.directory)
        for name, of_seeds in comparison.runs.items()
        for seed, config in of_seeds.items()
        if seed not in finished[name]
    }
    for name, runs in comparison.runs.items():
        missing = [seed for seed in runs if seed not in finished[name]]
        to_do = "finished before"
        if missing:
            with _named(name):
                parameters = runs[missing[0]].check(to_be_made)
            to_do = f"{parameters:,} parameters; to train with seed {', '.join(map(str, missing))}"
        lines.append(f"{name}: {to_do}")
    return lines


def finished_runs(comparison: Comparison) -> dict[tuple[str, int], str | os.PathLike[str]]:
    """Returns the folders of the finished runs by configuration and seed. For errors, see `write_table`."""
    finished = _finished_results(comparison.runs)
    return {(name, seed): comparison.runs[name][seed].directory for name in finished for seed in finished[name]}


def write_table(comparison: Comparison, known: Differences | None = None) -> dict[str, Any]:
    """Writes the tables of the finished runs, and returns the content of `comparison.json`.

    The differences in `known` are not computed again; new ones are added.

    Raises:
        UserError: Runs are not scored on the same data in the same way, budgets or searches are unequal, or a finished
            run had other settings.
    """
    _check_fair(comparison)
    results = _finished_results(comparison.runs)
    summary = summarize(comparison.runs, results, comparison.baseline, {} if known is None else known)
    write_json(Path(comparison.directory) / "comparison.json", summary)
    write_text(Path(comparison.directory) / "comparison.md", comparison_markdown(summary))
    return summary


def _finished_results(runs: Runs) -> dict[str, dict[int, dict[str, Any]]]:
    """Returns the results of the finished runs by configuration and seed."""
    return {
        name: {seed: results for seed, config in of_seeds.items() if (results := _read_finished(config))}
        for name, of_seeds in runs.items()
    }


def _read_finished(config: ExperimentConfig) -> dict[str, Any] | None:
    """Returns the results of a run that is complete, or None. Checks that it had the same settings and data."""
    results = read_results(config.directory)
    if results is None:
        return None
    changed = ", ".join(differences(config, results) + other_starts(config))
    problem = f"{config.directory} holds a finished run with other settings: use another folder, or the same settings"
    require(not changed, f"{problem}. Received: {changed}")
    max_updates, updates = config.training.stop.max_updates, results["updates"]
    problem = f"{config.directory} holds a run of {updates} updates: use another folder, or at least as many updates"
    require(max_updates is None or updates <= max_updates, f"{problem}. Received: max_updates={max_updates}")
    check_scores(config, results)
    return results if results["limits"] == config.limits else None  # a run that goes on has those of a shorter run


def _measure_speeds(comparison: Comparison, report: Report) -> None:
    """Measures the decoding speed of the runs of the first seed in turns, unless all have been measured."""
    directions = common_directions(comparison.runs, "test")
    runs = {name: of_seeds[comparison.seeds[0]] for name, of_seeds in comparison.runs.items()}
    runs = {name: x for name, x in runs.items() if directions and ModelDirectory(x.directory).weights_path.is_file()}
    speeds = [read_speed(config.directory) for config in runs.values()]
    if all(speed is not None and len(speed["rates"]) >= ROUNDS for speed in speeds):  # else missing, or interrupted
        return
    at = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    for i in range(ROUNDS):
        for name, config in runs.items():
            report(f"{name}: measuring the speed of decoding, turn {i + 1} of {ROUNDS}")
            run_in_process(MEASURE, config, at, *directions, imports=comparison.imports)


def _check_fair(comparison: Comparison) -> None:
    """Checks that all runs are scored on the same data and in the same way, and, unless `unequal`, have one budget."""
    runs = comparison.runs
    configs = [config for of_seeds in runs.values() for config in of_seeds.values()]
    for use in ("dev", "test"):
        names = common_directions(runs, use)
        has_names = names or not getattr(configs[0].pair_lists, use)
        require(has_names, f"The configurations must have a direction in common. Received: different {use}_pairs")
        files = {d.name: _files(d, use) for d in configs[0].directions}
        for direction in (d for config in configs[1:] for d in config.directions if d.name in names):
            files_of_direction, first = _files(direction, use), files[direction.name]
            problem = "Configurations must be scored on the same data"
            received = f"Received: {use} {direction.name}={first}, and {files_of_direction}"
            require(files_of_direction == first, f"{problem}. {received}")
    for name in SCORING:
        different = _different_values(configs, name)
        require(not different, f"Configurations must be scored in the same way. Received: {different}")
    if comparison.unequal:
        return
    kinds = {"Budgets": budget_names(configs), "Searches": SEARCH, "Scored texts": ("evaluation.dev_sentences",)}
    for kind, settings in kinds.items():
        for name in settings:
            different = _different_values(configs, name)
            problem = f"{kind} must be equal for a fair comparison; `unequal` (--unequal) allows others"
            require(not different, f"{problem}. Received: {different}")
    starts: dict[bool, list[str]] = {True: [], False: []}
    for name, of_seeds in runs.items():
        starts[is_started(next(iter(of_seeds.values())))].append(name)
    if all(starts.values()):
        raise UserError(
            "Budgets must be equal for a fair comparison, and weights of `init_from` have been trained before; "
            "`unequal` (--unequal) allows others. "
            f"Received: init_from of {', '.join(starts[True])}, but not of {', '.join(starts[False])}"
        )


def _files(direction: Direction, use: str) -> str:
    return ", ".join(" and ".join(map(str, sides)) for sides in direction.files(use))


def _different_values(configs: Sequence[ExperimentConfig], name: str) -> str:
    """Returns, as text, the different values of a setting, or "" if it is equal in all configurations."""
    values = sorted({str(value_at(config, name)) for config in configs})
    return f"{name.rpartition('.')[2]}={' and '.join(values)}" if len(values) > 1 else ""


@contextlib.contextmanager
def _named(name: str) -> Iterator[None]:
    """Puts the name of a configuration or a run in front of a `UserError` inside the block."""
    try:
        yield
    except UserError as error:
        raise UserError(f"{name}: {error}") from None
