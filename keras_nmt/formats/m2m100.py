"""Reads the vocabularies of Hugging Face's `M2M100ForConditionalGeneration`: those of M2M-100 and those of NLLB."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from keras_nmt.data.subword_models import read_subwords
from keras_nmt.errors import UserError, one_line
from keras_nmt.files.json_file import read_json
from keras_nmt.formats.vocabulary import Vocabulary, parse_subwords, read_tokens

SUBWORDS = "sentencepiece.bpe.model"
RESERVED = ("<s>", "<pad>", "</s>", "<unk>")  # the first ids of fairseq
SPM_RESERVED = 3  # number of first pieces of SentencePiece that have no ids in fairseq
NLLB_CODE = re.compile(r"[a-z]{3}_[A-Z][a-z]{3}")
MAX_TOKENIZER_BYTES = 128 << 20
# The languages are listed in the code of M2M-100's tokenizer, not in a file of the model.
M2M100_CODES = {
    "m2m100": "af am ar ast az ba be bg bn br bs ca ceb cs cy da de el en es et fa ff fi fr fy ga gd gl gu ha he hi hr "
    "ht hu hy id ig ilo is it ja jv ka kk km kn ko lb lg ln lo lt lv mg mk ml mn mr ms my ne nl no ns oc or pa pl ps "
    "pt ro ru sd si sk sl so sq sr ss su sv sw ta th tl tn tr uk ur uz vi wo xh yi yo zh zu",
    "wmt21": "en ha is ja cs ru zh de",
}


def read_vocabulary(folder: Path, rows: int, pad: int, begin: int, end: int) -> Vocabulary:
    """Reads the vocabulary and the languages of a model with `rows` embeddings.

    In M2M-100, the ids of the languages follow those in `vocab.json`. In NLLB, the ids of SentencePiece's pieces are
    increased by one, and the languages are added tokens.

    Raises:
        UserError: A file is missing or damaged, there are no languages, or an id has no embedding.
    """
    if not (folder / SUBWORDS).is_file():
        raise UserError(f"Missing subword model: {folder / SUBWORDS}")
    content = read_subwords(folder / SUBWORDS)
    settings = _read(folder / "tokenizer_config.json")
    if settings.get("legacy_behaviour"):
        raise UserError(f"{folder}: the language tag must stand before the source. Received: legacy_behaviour=True")
    if (folder / "vocab.json").is_file():
        tokens = read_tokens(folder / "vocab.json")
        codes = M2M100_CODES.get(str(settings.get("language_codes", "m2m100")))
        if codes is None:
            raise UserError(
                f"{folder}: `language_codes` must be one of {', '.join(M2M100_CODES)}. "
                f"Received: {str(settings['language_codes'])[:100]}"
            )
        languages = {code: len(tokens) + i for i, code in enumerate(codes.split())}
    else:
        proto = parse_subwords(content, folder / SUBWORDS)
        tokens = [*RESERVED, *(piece.piece for piece in proto.pieces[SPM_RESERVED:])]
        languages = _nllb_languages(folder, settings, len(tokens))
    if not languages or max(languages.values(), default=0) >= rows or len(tokens) > rows:
        raise UserError(
            f"{folder} must have {rows:,} tokens including languages, one for each embedding. "
            f"Received: {len(tokens):,} tokens and {len(languages)} languages"
        )
    of_languages = {i: f"__{code}__" for code, i in languages.items()}
    tokens += [of_languages.get(i, f"<madeup_{i}>") for i in range(len(tokens), rows)]
    if (tokens[pad], tokens[end]) != ("<pad>", "</s>"):
        raise UserError(
            f"{folder}: the tokens {pad} and {end} must be <pad> and </s>. "
            f"Received: {one_line(tokens[pad][:100])}, {one_line(tokens[end][:100])}"
        )
    unknown = tokens.index("<unk>") if "<unk>" in tokens else None
    return Vocabulary(tokens, pad, unknown, begin, end, content, languages)


def _nllb_languages(folder: Path, settings: dict[str, Any], first: int) -> dict[str, int]:
    """Returns the ids of the languages: from a file, or counted from `first` in the order of the added tokens."""
    with_ids = {**_read(folder / "added_tokens.json")}
    decoder = settings.get("added_tokens_decoder")
    if isinstance(decoder, dict):
        with_ids |= {_content(x): int(i) for i, x in decoder.items() if re.fullmatch("[0-9]{1,9}", i)}
    added = _list(_read(folder / "tokenizer.json", MAX_TOKENIZER_BYTES), "added_tokens")
    with_ids |= {_content(x): x.get("id") for x in added if isinstance(x, dict)}
    found = {code: i for code, i in with_ids.items() if NLLB_CODE.fullmatch(code) and type(i) is int and i >= first}
    if found:
        return found
    for source in (settings, _read(folder / "special_tokens_map.json")):
        for name in ("additional_special_tokens", "extra_special_tokens"):
            codes = [_content(x) for x in _list(source, name)]
            if codes := [code for code in codes if NLLB_CODE.fullmatch(code)]:
                return {code: first + i for i, code in enumerate(codes)}
    return {}


def _content(token: Any) -> str:
    """Returns the text of a token, which files store as text or as an object."""
    return str(token.get("content")) if isinstance(token, dict) else str(token)


def _list(settings: dict[str, Any], name: str) -> list[Any]:
    found = settings.get(name)
    return found if isinstance(found, list) else []


def _read(path: Path, max_bytes: int = 16 << 20) -> dict[str, Any]:
    return read_json(path, "settings of a tokenizer", max_bytes) if path.is_file() else {}
