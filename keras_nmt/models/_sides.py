"""The two sides of a model: a source side maps ids to a memory, a target side maps ids and the memory to logits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import keras
from keras import ops

from keras_nmt.ids import EOS, PAD
from keras_nmt.layers._common import call_keeping_shape
from keras_nmt.models.factory import TransformerFactory
from keras_nmt.models.token_embedding import TokenEmbedding
from keras_nmt.models.translation_model import attention_layer


class _OutputProjection:
    """The projection of a target side's states to logits, by the embeddings of the target."""

    embedding: TokenEmbedding
    states: Callable[..., Any]

    def logits(self, ids: Any, memory: dict[str, Any]) -> Any:
        return self.embedding(self.states(ids, memory), reverse=True)  # [B, T, V]

    def output_kernel(self, ids: Any = None) -> Any:
        return self.embedding.output_kernel(ids)

    def _step_logits(self, states: Any, output_kernel: Any) -> Any:  # [B, K, d] -> [B, K, V]
        return self.embedding(states, reverse=True, is_decoding_step=True, output_kernel=output_kernel)


class _TransformerSide:
    """The parts that both sides of a Transformer have: embeddings, roles, positions, and a stack of layers."""

    name: ClassVar[str]

    def __init__(self, factory: TransformerFactory, embedding: TokenEmbedding, stack: Any, prefix: str = "") -> None:
        self.embedding = embedding
        self.positions = factory.positions
        self.dropout = factory.embedding_dropout
        self.roles = factory.roles(self.name, prefix)
        self.norm = factory.embedding_norm(f"{prefix}{self.name}_embedding_norm")
        self.sees_end = factory.config.source_end
        self.stack = stack
        self.has_cross_shortcuts = factory.config.has_cross_shortcuts
        self.alignment_head, self.alignment_layer = factory.config.alignment_head, factory.config.alignment_layer

    def _add_positions(self, embeddings: Any, position: Any = None) -> Any:
        """Adds positions to embeddings, and normalises them if the model has such a norm."""
        if self.positions is not None:
            embeddings = call_keeping_shape(self.positions, embeddings, position=position)
        return embeddings if self.norm is None else self.norm(embeddings)

    def _first_states(self, ids: Any, mask: Any = None) -> Any:
        """Returns E, `[B, T, d]`, the input of the first layer."""
        if self.roles is None:
            return self.dropout(self._add_positions(self.embedding(ids)))
        return self._add_positions(call_keeping_shape(self.roles, self.dropout(self.embedding(ids)), mask=mask))


class TransformerSource(_TransformerSide):
    """Maps source ids to a memory by a `TransformerEncoder`."""

    name = "source"

    def __call__(self, ids: Any, mask: Any = None) -> dict[str, Any]:
        mask = ops.not_equal(ids, PAD) if mask is None else mask  # [B, S]
        if not self.sees_end:
            tokens = ops.logical_and(mask, ops.not_equal(ids, EOS))
            # An empty source keeps its EOS: attention to no position would be attention to padding.
            mask = ops.where(ops.any(tokens, axis=1, keepdims=True), tokens, mask)
        embedded = self._first_states(ids, mask)
        states, layer_states = self.stack(embedded, padding_mask=mask, return_states=True)
        memory = {"states": states, "mask": mask}
        if self.has_cross_shortcuts:
            memory["shortcut_states"] = embedded if self.stack.shortcut_source == "lexical" else layer_states[-2]
        return memory


