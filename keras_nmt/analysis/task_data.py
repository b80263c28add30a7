"""Files of published test suites: SentEval's folders, and the keys and texts of MuCoW. Imports no TensorFlow."""

from __future__ import annotations

import dataclasses
import os
import re
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from keras_nmt.errors import UserError, check_choice, require
from keras_nmt.text.text_files import read_lines

TRAIN, VALIDATION, TEST = 0, 1, 2
KEY, TEXT = ".key.txt", ".text.txt"  # of MuCoW
SPLITS = {"tr": TRAIN, "va": VALIDATION, "te": TEST}
SETS, SICK_SETS = ("train", "dev", "test"), ("train", "trial", "test_annotated")  # in the names of files


@dataclasses.dataclass(frozen=True, eq=False)
class SentEvalTask:
    """A task on sentences, or on pairs of sentences.

    Args:
        kind: "classification", "relatedness" (trained, by score) or "similarity" (cosine, by score).
        texts: List of n sentences.
        others: List of the n second sentences of pairs; None for single sentences.
        labels: Array `[n]`: integer classes, or float scores.
        splits: Array `[n]` of `TRAIN`, `VALIDATION` and `TEST`; None: 10 folds.
        parts: Array `[n]` of the names of the parts that a similarity is weighted over; None: one part.
    """

    kind: str
    texts: list[str]
    others: list[str] | None
    labels: np.ndarray
    splits: np.ndarray | None = None
    parts: np.ndarray | None = None


def _classes(files: tuple[str, str], folder: Path) -> SentEvalTask:
    sides = [lines_of(folder / file, latin=True) for file in files]
    labels = np.repeat([0, 1], [len(side) for side in sides])
    return SentEvalTask("classification", [*sides[0], *sides[1]], None, labels)


def _tables(
    path: str,
    names: Sequence[str | None],
    columns: Sequence[int],
    number: type[int] | type[float] | None,
    folder: Path,
    *,
    kind: str = "classification",
    skip: int = 0,
) -> SentEvalTask:
    """Reads tables with tabs for training, validation and test; `path` has {} for their names.

    `columns` are those of the label, of the text, and, for pairs, of the second text. `number` is the type of labels
    that are numbers.
    """
    rows, splits = _split_rows([None if name is None else folder / path.format(name) for name in names], skip)
    cells = [row.split("\t") for row in rows]
    labels, texts, *others = ([row[column] for row in cells] for column in columns)
    numbers = _numbered(labels) if number is None else np.array([number(label) for label in labels])
    return SentEvalTask(kind, texts, others[0] if others else None, numbers, splits)


def _trec(folder: Path) -> SentEvalTask:
    rows, splits = _split_rows([folder / "TREC/train_5500.label", None, folder / "TREC/TREC_10.label"], latin=True)
    types, texts = zip(*(row.split(" ", 1) for row in rows), strict=True)
    return SentEvalTask("classification", list(texts), None, _numbered([x.split(":")[0] for x in types]), splits)


def _snli(folder: Path) -> SentEvalTask:
    (texts, splits), (others, _), (labels, _) = (
        _split_rows([folder / f"SNLI/{side}.{name}" for name in SETS]) for side in ("s1", "s2", "labels")
    )
    return SentEvalTask("classification", texts, others, _numbered(labels), splits)


def _sts(year: int, folder: Path) -> SentEvalTask:
    folder = folder / f"STS/STS{year}-en-test"
    files = (re.fullmatch(r"STS\.input\.(.+)\.txt(\.gz)?", path.name) for path in folder.glob("STS.input.*"))
    names = sorted({file[1] for file in files if file})
    if not names:
        raise FileNotFoundError(folder / "STS.input.*.txt")
    pairs, labels, parts = [], [], []
    for name in names:
        scores = lines_of(folder / f"STS.gs.{name}.txt")
        for line, score in zip(lines_of(folder / f"STS.input.{name}.txt"), scores, strict=True):
            if score.strip():  # pairs without a score are not scored
                pairs.append(line.split("\t")[:2])
                labels.append(float(score))
                parts.append(name)
    texts, others = map(list, zip(*pairs, strict=True))
    return SentEvalTask("similarity", texts, others, np.array(labels), None, np.array(parts))


def _probing(file: str, folder: Path) -> SentEvalTask:
    rows = [line.split("\t") for line in lines_of(folder / f"{file}.txt")]
    names, labels, texts = zip(*rows, strict=True)
    splits = np.array([SPLITS[name] for name in names])
    return SentEvalTask("classification", list(texts), None, _numbered(labels), splits)


def _split_rows(files: Sequence[Path | None], skip: int = 0, latin: bool = False) -> tuple[list[str], np.ndarray]:
    """Returns the lines of the files for training, validation and test, and the split of each line."""
    sets = [[] if file is None else lines_of(file, latin)[skip:] for file in files]
    splits = np.repeat([TRAIN, VALIDATION, TEST], [len(lines) for lines in sets])
    return [line for lines in sets for line in lines], splits


def _numbered(names: Sequence[str]) -> np.ndarray:
    return np.unique(names, return_inverse=True)[1]


