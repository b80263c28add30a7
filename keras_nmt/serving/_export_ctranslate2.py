"""Writes a plain Transformer in the format of CTranslate2."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from keras_nmt.errors import UserError, check_positive
from keras_nmt.inference.translator import checked_tokenizers
from keras_nmt.layers import TransformerDecoder, TransformerEncoder
from keras_nmt.models import MultilingualModel, PositionalEncoding, Transformer, TranslationModel
from keras_nmt.models.token_embedding import TokenEmbedding
from keras_nmt.serving._export import check_not_quantized
from keras_nmt.serving._versions import check_version, write_version
from keras_nmt.text import SubwordTokenizer

# Options of a `Transformer` that CTranslate2 cannot compute, in words.
MECHANISMS = {
    "shortcuts": "lexical shortcuts",
    "layer_composition": "composition of layers",
    "head_composition": "composition of heads",
    "roles": "role interaction",
    "feed_forward": "such feed-forward networks",
    "positions": "such positions",
    "num_key_value_heads": "groups of keys and values",
}
WEIGHTS = ("int8", "int16", "float16")


def export_ctranslate2(
    path: str | os.PathLike[str],
    model: TranslationModel | MultilingualModel,
    tokenizers: SubwordTokenizer | Mapping[str, SubwordTokenizer],
    *,
    version: int | None = None,
    quantize: str | None = None,
    positions: int = 1024,
) -> Path:
    """Writes `path/<version>`, a folder that `ctranslate2.Translator` loads, with the subword models beside.

    CTranslate2 is a fast runtime for plain Transformers. It takes and gives subwords: encode a line by
    `source.model`, decode a hypothesis by `target.model`, both with SentencePiece.

    The probabilities are those of the model; the search is that of CTranslate2. Greedy search is the same in both. In
    beam search, CTranslate2 divides log-probabilities by `length ** length_penalty` (keras_nmt by
    `((5 + length) / 6) ** length_penalty`), and finishes a hypothesis only where the end is among the `beam_size`
    likeliest continuations (keras_nmt: `2 * beam_size`).

    Args:
        path: Path of the folder of the model's versions. The folder is created if needed.
        model: `Transformer`, pre-LN or post-LN, without mechanisms.
        tokenizers: Mapping of "source" and "target" to their subwords, or the joint subwords.
        version: Integer, the number of the version. Defaults to one more than the highest in `path`, from 1.
        quantize: "int8", "int16" or "float16" to convert the weights. Defaults to `None`, for float32.
        positions: Integer, the longest source or translation in subwords that the exported model reads. Defaults to
            1024.

    Returns:
        Path of the version's folder: `model.bin`, `config.json`, the vocabularies, `source.model`, `target.model`.

    Raises:
        UserError: The model has something that CTranslate2 lacks; the version exists already; an argument is out of
            range; or ctranslate2 is not installed.

    Example:

        written = export_ctranslate2("ctranslate2_models/mine", model, tokenizers)
        translator = ctranslate2.Translator(str(written))
    """
    path = Path(path)
    check_version(path, version)
    if quantize is not None and quantize not in WEIGHTS:
        raise UserError(f"CTranslate2's weights are {', '.join(WEIGHTS)}. Received: quantize={quantize!r}")
    check_positive(positions=positions)
    try:
        from ctranslate2.specs import TransformerSpec
    except ImportError:
        raise UserError(
            "This format needs the extra `ctranslate2`: pip install 'keras_nmt[ctranslate2]'. "
            "Received: format='ctranslate2'"
        ) from None
    transformer = _plain_transformer(model)
    by_side = checked_tokenizers(transformer, tokenizers)
    config = transformer.get_config()
    counts = config["num_encoder_layers"], config["num_decoder_layers"]
    pre_norm = config["norm"] == "pre"
    spec = TransformerSpec.from_config(counts, config["num_heads"], pre_norm=pre_norm)
    spec.config.add_source_eos = True
    names = ("embedding", "embedding") if _has(transformer, "embedding") else ("source_embedding", "target_embedding")
    source_embedding, target_embedding = map(transformer.get_layer, names)
    spec.encoder.embeddings[0].weight = _numpy(source_embedding.table.embeddings)
    spec.decoder.embeddings.weight = _numpy(target_embedding.table.embeddings)
    spec.decoder.projection.weight = _projection(target_embedding)
    encodings = PositionalEncoding(dtype="float32")(np.zeros((1, positions, config["hidden_dim"]), "float32"))[0]
    for name in ("encoder", "decoder"):
        getattr(spec, name).position_encodings.encodings = _numpy(encodings)
        _copy_stack(getattr(spec, name), transformer.get_layer(name), pre_norm)
    spec.config.layer_norm_epsilon = transformer.get_layer("encoder").layers[0].self_attention_norm.epsilon
    source, target = by_side["source"], by_side["target"]
    spec.register_source_vocabulary(source.pieces(0, source.vocabulary_size))
    spec.register_target_vocabulary(target.pieces(0, target.vocabulary_size))
    spec.validate()
    spec.optimize(quantization=quantize)

    def write(folder: Path) -> None:
        spec.save(str(folder))
        for side, tokenizer in by_side.items():
            tokenizer.save(folder / f"{side}.model")

    return write_version(path, version, write)


def _plain_transformer(model: TranslationModel | MultilingualModel) -> Transformer:
    """The model itself, if CTranslate2 can compute it."""
    if not isinstance(model, Transformer):
        raise UserError(f"CTranslate2 runs Transformers of one direction only. Received: {type(model).__name__}")
    config = model.get_config()
    for name, mechanism in MECHANISMS.items():
        if config.get(name) is not None:  # options of later releases are there only if set
            raise UserError(f"CTranslate2 has no {mechanism}: export a SavedModel. Received: {name}={config[name]!r}")
    if config["norm"] not in ("pre", "post"):
        raise UserError(f"CTranslate2 has no such norms: export a SavedModel. Received: norm={config['norm']!r}")
    check_not_quantized(model)
    return model


def _has(model: Transformer, name: str) -> bool:
    return any(layer.name == name for layer in model.layers)


def _copy_stack(spec: Any, stack: TransformerEncoder | TransformerDecoder, pre_norm: bool) -> None:
    if pre_norm:
        _copy_norm(spec.layer_norm, stack.final_norm)
    for layer_spec, layer in zip(spec.layer, stack.layers, strict=True):
        # Queries, keys and values of the same states are one product.
        attention, linear = layer.self_attention, layer_spec.self_attention.linear
        _copy_product(linear[0], attention.query_projection.kernel, attention.key_value.kernel)
        _copy_product(linear[1], attention.output_layer.kernel)
        _copy_norm(layer_spec.self_attention.layer_norm, layer.self_attention_norm)
        if isinstance(stack, TransformerDecoder):
            attention, linear = layer.cross_attention, layer_spec.attention.linear
            _copy_product(linear[0], attention.query_projection.kernel)
            _copy_product(linear[1], attention.key_value.kernel)
            _copy_product(linear[2], attention.output_layer.kernel)
            _copy_norm(layer_spec.attention.layer_norm, layer.cross_attention_norm)
        for dense_spec, dense in (
            (layer_spec.ffn.linear_0, layer.feed_forward.inner),
            (layer_spec.ffn.linear_1, layer.feed_forward.outer),
        ):
            _copy_product(dense_spec, dense.kernel)
            dense_spec.bias = _numpy(dense.bias)
        _copy_norm(layer_spec.ffn.layer_norm, layer.feed_forward_norm)


def _copy_norm(spec: Any, norm: Any) -> None:
    spec.gamma, spec.beta = _numpy(norm.gamma), _numpy(norm.beta)


def _copy_product(spec: Any, *kernels: Any) -> None:
    """Copies kernels `[inputs, outputs]` side by side; CTranslate2 has `[outputs, inputs]`."""
    spec.weight = np.ascontiguousarray(np.concatenate([_numpy(kernel) for kernel in kernels], axis=1).T)


def _projection(embedding: TokenEmbedding) -> np.ndarray:
    """The table `[V, d]` of the logits."""
    if embedding.tie_weights:
        return _numpy(embedding.table.embeddings)
    return np.ascontiguousarray(_numpy(embedding.table.reverse_embeddings).T)


def _numpy(tensor: Any) -> np.ndarray:
    return np.asarray(tensor, "float32")
