"""Peak memory of a process."""

from __future__ import annotations

import re
import resource
import sys
from pathlib import Path


def peak_memory() -> int:
    """Peak of this process' resident memory, in bytes.

    On Linux, `getrusage` is not used, because its figure starts from the memory of the parent process.
    """
    status = Path("/proc/self/status")
    if status.exists() and (found := re.search(r"VmHWM:\s*(\d+) kB", status.read_text(encoding="utf-8"))):
        return int(found[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
