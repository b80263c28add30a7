"""Measures how log-probabilities of references, and BLEU, change if parts of a trained model are cut."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import tensorflow as tf
from sacrebleu.metrics import BLEU

from keras_nmt.analysis.cuts import MEASURED, Cut, TextValues, log_probabilities, model_records
from keras_nmt.analysis.measurements import json_number, new_figure, write_results
from keras_nmt.analysis.token_states import IdBatch, Model, id_batches, open_pair, open_translator, target_tokenizer
from keras_nmt.errors import UserError, check_no_string, require
from keras_nmt.evaluation import significance
from keras_nmt.evaluation.bootstrap import bleu_counts, bleu_of_counts, holm, quotient, show_p
from keras_nmt.evaluation.metrics import check_lines
from keras_nmt.files.markdown import markdown_table
from keras_nmt.layers import intervening
from keras_nmt.progress import count_steps
from keras_nmt.text.text_files import check_any_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAX_TOKENS = 4096  # of a batch
SAMPLES = 10_000
MEASURES = {"log-probability a token": 4, "BLEU": 2}  # with their digits in tables


@dataclasses.dataclass(frozen=True)
class Change:
    """The change of one measure by a cut: the difference from the whole model, and its p-values, or None."""

    difference: float
    p: float | None
    p_holm: float | None


@dataclasses.dataclass(frozen=True, eq=False)
class Ablations:
    """The changes by cuts of a model. A notebook shows the table.

    Args:
        whole: Dictionary from measures, "log-probability a token" and "BLEU", to the numbers of the whole model.
        changes: Dictionary from cuts to dictionaries from measures to `Change`.
        notes: Tuple of sentences below the table.
    """

    whole: dict[str, float]
    changes: dict[Cut, dict[str, Change]]
    notes: tuple[str, ...]

    def to_markdown(self) -> str:
        """Returns a table in Markdown: the whole model's numbers, and the differences of each cut."""
        numbers = (f"{value:.{MEASURES[name]}f}" for name, value in self.whole.items())
        rows = [["nothing", "", *(cell for number in numbers for cell in (number, "", ""))]]
        for cut, changes in self.changes.items():
            cells = []
            for name in self.whole:
                if (change := changes.get(name)) is None:
                    cells += ["", "", ""]
                else:
                    cells += [f"{change.difference:+.{MEASURES[name]}f}", show_p(change.p), show_p(change.p_holm)]
            rows.append([f"`{cut.pattern}`", cut.kind, *cells])
        columns = ["cut", "replaced by", *(cell for name in self.whole for cell in (name, "p", "p (Holm)"))]
        return "\n\n".join([markdown_table(columns, rows), *self.notes])

    _repr_markdown_ = to_markdown

    def numbers(self) -> dict[str, Any]:
        """Returns all results in types of JSON."""

        def shown(change: Change) -> dict[str, float | None]:
            return {**dataclasses.asdict(change), "difference": json_number(change.difference)}

        return {
            "analysis": "ablate",
            "whole": {name: json_number(value) for name, value in self.whole.items()},
            "cuts": [
                {
                    "pattern": cut.pattern,
                    "kind": cut.kind,
                    "changes": {name: shown(change) for name, change in changes.items()},
                }
                for cut, changes in self.changes.items()
            ],
            "notes": list(self.notes),
        }

    def plot(self) -> Figure:
        """Draws a `matplotlib.figure.Figure`: a heat map of each measure, with layers or parts as columns.

        Raises:
            UserError: matplotlib is missing.
        """
        cells = {cut: _row_and_column(cut) for cut in self.changes}
        rows = list(dict.fromkeys(row for row, _ in cells.values()))
        columns = sorted({column for _, column in cells.values()}, key=lambda x: (len(x), x))
        size = min(3 + 0.9 * len(columns) + 0.08 * max(map(len, rows)), 40), min(1.5 + 0.4 * len(rows), 60)
        figure = new_figure(size[0] * len(self.whole), size[1])
        for number, name in enumerate(self.whole, 1):
            axes = figure.add_subplot(1, len(self.whole), number)
            table = np.full([len(rows), len(columns)], np.nan)
            for cut, (row, column) in cells.items():
                if name in self.changes[cut]:
                    table[rows.index(row), columns.index(column)] = self.changes[cut][name].difference
            largest = np.nanmax(np.abs(table)) if np.isfinite(table).any() else 1
            axes.imshow(table, cmap="RdBu", vmin=-largest, vmax=largest, aspect="auto", interpolation="nearest")
            for (row, column), value in np.ndenumerate(table):
                if np.isfinite(value):
                    colour = "white" if abs(value) > 0.6 * largest else "black"
                    text = f"{value:+.{MEASURES[name]}f}"
                    axes.text(column, row, text, ha="center", va="center", color=colour, fontsize="small")
            axes.set_xticks(range(len(columns)), columns)
            axes.set_yticks(range(len(rows)), rows if number == 1 else [""] * len(rows), parse_math=False)
            axes.set_title(f"change of {name}")
        return figure

    def write(self, folder: str | os.PathLike[str]) -> None:
        """Writes results.json, table.md and ablate.png into a folder."""
        write_results(folder, self, "ablate")


def _row_and_column(cut: Cut) -> tuple[str, str]:
    """Returns the row and the column of a heat map: a part, or the number of a layer, is the column."""
    match = re.search(r":(\d+)$", cut.pattern) or re.search(r"(?:layer|state)_(\d+)", cut.pattern)
    if match is None:
        return f"{cut.pattern} = {cut.kind}", "all"
    row = f"{cut.pattern[: match.start(1)]}*{cut.pattern[match.end(1) :]}"
    return f"{row} = {cut.kind}", match.group(1)


