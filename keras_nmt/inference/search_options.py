"""The options of a translator, and their checks. Imports nothing heavy."""

from __future__ import annotations

import dataclasses
import math
import numbers
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from keras_nmt.errors import UserError, is_integer, nearest
from keras_nmt.files.model_config import LENGTH_PENALTIES, LIMITS, check_limits
from keras_nmt.text.lines import check_utf8

if TYPE_CHECKING:
    import numpy as np

    from keras_nmt.decoding import LogitProcessor
    from keras_nmt.inference.shortlist import Shortlist

SAMPLING = ("temperature", "top_k", "top_p")
UNKNOWN = ("write", "forbid", "replace")


@dataclasses.dataclass(kw_only=True)
class SearchOptions:
    """The options of a translator's search and batches. Lengths are in tokens, including the end of the sentence.

    The largest values are those of `keras_nmt.files.model_config.LIMITS`.

    Args:
        beam_size: Integer, hypotheses that the search keeps; 1 is greedy search. Defaults to 4.
        length_penalty: Float, exponent alpha of the length penalty ((5 + t) / 6)^alpha, from -2 to 10: 0 ranks
            translations by log-probability, a larger exponent favours longer ones. Defaults to 0.6.
        num_hypotheses: Integer, translations per sentence, at most `beam_size`. Defaults to 1.
        min_length: Integer, the least number of tokens of a translation without its end, below `max_length`. Only
            with a prefix may a translation be shorter. Defaults to 1: no translation of text is empty.
        max_length: Integer, the largest length of a translation. Defaults to the bound of the largest length bucket.
        max_length_factor: Integer. With `max_length_offset`, it bounds a translation by its source: at most
            `max_length_factor * n + max_length_offset` tokens for n source tokens without the end, and at least as many
            as `min_length` needs. Defaults to 2; `keras-nmt train` writes a larger one if the training data need it.
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
        sample: Boolean, whether to draw `num_hypotheses` translations at random, best first, instead of a search.
            `beam_size` has no effect then. Defaults to False. See `keras_nmt.decoding.sampling_search`.
        temperature: Float, the divisor of the logits when sampling, above 0. Defaults to 1.
        top_k: Integer, the number of likeliest tokens that may be drawn; 0 for all. Defaults to 0.
        top_p: Float, the total probability of the tokens that may be drawn. Defaults to 1, for all tokens.
        coverage_penalty: Float beta of the coverage penalty, which is added to the scores of the beam's hypotheses
            after the search, and so ranks them; 0 for none. Defaults to 0. See `keras_nmt.decoding.rerank_by_coverage`.
        repetition_penalty: Float p, from 0.01 to 100: tokens that a translation already has become less likely, by the
            factor p or 1 / p of their logits. It changes scores. Defaults to 1. See
            `keras_nmt.decoding.RepetitionPenalty`.
        no_repeat_ngram_size: Integer n, at most 64: no n successive tokens occur twice in a translation; 0 allows all.
            Defaults to 0.
        suppress_sequences: Texts whose subwords never follow one another. Defaults to none.
        unknown: What happens to the unknown subword, which stands for characters without a subword: "write" writes it
            as "⁇"; "forbid" makes it impossible; "replace" writes the source text that it attends to (see
            `Translator.align`): the characters of an unknown subword, or the word of any other. Subwords with bytes
            have no unknown characters. Defaults to "write".
        prefix_bias_beta: Float, at least 0 and below 1. Above 0, a prefix is not forced: each of its tokens gets this
            share of the probability while a translation follows the prefix. Defaults to 0, for forced prefixes.
        processors: Sequence of your own `keras_nmt.decoding.LogitProcessor`. Defaults to none.
        shortlist: `keras_nmt.inference.Shortlist`, for a model of one direction: to save time, the search considers
            only the likely target subwords of a batch's source subwords. Probabilities are normalised over these
            candidates, so a translation may depend on the other sentences of its part. Defaults to None, for all
            subwords.
        shortlist_size: Integer, the number of candidates of a batch, at least 4. Defaults to 2048.

    Raises:
        UserError: An option has the wrong type or is out of its range.

    Example:

    >>> SearchOptions(beam_size=2, length_buckets=[8, 16]).max_length
    42
    """

    beam_size: int = 4
    length_penalty: float = 0.6
    num_hypotheses: int = 1
    min_length: int = 1
    max_length: int | None = None
    max_length_factor: int = 2
    max_length_offset: int = 10
    length_buckets: Sequence[int] = (16, 32, 64, 128, 256)
    batch_buckets: Sequence[int] = (1, 4, 16, 64)
    max_batch_tokens: int = 4096
    jit_compile: bool = False
    sample: bool = False
    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    coverage_penalty: float = 0.0
    repetition_penalty: float = 1.0
    no_repeat_ngram_size: int = 0
    suppress_sequences: Sequence[str] = ()
    unknown: str = "write"
    prefix_bias_beta: float = 0.0
    processors: Sequence[LogitProcessor] = ()
    shortlist: Shortlist | None = None
    shortlist_size: int = 2048

    @property
    def _largest_limit(self) -> int:
        """The length limit of the longest sources: those of the largest bucket."""
        return self.max_length_factor * self.length_buckets[-1] + self.max_length_offset

    def replace(self, **changed: Any) -> SearchOptions:
        """Returns other options. A `max_length` that was the default is computed anew."""
        if self.max_length == self._largest_limit:
            changed = {"max_length": None, **changed}
        return dataclasses.replace(self, **changed)

    def __post_init__(self) -> None:
        least, largest = LENGTH_PENALTIES
        self._check("an integer of at least 1", lambda x: x >= 1, "beam_size", "num_hypotheses", "max_batch_tokens")
        names = ("min_length", "max_length_factor", "max_length_offset", "top_k", "no_repeat_ngram_size")
        self._check("an integer of at least 0", lambda x: x >= 0, *names)
        self._check(f"a number from {least} to {largest}", lambda x: least <= x <= largest, "length_penalty")
        self._check("a finite number of at least 0", lambda x: 0 <= x < math.inf, "coverage_penalty")
        self._check("a finite number above 0", lambda x: 0 < x < math.inf, "temperature")
        self._check("a number from 0.01 to 100", lambda x: 0.01 <= x <= 100, "repetition_penalty")
        self._check("a number from 0 to below 1", lambda x: 0 <= x < 1, "prefix_bias_beta")
        for name in ("sample", "jit_compile"):
            if not isinstance(getattr(self, name), bool):
                raise UserError(f"{{{name}}} must be True or False", {name: getattr(self, name)})
        texts = self.suppress_sequences
        if isinstance(texts, str) or not isinstance(texts, Sequence) or not all(isinstance(x, str) for x in texts):
            raise UserError("{suppress_sequences} must be a list of texts", {"suppress_sequences": texts})
        for text in texts:
            check_utf8(text, "A text of `suppress_sequences`")
        if self.unknown not in UNKNOWN:
            raise UserError(f"{{unknown}} must be one of {', '.join(UNKNOWN)}", {"unknown": self.unknown})
        if self.processors != ():
            from keras_nmt.decoding.logit_processors import check_processors  # imports Keras

            check_processors(self.processors)
        self._check("a number above 0 and at most 1", lambda x: 0 < x <= 1, "top_p")
        self._check("an integer of at least 4", lambda x: x >= 4, "shortlist_size")  # for the reserved ids
        if self.shortlist is not None:
            from keras_nmt.inference.shortlist import Shortlist  # imports NumPy

            if not isinstance(self.shortlist, Shortlist):
                raise UserError(
                    "`shortlist` must be a `keras_nmt.inference.Shortlist`, such as `Shortlist.read(path)`. "
                    f"Received: shortlist={self.shortlist!r}"
                )
        elif self.shortlist_size != SearchOptions.shortlist_size:
            raise UserError("{shortlist_size} needs a `shortlist`", self._values("shortlist_size"))
        self.length_buckets = check_buckets("length_buckets", self.length_buckets)
        self.batch_buckets = check_buckets("batch_buckets", self.batch_buckets)
        check_limits(vars(self))
        if self.max_length_factor + self.max_length_offset < 1:
            problem = "One of {max_length_factor} and {max_length_offset} must be above 0"
            raise UserError(problem, self._values("max_length_factor", "max_length_offset"))
        if self.max_length is None:
            self.max_length = self._largest_limit
        self._check("an integer of at least 1", lambda x: x >= 1, "max_length")
        if self.min_length >= max(self.max_length, 2):  # a single token is cut off, with the default `min_length`, too
            problem = "{min_length} must be less than {max_length}, which counts the end of the sentence"
            raise UserError(problem, self._values("min_length", "max_length"))
        if self.num_hypotheses > self.beam_size and not self.sample:
            problem = "{num_hypotheses} must be at most {beam_size}"
            raise UserError(problem, self._values("num_hypotheses", "beam_size"))
        if not self.sample and self.sampling != {"temperature": 1, "top_k": 0, "top_p": 1}:
            raise UserError(f"These options need `sample=True`. Received: {self.sampling}")
        if self.sample and self.coverage_penalty:
            raise UserError("{coverage_penalty} must be 0 when sampling", self._values("coverage_penalty", "sample"))

    @property
    def sampling(self) -> dict[str, Any]:
        """The options that only `sampling_search` has."""
        return {name: getattr(self, name) for name in SAMPLING}

    def _values(self, *names: str) -> dict[str, Any]:
        return {name: getattr(self, name) for name in names}

    def _check(self, wanted: str, is_right: Callable[[Any], bool], *names: str) -> None:
        kind: Any = numbers.Integral if wanted.startswith("an integer") else numbers.Real
        for name in names:
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, kind) or not is_right(value):
                raise UserError(f"{{{name}}} must be {wanted}", {name: value})


