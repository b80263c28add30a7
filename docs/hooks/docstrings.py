"""An extension of Griffe: Keras' form of docstrings, in which this project writes, as sections of the API reference."""

from __future__ import annotations

import re
from typing import Any

import griffe

# Keras' docstrings put examples at the left margin, where Markdown would see quotations instead of code.
EXAMPLE = re.compile(r"^>>> .*\n(?:.+\n?)*", re.MULTILINE)


def as_sections(docstring: str) -> str:
    """A docstring in Google's form: "Call arguments" as a section of parameters, doctests as blocks of code."""
    text = re.sub(r"^Call arguments:$", "Other Args: Call arguments", docstring, flags=re.MULTILINE)
    text = re.sub(r"^Example:$", "**Example:**", text, flags=re.MULTILINE)
    return EXAMPLE.sub(lambda example: f"```pycon\n{example.group(0).rstrip()}\n```\n", text)


class KerasDocstrings(griffe.Extension):
    """Rewrites every docstring before Griffe parses the docstring."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Called with each module, class, function and attribute."""
        if obj.docstring is not None:
            obj.docstring.value = as_sections(obj.docstring.value)
