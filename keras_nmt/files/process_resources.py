"""A process's peak memory, the number of processors that it may use, its standard error, and its end."""

from __future__ import annotations

import contextlib
import ctypes
import math
import os
import re
import resource
import signal
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

GROUPS = Path("/proc/self/cgroup")  # the list of the process's control groups
CGROUPS = Path("/sys/fs/cgroup")  # the control groups, of version 1 or 2
_PR_SET_PDEATHSIG = 1  # of <sys/prctl.h>


def peak_memory() -> int:
    """Returns the peak of this process's resident memory, in bytes.

    On Linux, the number is read from `/proc`, because that of `getrusage` starts from the parent process's memory.
    """
    status = Path("/proc/self/status")
    if status.exists() and (match := re.search(r"VmHWM:\s*(\d+) kB", status.read_text(encoding="utf-8"))):
        return int(match[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def num_processors() -> int:
    """Returns the number of processors that this process may use, by its CPU affinity and its container's quota."""
    quotas = [_quota(group) for group in control_groups("cpu")]
    return math.ceil(min(len(os.sched_getaffinity(0)), *quotas, math.inf))


def translation_threads() -> int:
    """Returns the threads of an operation where four parts of a text share the processors; see `PARTS_AT_ONCE`."""
    return max(1, num_processors() // 4)


def control_groups(controller: str) -> Iterator[Path]:
    """Yields the folders of the control groups whose limits, of "cpu" or "memory", hold for this process."""
    try:
        lines = [line.split(":", 2) for line in GROUPS.read_text(encoding="utf-8").splitlines()]
    except OSError:  # a system without control groups
        return
    for _, controllers, path in lines:
        if controllers and controller not in controllers.split(","):
            continue
        # A limit also holds for all groups below. A container may see its own group as the root.
        folder = CGROUPS / controllers
        for group in (folder.joinpath(path.lstrip("/")), *folder.joinpath(path.lstrip("/")).parents):
            if group.is_relative_to(folder):
                yield group


def _quota(group: Path) -> float:
    """Returns the number of processors of a control group, or infinity if it has no quota."""
    for names in (["cpu.max"], ["cpu.cfs_quota_us", "cpu.cfs_period_us"]):
        try:
            quota, period = " ".join((group / name).read_text(encoding="utf-8") for name in names).split()
            return int(quota) / int(period) if int(quota) > 0 else math.inf
        except (OSError, ValueError):  # another version, or "max"
            continue
    return math.inf


@contextlib.contextmanager
def without_standard_error() -> Iterator[None]:
    """Drops what this process, its libraries and its new processes write to standard error in a block."""
    sys.stderr.flush()
    standard_error = os.dup(2)
    try:
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), 2)
        yield
    finally:
        os.dup2(standard_error, 2)
        os.close(standard_error)


def has_bfloat16() -> bool:
    """Tells whether the processor has instructions for products in bfloat16. Only Linux tells."""
    try:
        flags = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return False
    return bool({"amx_bf16", "avx512_bf16"} & set(flags.split()))


def warn_without_bfloat16(dtype: str) -> None:
    """Warns where a model is to compute in bfloat16 on a processor without instructions for it."""
    if "bfloat16" in dtype and not has_bfloat16():
        warnings.warn(
            f"{dtype} is hardly faster on this processor, which has no instructions for it, and TensorFlow may cut off "
            "products there instead of rounding them: use float32",
            stacklevel=3,
        )


def end_with_parent(parent: int) -> None:
    """Lets the system kill this process when its parent ends, even if that was killed.

    So it holds no locks, cores or memory that a successor needs. Only Linux has this.

    Args:
        parent: Integer, the number of the parent process, which may have ended already.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)
