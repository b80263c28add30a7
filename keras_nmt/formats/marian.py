"""Reads and writes the format of Marian: `model.npz` with its vocabularies, in a folder or in a zip of OPUS-MT."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import re
import tempfile
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from keras_nmt.data import SubwordTokenizer
from keras_nmt.data.subword_models import read_subwords
from keras_nmt.errors import UserError, errors_as, needs_extra, one_line, require
from keras_nmt.files.atomic_files import atomic_folder, write_bytes, write_text
from keras_nmt.files.model_config import check_limits
from keras_nmt.formats.array_files import open_zip, read_npz, write_npz
from keras_nmt.formats.exported_search import exported_search
from keras_nmt.formats.parameters import (
    Imported,
    check_none_left,
    in_halves,
    join_keys_and_values,
    parts,
    plain_parameters,
    sinusoids,
    split_keys_and_values,
    with_first_head,
)
from keras_nmt.formats.vocabulary import MAX_BYTES, Vocabulary, check_rows, parse_subwords, tokens_of_ids
from keras_nmt.ids import BOS
from keras_nmt.inference.load import checked_tokenizers
from keras_nmt.models import TranslationModel
from keras_nmt.models.translation_model import attention_layer

SETTINGS = "special:model.yml"  # the array that holds the settings of the model
PLACES = (0, True)  # offset and endpoint of Marian's sinusoids
EPSILON = 1e-6  # of Marian's norms
LARGEST_EPSILON = 1e-5  # of norms whose states Marian's norms change hardly
# The values that settings must have so that the model is a `Transformer`. The first of each are the defaults.
NEEDED: dict[str, tuple[Any, ...]] = {
    "type": ("transformer",),
    "transformer-decoder-autoreg": ("self-attention",),
    "transformer-ffn-activation": ("swish", "relu"),
    "transformer-ffn-depth": ("2",),
    "transformer-decoder-ffn-depth": ("0", "2"),
    "transformer-tied-layers": ([],),
    "transformer-attention-mask": ("default",),
    "input-types": ([], ["sequence", "sequence"]),
    "lemma-dim-emb": ("0",),
    "lemma-dependency": ("",),
    **dict.fromkeys(
        (
            "transformer-disable-position-embeddings",
            "transformer-no-affine",
            "transformer-no-bias",
            "transformer-no-projection",
            "transformer-pool",
            "transformer-rnn-projection",
            "transformer-train-position-embeddings",
            "right-left",
            "ulr",
        ),
        ("false",),
    ),
}
ALIGNING = "transformer-guided-alignment-layer"  # whose first head aligns words
SITES = {"self": "self", "cross": "context", "": "ffn"}
LETTERS = {"query": "q", "key": "k", "value": "v", "output": "o", "inner": "1", "outer": "2"}
BIAS, OUTPUT = "decoder_ff_logit_out_b", "decoder_ff_logit_out_W"  # untied output `[d, V]`; with suffix "t" `[V, d]`
NO_TEXT = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")  # characters that YAML escapes, other than JSON


def is_there(path: Path) -> bool:
    """Returns whether a path is a folder, a zip or an npz file with a model of this format."""
    if path.is_dir():
        return any(path.glob("*.npz"))
    return path.is_file() and zipfile.is_zipfile(path)


def read(path: Path) -> Imported:
    """Reads a Transformer of Marian from a folder, an `.npz` file with the other files beside it, or a zip of OPUS-MT.

    Raises:
        UserError: The model has something that a `Transformer` does not have, or a file is missing or damaged.
    """
    if path.is_dir() or path.suffix == ".npz":
        return _read(path)
    with tempfile.TemporaryDirectory() as folder:
        _unpack(path, Path(folder))
        try:
            imported = _read(Path(folder))
        except UserError as error:
            raise UserError(str(error).replace(folder, str(path))) from None
        return dataclasses.replace(imported, path=path / imported.path.name)


def _read(path: Path) -> Imported:
    folder = path if path.is_dir() else path.parent
    _check_programs(x.name for x in folder.iterdir())
    path, decoder = _model_path(path)
    arrays = read_npz(path)
    yaml_array = arrays.pop(SETTINGS, None)
    if yaml_array is None:
        raise UserError(f"{path} is not a model of Marian. Missing settings: {SETTINGS}")
    settings = _read_yaml(f"{path}: {SETTINGS}", yaml_array.tobytes().split(b"\0")[0])
    options = _options(settings, path)
    depths = {side: options[f"num_{side}_layers"] for side in ("encoder", "decoder")}
    parameters = {}
    for ours, theirs in _names(depths).items():
        if theirs in arrays:
            array = arrays.pop(theirs)
            parameters[ours] = array if ours.endswith("kernel") else _vector(array)
    tied = {kind for kind in ("all", "src", "") if settings.get(f"tied-embeddings-{kind}".rstrip("-")) == "true"}
    is_shared = not tied.isdisjoint({"all", "src"})
    options["tie_embeddings"] = not tied.isdisjoint({"all", ""})
    names = dict.fromkeys(depths, "Wemb") if is_shared else {side: f"{side}_Wemb" for side in depths}
    for name in names.values():
        require(name in arrays, f"{path} is not a complete model. Missing parameter: {name}")
    source, target = (arrays[names[side]] for side in depths)
    arrays = {name: array for name, array in arrays.items() if name not in names.values()}
    parameters["target_embedding"] = target
    if not options["tie_embeddings"]:
        if f"{OUTPUT}t" in arrays:
            parameters["output"] = arrays.pop(f"{OUTPUT}t")
        elif OUTPUT in arrays:
            parameters["output"] = arrays.pop(OUTPUT).T
    if BIAS in arrays:
        parameters["output_bias"] = _vector(arrays.pop(BIAS))
    check_none_left(arrays, path)
    vocabularies = _vocabularies(folder, path, decoder, [len(source), len(target)])
    is_joint = is_shared and options["tie_embeddings"] and vocabularies[0].tokens == vocabularies[1].tokens
    if not is_joint:
        parameters["source_embedding"] = source
    # Marian ends a translation after so many subwords for each of the source, whose end counts.
    factor = decoder.get("max-length-factor", "3")
    is_number = re.fullmatch(r"\d{1,3}(\.\d+)?", str(factor))
    problem = f"{folder}: `max-length-factor` of the search settings must be a number below 1,000"
    require(is_number, problem, **{"max-length-factor": factor})
    beam, penalty = decoder.get("beam-size", "12"), decoder.get("normalize", "0")  # the defaults of Marian
    is_size = isinstance(beam, str) and beam.isdecimal() and len(beam) < 10 and int(beam)
    problem = f"{folder}: `beam-size` of the search settings must be a positive integer"
    require(is_size, problem, **{"beam-size": beam})
    problem = f"{folder}: `normalize` of the search settings must be a number from 0 to 10"
    require(re.fullmatch(r"\d(\.\d+)?|10", str(penalty)), problem, normalize=penalty)
    search: dict[str, Any] = dict.fromkeys(("max_length_factor", "max_length_offset"), math.ceil(float(factor)))
    # The end counts in both lengths.
    search |= {"beam_size": int(beam), "length_penalty": float(penalty), "length_penalty_form": "power"}
    reward = one_line(decoder.get("word-penalty", "0"))[:100]
    notes = [f"The search has no `word-penalty`. Received: {folder}, word-penalty={reward}"]
    notes *= re.fullmatch(r"0(\.0+)?", reward) is None
    return Imported(path, options, join_keys_and_values(parameters), vocabularies[0], vocabularies[1], search, notes)


def _vector(array: np.ndarray) -> np.ndarray:
    """Returns a vector, which Marian stores as a matrix of one row."""
    return array[0] if array.ndim == 2 and len(array) == 1 else array


def _options(settings: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """Maps settings to arguments of `Transformer`."""
    for name, values in NEEDED.items():
        value, wanted = settings.get(name, values[0]), " or ".join(str(x or "none") for x in values)
        require(value in values, f"{path}: `{name}` must be {wanted} for a `Transformer`", **{name: value})

    def number(name: str, default: str | None = None) -> int:
        value: Any = settings.get(name, default)
        is_number = isinstance(value, str) and value.isdecimal() and len(value) < 10
        require(is_number, f"{path}: `{name}` must be an integer", **{name: value})
        return int(value)

    # What Marian does after the embeddings, before and after each sub-layer, and after each stack, except dropout (d).
    defaults = {"postprocess-emb": "d", "preprocess": "", "postprocess": "dan", "postprocess-top": ""}
    steps = {name: str(settings.get(f"transformer-{name}", value)) for name, value in defaults.items()}
    embeddings, before, after, top = (value.replace("d", "") for value in steps.values())
    # Before a sub-layer, Marian normalises the queries of an attention, but not its keys and values.
    is_post = embeddings in ("", "n") and (before, after, top) == ("", "an", "")
    problem = f"{path}: norms must stand after each sub-layer (`transformer-postprocess` dan), not before"
    require(is_post, problem, **steps)
    # Before version 1.11, decoders had the inner width of encoders, which 0 stands for.
    inner = [number("transformer-dim-ffn"), number("transformer-decoder-dim-ffn", "0")]
    require(inner[1] in (0, inner[0]), f"{path}: encoder and decoder must have the same inner width. Received: {inner}")
    options = {
        "num_encoder_layers": number("enc-depth"),
        "num_decoder_layers": number("dec-depth"),
        "hidden_dim": number("dim-emb"),
        "num_heads": number("transformer-heads"),
        "intermediate_dim": inner[0],
        "norm": "post",
        "norm_epsilon": EPSILON,
        "feed_forward": settings.get("transformer-ffn-activation", "swish"),
        "positions": sinusoids("halves", *PLACES),
        "attention_bias": True,
        "embedding_norm": bool(embeddings),
    }
    if settings.get(ALIGNING, "last") != "last":  # which all models have, also such as were not trained to align
        options |= {"alignment_layer": number(ALIGNING), "alignment_head": 1}
    check_limits(options)
    return options


def _names(depths: Mapping[str, int]) -> dict[str, str]:
    """Maps our names of the parameters of the stacks to Marian's."""
    names: dict[str, str] = {}
    norms = {f"{side}.embedding_norm": f"{side}_emb_ln_%s_pre" for side in depths}
    for side, number, part in parts(depths):
        ours, (site, _, piece) = f"{side}.{number}.{part}", part.rpartition(".")
        theirs = f"{side}_l{number}_{SITES[site]}"
        if piece == "norm":
            norms[ours] = f"{theirs}_{'Wo' if site else 'ffn'}_ln_%s"
        else:
            names |= {f"{ours}.{name}": f"{theirs}_{x}{LETTERS[piece]}" for name, x in (("kernel", "W"), ("bias", "b"))}
    return names | {f"{ours}.{x}": theirs % x for ours, theirs in norms.items() for x in ("scale", "bias")}


