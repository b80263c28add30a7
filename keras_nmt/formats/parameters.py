"""The parameters of a plain Transformer under neutral names, which all formats convert from and to."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from keras_nmt.errors import UserError, one_line, require
from keras_nmt.files.model_config import check_limits
from keras_nmt.formats.vocabulary import Vocabulary
from keras_nmt.layers._keras_private import without_values
from keras_nmt.layers.layer_spec import LayerSpec
from keras_nmt.models import LanguageLabelModel, PositionalEncoding, Transformer
from keras_nmt.models.factory import MECHANISMS
from keras_nmt.models.quantize import check_copyable

NEVER = -1e4  # logit of a subword that the other toolkit's model does not have; fits float16
ACTIVATIONS = ("relu", "gelu", "swish")


@dataclasses.dataclass
class Imported:
    """A model of another toolkit, as a format's `read` returns it.

    Attributes:
        path: Path of the file with the parameters, for messages.
        options: Arguments of `Transformer`, without the sizes of the vocabularies.
        parameters: Arrays under the names of `variables`. The rows of vocabularies are in the toolkit's order. Matrices
            are `[inputs, outputs]`, tables `[V, d]`.
        source, target: Vocabularies. They must have the same tokens if there is no `source_embedding`.
        search: Settings of the search.
        notes: What to tell users of what was not read.
    """

    path: Path
    options: dict[str, Any]
    parameters: dict[str, np.ndarray]
    source: Vocabulary
    target: Vocabulary
    search: dict[str, Any] = dataclasses.field(default_factory=dict)
    notes: list[str] = dataclasses.field(default_factory=list)

    @property
    def languages(self) -> Sequence[str]:
        """The languages of a model of several."""
        return tuple(self.source.languages)

    def all_notes(self) -> list[str]:
        """Returns what to tell users, of the vocabularies too."""
        return [*self.notes, *self.source.notes, *self.target.notes]

    def subword_models(self) -> dict[str, bytes]:
        """Makes the SentencePiece models of "source" and "target".

        Raises:
            UserError: A vocabulary has pieces of subwords, but their model is missing.
        """
        sides = {"source": self.source, "target": self.target}
        for side, vocabulary in sides.items():
            if name := vocabulary.missing_subwords():
                advice = f"no model of them: get all files of the model, such as {side}.spm"
                if name != "SentencePiece":
                    advice = "this package runs SentencePiece only: take a model of the toolkit with SentencePiece"
                raise UserError(f"The {side} vocabulary has pieces of {name}, but {advice}. Received: {self.path}")
        return {side: vocabulary.make_model() for side, vocabulary in sides.items()}

    def make_model(self) -> Transformer | LanguageLabelModel:
        """Makes the model with its parameters, with rows in the order of this package's ids.

        A model of several languages is a `LanguageLabelModel` with labels on both sides. All checks are done before the
        weights take memory.

        Raises:
            UserError: The options describe no model, or parameters are missing, unknown, or have another shape.
        """
        # Ids that the toolkit's vocabulary lacks need a bias of their logits, even if the toolkit's model has none.
        if "output_bias" not in self.parameters and -1 in self.target.output_rows:
            table = self.parameters.get("output", self.parameters.get("target_embedding"))
            if table is not None:
                self.parameters["output_bias"] = np.zeros(len(table), "float32")
        options = {**self.options, "logits_bias": "output_bias" in self.parameters}
        check_limits(options)
        for side in ("encoder", "decoder"):  # checked first, because a model of many layers takes long to describe
            last = f"{side}.{options[f'num_{side}_layers']}.norm.scale"
            require(last in self.parameters, f"{self.path} is not a complete model. Missing parameter: {last}")
        try:
            shapes = {
                name: tuple(x.shape) for name, x in variables(without_values(lambda: self._make(options))).items()
            }
        except (ValueError, TypeError) as error:  # also of layers, whose words do not name the file
            raise UserError(f"{self.path} does not describe a valid model. Received: {one_line(error)}") from None
        arrays = {name: self._in_order(name, array) for name, array in self.parameters.items()}
        check_none_left({name: None for name in arrays if name not in shapes}, self.path)
        for name, shape in shapes.items():
            require(name in arrays, f"{self.path} is not a complete model. Missing parameter: {name}")
            if arrays[name].shape != shape:
                raise UserError(f"{self.path}: `{name}` must have the shape {shape}. Received: {arrays[name].shape}")
            if not np.isfinite(arrays[name]).all():
                raise UserError(f"{self.path}: all numbers must be finite. Received: others in {name}")
        model = self._make(options)
        for name, variable in variables(model).items():
            variable.assign(arrays[name])
        return model

    def _make(self, options: Mapping[str, Any]) -> Transformer | LanguageLabelModel:
        size, is_joint = len(self.source.rows), "source_embedding" not in self.parameters
        if not self.source.languages:
            return Transformer(size, None if is_joint else len(self.target.rows), **options, dtype="float32")
        if not is_joint:
            raise ValueError("a model of several languages must have a single table of embeddings")
        sizes = {name: options[name] for name in ("num_encoder_layers", "num_decoder_layers", "hidden_dim", "dropout")}
        return LanguageLabelModel(
            dict.fromkeys(self.source.languages, size),
            encoder="transformer",
            decoder="transformer",
            **sizes,
            tie_output=options["tie_embeddings"],
            transformer={name: x for name, x in options.items() if name not in (*sizes, "tie_embeddings")},
            label_sides="both",
            dtype="float32",
        )

    def choose_languages(self, languages: Sequence[str]) -> None:
        """Keeps only some of the model's languages, in this order.

        Raises:
            UserError: The model does not have a language, a language is given twice, or the model has one direction.
        """
        known = self.source.languages
        if unknown := [language for language in languages if language not in known] or languages[len(set(languages)) :]:
            has = f"has the languages {', '.join(known)}" if known else "has one direction"
            raise UserError(f"The model {has}: give some of these, each once. Received: languages={', '.join(unknown)}")
        self.source = self.target = dataclasses.replace(self.source, languages={x: known[x] for x in languages})

    def _in_order(self, name: str, array: np.ndarray) -> np.ndarray:
        """Returns the array of a parameter; if its rows belong to tokens, in the order of this package's ids."""
        rows, absent = {
            "source_embedding": (self.source.rows, 0.0),
            "target_embedding": (self.target.rows, 0.0),
            "output": (self.target.output_rows, 0.0),
            "output_bias": (self.target.output_rows, NEVER),
        }.get(name, (None, 0.0))
        if rows is None:
            return np.asarray(array, "float32")
        problem = f"{self.path}: `{name}` must have a row for each of the vocabulary's {max(rows) + 1:,} tokens"
        require(array.ndim != 0 and len(array) > max(rows), f"{problem}. Received: shape {array.shape}")
        ordered = np.full((len(rows), *array.shape[1:]), absent, "float32")
        there = np.array(rows) >= 0
        ordered[there] = array[np.array(rows)[there]]
        return ordered.T if name == "output" else ordered


