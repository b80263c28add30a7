"""The options of a preparation."""

from __future__ import annotations

import dataclasses
import functools
import os
import sys
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from keras_nmt.data.prepared_folder import check_sides
from keras_nmt.data.sentence_pairs import check_length_limits
from keras_nmt.data.subword_models import SubwordOptions
from keras_nmt.errors import UserError, check_choice, check_names, check_seed, require

DUPLICATES = {  # the keys, by name, that no two pairs share; a round for each
    "keep": (),
    "pair": ("pair",),
    "source": ("source",),
    "target": ("target",),
    "either": ("source", "target"),
}
ORDERS = ("shuffled", "lines")
SUBWORD_OPTIONS = ("normalization", "character_coverage", "byte_fallback", "source_cleaning")
File = str | os.PathLike[str]
# From the lines of both sides of a block to a boolean array, the pairs to drop; or a DoFn of such lines.
Filter = Callable[[Sequence[str], Sequence[str]], np.ndarray] | Any
BUILT_IN = ("identical", "script", "language", "empty", "too long", "badly matched", "duplicate")


@functools.cache
def script_of(letter: str) -> str:
    """Returns the first word of a letter's name in Unicode."""
    return unicodedata.name(letter, "UNKNOWN").partition(" ")[0]


@functools.cache  # takes a fifth of a second
def _scripts() -> frozenset[str]:
    return frozenset(
        script_of.__wrapped__(letter) for letter in map(chr, range(sys.maxunicode + 1)) if letter.isalpha()
    )


def check_name(name: File) -> None:
    """Raises a `UserError` if the name of a file is not UTF-8, which Apache Beam cannot send to its workers."""
    try:
        os.fspath(name).encode()
    except UnicodeEncodeError:
        raise UserError(f"Rename the file: its name is not UTF-8. Received: {os.fspath(name)!r}") from None


