"""Reads and writes models of Hugging Face: `MarianMTModel` (OPUS-MT), and reads `M2M100` (M2M-100 and NLLB).

keras_hub reads presets of transformers, too, but none of these three architectures.
"""

from __future__ import annotations

import os
import re
import zipfile
from collections.abc import Container, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from keras_nmt.data import SubwordTokenizer
from keras_nmt.data.subword_models import read_subwords
from keras_nmt.errors import UserError, check_choice, errors_as, needs_extra, one_line, require
from keras_nmt.files.atomic_files import atomic_folder, write_json
from keras_nmt.files.json_file import read_json
from keras_nmt.files.model_config import check_limits
from keras_nmt.files.search_options import check_settings
from keras_nmt.formats.array_files import read_safetensors, write_safetensors
from keras_nmt.formats.exported_search import exported_search
from keras_nmt.formats.parameters import (
    NEVER,
    Imported,
    check_none_left,
    encodings,
    in_halves,
    join_keys_and_values,
    parts,
    plain_parameters,
    sinusoids,
    split_keys_and_values,
)
from keras_nmt.formats.tokenizer_json import (
    RULES,
    AddedToken,
    content_of,
    list_of,
    read_added_tokens,
    read_bpe,
    read_settings,
)
from keras_nmt.formats.vocabulary import Vocabulary, check_rows, parse_subwords, read_tokens
from keras_nmt.ids import BOS, PAD
from keras_nmt.inference.load import checked_tokenizers
from keras_nmt.models import PositionalEncoding, TranslationModel

ARCHITECTURES = ("marian", "m2m_100")
ACTIVATIONS = {"relu": "relu", "gelu": "gelu", "swish": "swish", "silu": "swish"}
EPSILON = 1e-5  # default of PyTorch's norms
# Settings of a search that are not read, with the values by which translations stay the same.
NO_EFFECT: dict[str, Any] = {
    **dict.fromkeys(("no_repeat_ngram_size", "encoder_no_repeat_ngram_size", "min_length", "diversity_penalty"), 0),
    **dict.fromkeys(("repetition_penalty", "encoder_repetition_penalty", "num_beam_groups"), 1),
    **{name: [] for name in ("suppress_tokens", "begin_suppress_tokens", "bad_words_ids", "force_words_ids")},
    **dict.fromkeys(("exponential_decay_length_penalty", "sequence_bias", "max_new_tokens"), None),
    **dict.fromkeys(("forced_bos_token_id", "forced_decoder_ids"), None),
    **{"do_sample": False, "penalty_alpha": 0, "guidance_scale": 1},
}
NAMES = {
    **{
        f"{ours}.{part}": f"{theirs}.{name}"
        for ours, theirs in (("self", "self_attn"), ("cross", "encoder_attn"))
        for part, name in (("query", "q_proj"), ("key", "k_proj"), ("value", "v_proj"), ("output", "out_proj"))
    },
    "self.norm": "self_attn_layer_norm",
    "cross.norm": "encoder_attn_layer_norm",
    "inner": "fc1",
    "outer": "fc2",
    "norm": "final_layer_norm",
}
NOT_PARAMETERS = {
    f"model.{side}.embed_positions.{name}" for side in ("encoder", "decoder") for name in ("weight", "weights")
}
# Of M2M-100 and NLLB.
SUBWORDS = "sentencepiece.bpe.model"
TOKENIZERS = ("M2M100Tokenizer", "NllbTokenizer", "NllbTokenizerFast")
RESERVED = ("<s>", "<pad>", "</s>", "<unk>")  # the first ids of fairseq
SPM_RESERVED = 3  # number of first pieces of SentencePiece that have no ids in fairseq
NLLB_CODE = re.compile(r"[a-z]{3}_[A-Z][a-z]{3}")
TOKENIZER = "tokenizer.json"
TABLES = ("model.shared", "model.encoder.embed_tokens", "model.decoder.embed_tokens", "lm_head")
NO_SYMBOLS = (*RESERVED, "<mask>")
# The languages are listed in the code of M2M-100's tokenizer, not in a file of the model.
M2M100_CODES = {
    "m2m100": "af am ar ast az ba be bg bn br bs ca ceb cs cy da de el en es et fa ff fi fr fy ga gd gl gu ha he hi hr "
    "ht hu hy id ig ilo is it ja jv ka kk km kn ko lb lg ln lo lt lv mg mk ml mn mr ms my ne nl no ns oc or pa pl ps "
    "pt ro ru sd si sk sl so sq sr ss su sv sw ta th tl tn tr uk ur uz vi wo xh yi yo zh zu",
    "wmt21": "en ha is ja cs ru zh de",
}


