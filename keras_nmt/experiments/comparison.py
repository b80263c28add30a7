"""Several configurations, several seeds each, in one table."""

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

from keras_nmt.data import read_line_pairs, read_lines
from keras_nmt.errors import UserError
from keras_nmt.evaluation import holm, paired_bootstrap_of_runs
from keras_nmt.experiments.comparison_tables import (
    comparison_markdown,
    comparison_tables,
    degenerate,
    mean_and_deviation,
    median_and_range,
)
from keras_nmt.experiments.development_scores import translate_direction
from keras_nmt.experiments.directions import check_files
from keras_nmt.experiments.experiment import Experiment
from keras_nmt.experiments.results import (
    SEARCH,
    differences,
    file_digest,
    hypotheses_path,
    is_complete,
    read_results,
    read_speed,
)
from keras_nmt.experiments.run_experiment import run
from keras_nmt.files.atomic_files import write_json, write_text
from keras_nmt.files.check_path import check_local
from keras_nmt.inference import Translator
from keras_nmt.models import ModelDirectory
from keras_nmt.training.interruption import Interruption
from keras_nmt.training.training_log import TrainingLog

BUDGET = ("max_updates", "time_limit", "batch_size", "batch_unit")
SCORING = ("lowercase", "bleu_tokenizer")
WARM_UP = 64  # sentences
ROUNDS = 3  # in which the decoding of each configuration is measured


