"""Checks of the lines, languages and seeds that a translator or a client receives; imports nothing heavy."""

from __future__ import annotations

import numbers
from collections.abc import Iterable
from typing import TYPE_CHECKING

from keras_nmt.errors import UserError, install_extra

if TYPE_CHECKING:
    from numpy.random import RandomState

Languages = str | Iterable[str] | None  # of all lines, or of each line; None for a model of one direction


def check_lines(lines: Iterable[str]) -> list[str]:
    """Returns lines as a list of strings.

    Raises:
        UserError: `lines` is one string, whose letters would be taken for lines; or a line is not a string, or cannot
            be written as UTF-8.

    Example:

    >>> check_lines(line for line in ("a cat", ""))
    ['a cat', '']
    """
    if isinstance(lines, str):
        raise UserError(f"Give a list of lines, not one string. Received: {lines[:40]!r}")
    lines = list(lines)
    for number, line in enumerate(lines, 1):
        if not isinstance(line, str):
            raise UserError(f"Lines are strings, and line {number} is no string. Received: {line!r}")
        check_utf8(line, f"Line {number}")
    return lines


def check_utf8(text: str, what: str) -> None:
    """Raises a `UserError` if a text has half of a character, a lone surrogate, which UTF-8 cannot write.

    Args:
        text: String.
        what: String, what the text is, for the error message.

    Example:

    >>> check_utf8("zürich", "Line 1")
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise UserError(
            f"{what} cannot be written as UTF-8: {error.reason}, character {error.start + 1}. Received: {text[:40]!r}"
        ) from None


def check_pairs(sources: Iterable[str], targets: Iterable[str]) -> tuple[list[str], list[str]]:
    """Checks lines, and that there are as many targets as sources.

    Example:

    >>> check_pairs(["a cat"], ["eine Katze"])
    (['a cat'], ['eine Katze'])
    """
    sources, targets = check_lines(sources), check_lines(targets)
    if len(sources) != len(targets):
        raise UserError(
            f"There must be a target for each source. Received: {len(sources)} sources, {len(targets)} targets"
        )
    return sources, targets


def check_prefixes(prefixes: Iterable[str], count: int) -> list[str]:
    """Checks lines, and that there is one for each of `count` lines to translate.

    Example:

    >>> check_prefixes(["eine"], 1)
    ['eine']
    """
    prefixes = check_lines(prefixes)
    if len(prefixes) != count:
        raise UserError(f"There must be a prefix for each line. Received: {count} lines, {len(prefixes)} prefixes")
    return prefixes


def languages_of_lines(languages: str | Iterable[str], count: int, side: str) -> list[str]:
    """The language of each line.

    Args:
        languages: String, the language of all lines, or an iterable of strings, one for each line.
        count: Integer, the number of lines.
        side: String, "source" or "target", for the error message.

    Raises:
        UserError: The number of languages differs from the number of lines, or a language is not a string.

    Example:

    >>> languages_of_lines("de", 2, "source")
    ['de', 'de']
    """
    if isinstance(languages, str):
        return [languages] * count
    names = list(languages) if isinstance(languages, Iterable) else [languages]
    for name in names:
        if not isinstance(name, str):
            raise UserError(f"A {side} language is a string. Received: {name!r}")
    if len(names) != count:
        raise UserError(
            f"There must be a {side} language for each line, or one for all. "
            f"Received: {len(names)} languages, {count} lines"
        )
    return names


def seeds_of_lines(seeds: int | RandomState | Iterable[int], count: int) -> list[int]:
    """The seed of each line, given or drawn.

    Args:
        seeds: Iterable of integers of 32 bits, one for each line; or an integer from 0 to below 2**32, from which the
            seeds of all lines are drawn; or a NumPy generator, whose next numbers are the seeds, so that lines may
            come in parts.
        count: Integer, the number of lines.

    Raises:
        UserError: The number of seeds differs from the number of lines, or a seed is out of its range.

    Example:

    >>> seeds_of_lines([3, -4], 2)
    [3, -4]
    """
    if isinstance(seeds, Iterable):
        given = list(seeds)
        if len(given) != count:
            raise UserError(f"There must be a seed for each line. Received: {count} lines, {len(given)} seeds")
        for seed in given:
            if not isinstance(seed, numbers.Integral) or not -(2**31) <= seed < 2**31:
                raise UserError(f"A line's seed is an integer of 32 bits. Received: {seed!r}")
        return list(map(int, given))
    try:
        from numpy.random import RandomState  # here: a client that draws no seeds needs no NumPy
    except ImportError:
        raise UserError(
            f"Drawing seeds needs NumPy: {install_extra('serving', 'sample')}. Or give each line's seed. "
            f"Received: seeds={seeds!r}"
        ) from None
    if not isinstance(seeds, RandomState):
        if not isinstance(seeds, numbers.Integral) or not 0 <= seeds < 2**32:
            raise UserError(f"The seed of all lines is an integer from 0 to below 2**32. Received: {seeds!r}")
        seeds = RandomState(int(seeds))
    drawn: list[int] = seeds.randint(2**31 - 1, size=count).tolist()
    return drawn
