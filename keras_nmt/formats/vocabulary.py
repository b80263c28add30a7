"""Converts vocabularies of other toolkits to SentencePiece models with this package's ids."""

from __future__ import annotations

import dataclasses
import functools
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from google.protobuf.message import DecodeError
from sentencepiece.sentencepiece_model_pb2 import ModelProto

from keras_nmt.data.subword_models import NUM_BYTES, RESERVED_SYMBOLS, compile_rules
from keras_nmt.data.subword_sampler import SPACE
from keras_nmt.errors import UserError, errors_as, one_line, require
from keras_nmt.files.json_file import JSON_NAMES
from keras_nmt.formats.normalization import read_rules
from keras_nmt.models import LanguageLabelModel
from keras_nmt.text.lines import check_utf8

MAX_RULES = 300_000  # of normalisation, for symbols
# Characters that often stand before others, also where a vocabulary lacks them.
RANGES = (0x21, 0x7F), (0xA1, 0x100), (0x2010, 0x2050), (0x3001, 0x3020)
PUNCTUATION = {chr(x) for limits in RANGES for x in range(*limits)}
JOINER = "\uffed"
MAX_BYTES = 256 << 20  # largest file of a vocabulary
Piece = ModelProto.SentencePiece
# Subwords by their marks, in vocabularies without a SentencePiece model.
PIECES: dict[str, Callable[[str], bool]] = {
    "SentencePiece": lambda x: x.startswith(SPACE) and x[1:2].isalnum(),
    "subword-nmt": lambda x: len(x) > 2 and x.endswith("@@") and x[0] != SPACE,
    "OpenNMT's Tokenizer": lambda x: len(x) > 1 and JOINER in (x[0], x[-1]),
    "a byte-level BPE": lambda x: len(x) > 1 and x[0] == "Ġ" and not x[1].isalpha(),  # which begins words in Maltese
    "WordPiece": lambda x: len(x) > 2 and x.startswith("##") and x[2].isalnum(),
}


