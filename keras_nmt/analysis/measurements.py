"""Measurements of models: their numbers, tables and figures."""

from __future__ import annotations

import collections
import dataclasses
import io
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from keras_nmt.errors import check_positive, check_seed, errors_as, needs_extra, require
from keras_nmt.evaluation import significance
from keras_nmt.evaluation.bootstrap import show_p
from keras_nmt.files.atomic_files import atomic_path, write_bytes, write_json, write_text
from keras_nmt.files.markdown import markdown_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# A group, such as "encoder", and an item of the group, such as the number of a layer.
Key = tuple[str, str]

# Okabe and Ito's colours, which the colour-blind can tell apart. Markers and lines differ too, for print.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS, LINES, HATCHES = "osD^vPX", ("-", "--", "-.", ":"), ("", "//", "..", "xx", "\\\\", "++", "oo")


def new_figure(width: float, height: float) -> Figure:
    """Makes an empty figure of a size in inches; a `UserError` without matplotlib."""
    with needs_extra("figures", "analysis"):
        from matplotlib.figure import Figure
    return Figure(figsize=(width, height), layout="constrained")


def save_figure(path: str | os.PathLike[str], figure: Figure) -> None:
    """Writes a figure in the format of the path's suffix, complete or not at all."""
    with atomic_path(path) as temporary:
        figure.savefig(temporary)


def write_results(folder: str | os.PathLike[str], results: Any, analysis: str) -> None:
    """Writes results.json, table.md and a picture, named after the analysis, into a folder."""
    write_json(Path(folder) / "results.json", results.numbers())
    write_text(Path(folder) / "table.md", results.to_markdown() + "\n")
    save_figure(Path(folder) / f"{analysis}.png", results.plot())


