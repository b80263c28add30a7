"""The table of a comparison: scores, speeds and tests of its finished runs, and their text."""

from __future__ import annotations

import dataclasses
import statistics
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from keras_nmt.data import read_lines
from keras_nmt.errors import require
from keras_nmt.evaluation import holm, paired_bootstrap_of_runs
from keras_nmt.evaluation.bootstrap import show_p
from keras_nmt.experiments.config import ExperimentConfig, SearchConfig
from keras_nmt.experiments.corpus_files import File
from keras_nmt.experiments.data_config import ScoredText
from keras_nmt.experiments.results import ROUNDS, hypotheses_path, read_speed
from keras_nmt.files.markdown import markdown_table
from keras_nmt.files.settings import value_at
from keras_nmt.files.training_log import TrainingLog
from keras_nmt.models import ModelDirectory

BUDGET = (
    *("training.stop.max_updates", "training.stop.time_limit", "evaluation.patience"),
    *("training.batch_size", "training.batch_unit"),
)
PATIENCE = ("evaluation.every", "evaluation.best_metric")  # belong to the budget where `patience` may end a run
SEARCH = tuple(f"search.{field.name}" for field in dataclasses.fields(SearchConfig))
# The bootstrap's draws. A p-value is at least one in as many, and Holm multiplies it by the number of tests.
DRAWS = 10_000
TESTS = ("difference", "each seed", "95% interval", "p", "p (Holm)", "p (seeds)")
COLUMNS = (
    *("configuration", "parameters", "training tokens/s", "decoding sentences/s", "runs", "dev BLEU", "test BLEU"),
    *TESTS,
)

Runs = Mapping[str, Mapping[int, ExperimentConfig]]  # by configuration and seed
Results = Mapping[str, Mapping[int, dict[str, Any]]]  # content of `results.json` of the finished runs
Scores = Mapping[str, Mapping[int, float]]  # BLEU by configuration and seed
Outputs = Mapping[int, Mapping[str, list[str]]]  # a configuration's translations of the test data by seed and direction
# Entries by configuration, test set (None for all together) and the seeds that were compared.
Differences = dict[tuple[str, str | None, tuple[int, ...]], dict[str, Any]]


