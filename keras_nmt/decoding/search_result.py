from __future__ import annotations

from typing import Any, NamedTuple


class SearchResult(NamedTuple):
    """The hypotheses that a search returns: `[B, N]`, N best first.

    Finished hypotheses (those that end in `END`) come first, by score. Where a sentence has fewer than N of them, the
    unfinished ones that its length limit cut off follow, by score; where it has fewer than N hypotheses at all, the
    rest is empty: no tokens, length 0, scores of -1e9. Where the limit is 0, all are empty, and scores say nothing.

    Attributes:
        tokens: `[B, N, max_length]` int32, `END` kept, `PAD` after it.
        scores: `[B, N]` float32, the log-probability over the length penalty.
        log_probabilities: `[B, N]` float32, natural logarithm, `END` included.
        lengths: `[B, N]` int32, the number of tokens, `END` included.
        finished: `[B, N]` bool, whether the hypothesis ends in `END`.
    """

    tokens: Any
    scores: Any
    log_probabilities: Any
    lengths: Any
    finished: Any