@dataclasses.dataclass(frozen=True, eq=False)
class Measurements:
    """The numbers that an analysis measured on one model.

    Args:
        analysis: String, the name of the analysis, which files are named after.
        unit: String, what the numbers are, such as "accuracy".
        values: Dictionary from keys, (group, item), to numbers, in the order of the table.
        samples: Dictionary from keys to what a test of significance draws: a boolean array `[n]`, whether each of n
            items is right; an array `[n, 2]`, a sum and a count for each of n sentences, whose quotient over all
            sentences is the value; or an array `[n, 10]`, BLEU's counts for each of n sentences. Keys without samples
            are compared without a test. Defaults to none.
        references: Dictionary from keys to the number that a trivial system reaches, such as the accuracy of the most
            frequent class. Defaults to none.
        deviations: Dictionary from keys to standard deviations over seeds. Defaults to none.
        notes: Tuple of sentences below the table. Defaults to none.
        details: Dictionary of further results in types of JSON. Defaults to none.
        limits: Tuple of two floats, the ends of the axis in all plots. Defaults to None: as far as the numbers of a
            plot go.

    Example:

    >>> similar = Measurements("similarity", "cosine", {("encoder", "1"): 0.9, ("encoder", "2"): 0.75})
    >>> print(similar.to_markdown())
    | encoder | model |
    | --- | ---: |
    | 1 | 0.900 |
    | 2 | 0.750 |
    """

    analysis: str
    unit: str
    values: dict[Key, float]
    samples: dict[Key, np.ndarray] = dataclasses.field(default_factory=dict)
    references: dict[Key, float] = dataclasses.field(default_factory=dict)
    deviations: dict[Key, float] = dataclasses.field(default_factory=dict)
    notes: tuple[str, ...] = ()
    details: dict[str, Any] = dataclasses.field(default_factory=dict)
    limits: tuple[float, float] | None = None

    def to_markdown(self) -> str:
        """Returns the numbers as a table of each group in Markdown."""
        return compare({"model": self}).to_markdown()

    _repr_markdown_ = to_markdown  # a notebook shows the table

    def plot(self) -> Figure:
        """Draws the numbers as a `matplotlib.figure.Figure` with axes for each group."""
        return compare({"model": self}).plot()

    def numbers(self) -> dict[str, Any]:
        """Returns all results but the samples in types of JSON; see `json_number`."""
        return {
            "unit": self.unit,
            "values": [
                {
                    "group": group,
                    "item": item,
                    "value": json_number(value),
                    **{
                        name: json_number(of_key[group, item])
                        for name, of_key in (("reference", self.references), ("deviation", self.deviations))
                        if (group, item) in of_key
                    },
                }
                for (group, item), value in self.values.items()
            ],
            "notes": list(self.notes),
            **self.details,
        }

    def joined(self, other: Measurements) -> Measurements:
        """Returns these numbers and those of another part of the same analysis of the same model."""
        both = {
            field.name: getattr(self, field.name) | getattr(other, field.name)
            for field in dataclasses.fields(self)
            if isinstance(getattr(self, field.name), dict)
        }
        notes = tuple(dict.fromkeys((*self.notes, *other.notes)))
        return dataclasses.replace(self, **both, notes=notes)

    def save(self, path: str | os.PathLike[str], settings: Any) -> None:
        """Writes a file that `load` reads, completely or not at all.

        Args:
            path: String or path of the file.
            settings: The settings of the analysis in types of JSON, which the file keeps, too.
        """
        arrays: dict[str, Any] = {f"samples_{i}": x for i, x in enumerate(self.samples.values())}
        plain = {
            field.name: [[*key, float(x)] for key, x in value.items()] if isinstance(value, dict) else value
            for field in dataclasses.fields(self)
            for value in [getattr(self, field.name)]
            if field.name not in ("samples", "details")
        }
        header = {**plain, "details": self.details, "samples": list(self.samples), "settings": settings}
        buffer = io.BytesIO()
        np.savez_compressed(buffer, header=np.array(json.dumps(header)), **arrays)
        write_bytes(path, buffer.getvalue())

    @classmethod
    def load(cls, path: str | os.PathLike[str], settings: Any) -> Measurements | None:
        """Reads a file that `save` has written.

        Args:
            path: String or path of the file.
            settings: The settings of the analysis in types of JSON.

        Returns:
            The measurements; None if there is no such file, or if the file was saved with other settings.

        Raises:
            UserError: The file is damaged.
        """
        if not Path(path).is_file():
            return None
        damage = f"A finished part is damaged: remove it. Received: {path}"
        with errors_as(damage), np.load(path, allow_pickle=False) as file:
            header = json.loads(str(file["header"]))
            if header.pop("settings") != json.loads(json.dumps(settings)):
                return None
            keys = [tuple(key) for key in header.pop("samples")]
            samples = {key: file[f"samples_{i}"] for i, key in enumerate(keys)}
        limits = header["limits"] and tuple(header["limits"])
        for name in ("values", "references", "deviations"):
            header[name] = {(group, item): value for group, item, value in header[name]}
        return cls(**{**header, "notes": tuple(header["notes"]), "samples": samples, "limits": limits})


