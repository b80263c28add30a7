"""The table of search options: types, ranges, defaults, descriptions, and where each option has an effect.

The arguments of a translator, the options of the command line, the search settings in `config.json` and the checks of
a client are those of this table. An option with the name of an argument of a search in `keras_nmt.decoding` is given to
this search. The table imports nothing heavy, because every command reads it at its start.
"""

from __future__ import annotations

import dataclasses
import inspect
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from keras_nmt.errors import UserError, is_integer, is_number, require

if TYPE_CHECKING:
    import numpy as np

UNKNOWN = ("write", "forbid", "replace")
PENALTY_FORMS = ("gnmt", "power")


@dataclasses.dataclass(frozen=True)
class Option:
    """Holds the entries of an option in the table, beside its type, its default and its description.

    Args:
        least, most: Numbers, the range of a number, or of each number of a sequence.
        above, below: Numbers outside of the range, for a range without its ends.
        choices: Tuple of strings, the values of a word.
        group: String, the group of options on the command line: "search" for those of `translate`, `export` and
            `distill`, "more" for those of `translate`, "sampling" or "shortlist". "" for an option in Python alone.
        flag: String, the name on the command line. Defaults to that in Python, with hyphens.
        metavar: String, the name of the value on the command line. Defaults to the choices, or the type.
        shown: String, the default in help texts, if it is not that of the table.
        in_model: Boolean, whether `config.json` may set the default.
        needs_search: Boolean, whether the option is refused when sampling.
        works_with: String, the modes of `keras-nmt translate` in which the option has an effect: "server" and
            "sample" (with a server), "alternatives", "document".
    """

    least: float = -math.inf
    most: float = math.inf
    above: float | None = None
    below: float | None = None
    choices: tuple[str, ...] = ()
    group: str = ""
    flag: str = ""
    metavar: str | None = None
    shown: str = ""
    in_model: bool = False
    needs_search: bool = False
    works_with: str = "alternatives document"

    def has(self, number: float) -> bool:
        """Tells whether a number is in the range. NaN is in none, infinity neither."""
        is_inside = self.least <= number <= self.most and abs(number) < math.inf
        return is_inside and (self.above is None or number > self.above) and (self.below is None or number < self.below)

    @property
    def range(self) -> str:
        """The range in words."""
        least = f"above {self.above:g}" if self.above is not None else f"from {self.least:g}"
        if self.below is not None:
            return f"{least} to below {self.below:g}"
        if self.most == math.inf:
            return least if self.above is not None else f"of at least {self.least:g}"
        most = f"{self.most:,g}" if self.most % 1 else f"{int(self.most):,}"
        return f"{least} and at most {most}" if self.above is not None else f"{least} to {most}"


def described_arguments(cls: type) -> dict[str, str]:
    """Returns the entries under "Args:" in the docstring of a class by name, each on one line."""
    entries = re.findall(r"^    (\w+): ((?:.+\n)(?: {8}.+\n)*)", f"{inspect.getdoc(cls)}\n", re.MULTILINE)
    return {name: " ".join(text.split()) for name, text in entries}


def _option(default: Any, **entries: Any) -> Any:
    return dataclasses.field(default=default, metadata={"option": Option(**entries)})


