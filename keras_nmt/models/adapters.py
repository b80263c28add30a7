"""Low-rank adapters: a few trained weights for a model that stays as it is, kept in a small file."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Any

import h5py
import keras
import numpy as np

from keras_nmt.errors import UserError, check_choice, check_names, require
from keras_nmt.files.json_file import check_digest, named_damage, with_digest
from keras_nmt.files.weights_file import arrays, open_weights, storable
from keras_nmt.layers._keras_private import forget_graphs
from keras_nmt.models.inner_layers import inner_layers
from keras_nmt.models.quantize import MODES, check_ours, quantize

DESCRIPTION = "keras_nmt.adapter"  # name of the file attribute that holds the description, as JSON


@dataclasses.dataclass(frozen=True, kw_only=True)
class LowRank:
    """Low-rank adaptation (LoRA): each chosen kernel W becomes W + alpha / rank * A B, and only A and B are trained.

    B is initially zero, so the model initially computes the same as before.

    Args:
        rank: Integer, the number of columns of A and of rows of B. Defaults to 8.
        alpha: Float, see above. Defaults to `rank`.
        patterns: Sequence of shell patterns for the paths of layers (`keras_nmt.models.inner_layers`), such as
            "*/feed_forward/*" or "embedding/table". Defaults to "*attention/*", the projections of attention.
        quantize: "int8": train the adapter on a model whose other matrices, except embeddings, are int8, in a quarter
            of their memory. The finished adapter is added to the float weights. Defaults to None.

    Raises:
        UserError: A value has the wrong type or is out of range.

    Reference:
        [Hu et al., 2022](https://arxiv.org/abs/2106.09685), Eq. 3; with int8 as
        [Dettmers et al., 2023](https://arxiv.org/abs/2305.14314).
    """

    rank: int = 8
    alpha: float | None = None
    patterns: Sequence[str] = ("*attention/*",)
    quantize: str | None = None

    def __post_init__(self) -> None:
        is_rank = type(self.rank) is int and 0 < self.rank <= 4096
        require(is_rank, "{rank} must be an integer from 1 to 4096", rank=self.rank)
        is_number = self.alpha is None or (type(self.alpha) in (int, float) and 0 < self.alpha < float("inf"))
        require(is_number, "{alpha} must be a positive number", alpha=self.alpha)
        is_list = not isinstance(self.patterns, str) and all(isinstance(one, str) for one in self.patterns)
        require(is_list and self.patterns, "{patterns} must be a list of patterns for layers", patterns=self.patterns)
        check_choice("quantize", self.quantize, (None, *MODES))

    @classmethod
    def from_settings(cls, settings: dict[str, Any]) -> LowRank:
        """Makes an instance from values by name. An unknown name is a `UserError`."""
        check_names("settings of `lora`", settings, [field.name for field in dataclasses.fields(cls)])
        return cls(**settings)

    def layers(self, model: keras.Model) -> list[keras.layers.Layer]:
        """Returns the layers of a model that the patterns choose.

        Raises:
            UserError: A pattern matches no layer with a matrix of weights.
        """
        adaptable = {path: layer for path, layer in inner_layers(model).items() if hasattr(layer, "enable_lora")}
        for pattern in self.patterns:
            is_right = any(fnmatchcase(path, pattern) for path in adaptable)
            problem = f"A pattern must match a layer with a matrix: paths are {', '.join(adaptable)[:300]}"
            require(is_right, f"{problem}. Received: {pattern!r} in `patterns`")
        return [layer for path, layer in adaptable.items() if any(fnmatchcase(path, p) for p in self.patterns)]


class Adapter:
    """The low-rank weights of a model. A file of an adapter has no other weights of the model.

    Like a Keras model, it has `weights`, `save_weights` and `load_weights`. The HDF5 file holds each factor under the
    path of its weight, and a `description` in JSON with the digest of the model's other weights.
    """

    file_name = "adapter.weights.h5"

    def __init__(self, model: keras.Model, description: dict[str, Any]) -> None:
        self.weights = [weight for weight in model.weights if weight.name.startswith("lora_")]
        self.description = description

    def save_weights(self, path: str | os.PathLike[str], overwrite: bool = True) -> None:
        """Writes the file."""
        with h5py.File(path, "w" if overwrite else "x") as file:
            for weight in self.weights:
                file[weight.path] = storable(weight.numpy())
            file.attrs[DESCRIPTION] = json.dumps(with_digest(self.description))

    def load_weights(self, path: str | os.PathLike[str]) -> None:
        """Reads the values of the weights. Raises a `UserError` for the file of another adapter."""
        with h5py.File(path, "r") as file:
            written, shapes = describe(file), {name: array.shape for name, array in arrays(file).items()}
            if written != self.description or shapes != {weight.path: tuple(weight.shape) for weight in self.weights}:
                raise UserError(f"The file must hold an adapter with these settings for this model. Received: {path}")
            for weight in self.weights:
                weight.assign(file[weight.path][()])


def add_adapter(model: keras.Model, low_rank: LowRank, base: str) -> Adapter:
    """Adds low-rank weights to a model, and excludes its other weights from training.

    Args:
        model: Translation model or multilingual model, changed in place; `stored(model)` then returns its adapter.
        low_rank: `LowRank`, the settings.
        base: String, the digest of the model's weights; see `keras_nmt.files.weights_file.weights_digest`.

    Returns:
        The adapter.

    Raises:
        UserError: A pattern matches no layer, or the model is none of the package's.

    Example:

    >>> from keras_nmt.models import Transformer
    >>> model = Transformer.from_preset("transformer_tiny", source_vocabulary_size=50)
    >>> adapter = add_adapter(model, LowRank(rank=2, patterns=["encoder/*/query"]), base="")
    >>> [weight.path for weight in model.trainable_weights[:2]]
    ['encoder/layer_1/self_attention/query/lora_kernel_a', 'encoder/layer_1/self_attention/query/lora_kernel_b']
    """
    check_ours(model)
    layers = low_rank.layers(model)
    if low_rank.quantize is not None:
        quantize(model, low_rank.quantize, embeddings=False)
    for weight in model.weights:
        weight.trainable = False
    alpha = low_rank.rank if low_rank.alpha is None else low_rank.alpha
    for layer in layers:
        layer.enable_lora(low_rank.rank, lora_alpha=alpha)
    forget_graphs(model, *model.views())
    model.adapter = Adapter(model, {"base": base, "rank": low_rank.rank, "alpha": alpha})
    return model.adapter


def stored(model: Any) -> Any:
    """Returns what is saved of a model: its adapter if it has one, otherwise the model itself."""
    return getattr(model, "adapter", model)


def merge_adapter(model: keras.Model, path: str | os.PathLike[str], base: str) -> None:
    """Adds an adapter to the weights of the model for which it was trained.

    Args:
        model: Model without an adapter, changed in place.
        path: String or path, the file of the adapter.
        base: String, the digest of the model's weights.

    Raises:
        UserError: The file is damaged, holds no adapter, or holds the adapter of another model.
        FileNotFoundError: There is no such file.
    """
    weights = {weight.path: weight for weight in model.weights}
    with open_weights(path) as file:
        description = describe(file)
        if description["base"] != base:
            raise UserError(
                f"The adapter belongs to other weights: give the model that it was trained on. Received: {path}, for "
                f"weights with the digest {description['base'][:16]} instead of {base[:16]}"
            )
        for name in arrays(file):
            folder, _, factor = name.rpartition("/")
            if not name.endswith("_a"):
                continue
            kernel = weights.get(f"{folder}/{factor.removeprefix('lora_')[:-2]}")
            a, b = file[name], file.get(f"{name[:-2]}_b")
            rows = None if kernel is None else int(np.prod(kernel.shape[:-1]))
            rank = description["rank"]
            # A of a convolution has the dimensions of its kernel.
            if (
                kernel is None
                or b is None
                or a.shape not in ((rows, rank), (*kernel.shape[:-1], rank))
                or b.shape != (rank, kernel.shape[-1])
            ):
                raise UserError(f"The adapter does not match the model. Received: {name} in {path}")
            product = (description["alpha"] / rank) * (a[()] @ b[()])  # [n, m]
            kernel.assign(kernel.numpy() + product.reshape(kernel.shape))


def describe(file: h5py.File) -> dict[str, Any]:
    """Returns the description of the adapter in a file. Raises a `UserError` if the file holds no adapter."""
    text = file.attrs.get(DESCRIPTION)
    problem = f"The file must hold an adapter, as `keras-nmt train --set lora=...` writes it. Received: {file.filename}"
    require(isinstance(text, str), problem)
    with named_damage(file.filename):
        description = check_digest(json.loads(text), file.filename)
        is_right = isinstance(description["base"], str) and type(description["rank"]) is int and description["rank"] > 0
        if not is_right or type(description["alpha"]) not in (int, float):
            raise ValueError(text)
    return description
