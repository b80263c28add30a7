"""Checks the lines, and what belongs to each, that a translator or a client gets."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from keras_nmt.errors import UserError, check_seed, is_integer, needs_extra, require

if TYPE_CHECKING:
    from numpy.random import RandomState

# In errors of graphs: of the phrases of a batch, and of a prefix.
TOO_MANY_PHRASES = "The phrases have too many alternatives and subwords together"
UNKNOWN_IN_PREFIX = "A prefix has characters that the subwords of the target language do not have"
Languages = str | Iterable[str] | None  # one for all lines, or one for each; None for a model of one direction


class TooManyPhrases(UserError):
    """The phrases of all lines of a request together take too much memory; those of some of the lines may not."""


class Request(NamedTuple):
    """Lines to translate, and what belongs to each, checked."""

    lines: list[str]
    source: str | list[str] | None
    target: str | list[str] | None
    prefixes: list[str] | None
    max_lengths: list[int] | None  # 0 for a line without a limit of its own
    constraints: list[list[str]] | None
    avoid: list[list[str]] | None
    seeds: list[int] | None
    word_scores: bool

    def of_rows(self, rows: Iterable[int]) -> Request:
        """Returns the request of some of the lines."""
        rows = list(rows)
        columns: dict[str, Any] = {
            name: [x[row] for row in rows] for name, x in self._asdict().items() if isinstance(x, list)
        }
        return self._replace(**columns)


def make_request(
    lines: list[str],
    source: Languages = None,
    target: Languages = None,
    *,
    prefixes: Iterable[str] | None = None,
    max_lengths: Iterable[int | None] | None = None,
    constraints: Iterable[Iterable[str]] | None = None,
    avoid: Iterable[Iterable[str]] | None = None,
    seeds: list[int] | None = None,
    word_scores: bool = False,
) -> Request:
    """Checks what belongs to lines; see `Translator.translate`. Lines and seeds are checked already."""
    count = len(lines)
    source, target = (
        x if x is None or isinstance(x, str) else languages_of_lines(x, count, side)
        for x, side in ((source, "source"), (target, "target"))
    )
    return Request(
        lines,
        source,
        target,
        None if prefixes is None else check_prefixes(prefixes, count),
        None if max_lengths is None else _max_lengths(max_lengths, count),
        None if constraints is None else _phrases(constraints, count, "constraints"),
        None if avoid is None else _phrases(avoid, count, "avoid"),
        seeds,
        word_scores,
    )


def check_lines(lines: Iterable[str], first: int = 1) -> list[str]:
    """Returns lines as a list of strings. `first` is the number of the first line, for the error message.

    Raises:
        UserError: `lines` is one string, whose letters would become lines; or a line is not a string, or cannot be
            encoded as UTF-8.

    Example:

    >>> check_lines(line for line in ("a cat", ""))
    ['a cat', '']
    """
    if isinstance(lines, str):
        raise UserError(f"Lines must be a list of strings, not one string. Received: {lines[:40]!r}")
    lines = list(lines)
    for number, line in enumerate(lines, first):
        if not isinstance(line, str):
            raise UserError(f"Lines must be strings. Received: {line!r} as line {number}")
        check_utf8(line, f"Line {number}")
    return lines


def check_utf8(text: str, what: str) -> None:
    """Checks that UTF-8 can encode a text: it has no lone surrogates. `what` names the text in the error."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise UserError(
            f"{what} cannot be encoded as UTF-8: {error.reason}, character {error.start + 1}. Received: {text[:40]!r}"
        ) from None


def check_pairs(sources: Iterable[str], targets: Iterable[str]) -> tuple[list[str], list[str]]:
    """Returns sources and targets as lists of strings, and checks that there are equally many."""
    sources, targets = check_lines(sources), check_lines(targets)
    problem = f"There must be a target for each source. Received: {len(sources)} source(s), {len(targets)} target(s)"
    require(len(sources) == len(targets), problem)
    return sources, targets


def check_prefixes(prefixes: Iterable[str], count: int) -> list[str]:
    """Returns prefixes as a list of strings, and checks that there is one for each of `count` lines."""
    prefixes = check_lines(prefixes)
    if len(prefixes) != count:
        raise UserError(f"There must be a prefix for each line. Received: {count} line(s), {len(prefixes)} prefix(es)")
    return prefixes