@dataclasses.dataclass(kw_only=True)
class SearchOptions:
    """The options of a translator's search and batches. Lengths are in tokens, including the end of the sentence.

    Args:
        beam_size: Integer, hypotheses that the search keeps; 1 is greedy search. Defaults to 4.
        length_penalty: Float, exponent alpha of the length penalty: 0 ranks translations by log-probability, a larger
            exponent favours longer ones. From -2 to 10. Defaults to 0.6.
        length_penalty_form: String, the penalty of t tokens, which divides the log-probability: "gnmt" for
            ((5 + t) / 6)^alpha, "power" for t^alpha, as in other toolkits. Defaults to "gnmt".
        patience: Float, end the search when `patience * beam_size` translations are finished. With 1, the search is
            that of fairseq, CTranslate2, and transformers with `early_stopping=True`; see
            `keras_nmt.decoding.beam_search`. A beam of 1 ends with its translation. Defaults to None: the search ends
            when no other translation can get a better score.
        num_hypotheses: Integer, translations per sentence, with different texts: by score, those cut off by the length
            limit last. At most `beam_size`. Defaults to 1.
        min_length: Integer, least number of tokens of a translation without its end, below `max_length`. Only
            with a prefix may a translation be shorter. Defaults to 1: no translation of text is empty.
        max_length: Integer, largest length of a translation. Defaults to the bound of the largest length bucket.
        max_length_factor: Integer, most tokens of a translation for each token of its source. With
            `max_length_offset`, it bounds a translation by its source: at most `max_length_factor * n +
            max_length_offset` tokens for n source tokens without the end, and at least as many as `min_length` needs.
            Defaults to 2; `keras-nmt train` writes a larger one if the training data need it.
        max_length_offset: Integer, see `max_length_factor`. Defaults to 10.
        length_buckets: Lengths in ascending order. Longer texts are truncated to the last. Defaults to 16, 32, 64, 128,
            256.
        batch_buckets: Numbers of sentences in ascending order. Any number of sentences is computed in parts of at most
            the last. Defaults to 1, 4, 16, 64.
        max_batch_tokens: Integer, the largest number of tokens, with padding, in a part of several sentences: parts
            of long sentences have fewer sentences. Defaults to 4096.
        jit_compile: Boolean, whether XLA compiles the model and the search, once for each pair of a length bucket and
            a batch bucket that occurs. Parts are then padded to these buckets instead of to their longest sentence. The
            results are the same. Defaults to False.
        sample: Boolean, draw translations at random, best first, instead of searching. There are `num_hypotheses`;
            `beam_size` has no effect then. Defaults to False. See `keras_nmt.decoding.sampling_search`.
        temperature: Float, divisor of the logits when sampling: below 1 likelier translations, above 1 more varied
            ones. Defaults to 1.
        top_k: Integer, number of likeliest tokens that may be drawn; 0 for all. Defaults to 0.
        top_p: Float, total probability of the likeliest tokens that may be drawn. Defaults to 1, for all tokens.
        coverage_penalty: Float, penalty beta of translations that leave out parts of the source, such as 0.2. It is
            added to the scores of the beam's hypotheses after the search, and so ranks them; 0 for none. Defaults to 0.
            See `keras_nmt.decoding.rerank_by_coverage`.
        repetition_penalty: Float, factor p, above 1, by which tokens that a translation already has become less likely.
            Their logits are multiplied by p or 1 / p, p from 0.01 to 100. It changes scores. Defaults to 1. See
            `keras_nmt.decoding.RepetitionPenalty`.
        no_repeat_ngram_size: Integer, length n of runs that occur only once: no n successive tokens occur twice in a
            translation; 0 allows all. Defaults to 0.
        suppress_sequences: Texts whose subwords never follow one another in a translation. Defaults to none.
        unknown: String, what happens to the unknown subword, which stands for characters without a subword: "write"
            writes it as "⁇"; "forbid" makes it impossible; "replace" writes the source text that it attends to. For an
            unknown subword of the source, that text is its characters, and the word of any other (see
            `Translator.align`). Subwords with bytes have no unknown characters. Defaults to "write".
        prefix_bias_beta: Float, with prefixes: favour them by this share instead of forcing them. Each of the tokens of
            a prefix gets this share of the probability while a translation follows the prefix. Defaults to 0, for
            forced prefixes.
        processors: Sequence of your own `keras_nmt.decoding.LogitProcessor`. Defaults to none.
        shortlist: `keras_nmt.inference.Shortlist`, for a model of one direction: to save time, the search considers
            only the likely target subwords of a batch's source subwords. Probabilities are normalised over these
            candidates, so a translation may depend on the other sentences of its part. Defaults to None, for all
            subwords.
        shortlist_size: Integer, number of candidates of a batch of a shortlist, at least 4. Defaults to 2048.

    Raises:
        UserError: An option has the wrong type or is out of its range.

    Example:

    >>> SearchOptions(beam_size=2, length_buckets=[8, 16]).max_length
    42
    """

    beam_size: int = _option(
        4, least=1, most=1000, group="search", in_model=True, works_with="server alternatives document"
    )
    length_penalty: float = _option(0.6, least=-2, most=10, group="search", in_model=True)  # below: as invalid ones
    length_penalty_form: str = _option("gnmt", choices=PENALTY_FORMS, group="search", in_model=True)
    patience: float | None = _option(
        None,
        above=0,
        most=1000,
        group="search",
        in_model=True,
        needs_search=True,
        shown="the model's setting, or none",
    )
    min_length: int = _option(1, least=0, most=2**16, group="search", in_model=True)
    max_length: int | None = _option(None, least=1, most=2**16, group="search", in_model=True, shown="the model's")
    max_length_factor: int = _option(
        2, least=0, most=1000, group="search", in_model=True, shown="the model's, from its data"
    )
    num_hypotheses: int = _option(
        1,
        least=1,
        most=1000,
        group="more",
        flag="--n-best",
        in_model=True,
        shown="the model's setting, or 1; of a server, 1",
        works_with="server sample",
    )
    coverage_penalty: float = _option(0.0, least=0, most=1000, group="more", in_model=True, needs_search=True)
    repetition_penalty: float = _option(1.0, least=0.01, most=100, group="more")
    no_repeat_ngram_size: int = _option(0, least=0, most=64, group="more", metavar="N", works_with="document")
    suppress_sequences: Sequence[str] = _option(
        (), group="more", metavar="TEXT", shown="none. May be repeated", works_with="document"
    )
    unknown: str = _option("write", choices=UNKNOWN, group="more")
    prefix_bias_beta: float = _option(0.0, least=0, below=1, group="more", metavar="BETA")
    max_length_offset: int = _option(10, least=0, most=2**16, in_model=True)
    length_buckets: Sequence[int] = _option((16, 32, 64, 128, 256), least=1, most=2**16, in_model=True)
    batch_buckets: Sequence[int] = _option((1, 4, 16, 64), least=1, most=2**16, in_model=True)
    max_batch_tokens: int = _option(4096, least=1, most=2**30)
    jit_compile: bool = _option(False)
    sample: bool = _option(False, group="sampling", works_with="server sample document")
    temperature: float = _option(1.0, above=0, group="sampling", works_with="document")
    top_k: int = _option(0, least=0, most=10**7, group="sampling", works_with="document")
    top_p: float = _option(1.0, above=0, most=1, group="sampling", works_with="document")
    processors: Sequence[Any] = _option(())
    shortlist: Any = _option(None, group="shortlist")
    shortlist_size: int = _option(2048, least=4, most=10**7, group="shortlist")  # for the reserved ids

    @property
    def _largest_limit(self) -> int:
        """The length limit of the longest sources: those of the largest bucket."""
        return self.max_length_factor * self.length_buckets[-1] + self.max_length_offset

    @property
    def width(self) -> int:
        """The hypotheses of a sentence that are computed together: the beam, or the samples."""
        return self.num_hypotheses if self.sample else self.beam_size

    def replace(self, **changed: Any) -> SearchOptions:
        """Returns other options.

        A `max_length` that was the default is computed anew. A sampler has no options of a search, such as a model's.
        """
        if changed.get("sample"):
            changed = {**WITHOUT_SEARCH, **changed}
        if self.max_length == self._largest_limit:
            changed = {"max_length": None, **changed}
        return dataclasses.replace(self, **changed)

    def __post_init__(self) -> None:
        for name in TABLE:
            setattr(self, name, checked(name, getattr(self, name)))
        if self.shortlist is None and self.shortlist_size != SearchOptions.shortlist_size:
            self._refuse("{shortlist_size} needs a `shortlist`", "shortlist_size")
        if self.max_length_factor + self.max_length_offset < 1:
            names = "max_length_factor", "max_length_offset"
            self._refuse("One of {max_length_factor} and {max_length_offset} must be above 0", *names)
        if self.max_length is None:
            self.max_length = self._largest_limit
        if self.max_length < least_limit(self):
            problem = "{min_length} must be less than {max_length}, which counts the end of the sentence"
            self._refuse(problem, "min_length", "max_length")
        if self.num_hypotheses > self.beam_size and not self.sample:
            check_hypotheses(self.num_hypotheses, self.beam_size)
        sampling = {name: getattr(self, name) for name in names_of("sampling") if name != "sample"}
        if not self.sample and any(value != getattr(SearchOptions, name) for name, value in sampling.items()):
            raise UserError(f"These options need `sample=True`. Received: {sampling}")
        for name, value in WITHOUT_SEARCH.items():
            if self.sample and getattr(self, name) != value:
                self._refuse(f"{{{name}}} needs a search: leave it out when sampling", name, "sample")

    def arguments_of(self, search: Callable[..., Any]) -> dict[str, Any]:
        """Returns the options that a search of `keras_nmt.decoding` has as arguments, by name."""
        return {name: getattr(self, name) for name in inspect.signature(search).parameters if name in TABLE}

    def _refuse(self, problem: str, *names: str) -> None:
        raise UserError(problem, {name: getattr(self, name) for name in names})


