"""Target-language tags: subwords of the source, such as `>>deu<<`, that say into which language to translate."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sentencepiece.sentencepiece_model_pb2 import ModelProto

from keras_nmt.errors import UserError
from keras_nmt.text.language_codes import known_languages, near_languages
from keras_nmt.text.line_tags import NO_LANGUAGE, TAG, TaggedLine, split_tag
from keras_nmt.text.lines import Languages

SPACE = "\u2581"  # SentencePiece's mark of a space
_IN_BYTES = re.compile(TAG.pattern.encode())  # a fast search in a whole model


class TargetTags:
    """The target-language tags of a model of one direction: user-defined subwords of the source.

    Args:
        proto: Bytes, the SentencePiece model of the source. Defaults to none, without tags.

    Attributes:
        texts: Dictionary of the tags by language.

    Example:

    >>> proto = ModelProto(pieces=[ModelProto.SentencePiece(piece=x, type=4) for x in (">>deu<<", ">>fra<<")])
    >>> tags = TargetTags(proto.SerializeToString())
    >>> list(tags.texts), tags.split(">>fra<< A man sleeps.")
    (['deu', 'fra'], TaggedLine(language='fra', tag='>>fra<< ', text='A man sleeps.'))
    """

    def __init__(self, proto: bytes = b"") -> None:
        self.texts: dict[str, str] = {}
        for piece in ModelProto.FromString(proto).pieces if _IN_BYTES.search(proto) else ():
            if piece.type == piece.USER_DEFINED and (match := TAG.fullmatch(piece.piece.removeprefix(SPACE))):
                self.texts.setdefault(match[1] or match[2], match[0])

    def __bool__(self) -> bool:
        return bool(self.texts)

    @property
    def pattern(self) -> str:
        """A regular expression, also of RE2, of all tags."""
        return f"(?:{'|'.join(map(re.escape, self.texts.values()))})"

    @property
    def example(self) -> str:
        """One of the tags."""
        return next(iter(self.texts.values()))

    def split(self, line: str) -> TaggedLine:
        """Takes the tag from the beginning of a line, if it is a tag of the model."""
        tagged = split_tag(line)
        return tagged if tagged.language in self.texts else TaggedLine(NO_LANGUAGE, "", line)

    def with_space(self, line: str) -> str:
        """Returns a line with a space behind its tag, without which a model reads the first word as part of a word."""
        _, tag, text = self.split(line)
        return f"{tag} {text}" if tag and text and not tag[-1].isspace() else line

    def of_lines(self, lines: Sequence[str], target: Languages, first: int = 1) -> list[str]:
        """Returns the language whose tag each line needs in front, `NO_LANGUAGE` for a line that has its tag.

        `target` is the language of all lines, or one for each, `NO_LANGUAGE` for lines with a tag; None if all have.
        `first` is the number of the first line, for messages.

        Raises:
            UserError: The model does not have a language, or a line has the tag of another one.
        """
        if target is None:
            return [NO_LANGUAGE] * len(lines)
        names = known_languages(target, len(lines), "target", (NO_LANGUAGE, *self.texts))
        needed = []
        for number, (line, name) in enumerate(zip(lines, names, strict=True), first):
            of_line = self.split(line).language
            if of_line not in (name, NO_LANGUAGE) and name != NO_LANGUAGE:
                raise UserError(
                    f"Line {number} begins with the tag of another language: leave out the tag, or the target "
                    f"language. Received: {line[:40]!r}, target={name!r}"
                )
            needed.append(NO_LANGUAGE if of_line == name else name)
        return needed

    def untagged(self, lines: Sequence[str], first: int = 1) -> list[tuple[int, str]]:
        """Returns the lines with text but without a tag of the model, and their numbers from `first`."""
        return [
            (number, line) for number, line in enumerate(lines, first) if line.strip() and not self.split(line).language
        ]

    def warning(self, count: int, number: int, line: str) -> str:
        """Returns what to say of `count` lines without a tag of the model, the first of which has this number."""
        language, tag, _ = split_tag(line)
        meant = near_languages(language, self.texts) if tag else []
        near = f", such as {' or '.join(meant)} for {tag.strip()}" if meant else ""
        return (
            f"{count} line(s), the first of them line {number}, do not begin with a tag of the model, such as "
            f"{self.example}: their translations may be in any of its languages. --target-language LANGUAGE (`target`) "
            f"puts the tag before each sentence. The model has {', '.join(self.texts)}{near}."
        )