def _model_path(path: Path) -> tuple[Path, dict[str, Any]]:
    """Returns the file of the model, and the settings of its search, if there are any."""
    folder = path if path.is_dir() else path.parent
    if path.is_dir():
        named = [x for x in (folder / "decoder.yml", folder / "model.npz.decoder.yml") if x.is_file()]
        models = _read_yaml(named[0]).get("models", []) if named else []
        is_one = not isinstance(models, str) and len(models) <= 1
        require(is_one, f"{folder}: decoder.yml must name one model; give the file of one instead", models=models)
        paths = [folder / PurePosixPath(models[0]).name] if models else [folder / "model.npz"]
        if models and not paths[0].is_file():
            raise UserError(f"Missing model, which {named[0]} names: {paths[0]}. Give the file of one instead.")
        if not paths[0].is_file():
            paths = [x for x in folder.glob("*.npz") if not x.name.endswith(".optimizer.npz")]
        problem = f"{folder} must contain one model; give the file of one instead"
        require(len(paths) == 1, problem, models=sorted(x.name for x in paths))
        path = paths[0]
    for decoder in (path.with_name(f"{path.name}.decoder.yml"), folder / "decoder.yml"):
        if decoder.is_file():
            return path, _read_yaml(decoder)
    return path, {}


def _vocabularies(folder: Path, path: Path, decoder: Mapping[str, Any], sizes: list[int]) -> list[Vocabulary]:
    """Reads the vocabularies of source and target: those named by the search settings, or those in the folder."""
    names = decoder.get("vocabs", [])
    named = [folder / PurePosixPath(name).name for name in ([names] if isinstance(names, str) else names)]
    if not named:
        paths = {x for kind in ("yml", "spm", "json") for x in folder.glob(f"*vocab*.{kind}")}
        named = sorted(paths) * 2 if len(paths) == 1 else sorted(paths)
        if len(paths) != 1:
            raise UserError(
                f"{folder} must contain one vocabulary, such as vocab.yml, or `vocabs` in decoder.yml must name those "
                f"of source and target. Received: {[x.name for x in named]}"
            )
    require(len(named) == 2, f"{path} must have two vocabularies. Received: {[x.name for x in named]}")
    for file in named:
        require(file.is_file(), f"Missing vocabulary, which the search settings name: {file}")
    vocabularies = []
    for side, name, size in zip(("source", "target"), named, sizes, strict=True):
        model = name if name.suffix == ".spm" else folder / f"{side}.spm"
        proto = read_subwords(model) if model.is_file() or model == name else None
        if model == name:
            tokens = [piece.piece for piece in parse_subwords(proto or b"", name).pieces]
        else:
            tokens = tokens_of_ids(_token_ids(name), name)
        check_rows(tokens, size, name)
        require("</s>" in tokens, f"{name} must contain the end of a sentence. Missing token: </s>")
        unknown = tokens.index("<unk>") if "<unk>" in tokens else None
        # No token begins a translation: Marian's decoder begins with zeros.
        vocabularies.append(Vocabulary(tokens, None, unknown, None, tokens.index("</s>"), proto))
    return vocabularies


