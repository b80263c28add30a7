"""Spans of text that stay as they are, such as placeholders and addresses."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable

from keras_nmt.errors import UserError, errors_as

_FORMAT = r"%(?:\d+\$|\(\w+\))?[-+#0]*(?:\d+|\*)?(?:\.(?:\d+|\*))?(?:hh?|ll?|[jqtzL])?[@AEFGXacdefginopsux]"
# "100 %ig" is a number with a unit, "100 %i" has a placeholder.
_PRINTF = rf"(?<![\d%])(?<!\d[ \xa0\u2009\u202f]){_FORMAT}|(?<=\d[ \xa0\u2009\u202f]){_FORMAT}(?!\w)"
_BRACES = r"[$#%]?(?:\{\{[^{}]*\}\}|\{[^{}\s]*\})|\{\w+,\s*(?:date|number|time)\b[^{}]*\}"
_IN_URL = r"[^\s<>\"()、。，）」』]"
_END_OF_URL = r"[^\s<>\"().,;:!?'\]}…’”»、。，）」』]"
# Schemes and names of mailboxes have limits, so that any text takes linear time.
_URL = (
    rf"(?:\b[A-Za-z][\w+.-]{{0,40}}://|\bmailto:|\bwww\.)(?:{_IN_URL}|\({_IN_URL}*\))*(?:{_END_OF_URL}|\({_IN_URL}*\))"
)
# Patterns that have names. The placeholders are those of printf, of Windows and Symfony (%name%), and those in braces.
NAMED = {
    "placeholders": rf"(?<!\w)%[A-Za-z_]\w+%(?!\w)|{_PRINTF}|%%|{_BRACES}",
    "urls": rf"{_URL}|\b[\w.+-]{{1,64}}@[\w-]+(?:\.[\w-]+)+",
}


class KeptText:
    """Finds spans of text that stay as they are.

    `patterns` are regular expressions of Python, or names of `NAMED`: "placeholders", and "urls", which are also
    addresses of mail.

    Raises:
        UserError: A pattern is not a string, or not a regular expression; or `patterns` is one string.

    Example:

    >>> text = "Hello %1$s, see (https://a.org/b_(c)) and {name}: 100% free."
    >>> [text[start:stop] for start, stop in KeptText(["placeholders", "urls"]).spans(text)]
    ['%1$s', 'https://a.org/b_(c)', '{name}']
    """

    def __init__(self, patterns: Iterable[str]) -> None:
        if isinstance(patterns, str):
            raise UserError(f"`keep` must be a list of patterns. Received: keep={patterns!r}")
        self._compiled = [_compiled(pattern) for pattern in patterns]

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Returns where spans begin and end, in ascending order. Spans that overlap are one."""
        spans: list[tuple[int, int]] = []
        for start, stop in sorted(match.span() for pattern in self._compiled for match in pattern.finditer(text)):
            if start == stop:
                continue
            if spans and start < spans[-1][1]:
                start, stop = spans[-1][0], max(stop, spans.pop()[1])
            spans.append((start, stop))
        return spans


@functools.lru_cache
def _compiled(pattern: str) -> re.Pattern[str]:
    if not isinstance(pattern, str) or not pattern:
        raise UserError(f"A pattern of `keep` must be a string that is not empty. Received: {pattern!r}")
    with errors_as(
        f"A pattern of `keep` must be a regular expression, or {' or '.join(NAMED)}. Received: {pattern!r}",
        re.error,
        RecursionError,
        OverflowError,
    ):
        return re.compile(NAMED.get(pattern, pattern))