def summarize(runs: Runs, results: Results, baseline: str, known: Differences) -> dict[str, Any]:
    """Returns the content of `comparison.json`. Keeps the differences in `known`, and takes them from there."""
    first = {name: next(iter(of_seeds.values())) for name, of_seeds in runs.items()}
    dev, directions = (common_directions(runs, use) for use in ("dev", "test"))
    scored = first[baseline]  # on the same data, and in the same way, as all others
    texts = {d.name: d.read_tests() for d in scored.directions if d.name in directions}
    tests = {
        name: {seed: one["test"] for seed, one in of_seeds.items() if directions} for name, of_seeds in results.items()
    }
    outputs = {
        name: {seed: _read_outputs(runs[name][seed].directory, texts) for seed in of_seeds}
        for name, of_seeds in tests.items()
    }
    bleus = {
        name: {seed: statistics.mean(test[d]["bleu"]["score"] for d in directions) for seed, test in of_seeds.items()}
        for name, of_seeds in tests.items()
    }
    bleus_of_sets = _bleus_of_sets(tests, texts)

    def difference(name: str, scores: Scores, part: str | None = None) -> dict[str, Any]:
        shared = [seed for seed in scores[name] if seed in scores[baseline]]
        if name == baseline or not shared:
            missing = dict.fromkeys(("difference", "interval", "p_value", "p_value_holm", "p_value_of_seeds"))
            return {**missing, "differences": {}}
        if (key := (name, part, tuple(shared))) not in known:
            differences = {seed: scores[name][seed] - scores[baseline][seed] for seed in shared}
            known[key] = _difference(scored, differences, outputs[name], outputs[baseline], texts, part)
        return known[key]

    configurations = {
        name: {
            "runs": len(by_seed),
            "parameters": next((one["parameters"] for one in by_seed.values()), None),
            "updates": {seed: one["updates"] for seed, one in by_seed.items()},
            **_speeds({seed: config.directory for seed, config in runs[name].items() if seed in by_seed}, first[name]),
            "dev_bleu_greedy": mean_and_deviation(
                {seed: _dev_bleu(one["dev_greedy"], dev) for seed, one in by_seed.items()}
            ),
            "test_bleu": mean_and_deviation(bleus[name]),
            "by_direction": {d: _scores_of_direction(tests[name], d) for d in directions},
            "outputs": {
                seed: {d: _count_outputs(outputs[name][seed][d], test[d]) for d in directions}
                for seed, test in tests[name].items()
            },
            **difference(name, bleus),
            "test_sets": {
                part: {**mean_and_deviation(of_set[name]), **difference(name, of_set, part)}
                for part, of_set in bleus_of_sets.items()
            },
        }
        for name, by_seed in results.items()
    }
    _correct(configurations.values())
    _correct(of_set for one in configurations.values() for of_set in one["test_sets"].values())
    signatures = (test[directions[0]]["bleu"]["signature"] for of_seeds in tests.values() for test in of_seeds.values())
    return {
        "baseline": baseline,
        "seeds": list(runs[baseline]),
        "budget": {name: _values(config, budget_names(first.values())) for name, config in first.items()},
        "dev_sentences": {name: config.evaluation.dev_sentences for name, config in first.items()},
        "search": {name: _values(config, SEARCH) for name, config in first.items()},
        "directions": directions,
        "started_from_a_trained_run": [name for name, config in first.items() if is_started(config)],
        "signature": next(signatures, None),
        "machines": sorted({str(one.get("machine", "")) for by_seed in results.values() for one in by_seed.values()}),
        "configurations": configurations,
    }


def budget_names(configs: Iterable[ExperimentConfig]) -> tuple[str, ...]:
    """Returns the names of the settings that determine how long runs train."""
    return BUDGET + (PATIENCE if any(config.evaluation.patience is not None for config in configs) else ())


def common_directions(runs: Runs, use: str) -> list[str]:
    """Returns the directions that all configurations have for a use, "dev" or "test"."""
    first, *others = (getattr(next(iter(of_seeds.values())).pair_lists, use) for of_seeds in runs.values())
    return [f"{s}-{t}" for s, t in first if all((s, t) in other for other in others)]


def is_started(config: ExperimentConfig) -> bool:
    """Tells whether a run starts from the weights of another one."""
    return config.training.start.init_from is not None


def _speeds(folders: Mapping[int, File], first: ExperimentConfig) -> dict[str, Any]:
    """Returns the speeds of the finished runs in `folders`; decoding is measured in the folder of the `first` run."""
    logs = [TrainingLog(ModelDirectory(folder).log_path).read() for folder in folders.values()]
    rates = [[line["tokens_per_second"] for line in log if line.get("tokens_per_second")] for log in logs]
    speed = read_speed(first.directory) if first.directory in folders.values() else None
    if speed is not None and len(speed["rates"]) < ROUNDS:
        speed = None  # interrupted
    return {
        "training_tokens_per_second": median_and_range([statistics.median(of_run) for of_run in rates if of_run]),
        "decoding_sentences_per_second": speed and {**(median_and_range(speed["rates"]) or {}), "at": speed["at"]},
    }


def _scores_of_direction(tests: Mapping[int, dict[str, Any]], direction: str) -> dict[str, Any]:
    cells = {seed: test[direction] for seed, test in tests.items()}
    return {
        "trained": all(cell["trained"] for cell in cells.values()),
        **mean_and_deviation({seed: cell["bleu"]["score"] for seed, cell in cells.items()}),
    }