TABLE: dict[str, Option] = {field.name: field.metadata["option"] for field in dataclasses.fields(SearchOptions)}
# The options that a sampler must leave out, with their defaults.
WITHOUT_SEARCH = {name: getattr(SearchOptions, name) for name, option in TABLE.items() if option.needs_search}
TYPES: dict[str, str] = {field.name: str(field.type) for field in dataclasses.fields(SearchOptions)}
_DESCRIPTIONS = described_arguments(SearchOptions)


def names_of(*groups: str) -> list[str]:
    """Returns the names of the options of groups, such as "sampling"."""
    return [name for name, option in TABLE.items() if option.group in groups]


def help_of(name: str) -> str:
    """Returns a short description of an option: the first sentence of its description, and the default.

    Example:

    >>> help_of("beam_size")
    "Hypotheses that the search keeps; 1 is greedy search. Default: the model's setting, or 4."
    """
    option, default = TABLE[name], getattr(SearchOptions, name)
    text = re.sub(r"^(Integer|Float|Boolean|String), ", "", _DESCRIPTIONS.get(name, ""))
    text = re.split(r"\. (?=[A-Z])|\.$", text)[0].replace("`", "")
    default = f"{default:g}" if isinstance(default, float) else default
    of_model = f"the model's setting, or {default}" if option.in_model else default
    shown = "" if TYPES[name] == "bool" else f" Default: {option.shown or of_model}."
    return f"{text[:1].upper()}{text[1:]}.{shown}"


