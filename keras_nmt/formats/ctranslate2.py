"""Reads and writes the format of CTranslate2: `model.bin` with its vocabularies."""

from __future__ import annotations

import itertools
import math
import os
import re
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

from keras_nmt.data import SubwordTokenizer
from keras_nmt.data.subword_models import read_subwords
from keras_nmt.errors import UserError, check_choice, check_positive, errors_as, needs_extra, one_line, require
from keras_nmt.files.json_file import JSON_NAMES, read_json
from keras_nmt.formats.parameters import (
    Imported,
    check_none_left,
    encodings,
    plain_parameters,
    sinusoids,
    with_first_head,
)
from keras_nmt.formats.vocabulary import Vocabulary, check_rows, read_tokens
from keras_nmt.inference.load import checked_tokenizers
from keras_nmt.layers.layer_spec import LayerSpec
from keras_nmt.models import LearnedPositions, MultilingualModel, PositionalEncoding, TranslationModel
from keras_nmt.models.translation_model import attention_layer
from keras_nmt.serving._versions import check_version, write_version

WEIGHTS = ("int8", "int16", "float16")
MODEL = "model.bin"
VERSIONS = range(2, 7)
TYPES_BY_SIZE = {4: "<f4", 2: "<i2", 1: "<i1"}  # in files up to version 3
TYPES_BY_NUMBER = dict(enumerate(("<f4", "<i1", "<i2", "<i4", "<f2", ml_dtypes.bfloat16)))
LANGUAGE = re.compile(r"__[a-z]{2,3}__|[a-z]{3}_[A-Z][a-z]{3}|\[?[a-z]{2}_[A-Z]{2}\]?")  # of M2M-100, NLLB and mBART
ACTIVATIONS = {0: "relu", 2: "swish", 3: "gelu"}  # by CTranslate2's numbers
SETTINGS = {  # of `config.json`
    **dict.fromkeys(("add_source_bos", "add_source_eos"), bool),
    **dict.fromkeys(("unk_token", "bos_token", "eos_token", "decoder_start_token"), str),
    "layer_norm_epsilon": float,
}
TOKENS = {"unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>"}  # CTranslate2's defaults
# Settings among the variables of files up to version 5, and their names in `config.json`.
FLAGS = {
    "with_source_bos": "add_source_bos",
    "with_source_eos": "add_source_eos",
    "with_target_bos": None,
    "user_decoder_start_tokens": None,
}
# Switches of features that this package does not have. They must be off.
OFF = ("alibi", "alibi_use_positive_positions", "scale_alibi", "multi_query_attention")
ALIGNMENT = {"alignment_layer": -1, "alignment_heads": 1}  # with CTranslate2's defaults
# Order, offset and endpoint of sinusoids. Files without a table of positions have the first.
SINUSOIDS = [
    ("halves", 1, True),
    ("interleaved", 0, False),
    *[("halves", i, end) for end in (True, False) for i in range(3)],
]
SUBWORDS = {  # names that the SentencePiece models in the model's folder may have
    side: (f"{side}.model", f"{side}.spm", "sentencepiece.model", "spm.model") for side in ("source", "target")
}


def is_there(folder: Path) -> bool:
    """Returns whether a folder holds a model of this format."""
    return (folder / MODEL).is_file()


