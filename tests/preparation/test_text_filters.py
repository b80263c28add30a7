"""Filters of lines: of the user's own by name, and by language; errors name the filter."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from keras_nmt.errors import UserError
from keras_nmt.preparation import Preparation
from keras_nmt.preparation.text_filters import text_filters

# A supervised model of fastText (dim=4, epoch=50) of "the cat sat on the mat" and "die Katze sitzt auf der Matte".
LANGUAGES = Path(__file__).parent / "languages.bin"


def filters_of(**options: Any) -> dict[str, Any]:
    preparation = Preparation(sides=("de", "en"), sources=["a"], targets=["b"], vocabulary_size=9, **options)
    return dict(text_filters(preparation))


class Long:
    """A filter with the methods of a DoFn."""

    def setup(self) -> None:
        self.limit = 3

    def process(self, lines: tuple[Sequence[str], Sequence[str]]) -> Iterator[np.ndarray]:
        yield np.array([len(line) > self.limit for line in lines[0]])


def test_filters_are_functions_classes_objects_and_names(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("import numpy as np\ndef same(a, b):\n    return np.array([x == y for x, y in zip(a, b)])\n")
    found = filters_of(filters={"class": Long, "object": Long(), "file": f"{file}:same", "module": "numpy:equal"})
    lines = np.array(["abc", "abcd", "x"]), np.array(["abc", "b", "x"])
    dropped = {name: wrong(*lines).tolist() for name, wrong in found.items()}
    long, same = [False, True, False], [True, False, True]
    assert dropped == {"class": long, "object": long, "file": same, "module": same}


@pytest.mark.parametrize(
    ("filter_", "message"),
    [
        ("nowhere:x", r"package\.module:name or file\.py:name\. Received: nowhere:x \(ModuleNotFoundError"),
        ("numpy:nowhere", r"Received: numpy:nowhere \(AttributeError"),
        ("numpy", r"Received: numpy \("),
        ("missing.py:x", r"Python file, NAME\.py\. Received: missing\.py$"),
    ],
)
def test_a_name_of_nothing_is_an_error(filter_: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        filters_of(filters={"mine": filter_})


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda a, b: np.zeros(3, bool), r"'mine' gives a boolean array .* 2 here\. Received: .*\(3,\)$"),
        (lambda a, b: [0, 1], r"'mine' gives a boolean array .*Received: an array of int64"),
        (lambda a, b: 1 / 0, r"'mine' raised an error\. Received: ZeroDivisionError"),
    ],
)
def test_a_filter_that_fails_is_named(wrong: Any, message: str) -> None:
    with pytest.raises(UserError, match=message) as error:
        filters_of(filters={"mine": wrong})["mine"](["a", "b"], ["a", "b"])
    assert "\n" not in str(error.value)


def test_lines_of_other_languages_are_dropped() -> None:
    pytest.importorskip("fasttext", reason="the extra `prepare`")
    options: dict[str, Any] = {"languages": {"de": "de", "en": "en"}, "language_model": LANGUAGES}
    sources = ["die Katze", "the cat sat", "die Matte", "", "auf der Matte"]
    targets = ["the cat", "the cat", "die Katze", "the mat", "on the mat"]
    found = filters_of(**options)
    assert found["language"](sources, targets).tolist() == [False, True, True, False, False]
    described = Preparation(sides=("de", "en"), sources=["a"], targets=["b"], vocabulary_size=9, **options).as_json()
    assert described["language_model"] == hashlib.sha256(LANGUAGES.read_bytes()).hexdigest()


def test_another_file_is_no_model_of_languages(tmp_path: Path) -> None:
    pytest.importorskip("fasttext", reason="the extra `prepare`")
    (tmp_path / "model").write_text("no model")
    with pytest.raises(UserError, match=r"not a model of fastText.*Received: .*/model \("):
        filters_of(languages={"de": "de"}, language_model=tmp_path / "model")
    with pytest.raises(FileNotFoundError):
        filters_of(languages={"de": "de"}, language_model=tmp_path / "none")


@pytest.mark.parametrize(
    "options",
    [
        {"languages": {"de": "de"}},
        {"language_model": LANGUAGES},
        {"languages": {"fr": "fr"}, "language_model": LANGUAGES},
        {"filters": {"empty": Long}},
        {"subwords": ("m", "m")},
        {"subword_sample": 0},
        {"seed": -1},
    ],
)
def test_contradictory_options(options: dict[str, Any]) -> None:
    with pytest.raises(UserError, match="Received: "):
        filters_of(**options)