class TransformerTarget(_TransformerSide, _OutputProjection):
    """Maps target-input ids and a memory to logits by a `TransformerDecoder`."""

    name = "target"

    def states(self, ids: Any, memory: dict[str, Any], **options: Any) -> Any:
        return self.stack(
            self._first_states(ids),  # without a mask: the decoder is causal, and padding follows the tokens
            memory["states"],
            memory_shortcut_states=memory.get("shortcut_states"),
            memory_mask=memory["mask"],
            **options,
        )

    def attention(self, ids: Any, memory: dict[str, Any], layer: int | None = None) -> Any:
        _, attention = self.states(ids, memory, training=False, return_attention_scores=True)
        chosen = attention_layer(self.alignment_layer if layer is None else layer, len(attention))
        weights = ops.cast(attention[chosen - 1], "float32")  # [B, H, T, S]
        if layer is None and self.alignment_head is not None:
            return weights[:, self.alignment_head - 1]  # [B, T, S]
        return ops.mean(weights, axis=1)

    def prepare(self, memory: dict[str, Any], beam_size: int, max_length: int | None) -> tuple[Any, Any]:
        constants, layer_caches = self.stack.prepare(
            memory["states"], beam_size, max_length, memory.get("shortcut_states")
        )
        caches = {"layers": layer_caches}
        if self.roles is not None:
            caches["roles"] = self.roles.empty_cache(ops.shape(memory["states"])[0], beam_size)
        return {"layers": constants, "mask": memory["mask"]}, caches

    def step(self, tokens: Any, position: Any, constants: Any, caches: Any, output_kernel: Any = None) -> Any:
        states, caches = self.step_states(tokens, position, constants, caches)
        return self._step_logits(states, output_kernel), caches

    def step_states(self, tokens: Any, position: Any, constants: Any, caches: Any) -> tuple[Any, Any]:
        """Returns the states `[B, K, d]` from which `step` computes logits, and the new caches."""
        new_caches: dict[str, Any] = {}
        x = self.embedding(tokens)  # [B, K, d]
        if self.roles is not None:
            x, new_caches["roles"] = self.roles.step(x, position, caches["roles"])
        x = self._add_positions(x, position)  # E at this position
        x, new_caches["layers"] = self.stack.step(x, position, constants["layers"], caches["layers"], constants["mask"])
        return x, new_caches


class _RecurrentSide:
    """The parts that both sides of a recurrent model have: embeddings, their dropout, and a stack of LSTMs."""

    def __init__(self, embedding: TokenEmbedding, dropout: keras.layers.Dropout, stack: Any) -> None:
        self.embedding = embedding
        self.dropout = dropout
        self.stack = stack


class RecurrentSource(_RecurrentSide):
    """Maps source ids to a memory by a `RecurrentEncoder`: its states, and its "final" states."""

    def __call__(self, ids: Any) -> dict[str, Any]:
        mask = ops.not_equal(ids, PAD)  # [B, S]
        states, final = self.stack(self.dropout(self.embedding(ids)), mask=mask, return_state=True)
        return {"states": states, "mask": mask, "final": final}


class RecurrentTarget(_RecurrentSide, _OutputProjection):
    """Maps target-input ids and a memory to logits by an `AttentiveRecurrentDecoder`.

    `memory["initial"]` is the decoder's initial state: [h, c] of each layer, or one tensor `[B, d]` for all layers.
    """

    def _initial_state(self, memory: dict[str, Any]) -> list[list[Any]]:
        initial = memory["initial"]
        return list(initial) if isinstance(initial, (list, tuple)) else [[initial, initial]] * self.stack.num_layers

    def states(self, ids: Any, memory: dict[str, Any], training: bool | None = None, **options: Any) -> Any:
        return self.stack(
            self.dropout(self.embedding(ids), training=training),
            memory["states"],
            initial_state=self._initial_state(memory),
            memory_mask=memory["mask"],
            training=training,
            **options,
        )

    def attention(self, ids: Any, memory: dict[str, Any], layer: int | None = None) -> Any:
        attention_layer(layer, 1)  # raises an error for a layer that does not exist
        return self.states(ids, memory, training=False, return_attention_scores=True)[1]  # [B, T, S]

    def prepare(self, memory: dict[str, Any], beam_size: int, max_length: int | None) -> tuple[Any, Any]:
        constants, caches = self.stack.prepare(
            memory["states"], beam_size, self._initial_state(memory), memory_mask=memory["mask"]
        )
        return {"decoder": constants, "mask": memory["mask"]}, caches

    def step(self, tokens: Any, position: Any, constants: Any, caches: Any, output_kernel: Any = None) -> Any:
        states, caches = self.stack.step(
            self.embedding(tokens), position, constants["decoder"], caches, constants["mask"]
        )
        return self._step_logits(states, output_kernel), caches
