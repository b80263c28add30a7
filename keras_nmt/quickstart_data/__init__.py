"""The quickstart's corpus, English, German, French and Czech."""

from __future__ import annotations

from pathlib import Path

LANGUAGES = ("en", "de", "fr", "cs")
FOLDER = Path(__file__).parent  # of `{train,dev,test}.{en,de,fr,cs}`

__all__ = ["FOLDER", "LANGUAGES"]