def flag_of(name: str) -> str:
    """Returns the name of an option on the command line.

    Example:

    >>> flag_of("num_hypotheses"), flag_of("beam_size")
    ('--n-best', '--beam-size')
    """
    return (TABLE[name].flag if name in TABLE else "") or f"--{name.replace('_', '-')}"


def checked(name: str, value: Any) -> Any:
    """Checks the type and the range of an option, and returns its value.

    Raises:
        UserError: The value has another type, or is out of its range.

    Example:

    >>> checked("top_p", 1.5)
    Traceback (most recent call last):
        ...
    keras_nmt.errors.UserError: `top_p` must be a number above 0 and at most 1. Received: top_p=1.5
    """
    option, kind = TABLE[name], TYPES[name]
    if kind.endswith(" | None"):
        if value is None:
            return None
        kind = kind.removesuffix(" | None")
    is_list = isinstance(value, Sequence) and not isinstance(value, str)
    if kind in ("int", "float"):
        is_right = (is_integer(value) if kind == "int" else is_number(value)) and option.has(value)
        what = "an integer" if kind == "int" else "a number" if option.most < math.inf else "a finite number"
        wanted = f"{what} {option.range}"
    elif kind == "bool":
        is_right, wanted = isinstance(value, bool), "True or False"
    elif kind == "str":
        is_right, wanted = isinstance(value, str) and value in option.choices, f"one of {', '.join(option.choices)}"
    elif kind == "Sequence[str]":
        is_right, wanted = is_list and all(isinstance(text, str) for text in value), "a list of texts"
    elif kind == "Sequence[int]":
        is_right = is_list and len(value) > 0 and all(is_integer(size) and option.has(size) for size in value)
        is_right = is_right and all(small < large for small, large in pairwise(value))
        wanted = f"integers {option.range} in ascending order"
    else:
        return value
    require(is_right, f"{{{name}}} must be {wanted}", **{name: value})
    return tuple(map(int, value)) if kind == "Sequence[int]" else value