def read(folder: Path) -> Imported:
    """Reads a Transformer of CTranslate2, with weights of any type.

    Raises:
        UserError: The file is damaged, or contains something that a `Transformer` does not have.
    """
    path = folder / MODEL
    kind, variables = read_variables(path)
    arrays = _float32(variables, path)
    scalars = {name: arrays.pop(name).item() for name, array in list(arrays.items()) if array.ndim == 0}
    config = _config(folder / "config.json") | _settings_in_variables(scalars, arrays, path)
    if config.get("add_source_bos"):
        raise UserError(f"{folder}: the source must not begin with a special token. Received: add_source_bos=True")

    def setting(name: str, default: Any) -> Any:
        values = {scalars.pop(f"{side}/{name}", default) for side in ("encoder", "decoder")}
        require(len(values) <= 1, f"{path}: encoder and decoder must have the same {name}. Received: {sorted(values)}")
        return values.pop()

    activation, scale = setting("activation", 0), setting("scale_embeddings", 1)
    require(activation in ACTIVATIONS, f"{path}: the activation must be one of {ACTIVATIONS}. Received: {activation}")
    options: dict[str, Any] = {
        # Files of version 2 do not have this setting: the name of the specification says it.
        "num_heads": setting("num_heads", 16 if kind == "TransformerBig" else 8),
        "norm": "pre" if setting("pre_norm", 1) else "post",
        "feed_forward": ACTIVATIONS[activation],
        "norm_epsilon": config.get("layer_norm_epsilon", 1e-5),
    }
    heads = options["num_heads"]
    require(type(heads) is int, f"{path}: {{num_heads}} must be an integer", num_heads=heads)
    from_zero = bool(scalars.pop("decoder/start_from_zero_embedding", 0))
    # Only Marian's decoders start from zeros. Its encoders always read the end, which some converters do not say.
    options["source_end"] = config.get("add_source_eos", False) or from_zero
    layer, heads = (scalars.pop(f"decoder/{name}", default) for name, default in ALIGNMENT.items())
    scalars = {name: value for name, value in scalars.items() if not name.endswith("/embeddings_merge")}  # of one table
    for side, name in itertools.product(("encoder", "decoder"), OFF):
        if not scalars.get(f"{side}/{name}"):
            scalars.pop(f"{side}/{name}", None)
            arrays.pop(f"{side}/{name}", None)
    check_none_left(scalars, path)
    parameters: dict[str, np.ndarray] = {}
    depths = {side: _depth(arrays, side) for side in ("encoder", "decoder")}
    aligning, notes = _alignment_options(layer, heads, depths["decoder"], options["num_heads"])
    options |= aligning
    for side, depth in depths.items():
        for ours, theirs, kind in _parts(side, depth):
            _take(arrays, parameters, ours, theirs, kind, path)
    source = arrays.pop("encoder/embeddings/weight", None)
    source = arrays.pop("encoder/embeddings_0/weight", None) if source is None else source
    target = arrays.pop("decoder/embeddings/weight", None)
    if source is None or target is None or target.ndim != 2 or not target.size:
        raise UserError(f"{path} is not a complete model. Missing parameter: embeddings")
    output = arrays.pop("decoder/projection/weight", target)
    parameters["target_embedding"] = target
    options["tie_embeddings"] = np.array_equal(output, target)
    if not options["tie_embeddings"]:
        parameters["output"] = output
    is_joint = _vocabulary_path(folder, "shared") is not None and np.array_equal(source, target)
    if not (is_joint and options["tie_embeddings"]):
        parameters["source_embedding"] = source
    if "decoder/projection/bias" in arrays:
        parameters["output_bias"] = arrays.pop("decoder/projection/bias")
    width = target.shape[1]
    options["scale_embeddings"] = _is_scaled(scale, width, path)
    options["positions"] = _positions(arrays, parameters, width, path)
    options |= {
        "hidden_dim": width,
        "intermediate_dim": parameters.get("encoder.1.inner.kernel", np.zeros(0)).shape[-1],
        "embedding_norm": "encoder.embedding_norm.scale" in parameters,
        "attention_bias": "encoder.1.self.query.bias" in parameters,
        **{f"num_{side}_layers": depth for side, depth in depths.items()},
    }
    check_none_left(arrays, path)
    vocabularies = _vocabularies(folder, config, len(source), len(target), from_zero)
    return Imported(path, options, parameters, vocabularies[0], vocabularies[1], notes=notes)


def _config(path: Path) -> dict[str, Any]:
    """Reads the configuration, if there is one, without settings that are null, and checks them."""
    contents = read_json(path, "the configuration") if path.is_file() else {}
    config = {name: value for name, value in contents.items() if value is not None}
    if "decoder_start_token" in contents and "decoder_start_token" not in config:  # a token that the user chooses
        raise UserError(f"{path}: translations must all begin alike. Received: decoder_start_token=null")
    for name, type_ in SETTINGS.items():
        value = config.get(name)
        is_right = value is None or isinstance(value, (int, float) if type_ is float else type_)
        require(is_right, f"{path}: {{{name}}} must be {JSON_NAMES[type_]}", **{name: value})
    epsilon = config.get("layer_norm_epsilon", 1e-5)
    problem = f"{path}: {{layer_norm_epsilon}} must be between 0 and 1"
    require(0 < epsilon < 1, problem, layer_norm_epsilon=epsilon)
    return config


