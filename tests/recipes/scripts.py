"""Recipes are scripts, no modules of the package: how tests get at what is inside."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import typer
from typer.testing import CliRunner

RECIPES = Path(__file__).parents[2] / "recipes"


def load_script(path: str) -> ModuleType:
    """The script of that path below recipes/, once imported as a module."""
    name = f"recipes_{path.replace('/', '_').removesuffix('.py')}"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, RECIPES / path)
        assert spec is not None
        assert spec.loader is not None
        # Dataclasses and typer look their module up there.
        sys.modules[name] = importlib.util.module_from_spec(spec)
        # As where it runs as a script: those beside it can be imported.
        sys.path.insert(0, str((RECIPES / path).parent))
        try:
            spec.loader.exec_module(sys.modules[name])
        finally:
            sys.path.pop(0)
    return sys.modules[name]


def run_main(script: ModuleType, *arguments: Any) -> str:
    """What a script's `main` prints, called with these arguments of a command line; what it raises, is raised."""
    app = typer.Typer()
    app.command()(script.main)
    result = CliRunner().invoke(app, [*map(str, arguments)])
    if result.exception is not None:
        raise result.exception
    return result.output
