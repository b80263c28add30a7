"""Translations of a stream of lines, part by part, by the model of a directory or of a server."""

from __future__ import annotations

import dataclasses
import math
import sys
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from keras_nmt.cli.lines import chunks, input_lines
from keras_nmt.errors import UserError

if TYPE_CHECKING:
    from keras_nmt.inference import Glossary, Translation, Translator
    from keras_nmt.inference.translation import Alternative
    from keras_nmt.serving import Client

Languages = tuple[str | None, str | None]  # of the source and of the target


class Answer(NamedTuple):
    """The answer to one part of the lines."""

    translations: list[Translation]  # of each line
    alignments: list[list[tuple[int, int]]]  # of each hypothesis of each line; empty where none are asked for


Answers = Generator[Answer, None, None]


@dataclasses.dataclass(frozen=True)
class Input:
    """Lines to translate, and what the search needs beside them."""

    lines: Iterable[str]
    at_once: int | None  # the number of lines that are translated together, or None for the default of `chunks`
    files: Mapping[str, Path]  # of "prefixes", "constraints" and "avoid": files with what each line has
    glossary: Glossary | None  # for more constraints
    seed: int | None  # from which the seeds of lines are drawn, or None without sampling
    options: Mapping[str, Any]  # of `translate`, for all lines

    def parts(self) -> Iterator[tuple[list[str], dict[str, Any]]]:
        """Yields lists of lines, and the prefixes, phrases, seeds and options of their lines."""
        from keras_nmt.inference.lines import seeds_of_lines
        from keras_nmt.inference.markup import MARKUPS, ends_inside

        columns: dict[str, list[Any]] = {name: list(input_lines(path)) for name, path in self.files.items()}
        for name in ("constraints", "avoid"):
            if name in columns:
                columns[name] = [line.split("\t") for line in columns[name]]
        generator, start = None, 0
        if self.seed is not None:
            from numpy.random import RandomState

            generator = RandomState(self.seed)
        markup, incomplete = self.options.get("markup"), list[int]()
        for lines in chunks(self.lines, self.at_once):
            if markup in MARKUPS:
                incomplete += [number for number, line in enumerate(lines, start + 1) if ends_inside(line, markup)]
            beside: dict[str, Any] = dict(self.options)
            if generator is not None:
                beside["seeds"] = seeds_of_lines(generator, len(lines))
            for name, column in columns.items():
                beside[name] = column[start : start + len(lines)]
                if len(beside[name]) < len(lines):
                    self._refuse(name, column)
            if self.glossary is not None:
                more = self.glossary.constraints(lines)
                own = beside.get("constraints", [[]] * len(lines))
                beside["constraints"] = [[*x, *y] for x, y in zip(own, more, strict=True)]
            yield lines, beside
            start += len(lines)
        for name, column in columns.items():
            if start != len(column):
                self._refuse(name, column)
        if incomplete:
            print(
                f"{len(incomplete)} line(s), the first of them line {incomplete[0]}, end inside a tag, a comment or an "
                "element whose contents stay: each line is read alone.",
                file=sys.stderr,
            )

    def _refuse(self, name: str, column: list[Any]) -> NoReturn:
        raise UserError(
            f"{self.files[name]} must have a line, which may be empty, for each line of the input. "
            f"Received: {len(column)} lines"
        )


def answers_of_directory(
    translator: Translator, texts: Input, *, is_aligned: bool, alignment_layer: int | None
) -> Answers:
    """Yields the answers of the model of a directory."""
    for lines, beside in texts.parts():
        translations = _of_number(translator.translate(lines, **beside), translator.num_hypotheses)
        alignments = translator.align(*_pairs(lines, translations), layer=alignment_layer) if is_aligned else []
        yield Answer(translations, alignments)


def alternatives_of_directory(translator: Translator, texts: Input, count: int) -> Iterator[list[list[Alternative]]]:
    """Yields the alternatives of the lines, after their prefixes if there are any."""
    for lines, beside in texts.parts():
        yield translator.alternatives(lines, beside.get("prefixes", [""] * len(lines)), count=count)


