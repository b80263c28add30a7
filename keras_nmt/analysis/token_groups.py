"""Groups of tokens, by frequency and by part of speech, by which analyses give their numbers."""

from __future__ import annotations

import dataclasses
import itertools
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from keras_nmt.analysis.token_states import LINES_AT_ONCE, HiddenStates, Model, open_pair
from keras_nmt.errors import check_no_string, errors_as, needs_extra, require
from keras_nmt.ids import EOS
from keras_nmt.inference.alignment import words_of_subwords
from keras_nmt.text.text_files import read_lines

# The label of each token of a side, strings [N], empty for tokens that belong to no group.
TokenGroups = Callable[[HiddenStates], np.ndarray]

BINS = 10


@dataclasses.dataclass(frozen=True)
class TaggedSentence:
    """A sentence of a treebank: its text, and the first letter and the tag of each word."""

    text: str
    begins: tuple[int, ...]
    tags: tuple[str, ...]


def read_conllu(path: str | os.PathLike[str]) -> list[TaggedSentence]:
    """Reads the sentences of a CoNLL-U file, plain or gzip, with their universal tags.

    The text is made of the words, with spaces between them except where the column MISC has `SpaceAfter=No`. A
    multi-word token has the tag of its first word.

    Args:
        path: String or path of the file.

    Returns:
        List of `TaggedSentence`.

    Raises:
        OSError: The file cannot be opened.
        UserError: The file is not CoNLL-U, or `conllu` is missing.
    """
    with needs_extra("treebanks", "analysis"):
        import conllu
    lines = read_lines(path)
    errors = conllu.exceptions.ParseException, ValueError, TypeError, LookupError
    with errors_as(f"{os.fspath(path)} must be CoNLL-U, of ten columns", *errors):
        sentences = [_tagged(tokens) for tokens in conllu.parse("\n".join(lines) + "\n")]
    require(sentences, f"{os.fspath(path)} must be CoNLL-U, and has no sentences.")
    return sentences


def _tagged(tokens: Sequence[Mapping[str, Any]]) -> TaggedSentence:
    tags_of_words = {token["id"]: token["upos"] for token in tokens}
    text, begins, tags, covered = "", [], [], 0
    for token in tokens:
        number = token["id"]
        if isinstance(number, tuple) and number[1] != "-":  # an empty node, such as 8.1
            continue
        if isinstance(number, tuple):
            covered = number[2]
            tag = tags_of_words[number[0]]
        elif number <= covered:  # the surface is the multi-word token's
            continue
        else:
            tag = token["upos"]
        begins.append(len(text))
        tags.append(tag or "_")
        text += token["form"] + ("" if (token["misc"] or {}).get("SpaceAfter") == "No" else " ")
    return TaggedSentence(text.rstrip(), tuple(begins), tuple(tags))


def by_tag(
    source: Sequence[TaggedSentence] | None = None, target: Sequence[TaggedSentence] | None = None
) -> TokenGroups:
    """Groups the subwords of the texts of tagged sentences by the tag of their word.

    Args:
        source: Sequence of `TaggedSentence`, whose texts in this order are the source of the analysis. Defaults to
            None: no token of the source belongs to a group.
        target: Sequence of `TaggedSentence`, whose texts are the target. Defaults to None.

    Returns:
        A function for the arguments of analyses; begin and end belong to no group.
    """

    def labels(side: HiddenStates) -> np.ndarray:
        sentences = target if side.is_target else source
        if sentences is None:
            return np.full(len(side.ids), "")
        chosen = [sentences[row] for row in side.rows]
        words = words_of_subwords(side.tokenizer, side.texts, [sentence.begins for sentence in chosen])
        tags = [[sentence.tags[i] for i in of_text] for sentence, of_text in zip(chosen, words, strict=True)]
        return np.array(side.of_tokens(tags, ""))

    return labels


def by_frequency(
    model: Model, source: Iterable[str], target: Iterable[str] | None = None, **languages: str | None
) -> TokenGroups:
    """Groups subwords into ten bins of equally many types by frequency; bin 1 has the least frequent types.

    Types of one count may stand in several bins. So analyses give the counts of each bin in a note.

    Args:
        model: String or path of a model directory, or a `Translator`.
        source: Iterable of strings, the source texts that the model was trained on.
        target: Iterable of strings, their translations. Defaults to None: tokens of targets belong to no group.
        **languages: `source_language` and `target_language` of a multilingual model.

    Returns:
        A function for the arguments of analyses. Begin, end and types that do not occur belong to no group.

    Reference:
        [Emelin et al., 2019](https://arxiv.org/abs/1906.12284), appendix A.3, figures 8 to 15.
    """
    check_no_string(source=source, target=target)
    tokenizers = open_pair(model, **languages).tokenizers
    bins, notes = [], []
    for tokenizer, texts, side in zip(tokenizers, (source, target), ("source", "target"), strict=True):
        counts = np.zeros(tokenizer.vocabulary_size, "int64")
        lines = iter(texts or ())
        while some := list(itertools.islice(lines, LINES_AT_ONCE)):
            counts += np.bincount(tokenizer.tokenize(some).flat_values.numpy(), minlength=len(counts))
        bins.append(frequency_bins(counts))
        limits = {i: (of.min(), of.max()) for i in range(1, BINS + 1) if len(of := counts[bins[-1] == i])}
        if limits:
            shown = ", ".join(f"{low:,} to {high:,} ({i})" for i, (low, high) in limits.items())
            notes.append(f"Counts of the subwords of the {side} by bin: {shown}.")
    return _FrequencyBins((bins[0], bins[1]), tuple(notes))


@dataclasses.dataclass(frozen=True, eq=False)
class _FrequencyBins:
    """The groups of `by_frequency`: the bin of each type of the source and of the target, and notes on the bins."""

    bins: tuple[np.ndarray, np.ndarray]
    notes: tuple[str, ...]

    def __call__(self, side: HiddenStates) -> np.ndarray:
        return np.array(["", *map(str, range(1, BINS + 1))])[self.bins[side.is_target][side.ids]]


def notes_of(groups: TokenGroups | None) -> tuple[str, ...]:
    """Returns the notes on groups of tokens that belong below a table."""
    return groups.notes if isinstance(groups, _FrequencyBins) else ()


def frequency_bins(counts: np.ndarray) -> np.ndarray:
    """Returns the bin, 1 to 10, of each type by its count `[V]`, ascending; 0 for special ids and types without count.

    Example:

    >>> frequency_bins(np.array([9, 9, 9, 9, *range(20)])).tolist()[4:]
    [0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10]
    """
    types = np.flatnonzero(counts)
    types = types[types > EOS]
    bins = np.zeros(len(counts), "int64")
    order = types[np.argsort(counts[types], kind="stable")]
    bins[order] = 1 + np.arange(len(order)) * BINS // max(len(order), 1)
    return bins
