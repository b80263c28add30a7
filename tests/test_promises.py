"""The pages name a witness for each promise, and the witnesses are daily tests."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [
    ROOT / "README.md",
    *((ROOT / "docs" / f"{x}.md") for x in ("reliability", "surprises")),
    *sorted((ROOT / "docs" / "concepts").glob("[!i]*.md")),
]
WITNESS = re.compile(r"\[`test_\w+\.py::(test_\w+)`\]\(([\w./]+\.py)\)")


def marks(node: ast.AST) -> set[str]:
    """The marks that stand in a decorator or an assignment."""
    return {x.attr for x in ast.walk(node) if isinstance(x, ast.Attribute) and x.attr in ("slow", "nightly")}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_witnesses_of_a_page_are_daily_tests(page):
    found = WITNESS.findall(page.read_text(encoding="utf-8"))
    assert found
    for name, link in found:
        module = ast.parse((page.parent / link).read_text(encoding="utf-8"))
        (test,) = (x for x in module.body if isinstance(x, ast.FunctionDef) and x.name == name)
        of_file = [x for x in module.body if isinstance(x, ast.Assign) and "pytestmark" in ast.unparse(x.targets[0])]
        whole = [x for x in test.decorator_list if not ast.unparse(x).startswith("pytest.mark.parametrize")]
        assert not set().union(*map(marks, [*whole, *of_file])), name


def test_each_promise_has_a_witness():
    rows = re.findall(
        r"^\| (?!promise|---)(.+) \|$", (ROOT / "docs" / "reliability.md").read_text("utf-8"), re.MULTILINE
    )
    assert len(rows) > 15
    assert not [row for row in rows if not WITNESS.search(row)]
