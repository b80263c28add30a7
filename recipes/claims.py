"""The papers' claims beside what the kept translations say: writes the table of recipes/README.md.

    python recipes/claims.py write --data-dir DATA
    python recipes/claims.py table results_composition --baseline baseline_continued --data-dir DATA

`write` reads claims.json. `table` prints the differences of all systems of a folder of `multi30k` from one of them.
DATA is the folder of Multi30k, with `test_2016_flickr.LANGUAGE` or `test_2016_flickr.LANGUAGE.gz`.

A claim is answered by rule, unless claims.json gives an answer of its own: "yes" or "no" if p, corrected for all tests
of the table (Holm), is below 0.05, the 95% interval over sentences and seeds leaves zero out, and the lines that a run
leaves empty do not decide; else "not shown". One seed shows nothing.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from keras_nmt.cli.run_app import make_app, run_app
from keras_nmt.errors import UserError
from keras_nmt.evaluation import RunsComparison, holm, paired_bootstrap_of_runs
from keras_nmt.experiments.results import hypotheses_path, read_results
from keras_nmt.files.atomic_files import write_bytes
from keras_nmt.files.json_file import read_json
from keras_nmt.files.read_lines import read_lines

HERE = Path(__file__).parent
BEGIN, END = "<!-- written by claims.py -->", "<!-- end -->"
COLUMNS = ("claim", "paper", "here", "each seed", "95% interval", "p", "p (Holm)", "answer", "data and size here")
FEW_EMPTY = 5  # lines, below which a second comparison without empty lines is left out
DataDir = Annotated[Path, typer.Option(help="Folder of Multi30k.")]
Outputs = dict[str, list[list[str]]]  # lines by run and direction


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
    """Compares two systems of a folder of kept runs.

    Args:
        test: Dict with "runs", the folder in `multi30k`, "system" and "baseline"; and optionally "directions", a list,
            by default all of both, and "words", the smallest and the largest number of words of the source.
        data: The folder of Multi30k.
    """
    folder = HERE / "multi30k" / test["runs"]
    both = test["system"], test["baseline"]
    seeds = tuple(i for i in range(1, 10) if all((folder / f"{name}-{i}").is_dir() for name in both))
    if not seeds:
        raise UserError(f"{folder} must have runs of both systems with the same seed. Received: {' and '.join(both)}")
    settings = read_json(folder / f"{both[0]}-{seeds[0]}" / "settings.json", "the settings of a run")
    results = [(read_results(folder / f"{name}-{seeds[0]}") or {})["test"] for name in both]
    directions = test.get("directions") or [name for name in results[0] if name in results[1]]
    outputs: list[Outputs] = [
        {name: [read_lines(hypotheses_path(folder / f"{of}-{i}", name)) for i in seeds] for name in directions}
        for of in both
    ]
    sources, references = ({name: _texts(data, settings, name, side) for name in directions} for side in (0, 1))
    low, high = test.get("words", (0, 10_000))
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
        options = {"lowercase": settings.get("lowercase", False), "tokenize": settings.get("bleu_tokenizer", "13a")}
        return paired_bootstrap_of_runs(systems, baselines, chosen, **options)

    return Found(on(kept), seeds, empty, on(full) if empty >= FEW_EMPTY else None)


def answer(found: Sequence[Found], corrected: Sequence[float | None]) -> str:
    """The answer to a claim that all differences are above zero."""

    def sign(one: Found, p: float | None) -> int:
        if p is None or p >= 0.05 or one.whole.interval is None:
            return 0
        low, high = one.whole.interval
        shown = 1 if low > 0 else -1 if high < 0 else 0
        if one.without is not None and (one.without.difference * shown <= 0 or (one.without.p_value or 0) >= 0.05):
            return 0
        return shown

    signs = {sign(one, p) for one, p in zip(found, corrected, strict=True)}
    return {frozenset({1}): "yes", frozenset({-1}): "no"}.get(frozenset(signs), "not shown")


app = make_app("The papers' claims beside what the kept translations say.")


@app.command()
def write(data_dir: DataDir) -> None:
    """Writes the table of claims into README.md beside this file."""
    readme = HERE / "README.md"
    before, rest = readme.read_text(encoding="utf-8").split(BEGIN)
    after = rest.split(END)[1]
    sections = json.loads((HERE / "claims.json").read_text(encoding="utf-8"))
    table = claims_table(sections, data_dir)
    write_bytes(readme, f"{before}{BEGIN}\n\n{table}\n\n{END}{after}".encode())


def claims_table(sections: Sequence[Mapping[str, Any]], data: Path) -> str:
    """The table of the claims, and a sentence on the number of tests, in Markdown."""
    rows = [row for section in sections for row in section["claims"]]
    found = {id(row): [compare_kept(test, data) for test in row.get("tests", ())] for row in rows}
    p_values = {(key, i): x.whole.p_value for key, of in found.items() for i, x in enumerate(of)}
    corrected = holm({key: p for key, p in p_values.items() if p is not None})
    lines = [list(COLUMNS), ["---"] * len(COLUMNS)]
    for section in sections:
        lines.append([f"**{section['paper']}**", *[""] * (len(COLUMNS) - 1)])
        for row in section["claims"]:
            tests = found[id(row)]
            of_row = [corrected.get((id(row), i)) for i in range(len(tests))]
            here = row.get("here", "").format(*(f"{x.whole.difference:+.2f}" for x in tests))
            lines.append(
                [
                    *(row["claim"], row["claimed"], here + "".join(map(_on_empty, tests))),
                    *_statistics(tests, of_row, row.get("p", "")),
                    row.get("answer") or (answer(tests, of_row) if tests else "not run"),
                    row.get("data", ""),
                ]
            )
    return f"{_markdown(lines)}\n\np (Holm) is corrected for the {len(corrected)} tests of this table."


@app.command()
def table(
    folder: Annotated[str, typer.Argument(help="Folder of runs in multi30k, such as results.")],
    baseline: Annotated[str, typer.Option(help="The system to compare with.")],
    data_dir: DataDir,
) -> None:
    """Prints the differences of all systems of a folder from one of them."""
    paths = sorted((HERE / "multi30k" / folder).glob("*-*"))
    names = [name for name in dict.fromkeys(path.name.rpartition("-")[0] for path in paths) if name != baseline]
    found = {name: compare_kept({"runs": folder, "system": name, "baseline": baseline}, data_dir) for name in names}
    corrected = holm({name: x.whole.p_value for name, x in found.items() if x.whole.p_value is not None})
    lines = [["configuration", "difference", *COLUMNS[3:7], "without empty lines"]]
    lines.append(["---"] * len(lines[0]))
    for name, one in found.items():
        statistics = _statistics([one], [corrected.get(name)], "")
        lines.append([name, f"{one.whole.difference:+.2f}", *statistics, _on_empty(one).removeprefix("; ")])
    print(_markdown(lines))


def _statistics(found: Sequence[Found], corrected: Sequence[float | None], p: str) -> list[str]:
    """Cells: each seed, interval, p and corrected p of each comparison."""
    several = [x.whole for x in found if x.whole.interval is not None]
    if not several:
        return ["", "", p, ""]
    return [
        "; ".join(", ".join(f"{x:+.2f}" for x in one.differences) for one in several),
        "; ".join(" to ".join(f"{x:+.2f}" for x in one.interval or ()) for one in several),
        "; ".join(f"{one.p_value:.3f}" for one in several),
        "; ".join(f"{x:.3f}" for x in corrected if x is not None),
    ]


def _on_empty(one: Found) -> str:
    """What changes without the lines that a run leaves empty."""
    if one.without is None:
        return ""
    p = "" if one.without.p_value is None else f" (p {one.without.p_value:.3f})"
    return f"; without {one.empty} lines that a run leaves empty {one.without.difference:+.2f}{p}"


def _texts(data: Path, settings: Mapping[str, Any], direction: str, side: int) -> list[str]:
    """The source or the references of a direction."""
    language = direction.split("-")[side]
    if language in ("source", "target"):  # one pair, whose languages are in the names of the files
        language = Path(settings[f"test_{language}"]).name.removesuffix(".gz").rpartition(".")[2]
    path = data / f"test_2016_flickr.{language}"
    return read_lines(path if path.is_file() else path.with_name(f"{path.name}.gz"))


def _markdown(lines: Sequence[Sequence[str]]) -> str:
    return "\n".join("|" + "".join(f" {cell} |" if cell else " |" for cell in line) for line in lines)


if __name__ == "__main__":
    run_app(app)
