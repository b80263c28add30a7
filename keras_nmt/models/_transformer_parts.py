"""The source side and the target side of a Transformer, which share the model's embeddings."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, ClassVar

import keras
from keras import ops

from keras_nmt.ids import PAD
from keras_nmt.layers import TransformerDecoder, TransformerEncoder
from keras_nmt.layers._mechanisms import is_in_attention
from keras_nmt.layers.mechanism import mechanism_of
from keras_nmt.models._search_models import attention_layer
from keras_nmt.models._transformer_options import ROLE_ARGUMENTS, ROLES, TransformerOptions
from keras_nmt.models.token_embedding import TokenEmbedding


class TransformerParts:
    """Makes the sides of one Transformer, or several sides with the same options.

    Args:
        options: `TransformerOptions`.
        dtype: Dtype policy of all layers.
    """

    def __init__(self, options: TransformerOptions, dtype: Any) -> None:
        self.options = options
        self.dtype = dtype

    # All sides share positions and dropout.

    @functools.cached_property
    def positions(self) -> Any:
        """The layer that adds positions to embeddings; None if attentions have the positions."""
        mechanism = self.options.position_mechanism
        return None if is_in_attention(mechanism) else mechanism.make(dtype=self.dtype, name="positions")

    @functools.cached_property
    def embedding_dropout(self) -> keras.layers.Dropout:
        return keras.layers.Dropout(self.options.dropout, dtype=self.dtype, name="embedding_dropout")

    def encoder(self, num_layers: int, prefix: str = "") -> TransformerEncoder:
        """The stack of a source side; its name begins with the prefix."""
        return TransformerEncoder(
            num_layers,
            **self._stack_options("encoder"),
            dtype=self.dtype,
            name=f"{prefix}encoder",
        )

    def decoder(self, num_layers: int, prefix: str = "") -> TransformerDecoder:
        """The stack of a target side; its name begins with the prefix."""
        return TransformerDecoder(
            num_layers,
            **self._stack_options("decoder"),
            cross_shortcut=self.options.shortcut("cross", "decoder"),
            dtype=self.dtype,
            name=f"{prefix}decoder",
        )

    def _stack_options(self, side: str) -> dict[str, Any]:
        return {**self.options.of_side(side).config(), "shortcut": self.options.shortcut("self", side)}

    def source_side(self, stack: TransformerEncoder, embedding: TokenEmbedding, prefix: str = "") -> TransformerSource:
        """The side that reads the source."""
        return TransformerSource(self, embedding, stack, prefix)

    def target_side(self, stack: TransformerDecoder, embedding: TokenEmbedding, prefix: str = "") -> TransformerTarget:
        """The side that generates the target."""
        return TransformerTarget(self, embedding, stack, prefix)

    def roles(self, side: str, prefix: str) -> Any:
        """The role layer of "source" or "target", or None."""
        options, on_target = self.options, side == "target"
        context = options.role_context
        mechanism = mechanism_of(options.roles, ROLES)
        if mechanism is None:
            return None
        if not (hasattr(mechanism.layer, "step") and hasattr(mechanism.layer, "empty_cache")):
            raise ValueError(
                "A layer of `roles` needs the methods `step` and `empty_cache`, for search. "
                f"Received: roles={options.roles!r}"
            )
        given = {
            **{argument: getattr(options, name) for name, argument in ROLE_ARGUMENTS.items()},
            "context": "bilstm" if context == "lstm" and not on_target else context,
            "causal": on_target,
            "exclusive": options.role_exclusive and on_target,
            "dropout": options.dropout if options.role_dropout is None else options.role_dropout,
        }
        # The options' defaults are those of the package's roles: a role layer of a user's own may have others.
        is_own = mechanism.layer not in [known.layer for known in ROLES.values() if known]
        defaults = {field.name: field.default for field in dataclasses.fields(options)}
        unset = [
            argument for name, argument in ROLE_ARGUMENTS.items() if is_own and getattr(options, name) == defaults[name]
        ]
        return mechanism.make(dtype=self.dtype, name=f"{prefix}{side}_roles", unset=unset, **given)


class _Side:
    """The parts of either side: embeddings, roles, positions, and a stack of layers."""

    name: ClassVar[str]

    def __init__(self, parts: TransformerParts, embedding: TokenEmbedding, stack: Any, prefix: str) -> None:
        self.embedding = embedding
        self.positions = parts.positions
        self.dropout = parts.embedding_dropout
        self.roles = parts.roles(self.name, prefix)
        self.stack = stack
        self.cross_lexical = parts.options.shortcut("cross", "decoder") is not None
        self.shortcut_source = parts.options.shortcut_source

    def _at(self, embeddings: Any, position: Any = None) -> Any:
        """Embeddings with their positions."""
        return embeddings if self.positions is None else self.positions(embeddings, position=position)

    def _first_states(self, ids: Any, mask: Any = None) -> Any:
        """E, `[B, T, d]`, the input of the first layer."""
        if self.roles is None:
            return self.dropout(self._at(self.embedding(ids)))
        return self._at(self.roles(self.dropout(self.embedding(ids)), mask=mask))


class TransformerSource(_Side):
    """Source ids to memory."""

    name = "source"

    def __call__(self, ids: Any) -> dict[str, Any]:
        mask = ops.not_equal(ids, PAD)  # [B, S]
        embedded = self._first_states(ids, mask)
        states, layer_states = self.stack(embedded, mask=mask, return_states=True)
        memory = {"states": states, "mask": mask}
        if self.cross_lexical:
            memory["lexical"] = embedded if self.shortcut_source == "lexical" else layer_states[-2]
        return memory


class TransformerTarget(_Side):
    """Target-input ids and memory to logits."""

    name = "target"

    def logits(self, ids: Any, memory: dict[str, Any]) -> Any:
        decoded = self.stack(
            self._first_states(ids),  # without a mask: the decoder is causal, and padding follows the tokens
            memory["states"],
            memory_lexical=memory.get("lexical"),
            memory_mask=memory["mask"],
        )
        return self.embedding(decoded, reverse=True)  # [B, T, V]

    def attention(self, ids: Any, memory: dict[str, Any], layer: int | None = None) -> Any:
        _, attention = self.stack(
            self._first_states(ids),
            memory["states"],
            memory_lexical=memory.get("lexical"),
            memory_mask=memory["mask"],
            training=False,
            return_attention=True,
        )
        number = attention_layer(layer, len(attention))
        return ops.mean(ops.cast(attention[number - 1], "float32"), axis=1)  # [B, H, T, S] -> [B, T, S]

    def prepare(self, memory: dict[str, Any], beam_size: int, max_length: int | None) -> tuple[Any, Any]:
        constants, layer_caches = self.stack.prepare(memory["states"], beam_size, max_length, memory.get("lexical"))
        caches = {"layers": layer_caches}
        if self.roles is not None:
            caches["roles"] = self.roles.empty_cache(ops.shape(memory["states"])[0], beam_size)
        return {"layers": constants, "mask": memory["mask"]}, caches

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
        new_caches: dict[str, Any] = {}
        x = self.embedding(tokens)  # [B, K, d]
        if self.roles is not None:
            x, new_caches["roles"] = self.roles.step(x, position, caches["roles"])
        x = self._at(x, position)  # E at this position
        x, new_caches["layers"] = self.stack.step(x, position, constants["layers"], caches["layers"], constants["mask"])
        return self.embedding(x, reverse=True, few_states=True, output_kernel=output_kernel), new_caches  # [B, K, V]
