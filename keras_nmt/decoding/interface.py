"""The functions that a search calls, and the results that a search returns."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol


class DecoderStep(Protocol):
    """The function of a model that a search calls: the logits after one more token of every hypothesis.

    `decoder_step` of a translation model is such a function; any function with this signature works.

    Call arguments:
        tokens: int32 tensor `[B, K]`, the last token of every hypothesis (`BOS` at position 0).
        position: int32 scalar, number of tokens generated before this call.
        constants: Nest of tensors `[B, ...]`, computed once for each sentence. Never reordered.
        caches: Nest of tensors `[B, K, ...]`, the state of each hypothesis. The search reorders the rows as hypotheses
            survive or are dropped. Entries of dictionaries under the key "not_reordered", `[B, ...]`, are not reordered
            within a sentence: the step must keep track of what belongs to which hypothesis.

    Returns:
        The logits `[B, K, V]` of the next token, and the caches in the same structure, shapes and dtypes.
    """

    def __call__(self, tokens: Any, position: Any, constants: Any, caches: Any) -> tuple[Any, Any]: ...


class SearchResult(NamedTuple):
    """The hypotheses that a search returns: `[B, N]`, N hypotheses for each sentence, best first.

    Finished hypotheses, which end in `EOS`, come first, ordered by score. If a sentence has fewer than N finished
    hypotheses, unfinished hypotheses that the length limit truncated follow, ordered by score. If a sentence has fewer
    than N hypotheses in total, the remaining entries are empty: no tokens, length 0, scores of -1e9. If the limit is 0,
    all hypotheses are empty, and scores have no meaning.

    Attributes:
        tokens: int32 tensor `[B, N, max_length]`, `EOS` included, then `PAD`.
        scores: float32 tensor `[B, N]`, log-probability divided by the length penalty.
        log_probabilities: float32 tensor `[B, N]`, natural logarithm, `EOS` included.
        lengths: int32 tensor `[B, N]`, number of tokens, `EOS` included.
        finished: bool tensor `[B, N]`, whether the hypothesis ends in `EOS`.
    """

    tokens: Any
    scores: Any
    log_probabilities: Any
    lengths: Any
    finished: Any
