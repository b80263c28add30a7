"""Rules by which a SentencePiece model lower-cases text."""

from __future__ import annotations

import functools
import sys
import unicodedata
from collections.abc import Iterator

# Beside NFKC, SentencePiece's `nmt_nfkc` replaces some characters by a space and removes others.
SPACES = (0x9, 0xA, 0xC, 0xD, 0x1680, *range(0x200B, 0x2010), 0x2028, 0x2029, 0x2581, 0xFEFF, 0xFFFD)
REMOVED = (*range(0x1, 0x9), 0xB, *range(0xE, 0x20), 0x7F, 0x8F, 0x9F)


@functools.cache  # half a second for each training of subwords
def lowercase_rules() -> str:
    r"""Rules of normalisation with lower-casing, for SentencePiece's trainer (`normalization_rule_tsv`).

    The rules are NFKC, then the lower case of each character. Unlike the case folding of `nmt_nfkc_cf`, the rules keep
    "ß". Letters with separate accents are composed. A subword model that was trained with the rules lower-cases every
    text itself, so no other part of a system has to, including a server.

    Returns:
        String of lines with two columns, a tab between: the characters to replace and the replacement, as hexadecimal
        code points.

    Example:

    >>> rules = dict(line.split("\t") for line in lowercase_rules().splitlines())
    >>> rules["41"], rules["41 308"]  # A to a, A and diaeresis to ä
    ('61', 'E4')
    """
    rules: dict[str, str] = dict(_rules())
    return "".join(f"{_codes(old)}\t{_codes(new)}\n" for old, new in sorted(rules.items()) if old != new)


def _rules() -> Iterator[tuple[str, str]]:
    for code in (*range(1, 0xD800), *range(0xE000, sys.maxunicode + 1)):
        character = chr(code)
        if unicodedata.category(character) in ("Cn", "Co"):
            continue
        lower = _lower(character)
        yield character, " " if code in SPACES else "" if code in REMOVED else lower
        decomposed = unicodedata.normalize("NFD", character)
        if len(decomposed) > 1 and not 0xAC00 <= code < 0xD7A4:  # SentencePiece composes Hangul syllables
            yield decomposed, lower
            base = unicodedata.normalize("NFC", decomposed[:-1])
            if len(base) == 1:
                yield base + decomposed[-1], lower


def _lower(text: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).lower())


def _codes(text: str) -> str:
    return " ".join(f"{ord(character):X}" for character in text)
