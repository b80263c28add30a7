"""Extensions of Griffe: Keras' form of docstrings as sections of the API reference, functions named as modules."""

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


class KerasPackages(griffe.Extension):
    """Rewrites every docstring before Griffe parses the docstring, and shows functions whose modules have their names.

    In Python, such a function replaces its module: `keras_nmt.decoding.beam_search` is a function. Griffe keeps the
    module.
    """

    def on_package(self, *, pkg: griffe.Module, loader: griffe.GriffeLoader, **kwargs: Any) -> None:
        """Called with each package that is loaded."""
        _rewrite(pkg)
        loader.resolve_aliases(implicit=True, external=False)  # while paths still lead through the modules
        packages = [pkg, *(module for module in pkg.modules.values() if module.is_init_module)]
        for package in packages:
            for name in map(str, package.exports or ()):
                module = package.members.get(name)
                if module is not None and module.is_module and name in module.members:
                    package.set_member(name, griffe.Alias(name, module.members[name], parent=package))


def _rewrite(obj: griffe.Object) -> None:
    """Rewrites the docstrings of a module, class, function or attribute, and of what it defines."""
    if obj.docstring is not None:
        obj.docstring.value = as_sections(obj.docstring.value)
    for member in obj.members.values():
        if not member.is_alias:
            _rewrite(member)