@dataclasses.dataclass(frozen=True, eq=False)
class Vocabulary:
    """The tokens of a toolkit's vocabulary, and the rows of its tables that belong to this package's ids.

    Attributes:
        tokens: The toolkit's tokens in the order of its ids.
        pad, unknown, begin, end: The toolkit's ids, None for a token that it does not have. `begin` is the id with
            which its decoder begins, which can be the id of another token.
        model: Content of a SentencePiece model that segments texts into the tokens. Defaults to None: a model is made.
        languages: The toolkit's ids of the language labels, in the order of the model's languages. Defaults to none.
        symbols: The toolkit's ids of tokens that were added to its tokenizer, which finds them anywhere in a text.
            Defaults to none.
        strips_spaces: Boolean, whether the tokenizer leaves out the space between a text and a symbol behind it. Both
            kinds of tokenizers begin each text behind a symbol with a space. Defaults to False.
        notes: What to tell users of tokens that cannot be read. Defaults to none.
    """

    tokens: Sequence[str]
    pad: int | None
    unknown: int | None
    begin: int | None
    end: int
    model: bytes | None = None
    languages: Mapping[str, int] = dataclasses.field(default_factory=dict)
    symbols: Mapping[str, int] = dataclasses.field(default_factory=dict)
    strips_spaces: bool = False
    notes: tuple[str, ...] = ()

    @functools.cached_property
    def rows(self) -> list[int]:
        """The toolkit's id for each id of this package; -1 if the toolkit does not have the token."""
        special = [-1 if x is None else x for x in (self.pad, self.unknown, self.begin, self.end)]
        if self.begin is not None and self.begin == self.pad:
            special[0] = -1  # BOS has this row
        special += self.languages.values()
        taken = set(special)
        if self.begin is not None and self._begins_with_text:
            taken.remove(self.begin)
        return special + [i for i in range(len(self.tokens)) if i not in taken]

    @functools.cached_property
    def output_rows(self) -> list[int]:
        """The same as `rows` for logits, where a token that is also BOS has a single logit."""
        is_twice = self._begins_with_text or self.begin in (self.unknown, self.end)
        return [self.rows[0], self.rows[1], -1 if is_twice else self.rows[2], *self.rows[3:]]

    @property
    def _begins_with_text(self) -> bool:
        """Whether the token with which the decoder begins is also one of texts."""
        others = (None, self.pad, self.unknown, self.end)
        return self.begin not in others and not re.fullmatch("[<\\[].*[>\\]]", self.tokens[self.begin or 0])

    def missing_subwords(self) -> str:
        """Returns the name of the subwords that the tokens are, if their model is not there or cannot be read, else "".

        Words between spaces can contain the character that stands for a space, but hardly before a letter.
        """
        tokens = [self.tokens[row] for row in self._text_rows()] if self.model is None else []
        for name, is_piece in PIECES.items():
            if any(map(is_piece, tokens)):
                return name
        return ""

    def make_model(self) -> bytes:
        """Makes a SentencePiece model whose ids are those of this package.

        A given model keeps its rules, and those of its pieces that are tokens. Other tokens become unused pieces; but
        symbols and language tags, such as `>>fra<<`, become pieces to write in texts. If not all bytes are tokens,
        characters without a piece are unknown instead of bytes. Without a given model, the tokens are characters of the
        text if all of them are single characters, otherwise words between spaces.

        Raises:
            UserError: The given model is not a SentencePiece model, or is that of another vocabulary.
        """
        require(self.model != b"", "The subword model of the imported model is empty: get the file again.")
        proto = parse_subwords(self.model or b"", "The subword model of the imported model")
        old = {piece.piece: piece for piece in proto.pieces}
        if old and not any(
            self.tokens[row] in old and old[self.tokens[row]].type in (Piece.NORMAL, Piece.USER_DEFINED, Piece.BYTE)
            for row in self._text_rows()
        ):
            raise UserError(
                "The vocabulary of the imported model has none of the pieces of the subword model beside it, such as "
                f"source.spm: get the files of one model. Received: {len(self.tokens):,} tokens, {len(old):,} pieces"
            )
        texts = {self.tokens[row] for row in self._text_rows()}
        # SentencePiece takes all bytes or none.
        has_bytes = sum(piece.type == Piece.BYTE and name in texts for name, piece in old.items()) == NUM_BYTES
        proto.trainer_spec.byte_fallback = has_bytes
        not_kept = (Piece.CONTROL, Piece.UNKNOWN, *([] if has_bytes else [Piece.BYTE]))
        unused = score_of_unused(proto)
        plain = self.model is None
        are_characters = all(len(self.tokens[row]) == 1 for row in self._text_rows())
        if plain:
            types = proto.trainer_spec
            types.model_type = types.CHAR if are_characters else types.WORD
            proto.normalizer_spec.name = "identity"
            proto.normalizer_spec.add_dummy_prefix = not are_characters
            proto.normalizer_spec.remove_extra_whitespaces = True
        del proto.pieces[:]
        spec = proto.trainer_spec
        spec.vocab_size = len(self.rows)
        for name, symbol in zip(("pad", "unk", "bos", "eos"), RESERVED_SYMBOLS, strict=True):
            setattr(spec, f"{name}_piece", symbol)
        spec.pad_id, spec.unk_id, spec.bos_id, spec.eos_id = range(4)
        for i, symbol in enumerate(RESERVED_SYMBOLS):
            proto.pieces.add(piece=symbol, score=0, type=Piece.UNKNOWN if i == 1 else Piece.CONTROL)
        taken = set(RESERVED_SYMBOLS)
        for label in LanguageLabelModel.labels(list(self.languages)):
            proto.pieces.add(piece=label, score=0, type=Piece.CONTROL)
            taken.add(label)
        symbols, rules = set(self.symbols.values()), proto.normalizer_spec
        has_symbols = bool(symbols) and not plain and rules.add_dummy_prefix and rules.remove_extra_whitespaces
        if has_symbols:
            with errors_as("The rules of the imported subword model are damaged"):
                old_rules = read_rules(rules.precompiled_charsmap)
            rules.precompiled_charsmap = compile_rules(old_rules | self._symbol_rules(old, old_rules))
        for new, row in enumerate(self._text_rows(), 4 + len(self.languages)):
            token = self.tokens[row]
            if row in symbols and not plain:
                before = SPACE if has_symbols else ""
                name, kind, score = before + token.replace(" ", SPACE), Piece.USER_DEFINED, 0.0
            elif token.startswith(">>") and token.endswith("<<") and len(token) > 4 and token not in old:
                # A text begins with a space for SentencePiece, as a rule.
                before = SPACE if proto.normalizer_spec.add_dummy_prefix else ""
                name, kind, score = before + token, Piece.USER_DEFINED, 0.0
            elif plain:
                name = token if are_characters or token.startswith(SPACE) else SPACE + token
                kind, score = Piece.NORMAL, -float(new)
            elif token in old and old[token].type not in not_kept:
                name, kind, score = token, old[token].type, old[token].score
            else:
                name, kind, score = token, Piece.UNUSED, unused
            if not name or name in taken:
                name, kind = f"<unused_{new}>", Piece.UNUSED
            taken.add(name)
            proto.pieces.add(piece=name, score=score, type=kind)
        return proto.SerializeToString()

    def _symbol_rules(self, pieces: Iterable[str], rules: Mapping[str, str]) -> dict[str, str]:
        """Returns rules of normalisation by which SentencePiece segments texts around symbols as the tokenizer does.

        A symbol is a piece that begins with a space, and is not normalised. Behind it, a text begins with a space. The
        space before it is a piece of its own, unless it is stripped, or the symbol is the first of the text.
        """
        if self.strips_spaces:
            return {token: f" {token} " for token in self.symbols}
        before = {piece for piece in pieces if len(piece) == 1 and piece != SPACE}
        before = PUNCTUATION | (before if len(before) * len(self.symbols) <= MAX_RULES else set())
        symbol_rules = {
            f"{x}{token}": f"{rules.get(x, x)}{SPACE}{token} " for token in self.symbols for x in {" "} | before
        }
        return symbol_rules | {token: f"{token} " for token in self.symbols}

    def _text_rows(self) -> list[int]:
        return self.rows[4 + len(self.languages) :]


