"""The folder's helper module."""

from __future__ import annotations

import sys
from pathlib import Path

# Test folders are no packages: without this, scripts.py could not be imported.
sys.path.insert(0, str(Path(__file__).parent))
