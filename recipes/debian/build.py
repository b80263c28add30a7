"""Makes a parallel corpus of the descriptions of Debian's packages, with test sets that training does not repeat.

    python recipes/debian/build.py --languages en,it --output data/debian-en-it
    python recipes/debian/build.py --languages en,it,da,fr --source FOLDER --output data/debian-en-it-da-fr

Without `--source`, apt downloads the indexes of descriptions of this machine's Debian or Ubuntu, without root. FOLDER
holds such indexes, or files `descriptions.LANGUAGE.tsv.gz` with the digest of a description, the number of a paragraph,
and its text. See README.md beside this file.
"""

from __future__ import annotations

import csv
import math
import random
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from keras_nmt.cli.run_app import run_app
from keras_nmt.errors import UserError
from keras_nmt.files.atomic_files import write_text
from keras_nmt.text.text_files import read_lines

APT_HELPER = "/usr/lib/apt/apt-helper"  # reads the indexes in each of apt's compressed forms
BANDS = {"short": 20, "medium": 45, "long": math.inf}  # the most English words of a paragraph of each test set
SIMILARITY = 0.5  # Jaccard similarity of the word trigrams of near-repeats
# The MinHash of a text has this many permutations: an error of some 0.09 at a similarity of 0.5.
PERMUTATIONS = 128

# By the digest and the number of a paragraph; number 0 is the title.
Paragraphs = dict[tuple[str, int], str]


class Pair(NamedTuple):
    """A paragraph in all languages, and the description that it belongs to."""

    description: str
    number: int
    texts: tuple[str, ...]


def main(
    languages: Annotated[str, typer.Option(help="Languages, separated by commas, as apt names them; `en` first.")],
    output: Annotated[Path, typer.Option(help="Folder for the corpus.")],
    source: Annotated[Path | None, typer.Option(help="Folder of indexes. Default: apt downloads them.")] = None,
    test_size: Annotated[int, typer.Option(min=3, help="Paragraphs of the three test sets together.")] = 2000,
    dev_size: Annotated[int, typer.Option(min=1, help="Paragraphs of the development set.")] = 1000,
    seed: Annotated[int, typer.Option(help="Seed of the choice of descriptions.")] = 1,
) -> None:
    """Writes train, dev, three test sets by length, and a test set that was split off at random."""
    names = languages.split(",")
    if missing := [name for name in ("datasketch", "debian") if find_spec(name) is None]:
        raise UserError(f"Missing packages: pip install 'keras_nmt[debian]'. Received: no {' and no '.join(missing)}")
    if names[0] != "en" or len(names) < 2 or len({*names}) < len(names):
        raise UserError(f"--languages must be en and others, each once. Received: {languages}")
    if source is None:
        with tempfile.TemporaryDirectory() as folder:
            download(names, Path(folder))
            corpus = align([read_folder(Path(folder), name) for name in names])
    else:
        corpus = align([read_folder(source, name) for name in names])
    sets = split(corpus, test_size, dev_size, seed)
    for name, pairs in sets.items():
        for i, language in enumerate(names):
            write_text(output / f"{name}.{language}", "".join(f"{pair.texts[i]}\n" for pair in pairs))
        words = [sum(len(pair.texts[i].split()) for pair in pairs) for i in range(len(names))]
        counts = ", ".join(f"{count:,} ({language})" for count, language in zip(words, names, strict=True))
        print(f"{name}: {len(pairs):,} paragraphs, words: {counts}")


def download(languages: Sequence[str], folder: Path) -> None:
    """Lets apt download its indexes of descriptions, and nothing else, to a folder of ours."""
    lists = folder / "lists"
    (lists / "partial").mkdir(parents=True)
    options = {
        "Dir::State::Lists": lists,
        "Dir::Cache": folder / "cache",
        "Acquire::Languages": ",".join(languages),
        "Acquire::IndexTargets::deb::Packages::DefaultEnabled": "false",
    }
    command = ["apt-get", "update", *(f"--option={name}={value}" for name, value in options.items())]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise UserError("No apt-get here: give --source, a folder of its indexes of descriptions.") from None
    if done.returncode:
        raise UserError(f"apt-get could not download the indexes. Received: {' '.join(done.stderr.split())[:300]}")


def read_folder(folder: Path, language: str) -> Paragraphs:
    """Reads all descriptions of a language in a folder and the folders below."""
    if (table := folder / f"descriptions.{language}.tsv.gz").exists():
        rows = csv.reader(read_lines(table), delimiter="\t", quoting=csv.QUOTE_NONE)
        return {(digest, int(number)): _joined(text) for digest, number, text in rows}
    indexes = sorted(folder.rglob(f"*Translation-{language}*"))
    if not indexes:
        raise UserError(f"There are no descriptions in {language!r}: choose another language. Received: {folder}")
    found: Paragraphs = {}
    for path in indexes:
        found |= read_index(path, language)
    return found


def read_index(path: Path, language: str) -> Paragraphs:
    """Reads an index of apt, in any of its compressed forms."""
    from debian.deb822 import Deb822

    text = subprocess.run([APT_HELPER, "cat-file", path], capture_output=True, check=True).stdout
    found: Paragraphs = {}
    for entry in Deb822.iter_paragraphs(text.splitlines(keepends=True), use_apt_pkg=False):
        digest, description = entry["Description-md5"], entry[f"Description-{language}"]
        found |= {(digest, number): paragraph for number, paragraph in enumerate(paragraphs(description)) if paragraph}
    return found