@dataclasses.dataclass(frozen=True, eq=False)
class ModelComparison:
    """The numbers of one analysis on several models, whose differences are those from the first model.

    Args:
        models: Dictionary from names of models to `Measurements`.
        p_values: Dictionary from names of models, but the first, to p-values by key; keys without a test, or with too
            few sentences for the test, are left out.
    """

    models: dict[str, Measurements]
    p_values: dict[str, dict[Key, float]]

    @property
    def _first(self) -> Measurements:
        return next(iter(self.models.values()))

    def groups(self) -> dict[str, list[str]]:
        """Returns the items of each group, in the order of the table, of all models."""
        return items_of_groups(key for measurements in self.models.values() for key in measurements.values)

    def to_markdown(self) -> str:
        """Returns a table for each group in Markdown: items, the models' numbers, differences and p-values.

        Notes stand below, with the names of the models unless all models have them.
        """
        tables = [self._table(group, items) for group, items in self.groups().items()]
        notes: dict[str, list[str]] = {}
        for name, measurements in self.models.items():
            for note in measurements.notes:
                notes.setdefault(note, []).append(name)
        shown = (note if len(of) == len(self.models) else f"{', '.join(of)}: {note}" for note, of in notes.items())
        return "\n\n".join([*tables, *shown])

    _repr_markdown_ = to_markdown  # a notebook shows the tables

    def _references(self, group: str, items: Iterable[str]) -> dict[str, float]:
        """Returns the reference of each item, from the first model with one."""
        first = collections.ChainMap(*(m.references for m in self.models.values()))
        return {item: first[group, item] for item in items if (group, item) in first}

    def _table(self, group: str, items: list[str]) -> str:
        references = self._references(group, items)
        columns = [*self.models]
        for name in self.p_values:
            columns += [f"{name} - {next(iter(self.models))}", "p"]
        rows = []
        for item in items:
            key = group, item
            cells = [_shown(m.values.get(key), m.deviations.get(key)) for m in self.models.values()]
            for name, of_key in self.p_values.items():
                difference = self.models[name].values.get(key, np.nan) - self._first.values.get(key, np.nan)
                cells.append("" if np.isnan(difference) else f"{difference:+.3f}")
                cells.append(show_p(of_key.get(key)))
            trivial = [_shown(references.get(item), None)] * bool(references)
            rows.append([item, *cells, *trivial])
        return markdown_table([group, *columns, *["trivial"] * bool(references)], rows, numbers=True)

    def numbers(self) -> dict[str, Any]:
        """Returns all results in types of JSON."""
        return {
            "analysis": self._first.analysis,
            "models": {name: measurements.numbers() for name, measurements in self.models.items()},
            "p_values": {
                name: [{"group": group, "item": item, "p": p} for (group, item), p in of_key.items()]
                for name, of_key in self.p_values.items()
            },
        }

    def plot(self) -> Figure:
        """Draws a `matplotlib.figure.Figure`: axes for each group, a line or bars for each model."""
        groups = self.groups()
        columns = min(3, len(groups))
        rows = -(-len(groups) // columns)
        bars = max((len(items) for items in groups.values() if not _is_line(items)), default=0) * len(self.models)
        figure = new_figure(min(5 * columns, 40), min(max(3.5, 0.3 * bars) * rows, 60))
        for i, (group, items) in enumerate(groups.items()):
            axes = figure.add_subplot(rows, columns, i + 1)
            axes.set_title(group, parse_math=False)
            (self._lines if _is_line(items) else self._bars)(axes, group, items)
        if len(self.models) > 1 or any(m.references for m in self.models.values()):
            handles, labels = figure.axes[0].get_legend_handles_labels()
            legend = figure.legend(handles, labels, fontsize="small", loc="outside lower center", ncols=2)
            names = {_label(i): name for i, name in enumerate(self.models)}
            for text in legend.get_texts():  # matplotlib would leave out a name with _ first, and read $ as formulas
                text.set_parse_math(False)
                text.set_text(names.get(text.get_text(), text.get_text()))
        return figure

    def _lines(self, axes: Any, group: str, items: list[str]) -> None:
        for i, measurements in enumerate(self.models.values()):
            keys = [(group, item) for item in items if (group, item) in measurements.values]
            axes.errorbar(
                [float(item) for _, item in keys],
                [measurements.values[key] for key in keys],
                [measurements.deviations.get(key, 0) for key in keys] if measurements.deviations else None,
                color=COLOURS[i % len(COLOURS)],
                marker=MARKERS[i % len(MARKERS)],
                linestyle=LINES[i % len(LINES)],
                label=_label(i),
            )
        if references := self._references(group, items):
            axes.plot([*map(float, references)], [*references.values()], color="grey", linestyle=":", label="trivial")
        axes.set_xticks([float(item) for item in items], items)
        axes.set_ylabel(self._first.unit)
        axes.set_ylim(self._first.limits)

    def _bars(self, axes: Any, group: str, items: list[str]) -> None:
        height = 0.8 / len(self.models)
        for i, measurements in enumerate(self.models.values()):
            axes.barh(
                [place + i * height for place in range(len(items))],
                [measurements.values.get((group, item), np.nan) for item in items],
                height,
                xerr=[measurements.deviations.get((group, item), 0) for item in items]
                if measurements.deviations
                else None,
                color=COLOURS[i % len(COLOURS)],
                hatch=HATCHES[i % len(HATCHES)],
                edgecolor="white",
                label=_label(i),
            )
        for i, (item, reference) in enumerate(self._references(group, items).items()):
            ends = [items.index(item) - height / 2, items.index(item) + 0.8 - height / 2]
            axes.plot([reference] * 2, ends, color="black", linestyle=":", label=None if i else "trivial")
        axes.set_yticks([place + 0.4 - height / 2 for place in range(len(items))], items, parse_math=False)
        axes.invert_yaxis()
        axes.set_xlabel(self._first.unit)
        axes.set_xlim(self._first.limits)

    def write(self, folder: str | os.PathLike[str]) -> None:
        """Writes results.json, table.md and a picture, named after the analysis, into a folder."""
        write_results(folder, self, self._first.analysis)


def compare(models: Mapping[str, Measurements]) -> ModelComparison:
    """Compares the numbers of one analysis on several models with those of the first model.

    Args:
        models: Mapping from names of models to `Measurements` of one analysis of the same texts.

    Returns:
        A `ModelComparison`, with p-values where both models have samples; see `significance`.

    Raises:
        UserError: There are no models, or measurements of several analyses.

    Example:

    >>> right, wrong = np.array([True] * 20), np.array([True, False] * 10)
    >>> key = ("contrast", "all")
    >>> a, b = (Measurements("contrast", "accuracy", {key: x.mean()}, {key: x}) for x in (right, wrong))
    >>> print(compare({"a": a, "b": b}).to_markdown())
    | contrast | a | b | b - a | p |
    | --- | ---: | ---: | ---: | ---: |
    | all | 1.000 | 0.500 | -0.500 | 0.002 |
    """
    _check_one_analysis(models.values())
    (_, first), *others = models.items()
    p_values = {}
    for name, other in others:
        shared = [key for key in first.samples if key in other.samples]
        tested = {key: significance(*_of_one_kind(other.samples[key], first.samples[key])) for key in shared}
        p_values[name] = {key: p for key, p in tested.items() if p is not None}
    return ModelComparison(dict(models), p_values)


def check_seeds(seeds: Sequence[int]) -> None:
    """Checks that there is a seed, and that all are in their range; raises a `UserError` otherwise."""
    check_positive(seeds=len(seeds))
    for seed in seeds:
        check_seed(seed=seed)


def over_seeds(runs: Sequence[Measurements]) -> Measurements:
    """Returns the mean of several runs that differ in the seed of analysis or model, with standard deviations.

    A number that one of the runs lacks is left out. A test of significance draws items or sentences, each with the
    results of all runs, and takes the mean over the runs, too.

    Args:
        runs: Sequence of `Measurements` of one analysis of the same texts.

    Returns:
        `Measurements`; further results (`details`) and references are those of the first run, notes those of all runs.

    Raises:
        UserError: There are no runs, or runs of several analyses.

    Example:

    >>> runs = [Measurements("contrast", "accuracy", {("contrast", "all"): x}) for x in (0.5, 0.7)]
    >>> print(over_seeds(runs).to_markdown())
    | contrast | model |
    | --- | ---: |
    | all | 0.600 ± 0.141 |
    """
    _check_one_analysis(runs)
    first = runs[0]
    if len(runs) == 1:
        return first
    shared = [key for key in first.values if all(key in run.values for run in runs)]
    values = {key: np.array([run.values[key] for run in runs]) for key in shared}
    samples = {}
    for key in first.samples:
        of_runs = [_as_sums(run.samples[key]) for run in runs if key in run.samples]
        if len(of_runs) == len(runs) and len({x.shape for x in of_runs}) == 1:
            samples[key] = np.stack(of_runs)  # [runs, n, k]
    return dataclasses.replace(
        first,
        values={key: float(x.mean()) for key, x in values.items()},
        deviations={key: float(x.std(ddof=1)) for key, x in values.items()},
        samples=samples,
        notes=tuple(dict.fromkeys(note for run in runs for note in run.notes)),
    )


def items_of_groups(keys: Iterable[Key]) -> dict[str, list[str]]:
    """Returns the items of each group, each once: numbers in ascending order, others in the order of the keys.

    Example:

    >>> items_of_groups([("bins", "1"), ("bins", "10"), ("tags", "VERB"), ("bins", "2"), ("tags", "NOUN")])
    {'bins': ['1', '2', '10'], 'tags': ['VERB', 'NOUN']}
    """
    items_by_group: dict[str, list[str]] = {}
    for group, item in dict.fromkeys(keys):
        items_by_group.setdefault(group, []).append(item)
    return {group: sorted(items, key=int) if _is_line(items) else items for group, items in items_by_group.items()}


def numbers_of(what: str, numbers: Mapping[str, int]) -> str:
    """Writes a note on how many sentences or items are behind each number."""
    return f"Numbers of {what}: {', '.join(f'{number:,} ({name})' for name, number in numbers.items())}."


def notes_of_outputs(outputs: Mapping[str, int]) -> tuple[str, ...]:
    """Writes a note on the counts of `count_outputs`, if sources were truncated or translations are empty or cut off.

    Example:

    >>> notes_of_outputs({"lines": 9, "empty": 1, "cut_off": 0, "distinct": 8, "truncated": 2})
    ('Of 9 translations, 1 is empty, 0 are cut off by the length limit, 2 are of truncated sources.',)
    """
    kinds = {"empty": "empty", "cut_off": "cut off by the length limit", "truncated": "of truncated sources"}
    if not any(outputs.get(kind) for kind in kinds):
        return ()
    parts = [f"{outputs[kind]:,} {'is' if outputs[kind] == 1 else 'are'} {name}" for kind, name in kinds.items()]
    return (f"Of {outputs['lines']:,} translations, {', '.join(parts)}.",)


def _check_one_analysis(measured: Iterable[Measurements]) -> None:
    kinds = {measurements.analysis for measurements in measured}
    require(len(kinds) == 1, f"Compare measurements of one analysis. Received: {', '.join(sorted(kinds)) or 'none'}")


def _as_sums(samples: np.ndarray) -> np.ndarray:
    """Returns right or wrong items as a sum and a count for each, `[n, 2]`; other samples as they are."""
    return np.stack([samples, np.ones(len(samples))], axis=1) if samples.dtype == bool else samples


def _of_one_kind(*samples: np.ndarray) -> Sequence[np.ndarray]:
    """Makes samples of two models comparable, if one has several runs and the other a single run."""
    return samples if all(x.dtype == bool for x in samples) else [*map(_as_sums, samples)]


def _is_line(items: list[str]) -> bool:
    return len(items) > 1 and all(item.isdecimal() for item in items)


def _label(number: int) -> str:
    return f"model {number}"


def _shown(value: float | None, deviation: float | None) -> str:
    if value is None or np.isnan(value):
        return ""
    return f"{value:.3f}" if deviation is None else f"{value:.3f} ± {deviation:.3f}"


def json_number(value: float) -> float | None:
    """Returns a number in types of JSON, which has neither infinity nor NaN: None for these."""
    return float(value) if np.isfinite(value) else None
