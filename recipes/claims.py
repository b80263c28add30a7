"""The papers' claims, and the tables of the READMEs, from the runs that are kept in multi30k/results.

    python recipes/claims.py write --data-dir DATA
    python recipes/claims.py table composition --baseline baseline_continued --data-dir DATA

`write` writes all tables between markers in the READMEs: the claims of claims.json, and the tables of tables.json.
`table` prints the configurations of one file of multi30k/results beside one of them. DATA is the folder of Multi30k,
with the test sets as `NAME.LANGUAGE` or `NAME.LANGUAGE.gz`.

A test of claims.json names two systems of a file in multi30k/results. For other data, it names the "comparison" that
`compare` has written, a "system" in it and, of several test sets, a "test_set".

A claim is answered by rule: "yes" or "no" if p over sentences, corrected for all tests of the table (Holm), and p over
seeds, uncorrected, are below 0.05, the 95% interval over sentences and seeds leaves zero out, and the same holds,
uncorrected, without the lines that a run leaves empty; else "not shown". One seed shows nothing. An answer that
claims.json gives itself gets an asterisk. Differences of "beside" stand in a row without a part in its answer.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import math
import re
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from keras_nmt.cli.run_app import make_app, run_app
from keras_nmt.errors import UserError, check_choice, require
from keras_nmt.evaluation import RunsComparison, holm, paired_bootstrap_of_runs
from keras_nmt.evaluation.bootstrap import show_p
from keras_nmt.experiments.comparison_table import DRAWS, TESTS
from keras_nmt.experiments.corpus_files import File, corpora_of, file_of_corpus, uncompressed_name
from keras_nmt.experiments.kept_runs import KeptRun, read_kept_runs
from keras_nmt.files.atomic_files import write_text
from keras_nmt.files.json_file import read_json
from keras_nmt.files.markdown import markdown_table
from keras_nmt.text.text_files import read_lines, text_digest

HERE = Path(__file__).parent
READMES = (
    "../README.md",
    "../docs/results.md",
    "README.md",
    "../lab/four_languages.md",
    "../lab/multi30k.md",
    "../lab/students.md",
)
WRITTEN = re.compile(r"(<!-- written by claims.py: (\w+) -->\n\n).*?(\n\n<!-- end -->)", re.DOTALL)
STATISTICS = TESTS[1:]  # without the difference
COLUMNS = ("claim", "paper", "here", *STATISTICS, "answer", "data and size here")
FEW_EMPTY = 5  # lines, below which a second comparison without empty lines is left out
DataDir = Annotated[Path, typer.Option(help="Folder of Multi30k.")]
Outputs = dict[str, list[list[str]]]  # lines by run and direction


@functools.cache
def kept_runs(table: str) -> dict[tuple[str, int], KeptRun]:
    """Reads a table of kept runs, once."""
    return read_kept_runs(HERE / "multi30k" / "results" / f"{table}.jsonl")


@functools.cache
def read_comparison(comparison: str) -> dict[str, Any]:
    """Reads the `comparison.json` of a comparison, once; the path is from the folder of this file."""
    return read_json(HERE / comparison, "a comparison")


@dataclasses.dataclass(frozen=True)
class Found:
    """A comparison of two kept systems.

    Attributes:
        whole: The comparison on all lines.
        seeds: The seeds that both systems have.
        empty: The number of lines that some run leaves empty.
        without: The comparison without these lines; None if they are few.
    """

    whole: RunsComparison
    seeds: tuple[int, ...]
    empty: int
    without: RunsComparison | None


def compare_kept(test: Mapping[str, Any], data: Path) -> Found:
    """Compares two systems of a table of kept runs.

    Args:
        test: Dict with "runs", the file in `multi30k/results`, "system" and "baseline"; and optionally "baseline_runs",
            the file of the baseline if it is another one, "directions", a list, by default all of both, and "words",
            the smallest and the largest number of words of the source. Or, in place of all these, see `read_compared`.
        data: The folder of Multi30k.
    """
    if "comparison" in test:
        return read_compared(**test)
    return _compare_kept(json.dumps({"baseline_runs": test["runs"], **test}, sort_keys=True), data)


def read_compared(comparison: str, system: str, test_set: str | None = None) -> Found:
    """Reads the difference of a system from the baseline of a comparison.

    Args:
        comparison: The path of its `comparison.json`, from the folder of this file.
        system: The configuration.
        test_set: One of several test sets. Defaults to all of them as one.

    Raises:
        UserError: There is no such configuration or test set, it has no seed in common with the baseline, or too many
            lines are empty.
    """
    written = read_comparison(comparison)
    configurations, baseline = written["configurations"], written["baseline"]
    check_choice("system", system, [name for name in configurations if name != baseline])
    found = configurations[system]
    if test_set is not None:
        check_choice("test_set", test_set, found["test_sets"])
        found = found["test_sets"][test_set]
    seeds = found["differences"]
    require(seeds, f"`{comparison}` must have runs of {baseline} and {{system}} with the same seed", system=system)
    outputs = [configurations[name]["outputs"][seed] for name in (system, baseline) for seed in seeds]
    empty = sum(lines["empty"] for of_run in outputs for lines in of_run.values())
    problem = f"{system} and {baseline} of {comparison} must leave fewer than {FEW_EMPTY} lines empty"
    require(empty < FEW_EMPTY, f"{problem}, because `compare` writes no difference without them. Received: {empty}")
    whole = RunsComparison(
        found["difference"],
        tuple(found["differences"].values()),
        found["p_value"],
        found["interval"] and tuple(found["interval"]),
        found["p_value_of_seeds"],
    )
    return Found(whole, tuple(map(int, seeds)), empty, None)


@functools.cache  # the table of the claims and the others ask for the same
def _compare_kept(test_in_json: str, data: Path) -> Found:
    test = json.loads(test_in_json)
    both = test["system"], test["baseline"]
    of_system, of_baseline = (kept_runs(test[key]) for key in ("runs", "baseline_runs"))
    seeds = tuple(seed for name, seed in of_system if name == both[0] and (both[1], seed) in of_baseline)
    if not seeds:
        raise UserError(
            f"`{test['runs']}` must have runs of both systems with the same seed. Received: {' and '.join(both)}"
        )
    runs = [[kept[name, i] for i in seeds] for kept, name in zip((of_system, of_baseline), both, strict=True)]
    first, other = (of[0] for of in runs)
    settings = first.settings
    directions = test.get("directions") or [x for x in first.results["test"] if x in other.results["test"]]
    outputs: list[Outputs] = [{name: [run.translations(name) for run in of] for name in directions} for of in runs]
    tests = settings["data"]["test"]
    sources, references = ({name: _texts(data, tests, name, side) for name in directions} for side in (0, 1))
    for name in directions:
        digests = [text_digest(file) for files in _files(data, tests, name) for file in files]
        if any(run.results["data"].get(f"test {name}") != digests for of in runs for run in of):
            raise UserError(
                f"The test sets of {name} in {data} are not those that the runs translated: {test['system']} and "
                f"{test['baseline']} of {test['runs']}. Received: test={tests}"
            )
    low, high = test.get("words", (0, math.inf))
    kept = {
        name: [i for i, line in enumerate(lines) if low <= len(line.split()) <= high] for name, lines in sources.items()
    }
    full = {
        name: [i for i in rows if all(run[i].strip() for of in outputs for run in of[name])]
        for name, rows in kept.items()
    }
    empty = sum(map(len, kept.values())) - sum(map(len, full.values()))

    def on(rows: Mapping[str, list[int]]) -> RunsComparison:
        systems, baselines = (
            {name: [[run[i] for i in rows[name]] for run in runs] for name, runs in of.items()} for of in outputs
        )
        chosen = {name: [lines[i] for i in rows[name]] for name, lines in references.items()}
        tokenizer = settings["evaluation"]["bleu_tokenizer"]
        options = {"lowercase": settings["subwords"]["lowercase"], "tokenize": tokenizer}
        return paired_bootstrap_of_runs(systems, baselines, chosen, samples=DRAWS, **options)

    return Found(on(kept), seeds, empty, on(full) if empty >= FEW_EMPTY else None)


def answer(found: Sequence[Found], corrected: Sequence[float | None]) -> str:
    """The answer to a claim that all differences are above zero: one that is below shows that it does not hold."""

    def sign(one: RunsComparison, p: float | None) -> int:
        low, high = one.interval or (0, 0)
        if p is None or one.p_value_of_runs is None or max(p, one.p_value_of_runs) >= 0.05:
            return 0
        return 1 if low > 0 else -1 if high < 0 else 0

    def agreed(one: Found, p: float | None) -> int:
        shown = sign(one.whole, p)
        return shown if one.without is None or shown == sign(one.without, one.without.p_value) else 0

    signs = {agreed(one, p) for one, p in zip(found, corrected, strict=True)}
    return "no" if -1 in signs else "yes" if signs == {1} else "not shown"


app = make_app("The papers' claims beside what the kept translations say.")


@app.command()
def write(data_dir: DataDir) -> None:
    """Writes the tables of the READMEs."""
    for path in (HERE / name for name in READMES):
        write_text(path, rewritten(path.read_text(encoding="utf-8"), data_dir))


def rewritten(text: str, data: Path) -> str:
    """Returns the text of a README with all tables made again."""
    sections, tables = (
        json.loads((HERE / f"{name}.json").read_text(encoding="utf-8")) for name in ("claims", "tables")
    )

    def make(name: str) -> str:
        if name == "claims":
            return claims_table(sections, data)
        given = tables[name]
        if "comparison" in given:
            return compared_table(**given)
        return directions_table(**given) if "pairs" in given else runs_table(data=data, **given)

    return WRITTEN.sub(lambda found: f"{found[1]}{make(found[2])}{found[3]}", text)


def claims_table(sections: Sequence[Mapping[str, Any]], data: Path) -> str:
    """The table of the claims, and a sentence on the number of tests, in Markdown."""
    rows = [row for section in sections for row in section["claims"]]
    found = {id(row): [compare_kept(test, data) for test in row.get("tests", ())] for row in rows}
    beside = {id(row): [compare_kept(test, data) for test in row.get("beside", ())] for row in rows}
    p_values = {(key, i): x.whole.p_value for key, of in found.items() for i, x in enumerate(of)}
    corrected = holm({key: p for key, p in p_values.items() if p is not None})
    lines = []
    for section in sections:
        lines.append([f"**{section['paper']}**", *[""] * (len(COLUMNS) - 1)])
        for row in section["claims"]:
            tests = found[id(row)]
            of_row = [corrected.get((id(row), i)) for i in range(len(tests))]
            here = row.get("here", "").format(*(f"{x.whole.difference:+.2f}" for x in (*tests, *beside[id(row)])))
            lines.append(
                [
                    *(row["claim"], row["claimed"], here + "".join(map(_on_empty, tests))),
                    *_statistics(tests, of_row, row.get("p", "")),
                    _own_answer(row) or (answer(tests, of_row) if tests else "not run"),
                    row.get("data", ""),
                ]
            )
    return f"{markdown_table(COLUMNS, lines)}\n\np (Holm) is corrected for the {len(corrected)} tests of this table."


@app.command()
def table(
    runs: Annotated[str, typer.Argument(help="File in multi30k/results without its ending, such as composition.")],
    baseline: Annotated[str, typer.Option(help="The configuration to compare with.")],
    data_dir: DataDir,
) -> None:
    """Prints all configurations of a table of kept runs beside one of them."""
    print(runs_table(runs, baseline, data_dir))


def runs_table(
    runs: str,
    baseline: str,
    data: Path,
    *,
    title: str = "configuration",
    names: Mapping[str, str] | None = None,
    controls: Mapping[str, str] | None = None,
    baseline_runs: str | None = None,
    more: Mapping[str, Mapping[str, str]] | None = None,
    columns: Sequence[str] | None = None,
) -> str:
    """Returns a table with a row for each configuration, in Markdown.

    Args:
        runs: The file in `multi30k/results` without its ending.
        baseline: The configuration to compare with.
        data: The folder of Multi30k.
        title: The title of the first column.
        names: The configurations by the names in the table. Defaults to all configurations.
        controls: The configurations to compare with instead of the baseline, by the names in the table.
        baseline_runs: The file of the baseline and the controls. Defaults to `runs`.
        more: Cells of further columns, by title and configuration.
        columns: The titles of the other columns. Defaults to all that are written below.
    """
    kept = kept_runs(runs)
    names = names or {name: name for name, _ in kept}
    others = {label: (controls or {}).get(label, baseline) for label in names}
    tests = {
        label: {"runs": runs, "system": names[label], "baseline": other, "baseline_runs": baseline_runs or runs}
        for label, other in others.items()
        if (names[label], runs) != (other, baseline_runs or runs)
    }
    found = {label: compare_kept(test, data) for label, test in tests.items()}
    corrected = holm({label: x.whole.p_value for label, x in found.items() if x.whole.p_value is not None})
    rows = []
    for label, name in names.items():
        own = [run.results for (of, _), run in kept.items() if of == name]
        compared = [found[label]] if label in found else []
        numbers = _statistics(compared, [corrected.get(label)], "")
        cells = {
            **{column: of.get(name, "") for column, of in (more or {}).items()},
            "parameters": f"{own[0]['parameters']:,}",
            "runs": str(len(own)),
            "dev BLEU": _mean([one["dev_greedy"]["bleu"] for one in own]),
            "test BLEU": _mean([statistics.mean(x["bleu"]["score"] for x in one["test"].values()) for one in own]),
            **_test_sets(own),
            "difference": "".join(f"{x.whole.difference:+.2f}" for x in compared),
            **dict(zip(STATISTICS, numbers, strict=True)),
            "without the lines that a run leaves empty": "".join(map(_without_empty, compared)),
        }
        rows.append({title: label, **{key: cells[key] for key in columns or cells}})
    return markdown_table([*rows[0]], (list(row.values()) for row in rows))


def compared_table(comparison: str, title: str, names: Mapping[str, str]) -> str:
    """Returns a table of configurations that `compare` has compared, in Markdown.

    Args:
        comparison: The path of its `comparison.json`, from the folder of this file.
        title: The title of the first column.
        names: The configurations by the names in the table.
    """
    written = read_comparison(comparison)
    rows = []
    for label, name in names.items():
        own = written["configurations"][name]
        found = [] if name == written["baseline"] else [read_compared(comparison, name)]
        _, interval, *_ = _statistics(found, [], "")
        cells = {
            "parameters": f"{own['parameters']:,}",
            "test BLEU": _mean([*own["test_bleu"]["scores"].values()]),
            "difference": "".join(f"{x.whole.difference:+.2f}" for x in found),
            "95% interval": interval,
        }
        rows.append({title: label, **cells})
    return markdown_table([*rows[0]], (list(row.values()) for row in rows))


def directions_table(runs: str, pairs: Sequence[str], names: Mapping[str, Sequence[str]]) -> str:
    """Returns a table of BLEU by direction, means over seeds, in Markdown. Directions without training are in italics.

    Args:
        runs: The file in `multi30k/results` without its ending.
        pairs: The rows, such as "en-de", which stands for both directions.
        names: The configurations of each column, whose directions are joined, by title.
    """
    kept: dict[str, list[Mapping[str, Any]]] = {}
    for (name, _), run in kept_runs(runs).items():
        kept.setdefault(name, []).append(run.results["test"])
    lines = []
    for pair in pairs:
        both = pair, "-".join(reversed(pair.split("-")))
        cells = []
        for of in names.values():
            tests = {x: [test[x] for test in kept[name]] for name in of for x in kept[name][0]}  # one for each seed
            scores = [
                (f"{statistics.mean(one['bleu']['score'] for one in tests[x]):.2f}", tests[x][0]["trained"])
                for x in both
                if x in tests
            ]
            cells.append(" / ".join(score if is_trained else f"*{score}*" for score, is_trained in scores))
        lines.append([" / ".join(x.title() for x in both), *cells])
    return markdown_table(["pair", *names], lines)


def _mean(values: Sequence[float]) -> str:
    """Mean, and standard deviation of several values."""
    return f"{statistics.mean(values):.2f}" + (f" ± {statistics.stdev(values):.2f}" if len(values) > 1 else "")


def _test_sets(results: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Cells: the mean BLEU of each of several test sets by its name."""
    tests = [x.get("sets", {}) for one in results for x in one["test"].values()]
    return {name: _mean([sets[name]["bleu"]["score"] for sets in tests]) for name in tests[0]}


