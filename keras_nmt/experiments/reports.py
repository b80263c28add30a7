"""The report of a run as an HTML page. Imports no TensorFlow."""

from __future__ import annotations

import html
import itertools
import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from keras_nmt.errors import require
from keras_nmt.experiments.corpus_files import corpora_of, sides_of_corpus
from keras_nmt.files.json_file import named_damage, read_json
from keras_nmt.files.settings import nested_items
from keras_nmt.files.training_log import TrainingLog
from keras_nmt.files.weights_file import OTHER_WEIGHTS, RESULTS, scores_are_current
from keras_nmt.text.text_files import count_lines, read_blocks

WIDTH, HEIGHT, MARGIN = 640, 240, 48
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
STYLE = """body{font:15px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#222}
table{border-collapse:collapse}td,th{border-bottom:1px solid #ccc;padding:.2em .8em .2em 0;text-align:left;
vertical-align:top}svg{max-width:100%;height:auto}"""

Points = Sequence[tuple[float, float]]


def html_report(directory: str | os.PathLike[str], examples: int = 20) -> str:
    """Returns the report of the run in a model directory: an HTML page, which needs no scripts and no other files.

    `examples` is the number of test sentences of each direction, with reference and translation. A missing training
    log or a damaged file is a `UserError`.
    """
    folder = Path(directory)
    log_path = folder / "training_log.jsonl"
    log = TrainingLog(log_path).read()
    require(log, f"A report needs the training log of a run, with at least one line. Received: {log_path}")
    results, settings = read_record(folder, "results"), read_record(folder, "settings")
    is_current = scores_are_current(results, folder)
    parts = [f"<h1>{html.escape(folder.resolve().name)}</h1>"]
    with named_damage(folder / "results.json"):
        parts.append(_table(_summary(log, results, is_current)))
    with named_damage(folder / "training_log.jsonl"):
        curves = _curves(log)
        parts += ["<h2>Curves</h2>", *curves] if curves else []  # none of a run with one line
    with named_damage(folder / "settings.json"):
        texts = _texts_of_examples(folder, settings) if examples and is_current else {}
    for title, columns in texts.items():
        lines = (
            itertools.chain.from_iterable(block for path in paths for block in read_blocks(path)) for paths in columns
        )
        shown = list(itertools.islice(zip(*lines, strict=False), examples))
        parts += [f"<h2>{html.escape(title)}</h2>", _table(shown, ("source", "reference", "translation"))]
    rows = [(name, json.dumps(value, ensure_ascii=False)) for name, value in nested_items(settings)]
    parts += ["<h2>Settings</h2>", _table(rows)] if rows else []
    title = html.escape(folder.resolve().name)
    head = f'<meta charset="utf-8"><title>{title}</title><style>{STYLE}</style>'
    return f'<!doctype html>\n<html lang="en"><head>{head}</head><body>\n' + "\n".join(parts) + "\n</body></html>\n"


def read_record(directory: Path, name: str) -> dict[str, Any]:
    """Reads the "results" or the "settings" of a run, empty if there is no such file; for errors, see `read_json`."""
    path = directory / f"{name}.json"
    needed = RESULTS if name == "results" else ("data",)
    return read_json(path, f"the {name} of a run", needed=needed) if path.exists() else {}


def _summary(log: Sequence[Mapping[str, Any]], results: Mapping[str, Any], is_current: bool) -> list[tuple[str, str]]:
    rows = [("updates", f"{max(line['update'] for line in log):,}")]
    for name in ("parameters", "training_seconds", "ended_by"):
        if name in results:
            value = results[name]
            rows.append((name.replace("_", " "), f"{value:,}" if isinstance(value, int | float) else str(value)))
    if not is_current:
        return [*rows, ("scores", OTHER_WEIGHTS)]
    return rows + score_rows(results)


def score_rows(results: Mapping[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    """Returns the scores in `results.json` with their names: of development data, then by direction and test set."""
    rows = []
    for name, value in results.items():
        if name.startswith("dev") and isinstance(value, int | float):
            rows.append((name.replace("_", " "), f"{value:.2f}"))
        elif name.startswith("dev") and isinstance(value, dict):
            rows += [(f"{name.replace('_', ' ')} {key}", f"{score:.2f}") for key, score in value.items()]
        elif isinstance(value, dict) and isinstance(value.get("score"), int | float):
            rows.append((f"{prefix}{name}", f"{value['score']:.2f}  {value.get('signature', '')}"))
        elif isinstance(value, dict) and (name == "test" or prefix):
            rows += score_rows(value, f"{prefix}{name} ")
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
    points = ((line["update"], line.get(name)) for line in log)
    return [(x, float(y)) for x, y in points if isinstance(y, int | float) and math.isfinite(y)]


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
        test_sides = (sides_of_corpus(corpus, pair, is_needed=False) for corpus in corpora_of(data.get("test")))
        columns = [
            [Path(path) for path in paths] for paths in zip(*(sides for sides in test_sides if sides), strict=True)
        ]
        name = "-".join(pair)
        columns.append([folder / f"test.{name}.hypotheses.txt"])
        if len(columns) != 3 or not all(path.is_file() for paths in columns for path in paths):
            continue
        # A test set that is gone since then would shift the others beside the translations.
        if len({sum(map(count_lines, paths)) for paths in columns}) == 1:
            texts[f"Examples, {name}"] = columns
    return texts


def _table(rows: Iterable[Sequence[str]], head: Sequence[str] = ()) -> str:
    cells = [f"<tr>{''.join(f'<th>{html.escape(name)}</th>' for name in head)}</tr>"] if head else []
    cells += [f"<tr>{''.join(f'<td>{html.escape(text)}</td>' for text in row)}</tr>" for row in rows]
    return "<table>\n" + "\n".join(cells) + "\n</table>"
