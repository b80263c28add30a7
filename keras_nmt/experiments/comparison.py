"""Comparisons: trains several configurations with several seeds each, and writes their scores to one table."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from keras_nmt.data import read_lines
from keras_nmt.errors import UserError
from keras_nmt.evaluation import holm, paired_bootstrap_of_runs
from keras_nmt.experiments.config import ExperimentConfig
from keras_nmt.experiments.data_config import check_files
from keras_nmt.experiments.reports import (
    comparison_markdown,
    comparison_tables,
    degenerate,
    mean_and_deviation,
    median_and_range,
)
from keras_nmt.experiments.results import differences, hypotheses_path, is_complete, read_results, read_speed
from keras_nmt.experiments.run_experiment import run
from keras_nmt.experiments.scores import measure_speed
from keras_nmt.files.atomic_files import write_json, write_text
from keras_nmt.files.paths import check_local
from keras_nmt.files.settings import value_at
from keras_nmt.files.training_log import TrainingLog
from keras_nmt.models import ModelDirectory
from keras_nmt.training.stopping import Interruption

BUDGET = ("training.stop.max_updates", "training.stop.time_limit", "training.batch_size", "training.batch_unit")
SEARCH = ("search.beam_size", "search.length_penalty", "search.min_length")
SCORING = ("subwords.lowercase", "evaluation.bleu_tokenizer")
ROUNDS = 3  # turns in which the decoding speed of each configuration is measured


@dataclasses.dataclass(kw_only=True)
class Comparison:
    """Trains several configurations with several seeds, one after the other, and writes their scores to one table.

    The run of a configuration and a seed goes to `DIRECTORY/NAME-SEED`. It has a process of its own, so that memory and
    device settings of one run do not affect the next. All configurations are trained with one seed before the next
    seed. A comparison may be started again, with more configurations and seeds: finished runs are kept, and a stopped
    run continues. A comparison can be kept without weights (see `keep_runs`) and continued elsewhere: the lines of its
    data must be the same, their files may be in other places.

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
    | p | two-sided, over sentences; one seed has no p |
    | p (Holm) | corrected for the number of tests in the table |

    Runs with empty translations of the test data, or with fewer than half as many distinct translations as lines, are
    named below the tables: the score of such a system means little.

    With several directions, the BLEU of a run is the mean over the directions that all configurations have, on
    development and on test data. A second table has the test BLEU of each direction.

    Args:
        experiments: Dict from the names of the configurations, in the order of their training, to functions that make
            an `ExperimentConfig` from a seed and a model directory.
        baseline: Str, the configuration to compare with.
        seeds: List of ints, the seeds.
        directory: Path of the folder of the runs and of the table.
        unequal: Bool, whether configurations may differ in how long they train (`max_updates`, `time_limit`,
            `batch_size`, `batch_unit`, and whether they continue a training by `init_from`), in how they translate the
            test data (`beam_size`, `length_penalty`) and in how much of the development data they translate
            (`dev_sentences`). Defaults to `False`.
        decoding_speed: Bool, whether to measure the decoding speed of the runs of the first seed at the end: three
            times in turn, every configuration translates the test data. Speeds are measured again only if one is
            missing, or of other weights. Defaults to `False`.
        imports: Paths of Python files that register layers of the configurations. Each run's process imports them
            first. Defaults to none.
        report: Callable that gets each line of progress. The runs themselves report to standard output.

    Raises:
        UserError: The baseline is not one of the experiments, there are no seeds, or a seed occurs twice.
    """

    experiments: dict[str, Callable[[int, Path], ExperimentConfig]]
    baseline: str
    seeds: Sequence[int]
    directory: str | os.PathLike[str]
    unequal: bool = False
    decoding_speed: bool = False
    imports: Sequence[str | os.PathLike[str]] = ()
    report: Callable[[str], None] = lambda line: print(line, flush=True)

    def __post_init__(self) -> None:
        check_local(self.directory)
        if self.baseline not in self.experiments:
            raise UserError(
                f"The baseline must be one of {', '.join(self.experiments)}. Received: baseline={self.baseline!r}"
            )
        if not self.seeds or len(set(self.seeds)) != len(self.seeds):
            raise UserError(f"`seeds` must have at least one seed, and no seed twice. Received: {list(self.seeds)}")
        self.directory = Path(self.directory)
        self._runs: dict[int, dict[str, ExperimentConfig]] = {seed: {} for seed in self.seeds}
        for seed, runs in self._runs.items():
            for name, make in self.experiments.items():
                with _named(name):
                    runs[name] = make(seed, self.directory / f"{name}-{seed}")
        pairs = [experiment.pair_lists for experiment in self._runs[self.seeds[0]].values()]
        self._dev, self._test = (
            [f"{s}-{t}" for s, t in lists[0] if all((s, t) in other for other in lists)]
            for lists in ([one.dev for one in pairs], [one.test for one in pairs])
        )

    def run(self) -> dict[str, Any]:
        """Trains the runs that are missing, and returns the content of `comparison.json`.

        Raises:
            UserError: Budgets or searches are unequal, a file of the corpus is missing, a finished run had other
                settings, or a run failed.
        """
        self.check()
        self.write()
        for seed, experiments in self._runs.items():
            for name, experiment in experiments.items():
                with _named(f"{name}, seed {seed}"):
                    if self._finished(experiment):
                        self.report(f"{name}, seed {seed}: finished before")
                    else:
                        self.report(f"{name}, seed {seed}: training in {experiment.directory}")
                        _python("_train", experiment, imports=self.imports)
                self.write()
        if self.decoding_speed:
            self._measure_speeds()
        return self.write()

    def check(self) -> dict[str, int]:
        """Checks everything about all configurations that can be checked before the training.

        Returns:
            Dict, the number of parameters of each configuration that has runs to train. It may become smaller: a corpus
            may give fewer subwords than the settings ask for.

        Raises:
            UserError: Budgets or searches are unequal, a setting is wrong, a file of the corpus is missing, or a
                finished run had other settings.
        """
        self._check_scoring()
        self._check_budgets()
        parameters = {}
        for name in self.experiments:
            missing = [runs[name] for runs in self._runs.values() if not self._finished(runs[name])]
            with _named(name):
                if missing:
                    parameters[name] = missing[0].check()
        return parameters

    def finished_runs(self) -> dict[tuple[str, int], Path]:
        """Returns the folders of the finished runs by configuration and seed."""
        runs = {(name, seed): self._runs[seed][name] for name in self.experiments for seed in self.seeds}
        return {run: Path(experiment.directory) for run, experiment in runs.items() if self._finished(experiment)}

    def dry_run(self) -> None:
        """Checks all configurations, see `check`, and reports which runs are missing. It writes nothing."""
        parameters = self.check()
        for name in self.experiments:
            seeds = [str(seed) for seed, runs in self._runs.items() if not self._finished(runs[name])]
            to_do = f"{parameters[name]:,} parameters; to train with seed {', '.join(seeds)}" if seeds else ""
            self.report(f"{name}: {to_do or 'finished before'}")

    def write(self) -> dict[str, Any]:
        """Writes the tables of the finished runs, and returns the content of `comparison.json`."""
        summary = self.summary()
        write_json(Path(self.directory) / "comparison.json", summary)
        write_text(Path(self.directory) / "comparison.md", comparison_markdown(summary))
        return summary

    def show(self) -> None:
        """Writes and prints the tables. Raises a `UserError` if scores are not comparable or settings have changed."""
        self._check_scoring()
        console = Console()
        console.width = max(console.width, 150)  # a wrapped line is easier to read than a cell in two lines
        summary = self.write()
        for columns, *rows in comparison_tables(summary):
            table = Table(*(column.replace(" ", "\n") for column in columns), box=box.SIMPLE)
            for row in rows:
                table.add_row(*row)
            console.print(table)
        for line in degenerate(summary):
            self.report(f"Warning: {line}")
        self.report(f"Written to {Path(self.directory) / 'comparison.md'}")

    def summary(self) -> dict[str, Any]:
        """Returns the content of `comparison.json`."""
        finished = {
            name: {seed: found for seed, runs in self._runs.items() if (found := self._finished(runs[name]))}
            for name in self.experiments
        }
        first = self._runs[self.seeds[0]]
        configurations = {name: self._outcome(name, finished) for name in self.experiments}
        p_values = {name: one["p_value"] for name, one in configurations.items() if one["p_value"] is not None}
        for name, p in holm(p_values).items():
            configurations[name]["p_value_holm"] = p
        return {
            "baseline": self.baseline,
            "seeds": list(self.seeds),
            "budget": {name: _values(made, BUDGET) for name, made in first.items()},
            "search": {name: _values(made, SEARCH) for name, made in first.items()},
            "directions": self._test,
            "started_from_a_trained_run": [name for name, made in first.items() if _is_started(made)],
            "signature": next((found["signature"] for found in configurations.values() if found["signature"]), None),
            "configurations": {
                name: {key: value for key, value in found.items() if key != "signature"}
                for name, found in configurations.items()
            },
        }

    def _outcome(self, name: str, finished: dict[str, dict[int, dict[str, Any]]]) -> dict[str, Any]:
        """Returns the scores and speeds of a configuration, from the results of all finished runs by name and seed."""
        results = finished[name]
        runs = {seed: self._runs[seed][name] for seed in results}
        tests = {seed: found["test"] for seed, found in results.items() if "test" in found and self._test}
        bleus = {seed: self._bleu(test) for seed, test in tests.items()}
        rates = [rate for rate in map(_training_rate, runs.values()) if rate is not None]
        speed = read_speed(runs[self.seeds[0]].directory) if self.seeds[0] in runs else None
        outcome: dict[str, Any] = {
            "runs": len(runs),
            "parameters": next((found["parameters"] for found in results.values()), None),
            "updates": {seed: found["updates"] for seed, found in results.items()},
            "training_tokens_per_second": median_and_range(rates),
            "decoding_sentences_per_second": speed and {**(median_and_range(speed["rates"]) or {}), "at": speed["at"]},
            "dev_bleu_greedy": mean_and_deviation(
                {seed: self._dev_bleu(found["dev_greedy"]) for seed, found in results.items()}
            ),
            "test_bleu": mean_and_deviation(bleus),
            "by_direction": {
                direction: {
                    "trained": all(test[direction]["trained"] for test in tests.values()),
                    **mean_and_deviation({seed: test[direction]["bleu"]["score"] for seed, test in tests.items()}),
                }
                for direction in self._test
            },
            "outputs": {
                seed: {d: _outputs(runs[seed], d, test[d]) for d in self._test} for seed, test in tests.items()
            },
            "signature": next((test[self._test[0]]["bleu"]["signature"] for test in tests.values()), None),
            "difference": None,
            "differences": {},
            "interval": None,
            "p_value": None,
            "p_value_holm": None,
        }
        others = finished[self.baseline]
        shared = [seed for seed in bleus if seed in others]
        if name == self.baseline or not shared:
            return outcome
        first = runs[shared[0]]
        references = {d.name: d.read_tests()[1] for d in first.directions if d.tests and d.name in self._test}
        systems, baselines = (
            {d: [read_lines(hypotheses_path(self._runs[seed][of].directory, d)) for seed in shared] for d in references}
            for of in (name, self.baseline)
        )
        found = paired_bootstrap_of_runs(
            systems, baselines, references, lowercase=first.subwords.lowercase, tokenize=first.evaluation.bleu_tokenizer
        )
        differences = {seed: bleus[seed] - self._bleu(others[seed]["test"]) for seed in shared}
        return {
            **outcome,
            "difference": statistics.mean(differences.values()),
            "differences": differences,
            "interval": found.interval,
            "p_value": found.p_value,
        }

    def _bleu(self, test: dict[str, Any]) -> float:
        return statistics.mean(test[direction]["bleu"]["score"] for direction in self._test)

    def _dev_bleu(self, dev: dict[str, float]) -> float:
        scores = [dev[f"bleu_{direction}"] for direction in self._dev if f"bleu_{direction}" in dev]
        return statistics.mean(scores) if scores else dev["bleu"]

    def _finished(self, experiment: ExperimentConfig) -> dict[str, Any] | None:
        """Returns the results of a run that is complete, or None. Checks that it had the same settings and data."""
        results = read_results(experiment.directory)
        if results is None:
            return None
        if changed := differences(experiment, results):
            raise UserError(
                f"{experiment.directory} holds a finished run with other settings: use another folder, or the same "
                f"settings. Received: {', '.join(changed)}"
            )
        max_updates = experiment.training.stop.max_updates
        if max_updates is not None and (results["updates"] or 0) > max_updates:
            raise UserError(
                f"{experiment.directory} holds a run of {results['updates']} updates: use another folder, or at least "
                f"as many updates. Received: max_updates={max_updates}"
            )
        return results if is_complete(experiment, results) else None

    def _measure_speeds(self) -> None:
        """Measures the decoding speed of the runs of the first seed in turns, unless all have been measured."""
        runs = {
            name: experiment
            for name, experiment in self._runs[self.seeds[0]].items()
            if self._test and ModelDirectory(experiment.directory).weights_path.is_file()
        }
        if all(read_speed(experiment.directory) for experiment in runs.values()):
            return
        at = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        for i in range(ROUNDS):
            for name, experiment in runs.items():
                self.report(f"{name}: measuring the speed of decoding, turn {i + 1} of {ROUNDS}")
                _python("_measure_speed", experiment, at, *self._test, imports=self.imports)

    def _check_scoring(self) -> None:
        """Checks that all runs are scored on the same data and in the same way."""
        experiments = [experiment for runs in self._runs.values() for experiment in runs.values()]
        first, *more = experiments
        for use, names in (("dev", self._dev), ("test", self._test)):
            if not names and getattr(first.pair_lists, use):
                raise UserError(f"The configurations must have a direction in common. Received: different {use}_pairs")
            files = {d.name: d.files(use) for d in first.directions}
            for direction in (d for experiment in more for d in experiment.directions if d.name in names):
                both = [
                    ", ".join(" and ".join(map(str, sides)) for sides in one)
                    for one in (files[direction.name], direction.files(use))
                ]
                if both[0] != both[1]:
                    raise UserError(
                        "Configurations must be scored on the same data. "
                        f"Received: {use} {direction.name}={both[0]}, and {both[1]}"
                    )
        for name in SCORING:
            values = sorted({str(value_at(experiment, name)) for experiment in experiments})
            if len(values) > 1:
                raise UserError(
                    "Configurations must be scored in the same way. "
                    f"Received: {name.rpartition('.')[2]}={' and '.join(values)}"
                )

    def _check_budgets(self) -> None:
        """Checks budgets, searches, files and finished runs."""
        experiments = [experiment for runs in self._runs.values() for experiment in runs.values()]
        kinds = (
            dict.fromkeys(BUDGET, "Budgets")
            | dict.fromkeys(SEARCH, "Searches")
            | {"evaluation.dev_sentences": "Scored texts"}
        )
        for name, kind in kinds.items():
            values = sorted({str(value_at(experiment, name)) for experiment in experiments})
            if len(values) > 1 and not self.unequal:
                raise UserError(
                    f"{kind} must be equal for a fair comparison; `unequal` (--unequal) allows others. "
                    f"Received: {name.rpartition('.')[2]}={' and '.join(values)}"
                )
        starts: dict[bool, list[str]] = {True: [], False: []}
        for name, experiment in self._runs[self.seeds[0]].items():
            starts[_is_started(experiment)].append(name)
        if all(starts.values()) and not self.unequal:
            raise UserError(
                "Budgets must be equal for a fair comparison, and weights of `init_from` have been trained before; "
                "`unequal` (--unequal) allows others. "
                f"Received: init_from of {', '.join(starts[True])}, but not of {', '.join(starts[False])}"
            )
        for experiment in experiments:
            check_files(experiment.directions)
            self._finished(experiment)


@contextlib.contextmanager
def _named(name: str) -> Iterator[None]:
    """Puts the name of a configuration or a run in front of a `UserError` inside the block."""
    try:
        yield
    except UserError as error:
        raise UserError(f"{name}: {error}") from None


def _measure_speed(path: str, at: str, *directions: str) -> None:
    """Measures the decoding speed of the run with the settings in a file."""
    measure_speed(ExperimentConfig.from_settings(ExperimentConfig.read_settings(path)), at, directions)


def _train(path: str) -> None:
    """Runs the experiment with the settings in a file."""
    run(ExperimentConfig.from_settings(ExperimentConfig.read_settings(path)))


def _python(
    function: str, experiment: ExperimentConfig, *arguments: str, imports: Sequence[str | os.PathLike[str]] = ()
) -> None:
    """Calls a function of this module in a new process. It is stopped, and saves its run, when this process is."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "settings.json"
        write_json(path, experiment.settings())
        _call(function, os.fspath(path), *arguments, imports=imports)


