"""Figures that are measured in separate processes."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any


def measured_in_a_process(script: str, *options: str) -> Any:
    """Runs a script that measures one figure, and returns the last line of its output, which is JSON."""
    done = subprocess.run([sys.executable, script, *options], stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])
