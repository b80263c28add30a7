"""Reports on runs: an HTML page about one run, and the tables of a comparison. Imports no TensorFlow."""

from __future__ import annotations

import html
import itertools
import json
import math
import os
import statistics
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from keras_nmt.data.text_files import read_blocks
from keras_nmt.errors import UserError
from keras_nmt.experiments.corpus_files import corpora_of, sides_of_corpus
from keras_nmt.files.json_file import named_damage, read_json
from keras_nmt.files.settings import nested_items
from keras_nmt.files.training_log import TrainingLog

WIDTH, HEIGHT, MARGIN = 640, 240, 48
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
STYLE = """body{font:15px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#222}
table{border-collapse:collapse}td,th{border-bottom:1px solid #ccc;padding:.2em .8em .2em 0;text-align:left;
vertical-align:top}svg{max-width:100%;height:auto}"""

Points = Sequence[tuple[float, float]]


def html_report(directory: str | os.PathLike[str], examples: int = 20) -> str:
    """Makes the report of a run.

    Args:
        directory: Path of a model directory with `training_log.jsonl`.
        examples: Integer, number of test sentences of each direction, with reference and translation. Defaults to 20.

    Returns:
        The text of an HTML page, which needs no scripts and no other files.

    Raises:
        UserError: The directory has no training log, or a file is damaged.
    """
    folder = Path(directory)
    log_path = folder / "training_log.jsonl"
    log = TrainingLog(log_path).read()
    if not log:
        raise UserError(f"A report needs the training log of a run, with at least one line. Received: {log_path}")
    files = {name: folder / f"{name}.json" for name in ("settings", "results")}
    read = {name: read_json(path, f"the {name} of a run") if path.exists() else {} for name, path in files.items()}
    parts = [f"<h1>{html.escape(folder.resolve().name)}</h1>"]
    with named_damage(files["results"]):
        parts += [_table(_summary(log, read["results"])), "<h2>Curves</h2>"]
    with named_damage(folder / "training_log.jsonl"):
        parts += _curves(log)
    with named_damage(files["settings"]):
        texts = _texts_of_examples(folder, read["settings"]) if examples else {}
    for title, columns in texts.items():
        lines = (
            itertools.chain.from_iterable(block for path in paths for block in read_blocks(path)) for paths in columns
        )
        shown = list(itertools.islice(zip(*lines, strict=False), examples))
        parts += [f"<h2>{html.escape(title)}</h2>", _table(shown, ("source", "reference", "translation"))]
    rows = [(name, json.dumps(value, ensure_ascii=False)) for name, value in nested_items(read["settings"])]
    parts += ["<h2>Settings</h2>", _table(rows)] if rows else []
    title = html.escape(folder.resolve().name)
    head = f'<meta charset="utf-8"><title>{title}</title><style>{STYLE}</style>'
    return f'<!doctype html>\n<html lang="en"><head>{head}</head><body>\n' + "\n".join(parts) + "\n</body></html>\n"


def _summary(log: Sequence[Mapping[str, Any]], results: Mapping[str, Any]) -> list[tuple[str, str]]:
    rows = [("updates", f"{max(line['update'] for line in log):,}")]
    for name in ("parameters", "training_seconds", "ended_by"):
        if name in results:
            value = results[name]
            rows.append((name.replace("_", " "), f"{value:,}" if isinstance(value, int | float) else str(value)))
    rows += [(f"development {name}", f"{score:.2f}") for name, score in results.get("dev_greedy", {}).items()]
    for direction, cell in results.get("test", {}).items():
        found = cell.items() if isinstance(cell, dict) else ()
        scores = [(name, x) for name, x in found if isinstance(x, dict) and "score" in x]
        rows += [
            (f"test {direction} {name}", f"{x['score']:.2f}  ({x.get('signature', 'no signature')})")
            for name, x in scores
        ]
    return rows


