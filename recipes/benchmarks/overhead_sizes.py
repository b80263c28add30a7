"""Sizes of the benchmark of overheads."""

from __future__ import annotations

import dataclasses

from keras_nmt.ids import BEGIN, END, PAD

FIRST_WORD = max(PAD, BEGIN, END) + 1


@dataclasses.dataclass(frozen=True)
class Sizes:
    """Sizes of training and decoding.

    Attributes:
        batch: Sentences per update.
        length: Tokens per sentence, source and target.
        sentences: Sentences decoded at once.
        steps: Tokens decoded.
        beam: Hypotheses per sentence.
    """

    batch: int
    length: int
    sentences: int
    steps: int
    beam: int
