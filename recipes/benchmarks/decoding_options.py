"""Options of the benchmark of decoding."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Sequence


@dataclasses.dataclass(frozen=True)
class DecodingOptions:
    """Options that all programs share.

    Attributes:
        dtype: "float32", "bfloat16" or "int8".
        batches: Numbers of sentences of a call.
        length: Subwords of the longest sentence.
        steps: Tokens of every translation.
        beam: Hypotheses per sentence.
        threads: Threads of one operation.
        cpu_time: Whether to measure processor time.
    """

    dtype: str
    batches: Sequence[int]
    length: int
    steps: int
    beam: int
    threads: int
    cpu_time: bool

    @property
    def clock(self) -> Callable[[], float]:
        """The clock that measures the work of this process."""
        return time.process_time if self.cpu_time else time.perf_counter
