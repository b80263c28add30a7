"""Makes translations, alternatives and pieces of the tensors that a `TextGraph` answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import tensorflow as tf

from keras_nmt.text.translation import Alternative, Hypothesis, Piece, Translation, met_of_phrases

Answers = Mapping[str, tf.Tensor]


def translations_of(
    answers: Answers, shape: tuple[int, int], constraints: Sequence[list[str]] | None, word_scores: bool
) -> list[Translation]:
    """Returns the translation of each line, in the `shape` of lines and hypotheses."""
    columns = [answers[name].numpy().reshape(shape) for name in ("translation", "score", "cut_off")]
    columns.append(answers["truncated"].numpy())
    more: dict[str, list[Any]] = {}
    if word_scores:
        more["pieces"] = pieces_of(answers, shape)
    if constraints is not None:
        met = zip(answers["met"].numpy().reshape(shape), constraints, strict=True)
        more["met"] = [[met_of_phrases(x, phrases) for x in row] for row, phrases in met]
    return [
        Translation.of(*row, **{name: column[i] for name, column in more.items()})
        for i, row in enumerate(zip(*columns, strict=True))
    ]


def alternatives_of(answers: Answers, shape: tuple[int, int], word_scores: bool) -> list[list[Alternative]]:
    """Returns the alternatives of each line, in the `shape` of lines and alternatives; none where a piece is empty."""
    names = ("piece", "probability", "translation", "score", "cut_off")
    columns = [answers[name].numpy().tolist() for name in names]
    if word_scores:
        columns.append(pieces_of(answers, shape))
    return [
        [
            Alternative(piece.decode(), probability, Hypothesis.of(*hypothesis))
            for piece, probability, *hypothesis in zip(*row, strict=True)
            if piece
        ]
        for row in zip(*columns, strict=True)
    ]


def pieces_of(answers: Answers, shape: tuple[int, int]) -> list[list[tuple[Piece, ...]]]:
    """Returns the pieces of each hypothesis of each line, in the `shape` of lines and hypotheses."""
    arrays = (answers[name].numpy() for name in ("token", "token_log_probability"))
    columns = (x.reshape([*shape, x.shape[-1]]).tolist() for x in arrays)
    return [list(map(Piece.row, *row)) for row in zip(*columns, strict=True)]
