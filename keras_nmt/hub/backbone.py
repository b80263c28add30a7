"""The Transformer as a backbone of keras_hub."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import h5py
import keras
import keras_hub
from keras import ops

from keras_nmt.errors import require
from keras_nmt.files.atomic_files import atomic_path
from keras_nmt.files.weights_file import arrays, open_weights, storable
from keras_nmt.layers._keras_private import forget_graphs
from keras_nmt.models import Transformer, quantize
from keras_nmt.models.translation_model import SideLayer, Untracked

KERAS_ARGUMENTS = ("name", "trainable", "dtype")  # what the base class writes into the configuration
QUANTIZATION = "quantization"  # in the configuration of a quantised backbone: the arguments of `quantize`


class _StepStates(SideLayer):
    """Runs one target position of every hypothesis: tokens `[B, K]` to states `[B, K, d]`."""

    side: Any  # `TransformerTarget`

    def call(self, tokens: Any, position: Any, constants: Any, caches: Any) -> tuple[Any, Any]:
        return self.side.step_states(tokens, position, constants, caches)


@keras.saving.register_keras_serializable(package="keras_nmt")
class TranslationBackbone(keras_hub.models.Backbone):
    """A `keras_nmt.models.Transformer` as a backbone of keras_hub, with all its mechanisms.

    Inputs are a dictionary of int32 tensors: `encoder_token_ids` `[B, S]` with EOS at the end, `decoder_token_ids`
    `[B, T]` with BOS at the beginning, and masks of the same shapes, `encoder_padding_mask` and `decoder_padding_mask`,
    1 at tokens. Outputs are a dictionary of float tensors: `encoder_sequence_output` `[B, S, d]` and
    `decoder_sequence_output` `[B, T, d]`.

    Args:
        source_vocabulary_size: Integer, number of source subwords, or of all subwords if the vocabulary is joint.
        target_vocabulary_size: Integer, number of target subwords. Defaults to None: the vocabulary is joint.
        dtype: String, dtype policy of all layers. Defaults to Keras' global policy.
        **kwargs: Further arguments of `keras_nmt.models.Transformer`, such as `hidden_dim` or `shortcuts`; `name` and
            `trainable`.

    Attributes:
        model: The `Transformer`, which shares all weights with the backbone. `keras_nmt.inference.Translator` takes it.
        token_embedding: Layer that maps target ids to embeddings, and states to logits with `reverse=True`.

    Example:

    >>> import numpy as np
    >>> backbone = TranslationBackbone(
    ...     100,
    ...     num_encoder_layers=1,
    ...     num_decoder_layers=1,
    ...     hidden_dim=8,
    ...     num_heads=2,
    ...     intermediate_dim=16,
    ...     shortcuts="fusion",
    ... )
    >>> ids, mask = np.array([[5, 6, 3]]), np.array([[1, 1, 1]])
    >>> states = backbone(
    ...     {
    ...         "encoder_token_ids": ids,
    ...         "encoder_padding_mask": mask,
    ...         "decoder_token_ids": np.array([[2, 7]]),
    ...         "decoder_padding_mask": mask[:, :2],
    ...     }
    ... )
    >>> tuple(states["decoder_sequence_output"].shape)
    (1, 2, 8)
    """

    def __init__(
        self,
        source_vocabulary_size: int,
        target_vocabulary_size: int | None = None,
        *,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        keras_arguments = {name: kwargs.pop(name) for name in KERAS_ARGUMENTS if name in kwargs}
        model = Transformer(source_vocabulary_size, target_vocabulary_size, dtype=dtype, **kwargs)
        inputs = {
            f"{side}_{name}": keras.Input((None,), dtype="int32", name=f"{side}_{name}")
            for side in ("encoder", "decoder")
            for name in ("token_ids", "padding_mask")
        }
        source, target = model.source_side, model.target_side
        memory = source(inputs["encoder_token_ids"], ops.cast(inputs["encoder_padding_mask"], "bool"))
        mask = ops.cast(inputs["decoder_padding_mask"], "bool")
        states = target.states(inputs["decoder_token_ids"], memory, padding_mask=mask)
        outputs = {"encoder_sequence_output": memory["states"], "decoder_sequence_output": states}
        self.token_embedding = target.embedding
        super().__init__(inputs=inputs, outputs=outputs, dtype=dtype, **keras_arguments)
        step = _StepStates(target, dtype=target.embedding.dtype_policy, name="decoder_step")
        self._parts = Untracked(model=model, source=source, target=target, step=step, quantization=None)

    @property
    def model(self) -> Transformer:
        return self._parts.model

    @property
    def hidden_dim(self) -> int:
        """The width d of the states."""
        width: int = self.token_embedding.hidden_dim
        return width

    def encode(self, token_ids: Any, padding_mask: Any) -> Any:
        """Computes the memory, a nest of tensors `[B, ...]`, of source ids `[B, S]` and their mask."""
        return self._parts.source(token_ids, ops.cast(padding_mask, "bool"))

    def decode(self, token_ids: Any, memory: Any) -> Any:
        """Computes the states `[B, T, d]` of target-input ids `[B, T]`, with padding after the tokens only."""
        return self._parts.target.states(token_ids, memory)

    def decode_step(self, tokens: Any, position: Any, constants: Any, caches: Any) -> tuple[Any, Any]:
        """Computes the states `[B, K, d]` of one position, and the new caches; see `TranslationModel.decoder_step`."""
        return self._parts.step(tokens, position, constants, caches)

    def default_lora_layer_names(self) -> list[str]:
        return ["query", "key_value"]

    def save_lora_weights(self, filepath: str) -> None:
        """Writes the low-rank weights that `enable_lora` has added, `*.lora.h5`, of layers with several kernels too."""
        if not str(filepath).endswith(".lora.h5"):
            raise ValueError(f"The file name must end in `.lora.h5`. Received: filepath={filepath}")
        if not (factors := self._low_rank_weights()):
            raise ValueError("The model has no low-rank weights: call `enable_lora(rank)` first.")
        with atomic_path(filepath, suffix=".lora.h5") as temporary, h5py.File(temporary, "w") as file:
            file.attrs["rank"] = self._lora_rank
            for path, variable in factors.items():
                file[path] = storable(ops.convert_to_numpy(variable))

    def load_lora_weights(self, filepath: str) -> None:
        """Reads the file of `save_lora_weights`, after `enable_lora(rank)` if the model has no low-rank weights yet."""
        with open_weights(filepath) as file:
            rank = int(file.attrs.get("rank", 0))
            if not self._low_rank_weights() and rank:
                self.enable_lora(rank)
            factors, stored = self._low_rank_weights(), arrays(file)
            shapes = {path: tuple(variable.shape) for path, variable in factors.items()}
            is_right = shapes and {path: array.shape for path, array in stored.items()} == shapes
            problem = "The file must hold low-rank weights of this model, of the same layers and rank"
            require(is_right, f"{problem}. Received: {filepath}, of rank {rank}")
            for path, variable in factors.items():
                variable.assign(stored[path][()])

    def _low_rank_weights(self) -> dict[str, Any]:
        return {variable.path: variable for variable in self.weights if variable.name.startswith("lora_")}

    def enable_lora(self, rank: int, target_layer_names: Sequence[str] | None = None) -> None:
        """Adds low-rank weights to layers, by default queries, keys and values, and trains them alone."""
        super().enable_lora(rank, target_layer_names)
        for variable in self.weights:  # also gates and biases of these layers
            variable.trainable = variable.name.startswith("lora_")

    def quantize(self, mode: str = "int8", config: Any = None, embeddings: bool = True) -> None:
        """Converts matrices to int8, of mechanisms too; see `keras_nmt.models.quantize`. Keras makes the `config`."""
        quantize(self.model, mode, embeddings)
        self._parts.quantization = {"mode": mode, "embeddings": embeddings}
        forget_graphs(self)

    def save_to_preset(self, preset_dir: str | os.PathLike[str], max_shard_size: float = 10) -> None:
        super().save_to_preset(os.fspath(preset_dir), max_shard_size)

    def get_config(self) -> dict[str, Any]:
        model_config = {name: value for name, value in self.model.get_config().items() if name not in KERAS_ARGUMENTS}
        config = {**super().get_config(), **model_config}
        if self._parts.quantization:
            # Keras would write the quantised layers by their paths, but knows none of those of mechanisms.
            dtype = keras.dtype_policies.serialize(self.dtype_policy)
            config |= {"dtype": dtype, QUANTIZATION: self._parts.quantization}
        return config

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> TranslationBackbone:
        """Makes a backbone. It is quantised if the one of the configuration was, to be able to read its weights."""
        config = dict(config)
        quantization = config.pop(QUANTIZATION, None)
        backbone: TranslationBackbone = super().from_config(config)
        if quantization:
            backbone.quantize(**quantization)
        return backbone
