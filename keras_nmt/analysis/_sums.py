"""Means over the tokens of a corpus, kept as a sum and a count for each sentence."""

from __future__ import annotations

from typing import Any

import numpy as np

from keras_nmt.analysis.hidden_states import HiddenStates
from keras_nmt.analysis.measurements import Key, Measurements, items_of_groups
from keras_nmt.errors import UserError


class Sums:
    """Sums and counts by key and sentence, which arrive in any order of sentences."""

    def __init__(self) -> None:
        self._rows: dict[Key, list[np.ndarray]] = {}
        self._sums: dict[Key, list[np.ndarray]] = {}

    def add(self, key: Key, side: HiddenStates, values: np.ndarray, counted: np.ndarray | None = None) -> None:
        """Adds a value for each token `[N]` of a batch; only tokens where `counted` `[N]` is True, if given."""
        counts = np.ones(len(values)) if counted is None else counted.astype("float64")
        both = side.by_sentence(np.stack([values * counts, counts], axis=1).astype("float64"))  # [B, 2]
        self._rows.setdefault(key, []).append(side.rows)
        self._sums.setdefault(key, []).append(both)

    def add_by(self, group: str, side: HiddenStates, values: np.ndarray, labels: np.ndarray) -> None:
        """Adds values `[N]` by the label of each token, strings `[N]`; tokens with an empty label are left out."""
        for label in np.unique(labels[labels != ""]):
            self.add((group, str(label)), side, values, labels == label)

    def measurements(self, analysis: str, unit: str, **more: Any) -> Measurements:
        """The means by key, with the sums of each sentence as samples.

        Groups are in the order of the first addition, and items too, unless all items of a group are numbers.

        Raises:
            UserError: There were no tokens.
        """
        number = 1 + max((int(rows.max()) for of_key in self._rows.values() for rows in of_key), default=-1)
        samples = {}
        for key in [(group, item) for group, items in items_of_groups(self._rows).items() for item in items]:
            samples[key] = np.zeros([number, 2])  # also for sentences without a token that counts
            samples[key][np.concatenate(self._rows[key])] = np.concatenate(self._sums[key])
        if not samples:
            raise UserError(f"There are no lines to measure for {analysis}.")
        with np.errstate(invalid="ignore", divide="ignore"):
            values = {key: float(np.divide(*x.sum(axis=0))) for key, x in samples.items()}
        return Measurements(analysis, unit, values, samples, **more)