def _call(function: str, *arguments: str, imports: Sequence[str | os.PathLike[str]] = ()) -> None:
    """Calls a function of this module in a new process, and raises the process's error as a `UserError`."""
    files = [os.fspath(file) for file in imports]
    program = (
        "import sys; from pathlib import Path; from keras_nmt.experiments import comparison; "
        "from keras_nmt.files.paths import import_file; "
        f"[import_file(Path(file)) for file in {files!r}]; comparison.{function}(*sys.argv[1:])"
    )
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as errors,
        Interruption() as interruption,
        subprocess.Popen([sys.executable, "-c", program, *arguments], stderr=errors) as process,
    ):
        forwarded = False
        while process.poll() is None:
            # Only SIGTERM is forwarded: the terminal sends Ctrl-C to both processes.
            if interruption.signal == signal.SIGTERM and not forwarded:
                process.terminate()
                forwarded = True
            time.sleep(0.1)
        if interruption.signal is not None:
            raise SystemExit(128 + interruption.signal)
        errors.seek(0)
        if process.returncode:
            raise UserError(_reason(process.returncode, errors.read()))


def _reason(returncode: int, errors: str) -> str:
    """Returns in one line why a process failed. The traceback of an unexpected error goes to standard error."""
    last = next((line for line in reversed(errors.splitlines()) if line.strip()), "")
    prefix = f"{UserError.__module__}.{UserError.__name__}: "
    if last.startswith(prefix):
        return last.removeprefix(prefix)
    print(errors, file=sys.stderr)
    if returncode < 0:
        return f"The run was killed, perhaps for lack of memory. Received: {signal.Signals(-returncode).name}"
    return f"The run failed; see the error above. Received: {last or f'exit code {returncode}'}"


def _values(experiment: ExperimentConfig, names: Sequence[str]) -> dict[str, Any]:
    return {name.rpartition(".")[2]: value_at(experiment, name) for name in names}


def _is_started(experiment: ExperimentConfig) -> bool:
    return experiment.training.start.init_from is not None


def _training_rate(experiment: ExperimentConfig) -> float | None:
    lines = TrainingLog(ModelDirectory(experiment.directory).log_path).read()
    rates = [line["tokens_per_second"] for line in lines if line.get("tokens_per_second")]
    return statistics.median(rates) if rates else None


def _outputs(experiment: ExperimentConfig, direction: str, test: dict[str, Any]) -> dict[str, int]:
    """Counts all, empty and distinct translations of a direction's test data."""
    lines = read_lines(hypotheses_path(experiment.directory, direction))
    counts = {"lines": len(lines), "empty": sum(not line.strip() for line in lines), "distinct": len(set(lines))}
    return {**test.get("outputs", {}), **counts}
