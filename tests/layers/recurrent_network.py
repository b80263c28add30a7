"""A network of the recurrent layers and the bridge, for any backend."""

from __future__ import annotations

import keras

from keras_nmt.layers import AttentionBridge, AttentiveRecurrentDecoder, RecurrentEncoder


def make(score: str) -> keras.Model:
    """Source states [B, S, 6], their mask and target states [B, T, 5] to the decoder's states and penalties."""
    source, mask, target = keras.Input((None, 6)), keras.Input((None,), dtype="bool"), keras.Input((None, 5))
    states, final = RecurrentEncoder(2, 8)(source, mask=mask, return_state=True)
    sentence, penalties = AttentionBridge(3, 7, penalty="root")(states, mask=mask, return_penalty=True)
    decoder = AttentiveRecurrentDecoder(2, 8, score, name="decoder")
    outputs = decoder(target, sentence, initial_state=final)
    return keras.Model([source, mask, target], [outputs, penalties, sentence, final])