def _token_ids(path: Path) -> dict[str, int]:
    ids = {token: str(value) for token, value in _read_yaml(path).items()}
    if wrong := [token for token, value in ids.items() if not (value.isdecimal() and len(value) < 10)]:
        raise UserError(f"{path} must have an id for each token. Received: {one_line(wrong[0])[:100]}: {ids[wrong[0]]}")
    return {token: int(value) for token, value in ids.items()}


def _check_programs(names: Iterable[str]) -> None:
    """Raises a `UserError` if a model's files are of other programs that its `preprocess.sh` runs on texts."""
    if programs := sorted(name for name in names if name.endswith((".bpe", ".tcmodel"))):
        raise UserError(
            "This model reads text that its preprocess.sh has segmented by subword-nmt, or truecased by Moses: take a "
            f"later model, with source.spm. Received: {', '.join(programs)}"
        )


def _unpack(path: Path, folder: Path) -> None:
    """Unpacks the files of a model from a zip to a folder, by their names without folders."""
    with open_zip(path) as archive:
        _check_programs(PurePosixPath(x.filename).name for x in archive.infolist())
        for member in archive.infolist():
            name = PurePosixPath(member.filename).name
            if not member.is_dir() and name.endswith((".npz", ".yml", ".spm")):
                if (folder / name).exists():
                    raise UserError(f"{path} must contain each file name once. Received twice: {one_line(name)}")
                write_bytes(folder / name, archive.read(member))
    require(any(folder.glob("*.npz")), f"{path} is not a model of Marian. Missing file: .npz")


