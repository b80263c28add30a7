from __future__ import annotations

from typing import Any, Protocol


class DecoderStep(Protocol):
    """What a search asks of a model: the logits after one more token of every hypothesis.

    `model.decoder_step` of a translation model is one; any function with this signature will do.

    Call arguments:
        tokens: `[B, K]` int32, the last token of every hypothesis (`BEGIN` at position 0).
        position: scalar int32, how many tokens were generated before this call.
        constants: a nest of tensors `[B, ...]`, what is computed once a sentence. Never reordered.
        caches: a nest of tensors `[B, K, ...]`, what belongs to each hypothesis. The search reorders the rows as
            hypotheses survive or drop out, and does not look inside. Entries of dictionaries named "kept" may have any
            shape, and are not reordered: the step has to know what of them belongs to whom.

    Returns:
        The logits `[B, K, V]` of the next token, and the caches in the same structure, shapes and dtypes.
    """

    def __call__(self, tokens: Any, position: Any, constants: Any, caches: Any) -> tuple[Any, Any]: ...