def check_hypotheses(num_hypotheses: int, beam_size: int) -> None:
    """Checks that a beam has as many hypotheses as are asked for; raises a `UserError` otherwise."""
    problem = "{num_hypotheses} must be at most {beam_size}"
    require(num_hypotheses <= beam_size, problem, num_hypotheses=num_hypotheses, beam_size=beam_size)


def least_limit(options: SearchOptions) -> int:
    """Returns the smallest limit of lengths that the least length leaves room for; 1 cuts off all."""
    return options.min_length + 1 if options.min_length > 1 else 1


def check_settings(search: Mapping[str, Any]) -> None:
    """Checks the search settings of a model; raises a `UserError` for an unknown one or a wrong value."""
    for name, value in search.items():
        if name not in TABLE or not TABLE[name].in_model:
            known = ", ".join(name for name, option in TABLE.items() if option.in_model)
            raise UserError(f"Search settings must be {known}. Received: {name}={value!r:.200}")
        checked(name, value)


def with_defaults(search: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Returns options of a translator, with the search settings of a model directory as defaults."""
    unused = WITHOUT_SEARCH if options.get("sample") else {}
    return {**{name: value for name, value in search.items() if name not in unused}, **options}


def search_limits(
    lengths: Iterable[tuple[np.ndarray, np.ndarray]], longest: int, offset: int = SearchOptions.max_length_offset
) -> dict[str, Any]:
    """Computes the limits of lengths that a model needs for text like its training data.

    `lengths` has two integer arrays `[pairs]` for each direction, the numbers of subwords of sources and of their
    targets, without ends; `longest` is the length of the longest sentence, with its end. `offset` is the
    `max_length_offset` of the search.

    Returns:
        `max_length_factor`, the smallest, but at least the default, with which the limit cuts off at most one of 1,000
        targets of each direction; and `length_buckets`, if the default ones do not reach `longest`.

    Example:

    >>> import numpy as np
    >>> search_limits([(np.array([20, 4]), np.array([20, 5])), (np.array([20, 4]), np.array([70, 5]))], longest=600)
    {'max_length_factor': 4, 'length_buckets': [16, 32, 64, 128, 256, 512, 600]}
    """
    import numpy as np  # commands need it later

    factor, buckets = SearchOptions.max_length_factor, list(SearchOptions.length_buckets)
    for source, target in lengths:
        needed = (target + 1 - offset) / source
        factor = max(factor, math.ceil(np.quantile(needed, 0.999, method="higher")))
    limits: dict[str, Any] = {"max_length_factor": min(factor, int(TABLE["max_length_factor"].most))}
    if longest > buckets[-1]:
        while buckets[-1] < longest:
            buckets.append(min(2 * buckets[-1], longest))
        limits["length_buckets"] = buckets
    return limits
