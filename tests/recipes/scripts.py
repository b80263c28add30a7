"""Imports and runs recipes and benchmarks, which are scripts and not modules of the package."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import typer
from typer.testing import CliRunner

ROOT = Path(__file__).parents[2]
RECIPES = ROOT / "recipes"


def load_script(path: str) -> ModuleType:
    """Imports the script of a path below recipes/, or of one that begins with benchmarks/, as a module, once."""
    folder = ROOT if path.startswith("benchmarks/") else RECIPES
    name = f"recipes_{path.replace('/', '_').removesuffix('.py')}"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, folder / path)
        assert spec is not None
        assert spec.loader is not None
        # Dataclasses and typer look up their module in `sys.modules`.
        sys.modules[name] = importlib.util.module_from_spec(spec)
        # As for a running script, modules in its folder can be imported.
        sys.path.insert(0, str((folder / path).parent))
        try:
            spec.loader.exec_module(sys.modules[name])
        finally:
            sys.path.pop(0)
    return sys.modules[name]


def run_main(script: ModuleType, *arguments: Any) -> str:
    """Calls a script's `main` with arguments of a command line, and returns its output; errors are raised."""
    app = typer.Typer()
    app.command()(script.main)
    result = CliRunner().invoke(app, [*map(str, arguments)])
    if result.exception is not None:
        raise result.exception
    return result.output


def rows_of(table: Path) -> list[list[str]]:
    """The cells of a table in Markdown, with the line of its columns and without the line below."""
    head, _, *rows = table.read_text(encoding="utf-8").splitlines()
    return [[cell.strip() for cell in line[1:].removesuffix("|").split("|")] for line in (head, *rows)]