def is_there(folder: Path) -> bool:
    """Returns whether a folder holds a model of this format."""
    path = folder / "config.json"
    return path.is_file() and b'"model_type"' in path.read_bytes()[: 1 << 20]


def read(folder: Path) -> Imported:
    """Reads a `MarianMTModel` or an `M2M100ForConditionalGeneration`.

    Raises:
        UserError: The model has another architecture, or a file is missing or damaged.
    """
    config = read_json(folder / "config.json", "the configuration of a model")
    kind = config.get("model_type")
    require(kind in ARCHITECTURES, f"{folder}: {{model_type}} must be {' or '.join(ARCHITECTURES)}", model_type=kind)
    is_marian = config["model_type"] == "marian"
    with errors_as(f"{folder / 'config.json'}: a setting is missing or wrong", KeyError, TypeError):
        options, joint = _options(config), config.get("share_encoder_decoder_embeddings", True)
        pad, end, begin = (config[f"{name}_token_id"] for name in ("pad", "eos", "decoder_start"))
    path, arrays = _read_arrays(folder)
    first = 0 if is_marian else pad + 1 if type(pad) is int else 1  # position
    for name in NOT_PARAMETERS & arrays.keys():
        _check_sinusoids(arrays.pop(name), name, path, first)
    depths = {side: options[f"num_{side}_layers"] for side in ("encoder", "decoder")}
    parameters = {}
    for ours, theirs in _names(depths).items():
        if theirs in arrays:
            parameters[ours] = arrays.pop(theirs).T
    source, target, output = _tables(arrays, config, path, has_one=joint or not is_marian)
    parameters["target_embedding"] = target
    options["tie_embeddings"] = np.array_equal(output, target)
    # With labels, one table may be that of both sides, but not of the output.
    if not np.array_equal(source, target) or (is_marian and not (joint and options["tie_embeddings"])):
        parameters["source_embedding"] = source
    if not options["tie_embeddings"]:
        parameters["output"] = output
    if is_marian:
        bias = arrays.pop("final_logits_bias", None)
        parameters["output_bias"] = np.zeros(len(target), "float32") if bias is None else bias.reshape(-1)
    check_none_left(arrays, path)
    size, file = config.get("vocab_size", len(source)), folder / "config.json"
    problem = f"{file}: {{vocab_size}} must be {len(source):,}, the number of embeddings"
    require(size == len(source), problem, vocab_size=size)
    for rows in (len(source), len(target)):
        are_ids = all(type(i) is int and 0 <= i < rows for i in (pad, end, begin))
        require(are_ids, f"{file}: token ids must be below {rows:,}", pad=pad, eos=end, decoder_start=begin)
    if is_marian:
        vocabularies = _marian_vocabularies(folder, len(source), len(target), pad, begin, end)
    else:
        options["positions"] = sinusoids("halves", pad + 1, True)
        vocabularies = [read_m2m100_vocabulary(folder, len(target), pad, begin, end)] * 2
    search_path = folder / "generation_config.json"
    if search_path.is_file():
        file, config = search_path, read_json(search_path, "settings of search")
    never = [[i] for i in (pad, begin, *(range(pad, len(target)) if is_marian else ()))]  # as in the search here
    if isinstance(words := config.get("bad_words_ids"), list):
        config = {**config, "bad_words_ids": [x for x in words if x not in never]}
    ids = {"pad_token_id": pad, "eos_token_id": end, "decoder_start_token_id": begin}
    parameters, notes = join_keys_and_values(parameters), _search_notes(file, config, {**NO_EFFECT, **ids})
    source_vocabulary, target_vocabulary = vocabularies
    search = _search_settings(file, config, is_marian)
    return Imported(path, options, parameters, source_vocabulary, target_vocabulary, search, notes)


