"""Everything that needs a GPU, measured in one run: layers, training, decoding, overhead of the mechanisms.

    benchmarks/gpu.sh --output runs/gpu
    benchmarks/gpu.sh --output runs/toy --toy

Each part is a process with a time limit. A part whose framework is not installed is left out, a part that fails leaves
its error; the others run. The folder has `results.json`, `results.md`, written after each part, and `log.txt`. `--toy`
tries all parts with tiny sizes, on the CPU if there is no GPU. See README.md beside this file.
"""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import importlib.metadata
import importlib.util
import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer
from support import gpu_name, peak_of

from keras_nmt.cli.run_app import run_app
from keras_nmt.errors import UserError
from keras_nmt.files.atomic_files import write_json, write_text
from keras_nmt.files.markdown import markdown_table

HERE = Path(__file__).parent
TOPICS = ("layers", "training", "decoding", "overhead")
NAMES = {"tensorflow": "TensorFlow", "jax": "JAX", "torch": "PyTorch", "ctranslate2": "CTranslate2"}
LEAST_SECONDS = 20  # in less time, a part starts and compiles, and measures nothing
# Columns that say nothing where each program is a part of its own.
LEFT_OUT: Mapping[str, Sequence[str]] = {
    "training": ("part", "first is faster by a factor of", "waiting for batches", "traces"),
    "decoding": ("time of first", "lowest to highest", "equal", "export, MiB"),
}
SETTINGS = {
    "training": "--preset transformer_base --dtypes bfloat16 --length 32 --updates 20 --rounds 3",
    "decoding": "--presets transformer_base --dtypes bfloat16 --batches 1,16,64,256 --sentences 4 "
    "--length 24 --rounds 3",
    "overhead": "--preset transformer_base --dtype mixed_bfloat16 --batch 256 --length 32 --sentences 64 --steps 32 "
    "--rounds 5 --together 8",
}
TOY = {
    "training": "--preset transformer_tiny --vocabulary-size 60 --dtypes bfloat16 --length 4 --updates 1 --rounds 1",
    "decoding": "--presets transformer_tiny --vocabulary-size 60 --batches 1,2 --sentences 2 --length 5 --steps 3 "
    "--beam 2 --rounds 1",
    "overhead": "--preset transformer_tiny --vocabulary-size 60 --batch 2 --length 4 --sentences 2 --steps 3 --beam 2 "
    "--rounds 1",
}
# Prints the version and the number of GPUs.
PROBES = {
    "tensorflow": "import tensorflow as m; n = len(m.config.list_physical_devices('GPU'))",
    "jax": "import jax as m; n = sum(device.platform == 'gpu' for device in m.devices())",
    "torch": "import torch as m; n = m.cuda.device_count()",
    "ctranslate2": "import ctranslate2 as m; n = m.get_cuda_device_count()",
}
PROBE_SECONDS = 60
BATCH_SIZE, TOY_BATCH_SIZE = 16384, 32
TOY_MECHANISMS = "fusion"


@dataclasses.dataclass(frozen=True)
class Framework:
    """A framework that can be imported.

    Attributes:
        version: String.
        gpus: Integer, the number of GPUs that the framework sees.
    """

    version: str
    gpus: int


@dataclasses.dataclass(frozen=True)
class Part:
    """A part of the run.

    Attributes:
        name: String.
        topic: String, one of `TOPICS`.
        command: Strings, script and options. The option `--output FILE.json` is added.
        needs: Names of the frameworks; the first is Keras' backend.
        limit: Integer, seconds.
    """

    name: str
    topic: str
    command: Sequence[str]
    needs: Sequence[str]
    limit: int


@dataclasses.dataclass
class Outcome:
    """The outcome of a part: the rows of its table by column, its seconds, and why there is no more, if so."""

    part: str
    topic: str
    seconds: float
    rows: list[dict[str, str]]
    note: str = ""


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