def _settings_in_variables(scalars: dict[str, Any], arrays: dict[str, np.ndarray], path: Path) -> dict[str, Any]:
    """Takes the settings out of the variables, which have them up to version 5, and returns them as in `config.json`.

    Raises:
        UserError: Each translation begins with a token that the user chooses.
    """
    flags = {name: bool(scalars.pop(name)) for name in FLAGS if name in scalars}
    tokens = {
        name: arrays.pop(name).astype("i1").tobytes().decode(errors="backslashreplace")
        for name in TOKENS
        if name in arrays
    }
    if flags.get("user_decoder_start_tokens"):
        raise UserError(f"{path}: translations must all begin alike. Received: user_decoder_start_tokens=True")
    settings: dict[str, Any] = {new: flags[old] for old, new in FLAGS.items() if new is not None and old in flags}
    if "with_target_bos" in flags:
        name = "bos_token" if flags["with_target_bos"] else "eos_token"
        settings["decoder_start_token"] = tokens.get(name, TOKENS[name])
    return settings | tokens


def read_variables(path: Path) -> tuple[str, dict[str, np.ndarray]]:
    """Reads `model.bin`, versions 2 to 6: the name of the specification, such as "TransformerSpec", and the variables.

    Variables are as they are stored, except that bfloat16 becomes float32. An alias has the same array.

    Raises:
        UserError: The file is damaged or has another version.
    """
    with errors_as(f"{path} is damaged", struct.error, ValueError, KeyError, OverflowError):
        return _variables(path)


def _variables(path: Path) -> tuple[str, dict[str, np.ndarray]]:
    """Reads the file; damage shows in other errors than a `UserError`."""
    content = np.memmap(path, mode="r", dtype=np.uint8)
    place = 0

    def take(count: int) -> np.ndarray:
        nonlocal place
        place += count
        return content[place - count : place]

    def number(kind: str) -> int:
        value: int = struct.unpack(f"<{kind}", take(struct.calcsize(f"<{kind}")).tobytes())[0]
        return value

    def text() -> str:
        return one_line(take(number("H")).tobytes().rstrip(b"\0").decode(errors="backslashreplace"))

    version = number("I")
    problem = f"{path} must be a CTranslate2 model of version {VERSIONS[0]} to {VERSIONS[-1]}"
    require(version in VERSIONS, problem, version=version)
    kind, _ = text(), number("I")
    is_known = kind.startswith("Transformer") and not kind.startswith("TransformerDecoder")
    require(is_known, f"{path} must be a model of CTranslate2's `TransformerSpec`. Received: {kind[:100]}")
    variables: dict[str, np.ndarray] = {}
    types = TYPES_BY_NUMBER if version >= 4 else TYPES_BY_SIZE
    for _ in range(number("I")):
        name, rank = text(), number("B")
        shape = [number("I") for _ in range(rank)]
        code = number("B")
        array = np.frombuffer(take(number("I") * (1 if version >= 4 else code)), types[code]).reshape(shape)
        variables[name] = array if array.dtype != ml_dtypes.bfloat16 else array.astype("float32")
    for _ in range(number("I") if version >= 3 else 0):
        alias, name = text(), text()
        variables[alias] = variables[name]
        if f"{name}_scale" in variables:
            variables[f"{alias}_scale"] = variables[f"{name}_scale"]
    if place != len(content):
        raise ValueError(f"{len(content):,} bytes instead of {place:,}")
    return kind, variables


def _float32(arrays: Mapping[str, np.ndarray], path: Path) -> dict[str, np.ndarray]:
    """Returns the arrays in float32. Integers are divided by their scales, one for all rows or one for each row."""
    result = {}
    for name, array in arrays.items():
        if name.endswith("_scale") and name.removesuffix("_scale") in arrays:
            continue
        if array.ndim and array.dtype.kind == "i" and name.endswith("/weight"):
            scale = arrays.get(f"{name}_scale")
            if scale is None or scale.size not in (1, len(array)) or not np.all(scale):
                raise UserError(f"{path}: integer weights must have a nonzero scale for each row. Received: {name}")
            array = array / np.asarray(scale, "float32").reshape(-1, *[1] * (array.ndim - 1))
        result[name] = np.asarray(array, "float32") if array.ndim else array
    return result