def export_marian(
    path: str | os.PathLike[str],
    model: TranslationModel,
    tokenizers: SubwordTokenizer | Mapping[str, SubwordTokenizer],
    search: Mapping[str, Any] | None = None,
) -> Path:
    """Writes a folder like those of OPUS-MT, from which `marian-decoder -c decoder.yml` translates.

    Marian's input and output are subwords: encode a line with `source.spm`, and decode a translation with `target.spm`,
    both by SentencePiece.

    Args:
        path: Path of the folder to write, which must not exist.
        model: `Transformer` without mechanisms, post-LN, with the positions of Marian, and zeros as the embedding of
            BOS, such as a model that was imported from Marian.
        tokenizers: Mapping of "source" and "target" to their subwords, or the joint subwords.
        search: Mapping of search settings, for `decoder.yml`; a warning names those that Marian does not have. Defaults
            to none: a beam of 4, and an exponent of the length of 0.6.

    Returns:
        The path, a folder with `model.npz`, `decoder.yml`, `source.spm` and `target.spm`, and `vocab.yml` or, if the
        vocabulary is not joint, `vocab.source.yml` and `vocab.target.yml`.

    Raises:
        UserError: The model has something that Marian does not support, or the path exists.
    """
    config, by_side = model.get_config(), checked_tokenizers(model, tokenizers)
    parameters = in_halves(plain_parameters(model, "Marian"), model, PLACES, "Marian")
    aligning = "last"
    if config["alignment_head"] is not None:
        layer = attention_layer(config["alignment_layer"], config["num_decoder_layers"])
        parameters |= with_first_head(
            parameters, f"decoder.{layer}.cross", config["alignment_head"], config["num_heads"]
        )
        aligning = str(layer)
    parameters = split_keys_and_values(parameters)
    target = parameters["target_embedding"]
    source = parameters.get("source_embedding")
    for name, is_right, what in (
        ("norm", config["norm"] == "post", "norms of keys and values before attentions"),
        ("feed_forward", config["feed_forward"] in NEEDED["transformer-ffn-activation"], "this feed-forward network"),
        ("source_end", config["source_end"], "sources without EOS"),
        ("scale_embeddings", config["scale_embeddings"], "embeddings without a scale"),
        ("norm_epsilon", config["norm_epsilon"] <= LARGEST_EPSILON, "this epsilon of norms"),
    ):
        require(is_right, f"Marian does not support {what}: export a SavedModel", **{name: config[name]})
    if target[BOS].any():
        raise UserError(
            "Marian begins a translation with zeros, so the embedding of BOS must be zero: export a SavedModel. "
            f"Received: an embedding of norm {np.linalg.norm(target[BOS]):.3g}"
        )
    is_joint = source is None
    # The order of their ids: EOS, UNK, the subwords.
    rows = {side: [3, 1, *range(4, tokenizer.vocabulary_size)] for side, tokenizer in by_side.items()}
    depths = {side: config[f"num_{side}_layers"] for side in ("encoder", "decoder")}
    arrays = {"Wemb" if is_joint else "decoder_Wemb": target[rows["target"]]}
    if source is not None:
        arrays["encoder_Wemb"] = source[rows["source"]]
    if "output" in parameters:
        arrays[OUTPUT] = parameters["output"][rows["target"]].T
    arrays[BIAS] = parameters.get("output_bias", np.zeros(len(target)))[None, rows["target"]]
    width = config["hidden_dim"]
    for ours, theirs in _names(depths).items():
        if ours in parameters:
            arrays[theirs] = parameters[ours] if ours.endswith("kernel") else parameters[ours][None]
        elif ours.endswith(".bias") and f"{ours.removesuffix('bias')}kernel" in parameters:
            arrays[theirs] = np.zeros((1, width))  # the attentions may have no biases
    is_tied = "output" not in parameters
    settings = {
        **{name: values[0] for name, values in NEEDED.items()},
        **{f"{side[:3]}-depth": depth for side, depth in depths.items()},
        "dim-emb": width,
        "dim-vocabs": [len(rows[side]) for side in ("source", "target")],
        "transformer-heads": config["num_heads"],
        "transformer-dim-ffn": config["intermediate_dim"],
        "transformer-decoder-dim-ffn": 0,
        "transformer-ffn-activation": config["feed_forward"],
        "transformer-preprocess": "",
        "transformer-postprocess": "dan",
        "transformer-postprocess-top": "",
        "transformer-postprocess-emb": "dn" if config["embedding_norm"] else "d",
        ALIGNING: aligning,
        "tied-embeddings-all": is_joint and is_tied,
        "tied-embeddings-src": is_joint and not is_tied,
        "tied-embeddings": not is_joint and is_tied,
        "version": "v1.12.0",
    }
    with atomic_folder(path) as folder:
        names = {side: "vocab.yml" if is_joint else f"vocab.{side}.yml" for side in by_side}
        for side, name in names.items():
            pieces = by_side[side].pieces()
            tokens = ["</s>", "<unk>", *(pieces[row] for row in rows[side][2:])]
            write_text(folder / name, _write_yaml({token: i for i, token in enumerate(tokens)}))
            by_side[side].save(folder / f"{side}.spm")
        decoder = {"relative-paths": True, "models": ["model.npz"], "vocabs": list(names.values())}
        decoder |= _search_settings(search)
        write_text(folder / "decoder.yml", _write_yaml(decoder))
        text = np.frombuffer(_write_yaml(settings).encode() + b"\0", "int8")
        write_npz(folder / "model.npz", {**{x: np.asarray(y, "<f4") for x, y in arrays.items()}, SETTINGS: text})
    return Path(path)