def make_parts(settings: Mapping[str, str], mechanisms: str, peak: float) -> list[Part]:
    """All parts, in the order in which they run."""

    def options(topic: str, *more: str) -> list[str]:
        return [f"{topic}.py", *settings[topic].split(), *more]

    def training(name: str, framework: str, limit: int) -> Part:
        share = ["--peak", str(peak)] if peak else []
        return Part(name, "training", options("training", "--contenders", name, *share), [framework], limit)

    def decoding(name: str, programs: str, needs: Sequence[str], limit: int) -> Part:
        return Part(name, "decoding", options("decoding", "--programs", programs), needs, limit)

    which = ["--mechanisms", mechanisms] if mechanisms else []
    return [
        *(
            Part(f"layers on {NAMES[name]}", "layers", ["layer_results.py"], [name], 120)
            for name in ("tensorflow", "jax")
        ),
        training("keras_nmt", "tensorflow", 60),
        training("keras_nmt with XLA", "tensorflow", 90),
        training("PyTorch", "torch", 60),
        training("PyTorch compiled", "torch", 90),
        decoding("export", "plain,compiled", ["tensorflow"], 150),
        decoding("CTranslate2", "CTranslate2", ["tensorflow", "ctranslate2"], 60),
        Part("overhead", "overhead", options("overhead", *which), ["tensorflow"], 600),
    ]


def missing(part: Part, there: Mapping[str, Framework | str], gpu: str | None) -> str:
    """Why a part cannot run, or an empty string."""
    for name in part.needs:
        found = there[name]
        if isinstance(found, str):
            return f"no {NAMES[name]}"
        if gpu is not None and not found.gpus:
            return f"{NAMES[name]} {found.version} sees no GPU"
    return ""


def run_part(part: Part, limit: float, log: Path) -> Outcome:
    """Runs a part in a process, and kills the process and its children at the limit."""
    environment = {
        **os.environ,
        "KERAS_BACKEND": part.needs[0],
        # Several processes may share the GPU.
        "TF_FORCE_GPU_ALLOW_GROWTH": "true",
        "XLA_PYTHON_CLIENT_PREALLOCATE": "false",
    }
    start = time.monotonic()
    note = ""
    with tempfile.TemporaryDirectory() as folder:
        output, errors = Path(folder) / "rows.json", Path(folder) / "errors.txt"
        script, *options = part.command
        command = [sys.executable, str(HERE / script), *options, "--output", str(output)]
        with open(errors, "wb") as stream:
            process = subprocess.Popen(
                command, stdout=stream, stderr=subprocess.STDOUT, env=environment, start_new_session=True
            )
            try:
                code = process.wait(limit)
                if code:
                    note = "failed"
            except subprocess.TimeoutExpired:
                note = f"stopped at its limit of {limit:.0f} s"
            finally:
                kill_group(process)
        text = errors.read_text(encoding="utf-8", errors="replace")
        if note == "failed":
            note = f"failed: {last_line(text) or f'exit code {code}'}"
        with open(log, "a", encoding="utf-8") as stream_of_all:
            stream_of_all.write(f"$ KERAS_BACKEND={part.needs[0]} {' '.join(command)}\n{text}\n")
        rows = json.loads(output.read_text(encoding="utf-8")) if output.exists() else []
    return Outcome(part.name, part.topic, round(time.monotonic() - start, 1), rows, note)


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Ends a process that leads a group, and the group."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def describe(gpu: str | None, peak: float | None, there: Mapping[str, Framework | str]) -> list[str]:
    """The GPU, the frameworks and the cores of the machine, in lines."""
    lines = [f"GPU: {gpu or 'none'}" + (f", peak {peak:g} TFLOPS in bfloat16" if peak else ", peak not known")]
    for name, found in there.items():
        if isinstance(found, str):
            lines.append(f"{NAMES[name]}: not there ({found})")
        else:
            lines.append(f"{NAMES[name]}: {found.version}, GPUs that it sees: {found.gpus}")
    lines.append(f"Python {platform.python_version()}, Keras {importlib.metadata.version('keras')}")
    lines.append(f"{len(os.sched_getaffinity(0))} cores, {platform.machine()}")
    return lines


def write_results(folder: Path, machine: Sequence[str], outcomes: Sequence[Outcome], command: str) -> None:
    """Writes `results.json` and `results.md`."""
    date = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    parts = [dataclasses.asdict(outcome) for outcome in outcomes]
    write_json(folder / "results.json", {"date": date, "command": command, "machine": list(machine), "parts": parts})
    write_text(folder / "results.md", _markdown(machine, outcomes, command, date))


