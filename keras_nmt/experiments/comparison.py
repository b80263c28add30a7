"""Several configurations, several seeds each, in one table."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from keras_nmt.data import read_line_pairs, read_lines
from keras_nmt.errors import UserError
from keras_nmt.evaluation import paired_bootstrap_of_runs
from keras_nmt.experiments.experiment import Experiment
from keras_nmt.experiments.settings import LIMITS
from keras_nmt.files.atomic_files import write_bytes, write_json
from keras_nmt.files.json_file import read_json
from keras_nmt.inference import Translator
from keras_nmt.models import ModelDirectory
from keras_nmt.training.interruption import Interruption
from keras_nmt.training.training_log import TrainingLog

ALIKE = ("dev_source", "dev_target", "test_source", "test_target")
BUDGET = ("max_updates", "time_limit", "batch_size", "batch_unit")
SEARCH = ("beam_size", "length_penalty")
# What may differ between a finished run and the run that is asked for: it has no part in the outcome.
OF_NO_EFFECT = ("directory", "log_every", "tensorboard")
COLUMNS = (
    "configuration",
    "parameters",
    "training tokens/s",
    "decoding sentences/s",
    "runs",
    "dev BLEU",
    "test BLEU",
    "difference",
    "p",
)
WARM_UP = 64  # sentences


@dataclasses.dataclass(kw_only=True)
class Comparison:
    """Trains several configurations with several seeds, one after the other, and puts the outcome into one table.

    The run of a configuration and a seed goes to `DIRECTORY/NAME-SEED`, in a process of its own: neither memory nor
    device settings of one run reach the next. A run that is finished is not made again, one that was stopped goes on: a
    comparison goes on when it is started again, and may be given more configurations and seeds. Seeds come one after
    the other, each with all configurations. Of a finished run, `settings.json`, `results.json`, `speed.json`, the log
    and `test.hypotheses.txt` are enough: a comparison can be kept without the weights, and go on elsewhere. The data
    have to be the same lines, by the digests in `results.json`, wherever their files lie.

    After every run, `DIRECTORY/comparison.md` (the table) and `DIRECTORY/comparison.json` (the same, with every single
    score) are written; cells of what is not there yet are empty.

    | column | what it is |
    | --- | --- |
    | parameters | of the model |
    | training tokens/s | target tokens without padding: the median of a run's log, averaged over runs |
    | decoding sentences/s | the test data by beam search after a warm-up; first seed; in `NAME-SEED/speed.json` |
    | runs | finished ones |
    | dev BLEU | the final weights, greedy search; mean ± standard deviation (n - 1) over seeds |
    | test BLEU | beam search; the same |
    | difference | the mean of test BLEU less the baseline's, over the seeds that both have finished |
    | p | paired bootstrap of test BLEU against the baseline over the same seeds; see `paired_bootstrap_of_runs` |

    Args:
        experiments: By name, a function of the seed and the model directory that makes the experiment. They are
            trained in this order.
        baseline: Name of the configuration to compare with.
        seeds: Seeds of everything random.
        directory: Folder of the runs and of the table.
        unequal: Whether configurations may differ in how long they train (`max_updates`, `time_limit`, `batch_size`,
            `batch_unit`, and whether there is an `init_from`, whose training counts, too) and in how the test is
            translated (`beam_size`, `length_penalty`).
        report: Gets each line of progress. What a run tells goes to standard output.

    Raises:
        UserError: The baseline is none of the experiments, there are no seeds or one twice.
    """

    experiments: dict[str, Callable[[int, Path], Experiment]]
    baseline: str
    seeds: Sequence[int]
    directory: str | os.PathLike[str]
    unequal: bool = False
    report: Callable[[str], None] = lambda line: print(line, flush=True)

    def __post_init__(self) -> None:
        if self.baseline not in self.experiments:
            raise UserError(
                f"The baseline must be one of {', '.join(self.experiments)}. Received: baseline={self.baseline!r}"
            )
        if not self.seeds or len(set(self.seeds)) != len(self.seeds):
            raise UserError(f"Give at least one seed, and none twice. Received: seeds={list(self.seeds)}")
        self.directory = Path(self.directory)
        self._runs = {
            seed: {name: make(seed, self.directory / f"{name}-{seed}") for name, make in self.experiments.items()}
            for seed in self.seeds
        }

    def run(self) -> dict[str, Any]:
        """Makes the runs that are missing.

        Returns:
            What `comparison.json` holds.

        Raises:
            UserError: Budgets or searches are unequal, a file of the corpus is missing, a finished run had other
                settings, or a run failed.
        """
        self._check()
        self.write()
        for seed, experiments in self._runs.items():
            for name, experiment in experiments.items():
                try:
                    self._complete(f"{name}, seed {seed}", experiment, with_speed=seed == self.seeds[0])
                except UserError as error:
                    raise UserError(f"{name}, seed {seed}: {error}") from None
                self.write()
        return self.write()

    def write(self) -> dict[str, Any]:
        """Writes the table of the runs that there are, without making one.

        Returns:
            What `comparison.json` holds.
        """
        summary = self.summary()
        write_json(Path(self.directory) / "comparison.json", summary)
        write_bytes(Path(self.directory) / "comparison.md", _markdown(summary).encode())
        return summary

    def show(self) -> None:
        """Writes the table, and prints it."""
        table = Table(*(column.replace(" ", "\n") for column in COLUMNS), box=box.SIMPLE)
        for row in _rows(self.write()):
            table.add_row(*row)
        console = Console()
        console.width = max(console.width, 110)  # a cell in two lines reads worse than a line that the terminal wraps
        console.print(table)
        self.report(f"Written to {Path(self.directory) / 'comparison.md'}")

    def summary(self) -> dict[str, Any]:
        """The outcome of the runs that there are."""
        finished = {
            name: {seed: runs[name] for seed, runs in self._runs.items() if _is_finished(runs[name])}
            for name in self.experiments
        }
        first = self._runs[self.seeds[0]]
        configurations = {name: self._outcome(name, finished) for name in self.experiments}
        return {
            "baseline": self.baseline,
            "seeds": list(self.seeds),
            "budget": {name: {key: getattr(made, key) for key in BUDGET} for name, made in first.items()},
            "search": {name: {key: getattr(made, key) for key in SEARCH} for name, made in first.items()},
            "started_from_a_trained_run": [name for name, made in first.items() if made.init_from is not None],
            "signature": next((found["signature"] for found in configurations.values() if found["signature"]), None),
            "configurations": {
                name: {key: value for key, value in found.items() if key != "signature"}
                for name, found in configurations.items()
            },
        }

    def _outcome(self, name: str, finished: dict[str, dict[int, Experiment]]) -> dict[str, Any]:
        runs = finished[name]
        results = {seed: _results(experiment) for seed, experiment in runs.items()}
        bleus = {seed: found["test"]["bleu"] for seed, found in results.items() if "test" in found}
        rates = [rate for rate in map(_training_rate, runs.values()) if rate is not None]
        speed = _speed(runs[self.seeds[0]]) if self.seeds[0] in runs else None
        outcome: dict[str, Any] = {
            "runs": len(runs),
            "parameters": next((found["parameters"] for found in results.values()), None),
            "updates": {seed: found["updates"] for seed, found in results.items()},
            "training_tokens_per_second": statistics.mean(rates) if rates else None,
            "decoding_sentences_per_second": speed and speed["sentences_per_second"],
            "dev_bleu_greedy": _mean_and_deviation({seed: found["dev_bleu_greedy"] for seed, found in results.items()}),
            "test_bleu": _mean_and_deviation({seed: found["score"] for seed, found in bleus.items()}),
            "signature": next((found["signature"] for found in bleus.values()), None),
            "difference": None,
            "p_value": None,
            "p_values": {},
        }
        others = finished[self.baseline]
        shared = [seed for seed in bleus if seed in others]
        if name == self.baseline or not shared:
            return outcome
        outcome["difference"] = statistics.mean(
            bleus[seed]["score"] - _results(others[seed])["test"]["bleu"]["score"] for seed in shared
        )
        experiment = runs[shared[0]]
        assert experiment.test_source is not None
        assert experiment.test_target is not None
        references = read_line_pairs(experiment.test_source, experiment.test_target)[1]
        systems = {seed: _hypotheses(runs[seed]) for seed in shared}
        baselines = {seed: _hypotheses(others[seed]) for seed in shared}
        outcome["p_value"] = paired_bootstrap_of_runs(list(systems.values()), list(baselines.values()), references)
        outcome["p_values"] = {
            seed: paired_bootstrap_of_runs([systems[seed]], [baselines[seed]], references) for seed in shared
        }
        return outcome

    def _complete(self, what: str, experiment: Experiment, with_speed: bool) -> None:
        """Makes a run, and what is measured of it, as far as that is missing."""
        if _is_finished(experiment):
            self.report(f"{what}: finished before")
        else:
            self.report(f"{what}: training in {experiment.directory}")
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "settings.json"
                write_json(path, experiment.settings())
                _python("_train", os.fspath(path))
        if with_speed and experiment.test_source is not None and _speed(experiment) is None:
            self.report(f"{what}: measuring how fast it decodes")
            _python("_measure_speed", os.fspath(experiment.directory), os.fspath(experiment.test_source))

    def _check(self) -> None:
        """What can be known before hours of training."""
        experiments = [experiment for runs in self._runs.values() for experiment in runs.values()]
        for name in (*ALIKE, *BUDGET, *SEARCH):
            values = sorted({str(getattr(experiment, name)) for experiment in experiments})
            if len(values) > 1 and name in ALIKE:
                raise UserError(f"What is compared is scored on the same data. Received: {name}={' and '.join(values)}")
            if len(values) > 1 and not self.unequal:
                raise UserError(
                    f"{'Budgets' if name in BUDGET else 'Searches'} must be equal for a fair comparison, unless "
                    f"`unequal` (--unequal) is given. Received: {name}={' and '.join(values)}"
                )
        starts: dict[bool, list[str]] = {True: [], False: []}
        for name, experiment in self._runs[self.seeds[0]].items():
            starts[experiment.init_from is not None].append(name)
        if all(starts.values()) and not self.unequal:
            raise UserError(
                "Budgets must be equal for a fair comparison, and what starts from a trained run has that training, "
                "too, unless `unequal` (--unequal) is given. "
                f"Received: init_from of {', '.join(starts[True])}, but not of {', '.join(starts[False])}"
            )
        for experiment in experiments:
            experiment.check_files()
            _is_finished(experiment)


def _is_finished(experiment: Experiment) -> bool:
    """Whether an experiment has been run to its end.

    Raises:
        UserError: One with other settings has been, in the same folder.
    """
    folder = ModelDirectory(experiment.directory)
    if not (folder.path / "results.json").is_file():
        return False
    results = _results(experiment)
    digests: dict[str, list[str]] = results.get("data", {})  # without them, the files have to be where they were
    changed = experiment.changed_settings((*OF_NO_EFFECT, *digests))
    if digests:
        changed += [
            f"{name}={experiment.settings()[name]!r} (was another text)"
            for name, digest in experiment.data_digests().items()
            if digest != digests[name]
        ]
    if changed:
        raise UserError(
            f"{folder.path} holds a finished run with other settings: take another folder, or the same settings. "
            f"Received: {', '.join(changed)}"
        )
    # Results of a shorter run stay while a longer one goes on.
    limits = {name: getattr(experiment, name) for name in LIMITS}
    is_longer = results["ended_by"] == "max_updates" and results["updates"] != experiment.max_updates
    return bool(results.get("limits", limits) == limits and not is_longer)


def _measure_speed(directory: str, source: str) -> None:
    """Measures how many sentences a second a model translates, and writes it to `speed.json` in its folder.

    Args:
        directory: A model directory. Its search settings count.
        source: Sentences, one a line; plain text or gzip.
    """
    translator, sentences = Translator.from_directory(directory), read_lines(source)
    translator.translate(sentences[:WARM_UP])
    start = time.monotonic()
    translator.translate(sentences)
    seconds = time.monotonic() - start
    write_json(
        Path(directory) / "speed.json",
        {
            "sentences": len(sentences),
            "seconds": round(seconds, 2),
            "sentences_per_second": round(len(sentences) / seconds, 2),
            "search": ModelDirectory(directory).load_config()["search"],
        },
    )


def _train(path: str) -> None:
    """Runs the experiment whose settings a file holds."""
    Experiment.from_settings(Experiment.read_settings(path)).run()


def _python(function: str, *arguments: str) -> None:
    """Calls a function of this module in a process of its own, which saves and ends when this one is to end."""
    program = f"import sys; from keras_nmt.experiments import comparison; comparison.{function}(*sys.argv[1:])"
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as told,
        Interruption() as interruption,
        subprocess.Popen([sys.executable, "-c", program, *arguments], stderr=told) as process,
    ):
        forwarded = False
        while process.poll() is None:
            # Ctrl-C reaches both by itself.
            if interruption.signal == signal.SIGTERM and not forwarded:
                process.terminate()
                forwarded = True
            time.sleep(0.1)
        if interruption.signal is not None:
            raise SystemExit(128 + interruption.signal)
        told.seek(0)
        if process.returncode:
            raise UserError(_reason(process.returncode, told.read()))


def _reason(returncode: int, told: str) -> str:
    """Why a process failed, in a line; what it told of an error that no user can cause goes to standard error."""
    last = next((line for line in reversed(told.splitlines()) if line.strip()), "")
    prefix = f"{UserError.__module__}.{UserError.__name__}: "
    if last.startswith(prefix):
        return last.removeprefix(prefix)
    print(told, file=sys.stderr)
    if returncode < 0:
        return f"It was killed, perhaps for lack of memory. Received: {signal.Signals(-returncode).name}"
    return f"It failed, see above. Received: {last or f'exit code {returncode}'}"


def _results(experiment: Experiment) -> dict[str, Any]:
    return read_json(Path(experiment.directory) / "results.json", "the results of a run")


def _hypotheses(experiment: Experiment) -> list[str]:
    return read_lines(Path(experiment.directory) / "test.hypotheses.txt")


def _training_rate(experiment: Experiment) -> float | None:
    lines = TrainingLog(ModelDirectory(experiment.directory).log_path).read()
    rates = [line["tokens_per_second"] for line in lines if line.get("tokens_per_second")]
    return statistics.median(rates) if rates else None


def _speed(experiment: Experiment) -> dict[str, Any] | None:
    """What was measured, unless the model has changed since."""
    folder = ModelDirectory(experiment.directory)
    path, weights = folder.path / "speed.json", folder.weights_path
    if not path.is_file() or (weights.is_file() and path.stat().st_mtime < weights.stat().st_mtime):
        return None
    return read_json(path, "the speed of a model")


def _mean_and_deviation(scores: dict[int, float]) -> dict[str, Any]:
    values = list(scores.values())
    return {
        "mean": statistics.mean(values) if values else None,
        "deviation": statistics.stdev(values) if len(values) > 1 else None,
        "scores": scores,
    }


def _rows(summary: dict[str, Any]) -> list[list[str]]:
    def text(value: float | None, form: str) -> str:
        return "" if value is None else format(value, form)

    def with_deviation(score: dict[str, Any]) -> str:
        deviation = score["deviation"]
        return text(score["mean"], ".2f") + ("" if deviation is None else f" ± {deviation:.2f}")

    return [
        [
            name,
            text(found["parameters"], ",d"),
            text(found["training_tokens_per_second"], ",.0f"),
            text(found["decoding_sentences_per_second"], ",.1f"),
            f"{found['runs']} of {len(summary['seeds'])}",
            with_deviation(found["dev_bleu_greedy"]),
            with_deviation(found["test_bleu"]),
            text(found["difference"], "+.2f"),
            text(found["p_value"], ".3f"),
        ]
        for name, found in summary["configurations"].items()
    ]


def _markdown(summary: dict[str, Any]) -> str:
    lines = [COLUMNS, ["---"] * len(COLUMNS), *_rows(summary)]
    table = "\n".join("|" + "".join(f" {cell} |" if cell else " |" for cell in line) for line in lines)
    budgets = {
        ", ".join(f"{name}={value}" for name, value in budget.items() if value is not None)
        for budget in summary["budget"].values()
    }
    searches = {"beam {beam_size}, length penalty {length_penalty}".format_map(x) for x in summary["search"].values()}
    started = summary["started_from_a_trained_run"]
    seeds = ", ".join(map(str, summary["seeds"]))
    notes = [
        f"Seeds {seeds}; budget: {' or '.join(sorted(budgets))}."
        + (f" Started from a trained run, whose budget comes on top: {', '.join(started)}." if started else ""),
        "BLEU: mean ± standard deviation (n - 1) over the finished runs; dev by greedy search, test by "
        f"{' or '.join(sorted(searches))}" + (f" (`{summary['signature']}`)." if summary["signature"] else "."),
        "Training: target tokens without padding, the median of a run's log.",
        f"Decoding: the test data after a warm-up, run of seed {summary['seeds'][0]}.",
        f"Difference and p: test BLEU against {summary['baseline']} over the seeds that both have finished; paired "
        "bootstrap that draws sentences, each with the translations of all seeds.",
    ]
    return f"{table}\n\n{' '.join(notes)}\n"