def _depth(arrays: Mapping[str, np.ndarray], side: str) -> int:
    return next(i for i in itertools.count() if f"{side}/layer_{i}/ffn/linear_0/weight" not in arrays)


def _parts(side: str, depth: int) -> Iterator[tuple[str, str, str]]:
    """Yields the parts of a stack: our name, CTranslate2's name, and the kind of part."""
    for layer in range(depth):
        ours, theirs = f"{side}.{layer + 1}", f"{side}/layer_{layer}"
        yield f"{ours}.self", f"{theirs}/self_attention/linear_0", "query_key_value"
        yield f"{ours}.self.output", f"{theirs}/self_attention/linear_1", "product"
        yield f"{ours}.self.norm", f"{theirs}/self_attention/layer_norm", "norm"
        if side == "decoder":
            for number, name in enumerate(("query", "key_value", "output")):
                yield f"{ours}.cross.{name}", f"{theirs}/attention/linear_{number}", "product"
            yield f"{ours}.cross.norm", f"{theirs}/attention/layer_norm", "norm"
        yield f"{ours}.inner", f"{theirs}/ffn/linear_0", "product"
        yield f"{ours}.outer", f"{theirs}/ffn/linear_1", "product"
        yield f"{ours}.norm", f"{theirs}/ffn/layer_norm", "norm"
    yield f"{side}.norm", f"{side}/layer_norm", "norm"
    yield f"{side}.embedding_norm", f"{side}/layernorm_embedding", "norm"


def _kinds(kind: str) -> tuple[tuple[str, str], ...]:
    """Returns the names of the arrays of a part: ours and CTranslate2's."""
    return (("scale", "gamma"), ("bias", "beta")) if kind == "norm" else (("kernel", "weight"), ("bias", "bias"))


def _take(
    arrays: dict[str, np.ndarray], parameters: dict[str, np.ndarray], ours: str, theirs: str, kind: str, path: Path
) -> None:
    """Moves the arrays of a part to `parameters`, under our names, with matrices `[inputs, outputs]`."""
    for name, their_name in _kinds(kind):
        if f"{theirs}/{their_name}" not in arrays:
            continue
        array = arrays.pop(f"{theirs}/{their_name}").T
        if kind != "query_key_value":
            parameters[f"{ours}.{name}"] = array
        elif array.ndim not in (1, 2) or array.shape[-1] % 3:
            raise UserError(
                f"{path}: `{theirs}` must hold queries, keys and values. Received: shape {array.shape[::-1]}"
            )
        else:
            width = array.shape[-1] // 3
            parameters[f"{ours}.query.{name}"] = array[..., :width]
            parameters[f"{ours}.key_value.{name}"] = array[..., width:]


def _is_scaled(scale: float, width: int, path: Path) -> bool:
    """Returns whether embeddings are multiplied by sqrt(width), from a flag, an integer, or the factor itself."""
    if isinstance(scale, int):
        return bool(scale)
    if scale == 1:
        return False
    if math.isclose(scale, width**0.5, rel_tol=1e-5):
        return True
    raise UserError(f"{path}: the scale of embeddings must be sqrt({width}) or 1. Received: {scale}")


def _positions(arrays: dict[str, np.ndarray], parameters: dict[str, np.ndarray], width: int, path: Path) -> LayerSpec:
    """Returns the positions of the embeddings: sinusoids if the table holds sinusoids, otherwise learned positions."""
    source, target = (arrays.pop(f"{side}/position_encodings/encodings", None) for side in ("encoder", "decoder"))
    if source is None and target is None:
        return sinusoids(*SINUSOIDS[0])
    if source is None or target is None or source.ndim != 2 or not np.array_equal(source, target):
        raise UserError(f"{path}: encoder and decoder must have the same table of positions.")
    # Numbers of bfloat16 are inexact from the third digit on.
    for order, offset, endpoint in SINUSOIDS if source.shape[1] == width else ():
        if np.allclose(encodings(PositionalEncoding(order, offset, endpoint), *source.shape), source, atol=5e-3):
            return sinusoids(order, offset, endpoint)
    parameters["positions"] = source
    return LayerSpec(LearnedPositions, max_length=len(source))


