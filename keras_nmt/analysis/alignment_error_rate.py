"""The alignment error rate of a model's attention."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from keras_nmt.analysis.hidden_states import Model, open_translator
from keras_nmt.analysis.measurements import Measurements
from keras_nmt.errors import UserError
from keras_nmt.files.read_lines import read_lines
from keras_nmt.inference.aligned_words import split_words


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
    found = []
    for number, line in enumerate(read_lines(path), 1):
        links: dict[str, set[tuple[int, int]]] = {"-": set(), "p": set()}
        for link in split_words(line):
            match = re.fullmatch(r"(\d+)([-p])(\d+)", link)
            if match is None or min(int(match[1]), int(match[3])) < first:
                raise UserError(
                    f"Links of words from {first} are written 3-4, possible ones 3p4. "
                    f"Received: {os.fspath(path)}, line {number}: {link[:40]}"
                )
            pair = int(match[1]) - first, int(match[3]) - first
            links[match[2]].add(pair[::-1] if swap else pair)
        found.append(GoldAlignment(frozenset(links["-"]), frozenset(links["-"] | links["p"])))
    return found


def alignment_error_rate(
    model: Model,
    source: Sequence[str],
    target: Sequence[str],
    gold: Sequence[GoldAlignment],
    *,
    source_language: str | None = None,
    target_language: str | None = None,
) -> Measurements:
    """The alignment error rate of each decoder layer's attention, as a mean over heads, against gold alignments.

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
        UserError: Numbers of sentences differ, or the decoder does not attend to the source.

    Reference:
        [Och and Ney, 2003](https://aclanthology.org/J03-1002/), section 3.1.
    """
    if not len(source) == len(target) == len(gold):
        raise UserError(
            "There must be a target and gold links for each source. "
            f"Received: {len(source)}, {len(target)} and {len(gold)} lines"
        )
    translator, languages = open_translator(model, source_language, target_language)
    values, samples = {}, {}
    for layer in itertools.count(1):
        try:
            links = translator.align(source, target, *languages, layer=layer)
        except UserError:
            if layer == 1:
                raise
            break
        key = "alignment error rate", str(layer)
        samples[key] = np.array([_errors(set(found), of_gold) for found, of_gold in zip(links, gold, strict=True)])
        values[key] = float(np.divide(*samples[key].sum(axis=0)))
    return Measurements("alignments", "AER", values, samples)


def _errors(found: set[tuple[int, int]], gold: GoldAlignment) -> tuple[int, int]:
    """|A| + |S| - |A and S| - |A and P|, and |A| + |S|."""
    size = len(found) + len(gold.sure)
    return size - len(found & gold.sure) - len(found & gold.possible), size