def _curves(log: Sequence[Mapping[str, Any]]) -> list[str]:
    """Draws the curves of the training, then of each score of the evaluations. A curve has at least two points."""
    evaluations = [line for line in log if "final" not in line]
    names = dict.fromkeys(name for line in evaluations for name in line if name.startswith("val_"))
    losses = ("loss", *(name for name in names if name.split("_")[1] == "loss"))
    of_scores: dict[str, list[str]] = {}
    for name in names:
        of_scores.setdefault(name.split("_")[1], []).append(name)
    of_scores.pop("loss", None)
    groups = [("loss", losses), ("learning rate", ("learning_rate",)), ("tokens a second", ("tokens_per_second",))]
    figures = []
    for title, group in [*groups, *of_scores.items()]:
        curves = {name: _points(evaluations, name) for name in group}
        curves = {name: points for name, points in curves.items() if len(points) > 1}
        if curves:
            figures.append(_figure(title, curves))
    return figures


def _points(log: Iterable[Mapping[str, Any]], name: str) -> list[tuple[float, float]]:
    found = ((line["update"], line.get(name)) for line in log)
    return [(x, float(y)) for x, y in found if isinstance(y, int | float) and math.isfinite(y)]


def _figure(title: str, curves: Mapping[str, Points]) -> str:
    """Draws curves over updates as SVG, with the limits of both axes."""
    everything = list(itertools.chain.from_iterable(curves.values()))
    (left, right), (low, high) = ((min(axis), max(axis)) for axis in zip(*everything, strict=True))

    def place(x: float, y: float) -> str:
        across = MARGIN + (WIDTH - 2 * MARGIN) * (x - left) / ((right - left) or 1)
        return f"{across:.1f},{HEIGHT - MARGIN / 2 - (HEIGHT - MARGIN) * (y - low) / ((high - low) or 1):.1f}"

    shapes = [
        f'<polyline fill="none" stroke="{COLOURS[i % len(COLOURS)]}" stroke-width="2" '
        f'points="{" ".join(place(*point) for point in points)}"><title>{html.escape(name)}</title></polyline>'
        f'<text x="{WIDTH - MARGIN}" y="{16 + 16 * i}" text-anchor="end" fill="{COLOURS[i % len(COLOURS)]}">'
        f"{html.escape(name)}</text>"
        for i, (name, points) in enumerate(curves.items())
    ]
    texts = [(0, HEIGHT - MARGIN / 2, f"{low:.3g}"), (0, MARGIN / 2 + 4, f"{high:.3g}")]
    texts += [(MARGIN, HEIGHT - 4, f"{left:,.0f}"), (WIDTH - 2 * MARGIN, HEIGHT - 4, f"{right:,.0f} updates")]
    shapes += [f'<text x="{x}" y="{y}">{text}</text>' for x, y, text in texts]
    attributes = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" font-size="12" role="img"'
    return f"<h3>{html.escape(title)}</h3>\n<svg {attributes}>{''.join(shapes)}</svg>"


def _texts_of_examples(folder: Path, settings: Mapping[str, Any]) -> dict[str, list[list[Path]]]:
    """Returns the files of test sentences, references and translations by title, if all of a direction still exist."""
    data = settings.get("data", {})
    texts = {}
    for pair in itertools.product(data.get("languages", ()), repeat=2):
        found = (sides_of_corpus(corpus, pair, is_needed=False) for corpus in corpora_of(data.get("test")))
        columns = [[Path(path) for path in paths] for paths in zip(*(sides for sides in found if sides), strict=True)]
        name = "-".join(pair)
        columns.append([folder / f"test.{name}.hypotheses.txt"])
        if len(columns) == 3 and all(path.is_file() for paths in columns for path in paths):
            texts[f"Examples, {name}"] = columns
    return texts


def _table(rows: Iterable[Sequence[str]], head: Sequence[str] = ()) -> str:
    cells = [f"<tr>{''.join(f'<th>{html.escape(name)}</th>' for name in head)}</tr>"] if head else []
    cells += [f"<tr>{''.join(f'<td>{html.escape(text)}</td>' for text in row)}</tr>" for row in rows]
    return "<table>\n" + "\n".join(cells) + "\n</table>"


COLUMNS = (
    *("configuration", "parameters", "training tokens/s", "decoding sentences/s", "runs", "dev BLEU", "test BLEU"),
    *("difference", "each seed", "95% interval", "p", "p (Holm)"),
)


