"""Writes Russian in Latin letters, and back, for a vocabulary shared with English.

    python recipes/wmt17/transliterate.py DATA/train.ru DATA/train.ru-Latn
    python recipes/wmt17/transliterate.py --back RUN/test.en-ru-Latn.hypotheses.txt hypotheses.ru

Each letter is replaced by one letter, as in ISO 9; case is kept. Transliteration back restores every line exactly. To
this end, Latin letters in the Russian text get a mark before them, and a mark after them if a Russian letter follows.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Annotated, Any

import typer

from keras_nmt.cli.run_app import run_app
from keras_nmt.errors import UserError
from keras_nmt.files.atomic_files import atomic_path

LATIN = dict(zip("абвгдеёжзийклмнопрстуфхцчшщъыьэюя", "abvgdeëžzijklmnoprstufhcčšŝʺyʹèûâ", strict=True))
# Capitals. ISO 9 writes capital signs like small signs, so case would be lost: capital signs get other letters here.
LATIN |= {cyrillic.upper(): latin.upper() for cyrillic, latin in LATIN.items()} | {"Ъ": "ˮ", "Ь": "ˈ"}
CYRILLIC = {latin: cyrillic for cyrillic, latin in LATIN.items()}
MARK = "¬"  # rare in text, and unchanged by the normalisation of subwords

_TO_LATIN, _TO_CYRILLIC = str.maketrans(LATIN), str.maketrans(CYRILLIC)
# Letters that the way back would turn into Russian, and all English letters, so that a word is marked as a whole.
_LETTER = "A-Za-z" + "".join(CYRILLIC)
_LATIN_RUN = re.compile(f"[{MARK}{_LETTER}]+")
_MARKED_RUN = re.compile(f"{MARK}((?:{MARK}{MARK}|[{_LETTER}])*){MARK}?")


def romanize(text: str) -> str:
    """Russian in Latin letters.

    >>> romanize("Объём в GHz, iPhone'ом, PDFы")
    "Obʺëm v ¬GHz, ¬iPhone'om, ¬PDF¬y"
    """

    def marked(run: re.Match[str]) -> str:
        end = MARK if text[run.end() : run.end() + 1] in LATIN else ""
        return MARK + run[0].replace(MARK, MARK * 2) + end

    return _LATIN_RUN.sub(marked, text).translate(_TO_LATIN)


def cyrillize(text: str) -> str:
    """Reverses `romanize`. Misplaced marks in a model's output are taken as they are.

    >>> cyrillize("Obʺëm v ¬GHz, ¬iPhone'om, ¬PDF¬y")
    "Объём в GHz, iPhone'ом, PDFы"
    """

    def pieces() -> Iterator[str]:
        position = 0
        for run in _MARKED_RUN.finditer(text):
            yield text[position : run.start()].translate(_TO_CYRILLIC)
            yield run[1].replace(MARK * 2, MARK)
            position = run.end()
        yield text[position:].translate(_TO_CYRILLIC)

    return "".join(pieces())


def main(
    source: Annotated[Path, typer.Argument(help="File to read, UTF-8; gzip if its name ends with .gz.")],
    target: Annotated[Path, typer.Argument(help="File to write; gzip if its name ends with .gz.")],
    back: Annotated[bool, typer.Option("--back", help="From Latin letters to Russian.")] = False,
) -> None:
    """Writes Russian in Latin letters, or back."""
    convert = cyrillize if back else romanize
    with (
        _open(source, source, "rt") as lines,
        atomic_path(target) as temporary,
        _open(temporary, target, "wt") as output,
    ):
        try:
            output.writelines(map(convert, lines))
        except UnicodeDecodeError as error:
            raise UserError(f"{source} is not UTF-8. Received: {error}") from None
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise UserError(f"Damaged gzip data: make or fetch the file again. Received: {source} ({error})") from None


def _open(path: Path, name: Path, mode: str) -> IO[str]:
    open_: Any = gzip.open if name.suffix == ".gz" else open
    return open_(path, mode, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    run_app(main)
