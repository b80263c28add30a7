"""Figures that are each measured in a process of their own."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any


def measured_in_a_process(script: str, *options: str) -> Any:
    """Runs a script for one figure: what its last line of output says, as JSON."""
    done = subprocess.run([sys.executable, script, *options], stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])
