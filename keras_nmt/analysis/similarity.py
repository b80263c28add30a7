"""The similarity of each layer's states to the embeddings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from keras_nmt.analysis._sums import Sums
from keras_nmt.analysis.hidden_states import Model, hidden_states
from keras_nmt.analysis.measurements import Measurements


def similarity(
    model: Model, source: Iterable[str], target: Iterable[str] | None = None, **options: Any
) -> Measurements:
    """The mean cosine between the embedding E and the state H_l at the same position, by side and layer.

    Lexical shortcuts should free the states from carrying the embeddings: similarity falls in lower layers.

    Args:
        model: String or path of a model directory, or a `Translator`.
        source: Iterable of strings.
        target: Iterable of strings, a translation of each source, to measure the decoder too. Defaults to None.
        **options: Further arguments of `hidden_states`, such as the languages.

    Returns:
        `Measurements` with the groups "encoder" and "decoder" and the layers as items, with sums of sentences as
        samples.

    Raises:
        UserError: See `hidden_states`.

    Reference:
        [Emelin et al., 2019](https://arxiv.org/abs/1906.12284), section 4.1, figures 6 and 7.
    """
    sums = Sums()
    for batch in hidden_states(model, source, target, tensors=("states",), **options):
        for side, group in ((batch.source, "encoder"), (batch.target, "decoder")):
            if side is None or side.states is None:
                continue
            norms = np.linalg.norm(side.states, axis=-1)  # [L + 1, N]
            products = np.einsum("nd,lnd->ln", side.states[0], side.states)
            cosines = products / np.maximum(norms[0] * norms, 1e-12)
            for layer in range(1, len(cosines)):
                sums.add((group, str(layer)), side, cosines[layer])
    return sums.measurements("similarity", "cosine of E and H_l")