def _search_notes(file: Path, generation: Mapping[str, Any], no_effect: Mapping[str, Any]) -> list[str]:
    """Returns what to tell of settings that change translations, and that a model directory does not have."""
    others = {name: generation.get(name) for name in no_effect}
    others = {name: value for name, value in others.items() if value not in (None, no_effect[name])}
    if not others:
        return []
    shown = one_line(", ".join(f"{name}={value}" for name, value in others.items()))[:300]
    return [f"Settings of search are left out; give those that `translate` has as options. Received: {file}, {shown}"]


def _search_settings(file: Path, generation: Mapping[str, Any], is_marian: bool) -> dict[str, Any]:
    """Returns the settings with which a search is that of transformers.

    `early_stopping=False` is read as True: it differs where the length penalty is above 1, and has no counterpart here.

    Raises:
        UserError: A setting of the file has another type, or is out of our range.
    """
    beams = generation.get("num_beams") or 0
    penalty, stopping = generation.get("length_penalty"), generation.get("early_stopping")
    search = {"beam_size": beams} if beams else {}
    if beams not in (0, 1):
        search |= {"length_penalty": 1.0 if penalty is None else penalty, "length_penalty_form": "power"}
        problem = f'{file}: {{early_stopping}} must be true, false or "never"'
        require(stopping in (None, True, False, "never"), problem, early_stopping=stopping)
        search["patience"] = 1000 if stopping == "never" else 1
    if (least := generation.get("min_new_tokens")) is not None:
        search["min_length"] = least - (not is_marian) if type(least) is int and least else least  # counts a label
    try:
        check_settings(search)
    except UserError as error:
        names = {"beam_size": "num_beams", "min_length": "min_new_tokens"}
        raise UserError(f"{file}: {error.with_options(names)}") from None
    return search


