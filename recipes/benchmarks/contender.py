"""The work and the interface that the contenders of the benchmark of training share."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

LABEL_SMOOTHING, LEARNING_RATE, BETAS, EPSILON = 0.1, 1e-4, (0.9, 0.98), 1e-9


@dataclasses.dataclass(frozen=True)
class Work:
    """The work that all contenders do.

    Attributes:
        vocabulary_size: Subwords of the joint vocabulary.
        sizes: Layers, widths and heads, by the names of `Transformer`'s arguments.
        dropout: Rate of dropout on embeddings and on the output of each sub-layer.
        dtype: "float32" or "bfloat16".
        threads: Threads of one operation. 0: one per core.
        cpu_time: Whether to measure processor time.
        batch_size: Positions per batch and side.
        corpus: File with the ids of the sentences.
        batches: File with batches of these sentences, for contenders that do not read the corpus.
        length: Positions of each sentence of random text; 0: the sentences of a real text.
    """

    vocabulary_size: int
    sizes: dict[str, Any]
    dropout: float
    dtype: str
    threads: int
    cpu_time: bool
    batch_size: int
    corpus: Path
    batches: Path
    length: int = 0


@dataclasses.dataclass(frozen=True)
class Measured:
    """Seconds of a round of updates; if known, the seconds spent waiting for batches, and the number of traces."""

    seconds: float
    waited: float | None = None
    traces: int | None = None


class Contender(Protocol):
    """Trains a model. The first update of each round is not measured."""

    parameters: int

    def train(self, updates: int) -> Measured:
        """One round: the first `updates` + 1 batches."""


def clock_of(work: Work) -> Callable[[], float]:
    """The clock that measures the work."""
    return time.process_time if work.cpu_time else time.perf_counter


def policy_of(work: Work) -> str:
    """The dtype policy of Keras."""
    return "float32" if work.dtype == "float32" else "mixed_bfloat16"