def _bleus_of_sets(tests: Results, texts: Mapping[str, ScoredText]) -> dict[str, Scores]:
    """Returns BLEU, as the mean over directions, of the test sets that all directions have, by their names.

    It is empty if no direction has several test sets, or if runs have no scores of each.
    """
    scores = {
        name: {
            seed: [_scores_of_sets(test[d], text.sets) for d, text in texts.items()] for seed, test in by_seed.items()
        }
        for name, by_seed in tests.items()
    }
    cells = [cell for of_seeds in scores.values() for of_run in of_seeds.values() for cell in of_run]
    has_several = cells and any(len(text.sets) > 1 for text in texts.values())
    return {
        part: {
            name: {seed: statistics.mean(cell[part] for cell in of_run) for seed, of_run in of_seeds.items()}
            for name, of_seeds in scores.items()
        }
        for part in (cells[0] if has_several else ())
        if all(part in cell for cell in cells)
    }


def _scores_of_sets(cell: Mapping[str, Any], names: Collection[str]) -> dict[str, float]:
    """Returns BLEU of each test set of a direction by its present name; the files may have moved since the run."""
    sets = cell.get("sets", {}).values() if len(names) > 1 else [cell]
    return {name: one["bleu"]["score"] for name, one in zip(names, sets, strict=False)}


def _correct(entries: Iterable[dict[str, Any]]) -> None:
    """Adds the p-values that are corrected for all tests of a table."""
    tested = {i: entry for i, entry in enumerate(entries) if entry["p_value"] is not None}
    for i, p in holm({i: entry["p_value"] for i, entry in tested.items()}).items():
        tested[i]["p_value_holm"] = p


def _difference(
    scored: ExperimentConfig,
    differences: dict[int, float],
    system: Outputs,
    baseline: Outputs,
    texts: Mapping[str, ScoredText],
    part: str | None,
) -> dict[str, Any]:
    """Returns the entries about the difference between a configuration and the baseline.

    `differences` are those of each seed, and `part` is the name of their test set, or None for all sets as one.
    """
    lines = {d: slice(None) if part is None else text.sets[part] for d, text in texts.items()}
    systems, baselines = (
        {d: [of[seed][d][lines[d]] for seed in differences] for d in texts} for of in (system, baseline)
    )
    compared = paired_bootstrap_of_runs(
        systems,
        baselines,
        {d: text.references[lines[d]] for d, text in texts.items()},
        lowercase=scored.subwords.lowercase,
        tokenize=scored.evaluation.bleu_tokenizer,
        samples=DRAWS,
    )
    return {
        "difference": statistics.mean(differences.values()),
        "differences": differences,
        "interval": compared.interval,
        "p_value": compared.p_value,
        "p_value_holm": None,
        "p_value_of_seeds": compared.p_value_of_runs,
    }


def _dev_bleu(dev: dict[str, float], directions: Sequence[str]) -> float:
    scores = [dev[f"bleu_{direction}"] for direction in directions if f"bleu_{direction}" in dev]
    return statistics.mean(scores) if scores else dev["bleu"]


def _values(config: ExperimentConfig, names: Sequence[str]) -> dict[str, Any]:
    return {name.rpartition(".")[2]: value_at(config, name) for name in names}


def _read_outputs(folder: File, texts: Mapping[str, ScoredText]) -> dict[str, list[str]]:
    """Reads the translations of the test data of a run, by direction."""
    outputs = {d: read_lines(hypotheses_path(folder, d)) for d in texts}
    for d, lines in outputs.items():
        number = len(texts[d].references)
        problem = f"{hypotheses_path(folder, d)} must have a line for each of the {number} test sentences: restore it"
        require(len(lines) == number, f"{problem}. Received: {len(lines)} line(s)")
    return outputs


def _count_outputs(lines: Sequence[str], test: Mapping[str, Any]) -> dict[str, int]:
    """Counts all, empty and distinct translations of a direction's test data."""
    counts = {"lines": len(lines), "empty": sum(not line.strip() for line in lines), "distinct": len(set(lines))}
    return {**counts, **test.get("outputs", {})}  # those of the run leave out empty sources


