"""Lists which elements are not translated, and which separate texts, by specifications.

The one table of elements and attributes whose contents stay as they are:

| markup | specification | elements | attributes |
| --- | --- | --- | --- |
| HTML | HTML Living Standard | `CODE`, `RAW` | `translate="no"` |
| HTML | Google Translate | | the class `notranslate` |
| XML | XLIFF 1.2 | `bpt`, `ept`, `it`, `ph` | `translate="no"`, `mtype="protected"` |
| XML | XLIFF 2.0 to 2.2, DITA 1.3 | | `translate="no"` |
| XML | TMX 1.4b | `bpt`, `ept`, `it`, `ph`, `ut` | |
| XML | ITS 2.0 | | `its:translate="no"` |

`translate="yes"` inside of them, or beside such a name, is translated, except in `RAW`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from keras_nmt.errors import UserError


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


CODE = _names("code kbd math pre samp svg textarea var")
RAW = frozenset(("script", "style"))
NATIVE_CODE = frozenset(("bpt", "ept", "it", "ph", "ut"))
NOTES = frozenset(("sub", "sup"))  # of HTML: without letters, they are numbers of footnotes, powers and the like

VOID = _names("area base br col embed hr img input link meta param source track wbr")
# Elements of HTML that separate texts, as paragraphs do.
BLOCKS = _names(
    "address article aside blockquote body button caption center col colgroup dd details dialog dir div dl dt "
    "fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li "
    "link main menu meta nav noscript ol optgroup option p pre script section select style summary table "
    "tbody td template textarea tfoot th thead title tr ul"
)
# Elements around a whole file, which has texts of several languages: of XLIFF and TMX, which may be in another one, and
# of Qt Linguist and TBX 2 and 3.
FILES = _names("xliff tmx")
ROOTS = FILES | _names("TS martif tbx")
# The beginning of such a file: a declaration, comments, and the element or its document type.
_FILE = re.compile(
    rf"\s*(?>(?:<\?[^>]*>|<!--.*?-->)\s*)*+<(?:!DOCTYPE\s+)?(?:\w+:)?(?:{'|'.join(sorted(ROOTS))})[\s>]", re.DOTALL
)
# Elements of XLIFF and TMX within texts, in a document where most other elements separate texts.
INLINE = NATIVE_CODE | _names("bx cp ec em ex g hi mrk pc sc sm x")
# Tags of XLIFF and TMX that begin and end a span, and are no element together.
SPANS = {"bpt": "ept", "bx": "ex", "sc": "ec", "sm": "em"}


def is_protected(markup: str, name: str, attributes: Mapping[str, str | None]) -> bool | None:
    """Returns whether the contents of an element stay (True), are translated (False), or as those around it (None).

    Example:

    >>> [is_protected(*x) for x in (("html", "code", {}), ("xml", "mrk", {"translate": "yes"}), ("xml", "code", {}))]
    [True, False, None]
    """
    name = name.rpartition(":")[2]
    if markup == "html":
        if name in RAW:
            return True
        value = {"no": True, "yes": False, "": False}.get((attributes.get("translate", "-") or "").lower())
        if value is None and (name in CODE or "notranslate" in (attributes.get("class") or "").lower().split()):
            return True
        return value
    value = {"no": True, "yes": False}.get(attributes.get("translate", attributes.get("its:translate")) or "")
    if value is None and (name in NATIVE_CODE or attributes.get("mtype") == "protected"):
        return True
    return value


def span_key(attributes: Mapping[str, str | None]) -> str:
    """Returns what the begin and the end of a span of XLIFF or TMX have in common."""
    return next((value for name in ("rid", "startref", "i", "id") if (value := attributes.get(name))), "")


def error_of_file(received: str) -> UserError:
    """Returns the error about a whole file of texts beside their translations, where lines of text are expected."""
    return UserError(
        "A file of XLIFF, TMX, TBX or Qt Linguist has texts of several languages between its tags: write those that "
        f"you want as plain lines. Received: {received}"
    )


def begins_file(text: str) -> bool:
    """Returns whether a text begins as a file of XLIFF, TMX, TBX or Qt Linguist does.

    Example:

    >>> [begins_file(text) for text in ('<?xml version="1.0"?>\\n<tmx version="1.4">', "<p>a</p>", "tmx")]
    [True, False, False]
    """
    return _FILE.match(text) is not None