@dataclasses.dataclass(kw_only=True, frozen=True)
class Preparation:
    """A corpus to prepare: its files, subwords, filters and order.

    A pair is dropped, and counted, for the first of these reasons that applies: the names of `filters`, "identical",
    "script", "language", "empty", "too long", "badly matched", "duplicate".

    Args:
        sides: Tuple of two names, such as ("de", "en"): folders of the prepared corpus.
        sources: Sequence of the files of the first side: UTF-8, one sentence a line, plain or compressed by gzip or
            Zstandard, local or an address such as "gs://bucket/text.gz".
        targets: Sequence of the files of the second side, each with as many lines as its source.
        subwords: Tuple of the paths of both sides' SentencePiece models, equal for a joint vocabulary; or None to train
            one model of both sides. Defaults to None.
        vocabulary_size: Integer, the number of subwords of the model to train. Defaults to None.
        subword_sample: Integer, the number of random pairs that the model is trained on; all pairs of a smaller corpus.
            Defaults to 1,000,000.
        seed: Integer, seed of the sample. Defaults to 0.
        normalization: "nfc", "nfkc" or "identity", of the model to train, as for `keras_nmt.data.train_subwords`.
            Defaults to "nfc".
        character_coverage: Float from 0.98 to 1, of the model to train. Defaults to 1.
        byte_fallback: Boolean, of the model to train. Defaults to False.
        source_cleaning: Boolean, of the model to train: whether the first side is cleaned. Defaults to True. With a
            given subword model, the first side is cleaned if the model was trained so.
        max_length: Integer, the longest sentence kept in subwords, end included; or None. Defaults to 256.
        max_ratio: Float, the largest ratio of lengths kept; or None. Defaults to 3.
        drop_identical: Boolean, whether to drop pairs whose sides are equal but for spaces, the form of accents and the
            target-language tag of the given subwords. Defaults to False.
        scripts: Dictionary from a side to the script of at least half of its letters, by the first word of Unicode's
            names of letters, such as "LATIN" or "CYRILLIC". Defaults to none.
        languages: Dictionary from a side to its language, a label of `language_model` such as "de". A pair is dropped
            if another language is likelier for a side. Defaults to none.
        language_model: String or path of a model of fastText that identifies languages, such as lid.176.bin. Defaults
            to None.
        filters: Dictionary from a reason to a filter: a function of the lines of both sides, two sequences of strings,
            that returns a boolean array, the pairs to drop; or a class or object with the methods of a `beam.DoFn`:
            `process` takes a tuple of both sequences and gives a sequence of one such array, and `setup`, if there is
            one, runs once in each worker process. A string such as "package.module:name" or "file.py:name" names a
            filter that each worker process imports. Defaults to none.
        duplicates: "keep"; or of pairs that have the same "pair" of texts, the same "source" or the same "target", as
            the subword models normalise them, only the first one is kept; "either": "source", then "target". Defaults
            to "pair".
        order: "shuffled": by a digest of text and line, a random order that is the same each time. "lines": the order
            of the files. Defaults to "shuffled".
        source_tag: String, a subword such as "<BT>" at the start of each source sentence, for example for
            back-translated text; a user symbol of the subword model. Defaults to None.
        keep_text: Boolean, whether to keep the text too, for subword sampling. Defaults to False.

    Raises:
        UserError: An option is out of its range.
    """

    sides: tuple[str, str]
    sources: Sequence[File]
    targets: Sequence[File]
    subwords: tuple[File, File] | None = None
    vocabulary_size: int | None = None
    subword_sample: int = 1_000_000
    seed: int = 0
    normalization: str = "nfc"
    character_coverage: float = 1.0
    byte_fallback: bool = False
    source_cleaning: bool = True
    max_length: int | None = 256
    max_ratio: float | None = 3.0
    drop_identical: bool = False
    scripts: Mapping[str, str] = dataclasses.field(default_factory=dict)
    languages: Mapping[str, str] = dataclasses.field(default_factory=dict)
    language_model: File | None = None
    filters: Mapping[str, Filter | str] = dataclasses.field(default_factory=dict)
    duplicates: str = "pair"
    order: str = "shuffled"
    source_tag: str | None = None
    keep_text: bool = False

    def __post_init__(self) -> None:
        check_length_limits(self.max_length, self.max_ratio)
        problem = "Give either {subwords} or the {vocabulary_size} of a model to train"
        has_one = (self.subwords is None) != (self.vocabulary_size is None)
        require(has_one, problem, subwords=self.subwords, vocabulary_size=self.vocabulary_size)
        tag = self.source_tag
        require(tag is None or tag.split() == [tag], "A tag must be one subword, without spaces", source_tag=tag)
        if self.vocabulary_size is not None:
            SubwordOptions(**self.subword_settings).check_size(self.vocabulary_size)
        for name in (*self.sources, *self.targets):
            check_name(name)
        require(self.subword_sample >= 1, "{subword_sample} must be at least 1", subword_sample=self.subword_sample)
        check_seed(seed=self.seed)
        numbers = f"{len(self.sources)} and {len(self.targets)}"
        problem = f"There must be as many source files as target files, at least one. Received: {numbers}"
        require(len(self.sources) == len(self.targets) > 0, problem)
        check_sides(self.sides)
        for name, known in (("duplicates", DUPLICATES), ("order", ORDERS)):
            check_choice(name, getattr(self, name), known)
        for name in ("scripts", "languages"):
            check_names(f"sides in `{name}`", getattr(self, name), self.sides)
        wrong = sorted(set(self.scripts.values()) - (_scripts() if self.scripts else set()))
        problem = "A script must be the first word of a letter's name in Unicode, such as LATIN, CYRILLIC or CJK"
        require(not wrong, problem, scripts=wrong)
        problem = "{languages} and the {language_model} that identifies them go together"
        has_both = bool(self.languages) == (self.language_model is not None)
        require(has_both, problem, languages=dict(self.languages), language_model=self.language_model)
        taken = sorted(set(self.filters) & set(BUILT_IN))
        require(not taken, "Another reason has the name of this filter: rename it", filters=taken)

    @property
    def subword_settings(self) -> dict[str, Any]:
        """The arguments of `train_subwords`, except files, size and sample."""
        symbols = [] if self.source_tag is None else [self.source_tag]
        return {"user_symbols": symbols, **{name: getattr(self, name) for name in SUBWORD_OPTIONS}}

    def as_json(self) -> dict[str, object]:
        """Returns the options that a manifest records: they decide which pairs are kept, and in which form."""
        names = ("max_length", "max_ratio", "drop_identical", "duplicates", "order", "source_tag")
        trained = ("vocabulary_size", "subword_sample", "seed", *SUBWORD_OPTIONS) if self.subwords is None else ()
        return {
            **{name: getattr(self, name) for name in (*trained, *names)},
            "scripts": dict(self.scripts),
            "languages": dict(self.languages),
            "language_model": self.language_model and sha256(Path(self.language_model).read_bytes()).hexdigest(),
            "filters": list(self.filters),
        }