def _tables(summary: dict[str, Any]) -> list[list[list[str]]]:
    """Returns the table of the configurations, that of the test sets, if there are several, and that of the directions.

    `summary` is the content of `comparison.json`. A table is a list of rows; the first has the names of the columns.
    """
    configurations = summary["configurations"]
    rows = [
        [
            name,
            _text(one["parameters"], ",d"),
            _rates(one["training_tokens_per_second"], ",.0f"),
            _rates(one["decoding_sentences_per_second"], ",.1f"),
            f"{one['runs']} of {len(summary['seeds'])}",
            _with_deviation(one["dev_bleu_greedy"]),
            _with_deviation(one["test_bleu"]),
            *_cells_of_tests(one),
        ]
        for name, one in configurations.items()
    ]
    tables = [[list(COLUMNS), *rows]]
    rows = [
        [name, part, _with_deviation(of_set), *_cells_of_tests(of_set)]
        for name, one in configurations.items()
        for part, of_set in one["test_sets"].items()
    ]
    if rows:
        tables.append([["configuration", "test set", "test BLEU", *TESTS], *rows])
    if len(summary["directions"]) > 1:
        cells = {
            name: [_with_deviation(x) + ("" if x["trained"] else "*") for x in one["by_direction"].values()]
            for name, one in configurations.items()
        }
        tables.append([["test BLEU", *summary["directions"]], *([name, *row] for name, row in cells.items())])
    return tables


def _cells_of_tests(entry: Mapping[str, Any]) -> list[str]:
    """Returns the cells of `TESTS`."""
    differences = [format(x, "+.2f") for x in entry["differences"].values()]
    return [
        _text(entry["difference"], "+.2f"),
        ", ".join(differences) if len(differences) > 1 else "",
        " to ".join(format(x, "+.2f") for x in entry["interval"] or ()),
        *(show_p(entry[key]) for key in ("p_value", "p_value_holm", "p_value_of_seeds")),
    ]


def show_tables(summary: dict[str, Any]) -> None:
    """Prints the tables and warnings of a comparison from the content of `comparison.json`."""
    console = Console(markup=False, emoji=False, highlight=False)  # names are shown as they are
    for columns, *rows in _tables(summary):
        table = Table(*(column.replace(" ", "\n") for column in columns), box=box.SIMPLE)
        for row in rows:
            table.add_row(*row)
        console.width = 10_000  # a line that the terminal wraps is easier to read than cells that are cut
        console.width = console.measure(table).maximum
        console.print(table)
    for line in _degenerate(summary):
        print(f"Warning: {line}")


def _degenerate(summary: dict[str, Any]) -> list[str]:
    """Returns a line about each run with empty translations, or with fewer than half as many distinct ones as lines."""
    return [
        f"{name}-{seed}{'' if len(outputs) == 1 else f', {direction}'}: of {lines['lines']:,} translations of the test "
        f"data, {lines['distinct']:,} are distinct and {lines['empty']:,} are empty"
        for name, one in summary["configurations"].items()
        for seed, outputs in one["outputs"].items()
        for direction, lines in outputs.items()
        if lines["empty"] or 2 * lines["distinct"] < lines["lines"]
    ]


def _search_in_words(beam_size: int, length_penalty: float, **others: Any) -> str:
    changed = [f", {name} {value}" for name, value in others.items() if value != getattr(SearchConfig, name)]
    return "".join([f"beam {beam_size}, length penalty {length_penalty}", *changed])


