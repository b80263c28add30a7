"""Reads `tokenizer.json` of Hugging Face: its BPE, as a SentencePiece model, and its added tokens."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from sentencepiece.sentencepiece_model_pb2 import ModelProto

from keras_nmt.data.subword_sampler import SPACE
from keras_nmt.errors import UserError, one_line
from keras_nmt.files.json_file import JSON_NAMES, read_json
from keras_nmt.formats.vocabulary import check_tokens, tokens_of_ids

MAX_BYTES = 128 << 20
RULES = ("single_word", "lstrip", "rstrip")  # of an added token; a symbol of SentencePiece has none
# The values that a setting of the model may have. A missing setting has the first.
NEEDED: dict[str, tuple[Any, ...]] = {
    "type": ("BPE",),
    "dropout": (None, 0.0),
    "continuing_subword_prefix": (None, ""),
    "end_of_word_suffix": (None, ""),
    "byte_fallback": (False,),
    "ignore_merges": (False,),
}


class AddedToken(NamedTuple):
    """An added token of a tokenizer: it is found in texts first, and the text between is segmented then."""

    id: int
    has_rules: bool  # whether it is not found everywhere, or takes the spaces around


def read_settings(path: Path, max_bytes: int = 16 << 20) -> dict[str, Any]:
    """Reads a JSON file of a tokenizer; an empty dictionary if there is none."""
    return read_json(path, "settings of a tokenizer", max_bytes) if path.is_file() else {}


def read_added_tokens(folder: Path) -> dict[str, AddedToken]:
    """Reads the added tokens of a tokenizer, with their ids, from all files that may have them."""
    entries: list[tuple[Any, Any]] = [(i, token) for token, i in read_settings(folder / "added_tokens.json").items()]
    decoder = read_settings(folder / "tokenizer_config.json").get("added_tokens_decoder")
    if isinstance(decoder, dict):
        entries += [(int(i), token) for i, token in decoder.items() if re.fullmatch("[0-9]{1,9}", i)]
    added = list_of(read_settings(folder / "tokenizer.json", MAX_BYTES), "added_tokens")
    entries += [(token.get("id"), token) for token in added if isinstance(token, dict)]
    tokens: dict[str, AddedToken] = {}
    for i, token in entries:  # later entries also have the rules
        if type(i) is int and i >= 0:
            rules = [token.get(name) for name in RULES] if isinstance(token, dict) else []
            tokens[content_of(token)] = AddedToken(i, any(rules))
    return tokens


def content_of(token: Any) -> str:
    """Returns the text of a token, which files store as text or as an object."""
    return str(token.get("content")) if isinstance(token, dict) else str(token)


def list_of(settings: Mapping[str, Any], name: str) -> list[Any]:
    """Returns a list of settings; an empty one for anything else."""
    value = settings.get(name)
    return value if isinstance(value, list) else []


def read_bpe(path: Path) -> tuple[list[str], bytes]:
    """Reads the tokens of `tokenizer.json` in the order of their ids, and makes a SentencePiece model of its merges.

    Raises:
        UserError: The tokenizer is not one that was made of a SentencePiece model of the type BPE.
    """
    settings = read_settings(path, MAX_BYTES)
    model = settings.get("model")
    if not isinstance(model, dict):
        raise UserError(f"{path} must have a `model`. Received: {str(model)[:100]}")

    def check(is_right: bool, what: str, received: Any) -> None:
        if not is_right:
            raise UserError(
                f"{path}: {what} must be as in a BPE model of SentencePiece: get sentencepiece.bpe.model instead. "
                f"Received: {one_line(received)[:100]}"
            )

    for name, values in NEEDED.items():
        check((value := model.get(name, values[0])) in values, f"`{name}`", value)
    vocabulary = model.get("vocab")
    check(isinstance(vocabulary, dict) and len(vocabulary) > 0, "`vocab`", JSON_NAMES[type(vocabulary)])
    assert isinstance(vocabulary, dict)
    tokens = check_tokens(tokens_of_ids(vocabulary, path), path)
    proto = ModelProto()
    proto.trainer_spec.model_type = proto.trainer_spec.BPE
    spec = proto.normalizer_spec
    spec.name, spec.add_dummy_prefix, spec.remove_extra_whitespaces = "identity", True, False
    normalizer = settings.get("normalizer")
    steps = list_of(normalizer, "normalizers") if isinstance(normalizer, dict) else []
    for step in steps or ([] if normalizer is None else [normalizer]):
        kind = step.get("type") if isinstance(step, dict) else step
        if kind == "Precompiled":
            try:
                spec.precompiled_charsmap = base64.b64decode(step.get("precompiled_charsmap") or "", validate=True)
            except (binascii.Error, TypeError, ValueError):
                check(False, "`precompiled_charsmap`", step.get("precompiled_charsmap"))
            spec.name = "user_defined"
        elif kind == "Replace" and step.get("pattern") == {"Regex": " {2,}"} and step.get("content") in (" ", SPACE):
            spec.remove_extra_whitespaces = True
        else:
            check(False, "`normalizer`", step)
    before = settings.get("pre_tokenizer")
    metaspace = before if isinstance(before, dict) else {}
    is_metaspace = metaspace.get("type") == "Metaspace" and metaspace.get("replacement") == SPACE
    check(is_metaspace and metaspace.get("prepend_scheme", "always") != "never", "`pre_tokenizer`", before)
    scores = _scores(model.get("merges"), vocabulary)
    check(scores is not None, "`merges`", "pairs in an order that no scores of pieces give")
    for token in tokens:
        proto.pieces.add(piece=token, score=(scores or {}).get(token, -float(len(tokens))))
    return tokens, proto.SerializeToString()


def _scores(merges: Any, vocabulary: Mapping[str, int]) -> dict[str, float] | None:
    """Returns the scores of pieces by which SentencePiece merges as these merges say, or None if there are none.

    SentencePiece joins any two pieces whose join is a piece, the piece with the highest score first.
    """
    pairs = [tuple(pair.split(" ") if isinstance(pair, str) else pair) for pair in merges or ()]
    if not all(len(pair) == 2 and all(isinstance(x, str) for x in pair) for pair in pairs):
        return None
    scores: dict[str, float] = {}
    last = None
    for left, right in pairs:
        piece = left + right
        if piece != last:
            if piece in scores:
                return None
            scores[piece], last = -float(len(scores)), piece
    merged = set(pairs)
    for piece in vocabulary:
        halves = [(piece[:i], piece[i:]) for i in range(1, len(piece))]
        if any(left in vocabulary and right in vocabulary and (left, right) not in merged for left, right in halves):
            return None
    return scores
