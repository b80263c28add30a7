"""Translations of a stream of lines, part by part, by the model of a directory or of a server."""

from __future__ import annotations

import contextlib
import dataclasses
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from keras_nmt.cli.lines import chunks, input_lines
from keras_nmt.errors import UserError
from keras_nmt.ids import UNK

if TYPE_CHECKING:
    from keras_nmt.data import SubwordTokenizer
    from keras_nmt.data.target_tags import TargetTags
    from keras_nmt.inference import Translation, Translator
    from keras_nmt.serving import Client
    from keras_nmt.text.sentences import Align
    from keras_nmt.text.translation import Alternative

Languages = tuple[str | None, str | None]  # of the source and of the target
# For each part of the lines the translations of its lines, and the alignments of their hypotheses, if there are any.
Answers: TypeAlias = "Iterator[tuple[list[Translation], list[list[tuple[int, int]]]]]"

SPLIT = "split them, as `translate --split-sentences LANGUAGE` does between sentences"


@dataclasses.dataclass(frozen=True)
class Input:
    """Lines to translate, and what the search needs beside them."""

    lines: Iterable[str]
    at_once: int | None  # the number of lines that are translated together, or None for the default of `chunks`
    files: Mapping[str, Path]  # of "prefixes", "max_lengths", "constraints" and "avoid": what each line has
    seed: int | None  # from which the seeds of lines are drawn, or None without sampling
    options: Mapping[str, Any]  # of `translate`, for all lines
    sentences_per_line: int | None = None  # of the training data: more are told of, unless lines are split
    is_document: bool = False  # whether there is one line, which is a document
    tags: TargetTags | None = None  # of which each line must begin with one
    subwords: SubwordTokenizer | None = None  # of the target, which must have the characters of prefixes

    @property
    def target(self) -> str | None:
        """The target language for a translator: "" where lines have tags, so that it does not warn of each part."""
        return "" if self.tags else None

    def parts(self) -> Iterator[tuple[list[str], dict[str, Any]]]:
        """Yields lists of lines, and the prefixes, phrases, seeds and options of their lines."""
        from keras_nmt.text.lines import seeds_of_lines
        from keras_nmt.text.markup import MARKUPS, ends_inside
        from keras_nmt.text.sentences import NOT_SPLIT, more_sentences, warning_of_sentences

        columns: dict[str, list[Any]] = {name: list(input_lines(path)) for name, path in self.files.items()}
        for name in ("constraints", "avoid"):
            if name in columns:
                columns[name] = [line.split("\t") for line in columns[name]]
        if self.subwords is not None and "prefixes" in columns:
            self._check_prefixes(self.subwords, columns["prefixes"])
        if "max_lengths" in columns:
            columns["max_lengths"] = [self._limit(*line) for line in enumerate(columns["max_lengths"], 1)]
        generator, start = None, 0
        if self.seed is not None:
            from numpy.random import RandomState

            generator = RandomState(self.seed)
        markup, incomplete, longer = self.options.get("markup"), list[int](), list[int]()
        untagged, first_untagged = 0, (0, "")
        options, most = dict(self.options), None
        if self.sentences_per_line is not None and not {"markup", "split_sentences"} & options.keys():
            options["split_sentences"] = NOT_SPLIT  # `translate` would tell of each part of the lines
            most = self.sentences_per_line
        for lines in chunks(self.lines, self.at_once):
            if markup in MARKUPS:
                incomplete += [number for number, line in enumerate(lines, start + 1) if ends_inside(line, markup)]
            if most is not None:
                longer += more_sentences(lines, most, start + 1)
            if self.tags and (lines_without := self.tags.untagged(lines, start + 1)):
                first_untagged = first_untagged if untagged else lines_without[0]
                untagged += len(lines_without)
            beside: dict[str, Any] = dict(options)
            if generator is not None:
                beside["seeds"] = seeds_of_lines(generator, len(lines))
            for name, column in columns.items():
                beside[name] = column[start : start + len(lines)]
                if len(beside[name]) < len(lines):
                    self._refuse(name, column)
            yield lines, beside
            start += len(lines)
        for name, column in columns.items():
            if start != len(column):
                self._refuse(name, column)
        if self.tags and untagged:
            print(self.tags.warning(untagged, *first_untagged), file=sys.stderr)
        if most is not None and longer:
            print(warning_of_sentences(longer, most), file=sys.stderr)
        if incomplete:
            subject, advice = "The document ends", "."
            if not self.is_document:
                subject = f"{len(incomplete)} line(s), the first of them line {incomplete[0]}, end"
                advice = ": each line is read alone; --document reads all as one document."
            print(f"{subject} inside a tag, a comment or an element whose contents stay{advice}", file=sys.stderr)

    def _check_prefixes(self, subwords: SubwordTokenizer, prefixes: list[str]) -> None:
        """Names the line of a wrong prefix before any line is translated; the search knows only its text."""
        from keras_nmt.text.lines import unknown_in_prefix

        for number, ids in enumerate(subwords.tokenize(prefixes).to_list(), 1):
            if UNK in ids:
                raise unknown_in_prefix(f"{self.files['prefixes']}, line {number}, {prefixes[number - 1]!r:.40}")

    def _limit(self, number: int, line: str) -> int | None:
        if not line.strip():
            return None
        with contextlib.suppress(ValueError):
            if 1 <= (limit := int(line)) < 2**31:
                return limit
        problem = "must have an integer of at least 1 a line, or nothing"
        raise UserError(f"{self.files['max_lengths']} {problem}. Received: line {number}, {line!r:.40}")

    def _refuse(self, name: str, column: list[Any]) -> NoReturn:
        raise UserError(
            f"{self.files[name]} must have a line, which may be empty, for each line of the input. "
            f"Received: {len(column)} line(s)"
        )