def _search_settings(search: Mapping[str, Any] | None) -> dict[str, Any]:
    """Returns settings of `decoder.yml`."""
    limits = "max_length_factor", "max_length_offset"
    factor, offset = ((search or {}).get(limit) for limit in limits)
    has_limit = factor is not None and factor == offset  # Marian counts the end of the source
    options = exported_search("Marian", search, limits if has_limit else ())
    # Without the last, Marian's output ends before the first line longer than `max-length`.
    settings = {"beam-size": options.beam_size, "normalize": options.length_penalty, "max-length-crop": True}
    return {**settings, "max-length-factor": options.max_length_factor} if has_limit else settings


def _read_yaml(path: Path | str, content: bytes | None = None) -> dict[str, Any]:
    """Reads a YAML file with strings and lists of strings under names. Numbers and tokens such as `no` stay strings.

    With its `content`, the file is not read, and `path` is for messages.

    Raises:
        UserError: The file is damaged or has another form, or PyYAML is missing.
    """
    with needs_extra(path, "marian"):
        import yaml
    if content is None:
        if (size := Path(path).stat().st_size) > MAX_BYTES:
            raise UserError(f"{path} must have at most {MAX_BYTES:,} bytes. Received: {size:,}")
        content = Path(path).read_bytes()
    with errors_as(f"{path} is damaged", yaml.YAMLError, RecursionError):
        # Nodes instead of objects: each scalar is a string, as it is written.
        root = yaml.compose(content, Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader))
    if root is None:  # an empty file
        return {}
    wrong = UserError(f"{path} must contain only strings and lists of strings, under names.")
    if not isinstance(root, yaml.MappingNode):
        raise wrong
    settings: dict[str, Any] = {}
    for name, value in root.value:
        items = value.value if isinstance(value, yaml.SequenceNode) else [value]
        if not all(isinstance(node, yaml.ScalarNode) for node in (name, *items)):
            raise wrong
        if name.value in settings:
            raise UserError(f"{path} must contain each name once. Received twice: {one_line(name.value)[:100]}")
        settings[name.value] = value.value if isinstance(value, yaml.ScalarNode) else [node.value for node in items]
    return settings


def _write_yaml(settings: Mapping[str, Any]) -> str:
    """Returns settings as YAML, one on each line, which Marian needs.

    JSON is YAML except for some characters, which are escaped.
    """
    lines = (f"{json.dumps(name, ensure_ascii=False)}: {json.dumps(x)}\n" for name, x in settings.items())
    return NO_TEXT.sub(lambda match: f"\\u{ord(match[0]):04x}", "".join(lines))