def comparison_markdown(summary: dict[str, Any]) -> str:
    """Returns the content of `comparison.md`: the tables, notes on their columns, and warnings."""
    tables = [markdown_table(columns, rows) for columns, *rows in _tables(summary)]
    configurations = summary["configurations"].values()
    sets = [of_set for one in configurations for of_set in one["test_sets"].values()]
    budgets = {
        ", ".join(f"{name}={value}" for name, value in budget.items() if value is not None)
        for budget in summary["budget"].values()
    }
    searches = {_search_in_words(**search) for search in summary["search"].values()}
    started = summary["started_from_a_trained_run"]
    seeds = ", ".join(map(str, summary["seeds"]))
    moments = {
        one["decoding_sentences_per_second"]["at"] for one in configurations if one["decoding_sentences_per_second"]
    }
    notes = [
        f"Seeds {seeds}; budget: {' or '.join(sorted(budgets))}."
        + (f" Started from a trained run, whose budget is not counted: {', '.join(started)}." if started else ""),
        "BLEU: mean ± standard deviation (n - 1) over the finished runs; dev by greedy search, test by "
        f"{' or '.join(sorted(searches))}" + (f" (`{summary['signature']}`)." if summary["signature"] else "."),
        "Training: target tokens without padding, median and range of the runs' medians. Runs are measured one after "
        "the other, so other work on the machine may explain differences.",
        f"Difference: test BLEU minus that of {summary['baseline']}, over the seeds that both have finished. Interval: "
        "95%, by a bootstrap that draws sentences and seeds; with two or three seeds, it is too narrow. p: two-sided, "
        "by a bootstrap that draws sentences, each with the translations of all seeds; one seed, or fewer than 30 "
        "sentences, has no p. "
        f"Both: {DRAWS:,} draws. "
        f"p (Holm): corrected for the {_num_tests(configurations)} tests of the table"
        + (f", in the table of test sets for its {_num_tests(sets)}" if sets else "")
        + ". "
        "p (seeds): of Welch's t test over the scores of the runs, not corrected.",
    ]
    texts = list(dict.fromkeys(summary["dev_sentences"].values()))
    if len(texts) > 1:
        shown = " and ".join("all" if number is None else str(number) for number in texts)
        notes.append(f"Development scores are of different texts, the first {shown} sentences.")
    if moments:
        notes.append(f"Decoding: the test data, runs of seed {summary['seeds'][0]} in turns, median and range.")
    if len(moments) > 1:
        notes.append(f"Not all in the same turns: {', '.join(sorted(moments))}.")
    if len(summary["machines"]) > 1:
        notes.append(
            f"Speeds, and limits of time, are of several machines or versions: {' | '.join(summary['machines'])}."
        )
    if len(summary["directions"]) > 1:
        notes.append(
            f"BLEU is the mean over the {len(summary['directions'])} directions that all configurations have; the "
            "bootstrap draws the same lines in all of them. * never trained."
        )
    warnings = [f"Warning: {line}." for line in _degenerate(summary)]
    return "\n\n".join([*tables, " ".join(notes), *warnings]) + "\n"


def _num_tests(entries: Iterable[Mapping[str, Any]]) -> int:
    return sum(entry["p_value"] is not None for entry in entries)


def median_and_range(rates: Sequence[float]) -> dict[str, float] | None:
    """Returns the entry of `comparison.json` about speeds, or None if there are none."""
    return {"median": statistics.median(rates), "low": min(rates), "high": max(rates)} if rates else None


def mean_and_deviation(scores: Mapping[int, float]) -> dict[str, Any]:
    """Returns the entry of `comparison.json` about the scores of several seeds."""
    values = list(scores.values())
    return {
        "mean": statistics.mean(values) if values else None,
        "deviation": statistics.stdev(values) if len(values) > 1 else None,
        "scores": scores,
    }


def _text(value: float | None, form: str) -> str:
    return "" if value is None else format(value, form)


def _rates(rates: dict[str, Any] | None, form: str) -> str:
    if rates is None:
        return ""
    ends = [format(rates[end], form) for end in ("low", "high")]
    return format(rates["median"], form) + (f" ({' to '.join(ends)})" if ends[0] != ends[1] else "")


def _with_deviation(score: dict[str, Any]) -> str:
    deviation = score["deviation"]
    return _text(score["mean"], ".2f") + ("" if deviation is None else f" ± {deviation:.2f}")