def _markdown(machine: Sequence[str], outcomes: Sequence[Outcome], command: str, date: str) -> str:
    blocks = ["# Measured on a GPU\n", f"    {command}\n", "".join(f"- {line}\n" for line in [*machine, date])]
    for topic in TOPICS:
        of_topic = [outcome for outcome in outcomes if outcome.topic == topic]
        if not of_topic:
            continue
        blocks.append(f"## {topic.capitalize()}\n")
        rows = [{"part": outcome.part, **row} for outcome in of_topic for row in outcome.rows]
        if rows:
            columns = [name for name in rows[0] if name not in LEFT_OUT.get(topic, ())]
            blocks.append(markdown_table(columns, [[row[name] for name in columns] for row in rows]) + "\n")
        notes = [f"- {one.part}: {one.note or 'complete'} ({one.seconds:.0f} s)\n" for one in of_topic]
        blocks.append("".join(notes))
    return "\n".join(blocks)


def main(
    output: Annotated[Path, typer.Option(metavar="DIR", help="Folder of the results.")] = Path("runs/gpu"),
    minutes: Annotated[float, typer.Option(help="Time for all parts together.")] = 16,
    parts: Annotated[str, typer.Option(help=f"Topics, separated by commas: {', '.join(TOPICS)}.")] = ",".join(TOPICS),
    mechanisms: Annotated[
        str, typer.Option(help="Mechanisms of overhead.py whose overhead is measured. Default: all.")
    ] = "",
    batch_size: Annotated[
        int, typer.Option(help=f"Positions per batch and side in training. Default: {BATCH_SIZE}.")
    ] = 0,
    peak: Annotated[
        float, typer.Option(help="Peak of the GPU in TFLOPS, for the share of it. Default: by the GPU's name.")
    ] = 0,
    toy: Annotated[bool, typer.Option("--toy", help="Tries all parts with tiny sizes, also without a GPU.")] = False,
) -> None:
    """Measures everything that needs a GPU."""
    start = time.monotonic()
    topics = [topic.strip() for topic in parts.split(",")]
    if unknown := sorted(set(topics) - set(TOPICS)):
        raise UserError(f"Topics are {', '.join(TOPICS)}. Received: {', '.join(unknown)}")
    if minutes <= 0 or batch_size < 0 or peak < 0:
        raise UserError(
            f"Time and sizes must be positive. Received: minutes={minutes}, batch_size={batch_size}, peak={peak}"
        )
    gpu = gpu_name()
    if gpu is None and not toy:
        raise UserError("nvidia-smi finds no GPU: --toy tries the script on the CPU. Received: toy=False")
    if importlib.util.find_spec("keras") is None:
        raise UserError("Keras is missing: README.md beside this script lists the packages. Received: no Keras")
    output.mkdir(parents=True, exist_ok=True)
    log = output / "log.txt"
    log.write_bytes(b"")
    there = frameworks()
    machine = describe(gpu, peak or peak_of(gpu), there)
    print("\n".join(machine), flush=True)
    settings = dict(TOY if toy else SETTINGS)
    settings["training"] += f" --batch-size {batch_size or (TOY_BATCH_SIZE if toy else BATCH_SIZE)}"
    command = " ".join(["benchmarks/gpu.sh", *sys.argv[1:]])
    outcomes: list[Outcome] = []
    for part in make_parts(settings, mechanisms or (TOY_MECHANISMS if toy else ""), peak):
        if part.topic not in topics:
            continue
        left = minutes * 60 - (time.monotonic() - start)
        if reason := missing(part, there, gpu):
            outcome = Outcome(part.name, part.topic, 0.0, [], f"left out: {reason}")
        elif left < LEAST_SECONDS:
            outcome = Outcome(part.name, part.topic, 0.0, [], f"left out: {left:.0f} of {minutes * 60:.0f} s are left")
        else:
            # On a CPU, how long a part takes says nothing.
            outcome = run_part(part, left if toy else min(part.limit, left), log)
        outcomes.append(outcome)
        print(f"{part.topic}, {part.name}: {outcome.note or 'complete'} ({outcome.seconds:.0f} s)", flush=True)
        write_results(output, machine, outcomes, command)  # after each part, for interrupted runs
    print(f"The results are in {output / 'results.md'}, the parts' own output in {log}.")


if __name__ == "__main__":
    run_app(main)