def answers_of_server(
    client: Client,
    texts: Input,
    languages: Languages,
    search: Mapping[str, Any],
    *,
    is_aligned: bool,
) -> Answers:
    """Yields the answers of a server's model, which samples where the lines have seeds."""
    source, target = languages
    number = search.get("num_hypotheses", 1)
    with client:
        for lines, beside in texts.parts():
            if texts.seed is None:
                translations = client.translate(lines, source, target, **beside, **search)
            else:
                translations = client.sample(lines, source, target, **beside)
                if any(len(translation.hypotheses) < number for translation in translations):
                    raise UserError(
                        f"The model was exported to draw {len(translations[0].hypotheses)} translation(s) of a "
                        f"sentence. Received: --n-best {number}"
                    )
            translations = _of_number(translations, number)
            alignments = _align(client, lines, translations, languages) if is_aligned else []
            yield Answer(translations, alignments)


def answers_by_sentence(client: Client, lines: Iterable[str], languages: Languages, split_by: str) -> Answers:
    """Yields the answer of a server's model to each line, which is translated sentence by sentence.

    The lines are split by the rules of the language `split_by`.
    """
    with client:
        for translation in client.stream(lines, *languages, language=split_by):
            yield Answer([translation], [])


def _align(
    client: Client, lines: list[str], translations: list[Translation], languages: Languages
) -> list[list[tuple[int, int]]]:
    return client.align(*_pairs(lines, translations), *languages)


def _of_number(translations: list[Translation], number: int) -> list[Translation]:
    """Translations with this number of hypotheses, the last of which are empty where the beam has fewer."""
    from keras_nmt.inference.translation import Hypothesis

    nothing = (Hypothesis("", -math.inf),) * number
    return [found._replace(hypotheses=(*found.hypotheses, *nothing)[:number]) for found in translations]


def _pairs(lines: list[str], translations: list[Translation]) -> tuple[list[str], list[str]]:
    """Each hypothesis with its line: the lines and the hypotheses."""
    pairs = [(line, x.text) for line, found in zip(lines, translations, strict=True) for x in found.hypotheses]
    return [line for line, _ in pairs], [hypothesis for _, hypothesis in pairs]


def counts_of(translations: Sequence[Translation]) -> dict[str, int]:
    """The numbers of translations that are "truncated", "empty" or "cut_off", or do not meet constraints ("unmet")."""
    from keras_nmt.inference.translation import count_outputs

    unmet = sum(not all(translation.hypotheses[0].met) for translation in translations)
    return {**count_outputs(translations), "unmet": unmet}


def warn_of_translator(counts: Mapping[str, int], translator: Any) -> None:
    """Says on standard error how many lines a translator truncated, left empty or cut off; see `counts_of`."""
    if number := counts["truncated"]:
        longest = translator.length_buckets[-1]
        print(f"{number} line(s) of {longest} subwords or more were truncated.", file=sys.stderr)
    _warn_of_outputs(counts, "--max-length-factor and --max-length set it")


def warn_of_export(counts: Mapping[str, int]) -> None:
    if number := counts["truncated"]:
        print(f"{number} line(s) were truncated: they have more subwords than the export allows.", file=sys.stderr)
    _warn_of_outputs(counts, "the export sets it")


def _warn_of_outputs(counts: Mapping[str, int], advice: str) -> None:
    empty, cut_off, unmet = counts["empty"], counts["cut_off"], counts["unmet"]
    shown = [f"{empty} translation(s) are empty"] * bool(empty)
    shown += [f"{cut_off} translation(s) were cut off at the length limit ({advice})"] * bool(cut_off)
    shown += [f"{unmet} translation(s) do not have all phrases of their constraints"] * bool(unmet)
    if shown:
        print(f"{', '.join(shown)}.", file=sys.stderr)