def _vocabulary_path(folder: Path, name: str) -> Path | None:
    paths = (folder / f"{name}_vocabulary.{suffix}" for suffix in ("json", "txt"))
    return next((path for path in paths if path.is_file()), None)


def _vocabularies(
    folder: Path, config: Mapping[str, Any], source_rows: int, target_rows: int, from_zero: bool
) -> list[Vocabulary]:
    vocabularies = []
    for side, rows in (("source", source_rows), ("target", target_rows)):
        path = _vocabulary_path(folder, side) or _vocabulary_path(folder, "shared")
        if path is None:
            raise UserError(f"Missing vocabulary: {folder / f'{side}_vocabulary.json'}")
        tokens = read_tokens(path)
        unknown, bos, end = (config.get(name, token) for name, token in TOKENS.items())
        if len(tokens) == rows - 1 and unknown not in tokens:
            tokens = [*tokens, unknown]  # as CTranslate2 does
        check_rows(tokens, rows, path)
        ids = {token: i for i, token in enumerate(tokens)}
        if len(ids) < len(tokens):
            double = next(token for i, token in enumerate(tokens) if ids[token] != i)
            raise UserError(f"{path} must contain each token once. Received twice: {one_line(double)[:100]}")
        require(end in ids, f"{path} must contain the end of a sentence. Missing token: {end}")
        # Converters of multilingual models set no start, or the end, and expect the language as a prefix.
        if languages := [token for token in tokens if LANGUAGE.fullmatch(token)]:
            raise UserError(
                f"{path} must be of a model of one direction: import the model of Hugging Face instead. "
                f"Received: {len(languages)} language(s), such as {languages[0]}"
            )
        start = config.get("decoder_start_token", bos)
        begin = None if from_zero else ids.get(start)
        if side == "target" and not from_zero and begin is None:
            raise UserError(f"{path} must contain the token that begins a translation. Missing token: {start[:100]}")
        pad = next((ids[token] for token in ("<pad>", "<blank>") if token in ids and ids[token] != begin), None)
        model = next((folder / name for name in SUBWORDS[side] if (folder / name).is_file()), None)
        proto = None if model is None else read_subwords(model)
        vocabularies.append(Vocabulary(tokens, pad, ids.get(unknown), begin, ids[end], proto))
    return vocabularies


