"""The GPU of a machine, and the frameworks that see the GPU."""

from __future__ import annotations

import dataclasses
import subprocess
import sys

# Peak of dense bfloat16 products in TFLOPS, by a part of the name that nvidia-smi prints, from NVIDIA's data sheets.
# The first name that fits counts.
PEAKS = {
    "B200": 2250.0,
    "H200 NVL": 835.0,
    "H200": 989.0,
    "H100 PCIe": 756.0,
    "H100 NVL": 835.0,
    "H100": 989.0,
    "A100": 312.0,
    "A10G": 70.0,
    "A10": 125.0,
    "L40S": 362.0,
    "L4": 121.0,
    "RTX 4090": 165.0,
    "RTX 3090": 71.0,
}
# Prints the version and the number of GPUs.
PROBES = {
    "tensorflow": "import tensorflow as m; n = len(m.config.list_physical_devices('GPU'))",
    "jax": "import jax as m; n = sum(device.platform == 'gpu' for device in m.devices())",
    "torch": "import torch as m; n = m.cuda.device_count()",
    "ctranslate2": "import ctranslate2 as m; n = m.get_cuda_device_count()",
}
PROBE_SECONDS = 60


@dataclasses.dataclass(frozen=True)
class Framework:
    """A framework that can be imported.

    Attributes:
        version: String.
        gpus: Integer, the number of GPUs that the framework sees.
    """

    version: str
    gpus: int


def gpu_name() -> str | None:
    """The name of the first GPU by nvidia-smi, or None if there is no GPU."""
    command = ["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    lines = done.stdout.splitlines()
    return lines[0].strip() if lines else None


def peak_of(name: str | None) -> float | None:
    """The peak of dense bfloat16 products of a GPU in TFLOPS, or None if the table has no such GPU."""
    return next((peak for part, peak in PEAKS.items() if name and part in name), None)


def frameworks() -> dict[str, Framework | str]:
    """The frameworks of `PROBES`, or the error of their import. Each is imported in a process, all at the same time."""
    processes = {
        name: subprocess.Popen(
            [sys.executable, "-c", f"{code}; print(m.__version__, n)"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name, code in PROBES.items()
    }
    found: dict[str, Framework | str] = {}
    for name, process in processes.items():
        try:
            output, errors = process.communicate(timeout=PROBE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            found[name] = f"the import took more than {PROBE_SECONDS} s"
            continue
        if process.returncode:
            found[name] = last_line(errors) or f"exit code {process.returncode}"
        else:
            version, count = output.split()[-2:]
            found[name] = Framework(version, int(count))
    return found


def last_line(text: str) -> str:
    """The last line that is not empty, which has a program's error."""
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")