def variables(model: Transformer | LanguageLabelModel) -> dict[str, Any]:
    """Returns the variables of a plain Transformer, or of a `LanguageLabelModel` of Transformers, by neutral names.

    - `source_embedding`, `target_embedding` `[V, d]` (only the latter if the vocabulary is joint); `output` `[d, V]` if
      it is not the table of the target (`[V, d]` in `Imported` and `plain_parameters`); `output_bias` `[V]`
    - `positions` `[M, d]`, if they are learned; `{encoder,decoder}.embedding_norm.{scale,bias}`
    - `{encoder,decoder}.{1, 2, ...}.{self,cross}.{query,key_value,output,norm}.{kernel,bias,scale}`
    - `{encoder,decoder}.{1, 2, ...}.{inner,outer,norm}.{kernel,bias,scale}` of the feed-forward network
    - `{encoder,decoder}.norm.{scale,bias}` at the end of pre-LN stacks
    """
    by_name: dict[str, Any] = {}
    layers = {layer.name: layer for layer in model.layers}
    target = layers.get("embedding") or layers["target_embedding"]
    if "source_embedding" in layers:
        by_name["source_embedding"] = layers["source_embedding"].table.embeddings
    by_name["target_embedding"] = target.table.embeddings
    if not target.tie_weights:
        by_name["output"] = target.table.reverse_embeddings
    if target.logits_bias:
        by_name["output_bias"] = target.bias

    def add(name: str, layer: Any) -> None:
        for kind, attribute in (("kernel", "kernel"), ("bias", "bias"), ("scale", "gamma"), ("bias", "beta")):
            if getattr(layer, attribute, None) is not None:
                by_name[f"{name}.{kind}"] = getattr(layer, attribute)

    for side, language in (("encoder", "source"), ("decoder", "target")):
        stack = layers[side]
        add(f"{side}.embedding_norm", layers.get(f"{language}_embedding_norm"))
        for number, layer in enumerate(stack.layers, 1):
            for site in ("self", "cross")[: 1 + (side == "decoder")]:
                attention, name = getattr(layer, f"{site}_attention"), f"{side}.{number}.{site}"
                add(f"{name}.query", attention.query_projection)
                add(f"{name}.key_value", attention.key_value)
                if attention.use_bias:
                    by_name[f"{name}.key_value.bias"] = attention.key_value_bias
                add(f"{name}.output", attention.output_layer)
                add(f"{name}.norm", getattr(layer, f"{site}_attention_norm"))
            add(f"{side}.{number}.inner", layer.feed_forward.inner)
            add(f"{side}.{number}.outer", layer.feed_forward.outer)
            add(f"{side}.{number}.norm", layer.feed_forward_norm)
        add(f"{side}.norm", stack.final_norm)
    table = getattr(layers.get("positions"), "table", None)
    if table is not None:
        by_name["positions"] = table
    return by_name