def search_limits(lengths: Iterable[tuple[np.ndarray, np.ndarray]], longest: int) -> dict[str, Any]:
    """Computes the limits of lengths that a model needs for text like its training data.

    Args:
        lengths: Iterable with a tuple of two integer arrays `[pairs]` for each direction, the numbers of subwords of
            sources and of their targets, without ends.
        longest: Integer, length of the longest sentence of the training data in subwords, with its end.

    Returns:
        `max_length_factor`, the smallest, but at least the default, with which the limit cuts off at most one of 1,000
        targets of each direction; and `length_buckets`, if the default ones do not reach `longest`.

    Example:

    >>> import numpy as np
    >>> search_limits([(np.array([20, 4]), np.array([20, 5])), (np.array([20, 4]), np.array([70, 5]))], longest=600)
    {'max_length_factor': 4, 'length_buckets': [16, 32, 64, 128, 256, 512, 600]}
    """
    import numpy as np  # a client does not need it

    factor, buckets = SearchOptions.max_length_factor, list(SearchOptions.length_buckets)
    for source, target in lengths:
        needed = (target + 1 - SearchOptions.max_length_offset) / source
        factor = max(factor, math.ceil(np.quantile(needed, 0.999, method="higher")))
    limits: dict[str, Any] = {"max_length_factor": min(factor, LIMITS["max_length_factor"])}
    if longest > buckets[-1]:
        while buckets[-1] < longest:
            buckets.append(min(2 * buckets[-1], longest))
        limits["length_buckets"] = buckets
    return limits


def check_names(names: Iterable[str]) -> None:
    """Checks that names are options of `SearchOptions`. The error suggests the nearest options."""
    known = [field.name for field in dataclasses.fields(SearchOptions)]
    if unknown := sorted(set(names) - set(known)):
        suggestion = nearest(unknown, known) or "`SearchOptions` lists the options"
        raise UserError(f"A translator has no such options; {suggestion}. Received: {', '.join(unknown)}")


def with_defaults(search: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Returns options of a translator, with the search settings of a model directory as defaults."""
    defaults = dict(search)
    if options.get("sample"):
        defaults.pop("coverage_penalty", None)  # only searches have the penalty
    return {**defaults, **options}


def check_buckets(name: str, buckets: Sequence[int]) -> tuple[int, ...]:
    """Returns buckets as a tuple of integers, and checks that they are positive and in ascending order."""
    sizes = tuple(buckets) if isinstance(buckets, Sequence) else ()
    whole = all(map(is_integer, sizes))
    if not sizes or not whole or sizes[0] < 1 or any(small >= large for small, large in pairwise(sizes)):
        raise UserError(f"{{{name}}} must be positive integers in ascending order", {name: buckets})
    return tuple(map(int, sizes))
