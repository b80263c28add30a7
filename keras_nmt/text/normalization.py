"""Makes the rules by which a SentencePiece model normalises text."""

from __future__ import annotations

import functools
import itertools
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Literal

SPACE = 0x2581  # stands for a space in SentencePiece's normalised text
SEPARATORS = (0x9, 0xA, 0xB, 0xC, 0xD, 0x1C, 0x1D, 0x1E, 0x85, 0x2028, 0x2029)  # those of `str.splitlines`, and tab
BYTE_ORDER_MARK = 0xFEFF
# After NFKC, SentencePiece's `nmt_nfkc` replaces some characters with a space, removes others, and keeps one.
SPACES_OF_NMT = (0x9, 0xA, 0xC, 0xD, 0x1680, 0x200B, 0x200C, 0x200E, 0x200F, 0x2028, 0x2029, 0x2581, 0xFEFF, 0xFFFD)
KEPT_BY_NMT = "\uff5e"  # the full-width tilde
REMOVED_BY_NMT = (*range(0x1, 0x9), 0xB, *range(0xE, 0x20), 0x7F, 0x8F, 0x9F)
LAST = 0x2FFFF  # later characters neither decompose nor have another case
# A letter of a script without spaces, as a regular expression: Thai, Lao, Tibetan, Burmese, Khmer, kana, Chinese.
UNSPACED = (
    "[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\uff66-\uff9f\U00020000-\U0003ffff]"
)
OTHER_WIDTH = range(0xFF01, 0xFFA0)  # full-width ASCII and half-width kana, which accents may follow


def normalization_rules(normalization: str, lowercase: bool = False) -> str:
    r"""Makes the rules of a normalisation for SentencePiece's trainer (`normalization_rule_tsv`).

    | `normalization` | the text that a model reads and learns to write |
    | --- | --- |
    | `"nfc"` | Unicode's NFC: letters and their accents are composed; `，！…①½™ﬁ²` and all kinds of spaces stay. Tabs \
and line separators become spaces; other control characters (except U+0000) and byte-order marks are removed |
    | `"nfkc"` | NFKC, which turns `，！…①½™ﬁ²` into `,!...11⁄2TMfi2`, and SentencePiece's `nmt_nfkc`: all kinds of \
spaces, and U+200B to U+200F except U+200D, become spaces |
    | `"identity"` | the text as it is written |

    With each of them, spaces (U+0020) at the start and the end are removed, several in a row become one, and U+2581
    becomes a space. A SentencePiece model contains its rules, so they hold wherever the model is used. The rules
    compose a letter with the accents that have a composed form; further accents of the letter keep their order.

    Args:
        normalization: String, "nfc", "nfkc" or "identity".
        lowercase: Boolean, whether letters become lower case before they are composed; for "nfc" and "nfkc". Unlike
            `nmt_nfkc_cf`, this keeps "ß". Defaults to False.

    Returns:
        String of lines with two columns separated by a tab: the characters to replace and their replacement, as
        hexadecimal code points.

    Example:

    >>> rules = dict(line.split("\t") for line in normalization_rules("nfc", lowercase=True).splitlines())
    >>> rules["41"], rules["41 308"]  # A to a, A and diaeresis to ä
    ('61', 'E4')
    """
    return write_rules(make_rules(normalization, lowercase))


def write_rules(rules: Mapping[str, str]) -> str:
    """Returns the lines that SentencePiece's trainer reads of what each text becomes; see `normalization_rules`."""
    return "".join(f"{_codes(old)}\t{_codes(new)}\n" for old, new in rules.items())


@functools.cache  # takes half a second
def make_rules(normalization: str, lowercase: bool) -> Mapping[str, str]:
    """Returns what each text becomes by a normalisation; for the arguments, see `normalization_rules`.

    SentencePiece's own `nmt_nfkc` would do for "nfkc", but it does not order several accents of a letter.
    """
    if normalization == "identity":
        return {chr(SPACE): " "}
    form: Literal["NFC", "NFKC"] = "NFC" if normalization == "nfc" else "NFKC"

    def normalized(text: str) -> str:
        text = unicodedata.normalize(form, text)
        return unicodedata.normalize(form, text.lower()) if lowercase else text

    rules = {**dict(_letters(normalized)), **dict(_cleaned(form))}
    return {old: new for old, new in sorted(rules.items()) if old != new}


def _letters(normalized: Callable[[str], str]) -> Iterator[tuple[str, str]]:
    """Yields the rules of each character that changes, and of each spelling of a letter by several characters."""
    others: dict[str, list[str]] = defaultdict(list)  # characters that are read as a decomposition, by decomposition
    composed: dict[str, str] = {}  # letters by their decomposition into several characters
    for code in (*range(1, 0xD800), *range(0xE000, LAST + 1)):
        character = chr(code)
        decomposed = unicodedata.normalize("NFD", character)
        if decomposed == character == character.lower() and not unicodedata.decomposition(character):
            continue
        new = normalized(character)
        yield character, new
        read = unicodedata.normalize("NFD", new)
        composed |= {spelling: new for spelling in (decomposed, read) if len(spelling) > 1 == len(new)}
        if decomposed.lower() == read.lower() or code in OTHER_WIDTH:  # not letters of another style, such as "𝐚"
            others[read].append(character)

    def spelled(rest: str) -> Iterator[str]:
        if not rest:
            yield ""
        for end in range(1, len(rest) + 1):
            for first in {*others.get(rest[:end], ()), *(rest[:1] if end == 1 else ())}:
                yield from (first + more for more in spelled(rest[end:]))

    for decomposed, letter in composed.items():
        base = decomposed[0]
        for order in set(itertools.permutations(decomposed[1:])):
            if unicodedata.normalize("NFD", base + "".join(order)) == decomposed:
                yield from ((old, letter) for old in spelled(base + "".join(order)))


def _cleaned(form: str) -> Iterator[tuple[str, str]]:
    """Yields the rules of characters that are removed or become a space."""
    spaces: tuple[int, ...]
    removed: tuple[int, ...]
    if form == "NFKC":
        spaces, removed = SPACES_OF_NMT, REMOVED_BY_NMT
        yield KEPT_BY_NMT, KEPT_BY_NMT
    else:
        spaces, removed = (*SEPARATORS, SPACE), (*range(0x1, 0x20), *range(0x7F, 0xA0), BYTE_ORDER_MARK)
    yield from ((chr(code), "") for code in removed)
    yield from ((chr(code), " ") for code in spaces)


def _codes(text: str) -> str:
    return " ".join(f"{ord(character):X}" for character in text)