def plain_parameters(model: Any, format_: str) -> dict[str, np.ndarray]:
    """Returns the parameters of a model without mechanisms, by neutral names, to write them in a format.

    Raises:
        UserError: The model has something that the format does not support.
    """
    if not isinstance(model, Transformer):
        raise UserError(f"{format_} supports Transformers of one direction only. Received: {type(model).__name__}")
    config = model.get_config()
    for name, is_supported in (
        *((name, config[name] is None) for name in (*MECHANISMS, "num_key_value_heads")),
        ("decoder_self_attention", config["decoder_self_attention"] == "attention"),
        ("norm", config["norm"] in ("pre", "post")),
        ("feed_forward", config["feed_forward"] in ACTIVATIONS),
    ):
        if not is_supported:
            raise UserError(
                f"{format_} does not support this `{name}`: export a SavedModel. Received: {name}={config[name]!r}"
            )
    check_copyable(model)
    arrays = {name: np.asarray(variable, "float32") for name, variable in variables(model).items()}
    return {name: array.T if name == "output" else array for name, array in arrays.items()}


def sinusoids(order: str, offset: int, endpoint: bool) -> LayerSpec:
    """Returns the sinusoidal positions of another toolkit, as the argument `positions` of `Transformer`."""
    return LayerSpec(PositionalEncoding, order=order, offset=offset, endpoint=endpoint)


def encodings(positions: Any, length: int, width: int) -> np.ndarray:
    """Returns the vectors `[length, width]` that a layer of positions adds to embeddings."""
    return np.asarray(positions(np.zeros((1, length, width), "float32")), "float32")[0]