@dataclasses.dataclass(kw_only=True)
class Comparison:
    """Trains several configurations with several seeds, one after the other, and writes their scores to one table.

    The run of a configuration and a seed goes to `DIRECTORY/NAME-SEED`, in a process of its own: neither memory nor
    device settings of one run reach the next. A finished run is not made again, a stopped run continues: a comparison
    may be started again, with more configurations and seeds. All configurations are trained with one seed before the
    next seed. At the end, the speed of decoding is measured in turns, of the runs of the first seed: three times, each
    time of all configurations, if one of them has not been measured since its training. A comparison can be kept
    without weights (see `keep_runs`), and continue elsewhere, with the same lines of data, wherever the files are.

    After every run, `DIRECTORY/comparison.md` (the tables) and `DIRECTORY/comparison.json` (the same, with every single
    score) are written; cells of runs that are not finished are empty.

    | column | content |
    | --- | --- |
    | parameters | of the model |
    | training tokens/s | target tokens without padding: median and range of the medians of the runs' logs |
    | decoding sentences/s | the test data by beam search after a warm-up, median and range of the three turns |
    | runs | finished runs |
    | dev BLEU | the final weights, greedy search; mean ± standard deviation (n - 1) over seeds |
    | test BLEU | beam search; the same |
    | difference | the mean of test BLEU less the baseline's, over the seeds that both have finished |
    | each seed | the difference of each of them |
    | 95% interval | of the difference, with other sentences and seeds; see `paired_bootstrap_of_runs` |
    | p | two-sided, with other sentences; one seed has no p |
    | p (Holm) | corrected for the number of tests in the table |

    Runs with empty translations of the test data, or with fewer than half as many distinct translations as lines, are
    named below the tables: a score of such a system means little.

    With several directions, the BLEU of a run is the mean over the directions that all configurations have, on
    development and on test data. A second table has the test BLEU of each direction.

    Args:
        experiments: Dict from names to functions of the seed and the model directory that make the experiment. They
            are trained in this order.
        baseline: Str, the configuration to compare with.
        seeds: List of ints, the seeds.
        directory: Path of the folder of the runs and of the table.
        unequal: Bool, whether configurations may differ in how long they train (`max_updates`, `time_limit`,
            `batch_size`, `batch_unit`, and whether there is an `init_from`, whose training counts, too), in how the
            test is translated (`beam_size`, `length_penalty`) and in how much of the development data is translated
            (`dev_sentences`). Defaults to `False`.
        imports: Paths of Python files that register layers of the configurations. The process of each run runs the
            files first. Defaults to none.
        report: Callable, gets each line of progress. The runs report to standard output.

    Raises:
        UserError: The baseline is none of the experiments, or there are no seeds, or one twice.
    """

    experiments: dict[str, Callable[[int, Path], Experiment]]
    baseline: str
    seeds: Sequence[int]
    directory: str | os.PathLike[str]
    unequal: bool = False
    imports: Sequence[str | os.PathLike[str]] = ()
    report: Callable[[str], None] = lambda line: print(line, flush=True)

    def __post_init__(self) -> None:
        check_local(self.directory)
        if self.baseline not in self.experiments:
            raise UserError(
                f"The baseline must be one of {', '.join(self.experiments)}. Received: baseline={self.baseline!r}"
            )
        if not self.seeds or len(set(self.seeds)) != len(self.seeds):
            raise UserError(f"Give at least one seed, and none twice. Received: seeds={list(self.seeds)}")
        self.directory = Path(self.directory)
        self._runs: dict[int, dict[str, Experiment]] = {seed: {} for seed in self.seeds}
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
        """Makes the runs that are missing, and returns the content of `comparison.json`.

        Raises:
            UserError: Budgets or searches are unequal, a file of the corpus is missing, a finished run had other
                settings, or a run failed.
        """
        self.check()
        self.write()
        for seed, experiments in self._runs.items():
            for name, experiment in experiments.items():
                run = f"{name}, seed {seed}"
                with _named(run):
                    self._complete(run, experiment)
                self.write()
        self._measure_speeds()
        return self.write()

    def check(self) -> dict[str, int]:
        """Checks all configurations: everything that does not need hours of training.

        Returns:
            Dict, the number of parameters of each configuration with runs to make; subwords may turn out fewer.

        Raises:
            UserError: Budgets or searches are unequal, a setting is wrong, a file of the corpus is missing, or a
                finished run had other settings.
        """
        self._check_scoring()
        self._check_budgets()
        parameters = {}
        for name in self.experiments:
            missing = [runs[name] for runs in self._runs.values() if not _finished_results(runs[name])]
            with _named(name):
                if missing:
                    parameters[name] = missing[0].check()
        return parameters

    def finished_runs(self) -> dict[tuple[str, int], Path]:
        """Returns the folders of the finished runs by configuration and seed."""
        runs = {(name, seed): self._runs[seed][name] for name in self.experiments for seed in self.seeds}
        return {run: Path(experiment.directory) for run, experiment in runs.items() if _finished_results(experiment)}

    def dry_run(self) -> None:
        """Checks all configurations, and reports which runs are to be made; writes nothing.

        Raises:
            UserError: See `check`.
        """
        parameters = self.check()
        for name in self.experiments:
            seeds = [str(seed) for seed, runs in self._runs.items() if not _finished_results(runs[name])]
            to_do = f"{parameters[name]:,} parameters; to train with seed {', '.join(seeds)}" if seeds else ""
            self.report(f"{name}: {to_do or 'finished before'}")

    def write(self) -> dict[str, Any]:
        """Writes the tables of the finished runs, and returns the content of `comparison.json`."""
        summary = self.summary()
        write_json(Path(self.directory) / "comparison.json", summary)
        write_text(Path(self.directory) / "comparison.md", comparison_markdown(summary))
        return summary

    def show(self) -> None:
        """Writes the tables, and prints them.

        Raises:
            UserError: The configurations are scored in different ways, or a finished run had other settings.
        """
        self._check_scoring()
        console = Console()
        console.width = max(console.width, 150)  # a cell in two lines reads worse than a line that the terminal wraps
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
            name: {seed: found for seed, runs in self._runs.items() if (found := _finished_results(runs[name]))}
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
            "budget": {name: {key: getattr(made, key) for key in BUDGET} for name, made in first.items()},
            "search": {name: {key: getattr(made, key) for key in SEARCH} for name, made in first.items()},
            "directions": self._test,
            "started_from_a_trained_run": [name for name, made in first.items() if made.init_from is not None],
            "signature": next((found["signature"] for found in configurations.values() if found["signature"]), None),
            "configurations": {
                name: {key: value for key, value in found.items() if key != "signature"}
                for name, found in configurations.items()
            },
        }

    def _outcome(self, name: str, finished: dict[str, dict[int, dict[str, Any]]]) -> dict[str, Any]:
        """The scores and rates of a configuration, from the results of all finished runs by name and seed."""
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
        tested = {d.name: d.test for d in first.directions if d.test is not None and d.name in self._test}
        systems, baselines = (
            {d: [read_lines(hypotheses_path(self._runs[seed][of].directory, d)) for seed in shared] for d in tested}
            for of in (name, self.baseline)
        )
        references = {direction: read_line_pairs(*files)[1] for direction, files in tested.items()}
        found = paired_bootstrap_of_runs(
            systems, baselines, references, lowercase=first.lowercase, tokenize=first.bleu_tokenizer
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

    def _complete(self, run: str, experiment: Experiment) -> None:
        """Makes a run, unless that is done."""
        if _finished_results(experiment):
            self.report(f"{run}: finished before")
        else:
            self.report(f"{run}: training in {experiment.directory}")
            _python("_train", experiment, imports=self.imports)

    def _measure_speeds(self) -> None:
        """Measures decoding in turns, with the weights of the first seed, unless all of them have been measured."""
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
        """Checks that all scores of a column are comparable."""
        experiments = [experiment for runs in self._runs.values() for experiment in runs.values()]
        first, *more = experiments
        for use, names in (("dev", self._dev), ("test", self._test)):
            if not names and getattr(first.pair_lists, use):
                raise UserError(f"The configurations have no direction in common. Received: {use}_pairs")
            files = {d.name: getattr(d, use) for d in first.directions}
            for direction in (d for experiment in more for d in experiment.directions if d.name in names):
                both = [" and ".join(map(str, sides)) for sides in (files[direction.name], getattr(direction, use))]
                if both[0] != both[1]:
                    raise UserError(
                        "Configurations must be scored on the same data. "
                        f"Received: {use} {direction.name}={both[0]}, and {both[1]}"
                    )
        for name in SCORING:
            values = sorted({str(getattr(experiment, name)) for experiment in experiments})
            if len(values) > 1:
                raise UserError(f"Configurations must be scored alike. Received: {name}={' and '.join(values)}")

    def _check_budgets(self) -> None:
        """Checks everything else that does not need hours of training."""
        experiments = [experiment for runs in self._runs.values() for experiment in runs.values()]
        kinds = dict.fromkeys(BUDGET, "Budgets") | dict.fromkeys(SEARCH, "Searches") | {"dev_sentences": "Scored texts"}
        for name, kind in kinds.items():
            values = sorted({str(getattr(experiment, name)) for experiment in experiments})
            if len(values) > 1 and not self.unequal:
                raise UserError(
                    f"{kind} must be equal for a fair comparison, unless "
                    f"`unequal` (--unequal) is given. Received: {name}={' and '.join(values)}"
                )
        starts: dict[bool, list[str]] = {True: [], False: []}
        for name, experiment in self._runs[self.seeds[0]].items():
            starts[experiment.init_from is not None].append(name)
        if all(starts.values()) and not self.unequal:
            raise UserError(
                "Budgets must be equal for a fair comparison, and a run that starts from a trained one has that "
                "training, too, unless `unequal` (--unequal) is given. "
                f"Received: init_from of {', '.join(starts[True])}, but not of {', '.join(starts[False])}"
            )
        for experiment in experiments:
            check_files(experiment.directions)
            _finished_results(experiment)


@contextlib.contextmanager
def _named(name: str) -> Iterator[None]:
    """Puts the name of a configuration or a run in front of the errors inside the block."""
    try:
        yield
    except UserError as error:
        raise UserError(f"{name}: {error}") from None


def _finished_results(experiment: Experiment) -> dict[str, Any] | None:
    """The results of an experiment that has been run to its end; an error if the run had other settings."""
    results = read_results(experiment.directory)
    if results is None:
        return None
    if changed := differences(experiment, results):
        raise UserError(
            f"{experiment.directory} holds a finished run with other settings: take another folder, or the same "
            f"settings. Received: {', '.join(changed)}"
        )
    if experiment.max_updates is not None and (results["updates"] or 0) > experiment.max_updates:
        raise UserError(
            f"{experiment.directory} holds a run of more updates: take another folder, or as many updates. "
            f"Received: max_updates={experiment.max_updates}, where the run made {results['updates']}"
        )
    return results if is_complete(experiment, results) else None


def _measure_speed(path: str, at: str, *directions: str) -> None:
    """Translates the test data of directions with the model of a run, and adds the rate to `speed.json`.

    `path` is a file with the settings of the run, `at` the time at which the turns began: rates of other turns are
    dropped. The search settings of the model count.
    """
    experiment = Experiment.from_settings(Experiment.read_settings(path))
    folder = ModelDirectory(experiment.directory)
    translator = Translator.from_directory(folder.path)
    texts = {d: read_lines(d.test[0]) for d in experiment.directions if d.test is not None and d.name in directions}
    seconds = 0.0
    for direction, sentences in texts.items():
        translate_direction(experiment, translator, direction, sentences[:WARM_UP])
        start = time.monotonic()
        translate_direction(experiment, translator, direction, sentences)
        seconds += time.monotonic() - start
    number = sum(map(len, texts.values()))
    before = read_speed(experiment.directory)
    write_json(
        folder.path / "speed.json",
        {
            "at": at,
            "sentences": number,
            "rates": [*(before["rates"] if before and before["at"] == at else ()), round(number / seconds, 2)],
            "search": folder.load_config()["search"],
            "weights": file_digest(folder.weights_path),
        },
    )


def _train(path: str) -> None:
    """Runs the experiment with the settings in a file."""
    run(Experiment.from_settings(Experiment.read_settings(path)))


def _python(
    function: str, experiment: Experiment, *arguments: str, imports: Sequence[str | os.PathLike[str]] = ()
) -> None:
    """Calls a function of this module in a process of its own. The process saves and ends when this process ends."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "settings.json"
        write_json(path, experiment.settings())
        _call(function, os.fspath(path), *arguments, imports=imports)


def _call(function: str, *arguments: str, imports: Sequence[str | os.PathLike[str]] = ()) -> None:
    files = [os.fspath(file) for file in imports]
    program = (
        "import sys; from pathlib import Path; from keras_nmt.experiments import comparison; "
        "from keras_nmt.files.import_file import import_file; "
        f"[import_file(Path(file)) for file in {files!r}]; comparison.{function}(*sys.argv[1:])"
    )
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as errors,
        Interruption() as interruption,
        subprocess.Popen([sys.executable, "-c", program, *arguments], stderr=errors) as process,
    ):
        forwarded = False
        while process.poll() is None:
            # The terminal sends Ctrl-C to both processes.
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
    """The reason why a process failed, in one line. The traceback of a fault of the program goes to standard error."""
    last = next((line for line in reversed(errors.splitlines()) if line.strip()), "")
    prefix = f"{UserError.__module__}.{UserError.__name__}: "
    if last.startswith(prefix):
        return last.removeprefix(prefix)
    print(errors, file=sys.stderr)
    if returncode < 0:
        return f"It was killed, perhaps for lack of memory. Received: {signal.Signals(-returncode).name}"
    return f"It failed, see above. Received: {last or f'exit code {returncode}'}"


def _training_rate(experiment: Experiment) -> float | None:
    lines = TrainingLog(ModelDirectory(experiment.directory).log_path).read()
    rates = [line["tokens_per_second"] for line in lines if line.get("tokens_per_second")]
    return statistics.median(rates) if rates else None


def _outputs(experiment: Experiment, direction: str, test: dict[str, Any]) -> dict[str, int]:
    """Counts of the translations of a direction's test data."""
    lines = read_lines(hypotheses_path(experiment.directory, direction))
    counts = {"lines": len(lines), "empty": sum(not line.strip() for line in lines), "distinct": len(set(lines))}
    return {**test.get("outputs", {}), **counts}