def _own_answer(row: Mapping[str, Any]) -> str | None:
    """The answer that claims.json gives, with an asterisk unless there is nothing that the rule could answer."""
    own: str | None = row.get("answer")
    return own and (own if own == "not shown" and not row.get("tests") else f"{own}*")


def _statistics(found: Sequence[Found], corrected: Sequence[float | None], p: str) -> list[str]:
    """The cells of `STATISTICS` for each comparison."""
    several = [x.whole for x in found if x.whole.interval is not None]
    if not several:
        return ["", "", p, "", ""]
    return [
        "; ".join(", ".join(f"{x:+.2f}" for x in one.differences) for one in several),
        "; ".join(" to ".join(f"{x:+.2f}" for x in one.interval or ()) for one in several),
        "; ".join(show_p(one.p_value) for one in several),
        "; ".join(show_p(x) for x in corrected if x is not None),
        "; ".join(show_p(one.p_value_of_runs) for one in several),
    ]


def _on_empty(one: Found) -> str:
    """Says what changes without the lines that a run leaves empty."""
    if one.without is None:
        return ""
    return f"; without {one.empty} lines that a run leaves empty {_difference(one.without)}"


def _without_empty(one: Found) -> str:
    return "" if one.without is None else f"{_difference(one.without)}, {one.empty} lines"


def _difference(one: RunsComparison) -> str:
    return f"{one.difference:+.2f}" + ("" if one.p_value is None else f" (p {show_p(one.p_value)})")


def _files(data: Path, tests: Any, direction: str) -> list[tuple[File, File]]:
    """The files, source and references, of all test sets of a direction that have both."""
    source, target = direction.split("-")
    found = []
    for corpus in corpora_of(tests):
        patterns = [
            data / uncompressed_name(corpus[language] if isinstance(corpus, Mapping) else corpus)
            for language in (source, target)
        ]
        files = [
            file_of_corpus(pattern, language, (source, target), is_needed=False)
            for pattern, language in zip(patterns, (source, target), strict=True)
        ]
        if files[0] is not None and files[1] is not None:
            found.append((files[0], files[1]))
    if not found:
        raise UserError(f"There is no test set of {direction} in {data}. Received: test={tests}")
    return found


def _texts(data: Path, tests: Any, direction: str, side: int) -> list[str]:
    """The source or the references of a direction, of all test sets that have both."""
    return [line for files in _files(data, tests, direction) for line in read_lines(files[side])]


if __name__ == "__main__":
    run_app(app)
