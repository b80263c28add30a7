"""Vectors of sentences from any model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from keras_nmt.analysis.hidden_states import HiddenStates, Model, hidden_states, named
from keras_nmt.errors import UserError


def sentence_vectors(model: Model, texts: Sequence[str], vectors: str = "states", **options: Any) -> np.ndarray:
    """A vector for each sentence.

    Args:
        model: String or path of a model directory, or a `Translator`.
        texts: Sequence of N strings.
        vectors: String. "states": the mean over the tokens, the end included, of the encoder's output. "layer:2": the
            mean of the states of a layer, 0 for the embeddings. "mean": the mean of the k rows of the bridge's M.
            "head:3": one row of M, from 1. "heads": all rows, joined. Defaults to "states".
        **options: Further arguments of `hidden_states`, such as the languages.

    Returns:
        Array `[N, d]`, or `[N, k d]` for "heads", float32.

    Raises:
        UserError: The vectors are unknown, or the model has no bridge or layer of them; see also `hidden_states`.

    Reference:
        [Vázquez et al., 2020](https://doi.org/10.1162/COLI_a_00377), sections 3.2 and 5.
    """
    match = re.fullmatch(r"(states|mean|heads|layer|head)(?::(\d+))?", vectors)
    if match is None or (match[2] is None) == (match[1] in ("layer", "head")):
        raise UserError(f"Vectors are states, layer:NUMBER, mean, head:NUMBER or heads. Received: vectors={vectors!r}")
    kind, number = match[1], int(match[2] or 0)
    tensors = ("states",) if kind in ("states", "layer") else ("bridge",)
    found: np.ndarray | None = None
    for side, _ in hidden_states(model, texts, tensors=tensors, **options):
        of_batch = _vectors(side, kind, number, vectors, model)
        if found is None:
            found = np.zeros((len(texts), of_batch.shape[1]), "float32")
        found[side.rows] = of_batch
    if found is None:
        raise UserError("There must be at least one sentence.")
    return found


def _vectors(side: HiddenStates, kind: str, number: int, vectors: str, model: Model) -> np.ndarray:
    """The vectors of a batch, `[B, width]`."""
    if kind in ("states", "layer"):
        assert side.states is not None
        assert side.output is not None
        if number >= len(side.states):
            raise UserError(f"The encoder has layers 1 to {len(side.states) - 1}. Received: vectors={vectors!r}")
        states = side.output if kind == "states" else side.states[number]
        return side.by_sentence(states) / side.lengths[:, None]
    if side.bridge is None:
        raise UserError(f"The model has no attention bridge. Received: vectors={vectors!r} of {named(model)}")
    rows = side.bridge[0]  # M, [B, k, d]
    if kind == "mean":
        return np.asarray(rows.mean(axis=1))
    if kind == "heads":
        return rows.reshape(len(rows), -1)
    if not 1 <= number <= rows.shape[1]:
        raise UserError(f"The bridge has heads 1 to {rows.shape[1]}. Received: vectors={vectors!r}")
    return np.asarray(rows[:, number - 1])