def check_none_left(names: Mapping[str, Any], path: Path) -> None:
    """Raises a `UserError` if parameters of a file are left over."""
    problem = f"{path} must contain only parameters of a `Transformer`"
    require(not names, f"{problem}. Received: {one_line(', '.join(sorted(names)[:5]))[:300]}")


def parts(depths: Mapping[str, int]) -> Iterator[tuple[str, int, str]]:
    """Yields side, number of the layer and name of each part of the layers, with keys and values apart."""
    attention = ("query", "key", "value", "output", "norm")
    for side, depth in depths.items():
        for number in range(1, depth + 1):
            for site in ("self", "cross")[: 1 + (side == "decoder")]:
                yield from ((side, number, f"{site}.{part}") for part in attention)
            yield from ((side, number, part) for part in ("inner", "outer", "norm"))


def join_keys_and_values(parameters: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Joins the matrices and biases of keys and values side by side, for one product."""
    joined = {name: array for name, array in parameters.items() if ".key." not in name and ".value." not in name}
    for name, keys in parameters.items():
        values = parameters.get(name.replace(".key.", ".value."))
        if ".key." in name and values is not None and keys.shape == values.shape:
            joined[name.replace(".key.", ".key_value.")] = np.concatenate([keys, values], axis=-1)
    return joined


def split_keys_and_values(parameters: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Splits the matrices and biases of keys and values: the reverse of `join_keys_and_values`."""
    split: dict[str, np.ndarray] = {}
    for name, array in parameters.items():
        if ".key_value." in name:
            names = (name.replace(".key_value.", f".{part}.") for part in ("key", "value"))
            split |= dict(zip(names, np.split(array, 2, axis=-1), strict=True))
        else:
            split[name] = array
    return split


def in_halves(
    parameters: Mapping[str, np.ndarray], model: Transformer, places: tuple[int, bool], format_: str
) -> dict[str, np.ndarray]:
    """Returns the parameters of an equal model whose sinusoids are in halves. This reorders the neurons of all states.

    Raises a `UserError` if the format does not support the positions of the model: `places` are their offset and
    endpoint in the format.
    """
    positions = next((layer for layer in model.layers if layer.name == "positions"), None)
    if type(positions) is not PositionalEncoding or (positions.offset, positions.endpoint) != places:
        raise UserError(
            f"{format_} does not support these positions: export a SavedModel. Received: "
            f"positions={model.get_config().get('positions', 'sinusoidal')!r}"
        )
    if positions.order == "halves":
        return dict(parameters)
    width = model.get_config()["hidden_dim"]
    order = [*range(0, width, 2), *range(1, width, 2)]
    changed = {}
    for name, array in parameters.items():
        part, _, kind = name.rpartition(".")
        if not part or part.endswith(("output", "outer")) or kind == "scale" or part.endswith("norm"):
            changed[name] = array if name == "output_bias" else array[..., order]  # its outputs are states
        else:
            changed[name] = array[order] if kind == "kernel" else array  # its inputs are states
    return changed


def with_first_head(
    parameters: Mapping[str, np.ndarray], attention: str, head: int, num_heads: int
) -> dict[str, np.ndarray]:
    """Returns the parameters of an attention with its `head`, from 1, as the first one, the only one that can align.

    The outputs are equal, because they are a sum over heads.
    """
    output = parameters[f"{attention}.output.kernel"]
    columns_by_head = np.arange(len(output)).reshape(num_heads, -1)
    columns = np.concatenate([columns_by_head[[head - 1]], np.delete(columns_by_head, head - 1, 0)]).ravel()
    places = {"query": columns, "key_value": np.concatenate([columns, len(columns) + columns])}
    changed = {f"{attention}.output.kernel": output[columns]}
    for name, order in places.items():
        for full in (f"{attention}.{name}.kernel", f"{attention}.{name}.bias"):
            if full in parameters:  # a model may have no biases
                changed[full] = parameters[full][..., order]
    return changed
