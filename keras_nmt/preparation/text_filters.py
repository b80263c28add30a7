"""The filters of lines of text: the user's own, and those for identical sides, scripts and languages."""

from __future__ import annotations

import functools
import importlib
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from keras_nmt.errors import UserError, error_and_type
from keras_nmt.files.import_file import import_file
from keras_nmt.preparation.options import File, Filter, Preparation

SCRIPT_SHARE = 0.5  # least share of letters in a side's script
LABEL = "__label__"  # before each language in fastText's models
Function = Callable[[Sequence[str], Sequence[str]], np.ndarray]


def text_filters(preparation: Preparation) -> list[tuple[str, Function]]:
    """The filters of a preparation, ready to run in this process.

    Args:
        preparation: Preparation.

    Returns:
        List of tuples of a reason and a function from the lines of both sides to a boolean array `[pairs]`, True for
        the pairs to drop. Each pair is dropped for the first reason that applies.

    Raises:
        OSError: The model of languages cannot be read.
        UserError: A filter of the user's own does not exist, or the model of languages is no model.
    """
    p = preparation
    filters = [(reason, _own(reason, filter_)) for reason, filter_ in p.filters.items()]
    if p.drop_identical:
        filters.append(("identical", _are_identical))
    if p.scripts:
        filters.append(
            ("script", functools.partial(_any_side, rules=[_script_rule(p.scripts.get(s)) for s in p.sides]))
        )
    if p.language_model is not None:
        model = _language_model(p.language_model)
        rules = [_language_rule(model, p.languages.get(side)) for side in p.sides]
        filters.append(("language", functools.partial(_any_side, rules=rules)))
    return filters


def _own(reason: str, filter_: Filter | str) -> Function:
    """A filter of the user's own, whose errors name the filter."""
    found: Any = _found(filter_) if isinstance(filter_, str) else filter_
    try:
        found = found() if isinstance(found, type) else found
        if hasattr(found, "setup"):
            found.setup()
    except Exception as error:
        raise UserError(f"The filter {reason!r} raised an error. Received: {error_and_type(error)}") from error

    def checked(sources: Sequence[str], targets: Sequence[str]) -> np.ndarray:
        try:
            if hasattr(found, "process"):  # a DoFn gives a sequence of results
                (wrong,) = found.process((sources, targets))
            else:
                wrong = found(sources, targets)
        except Exception as error:
            raise UserError(f"The filter {reason!r} raised an error. Received: {error_and_type(error)}") from error
        wrong = np.asarray(wrong)
        if wrong.dtype != np.bool_ or wrong.shape != (len(sources),):
            raise UserError(
                f"The filter {reason!r} gives a boolean array with an element for each pair, {len(sources)} here. "
                f"Received: an array of {wrong.dtype} with the shape {wrong.shape}"
            )
        return wrong

    return checked


def _found(reference: str) -> Any:
    """The function or class of a reference, such as "package.module:name" or "folder/file.py:name"."""
    place, _, name = reference.rpartition(":")
    try:
        module = import_file(Path(place)) if place.endswith(".py") else importlib.import_module(place)
        return getattr(module, name)
    except UserError:
        raise
    except (ImportError, AttributeError, ValueError) as error:
        raise UserError(
            "A filter is named by its module or file, such as package.module:name or file.py:name. "
            f"Received: {reference} ({error_and_type(error)})"
        ) from None


def _are_identical(sources: Sequence[str], targets: Sequence[str]) -> np.ndarray:
    return np.array([source == target for source, target in zip(sources, targets, strict=True)], bool)


def _any_side(
    sources: Sequence[str], targets: Sequence[str], rules: Sequence[Callable[[str], bool] | None]
) -> np.ndarray:
    """boolean array `[pairs]`, whether the rule of either side is True for a line of this side."""
    is_wrong = np.zeros(len(sources), bool)
    for rule, lines in zip(rules, (sources, targets), strict=True):
        if rule is not None:
            is_wrong |= np.array([rule(line) for line in lines], bool)
    return is_wrong


def _script_rule(script: str | None) -> Callable[[str], bool] | None:
    return None if script is None else lambda line: _share(line, script) < SCRIPT_SHARE


def _language_rule(model: Any, language: str | None) -> Callable[[str], bool] | None:
    """The rule of a side in a language: whether a line is most probably of another one. Empty lines are of any."""
    if language is None:
        return None
    return lambda line: bool(line.strip()) and LABEL + language not in model.predict(line)[0]


def _language_model(path: File) -> Any:
    try:
        import fasttext
    except ImportError:
        raise UserError(
            f"Identification of languages needs fasttext-predict: pip install 'keras_nmt[prepare]'. Received: {path}"
        ) from None
    with open(path, "rb"):  # an error of the system names the file
        pass
    try:
        return fasttext.load_model(str(path))
    except (ValueError, MemoryError, RuntimeError) as error:
        raise UserError(
            f"The file is not a model of fastText, such as lid.176.bin. Received: {path} ({error_and_type(error)})"
        ) from None


def _share(text: str, script: str) -> float:
    """The share of a text's letters that are of a script; 1 without letters."""
    letters = [character for character in text if character.isalpha()]
    return sum(_script(letter) == script for letter in letters) / len(letters) if letters else 1.0


@functools.cache
def _script(letter: str) -> str:
    """The first word of a letter's name in Unicode."""
    return unicodedata.name(letter, "UNKNOWN").partition(" ")[0]
