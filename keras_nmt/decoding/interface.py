"""The functions that a search calls, and the results that a search returns."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol


class DecoderStep(Protocol):
    """The function of a model that a search calls: the logits after one more token of every hypothesis.

    `decoder_step` of a translation model is one; so is any function with this signature.

    Call arguments:
        tokens: `[B, K]` int32, the last token of every hypothesis (`BEGIN` at position 0).
        position: int32 scalar, number of tokens generated before this call.
        constants: Nest of tensors `[B, ...]`, computed once for each sentence. Never reordered.
        caches: Nest of tensors `[B, K, ...]`, the state of each hypothesis. The search reorders the rows as hypotheses
            survive or are dropped. Entries of dictionaries under the key "kept" may have any shape and are not
            reordered: the step has to know which of their rows belongs to which hypothesis.

    Returns:
        The logits `[B, K, V]` of the next token, and the caches in the same structure, shapes and dtypes.
    """

    def __call__(self, tokens: Any, position: Any, constants: Any, caches: Any) -> tuple[Any, Any]: ...


class SearchResult(NamedTuple):
    """The hypotheses that a search returns: `[B, N]`, N hypotheses for each sentence, best first.

    Finished hypotheses, which end in `END`, come first, ordered by score. Where a sentence has fewer than N of them,
    unfinished ones that were truncated by the length limit follow, ordered by score. Where it has fewer than N
    hypotheses in all, the rest is empty: no tokens, length 0, scores of -1e9. Where the limit is 0, all hypotheses are
    empty, and scores mean nothing.

    Attributes:
        tokens: `[B, N, max_length]` int32, `END` included, then `PAD`.
        scores: `[B, N]` float32, log-probability divided by the length penalty.
        log_probabilities: `[B, N]` float32, natural logarithm, `END` included.
        lengths: `[B, N]` int32, number of tokens, `END` included.
        finished: `[B, N]` bool, whether the hypothesis ends in `END`.
    """

    tokens: Any
    scores: Any
    log_probabilities: Any
    lengths: Any
    finished: Any
