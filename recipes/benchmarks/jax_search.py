"""A model's beam search on JAX."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import keras

from keras_nmt.decoding import beam_search
from keras_nmt.ids import BEGIN, END, PAD
from keras_nmt.models import TranslationModel

# (values of the model's variables, source ids [B, S]) -> tokens [B, K, steps]
Search = Callable[[Any, Any], Any]


def jax_search(model: TranslationModel, beam: int, steps: int) -> tuple[Search, Any]:
    """Makes encoder, preparation and beam search as a function that `jax.jit` can compile.

    END is never chosen, so all translations have the same number of tokens.

    Args:
        model: TranslationModel.
        beam: Integer K, hypotheses per sentence.
        steps: Integer, tokens of a translation.

    Returns:
        The search, and the values of the model's variables.
    """

    def search(values: Any, source: Any) -> Any:
        with keras.StatelessScope(state_mapping=list(zip(model.variables, values, strict=True))):
            constants, caches = model.prepare(model.encoder(source, training=False), beam, steps)
            return beam_search(
                model.decoder_step,
                constants,
                caches,
                batch_size=source.shape[0],
                beam_size=beam,
                max_length=steps,
                suppress=(PAD, BEGIN, END),
            ).tokens

    return search, [variable.value for variable in model.variables]