def comparison_tables(summary: dict[str, Any]) -> list[list[list[str]]]:
    """Returns the table of the configurations and, for several directions, the table of test BLEU by direction.

    `summary` is the content of `comparison.json`. A table is a list of rows; the first has the names of the columns.
    """
    found = summary["configurations"]
    rows = [
        [
            name,
            _text(one["parameters"], ",d"),
            _rates(one["training_tokens_per_second"], ",.0f"),
            _rates(one["decoding_sentences_per_second"], ",.1f"),
            f"{one['runs']} of {len(summary['seeds'])}",
            _with_deviation(one["dev_bleu_greedy"]),
            _with_deviation(one["test_bleu"]),
            _text(one["difference"], "+.2f"),
            ", ".join(format(x, "+.2f") for x in one["differences"].values()) if one["interval"] else "",
            " to ".join(format(x, "+.2f") for x in one["interval"] or ()),
            _text(one["p_value"], ".3f"),
            _text(one["p_value_holm"], ".3f"),
        ]
        for name, one in found.items()
    ]
    tables = [[list(COLUMNS), *rows]]
    if len(summary["directions"]) > 1:
        cells = {
            name: [_with_deviation(x) + ("" if x["trained"] else "*") for x in one["by_direction"].values()]
            for name, one in found.items()
        }
        tables.append([["test BLEU", *summary["directions"]], *([name, *row] for name, row in cells.items())])
    return tables


def degenerate(summary: dict[str, Any]) -> list[str]:
    """Returns a line about each run with empty translations, or with fewer than half as many distinct ones as lines."""
    return [
        f"{name}-{seed}{'' if len(outputs) == 1 else f', {direction}'}: of {lines['lines']:,} translations of the test "
        f"data, {lines['distinct']:,} are distinct and {lines['empty']:,} are empty"
        for name, one in summary["configurations"].items()
        for seed, outputs in one["outputs"].items()
        for direction, lines in outputs.items()
        if lines["empty"] or 2 * lines["distinct"] < lines["lines"]
    ]


def comparison_markdown(summary: dict[str, Any]) -> str:
    """Returns the content of `comparison.md`: the tables, notes on their columns, and warnings."""
    tables = [
        "\n".join(
            "|" + "".join(f" {cell} |" if cell else " |" for cell in line)
            for line in (columns, ["---"] * len(columns), *rows)
        )
        for columns, *rows in comparison_tables(summary)
    ]
    found = summary["configurations"].values()
    budgets = {
        ", ".join(f"{name}={value}" for name, value in budget.items() if value is not None)
        for budget in summary["budget"].values()
    }
    searches = {"beam {beam_size}, length penalty {length_penalty}".format_map(x) for x in summary["search"].values()}
    started = summary["started_from_a_trained_run"]
    seeds = ", ".join(map(str, summary["seeds"]))
    moments = {one["decoding_sentences_per_second"]["at"] for one in found if one["decoding_sentences_per_second"]}
    notes = [
        f"Seeds {seeds}; budget: {' or '.join(sorted(budgets))}."
        + (f" Started from a trained run, whose budget is not counted: {', '.join(started)}." if started else ""),
        "BLEU: mean ± standard deviation (n - 1) over the finished runs; dev by greedy search, test by "
        f"{' or '.join(sorted(searches))}" + (f" (`{summary['signature']}`)." if summary["signature"] else "."),
        "Training: target tokens without padding, median and range of the runs' medians. Runs are measured one after "
        "the other, so other work on the machine may explain differences.",
        f"Difference: test BLEU minus that of {summary['baseline']}, over the seeds that both have finished. Interval: "
        "95%, by a bootstrap that draws sentences and seeds. p: two-sided, by a bootstrap that draws sentences, each "
        "with the translations of all seeds; one seed has no p. "
        f"p (Holm): corrected for the {sum(one['p_value'] is not None for one in found)} tests of the table.",
    ]
    if moments:
        notes.append(f"Decoding: the test data, runs of seed {summary['seeds'][0]} in turns, median and range.")
    if len(moments) > 1:
        notes.append(f"Not all in the same turns: {', '.join(sorted(moments))}.")
    if len(summary["directions"]) > 1:
        notes.append(
            f"BLEU is the mean over the {len(summary['directions'])} directions that all configurations have; the "
            "bootstrap draws the same lines in all of them. * never trained."
        )
    warnings = [f"Warning: {line}." for line in degenerate(summary)]
    return "\n\n".join([*tables, " ".join(notes), *warnings]) + "\n"


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
