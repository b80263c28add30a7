"""Makes training text with a model: translations for a student, or back-translations of monolingual text."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import json
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from keras_nmt.data.sentence_pairs import check_length_limits, outside_limits, plain_text
from keras_nmt.errors import UserError, check_choice, check_names, check_seed, require
from keras_nmt.evaluation.metrics import make_metrics
from keras_nmt.files.atomic_files import (
    atomic_path,
    check_kept,
    check_writable,
    directory_lock,
    remove_leftovers,
    write_json,
    write_text,
)
from keras_nmt.files.json_file import json_digest, named_damage, read_json, with_digest
from keras_nmt.files.model_config import CONFIG
from keras_nmt.progress import count_steps
from keras_nmt.text.text_files import read_paired_blocks, text_digest

if TYPE_CHECKING:
    from keras_nmt.inference import Translation, Translator

PART = 4096  # lines that are translated at a time; a killed process loses at most so many
SELECTIONS = ("best", "reference", "all")
REASONS = ("empty", "identical", "cut-off", "truncated")  # to drop a pair, besides its score and its lengths
SETTINGS = "distillation.json"
OUTPUTS = ("source", "target", "scores.tsv")


class Candidate(NamedTuple):
    """A translation of a line in a part. `length` is in subwords; `chrf` is against the reference, if there is one."""

    text: str
    score: float
    chrf: float | None
    length: int
    cut_off: bool


class TranslatedLine(NamedTuple):
    """The selected translations of a line, and the length of the line in subwords, without its tag."""

    length: int
    truncated: bool
    candidates: list[Candidate]
    tag: str = ""  # with which the line begins, if it is one of the teacher's target-language tags


class Counts(NamedTuple):
    """The numbers of lines, of pairs that were written, and of dropped pairs by reason."""

    lines: int
    pairs: int
    dropped: dict[str, int]


@dataclasses.dataclass(frozen=True, kw_only=True)
class PairFilter:
    """Decides which pairs to drop. A pair is dropped, and counted, for the first reason that applies.

    Args:
        drop: Sequence of some of "truncated" (the model saw only the beginning of the line), "cut-off" (the length
            limit ended the translation), "identical" (the translation is the line without its tag) and "empty".
            Defaults to none.
        min_score: Float, the least score of a translation. Defaults to None, for no limit.
        max_ratio: Float, the largest ratio of the lengths of the sides in subwords, as in training. Defaults to None,
            for no limit.

    Raises:
        UserError: A reason is unknown, or a limit is out of its range.
    """

    drop: Sequence[str] = ()
    min_score: float | None = None
    max_ratio: float | None = None

    def __post_init__(self) -> None:
        check_names("reasons to `drop` (--drop REASON, once for each)", self.drop, REASONS)
        is_number = self.min_score is None or math.isfinite(self.min_score)
        require(is_number, "{min_score} must be a finite number", min_score=self.min_score)
        check_length_limits(None, self.max_ratio)

    def reasons(self, lines: Sequence[str], translated: Sequence[TranslatedLine]) -> list[str]:
        """Returns why each candidate of each line is dropped, or "" if it is kept, in one list."""
        rows = [
            (line.removeprefix(x.tag), x, y) for line, x in zip(lines, translated, strict=True) for y in x.candidates
        ]
        sources, targets = np.array([[x.length, y.length] for _, x, y in rows], int).reshape(-1, 2).T
        wrong = {
            "truncated": [x.truncated for _, x, _ in rows],
            "cut-off": [y.cut_off for *_, y in rows],
            # A teacher that lower-cases copies in small letters.
            "identical": [plain_text(y.text) in (plain_text(line), plain_text(line.lower())) for line, _, y in rows],
            "low score": [y.score < (-math.inf if self.min_score is None else self.min_score) for *_, y in rows],
            **{name: reasons.tolist() for name, reasons in outside_limits(sources, targets, None, self.max_ratio)},
        }
        used = [name for name in wrong if name in self.drop or name not in REASONS]
        return [next((name for name in used if wrong[name][i]), "") for i in range(len(rows))]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Distillation:
    """A text that `run` translates into training data with a model.

    The folder gets `source` and `target`, the two sides of the pairs, and `scores.tsv`, a row for each translation:
    the number of its line, its score, its chrF, and the reason why it was dropped, if it was.

    The text is translated in parts of 4,096 lines. Each part is a file of the folder that appears when it is complete.
    A killed run continues with the next part, and the outcome is the same. Several processes, on several machines with
    one file system, may share the work: each translates its shard of the parts, and the last one writes the outcome.
    Without a common file system, copy the folders `*-of-*` into one folder and run again. If a filter changes, the next
    run writes the outcome again from the parts.

    Args:
        input: Path of the text to translate, one sentence a line.
        folder: Path of the folder to make, or to continue in.
        references: Path of translations of the text, for `select="reference"`. Defaults to None.
        select: String, which of the model's translations become pairs: "best", the first; "reference", the one with the
            best sentence chrF against the reference (sequence-level interpolation); or "all". Defaults to "best".
        back_translate: Boolean, whether the translations are the sources of the pairs, and the text the targets,
            without the teacher's target-language tags. Defaults to False.
        tag: String, a subword at the beginning of each source of a back-translation, such as "<BT>". Defaults to None.
        seed: Integer, the seed of samples. Defaults to 1.
        shard: Tuple of integers (I, N): this process translates the I-th of N shards. Defaults to (1, 1).
        made_by: Mapping of everything else that determines the translations, such as the model's digests and the
            options of its search. It must be the same when a run continues.

    Raises:
        UserError: An argument is out of its range, or has no effect.

    Reference:
        [Kim and Rush, 2016](https://aclanthology.org/D16-1139); tagged back-translation:
        [Caswell et al., 2019](https://aclanthology.org/W19-5206).
    """

    input: str | os.PathLike[str]
    folder: str | os.PathLike[str]
    references: str | os.PathLike[str] | None = None
    select: str = "best"
    back_translate: bool = False
    tag: str | None = None
    seed: int = 1
    shard: tuple[int, int] = (1, 1)
    made_by: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        check_choice("select", self.select, SELECTIONS)
        problem = "{references} and {select} reference must be used together"
        has_both = (self.select == "reference") == (self.references is not None)
        require(has_both, problem, references=self.references, select=self.select)
        is_useful = self.tag is None or self.back_translate
        require(is_useful, "{tag} needs `back_translate` (--back-translate)", tag=self.tag)
        is_word = self.tag is None or self.tag.split() == [self.tag]
        require(is_word, "{tag} must be one word, such as <BT>", tag=self.tag)
        check_seed(seed=self.seed)
        index, number = self.shard
        require(1 <= index <= number, f"`shard` must be I/N, with I from 1 to N. Received: {index}/{number}")
        has_model = (Path(self.folder) / CONFIG).exists()
        require(not has_model, f"A folder of its own is needed, not a model directory. Received: {self.folder}")
        for name in OUTPUTS:
            output = Path(self.folder) / name
            check_writable(output)
            check_kept((self.input, self.references), output)

    def run(self, open_translator: Callable[[], Translator], pair_filter: PairFilter | None = None) -> Counts | None:
        """Translates the missing parts of this shard, and writes the outcome when all parts are there.

        Args:
            open_translator: Function that returns a translator of one direction. It is called if a part is missing.
            pair_filter: `PairFilter`. Defaults to one that keeps all pairs.

        Returns:
            The numbers of the outcome, or None while other shards have parts to translate.

        Raises:
            OSError: A file cannot be read or written.
            UserError: The text is not UTF-8 or does not fit the references, the folder holds translations of another
                text, model or search, or another process translates the same shard.
        """
        folder, (index, number) = Path(self.folder), self.shard
        files = [self.input, *([] if self.references is None else [self.references])]
        num_lines = sum(len(lines) for lines, *_ in read_paired_blocks(*files))  # raises for damaged files first
        digest = self._check_settings(num_lines)
        shard_folder = folder / f"{index}-of-{number}"
        parts = range(math.ceil(num_lines / PART))
        mine = [part for part in parts if part % number == index - 1]
        with directory_lock(shard_folder):
            remove_leftovers(shard_folder)
            there = set(self._files())
            if missing := [part for part in mine if part not in there]:
                self._translate(open_translator, files, missing, shard_folder, digest, num_lines)
        paths = self._files()
        if len(paths) < len(parts):
            return None
        with directory_lock(folder, wait=True):  # another shard may have ended at the same time
            remove_leftovers(folder)
            return self._write_outcome([paths[part] for part in parts], digest, pair_filter or PairFilter())

    def _translate(
        self,
        open_translator: Callable[[], Translator],
        files: Sequence[str | os.PathLike[str]],
        missing: Sequence[int],
        shard_folder: Path,
        digest: str,
        num_lines: int,
    ) -> None:
        translator, wanted = open_translator(), set(missing)
        with count_steps(sum(min(PART, num_lines - part * PART) for part in missing), "lines") as advance:
            for part, columns in enumerate(_parts(files)):
                if part not in wanted:
                    continue
                translated = self._of_part(translator, part, *columns)
                rows = [json.dumps({"settings": digest}), *(json.dumps(x, ensure_ascii=False) for x in translated)]
                write_text(shard_folder / f"part-{part:06d}.jsonl", "\n".join([*rows, ""]))
                advance(len(translated))

    def _of_part(
        self, translator: Translator, part: int, lines: list[str], references: list[str] | None = None
    ) -> list[TranslatedLine]:
        # The seed depends on the part, not on the process that translates it.
        seed = int(np.random.SeedSequence([self.seed, part]).generate_state(1)[0]) if translator.options.sample else 0
        translations = translator.translate(lines, seeds=seed)
        source, target = (translator.tokenizers[language] for language in translator.directions[0])
        selected = self._selected(translations, references, target.lowercases)
        texts = [x.text for candidates in selected for x in candidates]
        lengths = iter(target.tokenize(texts).row_lengths().numpy().tolist() if texts else [])
        tagged = [translator.tags.split(line) for line in lines]
        of_lines = source.tokenize([x.text for x in tagged]).row_lengths().numpy().tolist()
        return [
            TranslatedLine(length, x.truncated, [y._replace(length=next(lengths)) for y in candidates], one.tag)
            for length, x, candidates, one in zip(of_lines, translations, selected, tagged, strict=True)
        ]

    def _selected(
        self, translations: Sequence[Translation], references: Sequence[str] | None, ignores_case: bool
    ) -> list[list[Candidate]]:
        candidates = [[Candidate(x.text, x.score, None, 0, x.cut_off) for x in one.hypotheses] for one in translations]
        if self.select == "all":
            return candidates
        if references is None:
            return [of_line[:1] for of_line in candidates]
        chrf = make_metrics(["chrf"], [], lowercase=ignores_case)["chrf"]
        scored = (
            [x._replace(chrf=round(chrf.sentence_score(x.text, [reference]).score, 4)) for x in of_line]
            for of_line, reference in zip(candidates, references, strict=True)
        )
        return [[max(of_line, key=lambda x: x.chrf or 0)] for of_line in scored]  # the first of those with equal chrF

    def _check_settings(self, num_lines: int) -> str:
        """Writes the settings, or compares them with those of an earlier start. Returns their digest."""
        texts = {"input": self.input, "references": self.references}
        settings = {
            **{name: None if path is None else text_digest(path) for name, path in texts.items()},
            **{"lines": num_lines, "lines_of_a_part": PART, "select": self.select, "seed": self.seed},
            **self.made_by,
        }
        settings = json.loads(json.dumps(settings))
        digest = json_digest(settings)
        path, parts = Path(self.folder) / SETTINGS, self._files().values()
        written = [output for name in OUTPUTS if (output := Path(self.folder) / name).exists()]
        if not path.exists():
            if written:
                raise UserError(
                    f"This file exists, and is no outcome of the command: use another folder. Received: {written[0]}"
                )
            for part in parts:  # of folders that were copied from other machines
                _read_rows(part, digest)
        if not path.exists() or not (parts or written):  # an earlier start may have failed because of its settings
            write_json(path, with_digest(settings))
        old = read_json(path, "the settings of translations")
        if changed := [name for name in {**old, **settings} if old.get(name) != settings.get(name)]:
            received = ", ".join(f"{name}={settings.get(name)!r} (was {old.get(name)!r})" for name in changed)
            raise UserError(
                f"{self.folder} holds translations of another text, model or search: use another folder, or the same "
                f"text, model and options. Received: {received}"
            )
        return digest

    def _files(self) -> dict[int, Path]:
        """Returns the files of the parts of all shards that are there, by the number of the part."""
        paths = sorted(Path(self.folder).glob("*-of-*/part-*.jsonl"))
        return {int(path.stem.removeprefix("part-")): path for path in paths if path.stem[5:].isdecimal()}

    def _write_outcome(self, files: Sequence[Path], digest: str, pair_filter: PairFilter) -> Counts:
        num_lines, num_pairs, dropped = 0, 0, dict[str, int]()
        with contextlib.ExitStack() as stack:
            # The three files get their names together, at the end.
            paths = [stack.enter_context(atomic_path(Path(self.folder) / name)) for name in OUTPUTS]
            source, target, scores = (stack.enter_context(open(path, "w", encoding="utf-8")) for path in paths)
            scores.write("line\tscore\tchrf\tdropped\n")
            for (lines,), file in zip(_parts([self.input]), files, strict=True):
                translated = _read_part(file, digest, len(lines))
                reasons = iter(pair_filter.reasons(lines, translated))
                for number, (line, of_line) in enumerate(zip(lines, translated, strict=True), num_lines + 1):
                    for x in of_line.candidates:
                        reason = next(reasons)
                        chrf = "" if x.chrf is None else f"{x.chrf:.4f}"
                        scores.write(f"{number}\t{x.score:.4f}\t{chrf}\t{reason}\n")
                        if reason:
                            dropped[reason] = dropped.get(reason, 0) + 1
                            continue
                        num_pairs += 1
                        text = f"{self.tag} {x.text}" if self.tag and x.length else x.text
                        pair = (text, line.removeprefix(of_line.tag)) if self.back_translate else (line, text)
                        for side, written in zip((source, target), pair, strict=True):
                            side.write(f"{written}\n")
                num_lines += len(lines)
        return Counts(num_lines, num_pairs, dropped)


def _parts(files: Sequence[str | os.PathLike[str]]) -> Iterator[tuple[list[str], ...]]:
    """Yields lists of `PART` lines of each file."""
    rows = itertools.chain.from_iterable(zip(*block, strict=True) for block in read_paired_blocks(*files))
    while part := list(itertools.islice(rows, PART)):
        yield tuple(map(list, zip(*part, strict=True)))


def _read_part(path: Path, digest: str, num_lines: int) -> list[TranslatedLine]:
    rows = _read_rows(path, digest)
    with named_damage(path):
        if len(rows) != num_lines:
            raise ValueError(f"{len(rows)} line(s) instead of {num_lines}")
        lines = [TranslatedLine(*json.loads(row)) for row in rows]
        return [x._replace(candidates=[Candidate(*y) for y in x.candidates]) for x in lines]


def _read_rows(path: Path, digest: str) -> list[str]:
    """Returns the rows of a part without its head, which must have the digest of the settings."""
    with named_damage(path):
        head, *rows = path.read_text(encoding="utf-8").split("\n")[:-1]
        written = str(json.loads(head)["settings"])
    problem = f"{path} holds translations of another text, model or search: remove it, or use another folder"
    require(written == digest, f"{problem}. Received: settings with the digest {written[:16]}, not {digest[:16]}")
    return rows