def ablate(
    model: Model,
    source: Sequence[str],
    target: Sequence[str],
    cuts: Sequence[str],
    *,
    each: bool = False,
    search: bool = True,
    patch: int | None = None,
    source_language: str | None = None,
    target_language: str | None = None,
) -> Ablations:
    """Measures what changes if inner tensors of a model are replaced.

    Log-probabilities are those of the targets by teacher forcing, each token with its own weight. BLEU is that of the
    translations of a search in which the same tensors are replaced in each step. p-values are two-sided, by paired
    bootstrap with 10,000 draws over sentences, and Holm's method corrects them for the number of cuts. They show the
    effect of the choice of sentences on one trained model.

    Args:
        model: String or path of a model directory, or a `Translator`.
        source: Sequence of strings.
        target: Sequence of strings, a translation of each source.
        cuts: Sequence of strings "PATTERN=KIND": `keras_nmt.layers.intervening` describes patterns, and `Cut` kinds.
            Each is measured alone.
        each: Boolean, whether each place that matches a pattern is also measured alone; with a pattern that ends with
            ":*" each part, such as each head. Defaults to False.
        search: Boolean, whether to translate, too. A cut of the kind "sentence" is only measured by teacher forcing.
            Defaults to True.
        patch: Integer, the number of the line, from 1, whose values the kind "sentence" takes. Defaults to None: those
            of the next line, and for the last line those of the first.
        source_language, target_language: Strings, the direction of a multilingual model.

    Returns:
        `Ablations`.

    Raises:
        UserError: A cut is wrong or matches nothing, there is no such line, numbers of lines differ, or the model is an
            ensemble or does not have the direction.
    """
    check_no_string(cuts=cuts)
    check_lines(source=source, target=target)
    check_any_text("target", target)
    parsed = [Cut.parse(cut) for cut in cuts]
    require(parsed, "Name what to cut, such as '*:gates=constant:0'. Received: nothing")
    require(patch is None or 1 <= patch <= len(source), f"The line must be from 1 to {len(source)}. Received: {patch}")
    if patch is not None and all(cut.kind != "sentence" for cut in parsed):
        raise UserError(f"A line to take values from goes with the kind `sentence`. Received: {patch}")
    if patch is None and len(source) < 2 and any(cut.kind == "sentence" for cut in parsed):
        raise UserError("The kind `sentence` needs another sentence. Received: 1 line")
    translator, languages = open_translator(model, source_language, target_language)
    pair, tokenizers, language = open_pair(translator, *languages)
    batches = list(id_batches(tokenizers, source, target, MAX_TOKENS, language=language))
    places = {record.place: record.num_parts for record, _ in model_records(pair, *(x[:1] for x in batches[0].ids))}
    expanded = dict.fromkeys(x for cut in parsed for x in cut.expand(places, each))
    others = [(i + 1) % len(source) if patch is None else patch - 1 for i in range(len(source))]

    references = list(target)
    ignores_case = target_tokenizer(translator, languages).lowercases
    metric = BLEU(lowercase=ignores_case)

    matching = {cut: cut.matching(places) for cut in expanded}
    needed = [place for cut in expanded if cut.kind in MEASURED for place in matching[cut]]
    tags = list(tokenizers[0].source.tags.texts.values())
    text = TextValues(pair, list(dict.fromkeys(needed)), batches, tokenizers[0].tokenize(tags).to_list())

    def measured(cut: Cut | None) -> dict[str, np.ndarray]:
        of_sentence = cut is not None and cut.kind == "sentence"
        values = text.tokens(matching[cut]) if cut is not None and cut.kind in MEASURED and not of_sentence else {}

        def values_of_batch(batch: IdBatch) -> dict[str, np.ndarray]:
            if cut is None or not of_sentence:
                return {}
            return text.of_others(matching[cut], batch, [others[row] for row in batch.rows])

        def block(batch_values: Mapping[str, Any]) -> contextlib.AbstractContextManager[None]:
            if cut is None:
                return contextlib.nullcontext()
            return intervening(cut.replacements(batch_values or values, text.labels))

        tf.random.set_seed(0)  # of `shuffle`
        results = {"log-probability a token": log_probabilities(pair, batches, block, values_of_batch)}
        if search and not of_sentence:
            with block({}):
                texts = [x.text for x in translator.translate(list(source), *languages)]
            results["BLEU"] = bleu_counts(texts, references, metric)
        return results

    samples: dict[Cut, dict[str, np.ndarray]] = {}
    with count_steps(1 + len(expanded), "cuts") as advance:
        whole = measured(None)
        advance()
        for cut in expanded:
            samples[cut] = measured(cut)
            advance()
    values: dict[str, float] = {}
    changes: dict[Cut, dict[str, Change]] = {cut: {} for cut in expanded}
    for name, of_whole in whole.items():
        score = bleu_of_counts if name == "BLEU" else quotient
        values[name] = float(score(of_whole.sum(0)))
        of_cuts = {cut: of[name] for cut, of in samples.items() if name in of}
        p_values = {cut: significance(x, of_whole, samples=SAMPLES) for cut, x in of_cuts.items()}
        corrected = holm({cut: p for cut, p in p_values.items() if p is not None})
        for cut, x in of_cuts.items():
            difference = float(score(x.sum(0))) - values[name]
            changes[cut][name] = Change(difference, p_values[cut], corrected.get(cut))
    notes = [f"{len(source):,} sentences."]
    if ignores_case and "BLEU" in whole:
        notes.append("BLEU ignores case.")
    return Ablations(values, changes, tuple(notes))