def answers(
    texts: Input, translate: Callable[..., list[Translation]], align: Align | None, languages: Languages, number: int
) -> Answers:
    """Yields the answers of a model, with `number` hypotheses of each line, and with alignments if `align` is given.

    `translate` and `align` are those of a translator or a client.
    """
    from keras_nmt.text.sentences import align_hypotheses

    end = "\n" if texts.is_document else ""  # by a line end, a model knows a document from a part of one
    for lines, beside in texts.parts():
        translations = _padded(translate([line + end for line in lines], *languages, **beside), number, end)
        yield translations, [] if align is None else align_hypotheses(lines, translations, align, *languages)


def samples_of_server(client: Client, number: int, *arguments: Any, **seeds: Any) -> list[Translation]:
    """Returns what `Client.sample` does, and checks that the model draws as many translations, and no more.

    They come best first: the first of several would be no sample.
    """
    translations = client.sample(*arguments, **seeds)
    if any(len(translation.hypotheses) != number for translation in translations):
        raise UserError(
            f"The model was exported to draw {len(translations[0].hypotheses)} translation(s) of a sentence: give as "
            f"many. Received: --n-best {number}"
        )
    return translations


def alternatives_of_directory(translator: Translator, texts: Input, count: int) -> Iterator[list[list[Alternative]]]:
    """Yields the alternatives of the lines, after their prefixes if there are any."""
    for lines, beside in texts.parts():
        prefixes = beside.get("prefixes", [""] * len(lines))
        word_scores = beside.get("word_scores", False)
        try:
            yield translator.alternatives(lines, prefixes, target=texts.target, count=count, word_scores=word_scores)
        except UserError as error:
            raise error.with_options({"count": "--alternatives"}) from None


def _padded(translations: list[Translation], number: int, end: str) -> list[Translation]:
    """Pads each translation with empty hypotheses to `number`, and removes `end` from the texts."""
    from keras_nmt.text.translation import Hypothesis

    nothing = (Hypothesis("", -math.inf),) * number
    hypotheses = ((x._replace(text=x.text.removesuffix(end)) for x in of_line.hypotheses) for of_line in translations)
    return [x._replace(hypotheses=(*y, *nothing)[:number]) for x, y in zip(translations, hypotheses, strict=True)]


class Defects:
    """Collects the numbers of the lines whose translations a user should look at."""

    def __init__(self) -> None:
        self._count = 0
        self._lines: dict[str, list[int]] = {}

    def add(self, translations: Sequence[Translation]) -> None:
        """Looks at the translations of the next lines."""
        for number, x in enumerate(translations, self._count + 1):
            best = x.hypotheses[0]
            for name, is_there in (
                ("truncated", x.truncated),
                ("unknown", x.has_unknown),
                ("empty", x.is_empty),
                ("cut_off", x.cut_off),
                ("unmet", not all(best.met)),
                ("not_avoided", not all(best.avoided)),
            ):
                if is_there:
                    self._lines.setdefault(name, []).append(number)
        self._count += len(translations)

    def warn_of_translator(self, translator: Translator) -> None:
        """Says on standard error what a translator truncated, left empty or cut off."""
        truncated = f"of {translator.length_buckets[-1]} subwords or more were truncated"
        self._warn(f"{truncated}: {SPLIT}", "options such as --max-length set it")

    def warn_of_export(self) -> None:
        """Says on standard error what an export truncated, left empty or cut off."""
        truncated = "were truncated, because they have more subwords than the export allows"
        self._warn(f"{truncated}: {SPLIT}", "the export sets it")

    def _warn(self, truncated: str, advice: str) -> None:
        lines, translations = "line(s), the first of them line", "translation(s), the first of them of line"
        texts = {
            "truncated": (lines, truncated),
            "unknown": (lines, "have characters without a subword: the model reads an unknown subword in their place"),
            "empty": (translations, "are empty"),
            "cut_off": (translations, f"were cut off at the length limit ({advice})"),
            "unmet": (translations, "do not have all phrases of their constraints"),
            "not_avoided": (translations, "have a phrase to avoid, in other letters or subwords"),
        }
        for name, (what, text) in texts.items():
            if numbers := self._lines.get(name):
                print(f"{len(numbers)} {what} {numbers[0]}, {text}.", file=sys.stderr)