def score_of_unused(proto: ModelProto) -> float:
    """Returns the score for unused pieces: the lowest, because BPE also tries their merges in the order of scores."""
    return min((piece.score for piece in proto.pieces), default=0.0) - 1


def parse_subwords(content: bytes, path: Path | str) -> ModelProto:
    """Parses the content of a SentencePiece model. Raises a `UserError`, which names the path, for other content."""
    proto = ModelProto()
    with errors_as(f"{path} is not a SentencePiece model, or is damaged", DecodeError):
        proto.ParseFromString(content)
    return proto


def check_rows(tokens: list[str], rows: int, path: Path) -> None:
    """Raises a `UserError` unless a vocabulary has a token for each embedding."""
    require(len(tokens) == rows, f"{path} must have {rows:,} tokens, one for each embedding. Received: {len(tokens):,}")


def read_tokens(path: Path) -> list[str]:
    """Reads a vocabulary from JSON, a list of tokens or an object of their ids, or from text with a token on each line.

    Raises:
        UserError: The file has another form, a token is no string, or see `tokens_of_ids`.
    """
    size = path.stat().st_size
    require(size <= MAX_BYTES, f"{path} must have at most {MAX_BYTES:,} bytes. Received: {size:,}")
    with errors_as(f"{path} is damaged", ValueError, RecursionError):
        text = path.read_text("utf-8")
        tokens = json.loads(text) if path.suffix == ".json" else text.split("\n")[: None if text[-1:] != "\n" else -1]
    if isinstance(tokens, dict):
        tokens = tokens_of_ids(tokens, path)
    if not isinstance(tokens, list):
        raise UserError(f"{path} must be a list of tokens, or an object of ids. Received: {JSON_NAMES[type(tokens)]}")
    return check_tokens(tokens, path)


def check_tokens(tokens: list[Any], path: Path) -> list[str]:
    """Returns tokens. Raises a `UserError` if one is no text that can be encoded as UTF-8."""
    for number, token in enumerate(tokens, 1):
        if not isinstance(token, str):
            raise UserError(f"{path}: tokens must be strings. Received: {one_line(token):.40} as token {number:,}")
        check_utf8(token, f"{path}: a token")
    return tokens


def tokens_of_ids(ids: Mapping[str, Any], path: Path) -> list[str]:
    """Returns the tokens of a vocabulary in the order of their ids.

    Raises:
        UserError: An id is no integer, or the ids have gaps.
    """
    for token, i in ids.items():
        if type(i) is not int:
            raise UserError(
                f"{path} must have an id for each token. Received: {one_line(token):.40}: {one_line(i):.40}"
            )
    if sorted(ids.values()) != list(range(len(ids))):
        raise UserError(
            f"{path} must have the ids from 0, each once. Received: {len(ids):,} tokens, ids up to {max(ids.values())}"
        )
    return sorted(ids, key=ids.__getitem__)
