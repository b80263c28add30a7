"""Writing a file whole or not at all."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def write_bytes(path: str | os.PathLike[str], content: bytes) -> Path:
    """Writes a file through a temporary one in the same folder, so that the final name never holds half of it."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
    return path
