"""Cleans source text: spaces of all kinds, invisible characters and hyphens. Imports nothing heavy."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Mapping

JOINERS = "\u200c\u200d"  # without them, words of Persian or Sinhala are others, and emoji fall apart
HYPHEN = "\u2010"
LAST = 0xFFFF  # no later character is a space or an invisible character of all scripts


def clean_source(text: str) -> str:
    r"""Returns a text as models with `source_cleaning` read it on the source side.

    - Each space of Unicode, and each tab or separator of lines, becomes a space.
    - Invisible characters that belong to no script disappear: soft hyphens, zero-width spaces, word joiners, marks of
      direction, byte-order marks. The joiners U+200C and U+200D stay.
    - U+2010, and characters that forbid a line break, become their plain counterparts, such as "-".

    Each character is replaced by itself, so the text may be cut anywhere before it is cleaned.

    Example:

    >>> clean_source("10\xa0000 Donau\xaddampf\xadschiffe, E\u2011Mail")
    '10 000 Donaudampfschiffe, E-Mail'
    """
    return text.translate(replacements())


@functools.cache
def unclean() -> re.Pattern[str]:
    """Returns a regular expression of the characters that `clean_source` changes: it finds one faster than cleaning."""
    return re.compile(f"[{re.escape(''.join(map(chr, replacements())))}]")


@functools.cache
def replacements() -> Mapping[int, str]:
    """Returns the replacement of each character that `clean_source` changes, by its code point."""
    new_by_code = {}
    for code in range(LAST + 1):
        character = chr(code)
        new = _cleaned(character)
        if new != character:
            new_by_code[code] = new
    return new_by_code


def _cleaned(character: str) -> str:
    if character.isspace():
        return " "
    # Other format characters belong to one script, or are visible, such as the signs of numbers in Arabic.
    is_of_all_scripts = character < "\u0300" or "\u2000" <= character < "\u2070" or character in "\u061c\ufeff"
    if unicodedata.category(character) == "Cf" and is_of_all_scripts and character not in JOINERS:
        return ""
    kind, _, plain = unicodedata.decomposition(character).partition(" ")
    if kind == "<noBreak>":
        character = chr(int(plain, 16))
    return "-" if character == HYPHEN else character
