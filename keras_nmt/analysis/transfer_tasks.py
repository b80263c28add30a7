"""Transfer of classifiers of sentence vectors from language to language."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from keras_nmt.analysis.measurements import Key, Measurements
from keras_nmt.analysis.sentence_probes import features_of_pairs, predict_by_best_penalty, sentence_vectors
from keras_nmt.analysis.task_data import lines_of
from keras_nmt.analysis.token_states import Model, open_translator
from keras_nmt.errors import UserError, check_seed, errors_as, require

VALIDATION = 10  # every tenth item of the training text


class TransferTexts(NamedTuple):
    """Texts of a language to train on or to test on: sentences or premises, hypotheses or None, and classes."""

    texts: list[str]
    others: list[str] | None
    labels: list[str]


def transfer(
    model: Model, data: str | os.PathLike[str], *, vectors: str = "mean", seed: int = 1, **options: Any
) -> Measurements:
    """Trains a classifier on the vectors of one language, and on those of all, and tests it on every language.

    The classifier is logistic regression on the vector, or on [u; v; |u - v|; u * v] of a premise u and a hypothesis v,
    with the settings of `senteval`.

    Args:
        model: String or path of a model directory, or a `Translator`, of several languages.
        data: String or path of a folder that `read_transfer` reads.
        vectors: String, the kind of `sentence_vectors`. Defaults to "mean", the mean of a bridge's M.
        seed: Integer. Defaults to 1.
        **options: Further arguments of `hidden_states`.

    Returns:
        `Measurements` of accuracy: a group for each language of training and for "all languages", the languages of the
        test as items, the items of the test as samples, and the share of the most frequent class as reference.

    Raises:
        UserError: The model has none of the languages of the data, no such vectors, or `seed` is out of its range.

    Reference:
        [Conneau et al., 2018](https://aclanthology.org/D18-1269/);
        [Vázquez et al., 2020](https://doi.org/10.1162/COLI_a_00377), tables 6 and 7.
    """
    check_seed(seed=seed)
    translator, _ = open_translator(model)
    train, test = read_transfer(data)
    languages = [language for language in translator.languages if language in train and language in test]
    problem = f"The model must have a language of the data: {', '.join(sorted(set(train) & set(test))) or '(none)'}"
    require(languages, f"{problem}. Received: a model of {', '.join(translator.languages)}")
    names = sorted({label for language in languages for label in (*train[language].labels, *test[language].labels)})

    def read(task: TransferTexts, language: str) -> tuple[np.ndarray, np.ndarray]:
        # The language itself is the target, which the encoder of a bridge does not depend on; that of labels does.
        sides = {"source_language": language, "target_language": language, **options}
        u = sentence_vectors(translator, task.texts, vectors, **sides)
        if task.others is not None:
            u = features_of_pairs(u, sentence_vectors(translator, task.others, vectors, **sides))
        return u, np.array([names.index(label) for label in task.labels])

    trains, tests = ({language: read(of[language], language) for language in languages} for of in (train, test))
    parts = [trains[language] for language in languages] + [tests[language] for language in languages]
    x, y = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
    belongs = np.repeat(np.arange(len(parts)), [len(part[1]) for part in parts])
    trained_on = {f"trained on {language}": [i] for i, language in enumerate(languages)}
    if len(languages) > 1:
        trained_on["trained on all languages"] = list(range(len(languages)))
    # By the place in each language: translations of an item, of several languages, must be on the same side.
    validates = np.concatenate([np.arange(len(labels)) % VALIDATION == 0 for _, labels in parts])
    used = np.stack([np.isin(belongs, rows) for rows in trained_on.values()])  # [F, n]
    right = predict_by_best_penalty(x, y, used & ~validates, used & validates, seed=seed) == y
    samples: dict[Key, np.ndarray] = {}
    references: dict[Key, float] = {}
    for i, group in enumerate(trained_on):
        most_frequent = np.bincount(y[used[i]]).argmax()
        for j, language in enumerate(languages):
            tested = belongs == len(languages) + j
            samples[group, language] = right[i, tested]
            references[group, language] = float(np.mean(y[tested] == most_frequent))
    values = {key: float(x.mean()) for key, x in samples.items()}
    by_target = translator.model.encodes_by == "target"
    notes = ("Each language is encoded with the label of a translation into itself.",) if by_target else ()
    return Measurements("transfer", "accuracy", values, samples, references, notes=notes)


def read_transfer(folder: str | os.PathLike[str]) -> tuple[dict[str, TransferTexts], dict[str, TransferTexts]]:
    """Reads texts of several languages to train on and to test on, by language.

    XNLI's tables: train.LANG.tsv, or else dev.LANG.tsv, with premise, hypothesis and label, and test.LANG.tsv, with
    premise and hypothesis, whose labels are the lines of test.labels. Texts of classes: train.CLASS.LANG and
    test.CLASS.LANG, a text on each line. Files are plain or gzip. LANG and CLASS are of letters, digits, "_" and "-".

    Args:
        folder: String or path of the folder.

    Returns:
        Two dictionaries from a language to `TransferTexts`: the texts to train on, and the texts to test on.

    Raises:
        UserError: The folder has none of these files, a file is damaged or of another format, or a label of the test
            does not occur in training.
    """
    folder = Path(folder)
    require(folder.is_dir(), f"There is no such folder. Received: {folder}")
    files = {path.name.removesuffix(".gz") for path in folder.iterdir()}
    train: dict[str, TransferTexts] = {}
    test: dict[str, TransferTexts] = {}
    with errors_as(f"{folder} must have XNLI's tables or texts by class", OSError, ValueError):
        for name in sorted(files, key=lambda name: (name.startswith("train"), name)):  # train replaces dev
            if match := re.fullmatch(r"(train|dev)\.([\w-]+)\.tsv", name):
                rows = [line.split("\t") for line in lines_of(folder / name)]
                texts, others, labels = _columns(rows, 3)
                train[match[2]] = TransferTexts(texts, others, labels)
            elif match := re.fullmatch(r"test\.([\w-]+)\.tsv", name):
                rows = [line.split("\t") for line in lines_of(folder / name)]
                labels = lines_of(folder / "test.labels")
                if len(labels) != len(rows):
                    raise ValueError(f"{len(labels)} labels for {len(rows)} pairs")
                texts, others = _columns(rows, 2)
                test[match[1]] = TransferTexts(texts, others, labels)
            elif match := re.fullmatch(r"(train|test)\.([\w-]+)\.([\w-]+)", name):
                into = train if match[1] == "train" else test
                data = into.setdefault(match[3], TransferTexts([], None, []))
                texts = lines_of(folder / name)
                data.texts.extend(texts)
                data.labels.extend([match[2]] * len(texts))
    if not train or not test:
        raise UserError(
            "The folder must have dev.LANG.tsv, test.LANG.tsv and test.labels, or train.CLASS.LANG and "
            f"test.CLASS.LANG. Received: {folder}"
        )
    known, tested = ({label for texts in side.values() for label in texts.labels} for side in (train, test))
    unknown = ", ".join(sorted(tested - known))
    problem = "Every label of the test must occur in training: give labels the same names, and remove header lines"
    require(not unknown, f"{problem}. Received: {unknown}; in training {', '.join(sorted(known))}, of {folder}")
    return train, test


def _columns(rows: Sequence[Sequence[str]], number: int) -> list[list[str]]:
    if any(len(row) < number for row in rows):
        raise ValueError(f"a line with fewer than {number} columns")
    return [[row[i] for row in rows] for i in range(number)]