TASKS: dict[str, Callable[[Path], SentEvalTask]] = {
    "MR": partial(_classes, ("MR/rt-polarity.neg", "MR/rt-polarity.pos")),
    "CR": partial(_classes, ("CR/custrev.neg", "CR/custrev.pos")),
    "MPQA": partial(_classes, ("MPQA/mpqa.neg", "MPQA/mpqa.pos")),
    "SUBJ": partial(_classes, ("SUBJ/subj.objective", "SUBJ/subj.subjective")),
    "SST2": partial(_tables, "SST/binary/sentiment-{}", SETS, (1, 0), int),
    "SST5": partial(_tables, "SST/fine/sentiment-{}", SETS, (1, 0), int),
    "TREC": _trec,
    "MRPC": partial(_tables, "MRPC/msr_paraphrase_{}.txt", ("train", None, "test"), (0, 3, 4), int, skip=1),
    "SICK-E": partial(_tables, "SICK/SICK_{}.txt", SICK_SETS, (4, 1, 2), None, skip=1),
    "SNLI": _snli,
    "SICK-R": partial(_tables, "SICK/SICK_{}.txt", SICK_SETS, (3, 1, 2), float, kind="relatedness", skip=1),
    "STS-B": partial(_tables, "STS/STSBenchmark/sts-{}.csv", SETS, (4, 5, 6), float, kind="relatedness"),
    **{f"STS{year}": partial(_sts, year) for year in range(12, 17)},
}
PROBING = {
    "SentLen": "sentence_length",
    "WC": "word_content",
    "TreeDepth": "tree_depth",
    "TopConst": "top_constituents",
    "BShift": "bigram_shift",
    "Tense": "past_present",
    "SubjNum": "subj_number",
    "ObjNum": "obj_number",
    "SOMO": "odd_man_out",
    "CoordInv": "coordination_inversion",
}


def read_senteval(folder: str | os.PathLike[str], task: str) -> SentEvalTask:
    """Reads a task of `TASKS` or `PROBING` from SentEval's folder of data, its files plain or gzip.

    The folder has MR, CR, SST and so on, or is the parent of such a folder.

    Raises:
        UserError: The task is unknown, a file is missing, damaged or of another format, or nothing can be measured: no
            items to train or to test on, a class of the test that does not occur in training, or a part whose scores
            are all the same.
    """
    folder = Path(folder)
    readers = TASKS | {name: partial(_probing, file) for name, file in PROBING.items()}
    check_choice("task", task, readers)
    inner = folder / ("probing" if task in PROBING else "downstream")
    try:
        data = readers[task](inner if inner.is_dir() else folder)
    except UserError:
        raise
    except FileNotFoundError as error:
        raise UserError(f"Missing file of {task}: fetch it. Received: {error.filename or error}") from None
    except (ValueError, IndexError, KeyError) as error:
        raise UserError(f"The files of {task} in {folder} are not SentEval's. Received: {error!r:.200}") from None
    _check_measurable(data, task, folder)
    return data


def _check_measurable(data: SentEvalTask, task: str, folder: Path) -> None:
    train, tested = (
        np.full(len(data.labels), True) if data.splits is None else data.splits == x for x in (TRAIN, TEST)
    )
    if not train.any() or not tested.any():
        raise UserError(
            f"{task} must have items to train and to test on. Received: {train.sum()} and {tested.sum()} in {folder}"
        )
    if data.kind == "classification":
        if len(unknown := np.setdiff1d(data.labels[tested], data.labels[train])):
            raise UserError(
                f"Every class that {task} tests must occur in training. Received: {len(unknown)} do not, in {folder}"
            )
        return
    require(np.isfinite(data.labels).all(), f"Scores of {task} must be finite numbers. Received: others, in {folder}")
    parts = np.full(len(data.labels), task) if data.parts is None else data.parts
    for part in np.unique(parts[tested]):
        if len(np.unique(data.labels[tested & (parts == part)])) == 1:
            raise UserError(f"Scores of a part of {task} must not all be the same. Received: {part} in {folder}")


def lines_of(path: Path, latin: bool = False) -> list[str]:
    """Returns the lines of a file, or of the file with the suffix .gz; for errors, see `read_lines`.

    With `latin`, lines that are not UTF-8 are read as Latin-1, with a warning: some of SentEval's texts are. U+0000 is
    an error.
    """
    if not path.is_file() and (compressed := path.with_name(path.name + ".gz")).is_file():
        path = compressed
    lines = read_lines(path, "surrogateescape" if latin else "strict")
    if others := [i for i, line in enumerate(lines) if re.search("[\udc80-\udcff]", line)]:
        for i in others:
            lines[i] = lines[i].encode("utf-8", "surrogateescape").decode("latin-1")
        warnings.warn(
            f"{len(others)} of {len(lines)} lines of {path} are not UTF-8, line {others[0] + 1} first: read as "
            "Latin-1.",
            UserWarning,
            stacklevel=1,
        )
    if wrong := [i for i, line in enumerate(lines, 1) if "\0" in line]:
        raise UserError(f"Line {wrong[0]} has U+0000: convert the text to UTF-8. Received: {path}")
    return lines


def text_of_key(path: Path) -> Path | None:
    """Returns the source file that belongs to MuCoW's NAME.key.txt, or None for a file of another name.

    Example:

    >>> text_of_key(Path("en-de.key.txt")).name
    'en-de.text.txt'
    """
    return path.with_name(path.name.removesuffix(KEY) + TEXT) if path.name.endswith(KEY) else None
