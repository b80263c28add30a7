"""Alignments of words by attention, and their error rate."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from keras_nmt.analysis.measurements import Measurements, new_figure
from keras_nmt.analysis.token_states import Model, open_translator
from keras_nmt.data.word_alignments import check_words
from keras_nmt.errors import UserError
from keras_nmt.evaluation.metrics import check_lines
from keras_nmt.text.text_files import read_lines
from keras_nmt.text.translation import split_words

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class WordAlignment(NamedTuple):
    """The alignment of a translation's words with the words of the source; spaces and tabs separate words.

    Attributes:
        source: Tuple of the S words of the source.
        target: Tuple of the T words of the translation.
        attention: Array `[T, S]`, float32: the attention to the subwords of a source word, where the model predicts a
            subword of a target word; a sum over the former, a mean over the latter and over heads (of the
            `alignment_head` alone, if the model has one).
        pairs: Tuple of the pairs (source word, target word), from 0, of `Translator.align`.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    attention: np.ndarray
    pairs: tuple[tuple[int, int], ...]

    def plot(self) -> Figure:
        """Draws a heat map of the attention, target words (rows) by source words (columns), with a dot at each pair.

        Raises:
            UserError: matplotlib is missing.

        Example:

        >>> alignment = WordAlignment(("a", "cat"), ("eine", "Katze"), np.eye(2, dtype="float32"), ((0, 0), (1, 1)))
        >>> [label.get_text() for label in alignment.plot().axes[0].get_yticklabels()]
        ['eine', 'Katze']
        """
        across, down = (0.1 * max(map(len, words)) for words in (self.target, self.source))  # of the labels
        figure = new_figure(min(2 + across + 0.3 * len(self.source), 40), min(1 + down + 0.3 * len(self.target), 40))
        axes = figure.add_subplot()
        image = axes.imshow(self.attention, cmap="Blues", vmin=0, vmax=1, aspect="auto", interpolation="nearest")
        axes.set_xticks(range(len(self.source)), self.source, rotation=90, parse_math=False)
        axes.set_yticks(range(len(self.target)), self.target, parse_math=False)
        axes.scatter([i for i, _ in self.pairs], [j for _, j in self.pairs], s=25, color="#D55E00", edgecolor="white")
        figure.colorbar(image, label="attention")
        return figure


def word_attention(
    attention: np.ndarray, source_words: np.ndarray, target_words: np.ndarray, size: tuple[int, int]
) -> np.ndarray:
    """Returns the attention between words, float32 `[T, S]`, from that between subwords, `[n, m]`.

    It is a sum over a source word's subwords, a mean over a target word's. `source_words` `[m]` and `target_words`
    `[n]` have the word of each subword, and `size` is (T, S): some words may have no subwords.

    Example:

    >>> word_attention(np.array([[0.5, 0.5, 0], [0, 0, 1]]), np.array([0, 0, 1]), np.array([0, 0]), (1, 2)).tolist()
    [[0.5, 0.5]]
    """
    of_target, of_source = (np.eye(n)[words] for n, words in zip(size, (target_words, source_words), strict=True))
    counts = np.maximum(of_target.sum(axis=0), 1)  # [T]
    words: np.ndarray = (of_target.T @ attention @ of_source / counts[:, None]).astype("float32")
    return words


class GoldAlignment(NamedTuple):
    """The links of a sentence by annotators: pairs (source word, target word) from 0, sure ones and possible ones.

    A sure link is also possible.
    """

    sure: frozenset[tuple[int, int]]
    possible: frozenset[tuple[int, int]]


def read_gold_alignments(path: str | os.PathLike[str], *, first: int = 1, swap: bool = False) -> list[GoldAlignment]:
    """Reads gold alignments, one sentence a line: links "3-4", or "3p4" where a link is only possible.

    Args:
        path: String or path of the file, plain or gzip.
        first: Integer, the number of the first word, 0 or 1. Defaults to 1.
        swap: Boolean, whether the second number of a link is the source's word. Defaults to False.

    Raises:
        OSError: The file cannot be opened.
        UserError: A link is of another form.
    """
    alignments = []
    for number, line in enumerate(read_lines(path), 1):
        links: dict[str, set[tuple[int, int]]] = {"-": set(), "p": set()}
        for link in split_words(line):
            match = re.fullmatch(r"(\d+)([-p])(\d+)", link)
            if match is None or min(int(match[1]), int(match[3])) < first:
                raise UserError(
                    f"Links must be written 3-4, possible ones 3p4, with words counted from {first}. "
                    f"Received: {os.fspath(path)}, line {number}: {link[:40]}"
                )
            pair = int(match[1]) - first, int(match[3]) - first
            links[match[2]].add(pair[::-1] if swap else pair)
        alignments.append(GoldAlignment(frozenset(links["-"]), frozenset(links["-"] | links["p"])))
    return alignments


def alignment_error_rate(
    model: Model,
    source: Sequence[str],
    target: Sequence[str],
    gold: Sequence[GoldAlignment],
    *,
    source_language: str | None = None,
    target_language: str | None = None,
) -> Measurements:
    """Measures the alignment error rate of each decoder layer's attention, a mean over heads, against gold alignments.

    A model with an `alignment_head` has one more item, "head": the attention of this head, by which it aligns.

    AER = 1 - (|A and S| + |A and P|) / (|A| + |S|) for the links A of `Translator.align`, the sure links S and the
    possible links P, over all sentences. Lower is better.

    Args:
        model: String or path of a model directory, or a `Translator`.
        source: Sequence of strings, words separated by spaces or tabs as in the gold alignments.
        target: Sequence of strings, a translation of each source.
        gold: Sequence of `GoldAlignment`, one for each source.
        source_language, target_language: Strings, the direction of a multilingual model.

    Returns:
        `Measurements` with the layers as items and the sums of sentences as samples.

    Raises:
        UserError: Numbers of sentences differ, there are none, there are no links, a link is of words that a sentence
            does not have, or the decoder does not attend to the source.

    Reference:
        [Och and Ney, 2003](https://aclanthology.org/J03-1002/), section 3.1.
    """
    check_lines(source=source, target=target, gold=gold)
    if not any(links.sure or links.possible for links in gold):
        raise UserError(f"The gold alignments must have links. Received: {len(gold)} line(s) without any")
    name = "the gold links (--first and --swap must be right, and words separated alike; here words count from 0)"
    for number, (links, one, other) in enumerate(zip(gold, source, target, strict=True), 1):
        words = sorted(links.sure | links.possible)
        check_words(number, words, len(split_words(one)), len(split_words(other)), name)
    translator, languages = open_translator(model, source_language, target_language)
    values, samples = {}, {}
    has_head = translator.model.alignment_head is not None
    for layer in itertools.chain([None] * has_head, itertools.count(1)):
        try:
            aligned = translator.align(source, target, *languages, layer=layer)
        except UserError:
            if layer in (None, 1):
                raise
            break
        key = "alignment error rate", "head" if layer is None else str(layer)
        samples[key] = np.array([_errors(set(pairs), of_gold) for pairs, of_gold in zip(aligned, gold, strict=True)])
        values[key] = float(np.divide(*samples[key].sum(axis=0)))
    return Measurements("alignments", "AER", values, samples)


def _errors(links: set[tuple[int, int]], gold: GoldAlignment) -> tuple[int, int]:
    """Returns |A| + |S| - |A and S| - |A and P|, and |A| + |S|."""
    size = len(links) + len(gold.sure)
    return size - len(links & gold.sure) - len(links & gold.possible), size
