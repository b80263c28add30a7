"""The source side and the target side of a recurrent translation model, which share the model's embeddings."""

from __future__ import annotations

from typing import Any

import keras
from keras import ops

from keras_nmt.ids import PAD
from keras_nmt.layers import AttentiveRecurrentDecoder, RecurrentEncoder
from keras_nmt.models._search_models import attention_layer
from keras_nmt.models.token_embedding import TokenEmbedding


class RecurrentSource:
    """Source ids to memory: the states and the "final" states of a `RecurrentEncoder`."""

    def __init__(self, embedding: TokenEmbedding, dropout: keras.layers.Dropout, encoder: RecurrentEncoder) -> None:
        self.embedding = embedding
        self.dropout = dropout
        self.stack = encoder

    def __call__(self, ids: Any) -> dict[str, Any]:
        mask = ops.not_equal(ids, PAD)  # [B, S]
        states, final = self.stack(self.dropout(self.embedding(ids)), mask=mask, return_state=True)
        return {"states": states, "mask": mask, "final": final}


class RecurrentTarget:
    """Target-input ids and memory to logits, by an `AttentiveRecurrentDecoder`.

    `memory["initial"]` is the decoder's initial state: [h, c] of each layer, or one tensor `[B, d]` for all layers.
    """

    def __init__(
        self, embedding: TokenEmbedding, dropout: keras.layers.Dropout, decoder: AttentiveRecurrentDecoder
    ) -> None:
        self.embedding = embedding
        self.dropout = dropout
        self.stack = decoder

    def _initial_state(self, memory: dict[str, Any]) -> list[list[Any]]:
        initial = memory["initial"]
        return list(initial) if isinstance(initial, (list, tuple)) else [[initial, initial]] * self.stack.num_layers

    def logits(self, ids: Any, memory: dict[str, Any]) -> Any:
        states = self.stack(
            self.dropout(self.embedding(ids)),
            memory["states"],
            initial_state=self._initial_state(memory),
            memory_mask=memory["mask"],
        )
        return self.embedding(states, reverse=True)  # [B, T, V]

    def attention(self, ids: Any, memory: dict[str, Any], layer: int | None = None) -> Any:
        attention_layer(layer, 1)  # checked
        _, weights = self.stack(
            self.dropout(self.embedding(ids), training=False),
            memory["states"],
            initial_state=self._initial_state(memory),
            memory_mask=memory["mask"],
            training=False,
            return_attention=True,
        )
        return weights  # [B, T, S]

    def prepare(self, memory: dict[str, Any], beam_size: int, max_length: int | None) -> tuple[Any, Any]:
        constants, caches = self.stack.prepare(
            memory["states"], beam_size, self._initial_state(memory), memory_mask=memory["mask"]
        )
        return {"decoder": constants, "mask": memory["mask"]}, caches

    def output_kernel(self, ids: Any = None) -> Any:
        return self.embedding.output_kernel(ids)

    def step(
        self,
        tokens: Any,
        position: Any,
        constants: dict[str, Any],
        caches: dict[str, Any],
        output_kernel: Any = None,
    ) -> tuple[Any, Any]:
        states, caches = self.stack.step(
            self.embedding(tokens), position, constants["decoder"], caches, constants["mask"]
        )
        return self.embedding(states, reverse=True, few_states=True, output_kernel=output_kernel), caches  # [B, K, V]
