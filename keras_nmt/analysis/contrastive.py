"""Contrastive scoring: whether a model prefers a right translation to wrong ones."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from keras_nmt.analysis.measurements import Key, Measurements, numbers_of
from keras_nmt.analysis.token_states import Model, open_translator, target_tokenizer
from keras_nmt.errors import UserError, errors_as, require
from keras_nmt.files.json_file import unique_entries
from keras_nmt.text.text_files import read_line_pairs, read_text

ALL = "all"  # items together; of a wrong translation: without a category of its own


@dataclasses.dataclass(frozen=True)
class ContrastItem:
    """A source, its right translation, and one wrong translation or more, each with its category, or "all" for none."""

    source: str
    correct: str
    incorrect: tuple[str, ...]
    categories: tuple[str, ...]


def contrast(
    model: Model,
    items: Sequence[ContrastItem],
    *,
    source_language: str | None = None,
    target_language: str | None = None,
) -> Measurements:
    """Measures the share of items whose right translation has a higher log-probability than every wrong one.

    A wrong translation may have the same subwords as the right one: a model of lower-cased text cannot tell two that
    differ in case. With k such wrong translations, an item whose right one is better than all others counts
    1 / (1 + k): it is right by chance. So models are compared on the same items, by McNemar's test, or, if some items
    count in part, by bootstrap over items.

    Args:
        model: String or path of a model directory, or a `Translator`.
        items: Sequence of `ContrastItem`, such as `read_contrast` reads.
        source_language, target_language: Strings, the direction of a multilingual model.

    Returns:
        `Measurements` of all items and by category, where an item counts in a category with the wrong translations of
        the category, with the items as samples, and the accuracy of chance as reference. The number of wrong
        translations with the subwords of the right one is in a note, unless it is 0, and in the details.

    Raises:
        UserError: There are no items, or the model does not have the direction.

    Reference:
        [Sennrich, 2017](https://aclanthology.org/E17-2060/); [Rios et al., 2017](https://aclanthology.org/W17-4702/);
        [Emelin et al., 2019](https://arxiv.org/abs/1906.12284), section 4.3.
    """
    require(items, "There are no items to score.")
    translator, languages = open_translator(model, source_language, target_language)
    pairs = dict.fromkeys((item.source, text) for item in items for text in (item.correct, *item.incorrect))
    scores = translator.score(*zip(*pairs, strict=True), *languages)
    score_of = dict(zip(pairs, scores, strict=True))
    tokenizer = target_tokenizer(translator, languages)
    texts = list(dict.fromkeys(text for _, text in pairs))
    longest = translator.length_buckets[-1] - 1  # without the end; further subwords are not scored
    ids_of = {text: ids[:longest] for text, ids in zip(texts, tokenizer.tokenize(texts).to_list(), strict=True)}
    right: dict[Key, list[float]] = {("contrast", ALL): []}
    chance: dict[Key, list[float]] = {("contrast", ALL): []}
    same = 0
    for item in items:
        reference = score_of[item.source, item.correct]
        better = [  # None: the scores are of the same subwords, and differ by rounding at most
            None if ids_of[text] == ids_of[item.correct] else reference > score_of[item.source, text]
            for text in item.incorrect
        ]
        same += better.count(None)
        by_category: dict[str, list[bool | None]] = {}
        for category, is_better in zip(item.categories, better, strict=True):
            by_category.setdefault(category, []).append(is_better)
        for category, of_category in {**by_category, ALL: better}.items():
            key = ("contrast", category)
            right.setdefault(key, []).append((False not in of_category) / (1 + of_category.count(None)))
            chance.setdefault(key, []).append(1 / (1 + len(of_category)))
    items_of = {category: len(x) for (_, category), x in right.items()}
    note = f"Wrong translations with the subwords of the right one, which count as by chance: {same:,}."
    return Measurements(
        "contrast",
        "accuracy",
        {key: float(np.mean(x)) for key, x in right.items()},
        {key: _samples(np.array(x)) for key, x in right.items()},
        {key: float(np.mean(x)) for key, x in chance.items()},
        notes=(numbers_of("items", items_of), *([note] if same else [])),
        details={"items": items_of, "indistinguishable": same},
    )


def _samples(right: np.ndarray) -> np.ndarray:
    """Returns whether each item is right; sums and counts if items are right in part."""
    return right == 1 if np.isin(right, (0, 1)).all() else np.stack([right, np.ones(len(right))], axis=1)


def read_contrast(path: str | os.PathLike[str]) -> list[ContrastItem]:
    """Reads contrastive items: a JSON file, or a folder of texts by category.

    JSON, plain or gzip, is that of LingEval97, ContraWSD and MuCoW: a list of objects with "source", "reference" and
    "errors", whose members have "contrastive" and "type". A folder is that of DistilLingEval: a folder for each
    category with the files src.*, tgt.correct.* and tgt.incorrect.*.

    Args:
        path: String or path of the file or folder.

    Returns:
        List of `ContrastItem`.

    Raises:
        OSError: A file cannot be opened.
        UserError: The file or folder is of another format, or a category is named "all".
    """
    path = Path(path)
    if path.is_dir():
        items = []
        for folder in sorted(x for x in path.iterdir() if x.is_dir()):
            files = [sorted(folder.glob(f"{name}.*")) for name in ("src", "tgt.correct", "tgt.incorrect")]
            is_right = [len(paths) for paths in files] == [1, 1, 1]
            problem = f"{folder} must have one file each of src.*, tgt.correct.* and tgt.incorrect.*"
            require(is_right, f"{problem}. Received: {', '.join(x.name for paths in files for x in paths) or 'none'}")
            items += contrast_of_texts(*(paths[0] for paths in files), category=folder.name)
        require(items, f"A folder of contrastive items must have a folder for each category. Received: {path}")
        return items
    with errors_as(
        f"{path} must be a JSON list of objects with source, reference and errors",
        ValueError,
        TypeError,
        KeyError,
        AttributeError,
    ):
        contents = json.loads(read_text(path), object_pairs_hook=unique_entries)
        problem = f"No type of errors may be named {ALL}, which stands for all items: rename it. Received: {path}"
        require(not any(error.get("type") == ALL for item in contents for error in item["errors"]), problem)
        return [
            ContrastItem(
                _checked_text(item["source"]),
                _checked_text(item["reference"]),
                tuple(_checked_text(error["contrastive"]) for error in item["errors"]),
                tuple(ALL if error.get("type") is None else str(error["type"]) for error in item["errors"]),
            )
            for item in contents
            if item["errors"]
        ]


def _checked_text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value


def contrast_of_texts(
    source: str | os.PathLike[str],
    correct: str | os.PathLike[str],
    *incorrect: str | os.PathLike[str],
    category: str | None = None,
) -> list[ContrastItem]:
    """Makes contrastive items of texts whose lines correspond.

    Args:
        source: Path of a file of source sentences.
        correct: Path of a file of right translations.
        *incorrect: Paths of one file or more of wrong translations.
        category: String, the category of all items. Defaults to the name of each incorrect file, or to its path where
            two files have the same name.

    Raises:
        OSError: A file cannot be opened.
        UserError: Numbers of lines differ, there are no wrong translations, or a category is named "all".
    """
    require(incorrect, "Missing files of wrong translations: at least one is needed.")
    names = [Path(path).name for path in incorrect]
    if len(set(names)) < len(names):
        names = [os.fspath(path) for path in incorrect]
    categories = names if category is None else [category] * len(names)
    if ALL in categories:
        raise UserError(
            f"No category may be named {ALL}, which stands for all items: rename the file or the folder. "
            f"Received: {incorrect[categories.index(ALL)]}"
        )
    return [
        ContrastItem(first, right, tuple(wrong), tuple(categories))
        for first, right, *wrong in zip(*read_line_pairs(source, correct, *incorrect), strict=True)
    ]