def paragraphs(description: str) -> Iterator[str]:
    """Yields the title and the paragraphs of a description as one line each; "" for lists and for web addresses.

    Lines of a paragraph begin with one space, those of lists and other fixed lines with more; " ." is an empty line.
    """
    title, *lines = description.split("\n")
    yield title.strip()
    for block in "\n".join(lines).split("\n .\n"):
        rows = block.split("\n")
        is_fixed = any(row[:2].isspace() or re.match(r" [*+-]", row) for row in rows)
        text = _joined(" ".join(rows))
        yield "" if is_fixed or "://" in text else text


def _joined(text: str) -> str:
    """Joins runs of spaces, but keeps no-break spaces, which belong to the typography of some languages."""
    return re.sub(" +", " ", text).strip(" ")


def align(languages: Sequence[Paragraphs]) -> list[Pair]:
    """Returns the paragraphs that all languages have, in an order that does not depend on the indexes' order.

    A paragraph with the same text in two languages was not translated, and a description whose numbers of paragraphs
    differ has other paragraphs: both are left out. Of equal paragraphs, one is kept.
    """
    sizes = [Counter(digest for digest, _ in texts) for texts in languages]
    pairs: dict[tuple[str, ...], Pair] = {}
    for digest, number in sorted(set.intersection(*(set(texts) for texts in languages))):
        found = tuple(texts[digest, number] for texts in languages)
        if len({size[digest] for size in sizes}) == 1 and len({*found}) == len(found):
            pairs.setdefault(found, Pair(digest, number, found))
    return list(pairs.values())


def split(corpus: Sequence[Pair], test_size: int, dev_size: int, seed: int) -> dict[str, list[Pair]]:
    """Splits by whole descriptions that no other description repeats, in any language.

    The test sets have a third of `test_size` each. The set `naive` has paragraphs drawn at random instead, as many of
    each length: it shows what a random split measures. Titles are in training only; those of held-out descriptions are
    in no set.
    """
    generator = random.Random(seed)
    repeats = Repeats(corpus)
    by_description: dict[str, list[Pair]] = {}
    for pair in corpus:
        by_description.setdefault(pair.description, []).append(pair)
    wanted = {**dict.fromkeys(BANDS, test_size // 3), "dev": dev_size}
    sets: dict[str, list[Pair]] = {name: [] for name in wanted}
    held_out = set()
    descriptions = sorted(by_description)
    generator.shuffle(descriptions)
    for description in descriptions:
        of_set: dict[str, list[Pair]] = {}
        for pair in by_description[description]:
            if pair.number:
                of_set.setdefault(band(pair), []).append(pair)
        test = all(len(sets[name]) + len(pairs) <= wanted[name] for name, pairs in of_set.items())
        dev = len(sets["dev"]) + sum(map(len, of_set.values())) <= dev_size
        if not of_set or not (test or dev) or any(map(repeats.is_repeated, by_description[description])):
            continue
        held_out.add(description)
        for name, pairs in of_set.items():
            sets[name if test else "dev"] += pairs
        if all(len(sets[name]) == size for name, size in wanted.items()):
            break
    if missing := [name for name, size in wanted.items() if len(sets[name]) < size]:
        raise UserError(
            "There are too few descriptions without repeats: choose smaller --test-size and --dev-size. "
            f"Received: {', '.join(f'{name} {len(sets[name])} of {wanted[name]}' for name in missing)}"
        )
    rest = [pair for pair in corpus if pair.description not in held_out]
    generator.shuffle(rest)
    naive = [pair for name in BANDS for pair in [x for x in rest if x.number and band(x) == name][: wanted[name]]]
    left = {*rest} - {*naive}
    return {
        "train": [pair for pair in rest if pair in left],
        "dev": sets["dev"],
        **{f"test_{name}": sets[name] for name in BANDS},
        "naive": naive,
    }


def band(pair: Pair) -> str:
    """Returns the name of a paragraph's length."""
    words = len(pair.texts[0].split())
    return next(name for name, most in BANDS.items() if words <= most)


class Repeats:
    """Finds paragraphs that another description repeats, word for word or nearly, in any language."""

    def __init__(self, corpus: Sequence[Pair]) -> None:
        from datasketch import MinHashLSH

        self._descriptions = [pair.description for pair in corpus]
        self._places = {pair: i for i, pair in enumerate(corpus)}
        self._hashes = [_hashes(texts) for texts in zip(*(pair.texts for pair in corpus), strict=True)]
        self._near = [MinHashLSH(SIMILARITY, PERMUTATIONS) for _ in self._hashes]
        for near, hashes in zip(self._near, self._hashes, strict=True):
            with near.insertion_session() as session:
                for i, of_text in enumerate(hashes):
                    session.insert(i, of_text, check_duplication=False)

    def is_repeated(self, pair: Pair) -> bool:
        for near, hashes in zip(self._near, self._hashes, strict=True):
            own = hashes[self._places[pair]]
            for i in near.query(own):
                if self._descriptions[i] != pair.description and own.jaccard(hashes[i]) >= SIMILARITY:
                    return True
        return False


def _hashes(texts: Iterable[str]) -> list[Any]:
    """Returns the MinHashes of texts, as sets of word trigrams."""
    from datasketch import LeanMinHash, MinHash

    trigrams = (
        [" ".join(words[i : i + 3]).encode() for i in range(max(len(words) - 2, 1))] for words in map(_words, texts)
    )
    return [LeanMinHash(one) for one in MinHash.generator(trigrams, num_perm=PERMUTATIONS)]


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


if __name__ == "__main__":
    run_app(main)
