"""Ambiguous words, and how often they are translated in the right sense."""

from __future__ import annotations

import dataclasses
import os
import unicodedata
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

from keras_nmt.analysis.measurements import Key, Measurements, notes_of_outputs
from keras_nmt.analysis.task_data import text_of_key
from keras_nmt.analysis.token_states import Model, translated
from keras_nmt.errors import UserError, require
from keras_nmt.evaluation.metrics import check_lines
from keras_nmt.text.text_files import read_line_pairs, read_lines

_tokenize = Tokenizer13a()


@dataclasses.dataclass(frozen=True)
class SenseItem:
    """A source with an ambiguous word, and the words or phrases that translate the right sense and the wrong senses."""

    source: str
    right: tuple[str, ...]
    wrong: tuple[str, ...] = ()
    category: str = "all"


def senses(
    model: Model | list[str],
    items: Sequence[SenseItem],
    *,
    source_language: str | None = None,
    target_language: str | None = None,
) -> Measurements:
    """Measures the share of sources whose translation has a word of the right sense.

    Words are those of sacreBLEU's tokenizer 13a, in lower case and Unicode's NFC. Phrases, and words that the tokenizer
    splits, such as "km/h", must occur as a whole.

    Args:
        model: String or path of a model directory, a `Translator`, or the list of a system's translations.
        items: Sequence of `SenseItem`, such as `read_senses` reads.
        source_language, target_language: Strings, the direction of a multilingual model.

    Returns:
        `Measurements` of two groups, each of all items and by category. "right sense": the share of items whose
        translation has a word of the right sense and none of a wrong sense. "right among decided", for items with
        wrong senses: the same share among the items whose translation has a word of either kind. The translations are
        in the details. A model's empty and cut-off translations, and those of truncated sources, are counted in a note,
        and in the details.

    Raises:
        UserError: There are no items, the number of translations differs, or the model does not have the direction.

    Example:

    >>> bank = SenseItem("I sat on the bank .", right=("ufer",), wrong=("bank",))
    >>> senses(["Ich saß am Ufer.", "Ich saß auf der Bank.", "Ich saß."], [bank] * 3).values[
    ...     "right among decided", "all"
    ... ]
    0.5

    Reference:
        [Raganato et al., 2019](https://aclanthology.org/W19-5354/), the MuCoW test suite.
    """
    require(items, "There are no items to translate.")
    sources = [item.source for item in items]
    translations, outputs, _ = translated(model, sources, (source_language, target_language))
    check_lines(items=items, translations=translations)
    samples: dict[Key, np.ndarray] = {}
    has_wrong = np.array([_has_any(text, x.wrong) for text, x in zip(translations, items, strict=True)])
    has_right = np.array([_has_any(text, x.right) for text, x in zip(translations, items, strict=True)])
    right, decided = has_right & ~has_wrong, has_right | has_wrong
    contrasted = np.array([bool(item.wrong) for item in items])
    categories = np.array([item.category for item in items])
    for category in dict.fromkeys(("all", *categories.tolist())):
        chosen = np.ones_like(right) if category == "all" else categories == category
        samples["right sense", category] = right[chosen]
        counted = decided & contrasted & chosen
        if counted.any():  # sums and counts of every sentence of the category, so that models are compared in pairs
            both = np.stack([right & counted, counted], axis=1)[chosen]
            samples["right among decided", category] = both.astype("float64")
    ordered = dict(sorted(samples.items(), key=lambda entry: entry[0][0] != "right sense"))
    return Measurements(
        "senses",
        "share",
        {key: float(x.mean() if x.ndim == 1 else x[:, 0].sum() / x[:, 1].sum()) for key, x in ordered.items()},
        ordered,
        notes=notes_of_outputs(outputs),
        details={"outputs": dict(outputs), "translations": list(translations)},
    )


def _has_any(text: str, phrases: Sequence[str]) -> bool:
    """Returns whether the words of a phrase stand one after another in a text."""
    of_text, *of_phrases = (_tokenize(unicodedata.normalize("NFC", x.lower())) for x in (text, *phrases))
    return any(f" {phrase} " in f" {of_text} " for phrase in of_phrases if phrase)


def read_senses(path: str | os.PathLike[str]) -> list[SenseItem]:
    """Reads ambiguous words: a key of MuCoW's translation suite, or a table of Multi30k's ambiguous words.

    A line of a key, NAME.key.txt, is "id, corpus, word, right translations, wrong translations" with tabs between, and
    spaces between translations; the sources are in NAME.text.txt beside it. A line of a table is "word | translation |
    source | reference", with further columns or none.

    Args:
        path: String or path of the key or of the table.

    Returns:
        List of `SenseItem`.

    Raises:
        OSError: A file cannot be opened.
        UserError: A line is of another format, or the numbers of lines differ.
    """
    path = Path(path)
    text = text_of_key(path)
    if text is not None:
        keys, sources = read_line_pairs(path, text)
        rows = [(line, [*line.split("\t"), source]) for line, source in zip(keys, sources, strict=True)]
        _check_columns(path, rows, 6)
        return [
            SenseItem(source, tuple(right.split()), tuple(wrong.split()), corpus)
            for _, (_, corpus, _, right, wrong, source) in rows
        ]
    rows = [(line, [cell.strip() for cell in line.split(" | ")]) for line in read_lines(path)]
    _check_columns(path, rows, 4, or_more=True)
    return [SenseItem(cells[2], (cells[1],)) for _, cells in rows]


def _check_columns(path: Path, rows: Sequence[tuple[str, list[str]]], wanted: int, or_more: bool = False) -> None:
    for number, (line, cells) in enumerate(rows, 1):
        if len(cells) < wanted or (len(cells) > wanted and not or_more):
            raise UserError(
                f"{path}, line {number}, must be a line of MuCoW's key (NAME.key.txt), or of a table of ambiguous "
                f"words. Received: {line!r:.200}"
            )