def unknown_in_prefix(received: str) -> UserError:
    """Returns the error about a prefix that no translation begins with."""
    advice = "leave them out, or train subwords with `byte_fallback`"
    return UserError(f"{UNKNOWN_IN_PREFIX}: {advice}. Received: {received}")


def _max_lengths(max_lengths: Iterable[int | None], count: int) -> list[int]:
    """Returns the limit of each of `count` lines, 0 for None, and checks that they are integers of at least 1."""
    limits = list(max_lengths)
    if len(limits) != count:
        raise UserError(
            f"`max_lengths` must have a limit for each line. Received: {count} line(s), {len(limits)} limit(s)"
        )
    for number, limit in enumerate(limits, 1):
        if limit is not None and not (is_integer(limit) and 1 <= limit < 2**31):
            raise UserError(
                f"`max_lengths` must be integers of at least 1, or None. Received: line {number}, {limit!r:.40}"
            )
    return [int(limit or 0) for limit in limits]


def _phrases(phrases: Iterable[Iterable[str]], count: int, name: str) -> list[list[str]]:
    """Returns the phrases of each of `count` lines, without empty ones at the end; checks that each line has a list."""
    lists = []
    for number, of_line in enumerate(phrases, 1):
        some = list(of_line) if isinstance(of_line, Iterable) and not isinstance(of_line, str) else of_line
        if not isinstance(some, list) or not all(isinstance(phrase, str) for phrase in some):
            raise UserError(f"`{name}` must be a list of phrases for each line. Received: line {number}, {some!r}")
        for phrase in some:
            check_utf8(phrase, f"A phrase of line {number}")
        while some and not some[-1]:
            some.pop()
        lists.append(some)
    if len(lists) != count:
        raise UserError(f"`{name}` must have a list for each line. Received: {count} line(s), {len(lists)} list(s)")
    return lists


def padded_phrases(phrases: list[list[str]]) -> list[list[str]]:
    """Pads the phrases of each line with "" to the same number, which is at least 1, for a tensor.

    Example:

    >>> padded_phrases([["Haus|Gebäude", "alt"], []])
    [['Haus|Gebäude', 'alt'], ['', '']]
    """
    longest = max([1, *map(len, phrases)])
    return [[*of_line, *[""] * (longest - len(of_line))] for of_line in phrases]


def languages_of_lines(languages: str | Iterable[str], count: int, side: str) -> list[str]:
    """Returns the language of each of `count` lines, given one for all or one for each; `side` names it in messages.

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
            raise UserError(f"A {side} language must be a string. Received: {name!r}")
    if len(names) != count:
        raise UserError(
            f"There must be a {side} language for each line, or one for all. "
            f"Received: {len(names)} language(s), {count} line(s)"
        )
    return names


def seeds_of_lines(seeds: int | RandomState | Iterable[int], count: int) -> list[int]:
    """Returns the seed of each of `count` lines: integers of 32 bits, one given for each line or all drawn.

    An integer from 0 to below 2**32 makes the generator that draws them. The next numbers of a NumPy generator are the
    seeds of lines that come in parts.

    Raises:
        UserError: The number of seeds differs from the number of lines, or a seed is out of its range.

    Example:

    >>> seeds_of_lines([3, -4], 2)
    [3, -4]
    """
    if isinstance(seeds, Iterable):
        numbers = list(seeds)
        require(
            len(numbers) == count,
            f"There must be a seed for each line. Received: {count} line(s), {len(numbers)} seed(s)",
        )
        for seed in numbers:
            if not is_integer(seed) or not -(2**31) <= seed < 2**31:
                raise UserError(f"The seed of a line must be an integer of 32 bits. Received: {seed!r}")
        return list(map(int, numbers))
    with needs_extra("drawing seeds (or give a seed for each line)", "serving", "sample"):
        from numpy.random import RandomState  # a client that draws no seeds needs no NumPy
    if not isinstance(seeds, RandomState):
        check_seed(seeds=seeds)
        seeds = RandomState(int(seeds))
    drawn: list[int] = seeds.randint(2**31 - 1, size=count).tolist()
    return drawn