def export_ctranslate2(
    path: str | os.PathLike[str],
    model: TranslationModel | MultilingualModel,
    tokenizers: SubwordTokenizer | Mapping[str, SubwordTokenizer],
    *,
    version: int | None = None,
    quantize: str | None = None,
    positions: int = 1024,
) -> Path:
    """Writes `path/<version>`, a folder that `ctranslate2.Translator` loads, which also has the subword models.

    CTranslate2 is a fast runtime for plain Transformers. Its input and output are subwords: encode a line with
    `source.model`, and decode a hypothesis with `target.model`, both by SentencePiece.

    The probabilities are those of the model, but the search is that of CTranslate2. Greedy search is the same in both.
    Its beam search is that of keras_nmt with `length_penalty_form="power"` and `patience=1`.

    Args:
        path: Path of the folder of the model's versions. The folder is created if needed.
        model: `Transformer`, pre-LN or post-LN, without mechanisms.
        tokenizers: Mapping of "source" and "target" to their subwords, or the joint subwords.
        version: Integer, the number of the version. Defaults to one more than the highest in `path`, from 1.
        quantize: "int8", "int16" or "float16" to convert the weights. Defaults to None: float32.
        positions: Integer, the largest number of subwords of a source or a translation that the exported model
            supports. Defaults to 1024.

    Returns:
        Path of the version's folder, with `model.bin`, `config.json`, the vocabularies, `source.model` and
        `target.model`.

    Raises:
        UserError: The model has something that CTranslate2 does not support, the version already exists, an argument is
            out of range, or ctranslate2 is not installed.

    Example:

        written = export_ctranslate2("ctranslate2_models/mine", model, tokenizers)
        translator = ctranslate2.Translator(str(written))
    """
    path = Path(path)
    check_version(path, version)
    check_choice("quantize", quantize, (None, *WEIGHTS))
    check_positive(positions=positions)
    with needs_extra("the format", "ctranslate2"):
        from ctranslate2.specs import TransformerSpec
    parameters = plain_parameters(model, "CTranslate2")
    by_side = checked_tokenizers(model, tokenizers)
    config, layers = model.get_config(), {layer.name: layer for layer in model.layers}
    # Another layer may do more than add a vector that depends on the position alone.
    is_known = type(layers.get("positions")) in (PositionalEncoding, LearnedPositions)
    problem = "CTranslate2 does not support these positions: export a SavedModel"
    require(is_known, problem, positions=config["positions"])
    depths = {side: config[f"num_{side}_layers"] for side in ("encoder", "decoder")}
    activation = config["feed_forward"]
    aligning = _alignment(config, depths["decoder"])
    if config["alignment_head"] is not None:
        attention = f"decoder.{aligning['alignment_layer'] + 1}.cross"
        parameters |= with_first_head(parameters, attention, config["alignment_head"], config["num_heads"])
    spec = TransformerSpec.from_config(
        tuple(depths.values()),
        config["num_heads"],
        pre_norm=config["norm"] == "pre",
        activation=next(number for number, name in ACTIVATIONS.items() if name == activation),
        layernorm_embedding=config["embedding_norm"],
        **aligning,
    )
    spec.config.add_source_eos = config["source_end"]
    spec.config.layer_norm_epsilon = config["norm_epsilon"]
    target = parameters["target_embedding"]
    spec.encoder.embeddings[0].weight = parameters.get("source_embedding", target)
    spec.decoder.embeddings.weight = target
    spec.decoder.projection.weight = np.ascontiguousarray(parameters.get("output", target))
    if "output_bias" in parameters:
        spec.decoder.projection.bias = parameters["output_bias"]
    table = encodings(layers["positions"], positions, config["hidden_dim"])
    for side, depth in depths.items():
        stack = getattr(spec, side)
        stack.position_encodings.encodings = table
        stack.scale_embeddings = config["scale_embeddings"]
        for ours, theirs, kind in _parts(side, depth):
            for name, their_name in _kinds(kind):
                names = (
                    (f"{ours}.query.{name}", f"{ours}.key_value.{name}")
                    if kind == "query_key_value"
                    else (f"{ours}.{name}",)
                )
                if names[0] in parameters:
                    array = np.concatenate([parameters[name] for name in names], axis=-1)
                    setattr(_part(spec, theirs), their_name, np.ascontiguousarray(array.T))
    spec.register_source_vocabulary(by_side["source"].pieces())
    spec.register_target_vocabulary(by_side["target"].pieces())
    spec.validate()
    spec.optimize(quantization=quantize)

    def write(folder: Path) -> None:
        spec.save(str(folder))
        for side, tokenizer in by_side.items():
            tokenizer.save(folder / f"{side}.model")

    return write_version(path, version, write)


def _part(spec: Any, name: str) -> Any:
    """Returns the part of a specification by its name, such as "encoder/layer_0/ffn/linear_0"."""
    for step in name.split("/"):
        listed, _, number = step.rpartition("_")
        spec = getattr(spec, step) if hasattr(spec, step) else getattr(spec, listed)[int(number)]
    return spec


def _alignment(config: Mapping[str, Any], num_layers: int) -> dict[str, int]:
    """Returns the layer that aligns words in CTranslate2, from 0, and how many of its first heads are averaged."""
    heads = config["num_heads"] if config["alignment_head"] is None else 1
    return {"alignment_layer": attention_layer(config["alignment_layer"], num_layers) - 1, "alignment_heads": heads}


def _alignment_options(layer: int, heads: int, num_layers: int, num_heads: int) -> tuple[dict[str, int], list[str]]:
    """Returns the options of `Transformer` for the layer and the number of first heads that align, and what is lost."""
    chosen = layer + 1 + num_layers * (layer < 0)
    if not 1 <= chosen <= num_layers:
        return {}, [f"The layer that aligns words is unknown: the last but one does. Received: alignment_layer={layer}"]
    options = {} if chosen == attention_layer(None, num_layers) else {"alignment_layer": chosen}
    if heads == 1 < num_heads:
        options["alignment_head"] = 1
    notes = [f"Words are aligned by the mean over all {num_heads} heads, not over the first {heads}."]
    return options, notes * (1 < heads < num_heads)
