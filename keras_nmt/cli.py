from __future__ import annotations
import sys
from collections.abc import Callable
from typing import Any
import typer
from keras_nmt.errors import UserError

def run_app(command: Callable[..., Any]) -> None:
    """Runs a command line: an error that a user can cause is one line and exit code 2."""
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command()(command)
    try:
        app()
    except (UserError, OSError) as error:
        print(f"Error: {error}", file=sys.stderr)
        raise SystemExit(2) from None