def _tables(
    arrays: dict[str, np.ndarray], config: Mapping[str, Any], path: Path, has_one: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Takes the tables of source, target and output, each of which may be stored under the name of another one.

    Raises:
        UserError: A table is missing.
    """
    stored = [arrays.pop(f"{name}.weight", None) for name in TABLES]
    shared, source, target, output = stored
    is_tied = config.get("tie_word_embeddings", True)

    def first(*tables: np.ndarray | None) -> np.ndarray:
        table = next((x for x in tables if x is not None and x.ndim), None)
        if table is None:
            missing = next(name for name, x in zip(TABLES, stored, strict=True) if x is None)
            name = missing if not any(x is not None for x in stored[:3]) else "lm_head"
            raise UserError(f"{path} is not a complete model. Missing parameter: {name}.weight")
        return table

    output_table = output if is_tied else None
    source, target = (
        first(source, shared, *((target, output_table) if has_one else ())),
        first(target, shared, output_table, *((source,) if has_one else ())),
    )
    return source, target, first(output, target if is_tied else None)


def _marian_vocabularies(
    folder: Path, source_rows: int, target_rows: int, pad: int, begin: int, end: int
) -> list[Vocabulary]:
    added, vocabularies = read_added_tokens(folder), []
    for side, name, rows in (("source", "vocab.json", source_rows), ("target", "target_vocab.json", target_rows)):
        vocabulary = folder / (name if (folder / name).is_file() else "vocab.json")
        tokens = read_tokens(vocabulary)
        symbols, notes = _symbols(added, tokens, ("<pad>", "</s>", "<unk>"), rows, folder)
        new = {i: token for token, i in symbols.items()}
        tokens += [new.get(i, f"<madeup_{i}>") for i in range(len(tokens), max(new, default=-1) + 1)]
        check_rows(tokens, rows, vocabulary)
        for i, token in ((end, "</s>"), (pad, "<pad>")):
            is_right = token not in tokens or tokens[i] == token
            problem = f"{vocabulary}: the token {i} must be {token}, as config.json says"
            require(is_right, problem, token=tokens[i])
        unknown = tokens.index("<unk>") if "<unk>" in tokens else None
        model = folder / f"{side}.spm"
        proto = read_subwords(model) if model.is_file() else None
        vocabularies.append(
            Vocabulary(tokens, pad, unknown, begin, end, proto, symbols=symbols, strips_spaces=True, notes=notes)
        )
    return vocabularies


def _symbols(
    added: Mapping[str, AddedToken], tokens: Sequence[str], others: Container[str], rows: int, folder: Path
) -> tuple[dict[str, int], tuple[str, ...]]:
    """Returns the added tokens that become symbols, without `others`, and what to tell of those that cannot.

    Raises:
        UserError: An added token has the id of another token.
    """
    symbols, refused = {}, []
    for token, (i, has_rules) in added.items():
        if token in others or token in NO_SYMBOLS:
            continue
        if i < len(tokens) and tokens[i] not in (token, ""):
            raise UserError(
                f"{folder}: an added token must have an id of its own. Received: {one_line(token)[:100]} with the id "
                f"{i} of {one_line(tokens[i])[:100]}"
            )
        if has_rules or i >= rows or not token.strip():
            refused.append(token)
        else:
            symbols[token] = i
    if not refused:
        return symbols, ()
    shown = one_line(", ".join(refused[:10]))[:300]
    return symbols, (
        f"{len(refused)} added token(s) of {folder} are not found in texts, because they have no row, or one of the "
        f"rules {', '.join(RULES)}, which symbols do not have: {shown}",
    )


def read_m2m100_vocabulary(folder: Path, rows: int, pad: int, begin: int, end: int) -> Vocabulary:
    """Reads the vocabulary and the languages of a model with `rows` embeddings.

    In M2M-100, the ids of the languages follow those in `vocab.json`. In NLLB, the ids of SentencePiece's pieces are
    increased by one, and the languages are added tokens. Without SentencePiece's file, `tokenizer.json` has all of it.
    """
    has_subwords = (folder / SUBWORDS).is_file()
    require(has_subwords or (folder / TOKENIZER).is_file(), f"Missing subword model: {folder / SUBWORDS}")
    content = read_subwords(folder / SUBWORDS) if has_subwords else b""
    settings = read_settings(folder / "tokenizer_config.json")
    kind = settings.get("tokenizer_class", TOKENIZERS[0])
    problem = f"{folder}: {{tokenizer_class}} must be one of {', '.join(TOKENIZERS)}"
    require(kind in TOKENIZERS, problem, tokenizer_class=kind)  # others may put the tags at other places
    is_before = not settings.get("legacy_behaviour")
    require(is_before, f"{folder}: the language tag must stand before the source", legacy_behaviour=True)
    added, is_m2m100 = read_added_tokens(folder), (folder / "vocab.json").is_file()
    if is_m2m100:
        tokens = read_tokens(folder / "vocab.json")
        codes = M2M100_CODES.get(str(settings.get("language_codes", "m2m100")))
        if codes is None:
            raise UserError(
                f"{folder}: `language_codes` must be one of {', '.join(M2M100_CODES)}. "
                f"Received: {str(settings['language_codes'])[:100]}"
            )
        languages = {code: len(tokens) + i for i, code in enumerate(codes.split())}
        language_tokens = {i: f"__{code}__" for code, i in languages.items()}
    else:
        if has_subwords:
            proto = parse_subwords(content, folder / SUBWORDS)
            tokens = [*RESERVED, *(piece.piece for piece in proto.pieces[SPM_RESERVED:])]
        else:
            tokens, content = read_bpe(folder / TOKENIZER)
        languages = _nllb_languages(folder, settings, added, len(tokens))
        language_tokens = {i: code for code, i in languages.items()}
    is_right = languages and max(languages.values(), default=0) < rows and len(tokens) <= rows
    problem = f"{folder} must have {rows:,} tokens including languages, one for each embedding"
    require(is_right, f"{problem}. Received: {len(tokens):,} tokens and {len(languages)} languages")
    known = [*tokens, *(language_tokens.get(i, "") for i in range(len(tokens), rows))]
    symbols, notes = _symbols(added, known, {*RESERVED, *language_tokens.values()}, rows, folder)
    symbols_by_id = {i: token for token, i in symbols.items()}
    tokens = [token or symbols_by_id.get(i, f"<madeup_{i}>") for i, token in enumerate(known)]
    problem = f"{folder}: the tokens {pad} and {end} must be <pad> and </s>"
    require((tokens[pad], tokens[end]) == ("<pad>", "</s>"), problem, pad=tokens[pad], eos=tokens[end])
    unknown = tokens.index("<unk>") if "<unk>" in tokens else None
    return Vocabulary(
        tokens, pad, unknown, begin, end, content, languages, symbols, strips_spaces=is_m2m100, notes=notes
    )


def _nllb_languages(
    folder: Path, settings: dict[str, Any], added: Mapping[str, AddedToken], first: int
) -> dict[str, int]:
    """Returns the ids of the languages: from a file, or counted from `first` in the order of the added tokens."""
    if ids := {code: x.id for code, x in added.items() if NLLB_CODE.fullmatch(code) and x.id >= first}:
        return ids
    for source in (settings, read_settings(folder / "special_tokens_map.json")):
        for name in ("additional_special_tokens", "extra_special_tokens"):
            codes = [content_of(x) for x in list_of(source, name)]
            if codes := [code for code in codes if NLLB_CODE.fullmatch(code)]:
                return {code: first + i for i, code in enumerate(codes)}
    return {}


def _check_sinusoids(array: np.ndarray, name: str, path: Path, first: int) -> None:
    """Raises a `UserError` if a table of positions, which older files contain, is not the usual one from `first` on."""
    if array.ndim == 2 and array.shape[1] > 2 and array.shape[1] % 2 == 0:
        wanted = encodings(PositionalEncoding("halves", 0, endpoint=first > 0), *array.shape)
        rows = slice(first, min(len(array), 64))  # early ones: later ones are inexact in half precision
        if np.allclose(array[rows], wanted[rows], atol=0.05):
            return
    raise UserError(f"{path}: positions must be sinusoids, not trained. Received: {name}")


def _options(config: Mapping[str, Any]) -> dict[str, Any]:
    """Maps a configuration to arguments of `Transformer`. Raises `KeyError` or `TypeError` if a setting is wrong."""
    heads = {config[f"{side}_attention_heads"] for side in ("encoder", "decoder")}
    widths = {config[f"{side}_ffn_dim"] for side in ("encoder", "decoder")}
    problem = "Encoder and decoder must have the same number of heads and the same inner width"
    require(len(heads) == len(widths) == 1, problem, heads=sorted(heads), widths=sorted(widths))
    activation = config["activation_function"]
    check_choice("activation_function", activation, ACTIVATIONS)
    is_marian = config["model_type"] == "marian"
    options = {
        "num_encoder_layers": config["encoder_layers"],
        "num_decoder_layers": config["decoder_layers"],
        "hidden_dim": config["d_model"],
        "num_heads": heads.pop(),
        "intermediate_dim": widths.pop(),
        "dropout": config.get("dropout", 0.1),
        "attention_dropout": config.get("attention_dropout", 0.0 if is_marian else 0.1),
        "activation_dropout": config.get("activation_dropout", 0.0),
        "norm": "post" if is_marian else "pre",
        "norm_epsilon": EPSILON,
        "feed_forward": ACTIVATIONS[activation],
        "positions": sinusoids("halves", 0, False),
        "attention_bias": True,
        "scale_embeddings": bool(config.get("scale_embedding", not is_marian)),
    }
    for name in ("scale_embedding", "share_encoder_decoder_embeddings", "tie_word_embeddings"):
        if type(config.get(name, False)) is not bool:
            raise TypeError(f"{name}={str(config[name])[:100]}")
    for name in ("num_encoder_layers", "num_decoder_layers", "hidden_dim", "num_heads", "intermediate_dim"):
        if type(options[name]) is not int:
            raise TypeError(f"{name}={str(options[name])[:100]}")
    check_limits(options)
    width = options["hidden_dim"]
    require(width % 2 == 0, "{d_model} must be even for sinusoidal positions", d_model=width)
    return options


def _names(depths: Mapping[str, int]) -> dict[str, str]:
    """Maps our names of the parameters of the stacks to Hugging Face's."""
    named = [
        (f"{side}.{number}.{part}", f"model.{side}.layers.{number - 1}.{NAMES[part]}")
        for side, number, part in parts(depths)
    ]
    named += [(f"{side}.norm", f"model.{side}.layer_norm") for side in depths]  # in pre-LN models
    weights = {f"{ours}.{'scale' if ours.endswith('norm') else 'kernel'}": f"{theirs}.weight" for ours, theirs in named}
    return weights | {f"{ours}.bias": f"{theirs}.bias" for ours, theirs in named}


def _read_arrays(folder: Path) -> tuple[Path, dict[str, np.ndarray]]:
    for name, read_file in (("model.safetensors", read_safetensors), ("pytorch_model.bin", _read_pytorch)):
        if paths := _weight_files(folder, name):
            return paths[0], {name: array for path in paths for name, array in read_file(path).items()}
    raise UserError(f"Missing parameters: {folder / 'model.safetensors'}")


def _weight_files(folder: Path, name: str) -> list[Path]:
    """Returns the file of weights with this name, or all those that its index names."""
    path, index = folder / name, folder / f"{name}.index.json"
    if path.is_file():
        return [path]
    if not index.is_file():
        return []
    places: Any = read_json(index, "the names of the files of weights").get("weight_map")
    are_names = isinstance(places, dict) and places and all(isinstance(x, str) for x in places.values())
    require(are_names, f"{index}: {{weight_map}} must name a file for each parameter", weight_map=places)
    paths = [folder / PurePosixPath(x).name for x in sorted(set(places.values()))]
    if missing := [path for path in paths if not path.is_file()]:
        raise UserError(f"Missing file of weights, which {index} names: {missing[0]}")
    return paths


def _read_pytorch(path: Path) -> dict[str, np.ndarray]:
    with needs_extra(f"{path} (or get model.safetensors instead)", "huggingface"):
        import torch
    with errors_as(f"{path} is damaged, or contains more than tensors"):
        _check_uncompressed(path)
        loaded = torch.load(path, map_location="cpu", weights_only=True)
        places = {name: (x.data_ptr(), x.dtype, *x.shape, *x.stride()) for name, x in loaded.items()}  # tied: the same
        distinct = {places[name]: x for name, x in loaded.items()}
        if sum(x.numel() * x.element_size() for x in distinct.values()) > path.stat().st_size:
            raise ValueError("its tensors are larger than the file")
        arrays = {place: x.detach().float().numpy() for place, x in distinct.items()}
        return {name: arrays[place] for name, place in places.items()}


def _check_uncompressed(path: Path) -> None:
    """Raises a `ValueError` for a file that unpacks to more than its length. PyTorch itself does not compress."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > path.stat().st_size:
                raise ValueError("its parts are larger than the file")


def export_huggingface(
    path: str | os.PathLike[str],
    model: TranslationModel,
    tokenizers: SubwordTokenizer | Mapping[str, SubwordTokenizer],
    search: Mapping[str, Any] | None = None,
) -> Path:
    """Writes a folder that `transformers.MarianMTModel.from_pretrained` and `MarianTokenizer` load.

    Args:
        path: Path of the folder to write, which must not exist.
        model: `Transformer`, post-LN, with sinusoidal positions from 0, without mechanisms.
        tokenizers: Mapping of "source" and "target" to their subwords, or the joint subwords.
        search: Mapping of search settings, for `generation_config.json`; a warning names those that transformers does
            not have. Defaults to none: those of `keras_nmt.files.search_options.SearchOptions`.

    Returns:
        The path.

    Raises:
        UserError: The model has something that `MarianMTModel` does not support, or the path exists.
    """
    parameters = plain_parameters(model, "Hugging Face's MarianMTModel")
    config, by_side = model.get_config(), checked_tokenizers(model, tokenizers)
    parameters = split_keys_and_values(in_halves(parameters, model, (0, False), "Hugging Face's MarianMTModel"))
    sizes = {side: tokenizer.vocabulary_size for side, tokenizer in by_side.items()}
    problem = "Hugging Face's MarianMTModel is post-LN, has no norm of embeddings and reads EOS: export a SavedModel"
    wanted = {"norm": "post", "embedding_norm": False, "source_end": True}
    values = {name: config[name] for name in wanted}
    require(values == wanted, problem, **values)
    if config["norm_epsilon"] > 10 * EPSILON or sizes["source"] != sizes["target"]:
        raise UserError(
            f"Hugging Face's MarianMTModel has norms with an epsilon of {EPSILON} and as many subwords of the source "
            "as of the target: export a SavedModel. "
            f"Received: norm_epsilon={config['norm_epsilon']}, {sizes['source']} and {sizes['target']} subwords"
        )
    _check_tags(by_side["source"])
    target = parameters["target_embedding"]
    joint = "source_embedding" not in parameters and "output" not in parameters
    # The order of their ids: EOS, UNK, the subwords, and last PAD, which also begins the target, unless another token
    # did so in an imported model.
    bias = parameters.get("output_bias")
    ends = [BOS] if bias is None or bias[PAD] <= NEVER / 2 else [PAD, BOS]
    rows = {side: [3, 1, *range(4, size), *ends] for side, size in sizes.items()}
    arrays = {"final_logits_bias": parameters.get("output_bias", np.zeros(len(target)))[None, rows["target"]]}
    depths = {side: config[f"num_{side}_layers"] for side in ("encoder", "decoder")}
    if joint:
        arrays["model.shared.weight"] = target[rows["target"]]
    else:
        arrays["model.encoder.embed_tokens.weight"] = parameters.get("source_embedding", target)[rows["source"]]
        arrays["model.decoder.embed_tokens.weight"] = target[rows["target"]]
        arrays["lm_head.weight"] = parameters.get("output", target)[rows["target"]]
    for ours, theirs in _names(depths).items():
        if not ours.startswith(("encoder.norm", "decoder.norm")):  # the attentions may have no biases
            arrays[theirs] = parameters[ours].T if ours in parameters else np.zeros(config["hidden_dim"])
    settings = {
        "model_type": "marian",
        "architectures": ["MarianMTModel"],
        **{f"{side}_layers": depth for side, depth in depths.items()},
        **{f"{side}_attention_heads": config["num_heads"] for side in depths},
        **{f"{side}_ffn_dim": config["intermediate_dim"] for side in depths},
        "d_model": config["hidden_dim"],
        "activation_function": config["feed_forward"],
        **{name: config[name] for name in ("dropout", "attention_dropout", "activation_dropout")},
        "scale_embedding": config["scale_embeddings"],
        "share_encoder_decoder_embeddings": joint,
        "tie_word_embeddings": joint or "output" not in parameters,
        "vocab_size": len(rows["source"]),
        "decoder_vocab_size": len(rows["target"]),
        "max_position_embeddings": 1024,
        "eos_token_id": 0,
        "forced_eos_token_id": None,
        "pad_token_id": len(rows["target"]) - len(ends),
        "decoder_start_token_id": len(rows["target"]) - 1,
    }
    with atomic_folder(path) as folder:
        write_safetensors(folder / "model.safetensors", arrays)
        write_json(folder / "config.json", settings)
        ids = {name: settings[name] for name in ("eos_token_id", "pad_token_id", "decoder_start_token_id")}
        never = [[i] for i in range(settings["pad_token_id"], len(rows["target"]))]
        write_json(folder / "generation_config.json", {**ids, **_generation(search), "bad_words_ids": never})
        write_json(
            folder / "tokenizer_config.json", {"tokenizer_class": "MarianTokenizer", "separate_vocabs": not joint}
        )
        for side, name in (("source", "vocab.json"), ("target", "target_vocab.json")):
            pieces = by_side[side].pieces()
            if side == "source" or not joint:
                # The tokenizer takes the tag of a language from the text before SentencePiece adds a space.
                named = [re.sub("^\u2581(>>.+<<)$", r"\1", piece) for piece in pieces]
                named[ends[0]] = "<pad>"
                write_json(folder / name, {named[row]: i for i, row in enumerate(rows[side])})
            by_side[side].save(folder / f"{side}.spm")
    return Path(path)


def _generation(search: Mapping[str, Any] | None) -> dict[str, Any]:
    """Returns the settings of transformers' search."""
    known = {"min_length"} | ({"patience"} if (search or {}).get("patience") in (1, 1000) else set())
    options = exported_search("transformers", search, known)
    # Without the first, transformers ends translations after 20 subwords.
    settings: dict[str, Any] = {"max_length": 512, "num_beams": options.beam_size, "min_new_tokens": options.min_length}
    if options.beam_size > 1:
        stopping = True if options.patience == 1 else "never"
        settings |= {"length_penalty": options.length_penalty, "early_stopping": stopping}
    return settings


def _check_tags(source: SubwordTokenizer) -> None:
    """Raises a `UserError` if `MarianTokenizer`, which takes tags `>>...<<` off first, segments texts otherwise."""
    tags = [tag for tag in source.source.tags.texts.values() if tag.startswith(">>")]
    ours = source.tokenize([f"{tag} a" for tag in tags]).to_list() if tags else []
    (rest,) = source.tokenize(["a"]).to_list()
    pieces = source.pieces()
    for tag, ids in zip(tags, ours, strict=True):
        if ids[1:] != rest or pieces[ids[0]].removeprefix("\u2581") != tag:
            raise UserError(
                "Hugging Face's MarianTokenizer reads a tag with the space before it as one: train subwords with "
                f"the symbol \u2581{tag}, or export a SavedModel. Received: {tag} as {[pieces[i] for i in ids]}"
            )
